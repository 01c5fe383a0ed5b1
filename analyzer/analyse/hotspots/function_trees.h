/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function_trees.h - a tree for each of the hottest functions: the model evaluated on the counts of the function's
 * rows, as on those of the whole. What only the whole has (all cycles, all slots) a function has as far as it has the
 * cycles.
 */
#ifndef TOPDOWN_ANALYSE_HOTSPOTS_FUNCTION_TREES_H
#define TOPDOWN_ANALYSE_HOTSPOTS_FUNCTION_TREES_H

#include "analyse/hotspots/weighing.h"

struct function_tree {
	const char *function; /* NULL: code without names */
	const char *module;
	bool is_mixed;		   /* no function: what belongs to none (analyse/hotspots/sampled_trees.h) */
	struct share cycles;	   /* of all that the rows and the whole have; sampled: its samples are pairs of them */
	double *values;		   /* [model->nnodes], in the printed unit; NAN: it has none */
	double *low, *high;	   /* 95 % intervals, NAN: unknown; both NULL: the values are exact */
	const struct metric *most; /* of the worst path by the model's thresholds; NULL: nothing is over */
};

struct function_trees {
	const struct model *model;
	struct function_tree *items; /* the most cycles first */
	size_t count;
	double rest; /* percent of the cycles in other functions, or in none */
	bool is_sampled;
};

/* Of the most functions with cycles. False: level 1 has no value. */
bool function_trees_fill(struct function_trees *trees, const struct exact_rows *rows, size_t most, struct arena *arena);

/* ---- shared with sampled_trees.c ---- */

/* Fills values and most, of these events ([model->events.count]); the rest is 0. */
void function_tree_evaluate(struct function_tree *tree, const struct model *model, const double *events,
			    struct arena *arena);

#endif
