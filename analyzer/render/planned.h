/* SPDX-License-Identifier: GPL-2.0-or-later */
/* planned.h - what the renderers of a plan share: names of its counters, and the words for its size. */
#ifndef TOPDOWN_PLANNED_H
#define TOPDOWN_PLANNED_H

#include "render/renderers.h"

/* Where everything is, found once; the lists are the arena's. */
struct planned planned_init(const struct plan_part *part, struct arena *arena);

/* "fixed1", "gp", "metric" or "tool" for the event number i of the group. */
const char *counter_kind(const struct page *page, const struct planned *planned, const struct plan_group *group,
			 size_t i);
/* Number of a general counter, or -1. */
int counter_index(const struct plan_group *group, size_t i);
/* Both in one: "gp3". */
const char *counter_name(const struct page *page, const struct planned *planned, const struct plan_group *group,
			 size_t i);

const struct event *planned_event(const struct planned *planned, const struct plan_group *group, size_t i);
/* As perf spells it. */
const char *planned_perf(const struct page *page, const struct planned *planned, const struct plan_group *group,
			 size_t i);

/* What was planned: "level 3", or of another choice "3 nodes and 1 metric". */
const char *planned_subject(const struct page *page, const struct planned *planned);
/* All parts together: a sentence about the runs that they share. */
const char *planned_runs(const struct page *page, const struct planned_set *set);
/* "12 groups in 12 runs (lower bound 12: proven minimal)" */
const char *planned_size(const struct page *page, const struct plan *plan);
/* The plan's events in the order of their numbers, which begin with 1: fixed-role events, PERF_METRICS fields, then by group. */
struct planned_numbers {
	size_t *events, count;
	size_t *of; /* [model events]: the event's number; 0: not in the plan */
};
struct planned_numbers planned_number(const struct page *page, const struct planned *planned);

/* Place of the event in the group, or its count. */
size_t planned_place(const struct plan_group *group, size_t event);

/*
 * The groups, from 0, that a metric which is complete in none is brought together from: the first that has each of its events,
 * without events that all groups have. parts has room for all groups.
 */
size_t planned_parts(const struct planned *planned, size_t metric, size_t *parts);
/*
 * All such metrics with their groups: "Memory_Bound* (1+2), Core_Bound (1+2)"; "" when each is complete in some group. The star
 * marks what planned_is_large.
 */
const char *planned_combined(const struct page *page, const struct planned *planned);

/* Does the metric read more than the counters can hold at once, so that no plan has it whole? */
bool planned_is_large(const struct page *page, const struct planned *planned, size_t metric);
/* What stands above the list of planned_combined. */
#define PLANNED_COMBINED "Brought together from several groups (*: too large for one)"

/* Titles of the metrics that these counters can't count; "" when there are none. */
const char *planned_missing(const struct page *page, const struct planned *planned);

/* What one run fewer would cost. */
struct planned_fewer {
	size_t max_runs;	 /* 0: there is only one run */
	size_t first;		 /* this group and all behind it would share runs */
	size_t most;		 /* groups in one run: they count for 1/most of the time, or for more */
	size_t *scaled, nscaled; /* metrics that would be scaled, in tree order */
	size_t nscaled_now;
};
struct planned_fewer planned_fewer(const struct page *page, const struct planned *planned);
/* A sentence, "" where there is only one run. */
const char *planned_fewer_text(const struct page *page, const struct planned *planned);

/* Titles of the metrics that the group completes: "Frontend_Bound, Retiring". */
const char *planned_metrics(const struct page *page, const struct planned *planned, const struct plan_group *group);

#endif
