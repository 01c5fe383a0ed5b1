/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen_end.c - below a tree on a screen: where the worst node is, what to try, the next command, and in dim print
 * what was run and how. -v and the other forms have sections for each.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/hotspots/sampled.h"
#include "analyse/verdict/headline.h"
#include "common/base/cells.h"
#include "present/document/human.h"
#include "present/report/report_fields.h"
#include "present/report/report_sections.h"
#include "present/screen/screen.h"
#include "present/waits/waits_view.h"
#include "present/where/sampled_parts.h"
#include "present/where/where_parts.h"

#define LABEL 6 /* columns */

static void add_fact(struct document *doc, const char *label, const char *text, enum ink ink)
{
	struct fact *fact = arena_alloc(doc->arena, sizeof(*fact));

	*fact = (struct fact){ .label = label, .text = text };
	if (*text)
		doc_add(doc,
			(struct block){ .kind = BLOCK_FACTS, .facts = fact, .nfacts = 1, .label = LABEL, .ink = ink });
}

/* Columns of a line behind its label. */
static size_t room_of(const struct document *doc)
{
	return doc->width > 2 * LABEL ? doc->width - LABEL : LABEL;
}

/* ---- where ---- */

#define MOST_PLACES  3
#define LEAST_PLACE  0.5  /* percent */
#define WHOLE_PLACE  95.0 /* percent: the answer has said it */
#define NAME_COLUMNS 32

static const char *place_of(const struct where_row *row, bool is_line, bool has_utf8, struct arena *arena)
{
	if (is_line && row->line && row->file)
		return report_line_text(arena, row);
	return cells_cut_middle(arena, report_function_name(row), NAME_COLUMNS, has_utf8);
}

static bool are_lines_known(const struct where *where)
{
	return where->lines.count && where->lines.items[0].line && where->lines.items[0].self.percent >= HEADLINE_FLAT;
}

/* "sort.c:64 60.1 %, sort.c:62 20.0 % of Mispredicts_Resteers": of the worst node, what a line holds. */
static const char *places_text(const struct document *doc, const struct where *where)
{
	bool are_lines = are_lines_known(where);
	const struct where_rows *rows = are_lines ? &where->lines : &where->functions;
	const char *of = arena_printf(doc->arena, " of %s", where->weighing->title);
	struct string text = STRING_INIT(doc->arena);

	if (!rows->count || rows->items[0].self.percent >= WHOLE_PLACE || rows->items[0].self.percent < HEADLINE_FLAT)
		return "";
	for (size_t i = 0; i < rows->count && i < MOST_PLACES; i++) {
		const struct where_row *row = &rows->items[i];
		const char *part = arena_printf(doc->arena, "%s%s %s %%", text.length ? ", " : "",
						place_of(row, are_lines, doc->style->has_utf8, doc->arena),
						where_percent_text(doc->arena, row->self.percent));

		if (row->self.percent < LEAST_PLACE ||
		    (i && cells_width(text.text) + cells_width(part) + cells_width(of) > room_of(doc)))
			break;
		string_add(&text, part);
	}
	return text.length ? arena_printf(doc->arena, "%s%s", text.text, of) : "";
}

/* ---- what to try ---- */

#define ADVICE_LINES 2

/* The first sentences of the advice that two lines hold, and one at least; -v has all of it. */
static const char *advice_text(const struct document *doc, const char *advice)
{
	size_t room = ADVICE_LINES * room_of(doc), kept = 0;

	for (const char *at = advice, *stop; *at; at = stop) {
		size_t length;

		stop = strstr(at, ". ");
		stop = stop ? stop + strlen(". ") : at + strlen(at);
		length = (size_t)(stop - advice);
		if (kept && length > room)
			break;
		kept = length;
	}
	while (kept && advice[kept - 1] == ' ')
		kept--;
	return arena_strndup(doc->arena, advice, kept);
}

/* ---- what was run ---- */

#define COMMAND_COLUMNS 40

static void add_known(struct string *text, bool is_known, const char *what)
{
	if (is_known && *what)
		string_printf(text, "%s%s", text->length ? ", " : "", what);
}

static const char *name_of_run(const struct document *doc, const struct summary *summary)
{
	const char *name = summary->target ? summary->target : summary->command ? summary->command : "";

	return cells_cut(doc->arena, name, COMMAND_COLUMNS, doc->style->has_utf8);
}

/* "./prog: 0.12 s, 1.00 CPUs used": natively, where the rest is a model's. */
static const char *time_of_run(const struct document *doc, const struct report *report)
{
	const struct summary *summary = &report->summary;
	struct string text = STRING_INIT(doc->arena);
	struct arena *arena = doc->arena;

	if (report->model->is_simulated) {
		const struct anchoring *anchor = report->anchor;

		if (anchor && isfinite(anchor->wall_s))
			add_known(&text, true,
				  arena_printf(arena, "%s natively", human_seconds(arena, anchor->wall_s)));
		else if (anchor && isfinite(anchor->user_s))
			add_known(
				&text, true,
				arena_printf(arena, "%s of user time natively", human_seconds(arena, anchor->user_s)));
		return text.text;
	}
	add_known(&text, isfinite(summary->wall_s), human_seconds(arena, summary->wall_s));
	add_known(&text, isfinite(summary->cpus_used),
		  arena_printf(arena, "%s CPUs used", human_fixed(arena, summary->cpus_used, 2)));
	return text.text;
}

static const char *work_of_run(const struct document *doc, const struct report *report)
{
	const struct summary *summary = &report->summary;
	struct string text = STRING_INIT(doc->arena);
	struct arena *arena = doc->arena;

	add_known(&text, isfinite(summary->instructions),
		  arena_printf(arena, "%s instructions", human_count(arena, summary->instructions)));
	add_known(&text, isfinite(summary->cycles) && !report->model->is_simulated,
		  arena_printf(arena, "%s cycles", human_count(arena, summary->cycles)));
	add_known(&text, isfinite(summary->ipc), arena_printf(arena, "IPC %s", human_fixed(arena, summary->ipc, 2)));
	add_known(&text, isfinite(summary->ghz) && !report->model->is_simulated,
		  arena_printf(arena, "%s GHz", human_fixed(arena, summary->ghz, 2)));
	return text.text;
}

/* "12 runs, user+kernel": of what was measured by topdown. */
static const char *counting_of_run(const struct document *doc, const struct report *report)
{
	const struct summary *summary = &report->summary;
	struct string text = STRING_INIT(doc->arena);
	struct arena *arena = doc->arena;

	if (!summary->groups)
		return "";
	add_known(&text, summary->repeats > 1, arena_printf(arena, "%zu repeats", summary->repeats));
	add_known(&text, summary->runs > 1 && !report->model->is_simulated,
		  arena_printf(arena, "%zu runs%s", summary->runs, summary->repeats > 1 ? " each" : ""));
	add_known(&text, summary->groups > summary->runs,
		  arena_printf(arena, "%zu groups multiplexed", summary->groups));
	add_known(&text, summary->scope && !report->model->is_simulated, summary->scope ? summary->scope : "");
	return text.text;
}

/* "simulated Zen 4"; what else there is to say of the CPU has -v. */
static const char *cpu_of_run(const struct document *doc, const struct report *report)
{
	const struct summary *summary = &report->summary;
	const char *name = summary->machine ? summary->machine : summary->title;
	size_t length = name ? strcspn(name, "(;") : 0;

	while (length && name[length - 1] == ' ')
		length--;
	return length ? arena_strndup(doc->arena, name, length) : report->model->cpu;
}

/* That of all parts; "": they differ. */
static const char *common_cpu(const struct document *doc, const struct report_set *set)
{
	const char *first = cpu_of_run(doc, set->parts);

	for (size_t i = 1; i < set->count; i++)
		if (strcmp(first, cpu_of_run(doc, &set->parts[i])) != 0)
			return "";
	return first;
}

/* Whoever reads a simulation's mostly has just typed the name: then a second line is not worth it. */
static bool has_room_for(const struct document *doc, const struct report *report, const char *name, const char *text)
{
	size_t lines = report->model->is_simulated && !report->summary.status ? 1 : 2;

	return *name && cells_width(name) + strlen(": ") + cells_width(text) <= lines * room_of(doc);
}

void screen_run(struct document *doc, const struct report_set *set)
{
	const struct report *report = set->parts;
	const struct summary *summary = &report->summary;
	const char *parts[] = { time_of_run(doc, report), set->count == 1 ? work_of_run(doc, report) : "",
				counting_of_run(doc, report), common_cpu(doc, set), "-v: more" };
	const char *name = name_of_run(doc, summary);
	struct string text = STRING_INIT(doc->arena);

	if (summary->has_status && summary->status)
		string_printf(&text, "exit status %d", summary->status);
	for (size_t i = 0; i < COUNT_OF(parts); i++)
		if (*parts[i])
			string_printf(&text, "%s%s", text.length ? "; " : "", parts[i]);
	add_fact(doc, "Run",
		 has_room_for(doc, report, name, text.text) ? arena_printf(doc->arena, "%s: %s", name, text.text)
							    : text.text,
		 INK_DIM);
}

/* ---- what next ---- */

static const char *next_command(const struct report *report)
{
	const struct next_actions *actions = &report->actions;

	if (actions->look_closer.command)
		return actions->look_closer.command;
	if (actions->sample.command)
		return actions->sample.command;
	return report->nnext ? report->next[0].command : NULL;
}

void screen_next(struct document *doc, const struct report *report)
{
	const char *next = next_command(report);

	if (next)
		doc_add(doc, (struct block){ .kind = BLOCK_COMMAND, .text = next, .first = "Next  " });
}

void screen_end(struct document *doc, const struct report_set *set, const struct report *report,
		const struct screen_end *which)
{
	const struct where *where = report == set->parts ? report_where(set) : NULL;

	doc_gap(doc);
	if (where && report->worst && set->where->question->is_implied)
		add_fact(doc, "Where", places_text(doc, where), INK_PLAIN);
	if (which->has_advice && report->worst && report->advice)
		add_fact(doc, "Try", advice_text(doc, report->advice), INK_PLAIN);
	if (set->count > 1)
		add_fact(doc, "Work", work_of_run(doc, report), INK_DIM);
	if (which->has_next)
		screen_next(doc, report);
}

/* ---- samples alone ---- */

#define MOST_MODULES 4

struct module_share {
	const char *module;
	double percent;
};

static struct module_share *module_in(struct module_share *shares, size_t *count, const char *module)
{
	for (size_t i = 0; i < *count; i++)
		if (compare_texts(shares[i].module, module) == 0)
			return &shares[i];
	shares[*count] = (struct module_share){ .module = module };
	return &shares[(*count)++];
}

static int by_percent(const void *a, const void *b)
{
	double left = ((const struct module_share *)a)->percent, right = ((const struct module_share *)b)->percent;

	return (left < right) - (left > right);
}

/* "libc.so.6 95.2 %, prog 4.8 %": programs and libraries, the kernel's "[kernel]" among them. */
static const char *modules_text(const struct where *where, struct arena *arena)
{
	const struct where_rows *rows = &where->functions;
	struct module_share *shares = arena_array(arena, rows->count + 1, sizeof(*shares));
	struct string text = STRING_INIT(arena);
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++)
		module_in(shares, &count, rows->items[i].module)->percent += rows->items[i].self.percent;
	qsort(shares, count, sizeof(*shares), by_percent);
	for (size_t i = 0; i < count && i < MOST_MODULES && shares[i].percent >= LEAST_PLACE; i++)
		string_printf(&text, "%s%s %s %%", i ? ", " : "",
			      shares[i].module ? module_base_name(shares[i].module) : "no file",
			      where_percent_text(arena, shares[i].percent));
	return text.text;
}

#define MOSTLY_WAITED 0.5 /* CPUs used, below which it waited for most of its time */
#define LEAST_WAIT_S  0.2 /* of the run: in less, whatever else runs has a larger part */

/* What waited for a CPU did not wait for anything else. */
static bool has_slept(const struct sampled *sampled)
{
	double wanted_s = sampled->cpus_used * sampled->wall_s + sampled->waited_s;

	return wanted_s < MOSTLY_WAITED * sampled->wall_s && sampled->wall_s > LEAST_WAIT_S;
}

static const char *slept_text(const struct report_set *set, struct arena *arena)
{
	if (!has_slept(set->sampled))
		return "";
	return set->waits ? " (it mostly waited)" : arena_worded(arena, " (it mostly waited: {wall} shows for what)");
}

const char *screen_native(const struct report_set *set, struct arena *arena)
{
	const struct sampled *sampled = set->sampled;
	const char *modules = set->where && set->where->count ? modules_text(&set->where->items[0], arena) : "";

	if (headline_of(set, NULL).has_few && !are_waits_known(set->waits))
		return arena_printf(arena, "%s natively, %s CPUs used%s.", human_seconds(arena, sampled->wall_s),
				    human_fixed(arena, sampled->cpus_used, 2), slept_text(set, arena));
	return arena_printf(arena, "%s natively, %s CPUs used%s. %s%s%s%s", human_seconds(arena, sampled->wall_s),
			    human_fixed(arena, sampled->cpus_used, 2), slept_text(set, arena),
			    report_verdict(set, NULL, arena), *modules ? " By module: " : "", modules,
			    *modules ? "." : "");
}

void screen_sampled(struct document *doc, const struct report_set *set)
{
	const struct sampled *sampled = set->sampled;
	const char *recorder = sampled_recorder(sampled->origin, doc->arena);
	const char *next = sampled_next(sampled, doc->arena);
	struct string text = STRING_INIT(doc->arena);

	doc_gap(doc);
	if (set->where && set->where->count)
		add_fact(doc, "In", modules_text(&set->where->items[0], doc->arena), INK_PLAIN);
	if (next)
		doc_add(doc, (struct block){ .kind = BLOCK_COMMAND, .text = next, .first = "Next  " });
	if (sampled->has_status && sampled->status)
		string_printf(&text, "exit status %d; ", sampled->status);
	string_add(&text, sampled_text(sampled, doc->arena));
	add_known(&text, isfinite(sampled->cpus_used),
		  arena_printf(doc->arena, "%s CPUs used", human_fixed(doc->arena, sampled->cpus_used, 2)));
	string_printf(&text, "%s%s; -v: more", *recorder ? ", " : "", recorder);
	add_fact(doc, "Run", text.text, INK_DIM);
}
