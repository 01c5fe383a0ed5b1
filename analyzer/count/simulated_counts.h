/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulated_counts.h - what the simulator's processes have left in files (sim/output.h), added up. */
#ifndef TOPDOWN_SIMULATED_COUNTS_H
#define TOPDOWN_SIMULATED_COUNTS_H

#include "evaluate/counts.h"
#include "load/event.h"

#define COUNTS_SUFFIX ".counts" /* end of the names of these files; they begin with the process's number */

struct simulated_files {
	const char *folder;
	int pid;	   /* of the program, without whose file the others say nothing */
	bool has_lines;	   /* they have counts by source line too */
	bool has_children; /* what a process became by exec has a file too */
};

/* What one thread counted. */
struct simulated_thread {
	const char *label;   /* "thread 2 sort"; "process 2, thread 1 sort" when there are several */
	struct count *items; /* as counts->items */
};

struct simulated_threads {
	struct simulated_thread
		*items; /* in the order of processes, the program's first, and of their threads' beginnings */
	size_t count;
};

/* What there is beside the sums. */
struct simulated_processes {
	struct simulated_threads threads; /* none where the files don't tell them apart */
	size_t count;			  /* that the program consisted of */
	size_t lost;			  /* processes, or programs that one of them became, without a whole file */
};

enum simulated_end {
	SIMULATED_WHOLE,
	SIMULATED_CUT, /* the program's own file breaks off */
	SIMULATED_NONE /* it is not there */
};

/*
 * Fills counts->items, one for each event of the database in its order, and counts->lines, with what all whole files say together. Where windows of the
 * processes were modelled (inst.modelled of inst.retired), those of all are a sample of the whole. Unless it is SIMULATED_WHOLE nothing is filled.
 */
enum simulated_end simulated_counts_read(struct counts *counts, struct simulated_processes *processes,
					 const struct simulated_files *files, const struct event_database *database,
					 struct arena *arena) MUST_CHECK;

#endif
