/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disagreement.c - groups that shared the counters for a short time: too few slices to say how their counts vary, and
 * turns that may have been in step with phases of the program. How far the groups are from each other in what each of
 * them counted says how far any of them may be from the truth.
 */
#include <math.h>

#include "analyse/evaluate/evaluation.h"
#include "common/measurement/statistics.h"

#define MOST_POINTS    100.0 /* a share has no more */
#define POINTS_PER_IPC 100.0 /* all of the slots change with IPC, or fewer of them */

/*
 * Half of the 95 % prediction interval of one more such group (Student's t, for normally distributed values). NAN: one
 * group is not enough to compare.
 */
static double prediction_of(struct statistics spread)
{
	return spread.n > 1 ? student_t95(spread.n - 1) * spread.stddev * sqrt(1 + 1 / (double)spread.n) : NOT_COUNTED;
}

static double level_1_points(const struct evaluation *repeat, double *values)
{
	double most = NOT_COUNTED;

	for (size_t node = 0; node < repeat->model->nnodes; node++) {
		struct program_slice program;

		if (repeat->model->metrics[node].level != 1 || repeat->model->metrics[node].failure)
			continue;
		program = program_slice(repeat->model->program, node, repeat->arena);
		for (size_t g = 0; g < repeat->repeat->ngroups; g++)
			values[g] = repeat->contexts[g].running < 1 ? node_in_group(repeat, g, node, &program)
								    : NOT_COUNTED;
		most = fmax(most, prediction_of(statistics_of(values, repeat->repeat->ngroups)));
	}
	return most;
}

static double ipc_points(const struct evaluation *repeat, double *values)
{
	size_t cycles = repeat->model->roles[ROLE_CYCLES], instructions = repeat->model->roles[ROLE_INSTRUCTIONS];
	struct statistics spread;

	if (cycles == TABLE_NONE || instructions == TABLE_NONE)
		return NOT_COUNTED;
	for (size_t g = 0; g < repeat->repeat->ngroups; g++) {
		const struct context *context = &repeat->contexts[g];

		values[g] = context->running < 1 && context->events[cycles] > 0
				    ? context->events[instructions] / context->events[cycles]
				    : NOT_COUNTED;
	}
	spread = statistics_of(values, repeat->repeat->ngroups);
	return spread.mean > 0 ? prediction_of(spread) / spread.mean * POINTS_PER_IPC : NOT_COUNTED;
}

double groups_ci95(const struct evaluation *repeat)
{
	double *values = arena_array(repeat->arena, repeat->repeat->ngroups + 1, sizeof(*values));
	double points;

	if (repeat->counts->origin.is_flat)
		return NOT_COUNTED;
	points = level_1_points(repeat, values);
	if (isnan(points))
		points = ipc_points(repeat, values);
	return isnan(points) ? points : fmin(points, MOST_POINTS);
}
