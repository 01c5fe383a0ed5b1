/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_words.c - sections that are sentences: the root cause, what to do, how to check it. */
#include <math.h>
#include <string.h>

#include "analyse/verdict/headline.h"
#include "common/base/text.h"
#include "present/document/human.h"
#include "present/report/assessment_parts.h"
#include "present/report/report_fields.h"
#include "present/report/report_sections.h"
#include "present/where/where_parts.h"

/* ---- where ---- */

static const char *report_words_share_text(const struct document *doc, const struct share *share)
{
	const char *percent = where_percent_text(doc->arena, share->percent);

	if (!share->samples)
		return arena_printf(doc->arena, "%s %%", percent);
	return arena_printf(doc->arena, "%s %% (95 %%: %s)", percent, where_interval_text(doc->arena, share));
}

static void report_words_add_place(struct document *doc, const struct where *where, const struct headline *headline)
{
	if (headline->function)
		doc_sentence(doc, arena_printf(doc->arena, "%s of %s is in %s.",
					       report_words_share_text(doc, &headline->function->self),
					       where->weighing->title, report_function_name(headline->function)));
	if (headline->line)
		doc_sentence(doc, arena_printf(doc->arena, "The hottest line of %s is %s in %s, with %s.",
					       where->weighing->title, report_line_text(doc->arena, headline->line),
					       report_function_name(headline->line),
					       report_words_share_text(doc, &headline->line->self)));
}

/* ---- in the tree ---- */

/* The worst path from the top: "Backend_Bound (60.1 % slots), Memory_Bound (...)"; "" where there is none. */
static const char *path_text(const struct report *report, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < report->nnodes; i++)
		if (report->nodes[i].is_on_worst_path)
			string_printf(&text, "%s%s", text.length ? ", " : "",
				      report_node_text(&report->nodes[i], arena));
	return text.text;
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
	report_answer(doc, part->set, part->report, NULL);
	report_cause(doc, part);
}

void report_cause(struct document *doc, const struct report_part *part)
{
	const struct report *report = part->report;
	const struct headline headline = headline_of(part->set, report);

	if (report && report->worst)
		doc_sentence(doc, arena_printf(doc->arena, "The worst path is %s.", path_text(report, doc->arena)));
	if (report && report->worst && report->meaning)
		doc_sentence(doc, arena_printf(doc->arena, "%s: %s", report->worst->metric->title, report->meaning));
	if (report && says_little(report))
		doc_sentence(doc, "The tree covers little of what the program did: the remarks below it say why.");
	if (report_words_is_placed(part))
		report_words_add_place(doc, report_where(part->set), &headline);
	if (report)
		report_words_add_figures(doc, report);
}

/* ---- recommendations ---- */

/* "At chase.c:38 in walk: ", "In walk: " where no line is known; "" where nobody knows. */
static const char *at_text(const struct document *doc, const struct report_part *part)
{
	const struct headline headline = headline_of(part->set, part->report);

	if (headline.line)
		return arena_printf(doc->arena, "At %s in %s: ", report_line_text(doc->arena, headline.line),
				    report_function_name(headline.line));
	return headline.function ? arena_printf(doc->arena, "In %s: ", report_function_name(headline.function)) : "";
}

static const char *goal_of(const struct document *doc, const struct result *node)
{
	if (is_useful_work(node))
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
	else if (says_little(report))
		doc_sentence(doc, "None: the tree covers little of what the program did.");
	else if (!report->worst)
		doc_sentence(doc, "None: no node stands out.");
	else if (!report->advice)
		doc_sentence(doc, arena_printf(doc->arena, "%s stands out, and nobody has published advice for it.",
					       report->worst->metric->title));
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

	if (report->worst && !is_useful_work(report->worst))
		string_printf(&text, "%s should be below %s %s", report->worst->metric->title,
			      human_value(doc->arena, report->worst->metric, report->worst->value),
			      human_unit(doc->arena, report->worst->metric));
	if (isfinite(report->summary.cycles) && report->summary.cycles > 0)
		string_printf(&text, "%s below %s cycles", text.length ? ", and the program" : "The program should be",
			      human_count(doc->arena, report->summary.cycles));
	return text.length ? arena_printf(doc->arena, "%s.", text.text) : "";
}

void report_input(struct document *doc, const struct report *report)
{
	if (report->summary.has_input)
		doc_sentence(doc, "The program read its standard input: give it the same again (< FILE).");
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
	report_input(doc, report);
}
