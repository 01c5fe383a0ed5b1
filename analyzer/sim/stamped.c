/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/stamped.h"

#include "sim/memory.h"

void stamped_init(struct stamped *stamped, uint32_t entries, uint32_t ways)
{
	uint32_t all, size = 1;

	cache_init(&stamped->cache, entries, ways);
	all = stamped->cache.sets * stamped->cache.ways;
	/* More than there are ways, so that few tags meet. */
	while (size < 8 * all)
		size *= 2;
	stamped->mask = size - 1;
	stamped->ways = sim_allocate(size, sizeof(*stamped->ways));
	stamped->stamps = sim_allocate(all, sizeof(*stamped->stamps));
}

bool stamped_search(struct stamped *stamped, uint64_t line)
{
	uint32_t tag = cache_tag(line), *tags = stamped->cache.tags;
	uint32_t first = (uint32_t)(cache_set(&stamped->cache, line) - tags), oldest = first, way = first;
	bool is_there;

	for (; way < first + stamped->cache.ways && tags[way] != tag; way++)
		oldest = stamped->stamps[way] < stamped->stamps[oldest] ? way : oldest;
	is_there = way < first + stamped->cache.ways;
	way = is_there ? way : oldest;
	tags[way] = tag;
	stamped->stamps[way] = ++stamped->accesses;
	stamped->ways[tag & stamped->mask] = (uint16_t)way;
	return is_there;
}
