/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simulate.h - the collector without a PMU: runs the program under Valgrind with the tool of analyzer/simulator, and
 * takes what that counts as one group of one run. It counts user mode only, and the program's time is the simulation's.
 */
#ifndef TOPDOWN_COLLECT_SIMULATE_SIMULATE_H
#define TOPDOWN_COLLECT_SIMULATE_SIMULATE_H

#include "collect/count/count.h"
#include "collect/observe/observer.h"
#include "collect/simulate/lookout.h"
#include "collect/simulate/sim_core.h"
#include "collect/simulate/what_if.h"
#include "common/base/arena.h"
#include "common/base/error.h"

/* What a simulation needs: the simulator, and the Valgrind that it was built with. */
struct simulator {
	const char *launcher; /* starts the tool */
	const char *library;  /* Valgrind's own files (VALGRIND_LIB) */
};

/* Is all there, and of one version? -1 and err with the remedy if not. */
int simulator_find(struct simulator *simulator, struct arena *arena, struct error *err) MUST_CHECK;

/* Whether the program runs natively too (native.h), and who learns of it before. */
struct anchor_wish {
	enum anchor_choice choice;
	/* It runs so often at most, and is ended after limit_s each time; NULL: nobody */
	void (*announce)(const void *context, unsigned most_runs, double limit_s);
	double additions; /* cycles that eight independent additions take on this machine's core; 0: unknown */
	const void *context;
	/* Open beside each native run, in user mode: what the kernel counts of it; and beside the first one only. */
	struct observer *software, *beside, *waits; /* NULL: nothing */
};

/* On which other cores the program runs once more for their cycles: known after the first run. */
struct trial_wish {
	const struct sim_trials *(*find)(void *context, const struct counts *counts); /* NULL: on none */
	void *context;
};

/*
 * Code for instructions that this CPU has and Valgrind hides: Valgrind 3.19 has AVX2 at most, and neither SHA nor VAES;
 * on arm64 no SVE. Libraries choose their code by that, and so may run other code natively.
 */
struct hidden_code {
	unsigned kinds;	      /* of such instructions, a bit for each of enum hidden_number */
	const char *features; /* "AVX-512 and SHA"; NULL: nothing is hidden */
	const char *clause;   /* that the program and its libraries have code for them; NULL: none has */
};

/* Of a program, before it runs. flags: the CPU's, as /proc/cpuinfo has them; NULL: unknown. */
void hidden_code_find(struct hidden_code *hidden, const char *flags, const char *program, struct arena *arena);

struct native_first; /* native.h */

/* The program runs natively first, with its terminal, and is then simulated in silence, where that repeats nothing. */
struct native_wish {
	bool is_first;
	double budget_s; /* that the simulation may take: it ends in the middle then */
	/* The native run has ended: is the program to be simulated too? That was held is. Called once. */
	bool (*ended)(void *context, const struct native_first *first);
	void *context;
};

struct simulation {
	const struct simulator *simulator;
	const struct sim_core *core;
	const struct program *program;
	const struct model *model;  /* whose database names what is counted */
	double sample;		    /* fraction of the instructions that are modelled in detail; 0: chosen here */
	double seconds;		    /* what the simulation of a long program may take beside running it; 0: ten */
	const char *toggle;	    /* only calls of this function count; NULL: all of the program */
	double delay;		    /* instructions of each program, of which nothing counts */
	bool has_children;	    /* what its processes start with exec is simulated too */
	bool has_lines;		    /* by source line too */
	bool has_stacks;	    /* ... and by call stack */
	const char *by_instruction; /* ... and in functions of this name by instruction; NULL: in none */
	bool has_loops;		    /* ... of each loop apart */
	bool has_traffic;	    /* lines between the levels, and by source line what it computes and moves */
	bool has_threads;	    /* each thread is a part of its own */
	bool is_pinned;		    /* the program learns nothing of its machine and moment (sim_environment.c) */
	size_t layouts;		    /* runs, each with another layout, that are repeats of the counts; 0: one */

	/* Cores on which it runs once more, each a part of what was measured. */
	const struct sim_core *others;
	size_t nothers;

	struct trial_wish trials;
	struct anchor_wish anchor;
	struct native_wish native;
	double limit;	     /* it ends after so many instructions; 0: with the program */
	bool has_no_scratch; /* what seem to be temporary files are effects too */
	double budget_s;     /* it ends after so many seconds, and before it has an effect; 0: with the program */
	struct simulation_listener listener;
	struct hidden_code hidden;
};

/*
 * Runs the program and fills the part that measured has (items, lines, run, group, scope, anchor), and its profile,
 * which is there when the native run begins. With has_threads there is a copy of the part for each thread then, with
 * the thread's own items, and the anchor stays with the first. Other cores have parts behind the first, which measured
 * has room for and describes. What is tried and fails, or is interrupted, is left out, and a remark says so. stdin,
 * stdout and stderr are the program's own, and signals are passed on. -1 when it could not be run, or left no counts;
 * err then ends with its exit status where it has one.
 */
int simulate_program(struct measurement *measured, const struct simulation *simulation, struct arena *arena,
		     struct error *err) MUST_CHECK;

/* Of simulate_program: the program has run natively, and was not simulated; measured is as it was. */
#define SIMULATED_NATIVELY 1

#endif
