/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_causes.c - the bottleneck view for people: causes by their share of the slots, with what each means. */
#include <string.h>

#include "common/base/cells.h"
#include "present/document/human.h"
#include "present/report/report_fields.h"

/* Over the vendor's threshold; of a node, as are those above it. */
static bool is_marked(const struct result *result)
{
	return is_measured(result) && (result->metric->level ? result->is_bottleneck : result->over_threshold);
}

/* It would be printed as 0.0. */
static bool is_small(const struct result *result)
{
	return is_measured(result) && result->value < 0.05 && !is_marked(result);
}

/* In few words; -v has the name that --metrics, JSON and the vendor's documents use. */
static const char *report_causes_title_of(const struct document *doc, const struct cause *cause)
{
	return cause->title && !doc->style->is_verbose ? cause->title : cause->result->metric->title;
}

static const struct column *columns_for(const struct document *doc, const struct report *report)
{
	struct column *columns = arena_alloc(doc->arena, RESULT_COLUMNS * sizeof(*columns));
	size_t width = 0;

	for (size_t i = 0; i < report->ncauses; i++) {
		size_t need = cells_width(report_causes_title_of(doc, &report->causes[i]));

		width = need > width ? need : width;
	}
	memcpy(columns, list_columns("Cause", width, doc->arena), RESULT_COLUMNS * sizeof(*columns));
	columns[RESULT_VALUE].least = 8;
	columns[RESULT_FLAG] = (struct column){ .heading = "!", .flags = COLUMN_LOOSE | COLUMN_TEXT_ONLY, .gap = 1 };
	columns[RESULT_REASON] = (struct column){ .heading = "Means", .flags = COLUMN_SHEET_ONLY };
	return columns;
}

static void add_cause(struct grid *grid, const struct report *report, const struct cause *cause,
		      const struct document *doc)
{
	const struct result *result = cause->result;
	const char *means = cause->means ? cause->means : "";
	bool is_known = is_measured(result);
	struct cell cells[RESULT_COLUMNS];

	result_shown(cells, report, result, doc);
	cells[RESULT_VALUE].shown = human_fixed(doc->arena, is_known ? result->value : NOT_COUNTED, 1);
	cells[RESULT_UNIT].shown = is_known ? "% slots" : "";
	cells[RESULT_TITLE].shown = report_causes_title_of(doc, cause);
	cells[RESULT_TITLE].ink = is_marked(result) ? INK_BOLD : INK_PLAIN;
	cells[RESULT_VALUE].ink = cells[RESULT_UNIT].ink = cells[RESULT_TITLE].ink;
	cells[RESULT_FLAG] = shown_cell(is_marked(result) ? "!" : "", INK_BOLD);
	cells[RESULT_REASON] = shown_cell(means, INK_PLAIN);
	if (is_known)
		cells[RESULT_WHY] = shown_cell(means, INK_PLAIN);
	grid_add(grid, cells, doc->arena)->has_more = true;
}

bool is_causes_only(const struct report *report)
{
	const struct select_request *asked = &report->asked;

	return report->ncauses && !asked->level && !asked->nodes && !asked->groups && !asked->metrics;
}

/* What the rows come to, and how those that have no value get one. */
static void report_causes_add_verdict(struct document *doc, const struct report *report, size_t measured, bool has_mark)
{
	const char *whose = report->model->own_thresholds ? "topdown's" : "the vendor's";

	if (has_mark)
		doc_add(doc, (struct block){ .kind = BLOCK_SENTENCE,
					     .text = arena_printf(doc->arena, "! over %s threshold", whose),
					     .worded = "" });
	else if (measured == report->ncauses)
		doc_sentence(doc, "None of them is over its threshold.");
	else if (measured)
		doc_sentence(doc, arena_printf(doc->arena,
					       "None of those that were measured (%zu of %zu) is over its threshold.",
					       measured, report->ncauses));
	else
		doc_sentence(doc, "None of them was measured.");
}

void report_causes(struct document *doc, const struct report *report)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));
	bool has_mark = false;
	size_t small = 0, measured = 0;

	if (!report->ncauses)
		return;
	*grid = (struct grid){ .columns = columns_for(doc, report), .ncolumns = RESULT_COLUMNS };
	for (size_t i = 0; i < report->ncauses; i++) {
		has_mark |= is_marked(report->causes[i].result);
		measured += is_measured(report->causes[i].result);
		if (is_small(report->causes[i].result) && !doc->style->is_verbose && !doc->is_whole)
			small++;
		else
			add_cause(grid, report, &report->causes[i], doc);
	}
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING,
				     .text = "Bottlenecks",
				     .rest = ", by their share of the issue slots",
				     .ink = INK_BOLD,
				     .level = 3 });
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	doc_gap(doc);
	report_causes_add_verdict(doc, report, measured, has_mark);
	if (small)
		doc_sentence(doc, arena_printf(doc->arena, "%zu below 0.05 %%: -v shows %s", small,
					       small == 1 ? "it" : "them"));
}
