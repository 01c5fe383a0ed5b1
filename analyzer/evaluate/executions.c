/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * executions.c - did all runs of the program do the same? Values of several runs are brought together as if they had, so who
 * reads them must know which run did not, and what was counted in it.
 */
#include <math.h>
#include <stdlib.h>

#include "evaluate/internal.h"

/* Instructions of the run; NAN: they were not counted in it. */
static double run_instructions(const struct evaluation *e, size_t run)
{
	size_t event = e->model->roles[ROLE_INSTRUCTIONS];

	for (size_t g = 0; event != TABLE_NONE && g < e->counts->ngroups; g++)
		if (context_run(e, g) == run && !isnan(e->contexts[g].events[event]))
			return e->contexts[g].events[event];
	return NAN;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median, of two the lower one: so that one run out of many, the first one too, is told apart from the others. */
static double typical_instructions(const struct evaluation *e)
{
	double *known = arena_array(e->arena, e->report->nruns + 1, sizeof(*known));
	size_t count = 0;

	for (size_t i = 0; i < e->report->nruns; i++)
		if (e->report->runs[i].instructions > 0)
			known[count++] = e->report->runs[i].instructions;
	if (!count)
		return NAN;
	qsort(known, count, sizeof(*known), by_size);
	return known[(count - 1) / 2];
}

static bool uses_run(const struct evaluation *e, size_t result, size_t run)
{
	const struct metric *metric = e->results[result].metric;
	const struct context *context;

	if (e->chosen[result] == TABLE_NONE)
		return false;
	context = &e->contexts[e->chosen[result]];
	for (size_t i = 0; i < metric->nevents; i++) {
		size_t group = context->groups[metric->events[i]];

		if (group != TABLE_NONE && context_run(e, group) == run)
			return true;
	}
	return false;
}

/* e has the results and is not one of its repeats: the report's nodes are those of e. */
static void find_affected(const struct evaluation *e, struct execution *execution)
{
	const struct evaluation *repeat = &e->repeats[execution->repeat];

	execution->affected = arena_array(e->arena, e->model->count, sizeof(*execution->affected));
	for (size_t i = 0; i < e->model->count; i++)
		if (e->shown[i] && uses_run(repeat, i, execution->run))
			execution->affected[execution->naffected++] = i;
}

static void add_runs(struct report *report, const struct evaluation *repeat, size_t number)
{
	for (size_t i = 0; i < repeat->counts->nruns; i++) {
		const struct count_run *run = &repeat->counts->runs[i];

		report->runs[report->nruns++] = (struct execution){ .repeat = number,
								    .run = i,
								    .wall_s = run->wall_s,
								    .cpu_s = run->cpu_s,
								    .status = run->status,
								    .instructions = run_instructions(repeat, i) };
	}
}

void executions_fill(struct evaluation *e)
{
	struct report *report = e->report;
	size_t runs = 0;
	double typical;

	if (e->counts->is_flat)
		return;
	for (size_t i = 0; i < e->nrepeats; i++)
		runs += e->repeats[i].counts->nruns;
	report->runs = arena_array(e->arena, runs + 1, sizeof(*report->runs));
	for (size_t i = 0; i < e->nrepeats; i++)
		add_runs(report, &e->repeats[i], i);
	typical = typical_instructions(e);
	for (size_t i = 0; i < report->nruns; i++) {
		struct execution *run = &report->runs[i];

		run->more = run->instructions / typical - 1;
		run->is_unlike = fabs(run->more) > SPREAD_LIMIT || run->status != report->runs[0].status;
		if (run->is_unlike)
			find_affected(e, run);
	}
}
