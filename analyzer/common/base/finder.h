/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finder.h - finds the number of an element by its key. The elements are the caller's, and so is what makes two equal;
 * here are hashes and numbers alone. Lives in an arena.
 */
#ifndef TOPDOWN_COMMON_BASE_FINDER_H
#define TOPDOWN_COMMON_BASE_FINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"

#define FINDER_NONE ((uint32_t)-1)

/* From hashes to numbers: open addressing, at most half full. All zero: an empty one. */
struct finder {
	uint64_t *slots;      /* the hash's lower half, and below it number + 1; 0: free */
	size_t nslots, count; /* nslots is 0 or a power of two */
};

/* A key that is looked for, among the elements of owner. */
struct finder_key {
	uint64_t hash;
	bool (*is_equal)(const void *owner, uint32_t number, const void *key);
	const void *owner, *key;
};

/* FINDER_NONE where no element is equal. */
uint32_t finder_find(const struct finder *finder, const struct finder_key *key);

/* The element with this hash has this number, below FINDER_NONE. It must not be there yet. */
void finder_add(struct finder *finder, uint64_t hash, uint32_t number, struct arena *arena);

/*
 * The number of what is equal; or else the next one, *count, which is counted: then *is_new, and the caller adds the
 * element.
 */
uint32_t finder_take(struct finder *finder, const struct finder_key *key, uint32_t *count, bool *is_new,
		     struct arena *arena);

/* Of several numbers, in their order. */
uint64_t hash_numbers(const uint64_t *numbers, size_t count);

/* NULL and the empty text have the same. */
uint64_t hash_text(const char *text);

#endif
