/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally.h - the readings of one event at many sites, summed. Each is extrapolated by its own share of the time before
 * it is added, because CPUs that counted other groups at other times have different shares.
 */
#ifndef TOPDOWN_COMMON_MEASUREMENT_TALLY_H
#define TOPDOWN_COMMON_MEASUREMENT_TALLY_H

#include "common/base/arena.h"
#include "common/measurement/counts.h"

struct tally {
	double value;		/* extrapolated, of the sites where it ran */
	uint64_t raw;		/* as counted */
	uint64_t enabled_ns;	/* of all sites */
	uint64_t running_ns;	/* on a counter, of all sites */
	uint64_t never_ran_ns;	/* enabled_ns of the sites in which it never was on a counter */
	uint64_t impossible;	/* raw, of the first site with more than a counter can count; 0: none */
	uint64_t impossible_ns; /* and its running_ns */
	const char *refused;	/* why the kernel refused it, at the first site where it did; NULL: at none */
};

/* Adds what a site has read, in enabled_ns of time in which it could have counted (count->enabled_ns may be longer). */
void tally_add(struct tally *tally, const struct count *read, uint64_t enabled_ns);

/* Adds what was read at other sites, or at one. */
void tally_merge(struct tally *tally, const struct tally *other);

/* Sets item's value, times, state and reason. */
void tally_finish(struct count *item, const struct tally *tally, struct arena *arena);

/* What was read since before; the state is now's. */
struct count count_since(const struct count *now, const struct count *before);

#endif
