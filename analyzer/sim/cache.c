/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/cache.h"

#include "sim/memory.h"

struct cache_shape cache_shape(uint32_t entries, uint32_t ways)
{
	struct cache_shape shape = { .ways = ways < entries ? ways : entries };

	shape.ways = shape.ways ? shape.ways : 1;
	shape.sets = entries / shape.ways;
	shape.sets = shape.sets ? shape.sets : 1;
	shape.is_hashed = (shape.sets & (shape.sets - 1)) != 0;
	return shape;
}

void cache_init(struct cache *cache, uint32_t entries, uint32_t ways)
{
	cache->shape = cache_shape(entries, ways);
	cache->tags = sim_allocate((size_t)cache->shape.sets * cache->shape.ways, sizeof(*cache->tags));
}

bool cache_search(uint32_t *set, uint32_t ways, uint32_t tag)
{
	uint32_t moved = set[0];

	/* One pass finds the tag and moves those before it back by one. */
	for (uint32_t i = 1; i < ways; i++) {
		uint32_t here = set[i];

		set[i] = moved;
		if (here == tag) {
			set[0] = tag;
			return true;
		}
		moved = here;
	}
	set[0] = tag;
	return false;
}

bool cache_has(const struct cache *cache, uint64_t line)
{
	const uint32_t *set = cache_set(cache, line), tag = cache_tag(line);

	for (uint32_t i = 0; i < cache->shape.ways; i++)
		if (set[i] == tag)
			return true;
	return false;
}
