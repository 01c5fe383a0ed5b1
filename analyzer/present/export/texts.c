/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/export/texts.h"

#include <string.h>

#define FIRST_SLOTS 256

/* FNV-1a. */
static uint64_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

static size_t texts_slot_of(const struct texts *texts, const char *text)
{
	size_t slot = hash_of(text) & (texts->nslots - 1);

	while (texts->slots[slot] && strcmp(texts->items[texts->slots[slot] - 1], text) != 0)
		slot = (slot + 1) & (texts->nslots - 1);
	return slot;
}

static void texts_grow(struct texts *texts)
{
	texts->nslots = texts->nslots ? 2 * texts->nslots : FIRST_SLOTS;
	texts->slots = arena_array(texts->arena, texts->nslots, sizeof(*texts->slots));
	for (uint32_t i = 0; i < texts->count; i++)
		texts->slots[texts_slot_of(texts, texts->items[i])] = i + 1;
}

uint32_t texts_number(struct texts *texts, const char *text)
{
	size_t slot;

	text = text ? text : "";
	if (2 * ((size_t)texts->count + 1) > texts->nslots)
		texts_grow(texts);
	slot = texts_slot_of(texts, text);
	if (!texts->slots[slot]) {
		texts->items =
			arena_grow(texts->arena, texts->items, texts->count, &texts->room, sizeof(*texts->items));
		texts->items[texts->count++] = text;
		texts->slots[slot] = texts->count;
	}
	return texts->slots[slot] - 1;
}
