/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampling_runs.h - which events are sampled together: as few runs as the counters allow. Pure. */
#ifndef TOPDOWN_ENGINE_SAMPLING_RUNS_H
#define TOPDOWN_ENGINE_SAMPLING_RUNS_H

#include "cpu/plan/plan.h"

#define NO_RUN		SIZE_MAX
#define MOST_EXACT_RUNS 12 /* events up to which no smaller number of runs is possible; beyond it is a good one */

/*
 * runs[i] becomes the run, from 0, in which the event with the number events[i] of the set is sampled, or NO_RUN where
 * no counter can hold it. Those of one run fit the counters at the same time; the first event is in the first run.
 * Returns the number of runs.
 */
size_t sampling_runs(size_t *runs, const struct plan_limits *limits, const struct event_set *set, const size_t *events,
		     size_t count);

#endif
