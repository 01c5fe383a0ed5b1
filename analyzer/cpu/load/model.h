/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model.h - a CPU's metrics and its tree (models/NAME.json, or the metrics of an upstream pmu-events directory):
 * formulas compiled for a machine's facts, level and parent taken from the group names.
 */
#ifndef TOPDOWN_CPU_LOAD_MODEL_H
#define TOPDOWN_CPU_LOAD_MODEL_H

#include "common/formula/formula.h"
#include "cpu/event/event.h"

#define NO_PARENT ((size_t)-1)

/* More levels than any model has, and one digit: -l9 and X/9 mean all of the tree. */
#define DEEPEST_LEVEL 9

#define COMMON_GROUP "Common"

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
	unsigned topic;		 /* what it is about where it is no node: enum topic of topic.h */
	size_t parent;		 /* number of the parent, or NO_PARENT */
	bool is_common;		 /* one of those that every CPU has: of the group COMMON_GROUP, beside groups */
	bool is_ours;		 /* our formula: the vendor publishes none (models/common.json) */
	bool has_threshold;
	const char **samples; /* locating events, best first */
	size_t nsamples;
	const char *next_groups; /* NextGroups: groups of metrics that explain this node, ';'-separated, or "" */
	bool is_explaining;	 /* it is in a next group of some node */
	const char *failure;	 /* why it can't be computed here, NULL if it can */
	/*
	 * With SMT and shared slots its formula, or one that it reads, halves counts that each thread makes for its
	 * core: right for whole cores, open for one program (#core_wide 0)
	 */
	bool halves, is_halved;
	size_t *events; /* numbers of the events that the formula reads, directly or not, ascending */
	size_t nevents;
	size_t *corrections; /* those of them without which the value is an estimate (cpu/load/corrections.c) */
	size_t ncorrections;
	bool is_of_machine; /* it reads PMUs beside the cores, which count for the whole machine */
	bool reads_core;    /* counters of cores too, or only */
};

/* Can the metric be estimated without this event? */
static inline bool metric_is_correction(const struct metric *metric, size_t event)
{
	for (size_t i = 0; i < metric->ncorrections; i++)
		if (metric->corrections[i] == event)
			return true;
	return false;
}

/* Are all events of its formula countable, but for corrections? is_countable: [nevents] of the model. */
static inline bool metric_is_computable(const struct metric *metric, const bool *is_countable)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (!is_countable[metric->events[i]] && !metric_is_correction(metric, metric->events[i]))
			return false;
	return !metric->failure;
}

/* Events with a fixed role on this CPU, whatever they are called there. */
enum role { ROLE_CYCLES, ROLE_INSTRUCTIONS, ROLE_REFERENCE, ROLE_SLOTS, ROLE_COUNT };

/*
 * Intel's cores from Ice Lake on have two forms of the formulas that divide the slots: from the PERF_METRICS register,
 * and from events of general counters, for machines whose kernel shows no PERF_METRICS (virtual machines, mostly).
 */
enum model_form { FORM_PERF_METRICS, FORM_GENERAL };

struct assessment_rules;
struct roofline_sets;

struct model {
	const char *cpu; /* "sapphirerapids" */
	const char *source, *version;
	const char *tma_version;    /* "5.2", or NULL */
	const char *general_source; /* of the second form, or NULL */
	bool has_forms;		    /* there are two, of which */
	enum model_form form;	    /* this one was compiled */
	const char *generic;	    /* why it is the architecture's and not this CPU's, or NULL: it is this CPU's */
	const char *no_tree;	    /* why the level-1 nodes are not a slots tree, or NULL */
	bool has_stalls;	    /* its level 1 can't be computed, so the ratios of stalled cycles are nodes too */
	bool is_simulated;	    /* its events are counted by the simulator: nothing of it was measured */
	bool own_thresholds;	    /* the vendor publishes none; they are ours */
	const struct event_database *database;
	struct event_set events;
	size_t roles[ROLE_COUNT]; /* event numbers, TABLE_NONE where the CPU has none */
	size_t *asked;		  /* numbers of the events that the user asked for */
	size_t nasked;
	struct program *program;    /* slot i is metric i's formula; its inputs are the events */
	struct program *thresholds; /* slot i is metric i's threshold; its inputs are the metrics' values, unscaled */
	struct metric *metrics;	    /* tree nodes first, parents before children, siblings in the file's order */
	size_t count, nnodes;	    /* nodes are metrics[0 .. nnodes-1] */
	size_t nadded;		    /* the last of metrics are ours, which every CPU has (models/common.json) */
	unsigned levels;	    /* deepest level */
	bool has_shared_slots; /* both threads of a core share the slots that level 1 counts (Intel up to Skylake) */
	struct table by_name;  /* name, title, path, names of other versions; without tma_ too */
	struct facts facts;
	/* what of its metrics is healthy (cpu/load/assessment.h), read when a report needs it; NULL: never */
	struct assessment_rules *assessment;
	/* what counts its operations and bytes (cpu/load/roofline_events.h); NULL: nobody asked for a roofline */
	const struct roofline_sets *roofline;
	const char **warnings; /* formulas that failed for another reason than a missing uncore PMU, duplicates ... */
	size_t nwarnings, warnings_capacity;
};

/* What a model is compiled for. */
struct model_target {
	const struct event_database *database;
	const struct pmu *pmu;	   /* for the kernel's own event names */
	const struct facts *facts; /* literals; unknown slots are taken from the database */
	const char *events;	   /* events that the user asks for by name, separated by commas; NULL: none */
	const char *common;	   /* file of the metrics that every CPU has (models/common.json); NULL: without them */
	const char *const *system; /* files of models/system/ that the CPU names; they end with NULL, or NULL: none */
	enum model_form form;	   /* where the model has two */
	bool wants_stalls; /* the ratios of stalled cycles on level 1 (model_needs_stalls): has_stalls, no_tree */
};

/* "perf-metrics", "general"; NULL of a model that has one form only. */
const char *model_form_word(const struct model *model);

/*
 * Can no level-1 node be computed from these events ([nevents]), but a ratio of stalled cycles that is no node? Only
 * Arm's models have these ratios.
 */
bool model_needs_stalls(const struct model *model, const bool *is_countable);

/*
 * Reads path (a file or a directory) and compiles it. A single bad formula disables its metric
 * (metric.failure, and a warning with file, metric and column); -1 when the file can't be read or is no JSON
 * (file, line and column), or has no metrics.
 */
int model_load(struct model *model, const char *path, const struct model_target *target, struct arena *arena,
	       struct error *err) MUST_CHECK;

/* What its header says (source, version, tma_version ...), quickly; of a directory, which has none, nothing. */
int model_load_header(struct model *model, const char *path, struct arena *arena, struct error *err) MUST_CHECK;

/*
 * Number of the metric by name, title, dotted path or the name that another version of the method has for it, without
 * regard to case, with or without tma_; TABLE_NONE if none. A metric's own name wins over what another is also called.
 */
size_t model_find(const struct model *model, const char *name);

#endif
