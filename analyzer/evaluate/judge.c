/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge.c - thresholds, bottlenecks and the worst path. */
#include <math.h>

#include "evaluate/internal.h"

static void apply_thresholds(struct evaluation *e)
{
	const struct model *model = e->model;
	double *values = arena_array(e->arena, program_size(model->thresholds) + 1, sizeof(*values));

	program_eval(model->thresholds, e->unscaled, values);
	for (size_t i = 0; i < model->count; i++) {
		struct result *result = &e->results[i];
		double verdict = result->has_threshold ? program_value(model->thresholds, values, i) : NAN;

		result->over_threshold = !isnan(result->value) && !isnan(verdict) && verdict != 0;
	}
}

/* Parents stand before their children, so their verdict is known. */
static void find_bottlenecks(struct evaluation *e)
{
	for (size_t i = 0; i < e->model->nnodes; i++) {
		size_t parent = e->model->metrics[i].parent;

		e->results[i].is_bottleneck =
			e->results[i].over_threshold && (parent == NO_PARENT || e->results[parent].is_bottleneck);
	}
}

/* Retired slots are useful work: they are the worst only where nothing is lost. */
static bool is_useful(const struct metric *metric)
{
	return metric->level == 1 && is_same_name(metric->title, "Retiring");
}

static bool is_worse(const struct result *a, const struct result *b)
{
	if (!b)
		return true;
	if (is_useful(a->metric) != is_useful(b->metric))
		return is_useful(b->metric);
	return a->value > b->value;
}

static struct result *worst_child(struct evaluation *e, size_t parent)
{
	struct result *worst = NULL;

	for (size_t i = 0; i < e->model->nnodes; i++) {
		struct result *result = &e->results[i];

		if (result->metric->parent == parent && result->metric->level <= e->report->level &&
		    result->is_bottleneck && is_worse(result, worst))
			worst = result;
	}
	return worst;
}

static void mark_worst_path(struct evaluation *e)
{
	struct result *worst = worst_child(e, NO_PARENT);

	while (worst) {
		worst->is_on_worst_path = true;
		e->report->worst = worst;
		worst = worst_child(e, (size_t)(worst - e->results));
	}
}

void results_judge(struct evaluation *e)
{
	apply_thresholds(e);
	find_bottlenecks(e);
	mark_worst_path(e);
}
