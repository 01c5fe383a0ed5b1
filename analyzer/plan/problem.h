/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * problem.h - what the planner solves, without names: events, the counters that may hold each, and formulas as sets of
 * events. An event's number in here is its place in problem.events.
 */
#ifndef TOPDOWN_PROBLEM_H
#define TOPDOWN_PROBLEM_H

#include "plan/bits.h"
#include "plan/plan.h"

#define NO_EVENT SIZE_MAX

/* What one wanted metric (or an event that the user asked for) reads from counters. */
struct need {
	uint64_t *events;
	size_t count;
	unsigned tier; /* lower ones are made whole first: the level of a node, then other metrics, then asked events */
	bool can_be_whole; /* one group can hold all of it */
};

struct problem {
	const struct plan_limits *limits;
	const struct event_set *set;
	size_t *events; /* numbers of the model's events */
	uint64_t *
		masks; /* counters that may hold each; 0: it takes none (PERF_METRICS fields); the watchdog's is the last */
	size_t count, words; /* of events; of a set of them */
	uint64_t counters;   /* that exist */
	uint64_t *counted;   /* events that need a counter: all but PERF_METRICS fields */
	uint64_t *general;   /* events that only general counters hold */
	uint64_t watchdog;   /* counters that can count the watchdog's cycles; 0: there is no watchdog */
	struct need *needs;
	size_t nneeds;
	size_t *numbers;      /* [set->count]: the event's number here, or NO_EVENT */
	size_t slots;	      /* leads the PERF_METRICS fields, or NO_EVENT */
	uint64_t *everywhere; /* events that each group holds */
	size_t anchor; /* event to which counts of different groups are related, where it is not everywhere; NO_EVENT */
	bool is_anchor_extra; /* no formula reads the anchor, so that it needs no counter unless it relates something */
};

/* From the plan's wanted metrics (those with an event that no counter can hold are left out) and the events asked for. */
void problem_init(struct problem *problem, const struct plan *plan, const struct model *model, struct arena *arena);

/*
 * The same with the anchor in each group, so that every event can go anywhere: simpler, but some groups could do without it.
 * False when there is no anchor, or when each group has it already or can't have it.
 */
bool problem_anchor_all(struct problem *anchored, const struct problem *problem, struct arena *arena);

/* Can one empty group hold these events, with the leader of PERF_METRICS fields and what every group holds? */
bool problem_fits(const struct problem *problem, const uint64_t *events, struct arena *arena);

/* Groups that the MSRs need at least: one value per MSR and group, and TakenAlone. */
size_t problem_msr_groups(const struct problem *problem, struct arena *arena);

/* May the event be beside these, as far as MSRs are concerned? */
bool problem_has_msr_room(const struct problem *problem, const uint64_t *events, size_t event);

#endif
