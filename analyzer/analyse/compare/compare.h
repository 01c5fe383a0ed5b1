/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare.h - two measurements of the same work, before and after a change: is it slower, how sure is that, and what
 * does the difference consist of? Pure: whoever compares has measured and evaluated both.
 */
#ifndef TOPDOWN_ANALYSE_COMPARE_COMPARE_H
#define TOPDOWN_ANALYSE_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/evaluate/report.h"
#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/measurement/action.h"
#include "common/measurement/profile.h"

/* ---- resample.c ---- */

/*
 * How sure a figure is that is computed from repeated measurements: the bootstrap's percentile interval (Efron,
 * Annals of Statistics 7, 1979). Its random numbers begin alike each time, so the same values give the same
 * interval.
 */

/* A figure with its 95 % interval. NAN: unknown. */
struct estimate {
	double value, low, high;
};

/* The same without an interval, and where it is exact. */
struct estimate estimate_alone(double value);
struct estimate estimate_exact(double value);

/* Of sorted values, between the two nearest ones (R's type 7, numpy's "linear"). NAN without values. */
double quantile(const double *sorted, size_t count, double share);

/* scratch has room for count values. */
double median(const double *values, size_t count, double *scratch);

#define RESAMPLES 1999

/* The measurements of both sides; of pairs both have the same number, and stay together. */
struct resampling {
	size_t nbefore, nafter;
	bool is_paired;
};

/* Numbers of measurements, drawn with replacement. */
struct resample {
	size_t *before, *after;
	size_t nbefore, nafter;
};

/* Fills nfigures figures from these measurements. */
typedef void figures_of(double *figures, const struct resample *drawn, void *context);

/*
 * The interval of each figure; its value is that of all measurements, once each. With fewer than two measurements on a
 * side low and high are NAN.
 */
void bootstrap(struct estimate *estimates, size_t nfigures, const struct resampling *from, figures_of *figures,
	       void *context);

/* ---- compare.c ---- */

/* ---- what is compared ---- */

/* One side. Everything is borrowed. */
struct compare_side {
	const char *label;		    /* "old.json", or the command */
	const struct measurement *measured; /* each of its repeats is one measurement of the work */
	const struct report *report; /* of its first part, at all levels; NULL: nothing was counted, but sampled */
	/* Where it happened: of each repeat, or one of all of them; 0: unknown. */
	const struct profile *const *profiles;
	size_t nprofiles;
};

struct compare_request {
	struct compare_side before, after;
	bool is_paired;		   /* repeat i of both was measured side by side */
	bool are_commands;	   /* labels are commands, which are different on purpose */
	unsigned level;		   /* deepest nodes that terms are about; 0: the leaves */
	const char *const *judged; /* names of metrics that are judged together with those of the verdict; NULL: none */
	size_t njudged;
	bool wants_all_functions; /* those without a difference too */
	const char *remark;	  /* how they were measured, a whole sentence; NULL: as usual */
};

/* ---- what comes out ---- */

enum verdict { VERDICT_SLOWER, VERDICT_FASTER, VERDICT_SAME, VERDICT_UNKNOWN };

/* "slower", "faster", "same", "unknown" */
const char *verdict_name(enum verdict verdict);

/* Of any metric, whichever direction is better. */
enum change { CHANGE_UNJUDGED, CHANGE_MORE, CHANGE_LESS, CHANGE_NONE, CHANGE_UNKNOWN };

#define SAME_WITHIN 0.01 /* a ratio that is surely no farther from 1 is the same */
#define LEAST_PAIRS 5	 /* the exact test can't say anything with fewer */
#define SURE_P	    0.05

/* A number that both sides have: time_s, cpu_s, cycles, instructions, a metric or a node of the model. */
struct compared_metric {
	const char *name, *title, *unit;
	const struct metric *metric;		    /* after's; NULL: not the model's */
	const double *before_values, *after_values; /* of each repeat, NAN: not measured */
	size_t nbefore, nafter;
	double before, after;  /* medians, in unit */
	struct estimate ratio; /* after by before, of the medians */
	double p;	       /* Mann and Whitney's, exact; NAN: too few, or nothing is left to chance */
	double p_paired;       /* signed ranks of pairs; NAN: there are none */
	double p_adjusted;     /* of both, and of all that is judged; NAN: it is not judged */
	enum change change;    /* CHANGE_UNJUDGED: nobody asked */
	size_t more;	       /* CHANGE_UNKNOWN: about so many more pairs are needed; 0: unknown */
};

/* A node that both sides have. */
struct compared_node {
	const struct metric *metric; /* after's */
	double before, after;	     /* percent of the slots, or of what its domain says; medians */
	struct estimate cycles;	     /* that it takes more, where it is a part of the slots; else NAN */
	double p;
	bool is_leaf; /* the differences of all leaves add up to the whole difference */
};

/* Where most of a term, or of a function's difference, is. NULL and 0: unknown. */
struct compared_place {
	const char *function, *module, *file;
	uint32_t line;
	double cycles; /* of the difference, in it */
};

enum term_kind {
	TERM_INSTRUCTIONS, /* more of them, each as dear as on average of both sides */
	TERM_NODE,	   /* cycles that an instruction loses more in a node */
	TERM_CPI,	   /* cycles that an instruction takes more, where no tree divides them */
	TERM_ALL,	   /* all of it, where instructions were not counted */
};

/*
 * A part of the difference in cycles. With I instructions and C cycles an instruction,
 *	after - before = (I2 - I1) (C1 + C2) / 2 + (I1 + I2) / 2 (C2 - C1)
 * and C is the sum of what an instruction takes in each leaf of the tree. So all terms add up. Of exact simulations
 * with lines each function is taken apart so, and terms are the sums over functions: one that does twice the work at
 * the same price has more instructions, and nothing else. What is new or gone is instructions too.
 */
struct compared_term {
	enum term_kind kind;
	const char *title; /* "more instructions", "DRAM_Bound", "Memory_Bound, rest" */
	const char *node;  /* the model's name; NULL: of none */
	const char *path;
	struct estimate cycles;
	double percent; /* of before's cycles */
	struct compared_place place;
};

enum function_change { FUNCTION_KEPT, FUNCTION_NEW, FUNCTION_REMOVED, FUNCTION_RENAMED };

/* A function: its own code, with what is inlined into it counted where it was written. */
struct compared_function {
	const char *name, *name_before; /* NULL: unknown; name_before: where it has another name now */
	const char *module;
	enum function_change change;
	double before, after;				/* in comparison.unit */
	struct estimate difference;			/* its interval: over repeats, or by the number of samples */
	double instructions_before, instructions_after; /* NAN: unknown */
	const char *node;	      /* the title of the leaf with most of the difference; NULL: unknown */
	struct compared_place line;   /* with most of the difference */
	bool was_inlined, is_inlined; /* everywhere */
};

/*
 * Is it the same function, as compilers name the variants that they make of it: work, work.constprop.0, work.cold?
 * False where a name is unknown (NULL).
 */
bool is_same_written(const char *a, const char *b);

/* What differs besides the program. */
struct compared_surrounding {
	const char *what, *before, *after; /* "kernel", "6.1.0", "6.6.1" */
	bool is_important;		   /* it may explain a difference: said before the verdict */
};

struct comparison {
	const struct compare_request *request;
	enum verdict verdict;
	const struct compared_metric *headline; /* what the verdict is about; NULL: of no number */
	const char *sentence;			/* "slower by 18.2 % (95 %: 16.9 to 19.6)", "the same within 1 %" */
	size_t pairs;				/* repeats of the side that has fewer */
	bool is_exact;				/* simulated once each: what differs is the program, not chance */
	bool is_sampled;			/* simulated once each, in part: windows give the intervals */
	bool is_of_parts;     /* a simulation ended before its program did: no amounts are compared, only rates */
	bool has_other_model; /* different CPUs: only what both have is compared */
	bool is_layouts;      /* simulated in several layouts, which are the repeats */
	struct compared_metric *metrics;
	size_t nmetrics;
	struct compared_node *nodes;
	size_t nnodes;
	double cycles_before, cycles_after; /* medians; NAN: not counted */
	struct compared_term *terms;	    /* the largest first */
	size_t nterms;
	bool is_by_function;		     /* terms are sums over functions */
	const char *unit;		     /* of functions: "cycles" or "ns"; NULL: there are none */
	double functions_left;		     /* of the difference, that belongs to no function */
	struct compared_function *functions; /* the largest difference first */
	size_t nfunctions;
	struct compared_surrounding *surroundings; /* those that matter first */
	size_t nsurroundings;
	bool is_layout_suspected;     /* the same instructions, other cycles, mostly in the frontend */
	struct action change_layouts; /* that checks it */
	struct action next;	      /* that says more */
	const char **notes;	      /* whole sentences */
	size_t nnotes;
};

/* Lives in arena, and borrows the sides. -1 where they have nothing in common: err says what is missing. */
int compare(struct comparison *comparison, const struct compare_request *request, struct arena *arena,
	    struct error *err) MUST_CHECK;

/* By name or title, without regard to case and tma_; NULL: there is none. */
const struct compared_metric *comparison_metric(const struct comparison *comparison, const char *name);

/* The same, also by any other name that the model has for it: "IPC". */
const struct compared_metric *comparison_find(const struct comparison *comparison, const char *name);

#endif
