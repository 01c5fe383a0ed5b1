/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trend.h - what a metric did over the runs of a series: means of seven, z-scores, and changes for better or worse. */
#ifndef TOPDOWN_STORE_HISTORY_TREND_H
#define TOPDOWN_STORE_HISTORY_TREND_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/arena.h"
#include "store/history/series.h"

/* ---- change_points.c ---- */

/*
 * Where a series' mean changes: E-divisive means (Matteson and James, arXiv 1306.4933) in windows. Student's
 * t-test stands for permutations, and weak points are tested again, as Hunter (Fleming et al., arXiv 2301.03034)
 * and Apache Otava (docs/MATH.md) have it. Pure: numbers in, numbers out.
 */

#define WIDEST_WINDOW 64

struct change_rule {
	size_t window;	 /* points that are looked at together, from 2 to WIDEST_WINDOW */
	double most_p;	 /* of a change; of a weak one ten times as much (twice from 0.05 on) */
	size_t segment;	 /* points between two changes at least; 1: any number, as Otava has it */
	double relative; /* a change is larger than this part of the smaller mean; 0: any */
	double absolute; /* and than this; 0: any */
};

/* Otava's defaults (otava/analysis.py), and segments of 3 points at least. */
#define CHANGE_WINDOW  50
#define CHANGE_P       0.001
#define CHANGE_SEGMENT 3

struct change_point {
	size_t index;	      /* of the first point behind the change */
	double before, after; /* means, from the change before it and to the one behind it */
	double p; /* of the t-test that it passed last (change_points.c); variances by n, as Otava has them */
};

/* The changes in values, none of which is NAN, in their order. They live in arena; returns their number. */
size_t change_points(struct change_point **points, const double *values, size_t count, const struct change_rule *rule,
		     struct arena *arena);

/* ---- trend.c ---- */

#define ROLLING 7 /* runs of the rolling mean */

enum worse { WORSE_UNSAID, WORSE_MORE, WORSE_LESS };

/* Which way a metric gets worse, by its name; what no row of the table names is unsaid. */
enum worse worse_of(const char *name);

/* "more", "less"; NULL: unsaid */
const char *worse_name(enum worse worse);

enum turn { TURN_UNSAID, TURN_WORSE, TURN_BETTER };

struct trend_change {
	size_t run;	      /* of the series: the first one behind the change */
	double before, after; /* means of the stretches beside it */
	double percent;	      /* of before; NAN where that is 0 */
	double p;
	enum turn turn;
	bool is_accepted; /* that run, or a later one of the same stretch, was accepted */
};

struct trend {
	const struct series *series;
	struct series_values values;
	enum worse worse;
	double *mean;  /* of the last ROLLING measured values of its stretch up to each run, or fewer; NAN: none */
	double *score; /* value less the mean of its stretch, by the standard deviation there (by n - 1) */
	struct trend_change *changes;
	size_t nchanges;
	size_t nmeasured; /* runs that have the value */
};

/* How small a change is not shown: percent of the value, of what is a percentage points. */
struct trend_rule {
	double least;
};
#define LEAST_CHANGE 0.5

/* Fills all but series and values.name. -1 with err where the file can't be read. */
int trend_read(struct trend *trend, const struct trend_rule *rule, struct history *history, struct arena *arena,
	       struct error *err) MUST_CHECK;

/* The same of values that are there. */
void trend_of(struct trend *trend, const struct trend_rule *rule, struct arena *arena);

/*
 * Shares and ratios (IPC, CPI) are better or worse only where a cost changes alike, at the same run or the one beside
 * it; else that they changed says neither. costs: trends of the same series, of what is worse the more there is.
 */
void trends_agree(struct trend *trends, size_t count, const struct trend *costs, size_t ncosts);

/* ---- student.c ---- */

/* Student's t distribution, for tests of whether two stretches of a series have the same mean. */

/*
 * The probability that |T| is at least |t|, with so many degrees of freedom (any number above 0): the regularized
 * incomplete beta function I_x(df/2, 1/2) at x = df / (df + t^2), by its continued fraction (NIST DLMF 8.17.22). The
 * relative error is below 1e-12 where the result is above 1e-280. NAN where t is.
 */
double student_two_sided(double t, double degrees);

#endif
