/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counts.h - what was counted, wherever it comes from: the collector, a saved session, flat counts. Evaluation needs
 * nothing else but the model.
 */
#ifndef TOPDOWN_COUNTS_H
#define TOPDOWN_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formula/facts.h"

enum count_state {
	COUNT_OK,
	COUNT_NEVER_RAN, /* enabled, but the kernel never put it on a counter: the number means nothing */
	COUNT_REFUSED,	 /* the kernel refused to open it; reason says why */
	COUNT_WITHHELD,	 /* counted, but for too little of the time to say anything; reason says how little */
};

struct count {
	const char *event;		 /* canonical spelling */
	size_t group, run;		 /* from 0; groups are numbered through all runs */
	double value;			 /* scaled by enabled/running where running < enabled; NAN unless COUNT_OK */
	uint64_t raw;			 /* as the kernel returned it */
	uint64_t enabled_ns, running_ns; /* summed over all inherited copies, so not wall time */
	enum count_state state;
	const char *reason; /* COUNT_REFUSED and COUNT_WITHHELD, else NULL */
};

struct count_run {
	double wall_s; /* CLOCK_MONOTONIC, exec to exit, or while it was counted; NAN: unknown */
	double cpu_s;  /* CPU time of the processes that were counted; NAN: unknown, and for whole CPUs */
	int status;    /* exit status as a shell tells it: 128 + N for signal N */
};

/* What the modelled cycles are held against: the same program on the machine's own cores. */
struct anchor {
	double user_s;	    /* user time of its processes; NAN: not timed */
	double hz;	    /* cycles per second of their clock; NAN: unknown */
	double cycles;	    /* modelled, where these counts are only a part of the program's; 0: they are all */
	const char *reason; /* why it was not timed, or NULL */
};

/* A part of a count that belongs to one source line. */
struct source_count {
	size_t item; /* of counts->items */
	double value;
};

/* A line of a function, with its part of what was counted; of code without line numbers all of the function. */
struct source_line {
	const char *function, *file, *object; /* NULL: unknown; object: program or library */
	size_t line;			      /* from 1; 0: unknown */
	struct source_count *counts;
	size_t count;
};

struct counts {
	const char *cpu;     /* database name: "sapphirerapids"; NULL: the file does not tell */
	const char *cpuid;   /* of the machine that counted, or NULL */
	const char *machine; /* its model name, or NULL */
	struct facts facts;
	const char *command;  /* as typed, quoted for a shell; NULL: unknown, or no program */
	const char *target;   /* "process 123", "CPUs 0-3"; NULL: the command's processes */
	const char *selector; /* the options that say so: "-p 123"; NULL as target */
	const char *options;  /* how it was measured: "-D 100 --per-core"; NULL: without options that say so */
	const char *part;     /* "cpu_atom", "socket 1"; NULL: all that was measured */
	const char *scope;    /* "user+kernel", "user" or "kernel"; NULL: unknown */
	const char *started;  /* ISO 8601, UTC; NULL: unknown */
	const char *tool_version, *model_version; /* that counted; NULL: unknown */
	unsigned level;				  /* that was asked for; 0: unknown, or none beside the lists below */
	const char *nodes, *groups, *metrics;	  /* what --nodes, --groups and --metrics asked for, or NULL */
	size_t planned_runs;			  /* of which nruns were made; 0: unknown */
	const char *events;			  /* what -e asked for, or NULL */
	bool is_flat;				  /* numbers of which nobody knows the groups: taken as one */
	struct count_run *runs;
	size_t nruns;
	size_t ngroups;
	struct count *items;
	size_t count;
	const struct anchor *anchor; /* NULL: nobody asked for it, or nothing was simulated */
	struct source_line *lines;   /* what was counted, by source line */
	size_t nlines;
	bool has_lines;		/* they were counted */
	const char *file;	/* where all this was read from, quoted for a shell; NULL: it was just counted */
	bool wants_lines;	/* --lines: the report shall have them */
	struct counts *again;	/* the same, measured once more (-r): its runs, groups and counts; NULL: that was all */
	size_t planned_repeats; /* how often in all; 0: once */
	const char **remarks;	/* what the collector has to say about these counts: whole sentences */
	size_t nremarks;
};

/* What was counted, part by part: core types, and threads, cores or sockets where that was asked for. */
struct measurement {
	struct counts *parts;
	size_t count;
	double from_s, to_s; /* of an interval, since counting began; NAN: all of the time */
};

#endif
