/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile_loops.h - the loops of a profile's hottest functions, by their instructions, and which of them each place is
 * in. Source lines say which loops of the code are one of the source: a compiler makes several of a loop of vectors.
 */
#ifndef TOPDOWN_PROGRAM_CODE_PROFILE_LOOPS_H
#define TOPDOWN_PROGRAM_CODE_PROFILE_LOOPS_H

#include "program/code/disassembly.h"
#include "program/symbols/symbols.h"

struct loop_request {
	const struct symbol_request *symbols;
	const double *weights; /* [places of the profile]: the functions with the most are looked at */
	size_t most;	       /* functions */
};

/*
 * After functions have names. Fills the profile's loops and no_loops, and the loop of each place that is in one. Places
 * are those of instructions.
 */
void profile_loops_find(struct profile *profile, const struct loop_request *request);

/* ---- code_loops.c ---- */

/*
 * The natural loops of a function, by its instructions: an instruction to which a jump leads back, and which all
 * ways to that jump pass. A cycle with several entries is none.
 */

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
