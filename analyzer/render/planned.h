/* SPDX-License-Identifier: GPL-2.0-or-later */
/* planned.h - what the renderers of a plan share: names of its counters, and the words for its size. */
#ifndef TOPDOWN_PLANNED_H
#define TOPDOWN_PLANNED_H

#include "render/renderers.h"

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
/* "12 runs of 1 group, at least 9 groups needed" */
const char *planned_size(const struct page *page, const struct plan *plan);
/* Titles of the metrics that the group completes: "Frontend_Bound, Retiring". */
const char *planned_metrics(const struct page *page, const struct planned *planned, const struct plan_group *group);

#endif
