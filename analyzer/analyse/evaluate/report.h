/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - what the renderers print: made by evaluate, read by every format alike.
 * Nothing here is text of one format.
 */
#ifndef TOPDOWN_ANALYSE_EVALUATE_REPORT_H
#define TOPDOWN_ANALYSE_EVALUATE_REPORT_H

#include "analyse/evaluate/software_results.h"
#include "common/measurement/action.h"
#include "common/measurement/counts.h"
#include "common/measurement/statistics.h"
#include "cpu/load/assessment.h"
#include "cpu/load/select.h"

enum quality {
	QUALITY_EXACT,	   /* all events of the formula were counted together, all the time */
	QUALITY_SCALED,	   /* multiplexed: extrapolated from part of the time */
	QUALITY_RUNS,	   /* events of several runs, combined through ratios to each run's own fixed counters */
	QUALITY_CLAMPED,   /* outside its possible range; raw has the value before */
	QUALITY_ESTIMATED, /* the vendor calls the formula an estimate, or a default stood in for a measurement */
	QUALITY_SIMULATED, /* of a modelled core, not of this machine's */
	QUALITY_PRINTED,   /* perf's own value, not recomputed; raw has what it printed, within its range or not */
	QUALITY_NONE,	   /* not measured; reason says why */
};

/* "exact", "scaled", "runs", "clamped", "estimated", "simulated", "printed"; "none" */
const char *quality_name(enum quality quality);

struct result {
	const struct metric *metric;
	double value; /* in the printed unit (percent for the tree), the mean of all repeats; NAN with QUALITY_NONE */
	/* of value: over the repeats that measured it, over slices where multiplexed, over unlike runs, or windows */
	struct statistics spread;
	double raw; /* the same before clamping */
	/* smallest running/enabled of its groups, 0 ... 1; 1 when nothing was multiplexed; NAN unknown */
	double running;
	enum quality quality;
	const char *reason;	/* QUALITY_NONE: names what is missing; else NULL */
	const char *needs_unit; /* reason, where events of PMUs beside the cores are missing; else NULL */
	/* QUALITY_NONE: events that the formula needs and the counts lack; may be empty all the same */
	const char **missing;
	size_t nmissing;
	const char **without; /* corrections that were not counted, so that the value is estimated without them */
	size_t nwithout;
	bool has_threshold, over_threshold;
	bool is_open;	       /* whether it is over its threshold depends on an ancestor that was not measured */
	bool is_bottleneck;    /* over its threshold, and so are all its ancestors */
	bool is_unjudged;      /* it would be a bottleneck, if ancestors that were not measured are so */
	bool is_on_worst_path; /* the largest bottleneck of its siblings, below such a one */
	unsigned rank;	       /* in the bottleneck view, the largest is 1; 0: no row of it */
	/* so many times as fast without its cause alone, at most, as a further simulation says; 0: there was none */
	double if_fixed;
	bool is_named; /* asked for by its name: shown whatever it comes to */
};

/* What a figure's bounds say of its value. */
enum health {
	HEALTH_UNKNOWN, /* no value; reason says why */
	HEALTH_PLAIN,	/* it has no bounds */
	HEALTH_OK,
	HEALTH_LOOK, /* beyond the first bound: look closer */
	HEALTH_BAD,  /* beyond the second: high, or low */
};

/* A figure that is judged by bounds (cpu/load/assessment.h). */
struct assessed {
	const struct assessment_rule *rule;
	double value;	      /* in the rule's unit; NAN: unknown */
	enum quality quality; /* the least good of the metrics that it is made of */
	enum health health;
	double count;	    /* of a cache level's accesses and misses: their number; NAN: unknown, or no question */
	bool is_of_few;	    /* beyond its bound, and HEALTH_OK: the misses that it is a share of are few */
	const char *reason; /* HEALTH_UNKNOWN, else NULL */
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

/* A row of the bottleneck view. */
struct cause {
	const struct result *result;
	const char *title; /* topdown's own, from the glossary; NULL: the metric's */
	const char *means; /* from the glossary; NULL: no words */
};

/* Words about a bottleneck, from the glossary. */
struct advice {
	const struct result *node;
	const char *advice; /* what to try */
};

/* One run of the program, compared with the others. */
struct execution {
	size_t repeat, run;   /* from 0 */
	double wall_s, cpu_s; /* NAN: unknown */
	double instructions;  /* NAN: not counted in it */
	double more;	      /* share of instructions beyond the typical run's; negative: fewer; NAN: unknown */
	int status;	      /* exit status */
	bool is_cut;	      /* topdown ended it */
	bool is_whole;	/* no signal cut it, as one did others, and it ended as they did: it says what is typical */
	bool is_unlike; /* it did another amount or mix of work, or ended with another status than the whole runs */
	/* the node of level 1 that is farthest from what it is in a typical run; NULL: not counted in this one */
	const struct metric *mix;
	double mix_value, mix_typical; /* percent */
	/* is_unlike: the nodes and asked-for metrics (of model->metrics) that use events of this run */
	size_t *affected;
	size_t naffected;
};

/* The modelled cycles beside those that the program's user time natively comes to. */
struct anchoring {
	double user_s, hz;		   /* as in struct anchor */
	double wall_s, system_s;	   /* of the native run; NAN: there was none, or older sessions */
	double faults, preemptions;	   /* as in struct anchor; NAN: unknown */
	double runs;			   /* native ones; NAN: unknown */
	double additions, additions_alone; /* as in struct anchor; NAN: unknown */
	bool is_shared;			   /* they say that others used the core: what was measured is too much */
	double modelled, measured;	   /* cycles; NAN: unknown */
	double ratio;			   /* modelled by measured; NAN where they can't be compared */
	double ratio_low, ratio_high;	   /* as far as clock ticks know the user time */
	bool is_of_more;		   /* of all threads, of which the report has one */
	bool is_far;			   /* they differ by more than a quarter of what was measured, for sure */
	const char *remark;		   /* a sentence: is_far, with likely reasons, or that it may be; or NULL */
	const char *reason;		   /* why they can't be compared, else NULL */
};

/* What a further simulation says of a core that is otherwise in one respect. */
struct fix {
	const char *name, *what;     /* as in struct tried */
	const struct metric **nodes; /* whose cause is gone then */
	size_t nnodes;
	double cycles, speedup; /* speedup: the cycles as it is, by these; NAN: unknown */
	double ci95;		/* of a sample, half of the speed-up's 95 % interval; NAN: none */
};

/* The head's figures, which vary from repeat to repeat. */
enum figure { FIGURE_WALL, FIGURE_CPUS, FIGURE_INSTRUCTIONS, FIGURE_CYCLES, FIGURE_IPC, FIGURE_GHZ, FIGURES };

struct summary {
	const char *command, *scope, *machine, *cpu, *title;
	bool has_input;	       /* it read its standard input, which its command does not say */
	const char *target;    /* what was counted, "process 123"; NULL: the command's processes */
	const char *part;      /* of what was measured, "cpu_atom"; NULL: all of it */
	const char *part_kind; /* as in struct origin */
	const char *started, *host, *kernel, *tool_version;	  /* as in struct counts */
	double wall_s, cpus_used, instructions, cycles, ipc, ghz; /* of the first run, mean of repeats; NAN: unknown */
	const char *no_instructions; /* why there are none, where that is known; else NULL */
	struct statistics spread[FIGURES];
	bool has_intervals; /* groups shared the counters, or runs were unlike: values have an interval for that */
	bool is_sampled;    /* a simulation modelled a part of the instructions in detail: */
	double modelled;    /* their share of all, */
	size_t windows;	    /* in so many windows, between which the spread is */
	double whole_instructions; /* before the first of them, all modelled */
	size_t repeats;		   /* at least 1 */
	size_t runs, groups;	   /* of a repeat; 0: unknown (flat counts) */
	int status;		   /* exit status of the first run */
	bool has_status;
};

/* Do values have a spread: over repeats, over slices of the time, or over the windows of a simulation? */
static inline bool has_spread(const struct summary *summary)
{
	return summary->repeats > 1 || summary->has_intervals || summary->is_sampled;
}

/* It is said that a program waited where it took so many times its CPU time, and was idle for so long. */
#define WAITS_FROM    1.3
#define WAITS_LEAST_S 0.25 /* less may be the disk that the program came from */

/* What can be done next. */
struct next_actions {
	struct action repeat;	   /* what was measured, once more; none: nobody knows how it was */
	struct action look_closer; /* none, unless the worst node has children that are not in this report */
	struct action sample;	   /* where the worst node is, or a report of the profile that is there */
	/* counts what the assessment lacks: all of it, and of one topic alone */
	struct action assess, assess_topics[ASSESS_TOPICS];
	/* the same measurement kept as before.json (none: it is in a file), as after.json, and their comparison */
	struct action before, again, compare;
};

struct report {
	const struct model *model;
	struct summary summary;
	struct software_list software;
	struct execution *runs;
	size_t nruns;
	struct select_request asked; /* the lists that chose nodes and metrics; all NULL: chosen by level */
	unsigned level;		     /* deepest of the nodes; 0: none was asked for */
	struct result *nodes;	     /* model order: parents before children */
	size_t nnodes;
	struct result *metrics; /* metrics that are no nodes: next groups' members that were counted */
	size_t nmetrics;
	bool has_listed_metrics; /* some of metrics were asked for by --nodes, --groups or --metrics */
	struct cause *causes;	 /* the bottleneck view, the largest share first; what was not measured last */
	size_t ncauses;
	struct result *events; /* what -e asked for, each as a metric that is one event, in its own run */
	size_t nevents;
	const struct result *worst; /* leaf of the worst path, or NULL: nothing is over its threshold */
	struct next_actions actions;
	struct hint *next;
	size_t nnext;
	struct assessed *assessed; /* in the order of the rules; none: the model has no rules */
	size_t nassessed;
	const struct anchoring *anchor; /* NULL: the program was not to be timed */
	struct fix *fixes;		/* the one that gains most first */
	size_t nfixes;
	const char *start_note;	      /* of so few instructions that starting the program takes as many; NULL: more */
	bool has_waited;	      /* it used less than half a CPU, by itself */
	double waited_share;	      /* of its wall time, from 0 to 1, where that is much longer than its CPU time */
	double kernel_percent;	      /* of the CPU time, outside a tree of user code; 0: less than half, or unknown */
	const char *glossary;	      /* file with the words about all nodes; NULL: there is none */
	const char *meaning, *advice; /* words about the worst node, from the glossary; NULL: none */
	struct advice *others;	      /* about the other bottlenecks that have none below them, the first few */
	size_t nothers;
	const char **notes; /* ties, impossible sums, spread between runs, scaled values ...: whole sentences */
	size_t nnotes;
};

/* About the program itself: a note says why. */
static inline bool says_little(const struct report *report)
{
	return report->start_note || report->has_waited;
}

/* Has the node a child in the report that is a bottleneck? */
bool has_bottleneck_below(const struct report *report, const struct result *node);

struct sampled;
struct hotspots;
struct rank_report;
struct roofline;

/* The parts of a measurement, or of one of its intervals. */
struct report_set {
	struct report *parts;
	size_t count;
	bool is_series; /* one of those that follow each other in the same output: intervals, then all of the time */
	size_t before;	/* reports that are printed already in the series */
	double from_s, to_s;	       /* of an interval, since counting began; NAN: all of the time */
	double idle_percent;	       /* of the busiest part's cycles: what has less is left out; 0: nothing is */
	const struct sampled *sampled; /* the head where nothing was counted (sampled.h); NULL: parts say it */
	const char **idle;	       /* the names of the parts that are left out */
	size_t nidle;
	const struct hotspots *where;	 /* in the program (hotspots.h); NULL: nobody asked, or nothing is known */
	const struct roofline *roofline; /* below the ceilings (roofline.h); NULL: nobody asked */
	const struct waits *waits;	 /* the wall clock of its threads (common/waits); NULL: nobody asked */
	const struct rank_report *ranks; /* whose counts the parts' sums are (ranks.h); NULL: it is no job */
};

#endif
