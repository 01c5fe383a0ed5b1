/* SPDX-License-Identifier: GPL-2.0-or-later */
/* planner.h - the planner's steps, which nobody else includes: the problem, a group's counters, packing, choosing. */
#ifndef TOPDOWN_CPU_PLAN_PLANNER_H
#define TOPDOWN_CPU_PLAN_PLANNER_H

#include "cpu/plan/bits.h"
#include "cpu/plan/plan.h"

/* ---- fit.c: which counters there are, and which of them an event may use; whether a group fits is plan_fits ---- */

/* The counters that the limits leave, as bits of a counter mask. */
uint64_t fit_existing(const struct plan_limits *limits);

/*
 * Those of them that may count the event; 0 for PERF_METRICS fields and for an event that none can count. A paired
 * event takes the counter behind it too.
 */
uint64_t fit_counters(const struct plan_limits *limits, const struct event *event);

#define EVEN_COUNTERS 0x55555555ull

/* The even ones of these general counters that have an odd one behind them. */
uint64_t fit_even(uint64_t existing);

/* General counters that stay idle beside an exclusive event. */
unsigned fit_idle(const struct plan_limits *limits);

/*
 * Those that the NMI watchdog may sit on: it counts cycles (kernel/watchdog_perf.c), on their
 * own counter or a general one.
 */
uint64_t fit_watchdog(const struct plan_limits *limits, const struct event_set *set);

/* Those that an event which is sampled beside the groups may be on. */
uint64_t fit_held(const struct plan_limits *limits, unsigned number);

/*
 * ---- problem.c: what is solved, without names ----
 *
 * Events, the counters that may hold each, and formulas as sets of events. An event's number in here is its place in
 * problem.events.
 */

#define NO_EVENT SIZE_MAX

#define TIERS 12

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
	/* counters that may hold each; 0: it takes none (PERF_METRICS fields); behind them enum stand_in's */
	uint64_t *masks;
	size_t count, words; /* of events; of a set of them */
	uint64_t counters;   /* that exist */
	uint64_t *counted;   /* events that need a counter: all but PERF_METRICS fields */
	uint64_t *general;   /* events that only general counters hold */
	uint64_t *exclusive; /* events beside which half of the general counters stay idle */
	uint64_t *paired;    /* events that take two counters */
	uint64_t watchdog;   /* counters that can count the watchdog's cycles; 0: there is no watchdog */
	struct need *needs;
	size_t nneeds;
	size_t *numbers;      /* [set->count]: the event's number here, or NO_EVENT */
	size_t slots;	      /* leads the PERF_METRICS fields, or NO_EVENT */
	uint64_t *everywhere; /* events that each group holds */
	/* event to which counts of different groups are related, where it is not everywhere; NO_EVENT */
	size_t base_event;
	/* no formula reads the base event, so that it needs no counter unless it relates something */
	bool is_base_event_extra;
};

/* What takes a counter and is no event of the problem; numbers behind problem.count. */
enum stand_in {
	STAND_IN_WATCHDOG, /* in each group, where there is a watchdog */
	STAND_IN_IDLE,	   /* counters that exclusive events leave idle */
	STAND_IN_SECOND,   /* the second counter of a paired event */
	STAND_IN_HELD,	   /* the first of MOST_HELD: in each group, what is sampled beside it */
	STAND_INS = STAND_IN_HELD + MOST_HELD
};

/*
 * From the plan's wanted metrics (those with an event that no counter can hold are left out) and the events asked for.
 */
void problem_init(struct problem *problem, const struct plan *plan, const struct model *model, struct arena *arena);

/*
 * The same with the base event in each group, so that every event can go anywhere: simpler, but some groups could do
 * without it. False when there is no base event, or when each group has it already or can't have it.
 */
bool problem_base_in_all(struct problem *widened, const struct problem *problem, struct arena *arena);

/* Can one empty group hold these events, with the leader of PERF_METRICS fields and what every group holds? */
bool problem_fits(const struct problem *problem, const uint64_t *events, struct arena *arena);

/* Groups that so many exclusive events need at least; 0 for none. */
size_t problem_half_groups(const struct problem *problem, size_t exclusive);

/* Groups that the MSRs need at least: one value per MSR and group, and TakenAlone. */
size_t problem_msr_groups(const struct problem *problem, struct arena *arena);

/* May the event be beside these, as far as MSRs are concerned? */
bool problem_has_msr_room(const struct problem *problem, const uint64_t *events, size_t event);

/*
 * ---- pack.c: all events of a problem on the counters of a fixed number of groups ----
 *
 * Each event is either bound to a group, or floats: it holds some counter of some group for now, and moves when
 * another event needs that. So at any time the events that are not bound yet are known to have room. A bipartite
 * matching of events to (group, counter), kept up by augmenting paths (Kuhn; Berge's theorem makes a failed search a
 * proof that there is no room).
 */

struct pack;

/*
 * What every group holds is bound, all other events float. Exclusive events may be in the last nhalf groups, which have
 * half of the general counters. NULL when these groups have no room for all events: where that is so for each nhalf, no
 * plan of so few groups exists (MSRs are not looked at; see problem_msr_groups).
 */
struct pack *pack_new(const struct problem *problem, size_t ngroups, size_t nhalf, struct arena *arena);

/*
 * Binds the events, with the leader of PERF_METRICS fields, to the group. False, and nothing
 * changed, when there is no room.
 */
bool pack_bind(struct pack *pack, size_t group, const uint64_t *events);

/* As it was after pack_new. */
void pack_reset(struct pack *pack);

const struct problem *pack_problem(const struct pack *pack);
size_t pack_groups(const struct pack *pack);
/* May exclusive events be in it? */
bool pack_is_half(const struct pack *pack, size_t group);
/* Events that are bound to the group; to any group. */
const uint64_t *pack_members(const struct pack *pack, size_t group);
const uint64_t *pack_bound(const struct pack *pack);
/* Counters looked at so far: a measure of the work that does not depend on the machine. */
size_t pack_work(const struct pack *pack);

/*
 * ---- choose.c: which event goes to which group ----
 *
 * Formulas whose events are all in one group have exact values, so as many as possible are made whole, lower tiers
 * first. Of the others every event is put beside the base event, by which counts of different groups are related.
 */

/*
 * Binds all events of the problem to groups. Which formulas can be whole at the same time is a packing problem without
 * a fast exact method, so a greedy choice is repeated, each time with those first that the last one left over ("squeaky
 * wheel" optimization, Joslin and Clements 1999), and the best is kept. False when an event finds no group, or, where
 * needs_whole, a formula that fits an empty group is left over.
 */
bool choose_groups(struct pack *pack, bool needs_whole, struct arena *arena) MUST_CHECK;

/* ---- unit_groups.c ---- */

/* Fills units with what the wanted metrics and the events that were asked for read of PMUs beside the cores. */
void plan_place_units(struct plan *plan, const struct model *model, struct arena *arena);
/* Runs in which no two groups of a PMU share its counters. */
size_t plan_unit_runs(const struct plan *plan);
/* Of these at least so many are needed, by the number of events that a set of counters has to hold. */
size_t plan_unit_bound(const struct plan *plan, const struct model *model);
/* Among the plan's runs; those of one PMU in one run share its counters. */
void plan_divide_units(struct plan *plan);

#endif
