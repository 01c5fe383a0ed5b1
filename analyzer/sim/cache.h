/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cache.h - a set-associative cache of line (or page) numbers with LRU replacement; holds no data. TLBs are such caches too. */
#ifndef TOPDOWN_SIM_CACHE_H
#define TOPDOWN_SIM_CACHE_H

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
struct cache_shape cache_shape(uint32_t entries, uint32_t ways);

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

#endif
