/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limits.h - what the PMU at hand offers a group: counters found by opening them where that is possible. */
#ifndef TOPDOWN_ENGINE_LIMITS_H
#define TOPDOWN_ENGINE_LIMITS_H

#include "collect/perf/probe.h"
#include "cpu/plan/plan.h"
#include "engine/target.h"

/* Probed on this machine. -1 and the refusal when its kernel counts nothing. */
int limits_probe(struct found *found, const struct target *target, struct error *err) MUST_CHECK;

/* From the database, and what a snapshot's kernel says of slots and watchdog. */
struct plan_limits limits_published(const struct target *target);

/* The same, or less where the machine's files say that it has less. */
struct plan_limits limits_shown(const struct target *target);

/* Leaves counters to others, where --counters says so. */
void limits_leave(struct plan_limits *limits, const struct request *request);

/*
 * What a plan is for: this machine's counters, or those that are published for its CPU (with a notice where it shows
 * none), or for the one that is named; --watchdog and --counters have the last word. -1 when
 * they ask for more than there is.
 */
int limits_find(struct found *found, const struct target *target, const struct request *request,
		struct error *err) MUST_CHECK;

/*
 * An event that the most general counters can count and nothing else restricts, so that opening it n times needs n of
 * them; NULL when the database has none.
 */
const struct event_row *limits_probe_row(const struct event_database *database);

/* Why nothing can be counted with this machine's counters; false: one of them opens. */
bool limits_find_obstacle(struct error *reason, const struct target *target);

/* Is there a counter that opens, on an identified machine whose CPU's events are known? */
bool limits_have_counters(const struct target *identified, const struct request *request);

/* What to say where fewer counters were found than are published: whole sentences; NULL: nothing. */
const char *limits_remark(const struct found *found, const struct target *target, struct arena *arena);

/* --fixed's "0,2-3" or "none" as bits of a counter mask. */
int limits_fixed(uint64_t *counters, const char *list, struct error *err) MUST_CHECK;

/* Can slots be counted with these fixed counters? True too of a CPU that has none. */
bool limits_have_slots(uint64_t fixed, const struct event_database *database);

/* A warning where this machine hides the events that the CPU's level 1 needs. */
void limits_warn(const struct plan_limits *limits, const struct target *target, const struct request *request);

#endif
