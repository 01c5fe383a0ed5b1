/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unsimulated.h - what a simulation has left out of its counts, in sentences for the report. */
#ifndef TOPDOWN_COLLECT_SIMULATE_UNSIMULATED_H
#define TOPDOWN_COLLECT_SIMULATE_UNSIMULATED_H

#include "collect/simulate/simulated_counts.h"

struct unsimulated {
	const struct simulated_processes *processes;
	const char *folder; /* where Valgrind has logged what it could not run */
	int pid;	    /* of the program, whose log is read elsewhere */
	size_t untraced;    /* programs that --trace-children no has left out */
};

/* Adds a remark to the repeat for each kind of work that is missing. */
void unsimulated_remark(struct repeat *repeat, const struct unsimulated *unsimulated, struct arena *arena);

/* Why the cycles of a native run can't be compared with the modelled ones; NULL: they can. */
const char *unsimulated_reason(const struct unsimulated *unsimulated, struct arena *arena);

#endif
