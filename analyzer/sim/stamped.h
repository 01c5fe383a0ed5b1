/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stamped.h - a set-associative cache of line (or page) numbers with LRU replacement, as in cache.h, for those that nearly always have what is asked
 * for: L1 and TLBs. Each way has the time of its last use: a hit is one look into a table and one stamp, in whatever way it is, and only a
 * miss looks through its set, for the oldest stamp.
 */
#ifndef TOPDOWN_SIM_STAMPED_H
#define TOPDOWN_SIM_STAMPED_H

#include "sim/cache.h"

#define STAMPED_EMPTY UINT64_MAX /* no line has this number */

struct stamped {
	uint64_t *lines;  /* a set's ways side by side, in no order */
	uint64_t *stamps; /* of each way: the number of its last access */
	uint16_t *ways;	  /* by a line's low bits: the way where such a line was last */
	uint64_t mask, accesses;
	struct cache_shape shape;
};

/* entries is rounded down to whole sets, at least one. */
void stamped_init(struct stamped *stamped, uint32_t entries, uint32_t ways);

/* Is the line in the way where such a line was last? Nothing changes. */
static inline bool stamped_is_in(const struct stamped *stamped, uint64_t line, uint32_t *way)
{
	*way = stamped->ways[line & stamped->mask];
	return stamped->lines[*way] == line;
}

/* A way is the most recently used of its set. */
static inline void stamped_use(struct stamped *stamped, uint32_t way)
{
	stamped->stamps[way] = ++stamped->accesses;
}

/* Is the line where such a line was last? Then it is the most recently used of its set afterwards; otherwise nothing changes. */
static inline bool stamped_hits(struct stamped *stamped, uint64_t line)
{
	uint32_t way;

	if (!stamped_is_in(stamped, line, &way))
		return false;
	stamped_use(stamped, way);
	return true;
}

/* Slow half of stamped_access: not where such a line was last. */
bool stamped_search(struct stamped *stamped, uint64_t line);

/* Is the line there? It is afterwards, as the most recently used of its set. */
static inline bool stamped_access(struct stamped *stamped, uint64_t line)
{
	return stamped_hits(stamped, line) || stamped_search(stamped, line);
}

#endif
