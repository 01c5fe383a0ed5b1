/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function_deltas.h - what groups that were read with samples have counted in each of the hottest functions: between
 * two samples that both lie in it. What was counted between samples of different functions belongs to none, and is
 * mixed.
 */
#ifndef TOPDOWN_ANALYSE_HOTSPOTS_FUNCTION_DELTAS_H
#define TOPDOWN_ANALYSE_HOTSPOTS_FUNCTION_DELTAS_H

#include "common/measurement/profile.h"
#include "cpu/event/event.h"

#define ALL_BATCHES PROFILE_BATCHES /* none is left out */

struct delta_group; /* of the profile, and where its events stand in the set */

/* What belongs to a function, to a loop of it, or to none. */
struct function_delta {
	const char *function; /* NULL: code without a name */
	const char *module;   /* its path */
	uint32_t place;	      /* the first one of the function; PROFILE_NONE: mixed */
	uint32_t loop;	      /* of the function, by its number in the profile; 0: all of the function */
	bool is_mixed;	      /* of no function */
	uint64_t pairs;	      /* of samples */
	double cycles;
	double *values; /* [PROFILE_BATCHES * nvalues] */
	uint64_t *read; /* [groups of the profile]: pairs of each */
	bool has[PROFILE_BATCHES];
};

struct function_deltas {
	const struct profile *profile;
	const struct event_set *events;
	struct delta_group *groups;
	size_t nvalues;		      /* of all groups */
	struct function_delta *items; /* the most cycles first; the mixed one stands at the end */
	size_t count;
	uint64_t pairs; /* of all functions */
	double cycles;
	double run_cycles; /* of the group that was read first: those of one run */
};

struct delta_request {
	const struct profile *profile;
	const struct event_set *events; /* whose numbers the sums have */
	const char *pmu;		/* the core type whose groups count; NULL: there is one type only */
	size_t most;			/* functions */
};

/* Lives in arena, and borrows the request's. False: nothing was read with samples. */
bool function_deltas_fill(struct function_deltas *deltas, const struct delta_request *request, struct arena *arena);

/*
 * The loops of a function, the most cycles first, at most `most`: each has what was counted between two samples in it,
 * which is a part of what the function has. Lives in arena.
 */
struct function_delta *function_deltas_loops(size_t *count, const struct function_deltas *deltas,
					     const struct function_delta *function, size_t most, struct arena *arena);

/* Sums of a function, as if each group had been read for as many cycles of it as the first one. */
struct delta_sums {
	double *events; /* [events of the set]; NAN: no group has counted it there */
	double cycles;	/* of the first group */
};

/* left_out: this batch is no part of them; ALL_BATCHES: all are. sums->events is the caller's. */
void function_deltas_sum(struct delta_sums *sums, const struct function_deltas *deltas,
			 const struct function_delta *function, size_t left_out);

/* Pairs of samples that the sum of an event, by its number in the set, stands on. */
uint64_t function_deltas_samples(const struct function_deltas *deltas, const struct function_delta *function,
				 size_t event);

/* Was it read with samples, whatever it counted? */
bool function_deltas_has(const struct function_deltas *deltas, size_t event);

/* Values that follow from the sums. */
struct delta_formula {
	size_t count;
	void (*compute)(const void *context, double *values, const struct delta_sums *sums);
	const void *context;
};

/* [count of the formula] each; low and high are the 95 % interval, NAN: unknown. */
struct delta_estimates {
	double *values, *low, *high;
};

/* Lives in arena. */
struct delta_estimates function_deltas_estimate(const struct delta_formula *formula,
						const struct function_deltas *deltas,
						const struct function_delta *function, struct arena *arena);

#endif
