/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evaluate.h - from counts to the numbers of the tree, each with its quality, and to what should be looked at next. */
#ifndef TOPDOWN_ANALYSE_EVALUATE_EVALUATE_H
#define TOPDOWN_ANALYSE_EVALUATE_EVALUATE_H

#include "analyse/evaluate/report.h"

/*
 * Evaluates the model on counts, and reports the nodes down to question.level (0: all), or what its lists select.
 * Everything in report lives in arena or is borrowed from model and counts. -1 when the counts are of another CPU than
 * the model, or the lists name what the model has not.
 */
int evaluate(struct report *report, const struct model *model, const struct counts *counts, struct arena *arena,
	     struct error *err) MUST_CHECK;

/* What was lost to a node itself: less its children, which are among the same nodes and have causes of their own. */
double own_value(const struct model *model, const struct result *nodes, size_t count, const struct result *node);

/* Shares of the simulated instructions that a model and a machine differ by most; NAN: unknown (older sessions). */
struct anchored_work {
	double vector, x87, crypto, gathers, strings;
};

/* Holds modelled cycles against a native run. reason lives in arena. */
struct anchoring anchor_judge(const struct anchor *anchor, double modelled, const struct anchored_work *work,
			      struct arena *arena);

/*
 * What is directly below the report's bottlenecks: their children down to level deepest, and from level 2 on the
 * metrics of their next groups. What is in taken ([model->count]) is left out; what is returned is added to it. items
 * has room for model->count numbers. Returns their number; 0 at a leaf, or where nothing is over its threshold.
 */
size_t drill_next(size_t *items, bool *taken, const struct report *report, unsigned deepest);

#endif
