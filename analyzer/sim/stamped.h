/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stamped.h - a cache as in cache.h whose ways have the time of their last use: for those that nearly always have what is asked for (L1, TLBs).
 * A hit is one look into a table and one stamp, in whatever way it is; only a miss looks through its set, for the oldest stamp.
 */
#ifndef TOPDOWN_SIM_STAMPED_H
#define TOPDOWN_SIM_STAMPED_H

#include "sim/cache.h"

struct stamped {
	struct cache cache; /* its ways are in no order */
	uint64_t *stamps;   /* of each way: the number of its last access */
	uint16_t *ways;	    /* by a tag's low bits: the way where such a tag was last */
	uint32_t mask;
	uint64_t accesses;
};

/* entries is rounded down to whole sets, at least one. */
void stamped_init(struct stamped *stamped, uint32_t entries, uint32_t ways);

/* Is the line in the way where such a tag was last? Nothing changes. */
static inline bool stamped_is_in(const struct stamped *stamped, uint64_t line, uint32_t *way)
{
	uint32_t tag = cache_tag(line);

	*way = stamped->ways[tag & stamped->mask];
	return stamped->cache.tags[*way] == tag;
}

/* A way is the most recently used of its set. */
static inline void stamped_use(struct stamped *stamped, uint32_t way)
{
	stamped->stamps[way] = ++stamped->accesses;
}

/* Is the line where such a tag was last? Then it is the most recently used of its set afterwards; otherwise nothing changes. */
static inline bool stamped_hits(struct stamped *stamped, uint64_t line)
{
	uint32_t way;

	if (!stamped_is_in(stamped, line, &way))
		return false;
	stamped_use(stamped, way);
	return true;
}

/* Slow half of stamped_access: not where such a tag was last. */
bool stamped_search(struct stamped *stamped, uint64_t line);

/* Is the line there? It is afterwards, as the most recently used of its set. */
static inline bool stamped_access(struct stamped *stamped, uint64_t line)
{
	return stamped_hits(stamped, line) || stamped_search(stamped, line);
}

#endif
