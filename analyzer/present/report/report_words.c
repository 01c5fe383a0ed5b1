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

/* "Memory_Bound (54.7 % slots)" */
static const char *node_text(const struct result *node, struct arena *arena)
{
	return arena_printf(arena, "%s (%s %s)", node->metric->title, human_value(arena, node->metric, node->value),
			    human_unit(arena, node->metric));
}

/* ---- where ---- */

static const char *line_text(struct arena *arena, const struct where_row *row)
{
	return arena_printf(arena, "%s:%u", module_base_name(row->file), row->line);
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

static void report_words_add_place(struct document *doc, const struct where *where, const struct headline *headline)
{
	if (headline->function)
		doc_sentence(doc, arena_printf(doc->arena, "%s of %s is in %s.",
					       report_words_share_text(doc, &headline->function->self),
					       where->weighing->title, function_name(headline->function)));
	if (headline->line)
		doc_sentence(doc, arena_printf(doc->arena, "The hottest line of %s is %s in %s, with %s.",
					       where->weighing->title, line_text(doc->arena, headline->line),
					       function_name(headline->line),
					       report_words_share_text(doc, &headline->line->self)));
}

/* ---- the answer ---- */

/* Useful work is no loss: there is only less of it. */
static bool is_useful(const struct result *node)
{
	return has_name_prefix(node->metric->path, "Retiring");
}

/* "43.0 % of the slots are lost to"; of a share of something else "43.0 % of the stalls go to". */
static const char *amount_text(const struct metric *metric, double value, struct arena *arena)
{
	const char *unit = human_unit(arena, metric), *of = has_name_prefix(unit, "% ") ? unit + 2 : "";

	if (!*of)
		return arena_printf(arena, "%s %s go to", human_value(arena, metric, value), unit);
	return arena_printf(arena, "%s %% of the %s %s", human_value(arena, metric, value), of,
			    strcmp(of, "slots") ? "go to" : "are lost to");
}

/* "mispredicted branches (Mispredicts_Resteers, Branch_Mispredicts)" */
static const char *cause_text(const struct headline *headline, struct arena *arena)
{
	struct string titles = STRING_INIT(arena);

	for (size_t i = 0; i < headline->nnodes; i++)
		string_printf(&titles, "%s%s", i ? ", " : "", headline->nodes[i]->metric->title);
	return headline->cause ? arena_printf(arena, "%s (%s)", headline->cause, titles.text) : titles.text;
}

#define MOST_OF_IT 50 /* percent */

/* ", 97.1 % of it at data.c:29 in merge_sort"; "" where nobody knows. */
static const char *place_text(const struct headline *headline, struct arena *arena)
{
	const struct where_row *function = headline->function, *line = headline->line;
	const char *it =
		headline->nnodes > 1 ? headline->nodes[0]->metric->title : "it"; /* the other may be elsewhere */

	if (!function)
		return "";
	if (headline->nfunctions)
		return arena_printf(arena, ", spread over %zu functions, none above %s %%", headline->nfunctions,
				    where_percent_text(arena, function->self.percent));
	if (line && line->self.percent >= MOST_OF_IT)
		return arena_printf(arena, ", %s %% of %s at %s in %s", where_percent_text(arena, line->self.percent),
				    it, line_text(arena, line), function_name(line));
	return arena_printf(arena, ", %s %% of %s in %s", where_percent_text(arena, function->self.percent), it,
			    function_name(function));
}

static const char *gain_text(const struct headline *headline, struct arena *arena)
{
	if (!isfinite(headline->speedup))
		return "";
	return arena_printf(arena, "; without that it would be up to %s times as fast",
			    human_fixed(arena, headline->speedup, 2));
}

static const char *loss_text(const struct headline *headline, struct arena *arena)
{
	const struct metric *metric = headline->nodes[0]->metric;

	return arena_printf(arena, "%s %s%s%s.", amount_text(metric, headline->value, arena),
			    cause_text(headline, arena), place_text(headline, arena), gain_text(headline, arena));
}

static const char *useful_text(const struct headline *headline, const struct report *report, struct arena *arena)
{
	const struct metric *most = report->worst && is_useful(report->worst) ? report->worst->metric : NULL;
	const char *above = most && most->level > 1 ? "above all " : "", *title = most ? most->title : "";
	const char *ipc = isfinite(report->summary.ipc) ? arena_printf(arena, "%sIPC %s", most ? ", " : "",
								       human_fixed(arena, report->summary.ipc, 2))
							: "";
	const char *more = most || *ipc ? arena_printf(arena, " (%s%s%s)", above, title, ipc) : "";
	const char *loss = headline->nnodes
				   ? arena_printf(arena, " %s %s.",
						  amount_text(headline->nodes[0]->metric, headline->value, arena),
						  cause_text(headline, arena))
				   : "";

	return arena_printf(arena,
			    "%s %% of the slots do useful work%s: little to win in the core, so look for fewer "
			    "instructions.%s",
			    human_fixed(arena, headline->useful, 1), more, loss);
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

static const char *even_text(const struct report *report, struct arena *arena)
{
	const struct result *largest = largest_root(report);

	return arena_printf(arena, "Nothing stands out: no node that was measured is over its threshold%s%s.",
			    largest ? ", and the largest is " : "", largest ? node_text(largest, arena) : "");
}

static const char *samples_text(const struct headline *headline, struct arena *arena)
{
	bool is_time = headline->of && !strcmp(headline->of, "time");
	const char *of = is_time ? "the time" : headline->of;

	if (!headline->function)
		return "Samples show where the time goes, but not why: nothing was counted.";
	if (headline->nfunctions)
		return arena_printf(arena, "%zu functions share %s, and none has more than %s %%.",
				    headline->nfunctions, of,
				    where_percent_text(arena, headline->function->self.percent));
	return arena_printf(arena, "%s %% of %s is in %s%s.",
			    where_percent_text(arena, headline->function->self.percent), of,
			    function_name(headline->function),
			    headline->line && headline->line->self.percent >= MOST_OF_IT
				    ? arena_printf(arena, ", most of it at %s", line_text(arena, headline->line))
				    : "");
}

static const char *answer_text(const struct headline *headline, const struct report *report, struct arena *arena)
{
	switch (headline->kind) {
	case HEADLINE_LOSS: return loss_text(headline, arena);
	case HEADLINE_USEFUL: return useful_text(headline, report, arena);
	case HEADLINE_EVEN: return even_text(report, arena);
	case HEADLINE_START:
		return arena_printf(arena,
				    "%s instructions are little more than the start of a program: the tree says little "
				    "about its own work.",
				    human_count(arena, report->summary.instructions));
	case HEADLINE_NO_TREE:
		return arena_printf(arena, "There is no tree, so nothing names a cause: %zu metrics.",
				    report->nmetrics + report->nevents);
	case HEADLINE_UNKNOWN: return "No node was measured, so the tree names no cause.";
	case HEADLINE_SAMPLES:
	case HEADLINE_KINDS:
	default: return samples_text(headline, arena);
	}
}

const char *report_verdict(const struct report_set *set, const struct report *report, struct arena *arena)
{
	const struct headline headline = headline_of(set, report);

	return arena_printf(arena, "%s%s", headline.has_waited ? "It mostly waited; while it ran: " : "",
			    answer_text(&headline, report, arena));
}

/* ---- in the tree ---- */

/* The worst path from the top: "Backend_Bound (60.1 % slots), Memory_Bound (...)"; "" where there is none. */
static const char *path_text(const struct report *report, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < report->nnodes; i++)
		if (report->nodes[i].is_on_worst_path)
			string_printf(&text, "%s%s", text.length ? ", " : "", node_text(&report->nodes[i], arena));
	return text.text;
}

/* ---- how sure that is ---- */

static const char *model_text(const struct report *report, struct arena *arena)
{
	const struct anchoring *anchor = report->anchor;

	if (!anchor || !isfinite(anchor->ratio))
		return "This is a model's answer, which no native run has checked.";
	return arena_printf(arena, "This is a model's answer: it has %s of the cycles of a native run%s.",
			    human_fixed(arena, anchor->ratio, 2),
			    anchor->is_shared ? ", which others on the machine made longer"
			    : anchor->is_far  ? ", so take it as a hint"
					      : "");
}

static const char *counted_text(const struct result *node, struct arena *arena)
{
	static const char *const texts[] = {
		[QUALITY_EXACT] = "Counted exactly",
		[QUALITY_SCALED] = "Counted in turns with other events",
		[QUALITY_RUNS] = "Counted in several runs",
		[QUALITY_CLAMPED] = "Counted, but outside its possible range",
		[QUALITY_ESTIMATED] = "Estimated",
		[QUALITY_PRINTED] = "As perf printed it",
	};

	if (node->quality >= COUNT_OF(texts) || !texts[node->quality])
		return "";
	if (node->spread.n < 2 || !isfinite(node->spread.ci95))
		return arena_printf(arena, "%s.", texts[node->quality]);
	return arena_printf(arena, "%s; give or take %s.", texts[node->quality],
			    human_spread(arena, node->metric, node->value, node->spread.ci95));
}

const char *report_trust(const struct report_set *set, const struct report *report, struct arena *arena)
{
	const struct headline headline = headline_of(set, report);

	if (!report || headline.kind > HEADLINE_USEFUL)
		return "";
	if (report->model->is_simulated)
		return model_text(report, arena);
	return headline.nnodes ? counted_text(headline.nodes[0], arena) : "";
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

void report_answer(struct document *doc, const struct report_set *set, const struct report *report, const char *part)
{
	const char *text = report_verdict(set, report, doc->arena), *trust = report_trust(set, report, doc->arena);

	doc_add(doc, (struct block){ .kind = BLOCK_SENTENCE,
				     .text = arena_printf(doc->arena, "%s%s%s%s%s", part ? part : "", part ? ": " : "",
							  text, *trust ? " " : "", trust),
				     .look = "verdict" });
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
	if (report && report->says_little)
		doc_sentence(doc, "The tree covers little of what the program did: see the notes.");
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
		return arena_printf(doc->arena, "At %s in %s: ", line_text(doc->arena, headline.line),
				    function_name(headline.line));
	return headline.function ? arena_printf(doc->arena, "In %s: ", function_name(headline.function)) : "";
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
