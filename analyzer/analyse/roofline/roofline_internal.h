/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roofline_internal.h - the steps of a roofline's points, for the files that make them. */
#ifndef TOPDOWN_ANALYSE_ROOFLINE_ROOFLINE_INTERNAL_H
#define TOPDOWN_ANALYSE_ROOFLINE_ROOFLINE_INTERNAL_H

#include "analyse/roofline/roofline.h"

/* ---- roofline_points.c ---- */

/* Shared by roofline.c and roofline_functions.c: from counts to the numbers of a point. */

/* While the points of one part are made. */
struct placing {
	struct roofline *roofline;
	const struct report *report;
	const struct counts *counts;
	const struct roofline_sets *sets;
	const struct roofline_sources *sources; /* of the points that are made */
	const size_t **items; /* of each set of sets: its events' numbers among the counts; NULL: one was not counted */
	size_t nitems;
	struct arena *arena;
};

/* Of all repeats; NAN where one lacks it. */
double placing_mean(const struct counts *counts, size_t item);

/* The first item with a value; TABLE_NONE: there is none. */
size_t placing_find(const struct placing *p, const char *name);

/* Fills items, and the roofline's sources: of each quantity the first set that was counted whole. */
void placing_choose(struct placing *p);

/* Fills the point's operations and bytes, by p->sources; values: of each item of the counts. */
void placing_take(struct roofline_point *point, const struct placing *p, const double *values);

/* What follows from operations, bytes and the point's seconds: rates, ceilings, the verdict. */
void placing_judge(struct roofline_point *point, const struct placing *p);

/* ---- roofline_functions.c ---- */

/* For roofline.c: the hottest functions below the ceilings, by exact counts or by samples. */

/* Most functions of the profile, and how long the whole took. */
struct roofline_request {
	const struct profile *profile;
	size_t most;
	double seconds;
};

/* Adds points to the roofline. Simulated counts; false: the profile has none. */
bool roofline_functions_exact(struct placing *p, const struct roofline_request *request);

/*
 * By what groups have counted between samples of a function; p->roofline->functions becomes what counted it. False: no
 * group was read with samples.
 */
bool roofline_functions_sampled(struct placing *p, const struct roofline_request *request);

/* ---- roofline_verdict.c ---- */

/* The ceilings of a roofline above a point, and what they say of it. */

/* Fills all that follows from the point's operations, bytes and time. */
void roofline_judge(struct roofline_point *point, const struct roofline *roofline, struct arena *arena);

#endif
