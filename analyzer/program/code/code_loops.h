/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_loops.h - the natural loops of a function, by its instructions: an instruction to which a jump leads back, and
 * which all ways to that jump pass. A cycle with several entries is none.
 */
#ifndef TOPDOWN_PROGRAM_CODE_CODE_LOOPS_H
#define TOPDOWN_PROGRAM_CODE_CODE_LOOPS_H

#include "program/code/disassembly.h"

#define NO_LOOP ((uint32_t)-1)

struct code_loop {
	uint64_t header; /* address of its first instruction */
	uint32_t latch;	 /* number of the last instruction that jumps back to it */
	uint32_t parent; /* the smallest loop around it; NO_LOOP: there is none */
	uint32_t size;	 /* instructions, with those of the loops in it */
};

struct code_loops {
	struct code_loop *items; /* by header */
	uint32_t count;
	uint32_t *of; /* of each instruction the innermost loop; NO_LOOP: it is in none */
};

/*
 * instructions: of one function, by address, the first one is its entry. Jumps out of it end a way. Where a jump
 * through a register leads is not known: it is taken to lead wherever nothing else does. Lives in arena.
 */
void code_loops_find(struct code_loops *loops, const struct instruction *instructions, size_t count,
		     struct arena *arena);

#endif
