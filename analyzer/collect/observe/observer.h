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
#include "common/system/loop.h"

struct measurement;
struct request;

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

/*
 * What can be observed of any request: a row of observer_kinds.c each. What takes more to begin, as sampling does, the
 * engine begins; and a front end may bring its own (struct setup).
 */
struct observer_kind {
	bool (*is_wanted)(const struct request *request);
	int (*check)(const struct request *request, struct error *err); /* before anything runs */
	struct observer *(*make)(const struct request *request);	/* in its arena; NULL: count reads it itself */
};

extern const struct observer_kind observe_calls, observe_pressure;

#define OBSERVER_KINDS 2

/* -1 where one that is wanted can't be. */
int observers_check(const struct request *request, struct error *err) MUST_CHECK;

/* Those that are wanted; returns their number, at most OBSERVER_KINDS. */
size_t observers_make(struct observer **observers, const struct request *request);

#endif
