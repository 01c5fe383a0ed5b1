/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena.h - memory that is freed all at once: one arena for a run, one that is reset for each interval. */
#ifndef TOPDOWN_COMMON_BASE_ARENA_H
#define TOPDOWN_COMMON_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include "common/base/macros.h"

struct arena_block;

struct arena {
	struct arena_block *blocks; /* newest first */
	size_t used;		    /* bytes taken from the newest block */
	struct arena_block *spare;  /* of before the last reset */
};

void arena_init(struct arena *arena);

/* Frees everything that was allocated; the arena can be used again. */
void arena_release(struct arena *arena);

/*
 * The same, but the memory is kept, and taken again by what is allocated next: for what is done over and over, since
 * memory that comes from the system costs more than most of what is done with it.
 */
void arena_reset(struct arena *arena);

/*
 * Without memory there is nothing to go on with: says so, and ends the process with the exit status of a failure. No
 * output is left half, because none has a name yet (output_file.h).
 */
_Noreturn void memory_ended(void);

/* Zeroed memory, aligned for any type. Never NULL: when the system has no memory left, the process ends. */
void *arena_alloc(struct arena *arena, size_t size) NEVER_NULL MUST_CHECK;
void *arena_array(struct arena *arena, size_t count, size_t size) NEVER_NULL MUST_CHECK;

char *arena_strdup(struct arena *arena, const char *text) NEVER_NULL MUST_CHECK;
char *arena_strndup(struct arena *arena, const char *text, size_t length) NEVER_NULL MUST_CHECK;
char *arena_printf(struct arena *arena, const char *format, ...) PRINTF(2, 3) NEVER_NULL MUST_CHECK;
char *arena_vprintf(struct arena *arena, const char *format, va_list args) PRINTF(2, 0) NEVER_NULL MUST_CHECK;

/*
 * An array that will probably grow to count elements, so that growing to them moves nothing;
 * *capacity is what it has room for.
 */
void *arena_reserve(struct arena *arena, size_t count, size_t *capacity, size_t size) NEVER_NULL MUST_CHECK;

/*
 * Room for one more element at the end of a growing array: returns the (possibly moved) array, updates *capacity. The
 * old copy stays in the arena until its release; growth is by doubling, so at most half is wasted.
 */
static inline void *arena_grow(struct arena *arena, void *array, size_t count, size_t *capacity,
			       size_t size) MUST_CHECK;

/* arena_grow's rare part. */
void *arena_double(struct arena *arena, void *array, size_t count, size_t *capacity, size_t size) NEVER_NULL MUST_CHECK;

static inline void *arena_grow(struct arena *arena, void *array, size_t count, size_t *capacity, size_t size)
{
	return count < *capacity ? array : arena_double(arena, array, count, capacity, size);
}

#endif
