/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.h - the collector: counts the groups of a plan with perf_event_open, in a program that it runs once for each
 * run of the plan, or in what runs already.
 */
#ifndef TOPDOWN_COLLECT_COUNT_COUNT_H
#define TOPDOWN_COLLECT_COUNT_COUNT_H

#include <stdbool.h>
#include <sys/types.h>

#include "collect/observe/observer.h"
#include "common/measurement/counts.h"
#include "common/measurement/scope.h"
#include "cpu/identify/machine.h"
#include "cpu/plan/plan.h"

/* ---- priority.c ---- */

/*
 * Topdown's own priority while it counts what runs already: beside hundreds of busy tasks it would get so little
 * of the CPUs that switching their counters on takes longer than the measurement.
 */

struct priority {
	int nice; /* as it was before */
	bool is_raised;
};

/* To the best of those that share the CPUs (nice -20), where this process has the right to. */
void priority_raise(struct priority *priority);

/*
 * Before all others that share the CPUs, for the moments in which counters are opened and switched: even at nice -20 a
 * process waits for its turn beside hundreds of busy ones (SCHED_FIFO, sched(7); sched_rt_runtime_us leaves the others
 * a share). Nothing happens where the priority could not be raised.
 */
void priority_hurry(const struct priority *priority);

/* Back to what priority_raise made of it. */
void priority_relax(const struct priority *priority);

/* As it was, of this process or of one that it has started since. */
void priority_restore(const struct priority *priority);

/* ---- the collector ---- */

/* A type of cores, whose counts are a part of their own. Most machines have one. */
struct count_type {
	const char *label; /* "cpu_atom"; NULL: the machine has one type */
	const struct plan *plan;
	/* whose events the plan numbers, on whose PMU they are counted; NULL, of one type: the plan has none */
	const struct model *model;
	const struct counts *template; /* its counts start as a copy of this: what the caller knows of them already */
};

/* Whose work is counted, and in which parts it is reported. */
struct subject {
	enum subject_kind kind;
	bool is_by_thread; /* a part for each of its threads */
	bool is_by_cpu;	   /* counted CPU by CPU, even where the subject is a program or tasks */
	pid_t *ids;	   /* of processes or threads */
	size_t nids;
	unsigned *cpus; /* none: all that are online */
	size_t ncpus;
	const char *cgroup; /* its directory */
	const char *name;   /* for origin.target: "CPUs 0-3"; NULL: a program */
	const char *list;   /* for origin.selector: "0-3", quoted for a shell; NULL: a program, or all CPUs */
};

/* The program to run: SUBJECT_PROGRAM's own, of others the one that decides how long to count. */
struct program {
	char *const *argv;     /* NULL-terminated; NULL: no program */
	const char *path;      /* where it was found: program_find */
	bool is_output_shown;  /* in all runs, not only in the first */
	bool is_output_hidden; /* in the first one too */
	/*
	 * Somebody else has the terminal: what would be written there goes to this descriptor, and what would be read
	 * is empty. 0: nobody has it.
	 */
	int no_terminal;
	const unsigned *cpu;	  /* the only one that it starts on; NULL: any */
	bool has_fixed_addresses; /* it runs without ASLR */
};

/* When to count. */
struct timing {
	/* of each run, from its start; 0: at once, WAIT_FOR_SIGUSR2: until SIGUSR2 or control's "enable" */
	double delay_s;
	const char *control; /* paths of FIFOs as control_open takes them, or NULL. One run for all groups then */
	/*
	 * Counting ends; from the program's start, which gets SIGTERM with all that it has started, else from the first
	 * count; 0: no limit.
	 */
	double limit_s;
	double ending_s;		 /* from that SIGTERM to SIGKILL for those that are still there; 0: ENDING_S */
	double interval_s;		 /* each is reported by itself; 0: none. One run for all groups then */
	bool is_multiplexed_by_interval; /* a group for each interval, instead of all groups in each */
};

#define WAIT_FOR_SIGUSR2 (-1.0)

struct count_request {
	const struct count_type *types;
	size_t ntypes;
	const struct machine *machine;
	struct subject subject;
	struct program program;
	struct timing timing;
	size_t repeats;		  /* measurements of everything; 0: one */
	struct priority priority; /* topdown's own, which the program does not inherit */
	enum scope scope;	  /* SCOPE_ALL becomes SCOPE_USER where only that is allowed, and the counts say so */
	/* Called before each run of several; may be NULL. run counts from 1, runs are those of all repeats. */
	void (*progress)(void *context, size_t run, size_t runs);
	/* Called when counting waits for SIGUSR2 or "enable"; may be NULL. */
	void (*waiting)(void *context);
	/*
	 * Gets each interval, which is gone afterwards; -1 with err ends the measurement, and with STATUS_UNREAD the
	 * program too.
	 */
	int (*interval)(void *context, const struct measurement *interval, struct error *err);
	/*
	 * Called when a run begins to wait, for what the caller wants to add to its loop; and with NULL when that loop
	 * has ended. May be NULL.
	 */
	void (*attach)(void *context, struct loop *loop);
	/*
	 * Called when all runs are made: may append to the plans of types what to count in further runs, judging by
	 * what was counted so far. runs: that were made. False: nothing was appended. NULL: the plans stay as they are.
	 */
	bool (*extend_plan)(void *context, const struct measurement *so_far, size_t runs);
	void *context;
	/* Beside the groups, or instead: then plans may be empty. They end with NULL; NULL: there are none. */
	struct observer *const *observers;
};

/*
 * Finds the program as execvp would: -1 with err->status 127 when it is not found, 126 when it is not executable.
 */
int program_find(const char **path, const char *name, struct arena *arena, struct error *err) MUST_CHECK;

/*
 * Is the program started once for each run of the plan, as it is the subject? Everything else is counted in one run,
 * for which plans are multiplexed, unless somebody wants more of them: each counts for as long.
 */
bool is_repeated(const struct subject *subject, const struct timing *timing);

/*
 * Counts the plans and fills measured, with parts in the order of sites and types. A program's stdin, stdout and stderr
 * are its own in the first run; later runs read the same stdin and print to /dev/null, unless their output is to be
 * shown. Signals (signals.h) are passed on to the program, or end the measurement where there is none; what was counted
 * is kept, and no further run is made. Nor is one made when the program failed in its first run, or when a later run
 * could not be made: then a remark says why. A repeat that was not finished is left out, unless it is the first.
 * Processes that the program leaves behind go on, and are reported; after a limit or a signal they are ended. -1 when
 * the program could not be run (126, 127) or nothing could be counted: err names the cause and the remedy.
 */
int count_measure(struct measurement *measured, const struct count_request *request, struct arena *arena,
		  struct error *err) MUST_CHECK;

#endif
