/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/measurement/slices.h"

#include <math.h>
#include <stdbool.h>

#include "common/base/macros.h"
#include "common/measurement/statistics.h"

#define STEP	    0.35355339059327376 /* 2^-3/2: of successive difference replication, with the factor 4 below */
#define NO_VARIANCE 1e-6		/* IPC that varies less is the same; more would be divided by rounding */
#define UNCORRECTED 0.5			/* of the correction, that may be left or too much */
#define ROW_SHIFT   5			/* a second round through the rows pairs them with others */
#define GROUP_SHIFT 3

/* Of a Hadamard matrix of REPLICATES rows (Sylvester's). */
static int hadamard(size_t row, size_t column)
{
	size_t both = row & column & (REPLICATES - 1);
	int sign = 1;

	for (; both; both &= both - 1)
		sign = -sign;
	return sign;
}

static int sign_of(size_t slice, size_t group, size_t replicate)
{
	return hadamard(slice + slice / REPLICATES * ROW_SHIFT + group * GROUP_SHIFT, replicate);
}

static double weight(size_t slice, size_t group, int weights)
{
	if (weights < 0)
		return 1;
	return 1 + STEP * (sign_of(slice, group, (size_t)weights) - sign_of(slice + 1, group, (size_t)weights));
}

/* Weighted sums over the slices, around the means of the group. */
struct moments {
	double rate, ipc;		   /* the means */
	double common, ipc_squares, scale; /* of both deviations; of IPC's; of cycles squared */
};

static struct moments moments_of(const struct group_slices *group, const double *counts, int weights)
{
	struct moments m = { .common = 0 };
	double cycles = 0, events = 0, instructions = 0;

	for (size_t i = 0; i < group->count; i++) {
		double w = weight(i, group->number, weights);

		cycles += w * group->cycles[i];
		events += w * counts[i];
		instructions += group->instructions ? w * group->instructions[i] : 0;
	}
	m.rate = events / cycles;
	m.ipc = instructions / cycles;
	for (size_t i = 0; group->instructions && i < group->count; i++) {
		double w = weight(i, group->number, weights), ran = group->cycles[i];
		double event_away = counts[i] - m.rate * ran, ipc_away = group->instructions[i] - m.ipc * ran;

		m.common += w * event_away * ipc_away;
		m.ipc_squares += w * ipc_away * ipc_away;
		m.scale += w * ran * ran;
	}
	return m;
}

double slices_rate(const struct group_slices *group, const double *counts, int weights)
{
	struct moments m = moments_of(group, counts, weights);

	if (weights == SLICES_AS_THEY_ARE || !group->instructions || isnan(group->ipc) || !(m.ipc > 0))
		return m.rate;
	return m.rate + m.common / (m.ipc_squares + NO_VARIANCE * m.ipc * m.ipc * m.scale) * (group->ipc - m.ipc);
}

double slices_ci95(const double replicates[REPLICATES], double equal, double as_they_are, double running, size_t count)
{
	double squares = 0;
	size_t degrees = count - 2 < REPLICATES - 2 ? count - 2 : REPLICATES - 2;

	if (count < LEAST_SLICES)
		return NOT_COUNTED;
	for (size_t i = 0; i < REPLICATES; i++)
		squares += (replicates[i] - equal) * (replicates[i] - equal);
	return student_t95(degrees) * sqrt(4.0 / REPLICATES * squares * fmax(1 - running, 0)) +
	       UNCORRECTED * fabs(equal - as_they_are);
}
