/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/plan/planner.h"

#include <string.h>

#define TIER_METRIC 10 /* behind the nine levels that there can be */
#define TIER_ASKED  11

static bool is_counter_event(const struct event *event)
{
	return !event->is_retire_latency && !is_beside_core(event->kind);
}

static const struct event *event_of(const struct problem *problem, size_t number)
{
	return &problem->set->events[problem->events[number]];
}

/* Could it be counted, alone with its leader? */
static bool is_countable(const struct problem *problem, const struct plan *plan, size_t event)
{
	size_t pair[2] = { event, plan->roles[ROLE_SLOTS] };
	bool needs_leader = problem->set->events[event].kind == EVENT_METRIC && pair[1] != TABLE_NONE;

	return plan_fits(problem->limits, problem->set, pair, needs_leader ? 2 : 1, NULL);
}

static bool is_possible(const struct problem *problem, const struct plan *plan, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (is_counter_event(&problem->set->events[metric->events[i]]) &&
		    !is_countable(problem, plan, metric->events[i]))
			return false;
	return true;
}

static size_t problem_add_event(struct problem *problem, size_t event)
{
	if (problem->numbers[event] != NO_EVENT)
		return problem->numbers[event];
	problem->masks[problem->count] = fit_counters(problem->limits, &problem->set->events[event]);
	problem->events[problem->count] = event;
	problem->numbers[event] = problem->count;
	return problem->count++;
}

static void add_need(struct problem *problem, const struct metric *metric, unsigned tier)
{
	struct need *need = &problem->needs[problem->nneeds];

	need->tier = tier;
	for (size_t i = 0; i < metric->nevents; i++)
		if (is_counter_event(&problem->set->events[metric->events[i]])) {
			bits_add(need->events, problem_add_event(problem, metric->events[i]));
			need->count++;
		}
	if (need->count)
		problem->nneeds++;
}

/*
 * The most events that can become part of the problem: sets of them are as small as possible,
 * because all work is on them.
 */
static size_t most_events(const struct plan *plan, const struct model *model, struct arena *arena)
{
	bool *is_counted = arena_array(arena, model->events.count + 1, sizeof(*is_counted));
	size_t count = model->nasked + ROLE_COUNT;

	for (size_t i = 0; i < plan->nwanted; i++) {
		const struct metric *metric = &model->metrics[plan->wanted[i]];

		for (size_t k = 0; k < metric->nevents; k++) {
			count += !is_counted[metric->events[k]];
			is_counted[metric->events[k]] = true;
		}
	}
	return count;
}

static void problem_allocate(struct problem *problem, const struct plan *plan, const struct model *model,
			     struct arena *arena)
{
	size_t needs = plan->nwanted + model->nasked + ROLE_COUNT, events = problem->set->count + STAND_INS;

	problem->words = bits_words(most_events(plan, model, arena) + 1);
	problem->events = arena_array(arena, events, sizeof(*problem->events));
	problem->masks = arena_array(arena, events, sizeof(*problem->masks));
	problem->numbers = arena_array(arena, events, sizeof(*problem->numbers));
	problem->everywhere = arena_array(arena, problem->words, sizeof(uint64_t));
	problem->counted = arena_array(arena, problem->words, sizeof(uint64_t));
	problem->general = arena_array(arena, problem->words, sizeof(uint64_t));
	problem->exclusive = arena_array(arena, problem->words, sizeof(uint64_t));
	problem->paired = arena_array(arena, problem->words, sizeof(uint64_t));
	problem->needs = arena_array(arena, needs + 1, sizeof(*problem->needs));
	for (size_t i = 0; i <= needs; i++)
		problem->needs[i].events = arena_array(arena, problem->words, sizeof(uint64_t));
	for (size_t i = 0; i < events; i++)
		problem->numbers[i] = NO_EVENT;
}

static void add_asked(struct problem *problem, const struct plan *plan, const struct model *model)
{
	for (size_t i = 0; i < model->nasked; i++) {
		struct metric metric = { .events = &model->asked[i], .nevents = 1 };

		if (is_possible(problem, plan, &metric))
			add_need(problem, &metric, TIER_ASKED);
	}
}

/* Where nothing that was wanted can be counted, the summary's events are better than nothing. */
static void add_roles(struct problem *problem, const struct plan *plan)
{
	for (size_t i = 0; i < ROLE_COUNT; i++) {
		size_t role = plan->roles[i];
		struct metric metric = { .events = &role, .nevents = 1 };

		if (role != TABLE_NONE && is_possible(problem, plan, &metric))
			add_need(problem, &metric, TIER_METRIC);
	}
}

/* A fixed counter of its own, which nothing else of the plan or beside it can use: it costs no group anything. */
static bool is_free(const struct problem *problem, size_t event)
{
	uint64_t fixed = fit_counters(problem->limits, &problem->set->events[event]) & ~GENERAL_COUNTERS;

	for (size_t i = 0; i < problem->count; i++)
		fixed &= problem->events[i] == event ? fixed : ~problem->masks[i];
	for (unsigned i = 0; i < problem->limits->nheld; i++)
		fixed &= ~problem->limits->held[i];
	return (fixed & ~problem->watchdog) != 0;
}

/*
 * Does each metric read it? Then a group without it holds neither a whole metric nor a part
 * that can be related to others.
 */
static bool is_in_all(const struct problem *problem, size_t event)
{
	for (size_t i = 0; i < problem->nneeds; i++)
		if (!bits_has(problem->needs[i].events, event))
			return false;
	return problem->nneeds > 0;
}

static bool is_beside_all(const struct problem *problem, size_t event, struct arena *arena)
{
	uint64_t *pair = arena_array(arena, problem->words, sizeof(*pair));

	for (size_t i = 0; i < problem->count; i++) {
		memset(pair, 0, problem->words * sizeof(*pair));
		bits_add(pair, i);
		bits_add(pair, event);
		if (!problem_fits(problem, pair, arena))
			return false;
	}
	return true;
}

/* Read by each formula, and with room beside each event: in every group it costs nothing but its counter. */
static bool is_common(const struct problem *problem, size_t role, struct arena *arena)
{
	size_t event = problem->numbers[role];

	return event != NO_EVENT && is_in_all(problem, event) && is_beside_all(problem, event, arena);
}

/*
 * The role that relates the groups: one that all formulas read anyway, else the first that can be counted, in the order
 * in which the evaluation relates by them (analyse/evaluate/contexts.c).
 */
static size_t find_base_event(const struct problem *problem, const struct plan *plan, struct arena *arena)
{
	static const enum role order[] = { ROLE_CYCLES, ROLE_SLOTS, ROLE_REFERENCE, ROLE_INSTRUCTIONS };
	size_t first = TABLE_NONE;

	for (size_t i = 0; i < COUNT_OF(order); i++) {
		size_t role = plan->roles[order[i]];

		if (role == TABLE_NONE || !is_countable(problem, plan, role))
			continue;
		if (is_common(problem, role, arena))
			return role;
		if (first == TABLE_NONE)
			first = role;
	}
	return first;
}

/* Roles that cost nothing are in every group. Where there is none, one role relates the groups to each other. */
static void choose_everywhere(struct problem *problem, const struct plan *plan, struct arena *arena)
{
	size_t base_event = find_base_event(problem, plan, arena);
	bool has_free = false;

	problem->base_event = NO_EVENT;
	for (size_t i = 0; i < ROLE_COUNT; i++) {
		size_t role = plan->roles[i];

		if (role == TABLE_NONE || !is_countable(problem, plan, role) || !is_free(problem, role))
			continue;
		bits_add(problem->everywhere, problem_add_event(problem, role));
		has_free = true;
	}
	if (has_free || base_event == TABLE_NONE)
		return;
	problem->is_base_event_extra = problem->numbers[base_event] == NO_EVENT;
	problem->base_event = problem_add_event(problem, base_event);
	if (is_common(problem, base_event, arena))
		bits_add(problem->everywhere, problem->base_event);
}

static void add_wanted(struct problem *problem, const struct plan *plan, const struct model *model)
{
	for (size_t i = 0; i < plan->nwanted; i++) {
		const struct metric *metric = &model->metrics[plan->wanted[i]];

		if (is_possible(problem, plan, metric))
			add_need(problem, metric, metric->level ? metric->level : TIER_METRIC);
	}
	add_asked(problem, plan, model);
	if (!problem->nneeds && plan->nwanted)
		add_roles(problem, plan);
}

/* PERF_METRICS fields need slots, whether a formula reads them or not. */
static void add_leader(struct problem *problem, const struct plan *plan)
{
	for (size_t i = 0; i < problem->count && problem->slots == NO_EVENT; i++)
		if (event_of(problem, i)->kind == EVENT_METRIC && plan->roles[ROLE_SLOTS] != TABLE_NONE)
			problem->slots = problem_add_event(problem, plan->roles[ROLE_SLOTS]);
}

static void find_whole(struct problem *problem, struct arena *arena)
{
	for (size_t i = 0; i < problem->nneeds; i++)
		problem->needs[i].can_be_whole = problem_fits(problem, problem->needs[i].events, arena);
}

static void sort_events(struct problem *problem)
{
	for (size_t i = 0; i < problem->count; i++) {
		if (problem->masks[i])
			bits_add(problem->counted, i);
		if (problem->masks[i] && !(problem->masks[i] & ~GENERAL_COUNTERS))
			bits_add(problem->general, i);
		if (event_of(problem, i)->is_exclusive)
			bits_add(problem->exclusive, i);
		if (event_of(problem, i)->is_paired)
			bits_add(problem->paired, i);
	}
}

/*
 * Paired events are as many in a group as there are pairs of counters beside what each group holds. So they get the
 * first pairs, and the others move aside.
 */
static void limit_pairs(struct problem *problem)
{
	uint64_t even = fit_even(problem->counters);
	size_t taken = bits_common(problem->everywhere, problem->general, problem->words) + (problem->watchdog != 0) +
		       problem->limits->nheld;
	size_t pairs = problem->limits->general > taken ? (problem->limits->general - taken) / 2 : 0;

	while (bits_count(even) > pairs)
		even &= ~(1ull << (63 - __builtin_clzll(even)));
	for (size_t i = bits_next(problem->paired, 0, problem->count); i < problem->count;
	     i = bits_next(problem->paired, i + 1, problem->count))
		problem->masks[i] &= even;
	problem->masks[problem->count + STAND_IN_SECOND] = even << 1;
}

void problem_init(struct problem *problem, const struct plan *plan, const struct model *model, struct arena *arena)
{
	*problem = (struct problem){ .limits = &plan->limits, .set = &model->events, .slots = NO_EVENT };
	problem->counters = fit_existing(&plan->limits);
	problem->watchdog = plan->limits.has_watchdog ? fit_watchdog(&plan->limits, &model->events) : 0;
	problem_allocate(problem, plan, model, arena);
	add_wanted(problem, plan, model);
	if (!problem->count)
		return;
	add_leader(problem, plan);
	choose_everywhere(problem, plan, arena);
	problem->masks[problem->count + STAND_IN_WATCHDOG] = problem->watchdog;
	problem->masks[problem->count + STAND_IN_IDLE] = problem->counters & GENERAL_COUNTERS;
	for (unsigned i = 0; i < plan->limits.nheld; i++)
		problem->masks[problem->count + STAND_IN_HELD + i] = fit_held(&plan->limits, i);
	sort_events(problem);
	limit_pairs(problem);
	find_whole(problem, arena);
}

bool problem_base_in_all(struct problem *widened, const struct problem *problem, struct arena *arena)
{
	*widened = *problem;
	if (problem->base_event == NO_EVENT || bits_has(problem->everywhere, problem->base_event) ||
	    !is_beside_all(problem, problem->base_event, arena))
		return false;
	widened->everywhere = arena_array(arena, problem->words, sizeof(uint64_t));
	memcpy(widened->everywhere, problem->everywhere, problem->words * sizeof(uint64_t));
	bits_add(widened->everywhere, problem->base_event);
	widened->needs = arena_array(arena, problem->nneeds + 1, sizeof(*widened->needs));
	memcpy(widened->needs, problem->needs, problem->nneeds * sizeof(*widened->needs));
	find_whole(widened, arena);
	return true;
}

bool problem_fits(const struct problem *problem, const uint64_t *events, struct arena *arena)
{
	size_t *numbers = arena_array(arena, problem->count + 1, sizeof(*numbers)), count = 0;
	bool needs_leader = false, has_leader = false;

	for (size_t i = 0; i < problem->count; i++) {
		if (!bits_has(events, i) && !bits_has(problem->everywhere, i))
			continue;
		numbers[count++] = problem->events[i];
		needs_leader = needs_leader || event_of(problem, i)->kind == EVENT_METRIC;
		has_leader = has_leader || i == problem->slots;
	}
	if (needs_leader && !has_leader && problem->slots != NO_EVENT)
		numbers[count++] = problem->events[problem->slots];
	return plan_fits(problem->limits, problem->set, numbers, count, NULL);
}

/* Does an event of the set with a smaller number ask for the same value of the same MSR? */
static bool has_value_before(const struct problem *problem, const uint64_t *events, size_t event)
{
	const struct event *what = event_of(problem, event);

	for (size_t i = bits_next(events, 0, event); i < event; i = bits_next(events, i + 1, event))
		if (event_of(problem, i)->msr == what->msr && event_of(problem, i)->msr_value == what->msr_value)
			return true;
	return false;
}

bool problem_has_msr_room(const struct problem *problem, const uint64_t *events, size_t event)
{
	const struct event *new = event_of(problem, event);
	size_t values = 1;

	if (!new->msr)
		return true;
	for (size_t i = bits_next(events, 0, problem->count); i < problem->count;
	     i = bits_next(events, i + 1, problem->count)) {
		const struct event *other = event_of(problem, i);

		if (other->msr != new->msr)
			continue;
		if (other->taken_alone || new->taken_alone)
			return false;
		values += other->msr_value != new->msr_value && !has_value_before(problem, events, i);
	}
	return values <= (new->nmsr ? new->nmsr : 1);
}

/* Groups that the values of one MSR need: alone ones have a group each, the others share it as the MSR allows. */
static size_t msr_groups(const struct problem *problem, const uint64_t *all, const struct event *first)
{
	size_t alone = 0, shared = 0, room = first->nmsr ? first->nmsr : 1;

	for (size_t i = 0; i < problem->count; i++) {
		const struct event *event = event_of(problem, i);

		if (event->msr != first->msr)
			continue;
		if (event->taken_alone)
			alone++;
		else if (!has_value_before(problem, all, i))
			shared++;
	}
	return alone + (shared + room - 1) / room;
}

size_t problem_half_groups(const struct problem *problem, size_t exclusive)
{
	size_t room = problem->limits->general / 2;

	return room ? (exclusive + room - 1) / room : exclusive;
}

size_t problem_msr_groups(const struct problem *problem, struct arena *arena)
{
	uint64_t *all = arena_array(arena, problem->words, sizeof(*all));
	size_t most = 1;

	for (size_t i = 0; i < problem->count; i++)
		bits_add(all, i);
	for (size_t i = 0; i < problem->count; i++) {
		size_t groups = event_of(problem, i)->msr ? msr_groups(problem, all, event_of(problem, i)) : 0;

		most = groups > most ? groups : most;
	}
	return most;
}
