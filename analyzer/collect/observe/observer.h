/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * observer.h - what is recorded beside the groups of a measurement: samples, system calls, whatever comes. It is opened
 * with each run at the same sites and for the same time, so a program, tasks, CPUs, a cgroup, delays, control and
 * limits mean the same for it as for counting. An observer is a file: its functions, and what they know as the context.
 */
#ifndef TOPDOWN_COLLECT_OBSERVE_OBSERVER_H
#define TOPDOWN_COLLECT_OBSERVE_OBSERVER_H

#include "collect/perf/perf.h"
#include "common/base/error.h"
#include "common/base/loop.h"
#include "common/measurement/counts.h"

struct measurement;

/* Where something is opened. */
struct observer_site {
	struct perf_target target; /* of one core type; pmu NULL: the type has no model, so no PMU is known */
	size_t type;		   /* of the request */
};

struct observer_sites {
	const struct observer_site *items;
	size_t count;
	const char *name; /* of the subject: "process 7"; NULL: a program */
	pid_t program;	  /* that waits for its exec; 0: none */
	size_t run;	  /* from 0, of this repeat */
	size_t repeat;	  /* from 0 */
};

/* A function that is NULL is not its business. Each gets the context. */
struct observer {
	void *context;
	size_t runs; /* that it needs of each repeat; the plans may need more. It may change until the last is made */
	/* Before the run counts. -1: nothing could be opened, and the run is not made. Close in any case. */
	int (*open)(void *context, const struct observer_sites *sites, struct error *err);
	void (*attach)(void *context, struct loop *loop); /* adds what has to be waited for; the loop is of this run */
	/* Counting goes on, or pauses. What was opened with PERF_START_WITH_EXEC starts by itself the first time. */
	void (*change)(void *context, bool is_on);
	void (*interval)(void *context, size_t number); /* the next interval begins; number from 1 */
	/* The run has ended: what is left is read. It may be called without open, and open be called once more. */
	void (*close)(void *context);
	/* After the last run: adds what it has to the measurement. NULL: that has failed, and nothing is kept. */
	void (*finish)(void *context, struct measurement *measured);
};

/* ---- traced_calls.c ---- */

/*
 * System calls, counted by the kernel's tracepoint raw_syscalls:sys_enter beside the first run of each repeat: all
 * of them, and those of some names. While it is open, each system call of the machine takes longer, so nothing is
 * counted unasked.
 */

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
