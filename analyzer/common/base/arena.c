/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Blocks grow, so that a short-lived arena stays small and a long-lived one has few blocks. */
#define FIRST_BLOCK ((size_t)2 * 1024)
#define MOST_BLOCK  ((size_t)256 * 1024)

#define STATUS_WITHOUT_MEMORY 125 /* as of all failures */

struct arena_block {
	struct arena_block *next;
	size_t size;
	size_t used; /* of one that is no longer the newest */
	alignas(max_align_t) unsigned char data[];
};

void arena_init(struct arena *arena)
{
	*arena = (struct arena){ .blocks = NULL };
}

static void free_blocks(struct arena_block *block)
{
	while (block) {
		struct arena_block *next = block->next;

		free(block);
		block = next;
	}
}

void arena_release(struct arena *arena)
{
	free_blocks(arena->blocks);
	free_blocks(arena->spare);
	arena_init(arena);
}

/* The newest block ends up first again, so that the largest is the first to be used. */
void arena_reset(struct arena *arena)
{
	struct arena_block *kept = NULL, **end = &kept;

	if (arena->blocks)
		arena->blocks->used = arena->used;
	for (struct arena_block *block = arena->blocks; block; block = block->next) {
		memset(block->data, 0, block->used);
		*end = block;
		end = &block->next;
	}
	*end = arena->spare;
	*arena = (struct arena){ .spare = kept };
}

/* NULL where none is as large as that. */
static struct arena_block *take_spare(struct arena *arena, size_t need)
{
	for (struct arena_block **at = &arena->spare; *at; at = &(*at)->next) {
		struct arena_block *block = *at;

		if (block->size < need)
			continue;
		*at = block->next;
		return block;
	}
	return NULL;
}

void memory_ended(void)
{
	fputs("topdown: no memory is left: `free -m` and `ulimit -v` show why\n", stderr);
	_exit(STATUS_WITHOUT_MEMORY);
}

static struct arena_block *new_block(const struct arena *arena, size_t need)
{
	size_t size = arena->blocks ? arena->blocks->size * 2 : FIRST_BLOCK;
	struct arena_block *block = NULL;

	if (size > MOST_BLOCK)
		size = MOST_BLOCK;
	if (size < need)
		size = need;
	if (size < SIZE_MAX - sizeof(*block))
		block = calloc(1, sizeof(*block) + size); /* zeroed here once, not at each allocation */
	if (!block)
		memory_ended();
	block->size = size;
	return block;
}

static void add_block(struct arena *arena, size_t need)
{
	struct arena_block *block = take_spare(arena, need);

	if (!block)
		block = new_block(arena, need);
	if (arena->blocks)
		arena->blocks->used = arena->used;
	block->next = arena->blocks;
	arena->blocks = block;
	arena->used = 0;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size_t align = alignof(max_align_t);
	size_t need = (size + align - 1) / align * align;
	void *result;

	if (need < size)
		need = SIZE_MAX;
	if (!arena->blocks || arena->blocks->size - arena->used < need)
		add_block(arena, need);
	result = arena->blocks->data + arena->used;
	arena->used += need;
	return result;
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
	return arena_alloc(arena, size && count > SIZE_MAX / size ? SIZE_MAX : count * size);
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	memcpy(copy, text, length);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
	char first[256]; /* enough for nearly all texts, so that they are made once */
	va_list again;
	int length;
	char *text;

	va_copy(again, args);
	length = vsnprintf(first, sizeof(first), format, again);
	va_end(again);
	if (length < 0)
		return arena_strdup(arena, format);
	if ((size_t)length < sizeof(first))
		return arena_strndup(arena, first, (size_t)length);
	text = arena_alloc(arena, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, args);
	return text;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = arena_vprintf(arena, format, args);
	va_end(args);
	return text;
}

void *arena_reserve(struct arena *arena, size_t count, size_t *capacity, size_t size)
{
	*capacity = count;
	return arena_array(arena, count, size);
}

void *arena_double(struct arena *arena, void *array, size_t count, size_t *capacity, size_t size)
{
	void *grown;

	*capacity = *capacity ? *capacity * 2 : 16;
	grown = arena_array(arena, *capacity, size);
	if (count)
		memcpy(grown, array, count * size);
	return grown;
}
