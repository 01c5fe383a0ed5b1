/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/symbols/symbol_table.h"

#include <stdlib.h>
#include <string.h>

void symbol_table_init(struct symbol_table *table, struct arena *arena)
{
	*table = (struct symbol_table){ .arena = arena, .ranges = INTERVALS_INIT(arena) };
}

/* The bits of what counts more stand higher. */
static uint32_t rank_of(const struct table_symbol *symbol)
{
	uint32_t underscores = (uint32_t)strspn(symbol->name, "_");
	size_t length = strlen(symbol->name);

	return (uint32_t)symbol->is_open << 31 | (uint32_t)symbol->is_local << 30 | (uint32_t)symbol->is_untyped << 29 |
	       (underscores < 255 ? underscores : 255) << 17 | (uint32_t)symbol->is_weak << 16 |
	       (uint32_t)(length < 0xffff ? length : 0xffff);
}

void symbol_table_add(struct symbol_table *table, const struct table_symbol *symbol)
{
	struct table_symbol *added;

	if (symbol->begin >= symbol->end || !*symbol->name || table->count >= INTERVAL_NONE)
		return;
	table->symbols =
		arena_grow(table->arena, table->symbols, table->count, &table->capacity, sizeof(*table->symbols));
	added = &table->symbols[table->count++];
	*added = *symbol;
	added->rank = rank_of(symbol);
}

static int symbol_table_compare(const void *left, const void *right)
{
	const struct table_symbol *a = left, *b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void drop_aliases(struct symbol_table *table)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->count; i++)
		if (!kept || table->symbols[i].begin != table->symbols[kept - 1].begin)
			table->symbols[kept++] = table->symbols[i];
	table->count = kept;
}

void symbol_table_sort(struct symbol_table *table)
{
	uint64_t sized_end = 0; /* of those before */

	if (table->count)
		qsort(table->symbols, table->count, sizeof(*table->symbols), symbol_table_compare);
	drop_aliases(table);
	for (size_t i = 0; i < table->count; i++) {
		struct table_symbol *symbol = &table->symbols[i];

		if (symbol->is_open && symbol->begin < sized_end)
			continue; /* a label inside of a function */
		if (symbol->is_open && i + 1 < table->count && table->symbols[i + 1].begin < symbol->end)
			symbol->end = table->symbols[i + 1].begin;
		if (!symbol->is_open && symbol->end > sized_end)
			sized_end = symbol->end;
		intervals_add(&table->ranges, symbol->begin, symbol->end, (uint32_t)i);
	}
	intervals_sort(&table->ranges);
}

struct table_symbol *symbol_table_find(const struct symbol_table *table, uint64_t address)
{
	const struct interval *range = intervals_find(&table->ranges, address);

	return range ? &table->symbols[range->value] : NULL;
}
