/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trend.h - what a metric did over the runs of a series: means of seven, z-scores, and changes for better or worse. */
#ifndef TOPDOWN_STORE_HISTORY_TREND_H
#define TOPDOWN_STORE_HISTORY_TREND_H

#include "store/history/change_points.h"
#include "store/history/series.h"

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
	double *mean;  /* of the last ROLLING measured values up to each run, or fewer; NAN: none */
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

#endif
