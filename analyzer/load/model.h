/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model.h - a CPU's metrics and its tree (models/NAME.json, or the metrics of an upstream pmu-events directory): formulas
 * compiled for a machine's facts, level and parent taken from the group names.
 */
#ifndef TOPDOWN_MODEL_H
#define TOPDOWN_MODEL_H

#include "formula/formula.h"
#include "load/event.h"

#define NO_PARENT ((size_t)-1)

struct metric {
	const char *name;	 /* "tma_dram_bound" */
	const char *title;	 /* "DRAM_Bound" */
	const char *path;	 /* "Backend_Bound.Memory_Bound.DRAM_Bound"; the title for a metric that is no node */
	const char *groups;	 /* MetricGroup, ';'-separated */
	const char *also_called; /* names in other versions of the method, ';'-separated, or NULL */
	const char *domain;	 /* CountDomain: "Slots", "Clocks", "Stalls" ...; "" if none is published */
	double scale;		 /* ScaleUnit: the formula's value times this is printed ... */
	const char *unit;	 /* ... with this behind it: "%", "MPKI", "" */
	unsigned level;		 /* 1 ... 6; 0: not a node of the tree */
	size_t parent;		 /* number of the parent, or NO_PARENT */
	bool has_threshold;
	const char **samples; /* locating events, best first */
	size_t nsamples;
	const char *next_groups; /* NextGroups: groups of metrics that explain this node, ';'-separated, or "" */
	bool is_explaining;	 /* it is in a next group of some node */
	const char *failure;	 /* why it can't be computed here, NULL if it can */
	size_t *events;		 /* numbers of the events that the formula reads, directly or not, ascending */
	size_t nevents;
};

/* Events with a fixed role on this CPU, whatever they are called there. */
enum role { ROLE_CYCLES, ROLE_INSTRUCTIONS, ROLE_REFERENCE, ROLE_SLOTS, ROLE_COUNT };

struct model {
	const char *cpu; /* "sapphirerapids" */
	const char *source, *version;
	const char *tma_version; /* "5.2", or NULL */
	const char *no_tree;	 /* why the level-1 nodes are not a slots tree, or NULL */
	bool is_simulated;	 /* its events are counted by the simulator: nothing of it was measured */
	bool own_thresholds;	 /* the vendor publishes none; they are ours */
	const struct event_database *database;
	struct event_set events;
	size_t roles[ROLE_COUNT]; /* event numbers, TABLE_NONE where the CPU has none */
	size_t *asked;		  /* numbers of the events that the user asked for */
	size_t nasked;
	struct program *program;    /* slot i is metric i's formula; its inputs are the events */
	struct program *thresholds; /* slot i is metric i's threshold; its inputs are the metrics' values, unscaled */
	struct metric *metrics;	    /* tree nodes first, parents before children, siblings in the file's order */
	size_t count, nnodes;	    /* nodes are metrics[0 .. nnodes-1] */
	unsigned levels;	    /* deepest level */
	struct table by_name;	    /* name, title, path, names of other versions; without tma_ too */
	struct facts facts;
	const char **warnings; /* formulas that failed for another reason than a missing uncore PMU, duplicates ... */
	size_t nwarnings, warnings_capacity;
};

/* What a model is compiled for. */
struct model_target {
	const struct event_database *database;
	const struct pmu *pmu;	   /* for the kernel's own event names */
	const struct facts *facts; /* literals; unknown slots are taken from the database */
	const char *events;	   /* events that the user asks for by name, separated by commas; NULL: none */
};

/*
 * Reads path (a file or a directory) and compiles it. A single bad formula disables its metric (metric.failure, and a warning
 * with file, metric and column); -1 when the file can't be read or is no JSON (file, line and column), or has no metrics.
 */
int model_load(struct model *model, const char *path, const struct model_target *target, struct arena *arena,
	       struct error *err) MUST_CHECK;

/*
 * Number of the metric by name, title, dotted path or the name that another version of the method has for it, without
 * regard to case, with or without tma_; TABLE_NONE if none. A metric's own name wins over what another is also called.
 */
size_t model_find(const struct model *model, const char *name);

/*
 * Lets metrics be found under the names that other versions of the method, or Linux, have for them: path is the
 * glossary, whose Header.SameNode lists them. A list of which the model has none says nothing about it. -1 when the
 * glossary can't be read.
 */
int model_add_names(struct model *model, const char *path, struct arena *arena, struct error *err) MUST_CHECK;

#endif
