/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/cache.h"

#include "simulator/model/host.h"

/* entries is rounded down to whole sets, at least one. */
static struct cache_shape cache_shape(uint32_t entries, uint32_t ways)
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

static ALWAYS_INLINE bool search_ways(uint32_t *set, uint32_t ways, uint32_t tag)
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

bool cache_search(uint32_t *set, uint32_t ways, uint32_t tag)
{
	return ways == 8 ? search_ways(set, 8, tag) : search_ways(set, ways, tag);
}

static ALWAYS_INLINE bool is_among(const uint32_t *set, uint32_t ways, uint32_t tag)
{
	uint32_t has = 0;

	for (uint32_t i = 0; i < ways; i++)
		has |= set[i] == tag;
	return has;
}

bool cache_has(const struct cache *cache, uint64_t line)
{
	const uint32_t *set = cache_set(cache, line), tag = cache_tag(line);

	return cache->shape.ways == 8 ? is_among(set, 8, tag) : is_among(set, cache->shape.ways, tag);
}

uint32_t cache_victim(const struct cache *cache, uint64_t line)
{
	return cache_has(cache, line) ? 0 : cache_set(cache, line)[cache->shape.ways - 1];
}

void cache_drop(struct cache *cache, uint64_t line)
{
	uint32_t *set = cache_set(cache, line), tag = cache_tag(line), here = 0, last = cache->shape.ways - 1;

	while (here <= last && set[here] != tag)
		here++;
	if (here > last)
		return;
	for (; here < last; here++)
		set[here] = set[here + 1];
	set[last] = 0;
}

/* ---- by stamps ---- */

void stamped_init(struct stamped *stamped, uint32_t entries, uint32_t ways)
{
	struct cache_shape shape = cache_shape(entries, ways);
	uint32_t all = shape.sets * shape.ways, size = 1;

	/* More than there are ways, so that few lines meet. */
	while (size < 8 * all)
		size *= 2;
	stamped->shape = shape;
	stamped->mask = size - 1;
	stamped->ways = sim_allocate(size, sizeof(*stamped->ways));
	stamped->stamps = sim_allocate(all, sizeof(*stamped->stamps));
	stamped->lines = sim_allocate(all, sizeof(*stamped->lines));
	for (uint32_t i = 0; i < all; i++)
		stamped->lines[i] = STAMPED_EMPTY;
}

/*
 * The way that has the line, or else the one to give it. Without branches, of which the host could predict none: where
 * a line is in its set is as good as random.
 */
static ALWAYS_INLINE uint32_t find_among(const struct stamped *stamped, uint64_t line, uint32_t count)
{
	uint32_t first = cache_first_way(&stamped->shape, line), way = count;
	const uint64_t *lines = stamped->lines + first, *stamps = stamped->stamps + first;
	uint64_t oldest = stamps[0];

	for (uint32_t i = 0; i < count; i++)
		way = lines[i] == line ? i : way;
	if (way < count)
		return first + way;
	way = 0;
	for (uint32_t i = 1; i < count; i++) {
		uint64_t stamp = stamps[i];

		way = stamp < oldest ? i : way;
		oldest = stamp < oldest ? stamp : oldest;
	}
	return first + way;
}

/* Most first-level caches have 8 ways: for them without loops. */
static uint32_t find_way(const struct stamped *stamped, uint64_t line)
{
	return stamped->shape.ways == 8 ? find_among(stamped, line, 8) : find_among(stamped, line, stamped->shape.ways);
}

void stamped_hide(struct stamped *stamped, uint64_t line)
{
	uint16_t *way = &stamped->ways[line & stamped->mask];

	if (stamped->lines[*way] == line)
		*way = (uint16_t)(*way ? 0 : stamped->shape.sets * stamped->shape.ways - 1);
}

void stamped_hide_all(struct stamped *stamped)
{
	for (uint32_t way = 0; way < stamped->shape.sets * stamped->shape.ways; way++)
		if (stamped->lines[way] != STAMPED_EMPTY)
			stamped_hide(stamped, stamped->lines[way]);
}

bool stamped_has(const struct stamped *stamped, uint64_t line)
{
	return stamped->lines[find_way(stamped, line)] == line;
}

uint64_t stamped_victim(const struct stamped *stamped, uint64_t line)
{
	uint64_t victim = stamped->lines[find_way(stamped, line)];

	return victim == line ? STAMPED_EMPTY : victim;
}

void stamped_bring(struct stamped *stamped, uint64_t line)
{
	uint32_t way = find_way(stamped, line);

	stamped->lines[way] = line;
	stamped_use(stamped, way);
	stamped_hide(stamped, line);
}

bool stamped_search(struct stamped *stamped, uint64_t line)
{
	uint32_t way = find_way(stamped, line);
	bool is_there = stamped->lines[way] == line;

	stamped->ways[line & stamped->mask] = (uint16_t)way;
	stamped->lines[way] = line;
	stamped_use(stamped, way);
	return is_there;
}

void stamped_drop(struct stamped *stamped, uint64_t line)
{
	uint32_t first = cache_first_way(&stamped->shape, line);

	for (uint32_t way = first; way < first + stamped->shape.ways; way++)
		if (stamped->lines[way] == line)
			stamped->lines[way] = STAMPED_EMPTY;
}
