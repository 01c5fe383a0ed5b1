/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_answer.c - what a report comes to (analyse/verdict), in sentences, and how sure that is. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyse/verdict/headline.h"
#include "common/base/text.h"
#include "present/document/human.h"
#include "present/report/report_fields.h"
#include "present/report/report_sections.h"
#include "present/waits/waits_view.h"
#include "present/where/where_parts.h"

/* "Memory_Bound (54.7 % slots)" */
const char *report_node_text(const struct result *node, struct arena *arena)
{
	return arena_printf(arena, "%s (%s %s)", node->metric->title, human_value(arena, node->metric, node->value),
			    human_unit(arena, node->metric));
}

const char *report_line_text(struct arena *arena, const struct where_row *row)
{
	return arena_printf(arena, "%s:%u", module_base_name(row->file), row->line);
}

const char *report_function_name(const struct where_row *row)
{
	return row->function ? row->function : "code without a name";
}

/* ---- the answer ---- */

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
				    it, report_line_text(arena, line), report_function_name(line));
	return arena_printf(arena, ", %s %% of %s in %s", where_percent_text(arena, function->self.percent), it,
			    report_function_name(function));
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
	const struct metric *most = report->worst && is_useful_work(report->worst) ? report->worst->metric : NULL;
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
			    largest ? ", and the largest is " : "", largest ? report_node_text(largest, arena) : "");
}

static const char *few_text(const struct headline *headline, struct arena *arena)
{
	if (!headline->samples)
		return "Nothing shows where the time goes.";
	return arena_printf(arena,
			    "Only %" PRIu64
			    " sample%s, too few to say where the time goes (at least %d are needed): sample more often "
			    "(-F), or for longer.",
			    headline->samples, headline->samples == 1 ? "" : "s", ROUGH_SAMPLES);
}

static const char *samples_text(const struct headline *headline, struct arena *arena)
{
	bool is_time = headline->of && !strcmp(headline->of, "time");
	const char *of = is_time ? "the time" : headline->of;

	if (headline->has_few)
		return few_text(headline, arena);
	if (!headline->function)
		return "Samples show where the time goes, but not why: nothing was counted.";
	if (headline->nfunctions)
		return arena_printf(arena, "%zu functions share %s, and none has more than %s %%.",
				    headline->nfunctions, of,
				    where_percent_text(arena, headline->function->self.percent));
	return arena_printf(arena, "%s %% of %s is in %s%s.",
			    where_percent_text(arena, headline->function->self.percent), of,
			    report_function_name(headline->function),
			    headline->line && headline->line->self.percent >= MOST_OF_IT
				    ? arena_printf(arena, ", most of it at %s", report_line_text(arena, headline->line))
				    : "");
}

static const char *answer_text(const struct headline *headline, const struct report *report, struct arena *arena)
{
	switch (headline->kind) {
	case HEADLINE_LOSS: return loss_text(headline, arena);
	case HEADLINE_USEFUL: return useful_text(headline, report, arena);
	case HEADLINE_EVEN: return even_text(report, arena);
	case HEADLINE_START: return report->start_note;
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

	if (!report && headline.has_few && are_waits_known(set->waits))
		return waits_answer(set->waits, arena);
	if (!report)
		return samples_text(&headline, arena);
	return arena_printf(
		arena, "%s%s%s", headline.has_waited ? "It mostly waited; while it ran: " : "",
		headline.kernel > 0
			? arena_printf(arena, "The kernel had %.0f %% of the CPU time, outside this tree; the rest: ",
				       headline.kernel)
			: "",
		answer_text(&headline, report, arena));
}

/* ---- how sure that is ---- */

static const char *model_text(const struct report *report, struct arena *arena)
{
	const struct anchoring *anchor = report->anchor;

	if (!anchor || !isfinite(anchor->ratio))
		return "Modelled; no native run has checked it.";
	return arena_printf(arena, "Modelled; its cycles are %s times a native run's%s.",
			    human_fixed(arena, anchor->ratio, 2),
			    anchor->is_far	? ": take it as a hint"
			    : anchor->is_shared ? ", which others on the machine made longer"
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

/* ---- both ---- */

static bool is_exact(const struct report_set *set, const struct report *report)
{
	const struct headline headline = headline_of(set, report);

	return headline.nnodes && headline.nodes[0]->quality == QUALITY_EXACT && headline.nodes[0]->spread.n < 2;
}

void report_answer(struct document *doc, const struct report_set *set, const struct report *report, const char *part)
{
	const char *text = report_verdict(set, report, doc->arena), *trust = report_trust(set, report, doc->arena);

	if (doc->style->format == FORMAT_TEXT && report && !report->model->is_simulated && is_exact(set, report))
		trust = ""; /* the tree says it */
	doc_add(doc, (struct block){ .kind = BLOCK_SENTENCE,
				     .text = arena_printf(doc->arena, "%s%s%s%s%s", part ? part : "", part ? ": " : "",
							  text, *trust ? " " : "", trust),
				     .look = "verdict" });
}

/* The answer first: of several parts that of the busiest. A table of parts, an interval and a live screen have none. */
void report_answer_first(struct document *doc, const struct report_set *set)
{
	const struct report *report = set->sampled ? NULL : report_busiest(set->parts, set->count);
	const char *part = NULL;

	if (doc->window || is_interval(set) || set->before || (!set->sampled && !set->count))
		return;
	if (!report && are_waits_known(set->waits) && headline_of(set, NULL).has_few)
		return; /* the wall clock begins with it */
	if (report && (is_selecting(&report->asked) || are_core_models(set)))
		return;
	if (report && set->count > 1)
		part = isnan(report->summary.cycles)
			       ? report->summary.part
			       : arena_printf(doc->arena, "%s, the busiest", report->summary.part);
	report_answer(doc, set, report, part);
	doc_gap(doc);
}
