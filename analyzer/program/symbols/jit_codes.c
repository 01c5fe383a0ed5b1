/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/symbols/jit_codes.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/sorted.h"

void jit_codes_init(struct jit_codes *codes, const uint64_t *addresses, size_t count, struct arena *arena)
{
	*codes = (struct jit_codes){ .arena = arena,
				     .addresses = addresses,
				     .owners = arena_array(arena, count, sizeof(*codes->owners)),
				     .naddresses = count };
}

/* The number of the first address that is not below. */
static size_t first_at(const struct jit_codes *codes, uint64_t address)
{
	return sorted_below(SORTED_NUMBERS(codes->addresses, codes->naddresses), address);
}

void jit_codes_add(struct jit_codes *codes, const struct jit_code *code)
{
	if (codes->count >= UINT32_MAX)
		return;
	codes->items = arena_grow(codes->arena, codes->items, codes->count, &codes->capacity, sizeof(*codes->items));
	codes->items[codes->count++] = *code;
	for (size_t i = first_at(codes, code->begin);
	     i < codes->naddresses && codes->addresses[i] - code->begin < code->size; i++)
		codes->owners[i] = (uint32_t)codes->count;
}

const struct jit_code *jit_codes_at(const struct jit_codes *codes, size_t number)
{
	return codes->owners[number] ? &codes->items[codes->owners[number] - 1] : NULL;
}

const struct jit_line *jit_code_line(const struct jit_code *code, uint64_t address)
{
	uint64_t at = address - code->begin + code->made_at;
	const struct jit_line *best = NULL;

	for (size_t i = 0; i < code->nlines; i++)
		if (code->lines[i].address <= at && (!best || code->lines[i].address >= best->address))
			best = &code->lines[i];
	return best;
}

void perf_map_read(struct jit_codes *codes, char *text)
{
	for (char *line = text, *next; line && *line; line = next) {
		struct jit_code code = { .begin = 0 };
		char *end;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		code.begin = code.made_at = strtoull(line, &end, 16);
		if (end == line || *end != ' ')
			continue;
		line = end;
		code.size = strtoull(line, &end, 16);
		if (end == line || *end != ' ' || !code.size)
			continue;
		code.name = end + 1;
		if (*code.name)
			jit_codes_add(codes, &code);
	}
}
