/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - which events are counted together: from the wanted nodes to groups that the counters can hold, and from
 * groups to runs of the program. Pure: it measures nothing and asks the kernel nothing.
 */
#ifndef TOPDOWN_CPU_PLAN_PLAN_H
#define TOPDOWN_CPU_PLAN_PLAN_H

#include "cpu/load/model.h"

#define MOST_HELD 8

/* What the PMU offers one group. */
struct plan_limits {
	unsigned general;  /* general counters */
	uint64_t fixed;	   /* fixed counters that exist: FIXED_COUNTER bits of a counter mask */
	bool has_metrics;  /* slots and the PERF_METRICS fields can be counted */
	bool has_watchdog; /* the kernel's NMI watchdog holds one counter that can count cycles */
	/* Events that are sampled beside each group hold a counter each: which counters each of them can be on. */
	uint64_t held[MOST_HELD];
	unsigned nheld;
};

struct plan_request {
	struct plan_limits limits;
	unsigned level;	      /* deepest level wanted */
	size_t max_runs;      /* groups, and those of units, share runs where there are more of them; 0: no limit */
	bool is_per_node;     /* each metric in one group wherever it fits, at the price of more groups */
	const size_t *wanted; /* numbers of the metrics to plan, the most important first; NULL: by level */
	size_t nwanted;
	const size_t *beside; /* beside those: metrics of the whole machine, which take no counter of a core */
	size_t nbeside;
};

#define NO_COUNTER (-1)

struct plan_group {
	size_t *events; /* numbers of model->events; slots first where it is among them */
	int *counters;	/* where each could be counted: bit number of a counter mask, or NO_COUNTER (metric, tool) */
	size_t count;
	size_t *metrics; /* wanted metrics whose events are all in this group and in none before it */
	size_t nmetrics;
};

/* Events of one kind of PMU beside the cores, which its counters hold at the same time, in each of its units. */
struct plan_unit {
	const char *unit; /* "uncore_imc" */
	size_t *events;
	size_t count;
	size_t run; /* that counts it, from 0: the groups of a PMU are divided among the runs */
};

struct plan_run {
	size_t first, count; /* groups */
};

struct plan {
	struct plan_limits limits;
	unsigned level;
	struct plan_group *groups;
	size_t ngroups;
	struct plan_run *runs;
	size_t nruns;
	size_t nfor_units;	 /* of the groups the last ones: of runs that only the units need */
	struct plan_unit *units; /* beside the groups; those of the whole machine are the same for all core types */
	size_t nunits;
	size_t *wanted; /* metrics that were planned, in tree order */
	size_t nwanted;
	size_t lower_bound; /* groups that any plan needs; the plan is proven shortest where it has no more */
	bool *counted;	    /* [nevents]: the model's events that are in some group */
	size_t nevents;
	size_t *split; /* wanted metrics that no group has whole: combined from several */
	size_t nsplit;
	size_t *missing; /* wanted metrics with an event that none of these counters can hold */
	size_t nmissing;
	size_t roles[ROLE_COUNT]; /* model->roles, TABLE_NONE where the limits rule them out */
};

/*
 * Plans the wanted metrics, or all nodes down to request->level (and at level 2 and below the metrics of their next
 * groups). An event that no counter of this PMU can hold is left out, and the metrics that need it are named in the
 * report. -1 when not one event can be counted.
 */
int plan_build(struct plan *plan, const struct model *model, const struct plan_request *request, struct arena *arena,
	       struct error *err) MUST_CHECK;

/*
 * The groups of each run, when at most max_runs are to be made: as equally as they can be divided, and the first runs,
 * which have the upper levels, have the fewer. Returns the number of runs; runs has room for ngroups.
 */
size_t plan_divide(struct plan_run *runs, size_t ngroups, size_t max_runs);

/* Of all runs one is left, as number counts them in a circle; its groups keep their numbers. */
void plan_keep_run(struct plan *plan, uint64_t number);

/*
 * Adds another plan of the same model and limits behind the first: its groups and runs follow. made: runs that were
 * made already; where the plan has fewer, it gets empty ones, so that the extension's come after them.
 */
void plan_append(struct plan *plan, const struct plan *extension, size_t made, struct arena *arena);

/* Does a run have several groups, which share the counters? */
bool plan_is_multiplexed(const struct plan *plan);

/* Can the counters hold these events at the same time? Fills counters (one each) if it is not NULL. */
bool plan_fits(const struct plan_limits *limits, const struct event_set *set, const size_t *events, size_t count,
	       int *counters);

/* The limits of a CPU that is not at hand, from its database: SMT decides the number of a thread's general counters. */
struct plan_limits plan_limits_published(const struct event_database *database, bool smt_on);

#endif
