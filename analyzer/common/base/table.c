/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/base/table.h"

#include <stdint.h>
#include <string.h>

#include "common/base/text.h"

#define FOLD 0x2020202020202020u /* a capital letter and the small one differ in this bit */

static uint64_t table_mix(uint64_t sum, uint64_t word)
{
	sum = (sum ^ (word | FOLD)) * 0x9e3779b97f4a7c15u;
	return sum ^ (sum >> 32);
}

/* Eight characters at a time; which bytes of a word come first does not matter. */
static uint32_t hash(const char *name)
{
	size_t length = strlen(name);
	uint64_t sum = length, word;

	for (; length >= sizeof(word); name += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, name, sizeof(word));
		sum = table_mix(sum, word);
	}
	word = 0;
	memcpy(&word, name, length);
	return (uint32_t)table_mix(sum, word);
}

/* The entry of name, or the free one where it belongs. */
static struct table_entry *table_find(const struct table *table, const char *name, uint32_t sum)
{
	size_t mask = table->capacity - 1;

	for (size_t i = sum & mask;; i = (i + 1) & mask) {
		struct table_entry *entry = &table->entries[i];

		if (!entry->name || (entry->hash == sum && is_same_name(entry->name, name)))
			return entry;
	}
}

static void move(struct table *table, const struct table_entry *entry)
{
	size_t mask = table->capacity - 1, i = entry->hash & mask;

	while (table->entries[i].name)
		i = (i + 1) & mask;
	table->entries[i] = *entry;
}

static void table_grow(struct table *table)
{
	struct table_entry *old = table->entries;
	size_t capacity = table->capacity;

	table->capacity = capacity ? capacity * 2 : 64;
	table->entries = arena_array(table->arena, table->capacity, sizeof(*old));
	for (size_t i = 0; i < capacity; i++)
		if (old[i].name)
			move(table, &old[i]);
}

void table_reserve(struct table *table, size_t count)
{
	table->capacity = 64;
	while (count * 4 >= table->capacity * 3)
		table->capacity *= 2;
	table->entries = arena_array(table->arena, table->capacity, sizeof(*table->entries));
}

size_t table_set(struct table *table, const char *name, size_t value)
{
	uint32_t sum = hash(name);
	struct table_entry *entry;
	size_t before = TABLE_NONE;

	if (table->count * 4 >= table->capacity * 3)
		table_grow(table);
	entry = table_find(table, name, sum);
	if (entry->name)
		before = entry->value;
	else
		table->count++;
	*entry =
		(struct table_entry){ .name = entry->name ? entry->name : name, .value = (uint32_t)value, .hash = sum };
	return before;
}

size_t table_get(const struct table *table, const char *name)
{
	const struct table_entry *entry;

	if (!table->capacity)
		return TABLE_NONE;
	entry = table_find(table, name, hash(name));
	return entry->name ? entry->value : TABLE_NONE;
}
