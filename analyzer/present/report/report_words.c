/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_words.c - sections that are sentences: the root cause, what to do, how to check it. */
#include <math.h>
#include <string.h>

#include "common/base/text.h"
#include "present/document/human.h"
#include "present/report/assessment_parts.h"
#include "present/report/report_fields.h"
#include "present/report/report_sections.h"
#include "present/where/where_parts.h"

/* "Memory_Bound (54.7 % slots)" */
static const char *node_text(const struct result *node, struct arena *arena)
{
	return arena_printf(arena, "%s (%s %s)", node->metric->title, human_value(arena, node->metric, node->value),
			    human_unit(arena, node->metric));
}

/* ---- where ---- */

static const struct where_row *hottest_function(const struct where *where)
{
	return where && where->functions.count ? &where->functions.items[0] : NULL;
}

/* A line with less of what its hottest function has is no place to begin: that function has no lines. */
#define LEAST_OF_FUNCTION 0.1

/* The line with most of the worst node, or of time; NULL: nobody knows. */
static const struct where_row *hottest_line(const struct where *where)
{
	const struct where_row *function = hottest_function(where), *row;

	for (size_t i = 0; where && i < where->lines.count; i++) {
		row = &where->lines.items[i];
		if (row->line && row->file)
			return function && row->self.percent < LEAST_OF_FUNCTION * function->self.percent ? NULL : row;
	}
	return NULL;
}

static const char *line_text(const struct document *doc, const struct where_row *row)
{
	return arena_printf(doc->arena, "%s:%u", module_base_name(row->file), row->line);
}

static const char *report_words_share_text(const struct document *doc, const struct share *share)
{
	const char *percent = where_percent_text(doc->arena, share->percent);

	if (!share->samples)
		return arena_printf(doc->arena, "%s %%", percent);
	return arena_printf(doc->arena, "%s %% (95 %%: %s)", percent, where_interval_text(doc->arena, share));
}

static const char *function_name(const struct where_row *row)
{
	return row->function ? row->function : "code without a name";
}

static void report_words_add_place(struct document *doc, const struct where *where)
{
	const struct where_row *function = hottest_function(where), *line = hottest_line(where);

	if (function)
		doc_sentence(doc, arena_printf(doc->arena, "%s of %s is in %s.",
					       report_words_share_text(doc, &function->self), where->weighing->title,
					       function_name(function)));
	if (line)
		doc_sentence(doc, arena_printf(doc->arena, "The hottest line of %s is %s in %s, with %s.",
					       where->weighing->title, line_text(doc, line), function_name(line),
					       report_words_share_text(doc, &line->self)));
}

/* ---- root cause ---- */

/* Useful work is no loss: there is only less of it. */
static bool is_useful(const struct result *node)
{
	return has_name_prefix(node->metric->path, "Retiring");
}

/* The worst path from the top, but for leaf: "Backend_Bound (60.1 % slots), Memory_Bound (...)". */
static const char *path_text(const struct report *report, const struct result *leaf, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < report->nnodes; i++)
		if (report->nodes[i].is_on_worst_path && &report->nodes[i] != leaf)
			string_printf(&text, "%s%s", text.length ? ", " : "", node_text(&report->nodes[i], arena));
	return text.text;
}

static const char *worst_text(const struct report *report, struct arena *arena)
{
	const struct result *worst = report->worst;
	const char *path;

	if (is_useful(worst))
		return arena_printf(arena, "Most slots do useful work: %s.", path_text(report, NULL, arena));
	path = path_text(report, worst, arena);
	return arena_printf(arena, "%s is the bottleneck: %s %s%s%s.", worst->metric->title,
			    human_value(arena, worst->metric, worst->value), human_unit(arena, worst->metric),
			    *path ? ", in " : "", path);
}

static const struct result *largest_root(const struct report *report)
{
	const struct result *largest = NULL;

	for (size_t i = 0; i < report->nnodes; i++) {
		const struct result *node = &report->nodes[i];

		if (node->metric->level == 1 && is_measured(node) && (!largest || node->value > largest->value))
			largest = node;
	}
	return largest;
}

static bool has_nodes(const struct report *report)
{
	for (size_t i = 0; i < report->nnodes; i++)
		if (is_measured(&report->nodes[i]))
			return true;
	return false;
}

const char *report_verdict(const struct report *report, struct arena *arena)
{
	const struct result *largest = report ? largest_root(report) : NULL;

	if (!report)
		return "Samples show where the time goes, but not why: nothing was counted.";
	if (report->worst)
		return worst_text(report, arena);
	if (!report->nnodes)
		return arena_printf(arena, "There is no tree, so nothing names a cause: %zu metrics.",
				    report->nmetrics + report->nevents);
	if (!has_nodes(report))
		return "No node was measured, so the tree names no cause.";
	return arena_printf(arena, "No node that was measured is over its threshold, so the tree names no cause%s%s.",
			    largest ? "; the largest is " : "", largest ? node_text(largest, arena) : "");
}

/* What is beyond its bounds, one sentence each. */
static void report_words_add_figures(struct document *doc, const struct report *report)
{
	for (size_t i = 0; i < report->nassessed; i++) {
		const struct assessed *row = &report->assessed[i];

		if (row->health >= HEALTH_LOOK)
			doc_add(doc, (struct block){ .kind = BLOCK_NOTE,
						     .text = arena_printf(
							     doc->arena, "%s %s %s (%s): %s", row->rule->title,
							     assessed_value(doc->arena, row), row->rule->unit,
							     assessed_text(doc->arena, row), assessed_means(row)) });
	}
}

/* Is what is known of places about this part's worst node, or about time? Of several parts it is the first one's. */
static bool report_words_is_placed(const struct report_part *part)
{
	return report_where(part->set) && (!part->report || part->report == part->set->parts);
}

void report_root_cause(struct document *doc, const struct report_part *part)
{
	report_heading(doc, part, "Root cause");
	doc_sentence(doc, report_verdict(part->report, doc->arena));
	report_cause(doc, part);
}

void report_cause(struct document *doc, const struct report_part *part)
{
	const struct report *report = part->report;

	if (report && report->worst && report->meaning)
		doc_sentence(doc, arena_printf(doc->arena, "%s: %s", report->worst->metric->title, report->meaning));
	if (report && report->says_little)
		doc_sentence(doc, "The tree covers little of what the program did: see the notes.");
	if (report_words_is_placed(part))
		report_words_add_place(doc, report_where(part->set));
	if (report)
		report_words_add_figures(doc, report);
}

/* ---- recommendations ---- */

/* "At chase.c:38 in walk: ", "In walk: " where no line is known; "" where nobody knows. */
static const char *at_text(const struct document *doc, const struct report_part *part)
{
	const struct where *where = report_words_is_placed(part) ? report_where(part->set) : NULL;
	const struct where_row *line = hottest_line(where), *function = hottest_function(where);

	if (line)
		return arena_printf(doc->arena, "At %s in %s: ", line_text(doc, line), function_name(line));
	return function && function->self.percent > 0 ? arena_printf(doc->arena, "In %s: ", function_name(function))
						      : "";
}

static const char *goal_of(const struct document *doc, const struct result *node)
{
	if (is_useful(node))
		return "Instructions and cycles should become fewer.";
	return arena_printf(doc->arena, "%s should fall from %s %s.", node->metric->title,
			    human_value(doc->arena, node->metric, node->value), human_unit(doc->arena, node->metric));
}

static void add_advice(struct document *doc, const char *at, const struct result *node, const char *advice)
{
	doc_add(doc, (struct block){ .kind = BLOCK_NOTE,
				     .text = arena_printf(doc->arena, "%s%s %s", at, advice, goal_of(doc, node)) });
}

void report_recommendations(struct document *doc, const struct report_part *part)
{
	const struct report *report = part->report;

	report_heading(doc, part, "Recommendations");
	if (!report)
		doc_sentence(doc, "Count the same program: topdown with its command shows why.");
	else if (!report->worst || !report->advice)
		doc_sentence(doc, "None: no node stands out for which there is advice.");
	else
		add_advice(doc, at_text(doc, part), report->worst, report->advice);
	for (size_t i = 0; report && i < report->nothers; i++)
		add_advice(doc, "", report->others[i].node, report->others[i].advice);
	if (report)
		report_next(doc, report);
}

/* ---- validation ---- */

/* What should move, from where. */
static const char *goal_text(const struct document *doc, const struct report *report)
{
	struct string text = STRING_INIT(doc->arena);

	if (report->worst && !is_useful(report->worst))
		string_printf(&text, "%s should be below %s %s", report->worst->metric->title,
			      human_value(doc->arena, report->worst->metric, report->worst->value),
			      human_unit(doc->arena, report->worst->metric));
	if (isfinite(report->summary.cycles) && report->summary.cycles > 0)
		string_printf(&text, "%s below %s cycles", text.length ? ", and the program" : "The program should be",
			      human_count(doc->arena, report->summary.cycles));
	return text.length ? arena_printf(doc->arena, "%s.", text.text) : "";
}

void report_validation(struct document *doc, const struct report_part *part)
{
	const struct report *report = part->report;
	const char *steps[3];
	size_t count = 0;

	report_heading(doc, part, "Validation plan");
	if (!report || !report->actions.again.command) {
		doc_sentence(doc, "None: there are no counts that a change could be compared with.");
		return;
	}
	if (report->actions.before.command)
		steps[count++] = report->actions.before.command;
	steps[count++] = report->actions.again.command;
	steps[count++] = report->actions.compare.command;
	for (size_t i = 0; i < count; i++)
		doc_add(doc, (struct block){ .kind = BLOCK_COMMAND, .text = steps[i] });
	doc_sentence(doc, goal_text(doc, report));
}
