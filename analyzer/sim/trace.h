/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.h - the blocks that were executed, until the model looks at them: an entry each, the block and then the addresses of its accesses.
 * A block enters the trace when it begins, so the last entry's addresses are still being collected, and where it goes on is not known.
 */
#ifndef TOPDOWN_SIM_TRACE_H
#define TOPDOWN_SIM_TRACE_H

#include "sim/core.h"

#define TRACE_WORDS	  1024 /* about so many are collected: what the model reads then is still in the host's L1 */
#define ENTRY_WORDS	  (1 + MOST_ACCESSES) /* of the longest entry */
#define TRACE_COUNT_SHIFT 48		      /* addresses of user space have no more bits */
#define ACCESSES_AT_ONCE  4		      /* that are read, whether they are there or not */

struct trace {
	uint64_t *end; /* behind the last entry */
	/* Behind the entries there are zeros: an access that is not made leaves no address. Some words more, so that those behind the last can be read. */
	uint64_t words[TRACE_WORDS + ENTRY_WORDS + ACCESSES_AT_ONCE];
};

/* The first word of an entry: the block, and how many accesses it has, so that the next entry is found without looking at the block. */
static inline uint64_t trace_word(const struct block *block)
{
	return (uint64_t)block->naccesses << TRACE_COUNT_SHIFT | (uint64_t)(uintptr_t)block;
}

static inline struct block *trace_block(const uint64_t *entry)
{
	return (struct block *)(uintptr_t)(*entry & ((UINT64_C(1) << TRACE_COUNT_SHIFT) - 1));
}

static inline uint32_t trace_accesses(const uint64_t *entry)
{
	return (uint32_t)(*entry >> TRACE_COUNT_SHIFT);
}

static inline const uint64_t *trace_next(const uint64_t *entry)
{
	return entry + 1 + trace_accesses(entry);
}

#endif
