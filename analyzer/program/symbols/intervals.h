/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intervals.h - which range of addresses an address is in, the innermost where they are nested: symbols, units of debug
 * information, functions, inlined calls. Added in any order, sorted once, then asked by binary search.
 */
#ifndef TOPDOWN_PROGRAM_SYMBOLS_INTERVALS_H
#define TOPDOWN_PROGRAM_SYMBOLS_INTERVALS_H

#include <stdint.h>

#include "common/base/arena.h"

struct interval {
	uint64_t begin, end; /* [begin, end) */
	uint32_t value;	     /* the caller's */
	uint32_t outer; /* one that began earlier and was not over; INTERVAL_NONE: none. Before sorting: its turn */
};

#define INTERVAL_NONE ((uint32_t)-1)

struct intervals {
	struct arena *arena;
	struct interval *items;
	size_t count, capacity;
};
#define INTERVALS_INIT(memory) ((struct intervals){ .arena = (memory) })

/* An empty one is left out. Of equal ranges the one that was added last is the innermost. */
void intervals_add(struct intervals *intervals, uint64_t begin, uint64_t end, uint32_t value);

/* To be called once, after all were added. */
void intervals_sort(struct intervals *intervals);

/* NULL: the address is in none. Of ranges that cross each other, the one that begins last. */
const struct interval *intervals_find(const struct intervals *intervals, uint64_t address) MUST_CHECK;

#endif
