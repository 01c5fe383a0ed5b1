/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core_strings.h - repeated string instructions. Valgrind runs them an element at a time, as a block that jumps to
 * itself. A core has microcode for them: after a start it moves chunks, without a fetch or a branch for each.
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_CORE_STRINGS_H
#define TOPDOWN_SIMULATOR_MODEL_CORE_STRINGS_H

#include "simulator/model/core.h"

/*
 * Counts one more element of a block with is_repeated. Is it one that touches memory: the last of a chunk, or of the
 * instruction?
 */
bool strings_is_chunk(struct core *core, const struct execution *execution);

/* A chunk on its way through the core: bytes of its instruction before it, and where fetch was. */
struct string_chunk {
	uint64_t before, fetch;
};

/* In detail: before core_execute, if there is a chunk to execute, and behind it. */
bool strings_begin(struct core *core, const struct execution *execution, struct string_chunk *chunk);
void strings_end(struct core *core, const struct block *block, const struct string_chunk *chunk);

#endif
