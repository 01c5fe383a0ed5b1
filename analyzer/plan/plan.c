/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.c - first fit in tree order: each wanted metric goes, whole, into the first group that can still hold it; one that no
 * group can hold whole is spread, event by event. Each group also gets the fixed-role events (cycles, instructions ...) that
 * cost it nothing or that ratios between runs need.
 */
#include "plan/plan.h"

#include <string.h>

#define GROUP_EVENTS 96

/* Events that shall be counted together. */
struct events {
	size_t *items; /* room for all of the model's events */
	size_t count;
};

struct planner {
	struct plan *plan;
	const struct model *model;
	struct arena *arena;
	size_t groups_capacity;
	struct events needed, single; /* scratch */
	size_t anchor;		      /* cycles: in every group, to bring runs together; TABLE_NONE without one */
};

static bool has_event(const size_t *events, size_t count, size_t event)
{
	for (size_t i = 0; i < count; i++)
		if (events[i] == event)
			return true;
	return false;
}

/* The events that the group would have with more added; returns the count, or 0 when it can't hold them. */
static size_t extend(const struct planner *p, const struct plan_group *group, const struct events *more, size_t *events)
{
	size_t count = group->count;

	if (count)
		memcpy(events, group->events, count * sizeof(*events));
	for (size_t i = 0; i < more->count; i++) {
		if (has_event(events, count, more->items[i]))
			continue;
		if (count == GROUP_EVENTS)
			return 0;
		events[count++] = more->items[i];
	}
	return plan_fits(&p->plan->limits, &p->model->events, events, count, NULL) ? count : 0;
}

static void set_events(const struct planner *p, struct plan_group *group, const size_t *events, size_t count)
{
	group->events = arena_array(p->arena, count, sizeof(*events));
	memcpy(group->events, events, count * sizeof(*events));
	group->count = count;
}

static bool try_group(const struct planner *p, struct plan_group *group, const struct events *more)
{
	size_t events[GROUP_EVENTS], count = extend(p, group, more, events);

	if (!count)
		return false;
	set_events(p, group, events, count);
	return true;
}

/* A new group with these events; false when even an empty group can't hold them. */
static bool add_group(struct planner *p, const struct events *events)
{
	struct plan *plan = p->plan;
	struct plan_group group = { .events = NULL };

	if (!try_group(p, &group, events))
		return false;
	plan->groups = arena_grow(p->arena, plan->groups, plan->ngroups, &p->groups_capacity, sizeof(group));
	plan->groups[plan->ngroups++] = group;
	return true;
}

static bool place_events(struct planner *p, const struct events *events)
{
	for (size_t i = 0; i < p->plan->ngroups; i++)
		if (try_group(p, &p->plan->groups[i], events))
			return true;
	return add_group(p, events);
}

static bool is_counter_event(const struct event *event)
{
	return !event->is_retire_latency && event->kind != EVENT_DURATION && event->kind != EVENT_TSC;
}

static bool is_in(const struct plan_group *group, size_t event)
{
	return has_event(group->events, group->count, event);
}

static bool is_counted_somewhere(const struct plan *plan, size_t event)
{
	for (size_t i = 0; i < plan->ngroups; i++)
		if (is_in(&plan->groups[i], event))
			return true;
	return false;
}

static void add_event(struct events *events, size_t event)
{
	if (event != TABLE_NONE && !has_event(events->items, events->count, event))
		events->items[events->count++] = event;
}

/* Adds the event, behind slots where PERF_METRICS fields need it. */
static void add_with_leader(const struct planner *p, struct events *events, size_t event)
{
	if (p->model->events.events[event].kind == EVENT_METRIC)
		add_event(events, p->plan->roles[ROLE_SLOTS]);
	add_event(events, event);
}

/* What the metric reads from counters. */
static void needed_events(const struct planner *p, const struct metric *metric, struct events *needed)
{
	needed->count = 0;
	for (size_t i = 0; i < metric->nevents; i++)
		if (is_counter_event(&p->model->events.events[metric->events[i]]))
			add_with_leader(p, needed, metric->events[i]);
}

/* Event by event, each with the anchor where that can be had; what is counted already stays where it is. */
static void spread(struct planner *p, const struct events *needed, struct events *single)
{
	for (size_t i = 0; i < needed->count; i++) {
		if (is_counted_somewhere(p->plan, needed->items[i]))
			continue;
		single->count = 0;
		add_with_leader(p, single, needed->items[i]);
		add_event(single, p->anchor);
		if (place_events(p, single))
			continue;
		single->count = 0;
		add_with_leader(p, single, needed->items[i]);
		(void)place_events(p, single); /* an event that no counter can hold is told in the report */
	}
}

static void plan_metric(struct planner *p, const struct metric *metric)
{
	needed_events(p, metric, &p->needed);
	if (p->needed.count && !place_events(p, &p->needed))
		spread(p, &p->needed, &p->single);
}

/* Events that the user asked for come last: they explain nothing in the tree. */
static void plan_asked(struct planner *p)
{
	for (size_t i = 0; i < p->model->nasked; i++) {
		p->needed.count = 0;
		add_event(&p->needed, p->model->asked[i]);
		if (is_counter_event(&p->model->events.events[p->model->asked[i]]))
			spread(p, &p->needed, &p->single);
	}
}

/*
 * Nodes by level, so that the upper levels are complete in the first groups; then the metrics that explain them. Without a
 * tree all metrics.
 */
static void want_level(struct planner *p)
{
	const struct model *model = p->model;
	struct plan *plan = p->plan;

	for (unsigned level = 1; level <= plan->level; level++)
		for (size_t i = 0; i < model->nnodes; i++)
			if (model->metrics[i].level == level && !model->metrics[i].failure)
				plan->wanted[plan->nwanted++] = i;
	for (size_t i = model->nnodes; (plan->level > 1 || !model->nnodes) && i < model->count; i++)
		if (!model->metrics[i].failure && (model->metrics[i].is_explaining || !model->nnodes))
			plan->wanted[plan->nwanted++] = i;
}

static void choose_wanted(struct planner *p, const struct plan_request *request)
{
	struct plan *plan = p->plan;

	plan->wanted = arena_array(p->arena, p->model->count, sizeof(*plan->wanted));
	if (!request->wanted)
		want_level(p);
	for (size_t i = 0; i < request->nwanted; i++)
		if (!p->model->metrics[request->wanted[i]].failure)
			plan->wanted[plan->nwanted++] = request->wanted[i];
}

/* Fixed-role events go into each group that has room for them, for the summary and for ratios between runs. */
static void add_roles(struct planner *p)
{
	for (size_t r = 0; r < ROLE_COUNT; r++) {
		p->single.count = 0;
		add_event(&p->single, p->plan->roles[r]);
		for (size_t i = 0; i < p->plan->ngroups; i++)
			(void)try_group(p, &p->plan->groups[i], &p->single);
	}
}

/* Slots leads its group, then the PERF_METRICS fields, then the rest in the order of the plan. */
static int rank(const struct event *event)
{
	return event->kind == EVENT_SLOTS ? 0 : event->kind == EVENT_METRIC ? 1 : 2;
}

static void finish_group(struct planner *p, struct plan_group *group)
{
	const struct event_set *set = &p->model->events;

	for (size_t i = 1; i < group->count; i++) /* insertion keeps equal ranks in order */
		for (size_t k = i;
		     k > 0 && rank(&set->events[group->events[k]]) < rank(&set->events[group->events[k - 1]]); k--) {
			size_t swap = group->events[k];

			group->events[k] = group->events[k - 1];
			group->events[k - 1] = swap;
		}
	group->counters = arena_array(p->arena, group->count, sizeof(*group->counters));
	(void)plan_fits(&p->plan->limits, set, group->events, group->count, group->counters);
	group->metrics = arena_array(p->arena, p->plan->nwanted, sizeof(*group->metrics));
}

static bool is_complete_in(const struct planner *p, const struct plan_group *group, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (is_counter_event(&p->model->events.events[metric->events[i]]) && !is_in(group, metric->events[i]))
			return false;
	return true;
}

static void assign_metrics(struct planner *p)
{
	struct plan *plan = p->plan;

	for (size_t i = 0; i < plan->nwanted; i++) {
		for (size_t g = 0; g < plan->ngroups; g++) {
			struct plan_group *group = &plan->groups[g];

			if (!is_complete_in(p, group, &p->model->metrics[plan->wanted[i]]))
				continue;
			group->metrics[group->nmetrics++] = plan->wanted[i];
			break;
		}
	}
}

static void make_runs(struct planner *p, bool is_multiplexed)
{
	struct plan *plan = p->plan;

	plan->nruns = is_multiplexed ? 1 : plan->ngroups;
	plan->runs = arena_array(p->arena, plan->nruns, sizeof(*plan->runs));
	for (size_t i = 0; i < plan->nruns; i++)
		plan->runs[i] = (struct plan_run){ .first = i, .count = is_multiplexed ? plan->ngroups : 1 };
}

/* Distinct events that only general counters can hold, over the general counters that there are. */
static size_t lower_bound(const struct planner *p)
{
	const struct plan *plan = p->plan;
	size_t events = 0;

	for (size_t i = 0; i < p->model->events.count; i++) {
		uint64_t counters = p->model->events.events[i].counters;

		if (plan->counted[i] && counters && !(counters & ~GENERAL_COUNTERS & plan->limits.fixed))
			events++;
	}
	if (!events || !plan->limits.general)
		return plan->ngroups ? 1 : 0;
	return (events + plan->limits.general - 1) / plan->limits.general;
}

static void finish(struct planner *p, bool is_multiplexed)
{
	struct plan *plan = p->plan;

	for (size_t i = 0; i < plan->ngroups; i++)
		finish_group(p, &plan->groups[i]);
	assign_metrics(p);
	plan->counted = arena_array(p->arena, p->model->events.count, sizeof(*plan->counted));
	for (size_t i = 0; i < p->model->events.count; i++)
		plan->counted[i] = is_counted_somewhere(plan, i);
	plan->lower_bound = lower_bound(p);
	make_runs(p, is_multiplexed);
}

int plan_build(struct plan *plan, const struct model *model, const struct plan_request *request, struct arena *arena,
	       struct error *err)
{
	struct planner p = { .plan = plan, .model = model, .arena = arena };

	p.needed.items = arena_array(arena, model->events.count + 1, sizeof(size_t));
	p.single.items = arena_array(arena, model->events.count + 1, sizeof(size_t));
	*plan = (struct plan){ .limits = request->limits, .level = request->level };
	for (size_t i = 0; i < ROLE_COUNT; i++)
		plan->roles[i] = model->roles[i];
	if (!plan->limits.has_metrics)
		plan->roles[ROLE_SLOTS] = TABLE_NONE;
	p.anchor = plan->roles[ROLE_CYCLES];
	choose_wanted(&p, request);
	for (size_t i = 0; i < plan->nwanted; i++)
		plan_metric(&p, &model->metrics[plan->wanted[i]]);
	plan_asked(&p);
	add_roles(&p);
	if (!plan->ngroups)
		return error_set(err, "no event of level %u can be counted on this PMU", plan->level);
	finish(&p, request->is_multiplexed);
	return 0;
}
