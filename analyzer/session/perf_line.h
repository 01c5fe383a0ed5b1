/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_line.h - one line of perf stat's output taken apart; for perf_stat.c only. */
#ifndef TOPDOWN_PERF_LINE_H
#define TOPDOWN_PERF_LINE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

enum perf_value { PERF_COUNTED, PERF_NOT_COUNTED, PERF_NOT_SUPPORTED };

struct perf_line {
	const char *event; /* as perf spells it; NULL: the line has only a metric of perf's own */
	const char *unit;  /* "msec", "ns", "" */
	enum perf_value kind;
	double value;	   /* scaled by perf already */
	double running_ns; /* time on a counter, summed over all threads */
	double percent;	   /* ... of the time for which the event was enabled */
};

/* What -x was: the character that parts a line into perf's columns; '\0' when the line is not perf's. */
char perf_separator(const char *text);

/* A line of `perf stat -x`; text is cut up. err has no place yet. */
int perf_csv_line(struct perf_line *line, char *text, char separator, struct error *err) MUST_CHECK;

/* A line of `perf stat -j`; texts are copied into arena. */
int perf_json_line(struct perf_line *line, const char *text, struct arena *arena, struct error *err) MUST_CHECK;

#endif
