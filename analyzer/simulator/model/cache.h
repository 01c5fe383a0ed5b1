/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache.h - a set-associative cache of line (or page) numbers with LRU replacement; holds no
 * data. TLBs are such caches too.
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_CACHE_H
#define TOPDOWN_SIMULATOR_MODEL_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct cache_shape {
	uint32_t sets, ways;
	bool is_hashed; /* the number of sets is no power of two: sets are chosen by a hash */
};

struct cache {
	uint32_t *tags; /* a set's ways side by side, the most recently used first; 0: empty */
	struct cache_shape shape;
};

/* entries is rounded down to whole sets, at least one. */
void cache_init(struct cache *cache, uint32_t entries, uint32_t ways);

/* Slow half of cache_access: not in the first way. */
bool cache_search(uint32_t *set, uint32_t ways, uint32_t tag);

/* 32 bits of a line number: all that user addresses have, for practical purposes, and never 0. */
static inline uint32_t cache_tag(uint64_t line)
{
	uint32_t tag = (uint32_t)line ^ (uint32_t)(line >> 32) * 0x9e3779b1u;

	return tag ? tag : 1;
}

/* The number of the first way of a line's set. */
static inline uint32_t cache_first_way(const struct cache_shape *shape, uint64_t line)
{
	uint32_t index = (uint32_t)line & (shape->sets - 1);

	if (shape->is_hashed)
		index = (uint32_t)(((line * 0x9e3779b97f4a7c15u >> 32) * shape->sets) >> 32);
	return index * shape->ways;
}

static inline uint32_t *cache_set(const struct cache *cache, uint64_t line)
{
	return cache->tags + cache_first_way(&cache->shape, line);
}

/* Is the line there? It is afterwards, as the most recently used of its set. */
static inline bool cache_access(struct cache *cache, uint64_t line)
{
	uint32_t *set = cache_set(cache, line), tag = cache_tag(line);

	return set[0] == tag || cache_search(set, cache->shape.ways, tag);
}

/* Is the line there? Nothing changes. */
bool cache_has(const struct cache *cache, uint64_t line);

/* The tag that a line, where it is not there, would take the place of; 0: none. */
uint32_t cache_victim(const struct cache *cache, uint64_t line);

/* The line is no longer there. */
void cache_drop(struct cache *cache, uint64_t line);

/* ---- by stamps ---- */

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

/* Is the line in this way? */
static inline bool stamped_is_at(const struct stamped *stamped, uint64_t line, uint32_t way)
{
	return stamped->lines[way] == line;
}

/* The way that the line was in when it was used last. */
static inline uint16_t stamped_way(const struct stamped *stamped, uint64_t line)
{
	return stamped->ways[line & stamped->mask];
}

/* Is the line in the way where such a line was last? Nothing changes. */
static inline bool stamped_is_in(const struct stamped *stamped, uint64_t line, uint32_t *way)
{
	*way = stamped_way(stamped, line);
	return stamped_is_at(stamped, line, *way);
}

/* A way is the most recently used of its set. */
static inline void stamped_use(struct stamped *stamped, uint32_t way)
{
	stamped->stamps[way] = ++stamped->accesses;
}

/*
 * Is the line where such a line was last? Then it is the most recently used of its set
 * afterwards; otherwise nothing changes.
 */
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

/* Is the line there? Nothing changes. */
bool stamped_has(const struct stamped *stamped, uint64_t line);

/* The line that another one, where it is not there, would take the place of; STAMPED_EMPTY: none. */
uint64_t stamped_victim(const struct stamped *stamped, uint64_t line);

/* The line, which is not there, comes in; stamped_hits does not find it before stamped_search has. */
void stamped_bring(struct stamped *stamped, uint64_t line);

/* stamped_hits does not find the line, or any, before stamped_search has. */
void stamped_hide(struct stamped *stamped, uint64_t line);
void stamped_hide_all(struct stamped *stamped);

/* The line is no longer there. */
void stamped_drop(struct stamped *stamped, uint64_t line);

#endif
