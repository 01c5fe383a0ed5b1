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
 * An event that the most general counters can count and nothing else restricts, so that opening it n times needs n of
 * them; NULL when the database has none.
 */
const struct event_row *limits_probe_row(const struct event_database *database);

/* Says on stderr when this machine hides the events that the CPU's level 1 needs. */
void limits_warn(const struct plan_limits *limits, const struct target *target);

#endif
