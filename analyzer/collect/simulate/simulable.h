/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simulable.h - why a program can't be simulated, in one sentence with what to do: before it starts, and from what
 * Valgrind logged and how the program ended.
 */
#ifndef TOPDOWN_COLLECT_SIMULATE_SIMULABLE_H
#define TOPDOWN_COLLECT_SIMULATE_SIMULABLE_H

#include "collect/simulate/simulated_counts.h"

/*
 * -1 and err for a program with another user's rights, of another kind than this machine's 64-bit ones, or that can't
 * be read; and for what the kernel would not execute either, which Valgrind gives to a shell or stumbles over. A
 * script is what its interpreter is.
 */
int simulable_check(const char *path, struct error *err) MUST_CHECK;

struct simulated_run {
	const char *log;	/* what Valgrind wrote of the program; NULL: nothing */
	const char *core;	/* the file of the core's parameters */
	const char *folder;	/* where the counts were to be written */
	int status;		/* of the program, 128 + N for a signal */
	int interrupted_by;	/* the signal that topdown was to end by; 0: none came */
	enum simulated_end end; /* of the counts */
};

/* Valgrind's logs are named NUMBER.log, by the process's. */
#define LOG_SUFFIX ".log"

/* The instruction that Valgrind could not run, behind "the program", with what to do; NULL: the log has none. */
const char *simulable_instruction(const char *log, struct arena *arena);

/* 0 where there is nothing to explain; else -1, and err ends with the program's exit status where it has one. */
int simulated_failure(const struct simulated_run *run, struct arena *arena, struct error *err) MUST_CHECK;

#endif
