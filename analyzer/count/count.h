/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.h - the collector: counts the groups of a plan with perf_event_open, in a program that it runs once for each run of
 * the plan, or in what runs already. The only module that makes perf system calls.
 */
#ifndef TOPDOWN_COUNT_H
#define TOPDOWN_COUNT_H

#include <sys/types.h>

#include "count/scope.h"
#include "evaluate/counts.h"
#include "identify/machine.h"
#include "plan/plan.h"

/* A type of cores, whose counts are a part of their own. Most machines have one. */
struct count_type {
	const char *label; /* "cpu_atom"; NULL: the machine has one type */
	const struct plan *plan;
	const struct model *model;  /* whose events the plan numbers, on whose PMU they are counted */
	const struct counts *known; /* what the caller knows of its counts already: copied into each of its parts */
};

enum subject_kind {
	SUBJECT_PROGRAM,   /* a program that topdown starts, its threads and children */
	SUBJECT_PROCESSES, /* all threads that they have, and what these start */
	SUBJECT_THREADS,   /* and what they start */
	SUBJECT_CPUS,	   /* whatever runs on them */
	SUBJECT_CGROUP,	   /* all processes in it, on all CPUs */
};

enum split { SPLIT_NONE, SPLIT_THREADS, SPLIT_CORES, SPLIT_SOCKETS };

/* Whose work is counted, and in which parts it is told. */
struct subject {
	enum subject_kind kind;
	enum split split;
	pid_t *ids; /* of processes or threads */
	size_t nids;
	unsigned *cpus; /* none: all that are online */
	size_t ncpus;
	const char *cgroup;   /* its directory */
	const char *name;     /* for counts->target: "CPUs 0-3"; NULL: a program */
	const char *selector; /* for counts->selector: "-C 0-3"; NULL: a program */
};

/* The program to run: SUBJECT_PROGRAM's own, of others the one that decides how long to count. */
struct program {
	char *const *argv; /* NULL-terminated; NULL: no program */
	const char *path;  /* where it was found: program_find */
	bool is_heard;	   /* in all runs, not only in the first */
};

/* When is counted. */
struct timing {
	double delay_s; /* of each run, from its start; 0: at once, WAIT_FOR_SIGN: until SIGUSR2 or control's "enable" */
	const char *control; /* paths of FIFOs as control.h says, or NULL. One run for all groups then */
	double limit_s; /* counting ends; from the program's start, which gets SIGTERM, else from the first count; 0: no limit */
	double interval_s; /* an interval is told each time; 0: none. One run for all groups then */
	bool is_rotating;  /* a group for each interval, instead of all groups in each */
};

#define WAIT_FOR_SIGN (-1.0)

struct count_request {
	const struct count_type *types;
	size_t ntypes;
	const struct machine *machine;
	struct subject subject;
	struct program program;
	struct timing timing;
	size_t repeats;	  /* how often all of it is measured; 0: once */
	enum scope scope; /* SCOPE_ALL becomes SCOPE_USER where only that is allowed, and the counts say so */
	/* Told before each run of several, all repeats together; may be NULL. run counts from 1. */
	void (*progress)(void *context, size_t run, size_t runs);
	/* Told when nothing is counted until a sign comes; may be NULL. */
	void (*waiting)(void *context);
	/* Gets each interval, which is gone afterwards; -1 with err ends the measurement. */
	int (*interval)(void *context, const struct measurement *interval, struct error *err);
	/*
	 * Asked when all runs are made and the program may run again: may append to the plans of types what to count next, by
	 * what was counted so far. runs: that were made. False: that was all. NULL: the plans stay as they are.
	 */
	bool (*further)(void *context, const struct measurement *so_far, size_t runs);
	void *context;
};

/*
 * Finds the program as execvp would: -1 with err->status 127 when it is not found, 126 when it is not executable.
 */
int program_find(const char **path, const char *name, struct arena *arena, struct error *err) MUST_CHECK;

/* Is the program started once for each run of the plan? Everything else is counted in one run, for which plans are multiplexed. */
bool is_repeated(const struct subject *subject, const struct timing *timing);

/*
 * Counts the plans and fills measured, with parts in the order of places and types. A program's stdin, stdout and stderr are
 * its own in the first run; later runs get the same stdin again and print to /dev/null, unless they are to be heard. SIGINT and SIGTERM are
 * passed on to the program, or end the measurement where there is none; what was counted is kept, and no further run is made. Neither is it when
 * the program failed in its first run. Repeats are each part's chain of again; one that was not finished is left out, unless
 * it is the first. -1 when the program could not be run (126, 127) or nothing could be counted: err names the cause and the remedy.
 */
int count_measure(struct measurement *measured, const struct count_request *request, struct arena *arena,
		  struct error *err) MUST_CHECK;

/*
 * How many general counters one group can use, found by opening groups of growing size (row: an event that every general
 * counter can count; no more than it may be on are tried). Returns 0 and err when not even one opens: the refusal, with its cause and the command that changes it.
 */
unsigned count_probe_counters(const struct pmu *pmu, const struct event_row *row, const struct machine *machine,
			      struct error *err);

/* One sentence for a refused perf_event_open: the cause and what changes it. machine gives paranoid, hypervisor, PMUs. */
int refusal(struct error *err, int error_number, const struct machine *machine, const char *event);

#endif
