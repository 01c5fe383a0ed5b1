/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/symbols/lookup.h"

#include <string.h>

/* "memcpy@@GLIBC_2.14", as linkers write versions into symbol tables. A stub's "@plt" stays. */
static const char *without_version(const char *name, struct arena *arena)
{
	const char *version = strstr(name, "@@");

	return version && version > name ? arena_strndup(arena, name, (size_t)(version - name)) : name;
}

uint32_t lookup_symbol_text(struct table_symbol *symbol, struct answer *answer)
{
	if (!symbol->text)
		symbol->text = answer_text(
			answer, symbol_demangle(without_version(symbol->name, answer->arena), answer->arena));
	return symbol->text;
}

bool lookup_add_symbol(const struct symbol_table *table, uint64_t address, uint32_t place, struct answer *answer)
{
	struct table_symbol *symbol = symbol_table_find(table, address);

	return symbol && answer_add(answer, place,
				    &(struct answer_frame){ .function = lookup_symbol_text(symbol, answer),
							    .begin = symbol->begin,
							    .size = symbol->end - symbol->begin });
}
