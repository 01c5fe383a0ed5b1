/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collector.h - the state of a measurement, shared by the files of this folder only. */
#ifndef TOPDOWN_COLLECT_COUNT_COLLECTOR_H
#define TOPDOWN_COLLECT_COUNT_COLLECTOR_H

#include <stddef.h>
#include <sys/resource.h>

#include "collect/count/count.h"
#include "collect/count/descendants.h"
#include "collect/count/input.h"
#include "collect/count/launch.h"
#include "collect/count/signals.h"
#include "collect/perf/perf_group.h"
#include "common/base/error.h"
#include "common/base/table.h"
#include "common/system/loop.h"

/*
 * ---- control.c: a FIFO through which another program says when to count: lines with one word each. Each is answered
 * in a second FIFO, if there is one: "ack" when it was done, else what is wrong. Any number of writers may come and go.
 */

enum control_word { CONTROL_NONE, CONTROL_ENABLE, CONTROL_DISABLE, CONTROL_STOP };

struct control {
	int words, answers; /* descriptors, -1: there is none */
	char line[32];	    /* the beginning of a line whose end has not come yet */
	size_t length;
	char unknown[32]; /* the first line that is none of the words; "": all are */
};

/* Nothing is open. */
#define CONTROL_CLOSED                                                                                                 \
	{                                                                                                              \
		.words = -1, .answers = -1                                                                             \
	}

/* "FIFO" or "FIFO,ANSWERS"; NULL: there is none. -1 when one is no FIFO. Close in any case. */
int control_open(struct control *control, const char *paths, struct error *err) MUST_CHECK;

/* The next word that has come; CONTROL_NONE: none. An unknown one is answered here. */
enum control_word control_next(struct control *control);

/* Answers that the word of control_next is done. */
void control_done(const struct control *control);
void control_close(struct control *control);

/*
 * ---- sites.c: where the groups of a plan are opened: a task on any CPU, a CPU whatever runs there, a task or a cgroup
 * on one CPU. Each site counts for one core type and belongs to one part of the result.
 */

#define PID_OF_PROGRAM 0 /* of a site: the program, which is not started yet */

struct site {
	pid_t pid; /* -1: all on the CPU; the descriptor of the cgroup's directory */
	const unsigned *cpu;
	size_t type, part, own_cpu; /* own_cpu: its number among those of the part, where there is a cpu */
	struct perf_group *groups;  /* of the run that is being counted */
	struct count **before;	    /* their items when the last interval ended */
	size_t ngroups;
	bool is_gone; /* the task had ended, or the CPU was offline, when the groups were opened */
};

struct part {
	const char *label; /* "thread 12 worker, cpu_atom"; NULL: all that is measured */
	size_t type;
	struct counted_cpu *cpus; /* the CPUs of its sites, each once */
	size_t ncpus, capacity;
};

struct sites {
	struct site *items;
	size_t count, capacity;
	struct part *parts;
	size_t nparts, parts_capacity;
	struct table by_label; /* parts */
	pid_t *threads;	       /* of SUBJECT_PROCESSES and SUBJECT_THREADS, ascending: those that there are sites for */
	size_t nthreads;
	int cgroup; /* descriptor, or -1 */
};

/* Finds what the subject has at this moment. -1 when the cgroup can't be opened. Release in any case. */
int sites_find(struct sites *sites, const struct count_request *request, struct arena *arena,
	       struct error *err) MUST_CHECK;
void sites_release(struct sites *sites);

/* Has the subject threads for which there are no sites, because they came since sites_find? */
bool sites_are_incomplete(const struct sites *sites, const struct subject *subject, struct arena *arena);

/* Does time in which the site could not have counted pass for its groups: on other CPUs, or on cores of other types? */
bool is_site_confined(const struct site *site, const struct count_request *request);

/* A zombie has ended, even if nobody has asked for its status yet. */
bool is_task_running(pid_t task);

/* ---- a measurement ---- */

/* How long the intervals really were. */
struct pace {
	size_t count, late; /* late: by more than LATE_SHARE of the interval, or too early */
	double sum_s, longest_s;
};

/* Time during which groups counted. */
struct stopwatch {
	double seconds;	  /* counted until it was stopped last */
	double since;	  /* CLOCK_MONOTONIC, if is_on */
	double switching; /* the share of seconds that switching the groups took, one after the other on all CPUs */
	bool is_on;
};

/* turns.c: see there. Of the current run; parts NULL: its groups share nothing. */
struct turns {
	struct turn_part *parts;
	size_t ngroups;
	size_t *order, nordered; /* groups that are still to sit out, the last one first */
	size_t off;		 /* the one that does; TABLE_NONE: none */
	double sat_out;		 /* for how long, s */
	double since;		 /* CLOCK_MONOTONIC, s */
	uint64_t chance;	 /* state of the random numbers */
	bool is_shuffled;	 /* groups were switched off in turn, so their enabled times differ */
};

struct collector {
	const struct count_request *request;
	struct measurement *measured;
	struct arena *arena;
	struct sites sites;
	enum scope scope;
	enum perf_start start; /* of the groups */
	size_t nruns, run;     /* run counts from 0 */
	size_t repeat;	       /* from 0 */
	size_t starts;	       /* of the program so far */
	size_t ninterval;      /* intervals so far, where each has a group of its own */
	struct pace pace;
	struct signals signals;
	struct control control;
	struct input input;
	struct rlimit descriptors;  /* as they were before perf_open raised them */
	struct stopwatch stopwatch; /* of the current run */
	struct process *outliving;  /* what the runs have left behind, which was not ended */
	size_t noutliving, outliving_capacity;
	size_t nlimited;    /* runs that the limit ended */
	size_t nforced;	    /* processes that SIGTERM did not end, but SIGKILL */
	bool is_cut;	    /* a signal to topdown came while the last run was made */
	bool is_killed;	    /* the last program, by a signal */
	bool is_incomplete; /* threads came faster than they could be attached */
	bool has_failed;    /* the program, when it was started first */
	bool is_uncounted;  /* the last run: it ended before counting began */
	struct error later; /* why a run after the first one failed, which ended the series */
	struct turns turns;
	const struct child *program; /* of the current run, if that is the subject; else NULL */
	struct measurement interval;
	struct arena interval_arena; /* until the next interval */
};

static inline bool is_multiplexed_by_interval(const struct collector *c)
{
	return c->request->timing.interval_s > 0 && c->request->timing.is_multiplexed_by_interval;
}

static inline double ending_s(const struct collector *c)
{
	return c->request->timing.ending_s > 0 ? c->request->timing.ending_s : ENDING_S;
}

/* Does each run count from its start? */
static inline bool is_counted_at_once(const struct count_request *request)
{
	return !(request->timing.delay_s > 0) && !(request->timing.delay_s < 0);
}

/* groups.c: the groups of a run, open at all sites, and the observers with them. */

/* -1 when nothing could be opened at all: err has the first reason. Close in any case. */
int groups_open(struct collector *c, struct error *err) MUST_CHECK;
/* Switches the active groups on or off. */
void groups_switch(struct collector *c, bool is_on);
/* And what is recorded beside them. */
void beside_switch(const struct collector *c, bool is_on);
void groups_read(struct collector *c);
/* Reads the groups that have to be read often, because of PERF_METRICS. */
void groups_read_metrics(struct collector *c);
bool has_metric_groups(const struct collector *c);
void groups_close(struct collector *c);

/* ---- turns.c: slices of a run whose groups share the counters ---- */

enum span { SPAN_RUN, SPAN_INTERVAL };

/* An item of a part: its number among all items of the run, group by group. */
struct turn_slot {
	size_t part, item;
	enum span span;
};

/* Before the groups count. False: there is one group, or each interval has its own; then nothing is to be done. */
bool turns_begin(struct collector *c);
/* Reads the groups, or lets one sit out or come back. Returns the seconds until it is to be called again. */
double turns_next(struct collector *c);
/* All groups are being switched off: when they count again, so does the one that sat out. */
void turns_pause(struct collector *c);
/* What the groups have read becomes a slice, or a part of one. */
void turns_take(struct collector *c);
/* Gives the item its slices of the run or the interval, in memory of arena. */
void turns_fill(const struct collector *c, const struct turn_slot *slot, struct count *item, struct arena *arena);
void turns_end_interval(struct collector *c);

/* How often the measurement is to be made: at least once. */
size_t repeats_of(const struct collector *c);

/* totals.c: from what the sites have read to the counts of the parts. */

/* Makes the parts from their templates, with room for all that the plans count. Once, when the sites are known. */
void parts_make(struct measurement *measured, const struct collector *c);

/* The next repeat of each part, with room as in parts_make; it counts as one when nrepeats grows. */
void parts_repeat(struct measurement *measured, const struct collector *c);

/* Room for what the plans have got since parts_make. */
void parts_grow(struct measurement *measured, const struct collector *c);

/* How long the group of the site could have counted in this run. */
double group_seconds(const struct collector *c, const struct site *site, size_t group);

/* Adds what was counted in the current run to the parts. run->cpu_s NAN: it is taken from the groups' own times. */
void totals_add_run(struct collector *c, const struct count_run *run);

/* remarks.c: adds a sentence to the remarks of all parts, or of one. */
void parts_remark(struct collector *c, const char *text);
void part_remark(struct collector *c, size_t part, const char *text);
/* What is to be said once the first run was counted. */
void remark_first_run(struct collector *c, const struct count_run *run);

/* totals.c: c->interval becomes what was counted since the last one. */
void totals_make_interval(struct collector *c, double from_s, double to_s);

/* leftovers.c: what the program has started and what is still there when it has ended. */

enum ending {
	ENDING_OWN,	    /* they are left alone, and reported */
	ENDING_INTERRUPTED, /* those that have not left the session on purpose are ended */
	ENDING_LIMIT,	    /* all are ended: they would run beside the next run */
};

/* Was anything left? */
bool leftovers_clear(struct collector *c, enum ending ending);

/* Who was left or killed, in the remarks. */
void leftovers_remark(struct collector *c);
/* meanwhile.c: what happened while it was counted. */

/* -1 when something ran, and no event was ever on a counter: further runs would give nothing either. */
int check_held(const struct collector *c, const struct count_run *run, struct error *err) MUST_CHECK;

/* What the counts of the current run lack, in the remarks. */
void meanwhile_remark(struct collector *c, const struct count_run *run);

bool is_cgroup_removed(const struct sites *sites);
void pace_add(struct pace *pace, double seconds, double wanted_s);

/* watch.c: a run from its start to its end. */

/*
 * child: the program that waits to be released, or NULL. Fills run, and reads the groups. -1 when the program can't be
 * executed, or an interval could not be reported.
 */
int watch_run(struct collector *c, struct child *child, struct count_run *run, struct error *err) MUST_CHECK;

#endif
