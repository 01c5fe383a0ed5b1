/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol_table.h - the functions of a module by address. Of several names of an address it keeps the one that people
 * know: with a size, global, with few leading underscores, not weak, short.
 */
#ifndef TOPDOWN_PROGRAM_SYMBOLS_SYMBOL_TABLE_H
#define TOPDOWN_PROGRAM_SYMBOLS_SYMBOL_TABLE_H

#include <stdbool.h>

#include "program/symbols/intervals.h"

struct table_symbol {
	uint64_t begin;
	uint64_t end;	  /* is_open: where it ends at the latest, since the table has no size of it */
	const char *name; /* borrowed */
	bool is_open, is_local, is_weak, is_untyped;
	uint32_t rank; /* the table's: lower is better */
	uint32_t text; /* the caller's: what it made of the name; 0 at first */
};

struct symbol_table {
	struct arena *arena;
	struct table_symbol *symbols;
	size_t count, capacity;
	struct intervals ranges; /* of symbols */
};

void symbol_table_init(struct symbol_table *table, struct arena *arena);
void symbol_table_add(struct symbol_table *table, const struct table_symbol *symbol);

/* To be called once. A symbol without a size ends where the next begins; inside of another it is a label, and goes. */
void symbol_table_sort(struct symbol_table *table);

/* NULL: the address is in no function. */
struct table_symbol *symbol_table_find(const struct symbol_table *table, uint64_t address) MUST_CHECK;

#endif
