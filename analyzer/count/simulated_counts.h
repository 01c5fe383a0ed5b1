/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulated_counts.h - what the simulator's processes have left in files (sim/output.h), added up. */
#ifndef TOPDOWN_SIMULATED_COUNTS_H
#define TOPDOWN_SIMULATED_COUNTS_H

#include "evaluate/counts.h"
#include "load/event.h"

#define COUNTS_SUFFIX ".counts" /* end of the names of these files; they begin with the process's number */

struct simulated_files {
	const char *folder;
	int pid;	/* of the program, without whose file the others say nothing */
	bool has_lines; /* they have counts by source line too */
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

/*
 * Fills counts->items, one for each event of the database in its order, and counts->lines; threads, where the files tell them apart (may be NULL).
 * False when the program's own file is not there, or a file can't be read.
 */
bool simulated_counts_read(struct counts *counts, struct simulated_threads *threads,
			   const struct simulated_files *files, const struct event_database *database,
			   struct arena *arena) MUST_CHECK;

#endif
