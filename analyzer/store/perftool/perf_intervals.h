/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_intervals.h - perf stat -I: which lines are of which interval, and what they sum up to. */
#ifndef TOPDOWN_STORE_PERFTOOL_PERF_INTERVALS_H
#define TOPDOWN_STORE_PERFTOOL_PERF_INTERVALS_H

#include "store/perftool/perf_record.h"

struct perf_interval {
	size_t output;
	double from_s, to_s;
	size_t first, count; /* lines */
};

struct perf_intervals {
	struct perf_interval *items; /* in the order of the lines */
	size_t count;		     /* 0: without -I */
};

struct perf_intervals perf_intervals_find(const struct perf_record *record);

/*
 * The lines of all intervals of an output added up, copy by copy; lines of no interval, which perf prints with
 * --summary, are left out. An event that was not counted in one interval has the sum of the others.
 */
struct perf_record perf_intervals_sum(const struct perf_record *record, const struct perf_intervals *intervals);

/* The interval's lines as a record with one output, whose time is the interval's. */
struct perf_record perf_interval_lines(const struct perf_record *record, const struct perf_intervals *intervals,
				       size_t number);

#endif
