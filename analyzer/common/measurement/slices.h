/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slices.h - groups that share the counters see different parts of the time. What each counted in slices of it says how
 * far that leaves its counts from those of all of the time, and the IPC of all groups together corrects most of it.
 */
#ifndef TOPDOWN_COMMON_MEASUREMENT_SLICES_H
#define TOPDOWN_COMMON_MEASUREMENT_SLICES_H

#include <stddef.h>

#define LEAST_SLICES 6	/* fewer say nothing of how counts vary */
#define REPLICATES   16 /* a power of two */

/* Which weights the slices have. */
enum {
	SLICES_EQUAL = -1,	 /* 1 */
	SLICES_AS_THEY_ARE = -2, /* 1, and no correction */
				 /* 0 ... REPLICATES - 1: a replicate's */
};

/* The slices of a group. */
struct group_slices {
	const double *cycles, *instructions; /* instructions NULL: not counted in it */
	size_t count;
	double ipc;    /* of all of the time, as all groups together saw it; NAN: unknown */
	size_t number; /* of the group: the replicates of two groups vary independently */
};

/*
 * Counts of an event in each slice: the number of them that comes to a cycle in all of the time. IPC while the group
 * was on a counter differs from that of all of the time, and how the event's counts go with IPC says what that makes of
 * them: the regression estimator of survey sampling (Cochran, Sampling Techniques, chapter 7). Replicates are
 * weighted as successive differences, so that slow phases, of which every group has its share, don't count as noise
 * (Fay and Train, Aspects of Survey and Model-Based Postcensal Estimation, 1995).
 */
double slices_rate(const struct group_slices *group, const double *counts, int weights);

/*
 * Half of the 95 % interval of a number that is a function of such rates: from what it comes to in each replicate, with
 * equal weights, and as they are. running: the share of the time that the slices are of. Half of the correction is
 * added, because what IPC does not show stays uncorrected. NAN when one of the numbers is.
 */
double slices_ci95(const double replicates[REPLICATES], double equal, double as_they_are, double running, size_t count);

#endif
