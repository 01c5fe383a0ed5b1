/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_mixes.c - runs of a program that execute as many instructions need not do the same work. Where level 1 was
 * counted in several runs, it shows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/evaluate/evaluation.h"

#define MIX_LIMIT 3.0 /* points that a node of level 1 may be away from the typical run's */

/* The nodes of level 1, and what each is in each run of the report. */
struct mixes {
	size_t *nodes; /* of model->metrics */
	size_t nnodes;
	double *values; /* [report->nruns][nnodes], percent; NAN: not counted there */
	struct program_slice *programs;
};

static void find_nodes(struct mixes *mixes, const struct evaluation *e)
{
	mixes->nodes = arena_array(e->arena, e->model->nnodes + 1, sizeof(*mixes->nodes));
	mixes->programs = arena_array(e->arena, e->model->nnodes + 1, sizeof(*mixes->programs));
	for (size_t i = 0; i < e->model->nnodes; i++) {
		if (e->model->metrics[i].level != 1 || e->model->metrics[i].failure)
			continue;
		mixes->programs[mixes->nnodes] = program_slice(e->model->program, i, e->arena);
		mixes->nodes[mixes->nnodes++] = i;
	}
	mixes->values = arena_array(e->arena, e->report->nruns * mixes->nnodes + 1, sizeof(*mixes->values));
}

/* Without the corrections, which some groups have and others have not: what is compared must be the same in all. */
double node_in_group(const struct evaluation *e, size_t group, size_t node, const struct program_slice *program)
{
	const struct metric *metric = &e->model->metrics[node];
	const struct context *context = &e->contexts[group];
	double *events;

	if (!context_has_all(context, metric, true))
		return NOT_COUNTED;
	events = arena_array(e->arena, e->model->events.count + 1, sizeof(*events));
	memcpy(events, context->events, e->model->events.count * sizeof(*events));
	for (size_t i = 0; i < metric->ncorrections; i++)
		events[metric->corrections[i]] = 0;
	return metric->scale * program_slice_eval(program, events);
}

static void fill_run(struct mixes *mixes, const struct evaluation *e, size_t number)
{
	const struct execution *run = &e->report->runs[number];
	const struct evaluation *repeat = &e->repeats[run->repeat];

	for (size_t node = 0; node < mixes->nnodes; node++) {
		double *value = &mixes->values[number * mixes->nnodes + node];

		*value = NOT_COUNTED;
		for (size_t g = 0; g < repeat->repeat->ngroups && isnan(*value); g++)
			if (context_run(repeat, g) == run->run)
				*value = node_in_group(repeat, g, mixes->nodes[node], &mixes->programs[node]);
	}
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The node in the whole runs in which it was counted, in memory of the arena. */
static double *known_values(const struct mixes *mixes, const struct evaluation *e, size_t node, size_t *count)
{
	double *known = arena_array(e->arena, e->report->nruns + 1, sizeof(*known));

	*count = 0;
	for (size_t i = 0; i < e->report->nruns; i++)
		if (!isnan(mixes->values[i * mixes->nnodes + node]) && e->report->runs[i].is_whole)
			known[(*count)++] = mixes->values[i * mixes->nnodes + node];
	return known;
}

/* By the median, so that one run out of many stands out from the others. */
static void compare_node(const struct mixes *mixes, const struct evaluation *e, size_t node)
{
	size_t count;
	double *known = known_values(mixes, e, node, &count), typical;

	if (!count)
		return;
	qsort(known, count, sizeof(*known), by_size);
	typical = known[(count - 1) / 2];
	for (size_t i = 0; i < e->report->nruns; i++) {
		struct execution *run = &e->report->runs[i];
		double value = mixes->values[i * mixes->nnodes + node];

		if (isnan(value) || (run->mix && fabs(value - typical) <= fabs(run->mix_value - run->mix_typical)))
			continue;
		run->mix = &e->model->metrics[mixes->nodes[node]];
		run->mix_value = value;
		run->mix_typical = typical;
	}
}

bool is_other_mix(const struct execution *run)
{
	return run->mix && fabs(run->mix_value - run->mix_typical) > MIX_LIMIT;
}

/* The node of level 1 that the metric is below, as a number of mixes->nodes; TABLE_NONE: it is no node. */
static size_t find_ancestor(const struct mixes *mixes, const struct evaluation *e, size_t metric)
{
	while (metric < e->model->nnodes && e->model->metrics[metric].parent != NO_PARENT)
		metric = e->model->metrics[metric].parent;
	for (size_t i = 0; i < mixes->nnodes; i++)
		if (mixes->nodes[i] == metric)
			return i;
	return TABLE_NONE;
}

/*
 * The value is of one of the runs, or of some. Its ancestor of level 1 varies between them, and what is a part of that
 * varies with it, in proportion.
 */
static void set_ci95(const struct mixes *mixes, const struct evaluation *e, size_t metric)
{
	struct result *result = &e->results[metric];
	size_t count, ancestor = find_ancestor(mixes, e, metric);
	struct statistics spread;
	double ci95, *known;

	if (ancestor == TABLE_NONE || isnan(result->value))
		return;
	known = known_values(mixes, e, ancestor, &count);
	spread = statistics_of(known, count);
	if (spread.n < 2 || !(spread.mean > 0))
		return;
	ci95 = student_t95(spread.n - 1) * spread.stddev * fmin(fabs(result->value) / spread.mean, 1);
	slices_widen(&result->spread, ci95);
}

void mixes_fill(struct evaluation *e)
{
	struct mixes mixes = { .nnodes = 0 };
	bool is_other = false;

	if (e->repeat->nruns < 2 || e->counts->origin.is_flat)
		return;
	find_nodes(&mixes, e);
	for (size_t i = 0; i < e->report->nruns; i++)
		fill_run(&mixes, e, i);
	for (size_t node = 0; node < mixes.nnodes; node++)
		compare_node(&mixes, e, node);
	for (size_t i = 0; i < e->report->nruns; i++)
		is_other = is_other || is_other_mix(&e->report->runs[i]);
	for (size_t i = 0; is_other && i < e->model->nnodes; i++)
		set_ci95(&mixes, e, i);
	e->report->summary.has_intervals = e->report->summary.has_intervals || is_other;
}
