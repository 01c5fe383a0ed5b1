/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contexts.c - which numbers may stand in one formula together. A group's counts belong together. Counts of different
 * groups do not: another run of the program, or another part of the time, had another length. They are combined as
 * ratios to a fixed counter of their own group: count / cycles of its group * cycles of the first group.
 */
#include <math.h>
#include <string.h>

#include "analyse/evaluate/evaluation.h"
#include "common/measurement/software.h"

static double *filled(const struct evaluation *e, double value)
{
	double *numbers = arena_array(e->arena, e->model->events.count + 1, sizeof(*numbers));

	for (size_t i = 0; i < e->model->events.count; i++)
		numbers[i] = value;
	return numbers;
}

static struct context empty(const struct evaluation *e)
{
	struct context context = { .events = filled(e, NOT_COUNTED), .running_shares = filled(e, 1), .running = 1 };

	context.groups = arena_array(e->arena, e->model->events.count + 1, sizeof(*context.groups));
	for (size_t i = 0; i < e->model->events.count; i++)
		context.groups[i] = TABLE_NONE;
	return context;
}

/* The vendor's own name of one unit is of CPUs that have one socket; any other CPU may have several. */
bool context_adds_sockets(const struct evaluation *e, size_t event)
{
	const struct event *one = &e->model->events.events[event];

	return one->kind == EVENT_UNIT && one->is_one_unit && !(one->row && one->row->is_one_unit) &&
	       e->counts->origin.adds_sockets;
}

static void bind(struct evaluation *e)
{
	e->bound = arena_array(e->arena, e->repeat->count + 1, sizeof(*e->bound));
	for (size_t i = 0; i < e->repeat->count; i++) {
		size_t event = event_set_find(&e->model->events, e->repeat->items[i].event);

		e->bound[i] = event != TABLE_NONE && context_adds_sockets(e, event) ? TABLE_NONE : event;
	}
}

size_t context_add(struct evaluation *e)
{
	struct context fresh = empty(e);

	e->contexts = arena_grow(e->arena, e->contexts, e->ncontexts, &e->contexts_capacity, sizeof(*e->contexts));
	e->contexts[e->ncontexts] = fresh;
	return e->ncontexts++;
}

static double running_share(const struct count *count)
{
	return count->enabled_ns ? fmin((double)count->running_ns / (double)count->enabled_ns, 1) : 1;
}

/* perf stat scales by sysfs, "Joules"; formulas take the register's steps. */
static double counted_value(const struct event *event, const struct count *count)
{
	bool is_scaled = count->unit && event->kind == EVENT_UNIT && !isnan(event->unit_scale);

	return is_scaled ? count->value / event->unit_scale : count->value;
}

void context_take(const struct evaluation *e, struct context *context, size_t item, size_t event)
{
	const struct count *count = &e->repeat->items[item];

	context->events[event] = counted_value(&e->model->events.events[event], count);
	context->groups[event] = count->group;
	context->running_shares[event] = running_share(count);
}

bool context_has_all(const struct context *context, const struct metric *metric, bool is_without)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (isnan(context->events[metric->events[i]]) &&
		    !(is_without && metric_is_correction(metric, metric->events[i])))
			return false;
	return true;
}

size_t context_stuck(const struct evaluation *e, const struct context *context)
{
	size_t cycles = e->model->roles[ROLE_CYCLES], instructions = e->model->roles[ROLE_INSTRUCTIONS];

	if (e->model->is_simulated || cycles == TABLE_NONE || instructions == TABLE_NONE)
		return TABLE_NONE;
	if (context->events[cycles] == 0 && context->events[instructions] >= MANY_INSTRUCTIONS)
		return cycles;
	return context->events[instructions] == 0 && context->events[cycles] >= MANY_CYCLES ? instructions : TABLE_NONE;
}

size_t context_run(const struct evaluation *e, size_t context)
{
	for (size_t i = 0; i < e->repeat->count; i++)
		if (e->repeat->items[i].group == context)
			return e->repeat->items[i].run;
	return 0;
}

/* Of copies of an event the one that was counted for longest; the first of equals. */
static bool is_better_copy(const struct context *context, size_t event, const struct count *count)
{
	return isnan(context->events[event]) || running_share(count) > context->running_shares[event];
}

static void fill_group(struct evaluation *e, size_t group)
{
	struct context *context = &e->contexts[group];

	for (size_t i = 0; i < e->repeat->count; i++) {
		const struct count *count = &e->repeat->items[i];

		if (count->group == group && e->bound[i] != TABLE_NONE && count->state == COUNT_OK &&
		    is_better_copy(context, e->bound[i], count))
			context_take(e, context, i, e->bound[i]);
	}
	for (size_t i = 0; i < e->model->events.count; i++)
		context->running = fmin(context->running, context->running_shares[i]);
}

/* Of the processes that were counted, user and kernel; cycles of a part of that time would be divided by all of it. */
static double cpu_time(const struct evaluation *e, size_t run)
{
	const char *scope = e->counts->origin.scope;
	bool is_of_all = !scope || !strcmp(scope, "user+kernel");

	return is_of_all && run < e->repeat->nruns ? e->repeat->runs[run].cpu_s : NOT_COUNTED;
}

/* In user mode and the kernel, whatever the scope is; beside a simulation of the native run. */
static const struct software *software_of(const struct evaluation *e, size_t run)
{
	if (e->counts->anchor && e->counts->anchor->software)
		return e->counts->anchor->software;
	return run < e->repeat->nruns ? e->repeat->runs[run].software : NULL;
}

static void fill_software(const struct evaluation *e, struct context *context, size_t run)
{
	const struct software *software = software_of(e, run);

	for (size_t i = 0; i < e->model->events.count; i++)
		if (e->model->events.events[i].kind == EVENT_SOFTWARE && isnan(context->events[i]))
			context->events[i] = software_event(software, e->model->events.events[i].name).value;
}

/* Times are no counters: they come from the run, unless the counts bring them along. */
static void fill_tools(const struct evaluation *e, struct context *context, size_t run)
{
	double wall = run < e->repeat->nruns ? e->repeat->runs[run].wall_s : NOT_COUNTED;

	for (size_t i = 0; i < e->model->events.count; i++)
		if (e->model->events.events[i].kind == EVENT_DURATION && isnan(context->events[i]))
			context->events[i] = wall;
		else if (e->model->events.events[i].kind == EVENT_DURATION)
			wall = context->events[i];
	for (size_t i = 0; i < e->model->events.count; i++)
		if (e->model->events.events[i].kind == EVENT_TSC && isnan(context->events[i]))
			context->events[i] = wall * e->model->facts.system_tsc_freq;
		else if (e->model->events.events[i].kind == EVENT_CPU_TIME && isnan(context->events[i]))
			context->events[i] = cpu_time(e, run);
}

/* The mean of samples, which belongs to no group; else the vendor's. */
static double latency_of(const struct evaluation *e, size_t event)
{
	for (size_t i = 0; i < e->repeat->count; i++)
		if (e->bound[i] == event && e->repeat->items[i].state == COUNT_OK)
			return e->repeat->items[i].value;
	return e->model->events.events[event].row->retire_latency;
}

/*
 * Retire latencies need sampling; without it the mean that the vendor measured stands in, and the value is an estimate.
 */
static void fill_latencies(const struct evaluation *e, struct context *context)
{
	for (size_t i = 0; i < e->model->events.count; i++) {
		const struct event *event = &e->model->events.events[i];

		if (event->is_retire_latency && event->row)
			context->events[i] = latency_of(e, i);
	}
}

double context_factor(const struct evaluation *e, const struct context *base, const struct context *group)
{
	static const enum role order[] = { ROLE_CYCLES, ROLE_SLOTS, ROLE_REFERENCE, ROLE_INSTRUCTIONS };

	for (size_t i = 0; i < COUNT_OF(order); i++) {
		size_t role = e->model->roles[order[i]];

		if (role != TABLE_NONE && base->events[role] > 0 && group->events[role] > 0)
			return base->events[role] / group->events[role];
	}
	return NOT_COUNTED;
}

/*
 * How well the group's counts serve as the base of the others': groups with cycles first, because the plan puts events
 * beside cycles where it can't put them beside all fixed counters; then those that share any fixed counter.
 */
static size_t base_rank(const struct evaluation *e, const struct context *group)
{
	size_t cycles = e->model->roles[ROLE_CYCLES], rank = 0;

	for (size_t i = 0; i < e->repeat->ngroups; i++) {
		const struct context *other = &e->contexts[i];

		rank += isnan(context_factor(e, group, other)) ? 0 : 1;
		if (cycles != TABLE_NONE && group->events[cycles] > 0 && other->events[cycles] > 0)
			rank += e->repeat->ngroups + 1;
	}
	return rank;
}

static const struct context *choose_base(const struct evaluation *e)
{
	size_t best = 0, highest = 0;

	for (size_t i = 0; i < e->repeat->ngroups; i++) {
		size_t rank = base_rank(e, &e->contexts[i]);

		if (rank > highest) {
			best = i;
			highest = rank;
		}
	}
	return &e->contexts[best];
}

void context_merge(const struct evaluation *e, struct context *all, const struct context *base,
		   const struct context *group)
{
	double scale = group == base ? 1 : context_factor(e, base, group);

	for (size_t i = 0; i < e->model->events.count; i++) {
		bool is_other = group != base && (group->groups[i] == TABLE_NONE || !isnan(all->events[i]));

		if (is_other || isnan(group->events[i] * scale))
			continue;
		all->events[i] = group->events[i] * scale;
		all->running_shares[i] = fmin(group->running_shares[i], base->running);
		all->groups[i] = group->groups[i];
	}
	all->running = fmin(all->running, group->running);
}

/*
 * What is of the whole machine was counted in some run, for the time of that run. In the formulas of another it stands
 * for as long as that one took.
 */
static void fill_unit(const struct evaluation *e, struct context *context, size_t run, size_t item)
{
	const struct count *count = &e->repeat->items[item];
	size_t event = e->bound[item];
	double here = run < e->repeat->nruns ? e->repeat->runs[run].wall_s : NOT_COUNTED;
	double there = count->run < e->repeat->nruns ? e->repeat->runs[count->run].wall_s : NOT_COUNTED;

	context->events[event] = count->run == run ? count->value : count->value * here / there;
	context->groups[event] = count->group;
	context->running_shares[event] = running_share(count);
}

static void copy_unit(struct context *context, size_t from, size_t to)
{
	if (!isnan(context->events[to]))
		return;
	context->events[to] = context->events[from];
	context->groups[to] = context->groups[from];
	context->running_shares[to] = context->running_shares[from];
}

/* An event has all names of its encoding, and is counted once. */
static void spread_units(const struct evaluation *e, struct context *context)
{
	const struct event *events = e->model->events.events;

	for (size_t i = 0; i < e->model->events.count; i++)
		if (events[i].kind == EVENT_UNIT)
			copy_unit(context, i, events[i].same_as);
	for (size_t i = 0; i < e->model->events.count; i++)
		if (events[i].kind == EVENT_UNIT)
			copy_unit(context, events[i].same_as, i);
}

static void fill_units(const struct evaluation *e, struct context *context, size_t run)
{
	for (size_t i = 0; i < e->repeat->count && !e->counts->origin.is_flat; i++)
		if (e->bound[i] != TABLE_NONE && e->model->events.events[e->bound[i]].kind == EVENT_UNIT &&
		    e->repeat->items[i].state == COUNT_OK)
			fill_unit(e, context, run, i);
	spread_units(e, context);
}

static void combine(struct evaluation *e)
{
	size_t groups = e->repeat->ngroups;
	struct context *all = &e->contexts[groups];
	const struct context *base = groups ? choose_base(e) : NULL;

	all->is_combined = true;
	for (size_t g = 0; g < groups; g++)
		context_merge(e, all, base, &e->contexts[g]);
	fill_software(e, all, base ? context_run(e, (size_t)(base - e->contexts)) : 0);
	fill_tools(e, all, base ? context_run(e, (size_t)(base - e->contexts)) : 0);
	fill_units(e, all, base ? context_run(e, (size_t)(base - e->contexts)) : 0);
}

void context_complete(const struct evaluation *e, struct context *context, size_t run)
{
	fill_tools(e, context, run);
	fill_units(e, context, run);
	fill_software(e, context, run);
	fill_latencies(e, context);
}

void contexts_fill(struct evaluation *e)
{
	size_t groups = e->repeat->ngroups;

	e->contexts = NULL;
	e->ncontexts = e->contexts_capacity = 0;
	bind(e);
	while (e->ncontexts <= groups)
		(void)context_add(e);
	for (size_t g = 0; g < groups; g++)
		fill_group(e, g);
	slices_correct(e);
	copies_find(e);
	combine(e);
	for (size_t g = 0; g < groups; g++)
		context_complete(e, &e->contexts[g], context_run(e, g));
	fill_latencies(e, &e->contexts[groups]);
}
