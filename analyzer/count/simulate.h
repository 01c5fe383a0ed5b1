/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simulate.h - the collector without a PMU: runs the program under Valgrind with the tool of analyzer/sim, and takes what that
 * counts as one group of one run. It counts user mode only, and the program's time is the simulation's.
 */
#ifndef TOPDOWN_SIMULATE_H
#define TOPDOWN_SIMULATE_H

#include "count/count.h"
#include "load/sim_core.h"

struct simulator {
	const char *valgrind; /* the program */
	const char *folder;   /* what Valgrind takes for its own (VALGRIND_LIB): its files and the tool */
};

/* Is all there that a simulation needs? -1 and err with the remedy if not. */
int simulator_find(struct simulator *simulator, struct arena *arena, struct error *err) MUST_CHECK;

struct simulation {
	const struct simulator *simulator;
	const struct sim_core *core;
	const struct program *program;
	const struct model *model; /* whose database names what is counted */
	double sample;		   /* fraction of the instructions that are modelled in detail; 0: all */
	bool has_children;	   /* what its processes start with exec is simulated too */
	bool has_lines;		   /* by source line too */
	bool has_threads;	   /* each thread is a part of its own */
	bool is_anchored;	   /* the program runs natively too, to compare */
};

/*
 * Runs the program and fills the part that measured has (items, lines, run, group, scope, anchor); with has_threads there is a copy of it for each
 * thread then, with the thread's own items, and the anchor stays with the first. stdin, stdout and stderr are the program's own, and
 * signals are passed on. -1 when it could not be run, or left no counts; err then ends with its exit status where it has one.
 */
int simulate_program(struct measurement *measured, const struct simulation *simulation, struct arena *arena,
		     struct error *err) MUST_CHECK;

#endif
