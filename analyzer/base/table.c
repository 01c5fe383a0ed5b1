/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/table.h"

#include <stdint.h>

#include "base/text.h"

/* FNV-1a over the lower-case form. */
static uint64_t hash(const char *name)
{
	uint64_t sum = 14695981039346656037u;

	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;

		sum = (sum ^ (c >= 'A' && c <= 'Z' ? c + 32u : c)) * 1099511628211u;
	}
	return sum;
}

/* The entry of name, or the free one where it belongs. */
static struct table_entry *find(const struct table *table, const char *name)
{
	size_t mask = table->capacity - 1;

	for (size_t i = (size_t)hash(name) & mask;; i = (i + 1) & mask) {
		struct table_entry *entry = &table->entries[i];

		if (!entry->name || is_same_name(entry->name, name))
			return entry;
	}
}

static void grow(struct table *table)
{
	struct table_entry *old = table->entries;
	size_t capacity = table->capacity;

	table->capacity = capacity ? capacity * 2 : 64;
	table->entries = arena_array(table->arena, table->capacity, sizeof(*old));
	for (size_t i = 0; i < capacity; i++)
		if (old[i].name)
			*find(table, old[i].name) = old[i];
}

size_t table_set(struct table *table, const char *name, size_t value)
{
	struct table_entry *entry;
	size_t before = TABLE_NONE;

	if (table->count * 4 >= table->capacity * 3)
		grow(table);
	entry = find(table, name);
	if (entry->name)
		before = entry->value;
	else
		table->count++;
	*entry = (struct table_entry){ .name = entry->name ? entry->name : name, .value = value };
	return before;
}

size_t table_get(const struct table *table, const char *name)
{
	const struct table_entry *entry;

	if (!table->capacity)
		return TABLE_NONE;
	entry = find(table, name);
	return entry->name ? entry->value : TABLE_NONE;
}
