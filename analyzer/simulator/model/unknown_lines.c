/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/unknown_lines.h"

#include "simulator/model/host.h"

#define LINE_BITS      6
#define KNOWN_PER_LOOK 1024 /* lines that become known until the share is looked up again */

void unknown_lines_init(struct unknown_lines *lines, const struct cache *cache)
{
	*lines = (struct unknown_lines){ .epoch = 0 };
	lines->used = sim_allocate(cache->shape.sets, sizeof(*lines->used));
	lines->epochs = sim_allocate(cache->shape.sets, sizeof(*lines->epochs));
	reuse_init(&lines->reuse, cache->shape.sets, cache->shape.ways);
}

void unknown_lines_begin(struct unknown_lines *lines)
{
	lines->epoch++;
	lines->known = 0;
}

/* Is this one there? Nobody has used it while so many others came. */
static bool draw(struct unknown_lines *lines, enum use use)
{
	for (unsigned i = 0; i < USES && lines->known % KNOWN_PER_LOOK == 0; i++)
		lines->shares[i] = reuse_share(&lines->reuse, i, lines->known);
	lines->random = lines->random * 1664525u + 1013904223u;
	return lines->random >> (32 - REUSE_BITS) < lines->shares[use];
}

static void decide(struct unknown_lines *lines, struct cache *cache, uint64_t line, enum use use)
{
	bool is_there = cache_has(cache, line), is_found = draw(lines, use);

	if (is_found && !is_there)
		cache_set(cache, line)[cache->shape.ways - 1] = cache_tag(line);
	else if (!is_found && is_there)
		cache_drop(cache, line);
}

/* Is it among those that are known? */
static bool is_known(struct unknown_lines *lines, const struct cache *cache, uint32_t number, uint64_t line)
{
	const uint32_t *set = cache_set(cache, line), tag = cache_tag(line);

	if (lines->epochs[number] != lines->epoch)
		lines->used[number] = 0;
	lines->epochs[number] = lines->epoch;
	for (uint32_t i = 0; i < lines->used[number]; i++)
		if (set[i] == tag)
			return true;
	return lines->used[number] == cache->shape.ways;
}

void unknown_lines_ask(struct unknown_lines *lines, struct cache *cache, uint64_t line, uint64_t address, enum use use)
{
	uint32_t number = cache_first_way(&cache->shape, line) / cache->shape.ways;

	if (reuse_chooses(address))
		reuse_use(&lines->reuse, address >> LINE_BITS);
	if (!lines->epoch || is_known(lines, cache, number, line))
		return;
	decide(lines, cache, line, use);
	lines->used[number]++;
	lines->known++;
}
