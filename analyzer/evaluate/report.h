/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - what the renderers print: made by evaluate, read by every format alike. Nothing here is text of one format.
 */
#ifndef TOPDOWN_REPORT_H
#define TOPDOWN_REPORT_H

#include "evaluate/counts.h"
#include "evaluate/statistics.h"
#include "load/select.h"

enum quality {
	QUALITY_EXACT,	 /* all events of the formula were counted together, all the time */
	QUALITY_SCALED,	 /* multiplexed: extrapolated from part of the time */
	QUALITY_RUNS,	 /* events of several runs, brought together through ratios to each run's own fixed counters */
	QUALITY_CLAMPED, /* outside its possible range; raw has the value before */
	QUALITY_ESTIMATED, /* the vendor calls the formula an estimate, or a default stood in for a measurement */
	QUALITY_SIMULATED, /* of a modelled core, not of this machine's */
	QUALITY_NONE,	   /* not measured; reason says why */
};

/* "exact", "scaled", "runs", "clamped", "estimated", "simulated"; "none" */
const char *quality_name(enum quality quality);

struct result {
	const struct metric *metric;
	double value; /* in the printed unit (percent for the tree), the mean of all repeats; NAN with QUALITY_NONE */
	struct statistics spread; /* of value, over the repeats that measured it, or over the windows of a simulation */
	double raw;		  /* the same before clamping */
	double running; /* smallest running/enabled of its groups, 0 ... 1; 1 when nothing was multiplexed; NAN unknown */
	enum quality quality;
	const char *reason; /* QUALITY_NONE: names what is missing; else NULL */
	const char **
		missing; /* QUALITY_NONE: events that the formula needs and the counts lack; may be empty all the same */
	size_t nmissing;
	bool has_threshold, over_threshold;
	bool is_open;	       /* whether it is over its threshold depends on an ancestor that was not measured */
	bool is_bottleneck;    /* over its threshold, and so are all its ancestors */
	bool is_unjudged;      /* it would be a bottleneck, if ancestors that were not measured are so */
	bool is_on_worst_path; /* the largest bottleneck of its siblings, below such a one */
	bool is_named;	       /* asked for by its name: shown whatever it comes to */
};

/* What to sample next: one locating event of the worst node. */
struct hint {
	const struct metric *node;
	const char *event; /* "MEM_LOAD_RETIRED.L3_MISS" */
	const char *perf;  /* "cpu/event=0xd1,umask=0x20,name=MEM_LOAD_RETIRED.L3_MISS,period=50021/ppp" */
	uint64_t period;
	unsigned precise;    /* number of p's */
	const char *command; /* "perf record -e ... -- ./prog", to be pasted */
};

/* One run of the program, compared with the others. */
struct execution {
	size_t repeat, run;   /* from 0 */
	double wall_s, cpu_s; /* NAN: unknown */
	double instructions;  /* NAN: not counted in it */
	double more;	      /* share of instructions beyond the typical run's; negative: fewer; NAN: unknown */
	int status;	      /* exit status */
	bool is_unlike;	      /* it did another amount of work, or ended with another status than run 1 */
	size_t *affected; /* is_unlike: the nodes and asked-for metrics (of model->metrics) that use events of this run */
	size_t naffected;
};

/* A source line's part of a node, or a function's, of which the line then is any. */
struct line_share {
	const struct source_line *line;
	double percent; /* of the node */
};

/* Where in the program a node is, the largest parts first. */
struct node_lines {
	const struct result *node;
	struct line_share *lines, *functions;
	size_t nlines, nfunctions;
	double told;	  /* percent of the node that belong to an instruction; rounding may make it more than 100 */
	double without;	  /* percent that are in code without line numbers */
	const char *note; /* a sentence where one of these matters, or NULL */
};

/* The modelled cycles beside those that the program's user time natively comes to. */
struct anchoring {
	double user_s, hz;	   /* as in struct anchor */
	double modelled, measured; /* cycles; NAN: unknown */
	double ratio;		   /* modelled by measured; NAN where they can't be compared */
	bool is_of_more;	   /* of all threads, of which the report has one */
	bool is_far;		   /* they differ by more than ANCHOR_LIMIT of what was measured */
	const char *reason;	   /* why they can't be compared, else NULL */
};

#define ANCHOR_LIMIT 0.25
#define ANCHOR_LEAST_S                                                                                                 \
	0.010 /* user time that is less is mostly the kernel's rounding (its clock ticks are up to 10 ms) */

/* The head's figures, which vary from repeat to repeat. */
enum figure { FIGURE_WALL, FIGURE_CPUS, FIGURE_INSTRUCTIONS, FIGURE_CYCLES, FIGURE_IPC, FIGURE_GHZ, FIGURES };

struct summary {
	const char *command, *scope, *machine, *cpu, *title;
	const char *target; /* what was counted, "process 123"; NULL: the command's processes */
	const char *part;   /* of what was measured, "cpu_atom"; NULL: all of it */
	double wall_s, cpus_used, instructions, cycles, ipc, ghz; /* of the first run, mean of repeats; NAN: unknown */
	struct statistics spread[FIGURES];
	bool is_sampled;     /* a simulation modelled a part of the instructions in detail: */
	double modelled;     /* their share of all, */
	size_t windows;	     /* in so many windows, between which the spread is */
	size_t repeats;	     /* at least 1 */
	size_t runs, groups; /* of a repeat; 0: unknown (flat counts) */
	int status;	     /* exit status of the first run */
	bool has_status;
};

/* Do values have a spread: over repeats, or over the windows of a simulation? */
static inline bool has_spread(const struct summary *summary)
{
	return summary->repeats > 1 || summary->is_sampled;
}

struct report {
	const struct model *model;
	struct summary summary;
	struct execution *runs;
	size_t nruns;
	struct select_request asked; /* the lists that chose nodes and metrics; all NULL: chosen by level */
	unsigned level;		     /* deepest of the nodes; 0: none was asked for */
	struct result *nodes;	     /* model order: parents before children */
	size_t nnodes;
	struct result *metrics; /* metrics that are no nodes: next groups' members that were counted */
	size_t nmetrics;
	struct result *events; /* what -e asked for, each as a metric that is one event, in its own run */
	size_t nevents;
	const struct result *worst; /* leaf of the worst path, or NULL: nothing is over its threshold */
	const char
		*closer; /* "topdown -l4 ./prog": the worst node has children that are not in this report; else NULL */
	struct hint *next;
	size_t nnext;
	const struct anchoring *anchor; /* NULL: the program was not to be timed */
	bool has_lines;			/* they were asked for, and are there */
	struct node_lines *lines; /* of the nodes that were asked for by name, or else the worst; none: there is none */
	size_t nlines;
	const char *means, *advice; /* words about the worst node, from the glossary; NULL: none */
	const char **notes;	    /* ties, impossible sums, spread between runs, scaled values ...: whole sentences */
	size_t nnotes;
};

/* The parts of a measurement, or of one of its intervals. */
struct report_set {
	struct report *parts;
	size_t count;
	bool is_series; /* one of those that follow each other in the same output: intervals, then all of the time */
	size_t before;	/* that were told already in the series */
	double from_s, to_s; /* of an interval, since counting began; NAN: all of the time */
};

#endif
