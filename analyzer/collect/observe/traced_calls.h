/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * traced_calls.h - system calls, counted by the kernel's tracepoint raw_syscalls:sys_enter beside the first run of each
 * repeat: all of them, and those of some names. While it is open, each system call of the machine takes longer, so
 * nothing is counted unasked.
 */
#ifndef TOPDOWN_COLLECT_OBSERVE_TRACED_CALLS_H
#define TOPDOWN_COLLECT_OBSERVE_TRACED_CALLS_H

#include "collect/observe/observer.h"
#include "common/measurement/counts.h"

#define TRACED_ALL "all" /* the name of their sum */

struct traced_fd {
	int fd;
	size_t call; /* of calls */
};

struct traced_calls {
	struct observer observer;
	struct arena *arena;
	uint64_t tracepoint;
	struct system_call *calls; /* of one repeat, from 0: the sum, then those that were asked for */
	char **filters;		   /* NULL: of the sum */
	size_t ncalls;
	struct traced_fd *open;
	size_t nopen, room;
	bool starts_by_itself;
	struct system_call **repeats; /* calls of each that was counted; NULL: it was not */
	size_t nrepeats, repeats_room;
	struct error refused; /* why they are not counted; "": they are */
};

/* -1 where one of the names, which are separated by commas, is no system call. */
int traced_calls_check(const char *names, struct arena *arena, struct error *err) MUST_CHECK;

/* "all" alone is the sum only. What the machine does not allow is no error: the counts say it. Must not move. */
void traced_calls_init(struct traced_calls *traced, const char *names, const char *sysroot, struct arena *arena);

#endif
