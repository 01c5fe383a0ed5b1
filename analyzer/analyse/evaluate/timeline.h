/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.h - the values of a series of intervals, for plots: as much memory for a million intervals as for 600.
 *
 * Up to TIMELINE_POINTS intervals each have a point. Beyond it neighbouring points become one, which keeps the mean,
 * the least and the greatest of its intervals; so a point stands for 1, 2, 4, 8 ... intervals.
 */
#ifndef TOPDOWN_ANALYSE_EVALUATE_TIMELINE_H
#define TOPDOWN_ANALYSE_EVALUATE_TIMELINE_H

#include "analyse/evaluate/report.h"

#define TIMELINE_POINTS 600
#define TIMELINE_WHOLE	8 /* parts that keep their nodes below level 1 too */

/* Of the intervals that a point stands for, those in which it was measured. */
struct timeline_value {
	double sum, least, greatest; /* meaningless without count */
	uint32_t count;
};

enum timeline_kind {
	TIMELINE_IPC,
	TIMELINE_CLOCK,	   /* GHz */
	TIMELINE_CPUS,	   /* CPUs used */
	TIMELINE_SOFTWARE, /* what the kernel counts by itself, a second: switches, migrations, page faults */
	TIMELINE_NODE,
	TIMELINE_ASKED,	 /* a metric or an event that was asked for by its name */
	TIMELINE_METRIC, /* one that was counted beside the tree */
};

/* One value over time. The texts are the timeline's. */
struct timeline_row {
	enum timeline_kind kind;
	const char *name, *title, *path, *unit, *domain; /* as in struct metric */
	unsigned level;					 /* of a node; else 0 */
	struct timeline_value *values; /* [count], the timeline's points; later ones were not measured */
	size_t count, capacity;
};

/* What has a tree of its own. */
struct timeline_part {
	const char *name, *kind; /* as in struct summary; NULL: all that was measured */
	struct timeline_row *rows;
	size_t nrows, capacity;
	bool is_cut; /* its nodes below level 1 are not kept */
};

struct timeline {
	struct arena *arena;
	struct timeline_part *parts; /* in the order in which they came */
	size_t nparts, capacity;
	double from_s[TIMELINE_POINTS], to_s[TIMELINE_POINTS];
	double cycles[TIMELINE_POINTS]; /* of the first part; 0: not counted */
	size_t npoints;
	size_t nintervals;
	size_t each; /* intervals of a point; the last one may have fewer */
};

/* An empty one. It and all that it takes are in arena. */
struct timeline *timeline_new(struct arena *arena) MUST_CHECK;

/* Takes the values of an interval that begins after those before it; nothing of set is borrowed. */
void timeline_add(struct timeline *timeline, const struct report_set *set);

/* Of a point; NAN where it was measured in none of its intervals. */
double timeline_mean(const struct timeline_row *row, size_t point);
double timeline_least(const struct timeline_row *row, size_t point);
double timeline_greatest(const struct timeline_row *row, size_t point);

#endif
