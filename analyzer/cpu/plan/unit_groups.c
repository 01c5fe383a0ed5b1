/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit_groups.c - events of PMUs beside the cores. Each PMU has counters of its own, so its groups stand beside those
 * of the cores in the same runs. What a formula reads of one PMU stays together: it is counted at the same time.
 */
#include <string.h>

#include "cpu/plan/planner.h"

#define MOST_COUNTERS 32 /* of one unit, as bits of a counter mask */

struct unit_planner {
	struct plan *plan;
	const struct model *model;
	struct arena *arena;
	size_t capacity;
	bool *is_placed; /* [model's events]: of those that are the same, the first */
};

/* Finds a counter for the event, moving others where that helps (Kuhn). */
static bool unit_groups_place(const uint64_t *masks, size_t event, size_t *owners, uint64_t *seen)
{
	for (size_t i = 0; i < MOST_COUNTERS; i++) {
		if (!(masks[event] >> i & 1) || *seen >> i & 1)
			continue;
		*seen |= 1ull << i;
		if (owners[i] == TABLE_NONE || unit_groups_place(masks, owners[i], owners, seen)) {
			owners[i] = event;
			return true;
		}
	}
	return false;
}

/* Can the counters of a unit hold these at the same time? */
static bool unit_groups_fits(const struct event_set *set, const size_t *events, size_t count)
{
	uint64_t masks[MOST_COUNTERS], seen;
	size_t owners[MOST_COUNTERS], taken = 0;

	for (size_t i = 0; i < MOST_COUNTERS; i++)
		owners[i] = TABLE_NONE;
	for (size_t i = 0; i < count; i++) {
		uint64_t mask = set->events[events[i]].counters;

		/* sysfs lists the event: the PMU has a counter for each, or the kernel shares them */
		if (!mask)
			continue;
		if (taken == MOST_COUNTERS)
			return false;
		masks[taken] = mask;
		seen = 0;
		if (!unit_groups_place(masks, taken++, owners, &seen))
			return false;
	}
	return true;
}

/* One PMU counts both: "uncore_cha_0" is one of "uncore_cha", whose counters it takes. */
static bool is_same_pmu(const char *one, const char *other)
{
	size_t length = strlen(one), longer = strlen(other);

	if (longer < length)
		return is_same_pmu(other, one);
	return !strncmp(one, other, length) && (longer == length || other[length] == '_');
}

static struct plan_unit *unit_groups_add_group(struct unit_planner *p, const char *unit)
{
	struct plan *plan = p->plan;
	struct plan_unit group = { .unit = unit };

	group.events = arena_array(p->arena, p->model->events.count + 1, sizeof(*group.events));
	plan->units = arena_grow(p->arena, plan->units, plan->nunits, &p->capacity, sizeof(group));
	plan->units[plan->nunits] = group;
	return &plan->units[plan->nunits++];
}

static bool takes(const struct unit_planner *p, struct plan_unit *group, const size_t *events, size_t count)
{
	memcpy(group->events + group->count, events, count * sizeof(*events));
	if (!unit_groups_fits(&p->model->events, group->events, group->count + count))
		return false;
	group->count += count;
	return true;
}

/* A group of its own, with as many of them as its counters hold, or with the first. Returns their number. */
static size_t place_some(struct unit_planner *p, const size_t *events, size_t count)
{
	struct plan_unit *group = unit_groups_add_group(p, p->model->events.events[events[0]].unit);

	while (count > 1 && !takes(p, group, events, count))
		count--;
	if (count == 1)
		group->events[group->count++] = events[0];
	return count;
}

/* Together into the first group of the PMU that has room; what no group can hold is divided among the fewest. */
static void place_events(struct unit_planner *p, const size_t *events, size_t count)
{
	const char *unit = p->model->events.events[events[0]].unit;
	size_t placed;

	for (size_t i = 0; i < p->plan->nunits; i++)
		if (is_same_pmu(p->plan->units[i].unit, unit) && takes(p, &p->plan->units[i], events, count))
			return;
	placed = place_some(p, events, count);
	if (placed < count)
		place_events(p, events + placed, count - placed);
}

/* Of these events those of the first PMU that is not placed yet. False: there is none. */
static bool place_next(struct unit_planner *p, const size_t *events, size_t count)
{
	size_t *some = arena_array(p->arena, count + 1, sizeof(*some)), nsome = 0;

	for (size_t i = 0; i < count; i++) {
		const struct event *event = &p->model->events.events[events[i]];

		if (event->kind != EVENT_UNIT || event->absent || p->is_placed[event->same_as] ||
		    (nsome && !is_same_pmu(event->unit, p->model->events.events[some[0]].unit)))
			continue;
		p->is_placed[event->same_as] = true;
		some[nsome++] = event->same_as;
	}
	if (nsome)
		place_events(p, some, nsome);
	return nsome > 0;
}

/* Then it has no value, whatever else is counted. */
static bool lacks_unit(const struct model *model, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (model->events.events[metric->events[i]].kind == EVENT_UNIT &&
		    model->events.events[metric->events[i]].absent)
			return true;
	return false;
}

void plan_place_units(struct plan *plan, const struct model *model, struct arena *arena)
{
	struct unit_planner p = { .plan = plan, .model = model, .arena = arena };

	p.is_placed = arena_array(arena, model->events.count + 1, sizeof(*p.is_placed));
	for (size_t i = 0; i < plan->nwanted; i++) {
		const struct metric *metric = &model->metrics[plan->wanted[i]];

		if (lacks_unit(model, metric))
			continue;
		while (place_next(&p, metric->events, metric->nevents))
			;
	}
	while (place_next(&p, model->asked, model->nasked))
		;
	for (size_t i = 0; i < model->events.count; i++)
		plan->counted[i] |=
			model->events.events[i].kind == EVENT_UNIT && p.is_placed[model->events.events[i].same_as];
}

/* Of the groups of its PMU, from 0. */
static size_t unit_groups_number_of(const struct plan *plan, size_t unit)
{
	size_t number = 0;

	for (size_t i = 0; i < unit; i++)
		number += is_same_pmu(plan->units[i].unit, plan->units[unit].unit);
	return number;
}

size_t plan_unit_runs(const struct plan *plan)
{
	size_t runs = 0;

	for (size_t i = 0; i < plan->nunits; i++)
		if (unit_groups_number_of(plan, i) >= runs)
			runs = unit_groups_number_of(plan, i) + 1;
	return runs;
}

/* Runs of a PMU for the events that only these counters hold. */
static size_t runs_within(const struct plan *plan, const struct model *model, const char *unit, uint64_t counters)
{
	size_t events = 0, room = (size_t)__builtin_popcountll(counters);

	for (size_t i = 0; i < plan->nunits; i++)
		for (size_t k = 0; is_same_pmu(plan->units[i].unit, unit) && k < plan->units[i].count; k++) {
			uint64_t mask = model->events.events[plan->units[i].events[k]].counters;

			events += mask && !(mask & ~counters);
		}
	return room ? (events + room - 1) / room : 0;
}

size_t plan_unit_bound(const struct plan *plan, const struct model *model)
{
	size_t bound = 0;

	for (size_t i = 0; i < plan->nunits; i++) {
		const struct plan_unit *unit = &plan->units[i];
		uint64_t all = 0;

		for (size_t k = 0; k < unit->count; k++) {
			uint64_t mask = model->events.events[unit->events[k]].counters;
			size_t least = runs_within(plan, model, unit->unit, mask);

			all |= mask;
			bound = least > bound ? least : bound;
		}
		if (runs_within(plan, model, unit->unit, all) > bound)
			bound = runs_within(plan, model, unit->unit, all);
	}
	return bound;
}

void plan_divide_units(struct plan *plan)
{
	for (size_t i = 0; i < plan->nunits; i++)
		plan->units[i].run = plan->nruns ? unit_groups_number_of(plan, i) % plan->nruns : 0;
}
