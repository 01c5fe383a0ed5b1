/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally.h - one event's readings in many places, summed. Each place is extrapolated by its own share of the time before it is
 * added, for CPUs that were busy with other groups at other times have different shares.
 */
#ifndef TOPDOWN_TALLY_H
#define TOPDOWN_TALLY_H

#include "base/arena.h"
#include "evaluate/counts.h"

struct tally {
	double value;	     /* extrapolated, of the places that were heard */
	uint64_t raw;	     /* as counted */
	uint64_t enabled_ns; /* of all places */
	uint64_t running_ns; /* on a counter, of all places */
	uint64_t unheard_ns; /* enabled_ns of the places in which it never was on a counter */
	const char *refused; /* why the kernel refused it in the first place that did; NULL: in none */
};

/* What a place has read, in enabled_ns of time in which it could have counted (count->enabled_ns may be longer). */
void tally_add(struct tally *tally, const struct count *read, uint64_t enabled_ns);

/* Sets item's value, times, state and reason. */
void tally_finish(struct count *item, const struct tally *tally, struct arena *arena);

/* What was read since before; the state is now's. */
struct count count_since(const struct count *now, const struct count *before);

#endif
