/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/cache.h"

#include "sim/memory.h"

void cache_init(struct cache *cache, uint32_t entries, uint32_t ways)
{
	cache->ways = ways < entries ? ways : entries;
	cache->ways = cache->ways ? cache->ways : 1;
	cache->sets = entries / cache->ways;
	cache->sets = cache->sets ? cache->sets : 1;
	cache->is_hashed = (cache->sets & (cache->sets - 1)) != 0;
	cache->tags = sim_allocate((size_t)cache->sets * cache->ways, sizeof(*cache->tags));
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

	for (uint32_t i = 0; i < cache->ways; i++)
		if (set[i] == tag)
			return true;
	return false;
}
