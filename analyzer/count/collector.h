/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collector.h - what lasts through a measurement, for the files that it is made of; nobody else includes it. */
#ifndef TOPDOWN_COLLECTOR_H
#define TOPDOWN_COLLECTOR_H

#include <sys/resource.h>

#include "count/control.h"
#include "count/input.h"
#include "count/launch.h"
#include "count/places.h"
#include "count/signals.h"

/* Time during which groups counted. */
struct stopwatch {
	double seconds; /* until it was stopped last */
	double since;	/* CLOCK_MONOTONIC, if is_on */
	double turning; /* of them, what turning groups on and off took: one after the other, all over the machine */
	bool is_on;
};

struct collector {
	const struct count_request *request;
	struct measurement *measured;
	struct arena *arena;
	struct places places;
	enum scope scope;
	enum perf_start start; /* of the groups */
	size_t nruns, run;     /* run counts from 0 */
	size_t repeat;	       /* from 0 */
	size_t starts;	       /* of the program so far */
	size_t turn;	       /* of the groups, when they rotate: the interval's number */
	struct signals signals;
	struct control control;
	struct input input;
	struct rlimit descriptors; /* as they were before perf_open raised them */
	struct stopwatch watch;	   /* of the current run */
	bool is_killed;		   /* the last program, by a signal */
	bool is_incomplete;	   /* threads came faster than they could be attached */
	bool has_failed;	   /* the program, when it was started first */
	bool is_uncounted;	   /* the last run: it ended before anything was to be counted */
	struct measurement interval;
	struct arena interval_arena; /* until the next interval */
};

static inline bool is_rotating(const struct collector *c)
{
	return c->request->timing.interval_s > 0 && c->request->timing.is_rotating;
}

/* From the start of each run on? */
static inline bool is_counted_at_once(const struct count_request *request)
{
	return !(request->timing.delay_s > 0) && !(request->timing.delay_s < 0);
}

/* groups.c: what is open in a run, at all places. program is the pid of the program, or 0. */

/* -1 when nothing could be opened at all: err has the first reason. Close in any case. */
int groups_open(struct collector *c, pid_t program, struct error *err) MUST_CHECK;
/* Lets count those groups whose turn it is, or none. */
void groups_switch(struct collector *c, bool is_on);
void groups_read(struct collector *c);
/* Those that have to be read often. */
void groups_read_metrics(struct collector *c);
bool has_metric_groups(const struct collector *c);
void groups_close(struct collector *c);
/* Is it the place's group's turn? Always, unless they rotate. */
bool is_its_turn(const struct collector *c, const struct place *place, size_t group);

/* totals.c: from what the places have read to the counts of the parts. */

/* Makes the parts, with what is known of them and room for all that the plans count. Once, when the places are known. */
void parts_make(struct measurement *measured, const struct collector *c);

/* Room for what the plans have got since parts_make. */
void parts_grow(struct measurement *measured, const struct collector *c);

/* Adds what was counted in the current run to the parts. run->cpu_s NAN: the groups' own times tell it. */
void totals_add_run(struct collector *c, const struct count_run *run);

/* c->interval becomes what was counted since the last one. */
void totals_make_interval(struct collector *c, double from_s, double to_s);

/* watch.c: a run from its start to its end. */

/* Seconds of CLOCK_MONOTONIC. */
double clock_now(void);

/*
 * child: the program that waits to be released, or NULL. Fills run, and has read the groups. -1 when the program can't be
 * executed, or an interval can't be told.
 */
int watch_run(struct collector *c, struct child *child, struct count_run *run, struct error *err) MUST_CHECK;

#endif
