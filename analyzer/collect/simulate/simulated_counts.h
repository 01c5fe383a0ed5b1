/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulated_counts.h - what the simulator's processes have left in files (simulator/wire.h), added up. */
#ifndef TOPDOWN_COLLECT_SIMULATE_SIMULATED_COUNTS_H
#define TOPDOWN_COLLECT_SIMULATE_SIMULATED_COUNTS_H

#include "common/measurement/counts.h"
#include "common/measurement/profile.h"
#include "cpu/load/event.h"
#include "simulator/wire.h"

struct simulated_files {
	const char *folder;
	int pid;	   /* of the program, without whose file the others say nothing */
	bool has_lines;	   /* they have counts by source line too */
	bool has_stacks;   /* ... and by call stack */
	bool has_children; /* what a process became by exec has a file too */
};

/* What one thread counted, or was counted in one region. */
struct simulated_thread {
	const char *label;   /* "thread 2 sort"; "process 2, thread 1 sort" when there are several; a region's name */
	bool is_region;	     /* that the program has marked (include/topdown.h) */
	struct count *items; /* as counts->items */
};

struct simulated_threads {
	struct simulated_thread
		*items; /* in the order of processes, the program's first, and of their threads' beginnings */
	size_t count;
	bool has_unbegun; /* a region was ended where none had begun */
};

/* What another run of the program would do a second time, as its system calls show (wire.h, WIRE_EFFECT_...). */
struct simulated_effects {
	const char *call, *what; /* the first effect of any process; NULL: none, or nothing to name */
	bool has_listened;	 /* on a socket */
	int stop_signal;	 /* that asked one of them to end, which caught it; 0: none */
};

/* A program that one of the processes became, and that was not simulated. */
struct native_program {
	const char *path;
	enum wire_obstacle obstacle;
};

/* What there is beside the sums. */
struct simulated_processes {
	struct simulated_effects effects;
	struct profile *profile;	/* rows by call stack; NULL without lines */
	struct native_program *natives; /* each once */
	size_t nnatives;
	struct simulated_threads threads; /* none where the files have none */
	size_t count;			  /* that the program consisted of */
	size_t lost;			  /* processes, or programs that one of them became, without a whole file */
};

enum simulated_end {
	SIMULATED_WHOLE,
	SIMULATED_CUT,	     /* the program's own file breaks off */
	SIMULATED_VERSIONED, /* a file is in another version of the form */
	SIMULATED_NONE	     /* it is not there */
};

/*
 * Fills counts->items, one for each event of the database in its order, and counts->lines, with what all whole files
 * say together. Where windows of the processes were modelled (WIRE_MODELLED of WIRE_RETIRED), those of all are a sample
 * of the whole. Unless it is SIMULATED_WHOLE nothing is filled.
 */
enum simulated_end simulated_counts_read(struct counts *counts, struct simulated_processes *processes,
					 const struct simulated_files *files, const struct event_database *database,
					 struct arena *arena) MUST_CHECK;

#endif
