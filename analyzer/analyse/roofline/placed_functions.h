/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placed_functions.h - for placed.c: the hottest functions below the ceilings, by exact counts or by samples. */
#ifndef TOPDOWN_ANALYSE_ROOFLINE_PLACED_FUNCTIONS_H
#define TOPDOWN_ANALYSE_ROOFLINE_PLACED_FUNCTIONS_H

#include "analyse/roofline/placed_points.h"

/* Most functions of the profile, and how long the whole took. */
struct placed_request {
	const struct profile *profile;
	size_t most;
	double seconds;
};

/* Adds points to the roofline. Simulated counts; false: the profile has none. */
bool placed_functions_exact(struct placing *p, const struct placed_request *request);

/*
 * By what groups have counted between samples of a function; p->roofline->functions becomes what counted it. False: no
 * group was read with samples.
 */
bool placed_functions_sampled(struct placing *p, const struct placed_request *request);

#endif
