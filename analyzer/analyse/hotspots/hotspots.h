/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hotspots.h - all that a report says of where something happens: tables of the nodes' events, or of the nodes
 * themselves where counts are exact; trees of functions; a simulation beside the measured time.
 */
#ifndef TOPDOWN_ANALYSE_HOTSPOTS_HOTSPOTS_H
#define TOPDOWN_ANALYSE_HOTSPOTS_HOTSPOTS_H

#include "analyse/evaluate/report.h"
#include "analyse/hotspots/weighing.h"
#include "analyse/hotspots/where.h"
#include "common/waits/waits.h"

/* ---- function_trees.c ---- */

/*
 * A tree for each of the hottest functions: the model evaluated on the counts of the function's rows, as on those
 * of the whole. What only the whole has (all cycles, all slots) a function has as far as it has the cycles.
 */

struct function_tree {
	const char *function; /* NULL: code without names */
	const char *module;
	bool is_mixed;		   /* no function: what belongs to none (analyse/hotspots/sampled_trees.c) */
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

/* ---- hotspots.c ---- */

/* A function's share of the modelled cycles, and of the time that its native run took. */
struct paired_function {
	const char *function, *module;
	double modelled;
	struct share measured;
	bool is_far; /* beyond the interval, and by more than a point */
};

struct annotation;

struct hotspots {
	const struct question *question; /* what was asked for */
	const struct profile *profile;
	struct where *items; /* of each node or event, the worst node's first */
	size_t count;
	struct function_trees trees; /* count 0: none was asked for */
	const struct waits *waits;   /* of the reports, joined with trees of functions */
	struct paired_function *pairs;
	size_t npairs;
	uint64_t paired_samples;	     /* of the native run */
	const struct annotation *annotation; /* analyse/hotspots/annotation.h; NULL: nobody asked */
	const char **remarks;		     /* sentences about all of it */
	size_t nremarks;
};

struct hotspots_request {
	const struct measurement *measured;
	const struct report_set *reports; /* of measured; parts[0] with counts[0] */
	const struct question *question;
};

/* Has the measurement rows or lines that can answer? */
bool has_hotspots(const struct measurement *measured);

/* -1 where a filter or a function fits nothing (err), with a remedy. Lives in arena. */
int hotspots_fill(struct hotspots *where, const struct hotspots_request *request, struct arena *arena,
		  struct error *err) MUST_CHECK;

/* ---- sampled_trees.c ---- */

/*
 * A tree for each of the hottest functions of a profile whose groups were read with samples: the model evaluated
 * on what the groups have counted between two samples that both lie in the function. What they have counted
 * between samples of different functions is a tree of its own, called mixed.
 */

struct sampled_model {
	const struct model *model;
	const char *pmu; /* the core type whose events it has; NULL: there is one type only */
};

/*
 * Of the most functions with the most cycles, and then the mixed rest. Groups of one function are
 * brought together by its cycles in each. False: no group was read.
 */
bool sampled_trees_fill(struct function_trees *trees, const struct profile *profile, const struct sampled_model *of,
			size_t most, struct arena *arena);

/* ---- wait_places.c ---- */

/*
 * The same wall clock with the places of links and of who ended waits. Each is the function of the
 * program that had most of the thread's time, of all that was sampled. waits itself where nothing is known.
 */
const struct waits *waits_with_places(const struct waits *waits, const struct profile *profile, struct arena *arena);

/* The same with what loses most in the functions in which others ran meanwhile. */
const struct waits *waits_with_trees(const struct waits *waits, const struct function_trees *trees,
				     struct arena *arena);

#endif
