/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - where in a program something happened: call stacks, each with what belongs to it. Samples of a PMU's
 * event, of time, or the exact counts of a simulated core; made by sample, perftool and simulate, named by symbols,
 * kept by session, read by evaluate. Everything that is equal is there once: modules, places, stacks, tasks, rows.
 *
 *   row -> stack -> place -> module           "12 samples of cycles, in thread 7, at 0x1139 of a.out,
 *            |                                 called from 0x1180 of a.out, ..."
 *            +----> the caller's stack ...
 */
#ifndef TOPDOWN_COMMON_MEASUREMENT_PROFILE_H
#define TOPDOWN_COMMON_MEASUREMENT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/table.h"
#include "common/measurement/counts.h"

#define PROFILE_NONE ((uint32_t)-1) /* as FINDER_NONE */

enum module_kind {
	MODULE_FILE,   /* mapped from an ELF file: addresses are those of its program headers */
	MODULE_KERNEL, /* the kernel's own text: addresses as in kallsyms */
	MODULE_DRIVER, /* a kernel module: addresses as in kallsyms */
	MODULE_VDSO,   /* as in the ELF image that the kernel maps */
	MODULE_JIT,    /* memory without a file: addresses of its process, named by perf-PID.map or jitdump */
	MODULE_UNKNOWN /* nothing is mapped there, as far as was seen: addresses of the process */
};

/* A file that code was mapped from. */
struct profile_module {
	enum module_kind kind;
	const char *path;     /* as the kernel gave it, "/usr/lib/libc.so.6", "[kernel.kallsyms]", "[vdso]" */
	const char *build_id; /* in hex; NULL: none, or unknown */
	const char *remark;   /* why it has no names, or other ones than it should: a clause; NULL: nothing */
	uint32_t pid;	      /* of MODULE_JIT and MODULE_UNKNOWN, and where path is below another root; else 0 */
};

/* A function at a place: innermost first, those that were inlined there, then the one that they are part of. */
struct profile_frame {
	const char *function; /* demangled; NULL: unknown */
	const char *file;     /* source; NULL: unknown */
	uint32_t line;	      /* from 1; 0: unknown */
	uint64_t begin, size; /* of the outermost frame's function in its module's addresses; size 0: unknown */
};

/* An address in a module. A simulated one may be a whole line: then it is the line's number among the lines. */
struct profile_place {
	uint32_t module;
	uint64_t address;
	uint64_t inside; /* of a simulated one: an instruction that is there, whose names it has; 0: none; not kept */
	uint32_t loop;	 /* the innermost of the profile's, from 1; 0: in none, or nobody has looked */
	struct profile_frame *frames;
	size_t nframes; /* 0: nothing is known */
};

/* A loop of a function. Several of its code may be one of its source: of vectors, and of what is left of them. */
struct profile_loop {
	uint64_t offset;	  /* from the function's begin to its first instruction */
	const char *inlined;	  /* the function, inlined there, that has it; NULL: it is the function's own */
	const char *file;	  /* source of that; NULL: unknown */
	uint32_t line, last_line; /* there, from 1; 0: unknown */
};

/* A place, and the stack that called it. */
struct profile_stack {
	uint32_t place;
	uint32_t caller; /* a stack; PROFILE_NONE: nobody called */
	unsigned depth;	 /* 1: nobody called */
};

/* A thread. */
struct profile_task {
	uint32_t pid, tid;
	const char *name;    /* comm; NULL: unknown */
	const char *program; /* of its process; NULL: unknown */
};

/* How a stack was found. */
enum stack_method {
	STACK_NONE,   /* the place alone */
	STACK_FP,     /* by the kernel, from frame pointers */
	STACK_CFI,    /* by call frame information, from a copy of the stack */
	STACK_LBR,    /* from the CPU's branch records */
	STACK_SHADOW, /* as the simulator saw the calls */
	STACK_METHODS
};

/* "none", "fp", "dwarf", "lbr", "shadow" */
const char *stack_method_name(enum stack_method method);

/* What was sampled. */
struct profile_event {
	const char *event;	       /* "MEM_LOAD_RETIRED.L3_MISS", "cycles", "cpu-clock" */
	const char *node;	       /* "tma_dram_bound", whose locating event it is; NULL: of none */
	const char *pmu;	       /* of which core type; NULL: the only one, or the kernel's software */
	uint64_t period;	       /* events a sample; of cpu-clock: ns; 0: by frequency */
	uint32_t frequency;	       /* samples a second that were asked for; 0: by period */
	unsigned precise, wanted;      /* precise_ip as it was opened, and as the database has it */
	double latencies;	       /* sum of the samples' retire latencies, cycles; 0: none was asked for */
	uint64_t samples;	       /* all that came, those without a row (lost stacks) too */
	uint64_t lost, throttled;      /* records that did not fit; times that the kernel slowed it down */
	double weight;		       /* of all samples: events; of cpu-clock and task-clock: ns */
	double enabled_ns, running_ns; /* as of counts; 0: unknown */
	uint32_t run;		       /* from 0, among the runs that were sampled */
};

/* What belongs to a stack: samples of an event in a task, or the simulator's counts. */
struct profile_row {
	uint32_t stack, task, event; /* event: PROFILE_NONE of simulated counts */
	enum stack_method method;
	bool is_truncated;	     /* there were callers that were not found */
	uint32_t interval;	     /* of -I, from 0; else 0 */
	uint64_t samples;	     /* 0: exact counts */
	double weight;		     /* sum of the samples' periods */
	struct source_count *counts; /* simulated: parts of the first repeat's items */
	size_t ncounts;
};

/* A period of -I, in seconds since its run began. */
struct profile_interval {
	double from_s, to_s;
};

#define PROFILE_MOMENTS	     128
#define PROFILE_MOMENT_PARTS 50000 /* of rows in moments, or twice as many as there are rows */

/* What a row has of its weight in one of the profile's moments, which are equally long. */
struct profile_moment {
	uint32_t row, number; /* number: from 0 to PROFILE_MOMENTS - 1 */
	double weight;
};

/* Events that were counted together, and read with each sample of one of them. */
struct profile_group {
	uint32_t event;	     /* that one */
	const char **events; /* names of all, as in struct count */
	size_t nevents;
};

#define PROFILE_BATCHES 10

/*
 * What a group has counted between two samples that followed each other in a thread. The two places are known at first,
 * the functions only when there are names: profile_condense then makes one element of all that belongs to a function,
 * and one of all that belongs to none. Batches take them in rotation, so that their spread is that of the values.
 */
struct profile_delta {
	uint32_t from, to; /* places; condensed: both a place of the function. PROFILE_NONE: mixed */
	uint32_t group;
	uint32_t batch; /* from 0 to PROFILE_BATCHES - 1 */
	uint32_t loop;	/* condensed: that both are in, as in struct profile_place */
	uint64_t pairs; /* of samples */
	double *values; /* of the group's events */
};

/* What two threads do to one line of the caches. */
enum sharing_kind {
	SHARING_CONTESTED = 1, /* both write the same bytes */
	SHARING_DATA,	       /* one writes what the other reads */
	SHARING_FALSE,	       /* each its own bytes */
	SHARING_END
};

/* Of a simulation: another thread at the partner's place took so many lines from those at the place. */
struct profile_pair {
	uint32_t place, partner;
	uint32_t kind; /* enum sharing_kind */
	double transfers;
};

struct profile {
	struct arena *arena;
	struct profile_module *modules;
	struct profile_place *places;
	struct profile_stack *stacks;
	struct profile_task *tasks;
	struct profile_event *events;
	struct profile_row *rows;
	struct profile_group *groups;
	struct profile_delta *deltas;
	struct profile_pair *pairs;
	uint32_t npairs;
	struct profile_loop *loops; /* of the hottest functions, where somebody asked */
	uint32_t nloops;
	const char *no_loops; /* why functions may have some that are not there: a clause; NULL: nothing is missing */
	uint32_t nmodules, nplaces, nstacks, ntasks, nevents, nrows, ngroups, ndeltas, nintervals;
	struct profile_interval *intervals; /* in their order; none: there was no -I, or only one */
	struct profile_moment *moments;	    /* without -I: when samples were taken; none: unknown, or all at once */
	uint32_t nmoments;
	double moment_s, moments_s; /* how long each of them is, and all of the time that they divide */
	double seconds;		    /* that were sampled, of all runs */
	const char *scope;	    /* as in struct origin */
	const char *method;	    /* as -g said it: "auto", "fp" ...; NULL: no stacks were wanted */
	const char **remarks;	    /* what is missing, and what was given up: whole sentences */
	size_t nremarks;
	struct moment_taking *taking; /* of moments that are still added; NULL: there were none yet */
	struct profile_index *index;  /* to find what is there already; NULL: nothing can be added */
};

/* An empty one, to which things are added. */
void profile_init(struct profile *profile, struct arena *arena);

/*
 * Each gives the number of what is equal, or adds it. Texts are copied. A module is the same by kind, path, build_id
 * and pid; an event is never the same.
 */
uint32_t profile_module(struct profile *profile, const struct profile_module *module);
uint32_t profile_place(struct profile *profile, uint32_t module, uint64_t address);
uint32_t profile_stack(struct profile *profile, uint32_t place, uint32_t caller);
uint32_t profile_event(struct profile *profile, const struct profile_event *event);

/* The thread as it is called now: one that takes another name is another task. */
uint32_t profile_task(struct profile *profile, const struct profile_task *task);

/*
 * The row with that stack, task, event, method, is_truncated and interval. Its samples, weight and counts are the
 * caller's, and it may move when another one is added.
 */
struct profile_row *profile_row(struct profile *profile, const struct profile_row *like);

/* The same of a row that is not there yet, as the caller knows; profile_row does not find it. Gives its number. */
uint32_t profile_new_row(struct profile *profile, const struct profile_row *like);

/* The names of its events are borrowed. */
uint32_t profile_group(struct profile *profile, const struct profile_group *group);

/* The delta with the places, group and batch of like. Its pairs and values are the caller's; it may move. */
struct profile_delta *profile_delta(struct profile *profile, const struct profile_delta *like);

/*
 * After functions have names: deltas whose samples lie in the same function, with whatever was inlined into it, are
 * those of the function; all others are mixed, those in code without names too. Those of the function whose samples
 * lie in the same loop stay apart.
 */
void profile_condense(struct profile *profile);

/* More transfers of the pair. */
void profile_pair(struct profile *profile, const struct profile_pair *pair);

void profile_remark(struct profile *profile, const char *sentence);

/*
 * A row has more weight, so many seconds after its run began; all runs share their moments. These begin short: whenever
 * there are too many of them, or of their parts, two become one.
 */
void profile_moment(struct profile *profile, uint32_t row, double at_s, double weight);

/* The same of what lasted. */
void profile_moments_spread(struct profile *profile, uint32_t row, const struct profile_interval *over, double weight);

/* A run has ended after so many seconds. If it was no longer than a moment, nothing is known of when. */
void profile_moments_end(struct profile *profile, double length_s);

/* They are not wanted: there are intervals. */
void profile_moments_drop(struct profile *profile);

/* The next interval; where the profile has it from an earlier run, nothing changes. */
void profile_interval(struct profile *profile, uint32_t number, const struct profile_interval *interval);

#endif
