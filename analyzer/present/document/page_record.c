/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_record.c - how it was measured, on a page: quality, runs, groups, what is missing, the session itself. */
#include <math.h>
#include <string.h>

#include "present/document/human.h"
#include "present/report/report_page.h"
#include "present/report/report_sections.h"
#include "present/where/sampled_parts.h"

/* A fold with one table in it; nothing without rows. */
static void add_fold(struct document *doc, const char *heading, const struct grid *grid)
{
	struct grid *copy = arena_alloc(doc->arena, sizeof(*copy));

	if (!grid->count)
		return;
	*copy = *grid;
	doc_add(doc, (struct block){ .kind = BLOCK_FOLD, .text = heading });
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = copy });
	doc_add(doc, (struct block){ .kind = BLOCK_UNFOLD });
}

/* ---- quality ---- */

static void count_qualities(size_t *counts, const struct result *results, size_t count)
{
	for (size_t i = 0; i < count; i++)
		counts[is_measured(&results[i]) ? results[i].quality : QUALITY_NONE]++;
}

const char *page_qualities(const struct report *report, struct arena *arena)
{
	static const char *const words[] = {
		[QUALITY_EXACT] = "exact",
		[QUALITY_SCALED] = "scaled from part of the time",
		[QUALITY_RUNS] = "combined from several groups or runs",
		[QUALITY_CLAMPED] = "clamped to what is possible",
		[QUALITY_ESTIMATED] = "estimated",
		[QUALITY_SIMULATED] = "simulated",
		[QUALITY_PRINTED] = "printed by perf stat, not recomputed",
		[QUALITY_NONE] = "not measured",
	};
	size_t counts[QUALITY_NONE + 1] = { 0 };
	struct string text = STRING_INIT(arena);

	count_qualities(counts, report->nodes, report->nnodes);
	count_qualities(counts, report->metrics, report->nmetrics);
	count_qualities(counts, report->events, report->nevents);
	for (size_t i = 0; i <= QUALITY_NONE; i++)
		if (counts[i])
			string_printf(&text, "%s%zu %s", text.length ? ", " : "", counts[i], words[i]);
	return text.text;
}

/* ---- what was not measured ---- */

enum { LACK_COUNT, LACK_REASON, LACK_NAMES, LACKS };

struct lack {
	const char *reason;
	struct string names;
	size_t count;
};

static void add_lacks(struct lack *lacks, size_t *nlacks, const struct result *results, size_t count,
		      struct arena *arena)
{
	for (size_t i = 0; i < count; i++) {
		const struct result *result = &results[i];
		const char *why = result->metric->failure ? result->metric->failure : result->reason;
		size_t k = 0;

		if (is_measured(result))
			continue;
		why = why ? why : "no reason is known";
		while (k < *nlacks && strcmp(lacks[k].reason, why) != 0)
			k++;
		if (k == *nlacks)
			lacks[(*nlacks)++] = (struct lack){ .reason = why, .names = STRING_INIT(arena) };
		string_printf(&lacks[k].names, "%s%s", lacks[k].count ? ", " : "", result->metric->title);
		lacks[k].count++;
	}
}

static void add_missing(struct document *doc, const struct report *report, const char *name)
{
	static const struct column columns[LACKS] = {
		[LACK_COUNT] = { .heading = "Values", .flags = COLUMN_RIGHT },
		[LACK_REASON] = { .heading = "Why" },
		[LACK_NAMES] = { .heading = "Which" },
	};
	struct grid grid = { .columns = columns, .ncolumns = LACKS };
	size_t count = 0, values = 0;
	struct lack *lacks = arena_array(doc->arena, report->nnodes + report->nmetrics + 1, sizeof(*lacks));

	add_lacks(lacks, &count, report->nodes, report->nnodes, doc->arena);
	add_lacks(lacks, &count, report->metrics, report->nmetrics, doc->arena);
	for (size_t i = 0; i < count; i++) {
		values += lacks[i].count;
		grid_add(&grid,
			 (const struct cell[]){ whole_cell(lacks[i].count), text_cell(lacks[i].reason),
						text_cell(lacks[i].names.text) },
			 doc->arena);
	}
	add_fold(doc, arena_printf(doc->arena, "Not measured%s: %zu, and why", name, values), &grid);
}

/* ---- groups ---- */

enum { GROUP_RUN, GROUP_NUMBER, GROUP_RUNNING, GROUP_EVENTS, GROUP_COLUMNS };

static double running_of(const struct count *count)
{
	return count->enabled_ns ? 100 * (double)count->running_ns / (double)count->enabled_ns : NAN;
}

static void add_groups(struct document *doc, const struct counts *counts, const char *name)
{
	static const struct column columns[GROUP_COLUMNS] = {
		[GROUP_RUN] = { .heading = "Run", .flags = COLUMN_RIGHT },
		[GROUP_NUMBER] = { .heading = "Group", .flags = COLUMN_RIGHT },
		[GROUP_RUNNING] = { .heading = "On a counter, %", .flags = COLUMN_RIGHT },
		[GROUP_EVENTS] = { .heading = "Events" },
	};
	const struct repeat *first = &counts->repeats[0];
	struct grid grid = { .columns = columns, .ncolumns = GROUP_COLUMNS };
	struct string *events = arena_array(doc->arena, first->ngroups + 1, sizeof(*events));
	const struct count **head = arena_array(doc->arena, first->ngroups + 1, sizeof(struct count *));

	for (size_t i = 0; i < first->count && !counts->origin.is_flat; i++) {
		size_t group = first->items[i].group;

		if (group >= first->ngroups)
			continue;
		if (!head[group])
			events[group] = STRING_INIT(doc->arena);
		string_printf(&events[group], "%s%s", head[group] ? ", " : "", first->items[i].event);
		head[group] = head[group] ? head[group] : &first->items[i];
	}
	for (size_t i = 0; i < first->ngroups; i++)
		if (head[i])
			grid_add(&grid,
				 (const struct cell[]){
					 whole_cell(head[i]->run + 1), whole_cell(i + 1),
					 shown_cell(human_fixed(doc->arena, running_of(head[i]), 1), INK_PLAIN),
					 text_cell(events[i].text) },
				 doc->arena);
	add_fold(doc,
		 arena_printf(doc->arena, "The plan%s: %zu group%s of events, by run", name, grid.count,
			      grid.count == 1 ? "" : "s"),
		 &grid);
}

/* ---- numbers of the head, as JSON has them ---- */

static struct grid summary_grid(const struct report *report, struct arena *arena)
{
	struct grid grid = { .columns = summary_columns, .ncolumns = SUMMARY_COLUMNS, .is_catalog = true };
	struct cell cells[SUMMARY_COLUMNS];

	summary_cells(cells, &report->summary);
	grid_add(&grid, cells, arena);
	return grid;
}

static struct grid spread_grid(const struct summary *summary, struct arena *arena)
{
	struct grid grid = { .is_catalog = true };

	for (size_t i = 0; i < FIGURES && summary->repeats > 1; i++) {
		const struct statistics *spread = &summary->spread[i];

		grid_members(&grid, arena,
			     MEMBERS({ "figure", text_cell(figure_keys[i]) }, { "n", whole_cell(spread->n) },
				     { "stddev", number_cell(spread->stddev) }, { "ci95", number_cell(spread->ci95) },
				     { "values", values_cell(spread, arena) }));
	}
	return grid;
}

static void add_numbers(struct document *doc, const struct report *report, const char *name)
{
	struct grid grids[] = { summary_grid(report, doc->arena),
				spread_grid(&report->summary, doc->arena),
				{ .count = 0 },
				{ .count = 0 },
				report_runs(report, doc->arena),
				report_hints(report, doc->arena) };
	static const char *const headings[] = { "The head as numbers", "How far it varies", "How it was sampled",
						"The native run",      "Each run",	    "Events to sample" };

	if (report->summary.is_sampled)
		grids[2] = report_sampling(&report->summary, doc->arena);
	if (report->anchor)
		grids[3] = report_anchor(report->anchor, doc->arena);
	for (size_t i = 0; i < COUNT_OF(grids); i++)
		add_fold(doc, arena_printf(doc->arena, "%s%s", headings[i], name), &grids[i]);
}

/* ---- the session ---- */

#define SESSION_ID "topdown-session"

static void add_session(struct document *doc, const struct page_content *content)
{
	if (content->session) {
		doc_sentence(doc,
			     "The whole session is in this file: `topdown report FILE` evaluates it again, at another "
			     "level too, and `topdown compare` and `topdown export` read it.");
		doc_add(doc, (struct block){ .kind = BLOCK_DATA,
					     .text = content->session,
					     .worded = content->session_type,
					     .id = SESSION_ID });
	} else if (content->no_session) {
		doc_sentence(doc, content->no_session);
	}
}

/* NULL: unknown. */
static const struct counts *counts_of(const struct measurement *measured, const struct report *report)
{
	for (size_t i = 0; measured && i < measured->count; i++)
		if (compare_texts(measured->parts[i].origin.part, report->summary.part) == 0)
			return &measured->parts[i];
	return NULL;
}

static void page_record_add_part(struct document *doc, const struct report_set *set, const struct report *report,
				 const struct measurement *measured)
{
	const char *part = set->count > 1 && report->summary.part ? report->summary.part : "";
	const char *name = *part ? arena_printf(doc->arena, ", %s", part) : "";
	const struct counts *counts = counts_of(measured, report);

	add_missing(doc, report, name);
	if (counts)
		add_groups(doc, counts, name);
	add_numbers(doc, report, name);
}

void page_record(struct document *doc, const struct report_set *set, const struct page_content *content)
{
	doc_add(doc, (struct block){ .kind = BLOCK_SECTION, .text = "How it was measured", .id = "record" });
	report_environment(doc, set);
	for (size_t i = 0; i < set->count; i++)
		page_record_add_part(doc, set, &set->parts[i], content->measured);
	if (set->sampled) {
		const struct grid figures = sampled_figures(set->sampled, doc->arena);

		add_fold(doc, "The head as numbers", &figures);
	}
	add_session(doc, content);
}
