/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * evaluation.h - the steps of evaluate: values with their quality, judgement by thresholds, notes,
 * summary, what to sample next.
 */
#ifndef TOPDOWN_ANALYSE_EVALUATE_EVALUATION_H
#define TOPDOWN_ANALYSE_EVALUATE_EVALUATION_H

#include "analyse/evaluate/evaluate.h"
#include "common/base/text.h"
#include "common/measurement/slices.h"

#define SPREAD_LIMIT 0.05 /* instructions of two runs of the same program may differ by this share */

/*
 * One consistent set of event values: a group as it was counted, all groups combined, or what was made of one of these
 * for single metrics (repeated_events.c, uncorrected.c).
 */
struct context {
	double *events;		/* [model events], NAN: not counted here */
	double *running_shares; /* [model events], running/enabled of each */
	size_t *groups;		/* [model events], where each was counted; TABLE_NONE: nowhere, or by a clock */
	double running;		/* smallest running/enabled among the counts in it */
	bool is_combined;
	const size_t *members; /* of a combined one for single metrics: the groups that it takes, the base first */
	size_t nmembers;
	const bool *stands_in; /* [model events], 0 stands in for a correction that was not counted; NULL: for none */
};

/* Flat counts whose events are there more than once: which copies go together. */
struct copies {
	size_t *sources;	/* [model events], the event whose counts are this one's too; mostly itself */
	bool *is_repeated;	/* [model events], counted more than once */
	size_t repeated;	/* number of these */
	size_t *items, *begins; /* usable items by event, in order; event i's are items[begins[i] .. begins[i + 1]-1] */
	size_t *rounds;		/* [items]: goes up where an event is there again */
	bool is_open;		/* for a metric that is shown, neither time nor order say which copies go together */
	struct table windows;	/* contexts by where they begin */
};

struct evaluation {
	struct evaluation *repeats; /* of each repeat by itself; the first is not this one, which has the means */
	size_t nrepeats;	    /* at least 1 */
	struct report *report;
	const struct model *model;
	const struct counts *counts;
	const struct repeat *repeat; /* of counts, which this evaluates; of the one with the means the first */
	bool is_decided;	     /* what --what-if tried says which of two close causes is the worst */
	bool has_intervals;	     /* slices, or unlike runs, say how sure the results are */
	double *asked_ci95;	     /* [model->nasked], likewise of the events that were asked for; NULL: no slices */
	int weights;		     /* of slices, as slices.h has them */
	struct arena *arena;
	size_t *bound;		  /* event number of each item of the repeat, TABLE_NONE: the model does not know it */
	struct context *contexts; /* repeat->ngroups of them, then the combined one, then those for single metrics */
	size_t ncontexts, contexts_capacity;
	struct copies copies;	/* of flat counts */
	struct result *results; /* one for each metric of the model */
	size_t *context_of;	/* context of each result, TABLE_NONE: no value, as not all was counted */
	double *unscaled;	/* value of each metric as its formula gives it; input of the thresholds */
	bool is_selected;	/* counts have lists that select, and selection is filled */
	struct selection selection;
	bool *shown; /* [model->count]: nodes of the report, and metrics that were asked for */
	size_t notes_capacity;
};

/* Binds counts to events and fills the contexts. */
void contexts_fill(struct evaluation *e);
/* run of the context's group; 0 for the combined one */
size_t context_run(const struct evaluation *e, size_t context);

/* Is the event that of one unit, and its count a sum over the sockets? Then it has no value. */
bool context_adds_sockets(const struct evaluation *e, size_t event);

#define MANY_CYCLES	  1e6 /* after so many a program has retired something, and waited for its code */
#define MANY_INSTRUCTIONS 1e3 /* no core retires these in less than a cycle */

/* Of cycles and instructions the one that counted 0 while the other cannot have been alone; TABLE_NONE: none. */
size_t context_stuck(const struct evaluation *e, const struct context *context);

/* An empty one, behind the others; its number. */
size_t context_add(struct evaluation *e);
/* Takes the item's count into the context, for this event. */
void context_take(const struct evaluation *e, struct context *context, size_t item, size_t event);
/* Has it all events of the metric? With is_without, corrections may be missing. */
bool context_has_all(const struct context *context, const struct metric *metric, bool is_without);
/* The factor that makes a group's counts comparable with the base group's; NAN when they share no fixed counter. */
double context_factor(const struct evaluation *e, const struct context *base, const struct context *group);
/* Takes over what the group has: all that the base group has, of another the counts that are still missing. */
void context_merge(const struct evaluation *e, struct context *all, const struct context *base,
		   const struct context *group);
/*
 * For a metric that no group has whole: the context of as few groups as possible that have its events. Where no group
 * of these is tied to all others, that of all groups together; TABLE_NONE: not all was counted.
 */
size_t combined_context(struct evaluation *e, const struct metric *metric, bool is_without);
/* Times and latencies that no counter gives; run is that of the counts. */
void context_complete(const struct evaluation *e, struct context *context, size_t run);

/* Flat counts: events of several names, and events with several counts. After bind. */
void copies_find(struct evaluation *e);
/* Has the event only counts of another name that the metric reads as well? */
bool copies_lack(const struct evaluation *e, const struct metric *metric, size_t event);
/* Does the metric read an event that was counted more than once? */
bool copies_concern(const struct evaluation *e, const struct metric *metric);
/* The context with the copies that the metric takes; TABLE_NONE: not all was counted. */
size_t copies_context(struct evaluation *e, const struct metric *metric, bool is_without);

/* A context like this one, in which 0 stands in for each of the metric's corrections that was not counted. */
size_t without_context(struct evaluation *e, size_t context, const struct metric *metric);
/* The corrections that the result had to do without. */
void without_explain(const struct evaluation *e, struct result *result);
void note_without(struct evaluation *e);
void note_copies(struct evaluation *e);
/* Of flat counts: events that the CPU does not have, and those that were counted in user or kernel mode only. */
void note_unknown(struct evaluation *e);
void note_modes(struct evaluation *e);
/* One unit's counts that perf has added up for an unknown number of sockets. */
void note_sockets(struct evaluation *e);

void results_fill(struct evaluation *e);
/* Nodes that no count gives a value get what perf stat printed. After results of the counts. */
void printed_take(struct evaluation *e);
/* "; perf stat printed nan", or "" */
const char *printed_reason(const struct evaluation *e, const struct metric *metric);
/* Which nodes have perf's own value, and what speaks against it. */
void note_printed(struct evaluation *e);

/* Its formula could be evaluated, or perf printed its value. */
static inline bool is_answered(const struct evaluation *e, size_t metric)
{
	return e->context_of[metric] != TABLE_NONE || e->results[metric].quality == QUALITY_PRINTED;
}

/* An event that was asked for: the first group that has it, TABLE_NONE without one, and its value there or NAN. */
size_t asked_group(const struct evaluation *e, size_t event);
double asked_value(const struct evaluation *e, size_t event);

/* Takes the counts of groups that shared the counters to all of the time, by their slices; after fill of the groups. */
void slices_correct(struct evaluation *e);
/* How sure the results are that were multiplexed, when all repeats are there. */
void slices_judge(struct evaluation *e);
/* A mean is no surer than its repeats agree, and no surer than each of them is; NAN: that is not known. */
void slices_widen(struct statistics *spread, double ci95);
/*
 * Half of a 95 % interval in points, of any node that was multiplexed: how far the groups of the repeat are from each
 * other in level 1 where several counted it, else in IPC. NAN: there are no two to compare.
 */
double groups_ci95(const struct evaluation *repeat);
/* A node's percentage by what the group alone counted, without corrections; NAN: it has not all of the events. */
double node_in_group(const struct evaluation *e, size_t group, size_t node, const struct program_slice *program);
/* Are slices too few, and do the groups differ by more than a little? */
bool is_too_short(const struct evaluation *e);
/* How rough multiplexed values are. */
void note_slices(struct evaluation *e, double running);

/* The other repeats; values become the means of all. One alone is its own mean. */
void repeats_fill(struct evaluation *e);
struct statistics repeats_statistics(const struct evaluation *e, double (*value)(const struct evaluation *e, size_t of),
				     size_t of);

/* Why the result has no value, and what is missing. */
void result_explain(const struct evaluation *e, struct result *result);
/* "not counted", and the cause where the kernel named one */
const char *event_missing_text(const struct evaluation *e, size_t event);
/* Marks what a busy sibling makes an estimate, and says so. */
void sibling_judge(struct evaluation *e);
/* Marks what a guessed state of the machine makes an estimate, and says so. */
void smt_judge(struct evaluation *e);
void results_judge(struct evaluation *e);
/* What its cause lost: with the other node that counts the same one, where both are shown. */
double cause_value(const struct evaluation *e, const struct result *node);
/* This node becomes the worst, and the worst path leads to it. */
void lead_to(struct evaluation *e, struct result *worst);
void summary_fill(struct evaluation *e);
/* After the summary: how sure a simulation is that modelled a part of the instructions in detail. */
void sampling_fill(struct evaluation *e);
/* Nodes without a value, because the simulator that counted did not know what they need. */
void note_older_simulator(struct evaluation *e);
/* SSE among 256-bit AVX, which costs time that is not modelled. */
void note_mixed_vectors(struct evaluation *e);
/* After the summary, whose cycles it takes. */
void anchor_fill(struct evaluation *e);
/* What --what-if tried: the report's fixes, and what each node would gain. */
void fixes_fill(struct evaluation *e);
void executions_fill(struct evaluation *e);
/* Level 1 of each run, where it was counted in several; and the interval that unlike ones give to all values. */
void mixes_fill(struct evaluation *e);
/* Is level 1 of the run so far from that of a typical one that it was another mix of work? */
bool is_other_mix(const struct execution *run);

/* summary.c: the first of the whole runs, of which there is one where there are runs at all. */
const struct execution *execution_whole(const struct report *report);
void notes_fill(struct evaluation *e);
/* A program's own time, or that of processes that were measured for a while. */
struct time_used {
	double wall_s, cpu_s;
	double ready_s; /* at least so long it had no CPU, as others had it */
};

/*
 * Natively, where a simulated program ran so too. Without such a run nobody knows its own time, and all is 0: the
 * simulator computes a hundred times longer, and on a busy machine leaves the CPU to others for most of that. A native
 * run that had to leave it often says as little.
 */
struct time_used time_used(const struct evaluation *e);
/* Where the tree is about little of what the program does. */
void activity_note(struct evaluation *e);
/* What the kernel's own counters say of the tree: after activity_note(). */
void software_notes(struct evaluation *e);
/* The bottleneck view, from the report's rows. */
void causes_fill(struct evaluation *e);
/* System calls by name, behind the report's metrics; and the most that there can be. */
size_t per_call_most(const struct evaluation *e);
void per_call_fill(struct evaluation *e);
/* What the measurement was not made for: after causes_fill(). */
void notes_of_causes(struct evaluation *e);
/* Leaves the report the worst path alone. */
void keep_worst_path(struct evaluation *e);
/* Ties, sums and values that cannot be. */
void doubts_note(struct evaluation *e);
/* All of level 1 is in the report. */
bool is_level_1_shown(const struct evaluation *e);
/* A share so far outside of 0 ... 100 % that no rounding explains it. */
bool result_is_impossible(const struct result *result);
void hints_fill(struct evaluation *e);
/* Counts these metrics, "A,B"; none for NULL, and after a simulation, which counted all it can. */
struct action hints_count_metrics(const struct evaluation *e, const char *names);
/* The report's figures, judged by the model's rules. */
void assess_fill(struct evaluation *e);

void note_add(struct evaluation *e, const char *format, ...) PRINTF(2, 3); /* with the front end's words */

#endif
