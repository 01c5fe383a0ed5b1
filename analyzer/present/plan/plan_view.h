/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_view.h - what the renderers of a plan share: names of its counters, and the words for its size. */
#ifndef TOPDOWN_PRESENT_PLAN_PLAN_VIEW_H
#define TOPDOWN_PRESENT_PLAN_PLAN_VIEW_H

#include "common/base/text.h"
#include "present/document/data.h"
#include "present/document/render.h"

/* A plan with the model whose events and metrics it names. */
struct plan_view {
	const struct plan *plan;
	const struct model *model;
	const char *part; /* as in struct plan_part */
	size_t *holders;  /* [event]: number of groups that count it */
	size_t *homes;	  /* [metric]: the group that has all it reads, or NO_PLAN_GROUP */
};
#define NO_PLAN_GROUP SIZE_MAX

/* Where everything is, found once; the lists are the arena's. */
struct plan_view plan_view_init(const struct plan_part *part, struct arena *arena);

/* "fixed1", "gp", "metric" or "tool" for the event number i of the group. */
const char *counter_kind(struct arena *arena, const struct plan_view *planned, const struct plan_group *group,
			 size_t i);
/* Number of a general counter, or -1. */
int counter_index(const struct plan_group *group, size_t i);
const struct event *planned_event(const struct plan_view *planned, const struct plan_group *group, size_t i);
/* As perf spells it. */
const char *planned_perf(struct arena *arena, const struct plan_view *planned, const struct plan_group *group,
			 size_t i);

/* What was planned: "level 3", or of another choice "3 nodes and 1 metric". */
const char *planned_subject(struct arena *arena, const struct plan_view *planned);
/* All parts together: a sentence about the runs that they share. */
const char *planned_runs(struct arena *arena, const struct plan_set *set);
/* "12 groups in 12 runs (lower bound 12: proven minimal)" */
const char *planned_size(struct arena *arena, const struct plan *plan);
/*
 * The plan's events in the order of their numbers, which begin with 1: fixed-role events,
 * PERF_METRICS fields, then by group.
 */
struct planned_numbers {
	size_t *events, count;
	size_t *of; /* [model events]: the event's number; 0: not in the plan */
};
struct planned_numbers planned_number(struct arena *arena, const struct plan_view *planned);

/* Place of the event in the group, or its count. */
size_t planned_place(const struct plan_group *group, size_t event);

/*
 * The groups, from 0 and ascending, that a metric which is complete in none is brought together from, by the rule of
 * analyse/evaluate/contexts.c: as few as possible. parts has room for all groups.
 */
size_t planned_parts(struct arena *arena, const struct plan_view *planned, size_t metric, size_t *parts);
/*
 * All such metrics with their groups: "Memory_Bound* (1+2), Core_Bound (1+2)"; "" when each is complete in some group.
 * The star marks what planned_is_large.
 */
const char *planned_combined(struct arena *arena, const struct plan_view *planned);

/* Does the metric read more than the counters can hold at once, so that no plan has it whole? */
bool planned_is_large(struct arena *arena, const struct plan_view *planned, size_t metric);
/* Titles of the metrics that these counters can't count; "" when there are none. */
const char *planned_missing(struct arena *arena, const struct plan_view *planned);

/* What one run fewer would cost. */
struct planned_fewer {
	size_t max_runs;	 /* 0: there is only one run */
	size_t first;		 /* this group and all behind it would share runs; SIZE_MAX: those of units alone */
	size_t most;		 /* groups in one run: they count for 1/most of the time, or for more */
	size_t *scaled, nscaled; /* metrics that would be scaled, in tree order */
	size_t nscaled_now;
};
struct planned_fewer planned_fewer(struct arena *arena, const struct plan_view *planned);
/* A sentence, "" where there is only one run. */
const char *planned_fewer_text(struct arena *arena, const struct plan_view *planned);

/* Titles of the metrics that the group completes: "Frontend_Bound, Retiring". */
const char *planned_metrics(struct arena *arena, const struct plan_view *planned, const struct plan_group *group);

/* As struct view has them. */
void plan_json(struct json_writer *writer, const void *what, struct arena *arena);
void plan_csv(struct sheet *sheet, const void *what);
void plan_perf(struct string *text, const void *what);

#endif
