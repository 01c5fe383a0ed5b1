/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limits.h - what the PMU at hand offers a group: counters found by opening them where that is possible. */
#ifndef TOPDOWN_LIMITS_H
#define TOPDOWN_LIMITS_H

#include "command/target.h"
#include "plan/plan.h"

/* Probed on this machine. -1 and the refusal when its kernel counts nothing. */
int limits_probe(struct plan_limits *limits, const struct target *target, struct error *err) MUST_CHECK;

/* From the database, and what a snapshot's kernel says of slots and watchdog. */
struct plan_limits limits_published(const struct target *target);

/* Leaves counters to others, where --counters says so. */
void limits_leave(struct plan_limits *limits, const struct options *options);

/*
 * What a plan is for: this machine's counters, or those that are published for its CPU (with a word on stderr where it shows
 * none), or for the one that is named; --watchdog and --counters have the last word. -1 when they ask for more than there is.
 */
int limits_find(struct plan_limits *limits, const struct target *target, const struct options *options,
		struct error *err) MUST_CHECK;

/*
 * An event that the most general counters can count and nothing else restricts, so that opening it n times needs n of
 * them; NULL when the database has none.
 */
const struct event_row *limits_probe_row(const struct event_database *database);

/* What to say where fewer counters could be opened than are published; NULL: nothing. limits are those that were found. */
const char *limits_remark(const struct plan_limits *limits, const struct target *target, struct arena *arena);

/* Says on stderr when this machine hides the events that the CPU's level 1 needs. */
void limits_warn(const struct plan_limits *limits, const struct target *target);

#endif
