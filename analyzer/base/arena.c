/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks grow, so that a short-lived arena stays small and a long-lived one has few blocks. */
#define FIRST_BLOCK ((size_t)2 * 1024)
#define MOST_BLOCK  ((size_t)256 * 1024)

struct arena_block {
	struct arena_block *next;
	size_t size;
	alignas(max_align_t) unsigned char data[];
};

void arena_init(struct arena *arena)
{
	*arena = (struct arena){ .blocks = NULL };
}

void arena_release(struct arena *arena)
{
	struct arena_block *block = arena->blocks;

	while (block) {
		struct arena_block *next = block->next;

		free(block);
		block = next;
	}
	arena_init(arena);
}

static void add_block(struct arena *arena, size_t need)
{
	size_t size = arena->blocks ? arena->blocks->size * 2 : FIRST_BLOCK;
	struct arena_block *block = NULL;

	if (size > MOST_BLOCK)
		size = MOST_BLOCK;
	if (size < need)
		size = need;
	if (size < SIZE_MAX - sizeof(*block))
		block = calloc(1, sizeof(*block) + size); /* zeroed here once, not at each allocation */
	if (!block) {
		fputs("topdown: out of memory\n", stderr);
		abort();
	}
	block->next = arena->blocks;
	block->size = size;
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

void *arena_grow(struct arena *arena, void *array, size_t count, size_t *capacity, size_t size)
{
	void *grown;

	if (count < *capacity)
		return array;
	*capacity = *capacity ? *capacity * 2 : 16;
	grown = arena_array(arena, *capacity, size);
	if (count)
		memcpy(grown, array, count * size);
	return grown;
}
