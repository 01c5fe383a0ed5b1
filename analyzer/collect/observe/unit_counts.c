/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit_counts.c - an observer: what a run counts for the whole machine, in PMUs beside the cores. Core types have plans
 * of their own, so each has its own units. What is of the whole machine stands in the first part of each core type.
 */
#include "collect/count/count.h"
#include "collect/perf/perf_group.h"
#include "common/request/request.h"
#include "common/system/job_place.h"

/* A group that the current run counts, and where its counts belong. */
struct open_unit {
	struct perf_unit group;
	const struct event *events; /* that its own are numbers of */
	size_t part;
	size_t shown_with; /* the first group of the run */
};

struct unit_counts {
	struct observer observer;
	struct arena *arena;
	struct open_unit *open;
	size_t nopen, room;
	bool is_elsewhere; /* another rank of the job counts them for this machine */
};

/* TABLE_NONE: the type is counted nowhere. */
static size_t first_part_of(const struct observer_sites *sites, size_t type)
{
	for (size_t i = 0; i < sites->count; i++)
		if (sites->items[i].type == type)
			return sites->items[i].part;
	return TABLE_NONE;
}

static void leave(struct perf_unit *group, const struct plan_unit *plan, struct arena *arena)
{
	*group = (struct perf_unit){ .events = arena_array(arena, plan->count, sizeof(*group->events)),
				     .count = plan->count };
	for (size_t i = 0; i < plan->count; i++) {
		group->events[i].event = plan->events[i];
		group->events[i].reason = COUNTED_ELSEWHERE;
	}
}

static void units_open(struct unit_counts *units, const struct observer_sites *sites, size_t number)
{
	const struct count_type *type = &sites->request->types[number];
	const struct plan *plan = type->plan;

	for (size_t i = 0; sites->run < plan->nruns && i < plan->nunits; i++) {
		struct open_unit *unit;

		if (plan->units[i].run != sites->run)
			continue;
		units->open = arena_grow(units->arena, units->open, units->nopen, &units->room, sizeof(*units->open));
		unit = &units->open[units->nopen++];
		*unit = (struct open_unit){ .events = type->model->events.events,
					    .part = first_part_of(sites, number),
					    .shown_with = plan->runs[sites->run].first };
		if (units->is_elsewhere)
			leave(&unit->group, &plan->units[i], units->arena);
		else
			perf_unit_open(&unit->group, &plan->units[i], &type->model->events, sites->request->machine,
				       units->arena);
	}
}

/* ---- the observer ---- */

static int units_on_open(void *context, const struct observer_sites *sites, struct error *err UNUSED)
{
	struct unit_counts *units = context;

	units->nopen = 0;
	for (size_t type = 0; type < sites->request->ntypes; type++)
		units_open(units, sites, type);
	return 0;
}

static void units_on_change(void *context, bool is_on)
{
	const struct unit_counts *units = context;

	for (size_t i = 0; i < units->nopen; i++)
		perf_unit_switch(&units->open[i].group, is_on);
}

static void units_on_read(void *context)
{
	const struct unit_counts *units = context;

	for (size_t i = 0; i < units->nopen; i++)
		perf_unit_read(&units->open[i].group);
}

static void units_add(const struct observed *to, const struct open_unit *unit)
{
	for (size_t i = 0; i < unit->group.count; i++) {
		const struct perf_unit_event *event = &unit->group.events[i];
		struct count *item = &to->repeat->items[to->repeat->count++];

		*item = (struct count){ .event = unit->events[event->event].name,
					.group = unit->shown_with,
					.run = to->repeat->nruns - 1 };
		perf_unit_count(item, event, to->is_interval);
	}
	if (to->is_interval)
		perf_unit_remember(&unit->group);
}

static void units_on_add(void *context, const struct observed *to)
{
	const struct unit_counts *units = context;

	for (size_t i = 0; i < units->nopen; i++)
		if (units->open[i].part == to->part)
			units_add(to, &units->open[i]);
}

static void units_on_close(void *context)
{
	struct unit_counts *units = context;

	for (size_t i = 0; i < units->nopen; i++)
		perf_unit_close(&units->open[i].group);
	units->nopen = 0;
}

static struct observer *make_units(const struct request *request)
{
	struct unit_counts *units = arena_alloc(request->arena, sizeof(*units));

	*units = (struct unit_counts){ .arena = request->arena, .is_elsewhere = job_place_find().local > 0 };
	units->observer = (struct observer){ .context = units,
					     .open = units_on_open,
					     .change = units_on_change,
					     .read = units_on_read,
					     .add = units_on_add,
					     .close = units_on_close };
	return &units->observer;
}

const struct observer_kind observe_units = { .make = make_units };
