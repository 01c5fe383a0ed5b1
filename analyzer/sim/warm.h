/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * warm.h - the blocks between two windows of a sample: caches and TLBs follow them as if each were given to core_warm, in a fraction of the
 * time. What nearly always hits is looked up without a branch that depends on the program's data, and only what misses is called for.
 */
#ifndef TOPDOWN_SIM_WARM_H
#define TOPDOWN_SIM_WARM_H

#include "sim/trace.h"

#define WARM_ADDRESSES (TRACE_WORDS + ENTRY_WORDS + ACCESSES_AT_ONCE)

/* Accesses that are still to be looked up: of consecutive blocks, without gaps. */
struct warm {
	uint32_t count, stores;
	bool is_store[WARM_ADDRESSES];
	uint64_t addresses[WARM_ADDRESSES]; /* 0: was not made */
};

/* What to follow, and how far it came. */
struct warm_run {
	const uint64_t *entry, *end; /* the next entry, and the end of the trace, whose last entry is not followed */
	uint64_t left;		     /* instructions; stops before a block that would leave none */
	uint64_t untrained;	     /* branches that the predictor did not see */
	bool is_trained;	     /* it sees them */
};

/* Stops earlier before a round of a repeated string instruction, too: that is left to the caller. */
void warm_follow(struct warm *warm, struct core *core, struct warm_run *run);

#endif
