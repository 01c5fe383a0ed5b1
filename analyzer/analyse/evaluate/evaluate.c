/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/evaluate/evaluate.h"

#include <math.h>
#include <string.h>

#include "analyse/evaluate/evaluation.h"

const char *quality_name(enum quality quality)
{
	static const char *const names[] = {
		[QUALITY_EXACT] = "exact",     [QUALITY_SCALED] = "scaled",	  [QUALITY_RUNS] = "runs",
		[QUALITY_CLAMPED] = "clamped", [QUALITY_ESTIMATED] = "estimated", [QUALITY_SIMULATED] = "simulated",
		[QUALITY_PRINTED] = "printed", [QUALITY_NONE] = "none",
	};

	return names[quality];
}

/*
 * Metrics that are no nodes: those that were asked for; else from level 2 on those that explain a node, and
 * whatever else the counts happen to allow. Flat counts come without a plan, so there every metric of
 * the vendor's is reported, with what it lacks.
 */
static bool is_reported(const struct evaluation *e, const struct result *result)
{
	if (e->is_selected)
		return e->shown[result - e->results];
	if (result->quality != QUALITY_NONE || (e->counts->origin.is_flat && !result->metric->is_ours))
		return true;
	return e->report->level > 1 && result->metric->is_explaining;
}

/* Reasons are texts, and made only for what the report shows. */
static void take_result(const struct evaluation *e, struct result *row, const struct result *result)
{
	*row = *result;
	row->is_named = e->is_selected && e->selection.is_named[result - e->results];
	if (row->quality == QUALITY_NONE)
		result_explain(e, row);
	else
		without_explain(e, row);
}

/* The report's rows: nodes, then the other metrics. */
static void take_results(struct evaluation *e)
{
	struct report *report = e->report;
	const struct model *model = e->model;
	const struct result *worst = report->worst;

	report->nodes = arena_array(e->arena, model->nnodes + 1, sizeof(*report->nodes));
	report->metrics = arena_array(e->arena, model->count + per_call_most(e) + 1, sizeof(*report->metrics));
	for (size_t i = 0; i < model->nnodes; i++) {
		if (!e->shown[i])
			continue;
		take_result(e, &report->nodes[report->nnodes], &e->results[i]);
		if (worst == &e->results[i])
			report->worst = &report->nodes[report->nnodes];
		report->nnodes++;
	}
	for (size_t i = model->nnodes; i < model->count; i++)
		if (is_reported(e, &e->results[i]))
			take_result(e, &report->metrics[report->nmetrics++], &e->results[i]);
}

size_t asked_group(const struct evaluation *e, size_t event)
{
	for (size_t g = 0; g < e->repeat->ngroups; g++)
		if (!isnan(e->contexts[g].events[event]))
			return g;
	return TABLE_NONE;
}

double asked_value(const struct evaluation *e, size_t event)
{
	size_t group = asked_group(e, event);

	return group == TABLE_NONE ? NOT_COUNTED : e->contexts[group].events[event];
}

static double event_running(const struct evaluation *e, size_t event)
{
	size_t group = asked_group(e, event);

	return group == TABLE_NONE ? NOT_COUNTED : e->contexts[group].running_shares[event];
}

/* An event that the user asked for, as it was counted: a metric whose formula is that event. */
static struct result event_result(const struct evaluation *e, size_t asked)
{
	size_t event = e->model->asked[asked];
	struct metric *metric = arena_alloc(e->arena, sizeof(*metric));
	struct result result = { .metric = metric,
				 .value = NOT_COUNTED,
				 .raw = NOT_COUNTED,
				 .running = NOT_COUNTED,
				 .quality = QUALITY_NONE };

	*metric = (struct metric){
		.scale = 1, .unit = "", .groups = "", .domain = "", .next_groups = "", .parent = NO_PARENT
	};
	metric->name = metric->title = metric->path = e->model->events.events[event].name;
	result.spread = repeats_statistics(e, asked_value, event);
	if (e->asked_ci95)
		slices_widen(&result.spread, e->asked_ci95[asked]);
	result.value = result.raw = result.spread.mean;
	for (size_t i = 0; i < e->nrepeats; i++)
		result.running = fmin(result.running, event_running(&e->repeats[i], event));
	if (isnan(result.value))
		result.reason = event_missing_text(e, event);
	else if (e->model->events.events[event].kind == EVENT_SOFTWARE)
		result.quality = QUALITY_EXACT;
	else if (e->model->is_simulated)
		result.quality = QUALITY_SIMULATED;
	else
		result.quality = result.running < 1 ? QUALITY_SCALED : QUALITY_EXACT;
	return result;
}

static void take_events(struct evaluation *e)
{
	struct report *report = e->report;

	report->events = arena_array(e->arena, e->model->nasked + 1, sizeof(*report->events));
	for (size_t i = 0; i < e->model->nasked; i++)
		report->events[report->nevents++] = event_result(e, i);
}

/*
 * Down to the level that was asked for. A tree of one level (Arm) keeps a deeper wish, which there stands for the
 * metrics that explain its nodes.
 */
static unsigned report_level(const struct model *model, const struct counts *counts)
{
	unsigned level = counts->question.level ? counts->question.level : model->levels;

	return level > model->levels && model->levels > 1 ? model->levels : level;
}

/* Which nodes the report is about. */
static int choose_nodes(struct evaluation *e, struct error *err)
{
	struct report *report = e->report;
	const struct counts *counts = e->counts;

	report->asked =
		(struct select_request){ counts->question.nodes, counts->question.groups, counts->question.metrics,
					 counts->question.level, counts->question.wants_causes };
	report->level = report_level(e->model, counts);
	e->is_selected = is_selecting(&report->asked);
	e->shown = arena_array(e->arena, e->model->count, sizeof(*e->shown));
	if (e->is_selected && select_metrics(&e->selection, e->model, &report->asked, e->arena, err) < 0)
		return -1;
	if (e->is_selected)
		report->level = e->selection.level;
	report->has_listed_metrics = e->selection.has_listed_metrics;
	for (size_t i = 0; i < e->model->count; i++)
		e->shown[i] = e->is_selected ? e->selection.has[i]
					     : i < e->model->nnodes && e->model->metrics[i].level <= report->level;
	return 0;
}

int evaluate(struct report *report, const struct model *model, const struct counts *counts, struct arena *arena,
	     struct error *err)
{
	struct evaluation e = { .report = report,
				.model = model,
				.counts = counts,
				.repeat = counts->repeats,
				.arena = arena,
				.weights = SLICES_EQUAL };

	if (counts->origin.cpu && !is_same_name(counts->origin.cpu, model->cpu))
		return error_set(err, "these counts are of a %s, not of a %s", counts->origin.cpu, model->cpu);
	*report = (struct report){ .model = model };
	if (choose_nodes(&e, err) < 0)
		return -1;
	contexts_fill(&e);
	results_fill(&e);
	repeats_fill(&e);
	slices_judge(&e);
	smt_judge(&e);
	sibling_judge(&e);
	results_judge(&e);
	summary_fill(&e);
	software_results(&report->software, counts, arena);
	sampling_fill(&e);
	anchor_fill(&e);
	fixes_fill(&e);
	executions_fill(&e);
	notes_fill(&e);
	software_notes(&e);
	hints_fill(&e);
	assess_fill(&e);
	take_results(&e);
	take_events(&e);
	causes_fill(&e);
	notes_of_causes(&e);
	per_call_fill(&e);
	if (counts->question.wants_worst_only)
		keep_worst_path(&e);
	return 0;
}
