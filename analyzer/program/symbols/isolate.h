/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * isolate.h - work on files from strangers, in processes of its own: what crashes, hangs or takes all memory there is
 * ended there, and costs its own answer only. At most as many processes at a time as there are CPUs.
 */
#ifndef TOPDOWN_PROGRAM_SYMBOLS_ISOLATE_H
#define TOPDOWN_PROGRAM_SYMBOLS_ISOLATE_H

#include <stddef.h>

#include "common/base/arena.h"
#include "common/base/error.h"

/* In the new process, whose stdin, stdout and stderr are /dev/null; what it writes to `out` is its answer. 0, or -1. */
typedef int isolated_work(const void *context, int out);

enum isolated_end {
	ISOLATED_DONE,
	ISOLATED_FAILED, /* it returned -1, or exited by itself */
	ISOLATED_CRASHED,
	ISOLATED_LATE,	  /* it took more than its time */
	ISOLATED_TOO_LONG /* its answer is longer than any that is right */
};

struct isolated {
	isolated_work *work;
	const void *context;
	double limit_s;	       /* CPU time; waiting may take three times as long */
	size_t most;	       /* bytes of an answer */
	enum isolated_end end; /* the rest is filled */
	int status;	       /* that it exited with, if it did */
	unsigned char *answer; /* in the arena */
	size_t length;
};

/* Does them all. -1 only where no process or pipe can be made: those that had been started are ended. */
int isolate(struct isolated *works, size_t count, struct arena *arena, struct error *err) MUST_CHECK;

/* "crashed", "took more than its time" ...: a clause's predicate. */
const char *isolated_end_text(enum isolated_end end);

#endif
