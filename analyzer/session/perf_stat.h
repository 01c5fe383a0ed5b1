/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_stat.h - counts that `perf stat -x,` and `perf stat -j` printed (perf-stat(1), CSV FORMAT and JSON FORMAT): one
 * event a line, told apart from other files by their content. They name no CPU and no groups.
 */
#ifndef TOPDOWN_PERF_STAT_H
#define TOPDOWN_PERF_STAT_H

#include "session/session.h"

/* Does any line look like one of perf stat's? JSON documents of ours do not. */
bool is_perf_stat(const struct session_text *text);

/*
 * All counts as one group, each with the share of the time that it was on a counter; counts->cpu stays NULL.
 * "task-clock" and "duration_time" become the run's times. -1 for counts by interval, CPU, core, thread ...: err names the
 * option of perf stat to leave out; and for lines that are not perf's.
 */
int perf_stat_read(struct counts *counts, const struct session_text *text, struct arena *arena,
		   struct error *err) MUST_CHECK;

#endif
