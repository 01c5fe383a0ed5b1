/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_head.c - where the numbers come from: program, time, work, how it was counted and checked, CPU, model. */
#include <math.h>
#include <string.h>

#include "present/document/human.h"
#include "present/report/report_page.h"
#include "present/report/report_sections.h"
#include "present/report/software_parts.h"
#include "present/where/sampled_parts.h"

/* Facts above the tree. Each makes its text; "" leaves it out. */
struct head_line {
	const char *label;
	const char *(*text)(const struct document *doc, const struct report *report);
	bool is_code;
};

/* Numbers from elsewhere come without a run: what they do not say is left out instead of being shown as unknown. */
static bool is_measured_here(const struct report *report)
{
	return report->summary.groups != 0;
}

/* Of whole CPUs, and of a simulated thread, nobody knows how busy they were. */
static bool is_of_none(const struct report *report)
{
	return (report->summary.target || report->model->is_simulated) && isnan(report->summary.cpus_used);
}

static const char *command_text(const struct document *doc, const struct report *report)
{
	const struct summary *summary = &report->summary;

	if (doc->is_page)
		return ""; /* its title */
	return summary->command || (is_measured_here(report) && !summary->target) ? summary->command : "";
}

static const char *target_text(const struct document *doc UNUSED, const struct report *report)
{
	return report->summary.target ? report->summary.target : "";
}

struct figure_text {
	double value;
	const char *text;
};

/* "12.3 s wall, 3.98 CPUs used": those of the figures that are known, or should be. */
static const char *report_head_join(const struct document *doc, const struct report *report,
				    const struct figure_text *figures, size_t count)
{
	struct string text = STRING_INIT(doc->arena);

	for (size_t i = 0; i < count; i++)
		if (isfinite(figures[i].value) || (is_measured_here(report) && !is_of_none(report)))
			string_printf(&text, "%s%s", text.length ? ", " : "", figures[i].text);
	return text.text;
}

/* " ±1.2 %" of the mean of repeats; "" when there was one. */
static const char *spread_of(const struct document *doc, const struct summary *summary, enum figure figure)
{
	const struct statistics *spread = &summary->spread[figure];

	if (spread->n < 2 || !isfinite(spread->ci95 / spread->mean))
		return "";
	return arena_printf(doc->arena, " %s%s %%", plus_minus(doc),
			    human_fixed(doc->arena, 100 * spread->ci95 / spread->mean, 1));
}

static const char *report_head_time_text(const struct document *doc, const struct report *report)
{
	const struct summary *s = &report->summary;
	struct arena *arena = doc->arena;
	const struct figure_text figures[] = {
		{ s->wall_s,
		  arena_printf(arena, "%s%s wall%s", human_seconds(arena, s->wall_s), spread_of(doc, s, FIGURE_WALL),
			       report->model->is_simulated ? " under the simulator" : "") },
		{ s->cpus_used, arena_printf(arena, "%s%s CPUs used", human_fixed(arena, s->cpus_used, 2),
					     spread_of(doc, s, FIGURE_CPUS)) },
	};

	return report_head_join(doc, report, figures, COUNT_OF(figures));
}

static const char *work_text(const struct document *doc, const struct report *report)
{
	const struct summary *s = &report->summary;
	struct arena *arena = doc->arena;
	const struct figure_text figures[] = {
		{ s->instructions, arena_printf(arena, "%s%s instructions", human_count(arena, s->instructions),
						spread_of(doc, s, FIGURE_INSTRUCTIONS)) },
		{ s->cycles,
		  arena_printf(arena, "%s%s cycles", human_count(arena, s->cycles), spread_of(doc, s, FIGURE_CYCLES)) },
		{ s->ipc,
		  arena_printf(arena, "IPC %s%s%s", human_fixed(arena, s->ipc, 2), spread_of(doc, s, FIGURE_IPC),
			       s->no_instructions ? arena_printf(arena, " (%s)", s->no_instructions) : "") },
		{ s->ghz,
		  arena_printf(arena, "%s%s GHz", human_fixed(arena, s->ghz, 2), spread_of(doc, s, FIGURE_GHZ)) },
	};

	/* A simulated core has no clock. */
	return report_head_join(doc, report, figures, COUNT_OF(figures) - report->model->is_simulated);
}

static const char *report_head_number_of(struct arena *arena, size_t count, const char *thing)
{
	return arena_printf(arena, "%zu %s%s", count, thing, count == 1 ? "" : "s");
}

static const char *kernel_text(const struct document *doc, const struct report *report)
{
	return doc->is_page ? "" : software_text(doc, &report->software); /* a page has the table */
}

/* How much of a simulation was modelled in detail; "" for all of it. */
static const char *windows_text(const struct document *doc, const struct summary *summary)
{
	struct arena *arena = doc->arena;
	double whole = summary->whole_instructions, modelled = summary->modelled * summary->instructions - whole;
	double rest = 100 * modelled / (summary->instructions - whole);

	if (!summary->is_sampled)
		return "";
	if (!(whole > 0))
		return arena_printf(arena, ", sampled: %s %% of the instructions in %zu windows",
				    human_fixed(arena, rest, 1), summary->windows);
	return arena_worded(arena,
			    ", sampled: the first %s instructions, and %s %% of the rest in %zu windows "
			    "({sim-sample} 1: all)",
			    human_count(arena, whole), human_fixed(arena, rest, 1), summary->windows);
}

static const char *counted_text(const struct document *doc, const struct report *report)
{
	const struct summary *summary = &report->summary;
	struct arena *arena = doc->arena;

	if (!is_measured_here(report))
		return "";
	return arena_printf(arena, "%s%s%s, %s%s, %s%s", report->model->is_simulated ? "SIMULATED, " : "",
			    summary->repeats > 1 ? arena_printf(arena, "%zu repeats of ", summary->repeats) : "",
			    report_head_number_of(arena, summary->runs, "run"),
			    report_head_number_of(arena, summary->groups, "group"),
			    summary->groups > summary->runs ? " multiplexed" : "",
			    summary->scope ? summary->scope : "- scope", windows_text(doc, summary));
}

/* " (0.26 to 0.81 ...)", where the ticks know it roughly only; else "". */
static const char *ratio_range_text(const struct anchoring *anchor, struct arena *arena)
{
	if (!(anchor->ratio_high - anchor->ratio_low > 0.1 * anchor->ratio))
		return "";
	if (!isfinite(anchor->ratio_high))
		return arena_printf(arena, " (at least %s: user time is measured in clock ticks)",
				    human_fixed(arena, anchor->ratio_low, 2));
	return arena_printf(arena, " (%s to %s: user time is measured in clock ticks)",
			    human_fixed(arena, anchor->ratio_low, 2), human_fixed(arena, anchor->ratio_high, 2));
}

/* What else used the core meanwhile; "" where nothing did. */
static const char *shared_text(const struct anchoring *anchor, struct arena *arena)
{
	if (!anchor->is_shared)
		return "";
	return arena_printf(arena,
			    "; others used the core meanwhile (eight additions took %s cycles, not %s), so natively it "
			    "takes less",
			    human_fixed(arena, anchor->additions, 1), human_fixed(arena, anchor->additions_alone, 1));
}

/* "1.2 G cycles modelled, 1.1 G natively ...", or why nothing was compared; "" where nobody asked. */
static const char *checked_text(const struct document *doc, const struct report *report)
{
	const struct anchoring *anchor = report->anchor;
	struct arena *arena = doc->arena;

	if (!anchor)
		return "";
	if (anchor->reason)
		return arena_printf(arena, "no: %s", anchor->reason);
	return arena_printf(arena, "%s cycles modelled%s, %s natively (%s of user time at %s GHz): ratio %s%s%s",
			    human_count(arena, anchor->modelled), anchor->is_of_more ? " in all threads" : "",
			    human_count(arena, anchor->measured), human_seconds(arena, anchor->user_s),
			    human_fixed(arena, anchor->hz / 1e9, 2), human_fixed(arena, anchor->ratio, 2),
			    ratio_range_text(anchor, arena), shared_text(anchor, arena));
}

/* "--nodes 'Memory_Bound^' --metrics 'IPC'": the options that chose what the report has; "" when it was the level. */
static const char *asked_text(const struct document *doc, const struct report *report)
{
	const struct select_request *asked = &report->asked;
	const struct {
		const char *option, *list;
	} lists[] = { { arena_worded(doc->arena, "{nodes}"), asked->nodes },
		      { arena_worded(doc->arena, "{groups}"), asked->groups },
		      { arena_worded(doc->arena, "{metrics}"), asked->metrics } };
	struct string text = STRING_INIT(doc->arena);

	if (is_causes_only(report))
		return arena_worded(doc->arena, "the bottleneck view ({B})");
	for (size_t i = 0; i < COUNT_OF(lists); i++)
		if (lists[i].list)
			string_printf(&text, "%s%s '%s'", text.length ? " " : "", lists[i].option, lists[i].list);
	if (asked->wants_causes)
		string_printf(&text, "%s-B", text.length ? " " : "");
	if (text.length && asked->level)
		string_printf(&text, " -l%u", asked->level);
	return text.text;
}

/* Success is what everybody expects; only another exit status deserves a line. */
static const char *status_text(const struct document *doc, const struct report *report)
{
	const struct summary *summary = &report->summary;

	return summary->has_status && summary->status ? arena_printf(doc->arena, "%d", summary->status) : "";
}

static const char *cpu_text(const struct document *doc, const struct report *report)
{
	const struct summary *summary = &report->summary;
	const char *title = summary->machine ? summary->machine : summary->title;

	if (report->model->is_simulated && title)
		return title;
	return arena_printf(doc->arena, "%s (%s)", title ? title : "-", summary->cpu ? summary->cpu : "-");
}

static const char *model_text(const struct document *doc, const struct report *report)
{
	const struct model *model = report->model;
	const char *version = model->version ? model->version : "-";

	if (model->is_simulated)
		return ""; /* there is one only, and CPU has said it */
	if (model->generic)
		return arena_printf(doc->arena, "generic: %s %s", model->cpu, version);
	if (!model->tma_version)
		return arena_printf(doc->arena, "%s %s", model->cpu, version);
	return arena_printf(doc->arena, "TMA %s, %s %s", model->tma_version, model->cpu, version);
}

/* The usual form needs no words. */
static const char *form_text(const struct document *doc UNUSED, const struct report *report)
{
	const struct model *model = report->model;

	if (model->form != FORM_GENERAL)
		return "";
	if (model->general_source && has_name_prefix(model->general_source, "intel/"))
		return "general events: Intel's formulas for machines without PERF_METRICS";
	return "general events that count what PERF_METRICS has the shares of";
}

/* Of text each node has its own mark. */
static const char *quality_text(const struct document *doc, const struct report *report)
{
	return doc->is_page ? page_qualities(report, doc->arena) : "";
}

static const struct head_line lines[] = {
	{ "Command", command_text, true },  { "Target", target_text, false },  { "Time", report_head_time_text, false },
	{ "Kernel", kernel_text, false },   { "Work", work_text, false },      { "Counted", counted_text, false },
	{ "Checked", checked_text, false }, { "Only", asked_text, true },      { "Status", status_text, false },
	{ "CPU", cpu_text, false },	    { "Values", quality_text, false }, { "Model", model_text, false },
	{ "Form", form_text, false },
};

#define LABEL 9 /* columns */

static bool is_common(const struct document *doc, const struct report_set *set, const struct head_line *line)
{
	const char *first = line->text(doc, &set->parts[0]);

	for (size_t i = 1; i < set->count; i++)
		if (compare_texts(first, line->text(doc, &set->parts[i])) != 0)
			return false;
	return true;
}

/* A page's tiles have the figures, unless there is more to say of them. */
static bool is_tiled(const struct document *doc, const struct report_set *set, const struct head_line *line)
{
	const struct report *report = &set->parts[0];

	if (!doc->is_page || set->count > 1 || report->summary.repeats > 1)
		return false;
	return line->text == report_head_time_text ? !report->model->is_simulated
	       : line->text == work_text	   ? !report->summary.no_instructions
						   : false;
}

/* Those of the lines that are common to all parts, or those that are not. */
void report_head(struct document *doc, const struct report_set *set, const struct report *report, bool is_for_all)
{
	struct fact *facts = arena_array(doc->arena, COUNT_OF(lines), sizeof(*facts));
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(lines); i++)
		if (is_common(doc, set, &lines[i]) == is_for_all && !is_tiled(doc, set, &lines[i]))
			facts[count++] = (struct fact){ lines[i].label, lines[i].text(doc, report), lines[i].is_code };
	if (count)
		doc_add(doc, (struct block){ .kind = BLOCK_FACTS, .facts = facts, .nfacts = count, .label = LABEL });
}

/* Of an interval, which has no other head. */
void report_interval_head(struct document *doc, const struct report *report)
{
	const struct fact all[] = { { .label = "Kernel", .text = kernel_text(doc, report) },
				    { .label = "Work", .text = work_text(doc, report) } };
	struct fact *facts = arena_array(doc->arena, COUNT_OF(all), sizeof(*facts));
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(all); i++)
		if (*all[i].text)
			facts[count++] = all[i];
	if (count && !doc->window && !doc->is_page)
		doc_add(doc, (struct block){ .kind = BLOCK_FACTS, .facts = facts, .nfacts = count, .label = LABEL });
}

/* What a reader elsewhere has to know besides. */
static void report_head_add_origin(struct document *doc, const struct summary *summary)
{
	const struct fact all[] = { { .label = "Host", .text = summary->host },
				    { .label = "Kernel", .text = summary->kernel },
				    { .label = "Started", .text = summary->started },
				    { .label = "topdown", .text = summary->tool_version } };
	struct fact *facts = arena_array(doc->arena, COUNT_OF(all), sizeof(*facts));
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(all); i++)
		if (all[i].text)
			facts[count++] = all[i];
	if (count)
		doc_add(doc, (struct block){ .kind = BLOCK_FACTS, .facts = facts, .nfacts = count, .label = LABEL });
}

void report_environment(struct document *doc, const struct report_set *set)
{
	if (set->sampled) {
		const struct summary summary = sampled_summary(set->sampled);

		sampled_head(doc, set->sampled);
		report_head_add_origin(doc, &summary);
	} else if (set->count) {
		report_head(doc, set, &set->parts[0], true);
		report_head_add_origin(doc, &set->parts[0].summary);
	}
}
