/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drawn_loops.h - loops that are drawn by their numbers, and how long they take: for tests that change a core a little
 * and ask for what follows.
 */
#ifndef TOPDOWN_TESTS_DRAWN_LOOPS_H
#define TOPDOWN_TESTS_DRAWN_LOOPS_H

#include "collect/simulate/sim_core.h"
#include "simulator/model/parameters.h"

#define LOOPS 100 /* numbers from 0 */

/* What a loop has beside arithmetic, loads, stores and branches that are predicted. */
enum loop_traits {
	LOOP_TURNS = 1 << 0,	 /* each branch goes anywhere */
	LOOP_FAR = 1 << 1,	 /* rounds are in copies of the code, a page apart */
	LOOP_WAITS = 1 << 2,	 /* fences and atomic operations */
	LOOP_MICROCODE = 1 << 3, /* instructions of several micro-ops from the sequencer */
	LOOP_SCATTERED = 1 << 4, /* accesses at random to a table, of 64 KiB to 64 MiB by the loop's number */
	LOOP_SHARED = 1 << 5,	 /* two cores in turns, whose accesses are all to a few lines */
	LOOP_NARROW = 1 << 6,	 /* operations of one kind alone, by the loop's number, some of each round's before */
};

/* Cycles of some thousand instructions, after as many that are not timed. */
double loop_cycles(const struct parameters *parameters, unsigned number, unsigned traits);

struct parameters loop_core(const struct sim_core *core, struct arena *arena);

#endif
