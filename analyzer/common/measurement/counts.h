/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counts.h - what was counted, wherever it comes from: the collector, a saved session, flat counts. Evaluation needs
 * nothing else but the model.
 */
#ifndef TOPDOWN_COMMON_MEASUREMENT_COUNTS_H
#define TOPDOWN_COMMON_MEASUREMENT_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/formula/facts.h"
#include "common/measurement/question.h"
#include "common/measurement/scope.h"
#include "common/system/job_place.h"

struct software;
struct tally;
struct profile;
struct roofs;
struct interval_series;
struct rank_set;

/* A CPU of which each count has its own part. */
struct counted_cpu {
	unsigned cpu, core, package; /* as in struct machine_cpu */
};

enum count_state {
	COUNT_OK,
	COUNT_NEVER_RAN, /* enabled, but the kernel never put it on a counter: the number means nothing */
	COUNT_REFUSED,	 /* the kernel refused to open it; reason says why */
	COUNT_WITHHELD,	 /* counted, but for too little of the time to say anything, or it can't be; reason says more */
};

/*
 * An event that was counted. The same event may be there several times in one group of one run: perf stat -M prints a
 * copy for each of its metrics, and nobody wrote down which copies belong together. Such copies are items like any
 * others, in the order of the lines they were read from, each with its own value and running share; evaluate chooses.
 * What perf restricted to the scope of all ("cycles:u") is followed at once by the same count under its plain name.
 */
struct count {
	const char *event;		 /* canonical spelling; of perf stat's output as it is there */
	size_t group, run;		 /* from 0; groups are numbered through all runs */
	double value;			 /* scaled by enabled/running where running < enabled; NAN unless COUNT_OK */
	uint64_t raw;			 /* as the kernel returned it */
	uint64_t enabled_ns, running_ns; /* summed over all inherited copies, so not wall time */
	enum count_state state;
	const char *reason; /* COUNT_REFUSED and COUNT_WITHHELD, else NULL */
	const char *unit;   /* to which perf stat scaled the value by sysfs, "Joules", "MiB"; NULL: it is a count */
	/* what the sum consists of, for each of the CPUs of the counts (tally.h); NULL: that is not kept */
	const struct tally *by_cpu;
	/* raw of each slice of the run's time, in order; all counts of a run have the same slices. None: nslices 0 */
	const uint64_t *slices;
	size_t nslices;
};

/* The reason of a refused count that another process of the same job has: of all of them one counts for the machine. */
#define COUNTED_ELSEWHERE "it is of the whole machine, for which the job's first rank there counts it"

#define RETIRE_LATENCY ":retire_latency" /* behind an event's name: of its samples the mean so far, and no sum */

struct count_run {
	double wall_s;		    /* CLOCK_MONOTONIC, exec to exit, or while it was counted; NAN: unknown */
	double cpu_s;		    /* CPU time of the processes that were counted; NAN: unknown, and for whole CPUs */
	const double *cpu_s_by_cpu; /* for each of the CPUs; NULL: unknown */
	const struct software *software;	/* NULL: not counted */
	const struct software *software_by_cpu; /* for each of the CPUs; NULL: not kept */
	double preemptions; /* how often it had to leave its CPU to others (getrusage(2)); 0: never, or unknown */
	double waited_s;    /* how long its first thread was ready to run and had no CPU; 0: never, or unknown */
	int status;  /* exit status as a shell has it: 128 + N for signal N; STATUS_UNKNOWN: perf stat made the run */
	bool is_cut; /* topdown ended it, by --timeout or for a signal, however the program then ended */
	bool has_lost_target; /* a process or thread that was measured ended while counting went on */
};

#define STATUS_UNKNOWN (-1)

/* Is a simulated program run natively too? ANCHOR_AUTO: where that repeats nothing that it did to others. */
enum anchor_choice { ANCHOR_AUTO, ANCHOR_ALWAYS, ANCHOR_NEVER };

/* Additions that take so many times as long as alone share the core. */
#define ADDITIONS_SHARED 1.15

/*
 * What the modelled cycles are held against: the same program on the machine's own cores. Linux knows the CPU time of a
 * process exactly, and divides it between user and system by what each clock tick meets.
 */
struct anchor {
	double user_s;	    /* user time of its processes; NAN: not timed */
	double hz;	    /* cycles per second of their clock; NAN: unknown */
	double cycles;	    /* modelled, where these counts are only a part of the program's; 0: they are all */
	const char *reason; /* why it was not timed, or NULL */
	/* In older sessions these are 0, unknown. */
	double wall_s;			 /* how long the native run took; 0: there was none */
	double cpu_s;			 /* user and system time */
	double tick_s;			 /* the kernel's */
	double faults, preemptions;	 /* page faults, and how often the program had to leave its CPU to others */
	double waited_s;		 /* as in struct count_run */
	double runs;			 /* of which this is the one with the least CPU time; ticks are those of all */
	double additions;		 /* cycles that eight independent additions took beside that run, */
	double additions_alone;		 /* and take where nobody else uses the core */
	double hz_low;			 /* the slowest that the clock was seen beside the runs */
	const struct software *software; /* of that run; NULL: not counted */
	const char *hidden;	 /* instructions of this CPU that the simulator hides, "AVX-512 and SHA"; NULL: none */
	const char *hidden_code; /* where the program has code for them: a clause; NULL: nowhere that counts */
};

/* A further simulation of the program, on a core that is otherwise in one respect (--what-if). */
struct tried {
	const char *name;   /* "branches", "l2=2M" */
	const char *what;   /* "every branch is predicted" */
	const char **nodes; /* metrics whose cause is gone then; none of a part that is only larger or quicker */
	size_t nnodes;
	double cycles;	    /* modelled then */
	double cycles_ci95; /* half of the 95 % interval that sampling leaves of them; 0: none, all was modelled */
};

/* A part of a count that belongs to one source line. */
struct source_count {
	size_t item; /* of the first repeat's items */
	double value;
};

/* A line of a function, with its part of what was counted; of code without line numbers all of the function. */
struct source_line {
	const char *function, *file, *object; /* NULL: unknown; object: program or library */
	size_t line;			      /* from 1; 0: unknown */
	struct source_count *counts;
	size_t count;
};

/*
 * Which threads of a core flat counts add up, as somebody said. A core's slots are those of all of its threads, so
 * whole cores have formulas of their own (#core_wide) on Intel's up to Skylake.
 */
enum counted_cores {
	CORES_UNSAID,
	CORES_WHOLE, /* all threads of each core: "system wide", --per-core ... */
	CORES_SPLIT, /* one thread of a core: perf stat -A */
	CORES_SHARED /* a program's part, on whichever cores it ran */
};

/* The part that is what a program did in none of the regions that it marks; those are "region NAME". */
#define OUTSIDE_REGIONS "outside regions"

#define STANDARD_INPUT "standard input"

/* A file that the program was given: by name, size and digest, never its contents. */
struct input_file {
	const char *name; /* as typed; "standard input" */
	uint64_t bytes;
	const char *digest; /* 16 hexadecimal digits, alike where the contents are; NULL: not read */
};

/* Bytes of a text of an origin in a file; each report and each row of CSV repeats some of them. */
#define MOST_ORIGIN_TEXT 8192

/* Where counts come from. Texts are NULL where nothing is known, unless their comment says more. */
struct origin {
	const char *cpu;       /* database name: "sapphirerapids" */
	const char *cpuid;     /* of the machine that counted */
	const char *machine;   /* its model name */
	const char *host;      /* its name: uname's nodename */
	const char *kernel;    /* its kernel: uname's release */
	const char *microcode; /* its revision, as /proc/cpuinfo has it: "0xa101148" */
	const char *governor;  /* cpufreq's, "performance"; several with ", " between */
	const char *libc;      /* the C library that topdown runs with: "glibc 2.36" */
	const char *compiler;  /* of the program, with its options (DW_AT_producer) */
	struct facts facts;
	const char *command;	   /* as typed, quoted for a shell; NULL as well where there was no program */
	struct input_file *inputs; /* that the command names; before it ran */
	size_t ninputs;
	const char *target;	  /* "process 123", "CPUs 0-3"; NULL: the command's processes */
	struct selector selector; /* the same as data */
	const char *options;	  /* how it was measured: "-D 100 --per-core"; NULL: without options that say so */
	const char *part;	  /* "cpu_atom", "socket 1"; NULL: all that was measured */
	const char *part_kind;	  /* "all", "socket", "core", "cpu", "thread", "region", "core type", "core model" */
	const char *pmu;	  /* without cpu: the PMU that the events name, "cpu_atom"; NULL: none */
	const char *scope;	  /* "user+kernel", "user" or "kernel" */
	const char *started;	  /* ISO 8601, UTC */
	unsigned level;		  /* down to which everything was asked for when it was counted; 0: unknown */
	bool has_causes;	  /* it was counted for the bottleneck view too */
	const char *form; /* of Intel's formulas: "perf-metrics", "general"; NULL: unknown, or there is one only */
	const char *tool_version, *model_version; /* that counted */
	const char *file;     /* that has all this, quoted for a shell; "": it is the last measurement; NULL: none */
	struct job_place job; /* of whose processes this is one; launcher NULL: of none */
	bool has_profile;     /* beside these counts; not in sessions, whose profile says it */
	bool has_smt;	      /* flat counts: somebody said whether SMT was on */
	bool is_smt_guessed;  /* ... nobody did, and it is taken to be off because of what was counted */
	bool adds_sockets;    /* perf stat -a: what one unit counted is the sum over all sockets, however many */
	bool is_flat;	      /* only numbers: nobody knows their groups, so they are taken as one */
	enum counted_cores cores;  /* flat counts; facts.core_wide is 1 where it is CORES_WHOLE */
	bool is_core_wide_guessed; /* ... unsaid, and facts.core_wide is 1 because of what was counted */
};

/* How often all processes of the program entered a system call, which has the kernel's name: "openat". */
struct system_call {
	const char *name;
	double count;
};

/* A node's percentage as perf stat printed it. */
struct printed {
	const char *name; /* "tma_backend_bound", "frontend_bound" */
	double percent;	  /* NAN: perf printed nan */
};

/* What was counted, once. */
struct repeat {
	size_t planned_runs; /* of which nruns were made; 0: unknown */
	struct count_run *runs;
	size_t nruns;
	size_t ngroups;
	struct count *items;
	size_t count;
	const char **remarks; /* what the collector has to say about these counts: whole sentences */
	size_t nremarks;
	/* Of a simulation those that were made, by name; else "all", then those asked for. NULL: not counted */
	struct system_call *calls;
	size_t ncalls;
	const char *no_calls;	 /* why they were not counted, where they were asked for; else NULL */
	struct printed *printed; /* shown where no counts give a value */
	size_t nprinted;
	const double *wall; /* [WALL_PARTS] of waits.h: the main thread's clock; NULL: --wall was not asked for */
};

struct counts {
	struct origin origin;
	struct question question;
	struct repeat *repeats; /* at least one; the program did the same in each (-r) */
	size_t nrepeats;
	const struct counted_cpu *cpus; /* CPUs by which the items are kept too, in ascending order */
	size_t ncpus;			/* 0: they are not */
	size_t planned_repeats;		/* of which nrepeats were made; 0: one, without -r */
	const struct anchor *anchor;	/* NULL: nobody asked for it, or nothing was simulated */
	struct tried *trials;		/* whose cycles are compared with the first repeat's */
	size_t ntrials;
	struct source_line *lines; /* the first repeat's counts by source line */
	size_t nlines;
	bool has_lines; /* they were counted */
};

/* What was counted, part by part: core types, and threads, cores or sockets where that was asked for. */
struct measurement {
	struct counts *parts;
	size_t count;
	double from_s, to_s;	       /* of an interval, since counting began; NAN: all of the time */
	int cut_by;		       /* the signal that cut the runs, where no status says so; 0: none */
	int interrupted_by;	       /* the signal that topdown got to end by, whatever a status says; 0: none */
	struct measurement *intervals; /* that all of the time consists of, where they were kept (perf stat -I) */
	size_t nintervals;
	struct profile *profile;	/* where it happened; rows' counts are parts[0]'s; NULL: nothing was sampled */
	struct waits *waits;		/* the wall clock of its threads (common/waits); NULL: nobody asked */
	const struct rank_set *ranks;	/* whose counts the parts' sums are (analyse/ranks); NULL: it is no job */
	const struct roofs *roofs;	/* the machine's ceilings (roofs.h); NULL: there are none */
	struct interval_series *series; /* the same of our own (-I), in fewer bytes (interval_series.h); NULL: none */
	bool is_foreign; /* of a session that this user did not make here: no file is read by its names */
};

/* A remark of what some of the CPUs have not seen. */
#define REMARK_NOTHING_RAN "Nothing of what was measured ran here, so there is nothing to report."

/*
 * What was on a counter for so little of the time that chance decides what was seen is withheld: it stays in the
 * session, and no value is computed from it.
 */

/* Below both: the running share, and the time itself: 25 of the kernel's usual multiplexing intervals of 4 ms. */
#define LEAST_SHARE 0.02
#define LEAST_NS    100e6

bool is_time_too_short(double running_ns, double enabled_ns);

/* For that reason, which says how short it was. */
void count_withhold_short(struct count *count, double running_ns, double enabled_ns, struct arena *arena);

/*
 * Of one counter, however wide the core: 8 slots at 6 GHz are 48 in a nanosecond, floating-point operations in AVX-512
 * a few hundred. A virtual counter can start at a number such as 2^47 and not at 0, which is far above that.
 */
#define MOST_PER_NS 1000
#define SHORTEST_NS 100000 /* what was counted in less is judged as if it had taken so long: times are not exact */

/* Could one counter have advanced so far in the time that it ran? */
bool is_count_possible(uint64_t raw, uint64_t running_ns);

/* What one of its counters has counted can't be; the reason says how much that was. */
void count_withhold_impossible(struct count *count, uint64_t raw, uint64_t running_ns, struct arena *arena);

/* The value of the first count of an event; NAN: there is none. */
double repeat_value(const struct repeat *repeat, const char *event);

/* One count more, of whoever counts beside the groups. */
void repeat_add(struct repeat *repeat, const struct count *count, struct arena *arena);

#endif
