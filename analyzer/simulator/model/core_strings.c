/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/core_internal.h"

#define SHORT_STRING 64 /* bytes; cores that are fast with short ones are so up to here at least (string_short) */
/*
 * What an element takes where nothing is stored (SCAS, LODS), each by itself: 2.07 measured on Zen 4, 2 on Intel by
 * Agner Fog's tables.
 */
#define ELEMENT_CYCLES 2

static uint64_t element_bytes(const struct block *block)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < block->nuops; i++)
		if (block->uops[i].kind >= KIND_LOAD && block->uops[i].size > bytes)
			bytes = block->uops[i].size;
	return bytes;
}

bool strings_is_chunk(struct core *core, const struct execution *execution)
{
	const struct block *block = execution->block;
	struct repeated *repeated = &core->repeated;

	if (repeated->block != block)
		*repeated = (struct repeated){ .block = block, .element = element_bytes(block) };
	repeated->chunk += repeated->element;
	repeated->bytes += repeated->element;
	if (execution->next != block->address)
		repeated->block = NULL;
	else if (block->nstores && repeated->chunk < core->parameters.string_bytes)
		return false;
	repeated->chunk = 0;
	return true;
}

/* The microcode's start, of which a long string has more. */
static void core_strings_start(struct core *core, uint64_t before, uint64_t bytes)
{
	const struct parameters *p = &core->parameters;
	uint64_t cycles = before ? 0 : p->string_start, most = p->string_short ? p->string_short : SHORT_STRING;

	if (before <= most && bytes > most && p->string_long_start > p->string_start)
		cycles += p->string_long_start - p->string_start;
	slots_lose(core, core->cycle + cycles, CAUSE_MICROCODE_SWITCH, core->base);
}

bool strings_begin(struct core *core, const struct execution *execution, struct string_chunk *chunk)
{
	const struct repeated *repeated = &core->repeated;

	chunk->before = repeated->block == execution->block ? repeated->bytes - repeated->chunk : 0;
	if (!strings_is_chunk(core, execution))
		return false;
	chunk->fetch = core->fetch;
	/* What microcode goes on with is not fetched again. */
	if (chunk->before)
		core->fetch = 0;
	return true;
}

void strings_end(struct core *core, const struct block *block, const struct string_chunk *chunk)
{
	if (chunk->before)
		core->fetch = chunk->fetch;
	core_strings_start(core, chunk->before, core->repeated.bytes);
	/* A chunk a cycle. */
	slots_lose(core, core->repeated.next, CAUSE_STORE, core->base);
	core->repeated.next = core->cycle + 1;
	if (!block->nstores)
		slots_lose(core, core->cycle + ELEMENT_CYCLES, CAUSE_MICROCODE_SWITCH, core->base);
}
