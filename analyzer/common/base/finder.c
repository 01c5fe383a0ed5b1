/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/base/finder.h"

#define FIRST_SLOTS 64

/* ---- hashes ---- */

/* The finaliser of splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014). */
static uint64_t finder_mix(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
	value = (value ^ value >> 27) * 0x94d049bb133111ebu;
	return value ^ value >> 31;
}

uint64_t hash_numbers(const uint64_t *numbers, size_t count)
{
	uint64_t hash = count;

	for (size_t i = 0; i < count; i++)
		hash = finder_mix(hash + 0x9e3779b97f4a7c15u + numbers[i]);
	return hash;
}

/* FNV-1a. */
uint64_t hash_text(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; text && *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

/* ---- finding ---- */

/* Both in one word, so that looking at a slot is one access to memory. */
static uint64_t finder_slot_of(uint64_t hash, uint32_t number)
{
	return hash << 32 | (number + 1);
}

static uint32_t number_in(uint64_t slot)
{
	return (uint32_t)slot - 1;
}

/* All that decides where a slot is: there are not more than 2^32. */
static uint32_t hash_in(uint64_t slot)
{
	return (uint32_t)(slot >> 32);
}

static void finder_insert(struct finder *finder, uint64_t filled)
{
	size_t slot = hash_in(filled) & (finder->nslots - 1);

	while (finder->slots[slot])
		slot = (slot + 1) & (finder->nslots - 1);
	finder->slots[slot] = filled;
}

static void finder_grow(struct finder *finder, struct arena *arena)
{
	const struct finder before = *finder;

	finder->nslots = before.nslots ? 2 * before.nslots : FIRST_SLOTS;
	finder->slots = arena_array(arena, finder->nslots, sizeof(*finder->slots));
	for (size_t i = 0; i < before.nslots; i++)
		if (before.slots[i])
			finder_insert(finder, before.slots[i]);
}

uint32_t finder_find(const struct finder *finder, const struct finder_key *key)
{
	const size_t mask = finder->nslots - 1;
	const uint32_t hash = (uint32_t)key->hash;

	for (size_t slot = hash & mask; finder->nslots && finder->slots[slot]; slot = (slot + 1) & mask) {
		uint32_t number = number_in(finder->slots[slot]);

		if (hash_in(finder->slots[slot]) == hash && key->is_equal(key->owner, number, key->key))
			return number;
	}
	return FINDER_NONE;
}

void finder_add(struct finder *finder, uint64_t hash, uint32_t number, struct arena *arena)
{
	if (2 * ++finder->count > finder->nslots)
		finder_grow(finder, arena);
	finder_insert(finder, finder_slot_of(hash, number));
}

uint32_t finder_take(struct finder *finder, const struct finder_key *key, uint32_t *count, bool *is_new,
		     struct arena *arena)
{
	uint32_t number = finder_find(finder, key);

	*is_new = number == FINDER_NONE;
	if (!*is_new)
		return number;
	number = (*count)++;
	finder_add(finder, key->hash, number, arena);
	return number;
}
