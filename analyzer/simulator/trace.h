/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.h - the blocks that were executed, until the model looks at them: an entry each, the block, then the
 * addresses of its accesses, and the stack pointer where calls are followed. A block enters the trace when it begins,
 * so the last entry's addresses are still being collected, and where it goes on is not known.
 */
#ifndef TOPDOWN_SIMULATOR_TRACE_H
#define TOPDOWN_SIMULATOR_TRACE_H

#include "simulator/core.h"

#define TRACE_WORDS	 1024 /* about so many are collected: what the model reads then is still in the host's L1 */
#define ENTRY_WORDS	 (2 + MOST_ACCESSES) /* of the longest entry */
#define ACCESSES_AT_ONCE 4		     /* that are read, whether they are there or not */

struct trace {
	uint64_t *end; /* behind the last entry */
	/*
	 * Behind the entries there are zeros: an access that is not made leaves no address. Some words more, so that
	 * those behind the last can be read.
	 */
	uint64_t words[TRACE_WORDS + ENTRY_WORDS + ACCESSES_AT_ONCE];
};

/* The first word of an entry. */
static inline uint64_t trace_word(const struct block *block)
{
	return (uint64_t)(uintptr_t)block;
}

static inline struct block *trace_block(const uint64_t *entry)
{
	return (struct block *)(uintptr_t)*entry;
}

static inline uint32_t trace_accesses(const uint64_t *entry)
{
	return trace_block(entry)->naccesses;
}

static inline const uint64_t *trace_next(const uint64_t *entry)
{
	return entry + 1 + trace_accesses(entry) + trace_block(entry)->is_followed;
}

/* The stack pointer behind the branch of a block that is followed; 0: the block was left before. */
static inline uint64_t trace_pointer(const uint64_t *entry)
{
	return entry[1 + trace_accesses(entry)];
}

/* ---- between two windows of a sample ---- */

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
	bool is_outside;	     /* what is to be counted: executions are not, and it begins at a marked block */
	uint32_t depth;		     /* frames of calls: with fewer of them it is over, and the blocks stop here */
	struct contexts *contexts;   /* where calls are followed; else NULL */
	struct shadow_stack *stack;
};

/* Stops earlier before a round of a repeated string instruction, too: that is left to the caller. */
void warm_follow(struct warm *warm, struct core *core, struct warm_run *run);

#endif
