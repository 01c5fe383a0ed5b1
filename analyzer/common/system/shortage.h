/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shortage.h - what the system gives no more of, descriptors, processes or memory, and the command that changes it. */
#ifndef TOPDOWN_COMMON_SYSTEM_SHORTAGE_H
#define TOPDOWN_COMMON_SYSTEM_SHORTAGE_H

#include <stddef.h>

#include "common/base/error.h"

/* Always -1: what was being done ("the program can't be started", or "") failed with that errno. */
int shortage(struct error *err, const char *what, int error_number);

/*
 * -1 where so many files more can't be opened (at most 32 are tried): what needs them would seem not to be there, or
 * not to work.
 */
int shortage_check(size_t descriptors, struct error *err) MUST_CHECK;

struct limit_need {
	int limit;	  /* RLIMIT_... */
	char letter;	  /* of ulimit */
	const char *text; /* "a simulation needs an address space" */
	unsigned mib;
};

/* -1 where the limit is lower: what is beyond it ends a process by a signal, or with pages of its own. */
int shortage_check_limit(const struct limit_need *need, struct error *err) MUST_CHECK;

#endif
