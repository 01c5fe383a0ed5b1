/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contexts.c - which numbers may stand in one formula together. A group's counts belong together. Counts of different groups
 * do not: another run of the program, or another share of the time, had another length. They are brought together as ratios
 * to a fixed counter of their own group: count / cycles of its group * cycles of the first group.
 */
#include <math.h>

#include "evaluate/internal.h"

static double *filled(const struct evaluation *e, double value)
{
	double *numbers = arena_array(e->arena, e->model->events.count + 1, sizeof(*numbers));

	for (size_t i = 0; i < e->model->events.count; i++)
		numbers[i] = value;
	return numbers;
}

static struct context empty(const struct evaluation *e)
{
	struct context context = { .events = filled(e, NAN), .shares = filled(e, 1), .running = 1 };

	context.groups = arena_array(e->arena, e->model->events.count + 1, sizeof(*context.groups));
	for (size_t i = 0; i < e->model->events.count; i++)
		context.groups[i] = TABLE_NONE;
	return context;
}

static void bind(struct evaluation *e)
{
	e->bound = arena_array(e->arena, e->counts->count + 1, sizeof(*e->bound));
	for (size_t i = 0; i < e->counts->count; i++)
		e->bound[i] = event_set_find(&e->model->events, e->counts->items[i].event);
}

size_t context_run(const struct evaluation *e, size_t context)
{
	for (size_t i = 0; i < e->counts->count; i++)
		if (e->counts->items[i].group == context)
			return e->counts->items[i].run;
	return 0;
}

static void fill_group(struct evaluation *e, size_t group)
{
	struct context *context = &e->contexts[group];

	*context = empty(e);
	for (size_t i = 0; i < e->counts->count; i++) {
		const struct count *count = &e->counts->items[i];
		double share = count->enabled_ns ? (double)count->running_ns / (double)count->enabled_ns : 1;

		if (count->group != group || e->bound[i] == TABLE_NONE || count->state != COUNT_OK)
			continue;
		context->events[e->bound[i]] = count->value;
		context->groups[e->bound[i]] = group;
		context->shares[e->bound[i]] = fmin(share, 1);
		context->running = fmin(context->running, share);
	}
}

/* Wall time and time stamps are no counters: they come from the run, unless the counts bring them along. */
static void fill_tools(const struct evaluation *e, struct context *context, size_t run)
{
	double wall = run < e->counts->nruns ? e->counts->runs[run].wall_s : NAN;

	for (size_t i = 0; i < e->model->events.count; i++)
		if (e->model->events.events[i].kind == EVENT_DURATION && isnan(context->events[i]))
			context->events[i] = wall;
		else if (e->model->events.events[i].kind == EVENT_DURATION)
			wall = context->events[i];
	for (size_t i = 0; i < e->model->events.count; i++)
		if (e->model->events.events[i].kind == EVENT_TSC && isnan(context->events[i]))
			context->events[i] = wall * e->model->facts.system_tsc_freq;
}

/* Retire latencies need sampling; without it the mean that the vendor measured stands in, and the value is an estimate. */
static void fill_latencies(const struct evaluation *e, struct context *context)
{
	for (size_t i = 0; i < e->model->events.count; i++) {
		const struct event *event = &e->model->events.events[i];

		if (event->is_retire_latency && event->row && isnan(context->events[i]))
			context->events[i] = event->row->retire_latency;
	}
}

/* The factor that makes a group's counts comparable with the base group's; NAN when they share no fixed counter. */
static double factor(const struct evaluation *e, const struct context *base, const struct context *group)
{
	static const enum role order[] = { ROLE_CYCLES, ROLE_SLOTS, ROLE_REFERENCE, ROLE_INSTRUCTIONS };

	for (size_t i = 0; i < COUNT_OF(order); i++) {
		size_t role = e->model->roles[order[i]];

		if (role != TABLE_NONE && base->events[role] > 0 && group->events[role] > 0)
			return base->events[role] / group->events[role];
	}
	return NAN;
}

/*
 * How well the group's counts serve as the base of the others': groups with cycles first, because the plan puts events beside
 * cycles where it can't put them beside all fixed counters; then those that share any fixed counter.
 */
static size_t base_rank(const struct evaluation *e, const struct context *group)
{
	size_t cycles = e->model->roles[ROLE_CYCLES], rank = 0;

	for (size_t i = 0; i < e->counts->ngroups; i++) {
		const struct context *other = &e->contexts[i];

		rank += isnan(factor(e, group, other)) ? 0 : 1;
		if (cycles != TABLE_NONE && group->events[cycles] > 0 && other->events[cycles] > 0)
			rank += e->counts->ngroups + 1;
	}
	return rank;
}

static const struct context *choose_base(const struct evaluation *e)
{
	size_t best = 0, highest = 0;

	for (size_t i = 0; i < e->counts->ngroups; i++) {
		size_t rank = base_rank(e, &e->contexts[i]);

		if (rank > highest) {
			best = i;
			highest = rank;
		}
	}
	return &e->contexts[best];
}

/* Takes over what the group has: all of the base group's counts, of another what is still missing. */
static void merge(const struct evaluation *e, struct context *all, const struct context *base,
		  const struct context *group)
{
	double scale = group == base ? 1 : factor(e, base, group);

	for (size_t i = 0; i < e->model->events.count; i++) {
		if (isnan(group->events[i] * scale) || (!isnan(all->events[i]) && group != base))
			continue;
		all->events[i] = group->events[i] * scale;
		all->shares[i] = fmin(group->shares[i], base->running);
		all->groups[i] = group->groups[i];
	}
	all->running = fmin(all->running, group->running);
}

static void combine(struct evaluation *e)
{
	size_t groups = e->counts->ngroups;
	struct context *all = &e->contexts[groups];
	const struct context *base = groups ? choose_base(e) : NULL;

	*all = empty(e);
	all->is_combined = true;
	for (size_t g = 0; g < groups; g++)
		merge(e, all, base, &e->contexts[g]);
	fill_tools(e, all, base ? context_run(e, (size_t)(base - e->contexts)) : 0);
}

void contexts_fill(struct evaluation *e)
{
	bind(e);
	e->contexts = arena_array(e->arena, e->counts->ngroups + 1, sizeof(*e->contexts));
	for (size_t g = 0; g < e->counts->ngroups; g++)
		fill_group(e, g);
	combine(e);
	for (size_t g = 0; g < e->counts->ngroups; g++)
		fill_tools(e, &e->contexts[g], context_run(e, g));
	for (size_t g = 0; g <= e->counts->ngroups; g++)
		fill_latencies(e, &e->contexts[g]);
}
