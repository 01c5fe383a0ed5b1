/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.h - the blocks that were executed, until the model looks at them: an entry each, the block, then the
 * addresses of its accesses, and the stack pointer where calls are followed. A block enters the trace when it begins,
 * so the last entry's addresses are still being collected, and where it goes on is not known.
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_TRACE_H
#define TOPDOWN_SIMULATOR_MODEL_TRACE_H

#include "simulator/model/core.h"

#define TRACE_WORDS	 6144 /* about so many are collected: 48 KiB, which are in the host's L2 when the model reads */
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

/*
 * The first word of an entry: the block, which begins a line of the host's cache, and in the bits below the line the
 * entry's words, or 0 if they are too many. So the next entry is found without the block, and the host can bring the
 * blocks of several entries at once.
 */
#define TRACE_MOST_WORDS (HOST_LINE - 1)

static inline uint64_t trace_word(const struct block *block, uint32_t words)
{
	return (uint64_t)(uintptr_t)block | (words <= TRACE_MOST_WORDS ? words : 0);
}

static inline struct block *trace_block(const uint64_t *entry)
{
	return (struct block *)(uintptr_t)(*entry & ~(uint64_t)TRACE_MOST_WORDS);
}

static inline uint32_t trace_accesses(const uint64_t *entry)
{
	return trace_block(entry)->naccesses;
}

/* Of an entry for the block. */
static inline uint32_t trace_words(const struct block *block)
{
	return 1u + block->naccesses + block->is_followed;
}

static inline const uint64_t *trace_next(const uint64_t *entry)
{
	uint32_t words = *entry & TRACE_MOST_WORDS;

	return entry + (LIKELY(words) ? words : trace_words(trace_block(entry)));
}

#define TRACE_AHEAD 3 /* entries */

/* The entry behind one that need not be there: a long one, and the zeros behind the last, lead no further. */
static inline const uint64_t *trace_pass(const uint64_t *entry)
{
	return entry + (*entry & TRACE_MOST_WORDS);
}

/* Behind an entry, where trace_expect begins. */
static inline const uint64_t *trace_ahead(const uint64_t *entry)
{
	for (unsigned i = 0; i < TRACE_AHEAD; i++)
		entry = trace_pass(entry);
	return entry;
}

/* The blocks of entries some way behind this one will be wanted soon. */
static inline void trace_expect(const uint64_t *entry, const uint64_t **ahead)
{
	if (UNLIKELY(*ahead <= entry))
		*ahead = trace_next(entry);
	__builtin_prefetch(trace_block(*ahead));
	*ahead = trace_pass(*ahead);
}

/* The stack pointer behind the branch of a block that is followed; 0: the block was left before. */
static inline uint64_t trace_pointer(const uint64_t *entry)
{
	return entry[1 + trace_accesses(entry)];
}

/* ---- between two windows of a sample ---- */

#define WARM_ADDRESSES (TRACE_WORDS + ENTRY_WORDS + ACCESSES_AT_ONCE)

/* A block's accesses from this one on. */
struct warm_span {
	const struct block *block;
	uint32_t first;
};

/* Accesses that are still to be looked up: of consecutive blocks, without gaps. */
struct warm {
	uint32_t count, stores, nspans;
	uint64_t addresses[WARM_ADDRESSES]; /* 0: was not made */
	struct warm_span spans[WARM_ADDRESSES];
};

/* What to follow, and how far it came. */
struct warm_run {
	const uint64_t *entry, *end; /* the next entry, and the end of the trace, whose last entry is not followed */
	uint64_t left;		     /* instructions; stops before a block that would leave none */
	bool is_outside;	     /* what is to be counted: executions are not, and it begins at a marked block */
	uint32_t depth;		     /* frames of calls: with fewer of them it is over, and the blocks stop here */
	const struct block *last;    /* that was followed; NULL: none */
	struct contexts *contexts;   /* where calls are followed; else NULL */
	struct shadow_stack *stack;
};

/* Stops earlier before a round of a repeated string instruction, too: that is left to the caller. */
void warm_follow(struct warm *warm, struct core *core, struct warm_run *run);

#endif
