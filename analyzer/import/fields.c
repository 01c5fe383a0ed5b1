/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/fields.h"

#include <string.h>

static void add(struct row *row, struct field field, struct arena *arena)
{
	row->fields = arena_grow(arena, row->fields, row->count, &row->capacity, sizeof(field));
	row->fields[row->count++] = field;
}

void row_add(struct row *row, const char *key, const char *text, struct arena *arena)
{
	if (text && *text)
		add(row, (struct field){ .key = key, .text = text }, arena);
}

void row_add_number(struct row *row, const char *key, unsigned number, struct arena *arena)
{
	add(row, (struct field){ .key = key, .text = arena_printf(arena, "%u", number), .is_number = true }, arena);
}

const char *row_get(const struct row *row, const char *key)
{
	for (size_t i = 0; i < row->count; i++)
		if (!strcmp(row->fields[i].key, key))
			return row->fields[i].text;
	return NULL;
}
