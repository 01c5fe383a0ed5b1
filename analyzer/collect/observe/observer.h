/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * observer.h - what is recorded beside the groups of a measurement: the kernel's own counters, PMUs beside the cores,
 * samples, system calls, whatever comes. It is opened with each run at the same sites and for the same time, so a
 * program, tasks, CPUs, a cgroup, delays, control and limits mean the same for it as for counting. An observer is a
 * file: its functions, and what they know as the context.
 */
#ifndef TOPDOWN_COLLECT_OBSERVE_OBSERVER_H
#define TOPDOWN_COLLECT_OBSERVE_OBSERVER_H

#include "collect/perf/perf.h"
#include "common/base/error.h"
#include "common/system/loop.h"

struct child;
struct count_request;
struct measurement;
struct repeat;
struct request;
struct software;

/* Where something is opened. */
struct observer_site {
	struct perf_target target; /* of one core type; pmu NULL: the type has no model, so no PMU is known */
	size_t type;		   /* of the request */
	size_t part;		   /* of the result that it belongs to */
	size_t own_cpu;		   /* of target.cpu, where it has one: its number among those of the part */
};

struct observer_sites {
	const struct observer_site *items;
	size_t count;
	const struct count_request *request; /* what is counted there (count.h) */
	const struct child *program;	     /* the subject, which waits for its exec (launch.h); NULL: it is none */
	size_t run;			     /* from 0, of this repeat */
	size_t repeat;			     /* from 0 */
};

/* A part of the result that gets what was recorded in a run, or in an interval. */
struct observed {
	size_t part;
	struct repeat *repeat; /* the run is its last; its items have room for all that the plan counts */
	size_t first, count;   /* of these items: those of the run's groups */
	bool is_interval;      /* it gets what came since the last one, and the next one begins; else all of the run */
	struct arena *arena;   /* for what is added */
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
	void (*read)(void *context); /* what has come until now, as the groups are read too; then it is added: */
	void (*add)(void *context, const struct observed *to);
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
	bool (*is_wanted)(const struct request *request);		/* NULL: always */
	int (*check)(const struct request *request, struct error *err); /* before anything runs; NULL: it always can */
	struct observer *(*make)(const struct request *request);	/* in its arena */
};

extern const struct observer_kind observe_calls, observe_software, observe_units, observe_waits;

#define OBSERVER_KINDS 4

/* -1 where one that is wanted can't be. */
int observers_check(const struct request *request, struct error *err) MUST_CHECK;

/* Those that are wanted; returns their number, at most OBSERVER_KINDS. */
size_t observers_make(struct observer **observers, const struct request *request);

/* ---- observers.c: the same functions of several, in their order. They end with NULL; NULL: there are none. ---- */

/* The most that one of them needs of each repeat. */
size_t observers_runs(struct observer *const *observers);
int observers_open(struct observer *const *observers, const struct observer_sites *sites, struct error *err) MUST_CHECK;
void observers_attach(struct observer *const *observers, struct loop *loop);
void observers_change(struct observer *const *observers, bool is_on);
void observers_read(struct observer *const *observers);
void observers_add(struct observer *const *observers, const struct observed *to);
void observers_interval(struct observer *const *observers, size_t number);
void observers_close(struct observer *const *observers);
void observers_finish(struct observer *const *observers, struct measurement *measured);

/* ---- pressure_counts.c: --pressure, how long the work waited; kinds of what software_counts.c observes ---- */

struct pressure_watch;

/* -1 where this kernel has nothing of it. */
int pressure_check(const struct request *request, struct error *err) MUST_CHECK;

/* Of a run's subject. sysroot: where the machine's files are; NULL or "": this machine. */
struct pressure_watch *pressure_watch_new(const struct observer_sites *sites, const char *sysroot, struct arena *arena);

/* At the threads that run now; attached, now and then. watch NULL: nobody asks, here and below. */
void pressure_look(struct pressure_watch *watch);
void pressure_attach(struct pressure_watch *watch, struct loop *loop);

/* What the kernel says now, of one thread or (0) of all; two such readings make a value. */
void pressure_tell(struct software *s, const struct pressure_watch *watch, pid_t thread);

/* ---- traced_points.c: tracepoints that -e names; a part of what software_counts.c observes ---- */

struct traced_points;

/* Of those events that are tracepoints. NULL: none is; then nothing is done here and below. */
struct traced_points *traced_points_new(const char *events, const char *sysroot, struct arena *arena);
void traced_points_begin(struct traced_points *points, size_t nparts);
void traced_points_open(struct traced_points *points, const struct observer_site *at);
void traced_points_switch(const struct traced_points *points, bool is_on);
void traced_points_read(struct traced_points *points);
void traced_points_take(struct software *to, struct traced_points *points, const struct observed *of);
void traced_points_close(struct traced_points *points);

#endif
