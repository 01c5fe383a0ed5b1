/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/renderers.h"

#include <math.h>
#include <string.h>

#include "render/human.h"
#include "render/view.h"

/* The lines above the tree. Each makes its text; "" leaves the line out. */
struct head_line {
	const char *label;
	const char *(*text)(const struct page *page, const struct report *report);
};

/* Numbers from elsewhere come without a run: what they do not tell is left out instead of being told as unknown. */
static bool is_measured_here(const struct report *report)
{
	return report->summary.groups != 0;
}

/* Of whole CPUs, and of a simulated thread, nobody knows how busy they were. */
static bool is_of_none(const struct report *report)
{
	return (report->summary.target || report->model->is_simulated) && isnan(report->summary.cpus_used);
}

static const char *command_text(const struct page *page UNUSED, const struct report *report)
{
	const struct summary *summary = &report->summary;

	return summary->command || (is_measured_here(report) && !summary->target) ? summary->command : "";
}

static const char *target_text(const struct page *page UNUSED, const struct report *report)
{
	return report->summary.target ? report->summary.target : "";
}

struct part {
	double value;
	const char *text;
};

/* "12.3 s wall, 3.98 CPUs used": the parts that are to be told. */
static const char *join_parts(const struct page *page, const struct report *report, const struct part *parts,
			      size_t count)
{
	struct string text = STRING_INIT(page->arena);

	for (size_t i = 0; i < count; i++)
		if (isfinite(parts[i].value) || (is_measured_here(report) && !is_of_none(report)))
			string_printf(&text, "%s%s", text.length ? ", " : "", parts[i].text);
	return text.text;
}

static const char *time_text(const struct page *page, const struct report *report)
{
	const struct summary *s = &report->summary;
	struct arena *arena = page->arena;
	const struct part parts[] = {
		{ s->wall_s, arena_printf(arena, "%s%s wall%s", human_seconds(arena, s->wall_s),
					  view_figure_spread(page, s, FIGURE_WALL),
					  report->model->is_simulated ? " under the simulator" : "") },
		{ s->cpus_used, arena_printf(arena, "%s%s CPUs used", human_fixed(arena, s->cpus_used, 2),
					     view_figure_spread(page, s, FIGURE_CPUS)) },
	};

	return join_parts(page, report, parts, COUNT_OF(parts));
}

static const char *work_text(const struct page *page, const struct report *report)
{
	const struct summary *s = &report->summary;
	struct arena *arena = page->arena;
	const struct part parts[] = {
		{ s->instructions, arena_printf(arena, "%s%s instructions", human_count(arena, s->instructions),
						view_figure_spread(page, s, FIGURE_INSTRUCTIONS)) },
		{ s->cycles, arena_printf(arena, "%s%s cycles", human_count(arena, s->cycles),
					  view_figure_spread(page, s, FIGURE_CYCLES)) },
		{ s->ipc, arena_printf(arena, "IPC %s%s", human_fixed(arena, s->ipc, 2),
				       view_figure_spread(page, s, FIGURE_IPC)) },
		{ s->ghz, arena_printf(arena, "%s%s GHz", human_fixed(arena, s->ghz, 2),
				       view_figure_spread(page, s, FIGURE_GHZ)) },
	};

	/* A simulated core has no clock. */
	return join_parts(page, report, parts, COUNT_OF(parts) - report->model->is_simulated);
}

static const char *number_of(struct arena *arena, size_t count, const char *thing)
{
	return arena_printf(arena, "%zu %s%s", count, thing, count == 1 ? "" : "s");
}

static const char *counted_text(const struct page *page, const struct report *report)
{
	const struct summary *summary = &report->summary;
	struct arena *arena = page->arena;

	if (!is_measured_here(report))
		return "";
	return arena_printf(arena, "%s%s%s, %s%s, %s", report->model->is_simulated ? "SIMULATED, " : "",
			    summary->repeats > 1 ? arena_printf(arena, "%zu repeats of ", summary->repeats) : "",
			    number_of(arena, summary->runs, "run"), number_of(arena, summary->groups, "group"),
			    summary->groups > summary->runs ? " by turns" : "",
			    summary->scope ? summary->scope : "- scope");
}

static const char *asked_text(const struct page *page, const struct report *report)
{
	return view_asked(page, &report->asked);
}

/* Success is what everybody expects; only another exit status deserves a line. */
static const char *status_text(const struct page *page, const struct report *report)
{
	const struct summary *summary = &report->summary;

	return summary->has_status && summary->status ? arena_printf(page->arena, "%d", summary->status) : "";
}

static const char *cpu_text(const struct page *page, const struct report *report)
{
	const struct summary *summary = &report->summary;
	const char *title = summary->machine ? summary->machine : summary->title;

	return arena_printf(page->arena, "%s (%s)", title ? title : "-", summary->cpu ? summary->cpu : "-");
}

static const char *model_text(const struct page *page, const struct report *report)
{
	const struct model *model = report->model;
	const char *version = model->version ? model->version : "-";

	if (!model->tma_version)
		return arena_printf(page->arena, "%s %s", model->cpu, version);
	return arena_printf(page->arena, "TMA %s, %s %s", model->tma_version, model->cpu, version);
}

static const char *anchor_text(const struct page *page, const struct report *report)
{
	return view_anchor(page, report);
}

static const struct head_line lines[] = {
	{ "Command", command_text }, { "Target", target_text }, { "Time", time_text },	{ "Work", work_text },
	{ "Counted", counted_text }, { "Anchor", anchor_text }, { "Only", asked_text }, { "Status", status_text },
	{ "CPU", cpu_text },	     { "Model", model_text },
};

static void print_line(const struct page *page, const struct head_line *line, const struct report *report)
{
	struct indent indent = {
		.first = arena_printf(page->arena, "%-9s", line->label),
		.rest = "         ",
		.width = 9,
	};

	page_wrap(page, &indent, page_safe(page, line->text(page, report)));
}

static bool is_common(const struct page *page, const struct report_set *set, const struct head_line *line)
{
	const char *first = page_safe(page, line->text(page, &set->parts[0]));

	for (size_t i = 1; i < set->count; i++)
		if (strcmp(first, page_safe(page, line->text(page, &set->parts[i]))) != 0)
			return false;
	return true;
}

void text_head_common(const struct page *page, const struct report_set *set)
{
	for (size_t i = 0; i < COUNT_OF(lines); i++)
		if (is_common(page, set, &lines[i]))
			print_line(page, &lines[i], &set->parts[0]);
}

void text_head_part(const struct page *page, const struct report_set *set, const struct report *report)
{
	for (size_t i = 0; i < COUNT_OF(lines); i++)
		if (!is_common(page, set, &lines[i]))
			print_line(page, &lines[i], report);
}
