/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/compare/compare.h"

#include <math.h>
#include <string.h>

#include "analyse/compare/sides.h"
#include "common/base/text.h"

/* ---- sides ---- */

static double figure_of(const struct summary *summary, enum figure figure, size_t repeat, double alone)
{
	const struct statistics *spread = &summary->spread[figure];

	if (spread->values && spread->count == summary->repeats)
		return spread->values[repeat];
	return summary->repeats == 1 ? alone : NOT_COUNTED;
}

static void take_figures(struct side *side, size_t i)
{
	const struct summary *summary = &side->given->report->summary;

	side->cycles[i] = figure_of(summary, FIGURE_CYCLES, i, summary->cycles);
	side->instructions[i] = figure_of(summary, FIGURE_INSTRUCTIONS, i, summary->instructions);
	if (side->is_simulated) /* its time is the simulator's */
		return;
	side->wall_s[i] = figure_of(summary, FIGURE_WALL, i, summary->wall_s);
	side->cpu_s[i] = side->wall_s[i] * figure_of(summary, FIGURE_CPUS, i, summary->cpus_used);
}

/* Of samples alone, whose runs are timed. */
static void take_times(struct side *side, size_t i)
{
	const struct repeat *repeat = &side->given->measured->parts[0].repeats[i];

	side->cycles[i] = side->instructions[i] = NOT_COUNTED;
	side->wall_s[i] = repeat->nruns ? repeat->runs[0].wall_s : NOT_COUNTED;
	side->cpu_s[i] = repeat->nruns ? repeat->runs[0].cpu_s : NOT_COUNTED;
}

struct side side_init(const struct compare_side *given, struct arena *arena)
{
	const struct report *report = given->report;
	struct side side = { .given = given,
			     .count = report ? report->summary.repeats : given->measured->parts[0].nrepeats,
			     .is_simulated = report && report->model->is_simulated };

	side.wall_s = arena_array(arena, side.count + 1, sizeof(double));
	side.cpu_s = arena_array(arena, side.count + 1, sizeof(double));
	side.cycles = arena_array(arena, side.count + 1, sizeof(double));
	side.instructions = arena_array(arena, side.count + 1, sizeof(double));
	for (size_t i = 0; i < side.count; i++) {
		side.wall_s[i] = side.cpu_s[i] = NOT_COUNTED;
		if (report)
			take_figures(&side, i);
		else
			take_times(&side, i);
	}
	return side;
}

double side_value(const struct side *side, const struct result *result, size_t repeat)
{
	if (result->quality == QUALITY_NONE)
		return NOT_COUNTED;
	if (result->spread.values && result->spread.count == side->count && side->count > 1)
		return result->spread.values[repeat];
	return side->count == 1 ? result->value : NOT_COUNTED;
}

static const struct result *find_result(const struct result *items, size_t count, const struct metric *like)
{
	for (size_t i = 0; i < count; i++)
		if (is_same_name(items[i].metric->name, like->name))
			return &items[i];
	for (size_t i = 0; i < count; i++)
		if (is_same_name(items[i].metric->title, like->title))
			return &items[i];
	return NULL;
}

const struct result *side_result(const struct side *side, const struct metric *like)
{
	const struct report *report = side->given->report;

	if (!report)
		return NULL;
	return like->level ? find_result(report->nodes, report->nnodes, like)
			   : find_result(report->metrics, report->nmetrics, like);
}

/* ---- the whole ---- */

#define MOST_NOTES 32

void compare_note(struct comparing *comparing, const char *sentence)
{
	struct comparison *result = comparing->result;

	if (result->nnotes < MOST_NOTES)
		result->notes[result->nnotes++] = sentence;
}

static bool is_layout_series(const struct side *side)
{
	return side->is_simulated && side->count > 1;
}

static void note_models(struct comparing *comparing)
{
	const struct report *before = comparing->request->before.report, *after = comparing->request->after.report;

	if (!before || !after || is_same_name(before->model->cpu, after->model->cpu))
		return;
	comparing->result->has_other_model = true;
	compare_note(comparing, arena_printf(comparing->arena,
					     "The CPUs differ, %s and %s: only the %zu nodes and the numbers that both "
					     "have are compared, and a node of the same name may count something else.",
					     before->model->cpu, after->model->cpu, comparing->result->nnodes));
}

static void note_kinds(struct comparing *comparing)
{
	const struct side *before = &comparing->before, *after = &comparing->after;

	note_models(comparing);

	if (before->is_simulated != after->is_simulated)
		compare_note(comparing,
			     arena_printf(comparing->arena,
					  "%s was simulated, %s was measured: their cycles are not comparable.",
					  before->is_simulated ? before->given->label : after->given->label,
					  before->is_simulated ? after->given->label : before->given->label));
	if (before->given->measured->count > 1 || after->given->measured->count > 1)
		compare_note(comparing, "Each side has several parts; the first ones are compared.");
}

const struct compared_metric *comparison_metric(const struct comparison *comparison, const char *name)
{
	for (size_t i = 0; i < comparison->nmetrics; i++) {
		const struct compared_metric *metric = &comparison->metrics[i];

		if (is_same_name(metric->name, name) || is_same_name(metric->title, name) ||
		    (has_name_prefix(metric->name, "tma_") && is_same_name(metric->name + 4, name)))
			return metric;
	}
	return NULL;
}

const struct compared_metric *comparison_find(const struct comparison *comparison, const char *name)
{
	const struct compared_metric *found = comparison_metric(comparison, name);
	const struct report *report = comparison->request->after.report;
	size_t number = found || !report ? TABLE_NONE : model_find(report->model, name);

	return number == TABLE_NONE ? found : comparison_metric(comparison, report->model->metrics[number].name);
}

static int check_common(const struct comparing *comparing, struct error *err)
{
	const struct compare_request *request = comparing->request;

	if (comparing->result->nmetrics)
		return 0;
	return error_set(err, "%s and %s have no number in common: %s has %s, %s has %s; measure both the same way",
			 request->before.label, request->after.label, request->before.label,
			 request->before.report ? "counts" : "samples only", request->after.label,
			 request->after.report ? "counts" : "samples only");
}

int compare(struct comparison *comparison, const struct compare_request *request, struct arena *arena,
	    struct error *err)
{
	struct comparing comparing = { .request = request, .result = comparison, .arena = arena };

	comparing.before = side_init(&request->before, arena);
	comparing.after = side_init(&request->after, arena);
	comparing.repeats = (struct resampling){ .nbefore = comparing.before.count,
						 .nafter = comparing.after.count,
						 .is_paired = request->is_paired &&
							      comparing.before.count == comparing.after.count };
	*comparison =
		(struct comparison){ .request = request, .notes = arena_array(arena, MOST_NOTES, sizeof(char *)) };
	comparison->pairs =
		comparing.before.count < comparing.after.count ? comparing.before.count : comparing.after.count;
	comparison->is_layouts = is_layout_series(&comparing.before) && is_layout_series(&comparing.after);
	if (comparing.before.is_simulated && comparing.after.is_simulated && comparing.before.count == 1 &&
	    comparing.after.count == 1) {
		comparison->is_sampled =
			request->before.report->summary.is_sampled || request->after.report->summary.is_sampled;
		comparison->is_exact = !comparison->is_sampled;
	}
	if (request->remark)
		compare_note(&comparing, request->remark);
	metrics_fill(&comparing);
	if (check_common(&comparing, err) < 0)
		return -1;
	verdict_find(&comparing);
	if (!comparison->is_of_parts) {
		terms_fill(&comparing);
		code_fill(&comparing);
		terms_explain(&comparing);
	}
	environment_fill(&comparing);
	note_kinds(&comparing);
	next_find(&comparing);
	return 0;
}
