/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select.h - what is planned, measured and shown: from the words of -l, --nodes, --groups and
 * --metrics to metrics of the model.
 *
 * The words are items, separated by commas. An item adds what it matches; with ! or - before it, it takes that away
 * from what is selected so far, and of nodes also what is below them. Where nothing is selected so far, a first item
 * that takes away, or has a + before it, begins with everything: the nodes down to the level, or all metrics that are
 * no nodes. The lists are taken in the order nodes, groups, metrics.
 *
 *   --nodes    NAME, or a glob of names and dotted paths in which * goes over dots: X* has all that is
 *              below X. X^ has also what is above X; X/3 also what is below X, down to level 3. "!+" at the
 *              start: only what is then added.
 *   --groups   a group of MetricGroup, or a glob of groups: all of its nodes and metrics.
 *   --metrics  NAME of a metric or node, or a glob or group of metrics that are no nodes. Of Intel's Info metrics the
 *              last part of the name will do: IPC is tma_info_thread_ipc.
 */
#ifndef TOPDOWN_CPU_LOAD_SELECT_H
#define TOPDOWN_CPU_LOAD_SELECT_H

#include "cpu/load/model.h"

/* The metric of all system calls (models/sim.json); a name behind it, "syscalls.write", is of one, and selects it. */
#define ALL_CALLS "syscalls"

struct select_request {
	const char *nodes, *groups, *metrics; /* NULL: not asked for */
	unsigned level;	   /* 0: not given. Else also the deepest level that a glob of --nodes reaches */
	bool wants_causes; /* -B: the bottleneck view (causes.c), with what is above its nodes */
};

struct selection {
	/* Numbers of metrics, the most important first: nodes by level, then the others, each in the model's order. */
	size_t *items;
	size_t count;
	bool *has;		 /* [model->count] */
	bool *is_named;		 /* [model->count]: by its own name, or as what is above X^ */
	bool *is_cause;		 /* [model->count]: a row of the bottleneck view; NULL: it was not asked for */
	bool has_listed_metrics; /* metrics that are no nodes were asked for, by an item of a list */
	unsigned level;		 /* deepest level among its nodes; 0: it has none */
};

/* Is anything but a level asked for? */
bool is_selecting(const struct select_request *request);

/*
 * -1 and err, with the nearest names, when an item matches nothing; also when nothing is left in the end. A metric that
 * can't be computed here (metric.failure) is selected like any other.
 */
int select_metrics(struct selection *selection, const struct model *model, const struct select_request *request,
		   struct arena *arena, struct error *err) MUST_CHECK;

/* Has it a * or another sign of a glob? */
bool is_glob(const char *pattern);

/* What one option of the command line selects from. */
struct selectable {
	/* Sets matched[i] for the metrics that pattern means. */
	void (*match)(bool *matched, const struct model *model, const char *pattern, struct arena *arena);
	/* Says that pattern means none, with the nearest names or the option that would take it. Always -1. */
	int (*nothing)(const struct model *model, const char *pattern, struct arena *arena, struct error *err);
};

extern const struct selectable selectable_nodes, selectable_metrics;

/* ---- causes.c ---- */

/*
 * The bottleneck view: what takes the issue slots, each slot under one cause. Where the vendor publishes such a
 * division (tma_bottleneck_*) it is that, else the deepest nodes that divide all slots among them.
 */

/* Sets is_cause, [model->count] and false, for the rows of the view. False: the CPU has no tree of slots. */
bool causes_find(bool *is_cause, const struct model *model) MUST_CHECK;

#endif
