/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ranks.h - the processes of a parallel job, each of which has a session of its own: their counts are added up event by
 * event, and formulas come afterwards. A mean of percentages would be that of no program. Cores of different models
 * are never added: each model is a part of the sum.
 */
#ifndef TOPDOWN_ANALYSE_RANKS_RANKS_H
#define TOPDOWN_ANALYSE_RANKS_RANKS_H

#include "analyse/evaluate/report.h"

/* A process of the job, and what it has counted on cores of one model. */
struct rank {
	uint64_t number;
	const char *host, *file; /* host NULL: unknown */
	size_t part;		 /* of the sum, whose repeats these are: */
	const struct repeat *of;
	double wall_s, cpu_s; /* NAN: unknown */
	double waited, ready; /* percent of its first thread's life (waits.h); NAN: unknown */
	size_t first, count;  /* of the repeats' items its own: all, or a group (spread) */
	double **values;      /* of each repeat those items' */
};

struct rank_set {
	const char *launcher, *id; /* NULL: unknown */
	uint64_t size;		   /* ranks that the launcher has started; 0: unknown */
	size_t nranks;		   /* that are added up */
	size_t nhosts;		   /* 0: unknown */
	struct rank *items;	   /* in the order of parts, then of their numbers */
	size_t count;
	bool is_spread;	      /* each rank counted one group: sums stand for all ranks as far as they did alike */
	const char **remarks; /* sentences: which ranks are missing or left out, and why */
	size_t nremarks;
};

/* ---- rank_sums.c: adding up ---- */

struct rank_sums;

struct rank_sums *rank_sums_new(struct arena *arena);

/* Has it a part that no session before had? Such a one has to stay where it is as long as the sum. */
bool rank_sums_is_new(const struct rank_sums *sums, const struct measurement *one);

/* Takes a session's counts, or remarks why it does not. */
void rank_sums_add(struct rank_sums *sums, const struct measurement *one, const char *file);

/* One that can't be read, with the clause that says why. */
void rank_sums_leave_out(struct rank_sums *sums, const char *file, const char *reason);

/* The sum, with its ranks. -1 where nothing could be added. */
int rank_sums_finish(struct measurement *sum, struct rank_sums *sums, struct error *err) MUST_CHECK;

/* ---- rank_spreads.c: what differs between them ---- */

struct rank_spread {
	size_t n; /* values that are known; the rest is NAN where there are none */
	double least, median, largest, mean;
	double deviation;	     /* the median of the distances from the median (MAD) */
	double imbalance;	     /* largest / mean - 1; NAN of percentages */
	size_t least_at, largest_at; /* the first one that has it */
};

/* Values that are NAN are left out. Scratch memory comes from arena. */
struct rank_spread rank_spread_of(const double *values, size_t count, struct arena *arena);

/*
 * Is it farther from the median than three times the deviation, and by more than least (in the values' unit)? Without
 * that, where nearly all values are alike any other one would be.
 */
bool is_rank_apart(double value, const struct rank_spread *spread, double least);

/* A number that each rank has. */
struct rank_figure {
	const char *name;	   /* "Seconds", "DRAM_Bound" */
	const char *unit;	   /* "s", "%", ""; NULL: a number */
	const struct metric *node; /* NULL: it is no node */
	bool is_on_path;	   /* a node of level 1, or of the sum's worst path */
	double *values;		   /* of each rank of the table */
	struct rank_spread spread;
};

struct rank_outlier {
	size_t rank, figure; /* of the table */
};

/* The ranks of a part. */
struct rank_table {
	const char *part; /* its name; NULL: it is the only one */
	const struct rank *ranks;
	size_t count;
	struct rank_figure *figures; /* times and totals first, then nodes */
	size_t nfigures;
	struct rank_outlier *outliers; /* by ranks: of each one that of the figure by which it is farthest apart */
	size_t noutliers;
};

struct rank_report {
	const struct rank_set *set;
	struct rank_table *tables; /* of each part of the reports */
	size_t count;
};

/* Evaluates each rank with the models of the reports, which are those of the sum. In arena. */
const struct rank_report *ranks_evaluate(const struct report_set *reports, const struct measurement *sum,
					 struct arena *arena);

#endif
