/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hidden_events.h - a plan for what this machine can count, where that is less than its CPU could: a virtual machine
 * hides events, registers and counters.
 */
#ifndef TOPDOWN_ENGINE_HIDDEN_EVENTS_H
#define TOPDOWN_ENGINE_HIDDEN_EVENTS_H

#include "collect/perf/probe.h"
#include "cpu/plan/plan.h"
#include "engine/target.h"

/*
 * Marks the model's events that the kernel of a virtual machine does not list, although it lists their like: such an
 * event opens, gets a counter, and counts 0.
 */
void hidden_events_mark_unlisted(struct target *target, struct arena *arena);

/* Marks the events that take two counters as one, where can_pair_counters says no. */
void hidden_events_mark_paired(struct target *target);

/*
 * As plan_build; the plan lives in arena, NULL on an error. In a virtual machine each group is tried on this process.
 * Events that can't be counted are left out, and groups that don't fit are planned for fewer counters (in
 * planned->limits too). Where that leaves nothing of a level that was asked for, stalled cycles stand in
 * (target_check_level_1): the target's model is then another one.
 */
struct plan *hidden_events_plan(struct plan_request *planned, struct target *target, const struct found *found,
				const struct request *request, struct error *err) MUST_CHECK;

/*
 * Which events that were asked for, or that wanted metrics need, the plan had to do without, and why: whole sentences;
 * NULL: none.
 */
const char *hidden_events_remark(const struct plan *plan, const struct model *model, struct arena *arena);

/* Events of PMUs that this machine does not show, and those that such a PMU does not list. */
void hidden_events_mark_units(struct target *target, struct arena *arena);

#endif
