/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulated_failure.h - why a simulation has no counts, or none that mean anything: from what Valgrind logged, and how the program ended. */
#ifndef TOPDOWN_SIMULATED_FAILURE_H
#define TOPDOWN_SIMULATED_FAILURE_H

#include "count/simulated_counts.h"
#include "base/error.h"

struct simulated_run {
	const char *log;	/* what Valgrind wrote of the program; NULL: nothing */
	const char *core;	/* the file of the core's parameters */
	const char *folder;	/* where the counts were to be written */
	int status;		/* of the program, 128 + N for a signal */
	bool is_interrupted;	/* topdown was told to end */
	enum simulated_end end; /* of the counts */
};

/* 0 where there is nothing to explain; else -1, and err ends with the program's exit status where it has one. */
int simulated_failure(const struct simulated_run *run, struct arena *arena, struct error *err) MUST_CHECK;

#endif
