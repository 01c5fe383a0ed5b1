/* SPDX-License-Identifier: GPL-2.0-or-later */
/* internal.h - the steps of evaluate: values with their quality, judgement by thresholds, notes, summary, what to sample next. */
#ifndef TOPDOWN_EVALUATE_INTERNAL_H
#define TOPDOWN_EVALUATE_INTERNAL_H

#include "base/text.h"
#include "evaluate/evaluate.h"

#define SPREAD_LIMIT 0.05 /* instructions of two runs of the same program may differ by this share */

/*
 * One consistent set of event values: a group as it was counted, or all groups brought together (the last context).
 */
struct context {
	double *events; /* [model events], NAN: not counted here */
	double *shares; /* [model events], running/enabled of each */
	size_t *groups; /* [model events], where each was counted; TABLE_NONE: nowhere, or by a clock */
	double running; /* smallest running/enabled among the counts in it */
	bool is_combined;
};

struct evaluation {
	struct evaluation
		*repeats; /* each measurement for itself; the first of them is not this one, which has the means */
	size_t nrepeats;  /* at least 1 */
	struct report *report;
	const struct model *model;
	const struct counts *counts;
	struct arena *arena;
	size_t *bound;		  /* event number of each item of counts, TABLE_NONE: the model does not know it */
	struct context *contexts; /* counts->ngroups of them, then the combined one */
	struct result *results;	  /* one for each metric of the model */
	size_t *chosen;		  /* context of each result, TABLE_NONE: no value, as not all was counted */
	double *unscaled;	  /* value of each metric as its formula gives it; input of the thresholds */
	bool is_selected;	  /* counts have lists that select, and selection is filled */
	struct selection selection;
	bool *shown; /* [model->count]: nodes of the report, and metrics that were asked for */
	size_t notes_capacity;
};

/* Binds counts to events and fills the contexts. */
void contexts_fill(struct evaluation *e);
/* run of the context's group; 0 for the combined one */
size_t context_run(const struct evaluation *e, size_t context);

void results_fill(struct evaluation *e);

/* The other repeats; values become the means of all. One alone is its own mean. */
void repeats_fill(struct evaluation *e);
struct statistics repeats_statistics(const struct evaluation *e, double (*value)(const struct evaluation *e, size_t of),
				     size_t of);

/* Why the result has no value, and what is missing. */
void result_explain(const struct evaluation *e, struct result *result);
/* "not counted", and the cause where the kernel told one */
const char *event_missing_text(const struct evaluation *e, size_t event);
/* Marks what a busy sibling makes an estimate, and says so. */
void sibling_judge(struct evaluation *e);
void results_judge(struct evaluation *e);
void summary_fill(struct evaluation *e);
/* After the summary: how sure a simulation is that modelled a part of the instructions in detail. */
void sampling_fill(struct evaluation *e);
/* After the summary, whose cycles it takes. */
void anchor_fill(struct evaluation *e);
void executions_fill(struct evaluation *e);
void notes_fill(struct evaluation *e);
void hints_fill(struct evaluation *e);
/* The source lines of the nodes that are named, or of the worst; when the report's rows are there. */
void lines_fill(struct evaluation *e);

void note_add(struct evaluation *e, const char *format, ...) PRINTF(2, 3);

#endif
