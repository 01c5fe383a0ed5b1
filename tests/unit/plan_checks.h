/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_checks.h - is a plan right? Everything that a plan promises, checked by other means than the planner's. */
#ifndef TOPDOWN_TEST_PLAN_CHECKS_H
#define TOPDOWN_TEST_PLAN_CHECKS_H

#include "brute_fits.h"

struct checker {
	struct rows *rows;
	const char *row;
	const struct model *model;
	const struct plan *plan;
	const struct plan_request *request;
	const bool *countable; /* [events]: a group of its own could count it */
};

static inline void expect(const struct checker *c, bool is_right, const char *what, size_t number)
{
	char text[160];

	if (is_right)
		return;
	snprintf(text, sizeof(text), "%s (%zu)", what, number);
	row_expect(c->rows, c->row, false, text);
}

static inline bool is_in(const size_t *items, size_t count, size_t item)
{
	for (size_t i = 0; i < count; i++)
		if (items[i] == item)
			return true;
	return false;
}

static inline bool is_in_group(const struct plan_group *group, size_t event)
{
	return is_in(group->events, group->count, event);
}

static inline bool is_counted(const struct plan *plan, size_t event)
{
	for (size_t g = 0; g < plan->ngroups; g++)
		if (is_in_group(&plan->groups[g], event))
			return true;
	return false;
}

/* Wall time and time stamps take no counter, retire latencies need sampling. */
static inline bool is_counter_event(const struct model *model, size_t event)
{
	const struct event *what = &model->events.events[event];

	return what->kind != EVENT_DURATION && what->kind != EVENT_TSC && !what->is_retire_latency;
}

/* Can one group hold these events, with the leader that PERF_METRICS fields need? There is room for one more in events. */
static inline bool fits_with_leader(const struct plan_limits *limits, const struct model *model, size_t *events,
				    size_t count)
{
	size_t slots = model->roles[ROLE_SLOTS];

	if (has_kind(&model->events, events, count, EVENT_METRIC) && slots != TABLE_NONE &&
	    !is_in(events, count, slots))
		events[count++] = slots;
	return brute_fits(limits, &model->events, events, count);
}

static inline const bool *find_countable(const struct plan_limits *limits, const struct model *model,
					 struct arena *arena)
{
	bool *countable = arena_array(arena, model->events.count + 1, sizeof(*countable));

	for (size_t i = 0; i < model->events.count; i++)
		countable[i] =
			is_counter_event(model, i) && fits_with_leader(limits, model, (size_t[]){ i, TABLE_NONE }, 1);
	return countable;
}

/* A metric with an event that nothing can count can't be had, so its other events need no counter. */
static inline bool is_possible(const struct checker *c, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (is_counter_event(c->model, metric->events[i]) && !c->countable[metric->events[i]])
			return false;
	return true;
}

/* The counter events of a metric that can be had; none of one that can't. Returns their number. */
static inline size_t possible_events(const struct checker *c, size_t metric, size_t *events)
{
	const struct metric *what = &c->model->metrics[metric];
	size_t count = 0;

	if (!is_possible(c, what))
		return 0;
	for (size_t i = 0; i < what->nevents; i++)
		if (is_counter_event(c->model, what->events[i]))
			events[count++] = what->events[i];
	return count;
}

/* Beside an exclusive event at most half of the general counters are used, by the watchdog too where it needs one. */
static inline void check_half(const struct checker *c, const struct plan_group *group, uint64_t free, size_t number)
{
	const struct event_set *set = &c->model->events;
	bool has_exclusive = false, needs_general = c->plan->limits.has_watchdog;
	unsigned used = 0;

	for (size_t i = 0; i < group->count; i++) {
		has_exclusive = has_exclusive || set->events[group->events[i]].is_exclusive;
		used += group->counters[i] != NO_COUNTER && group->counters[i] < FIXED_COUNTER;
	}
	needs_general = needs_general && (counter_bits(&c->plan->limits) & cycles_mask(set)) &&
			!(free & cycles_mask(set) & ~GENERAL_COUNTERS);
	expect(c, !has_exclusive || used + needs_general + c->plan->limits.nheld <= c->plan->limits.general / 2,
	       "too many counters beside an exclusive event", number);
}

/* What is sampled beside the group may be on any general counter, and the watchdog needs one too, or a fixed one. */
static inline void check_held(const struct checker *c, uint64_t free, size_t number)
{
	const struct plan_limits *limits = &c->plan->limits;
	uint64_t watched = limits->has_watchdog ? counter_bits(limits) & cycles_mask(&c->model->events) : 0;
	bool needs_general = watched && !(free & watched & ~GENERAL_COUNTERS);

	expect(c, (size_t)__builtin_popcountll(free & GENERAL_COUNTERS) >= limits->nheld + needs_general,
	       "no counter is left for what is sampled", number);
}

/* The counters that the plan names prove that the group can be scheduled. */
static inline void check_counters(const struct checker *c, const struct plan_group *group, size_t number)
{
	const struct event_set *set = &c->model->events;
	uint64_t free = counter_bits(&c->plan->limits);

	for (size_t i = 0; i < group->count; i++) {
		const struct event *event = &set->events[group->events[i]];
		uint64_t bit = group->counters[i] == NO_COUNTER ? 0 : 1ull << group->counters[i];

		expect(c, is_on_counter(event) == (bit != 0), "an event without a counter of its own", number);
		expect(c, !bit || (event->counters & bit & free), "a counter twice, or one that the event can't use",
		       number);
		free &= ~bit;
		expect(c, !event->is_paired || (bit & 0x55555555 && bit << 1 & free), "a pair without two counters",
		       number);
		free &= event->is_paired ? ~(bit << 1) : free;
	}
	check_half(c, group, free, number);
	if (c->plan->limits.has_watchdog && (counter_bits(&c->plan->limits) & cycles_mask(set)))
		expect(c, free & cycles_mask(set), "no counter is left for the watchdog", number);
	check_held(c, free, number);
}

static inline void check_group(const struct checker *c, size_t number)
{
	const struct plan_group *group = &c->plan->groups[number];
	const struct event_set *set = &c->model->events;
	bool is_behind = false;

	expect(c, group->count > 0, "an empty group", number);
	check_counters(c, group, number);
	expect(c, are_msrs_right(set, group->events, group->count), "an MSR can't hold what the group asks", number);
	for (size_t i = 0; i < group->count; i++) {
		const struct event *event = &set->events[group->events[i]];

		expect(c, !is_in(group->events, i, group->events[i]), "an event twice in a group", number);
		expect(c, event->kind == EVENT_METRIC ? !is_behind : true, "PERF_METRICS fields are not side by side",
		       number);
		is_behind = event->kind != EVENT_METRIC && event->kind != EVENT_SLOTS;
		expect(c, is_counter_event(c->model, group->events[i]), "no counter counts this", group->events[i]);
	}
	if (has_kind(set, group->events, group->count, EVENT_METRIC))
		expect(c, set->events[group->events[0]].kind == EVENT_SLOTS, "slots does not lead", number);
}

static inline bool has_all(const struct checker *c, const struct plan_group *group, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (is_counter_event(c->model, metric->events[i]) && !is_in_group(group, metric->events[i]))
			return false;
	return true;
}

/* Each wanted metric is listed once: by the first group that has all of it, or as one that none has. */
static inline void check_completed(const struct checker *c, size_t wanted)
{
	const struct plan *plan = c->plan;
	bool is_listed = false;

	for (size_t g = 0; g < plan->ngroups; g++) {
		const struct plan_group *group = &plan->groups[g];
		bool is_first = !is_listed && has_all(c, group, &c->model->metrics[wanted]);

		expect(c, is_in(group->metrics, group->nmetrics, wanted) == is_first, "a group completes a metric",
		       wanted);
		is_listed = is_listed || is_first;
	}
	expect(c,
	       is_in(plan->split, plan->nsplit, wanted) == (!is_listed && is_possible(c, &c->model->metrics[wanted])),
	       "a metric is listed as split", wanted);
	expect(c,
	       is_in(plan->missing, plan->nmissing, wanted) ==
		       (!is_listed && !is_possible(c, &c->model->metrics[wanted])),
	       "a metric is listed as out of reach", wanted);
}

/* Counts of two groups are related by the counts of a fixed-role event that both have (analyse/evaluate/contexts.c). */
static inline bool are_related(const struct plan *plan, const struct plan_group *a, const struct plan_group *b)
{
	for (size_t r = 0; r < ROLE_COUNT; r++)
		if (plan->roles[r] != TABLE_NONE && is_in_group(a, plan->roles[r]) && is_in_group(b, plan->roles[r]))
			return true;
	return false;
}

/* The group to which the others are related: the first of those with cycles, or else of those that most can be related to. */
static inline const struct plan_group *base_group(const struct plan *plan)
{
	size_t best = 0, highest = 0, cycles = plan->roles[ROLE_CYCLES];

	for (size_t i = 0; i < plan->ngroups; i++) {
		size_t rank = cycles != TABLE_NONE && is_in_group(&plan->groups[i], cycles) ? plan->ngroups : 0;

		for (size_t k = 0; k < plan->ngroups; k++)
			rank += are_related(plan, &plan->groups[i], &plan->groups[k]);
		if (rank > highest) {
			best = i;
			highest = rank;
		}
	}
	return &plan->groups[best];
}

/* The first fixed-role event that can be counted at all, in the order in which the evaluation relates groups. */
static inline size_t anchor_role(const struct checker *c)
{
	static const enum role order[] = { ROLE_CYCLES, ROLE_SLOTS, ROLE_REFERENCE, ROLE_INSTRUCTIONS };

	for (size_t i = 0; i < COUNT_OF(order); i++)
		if (c->plan->roles[order[i]] != TABLE_NONE && c->countable[c->plan->roles[order[i]]])
			return c->plan->roles[order[i]];
	return TABLE_NONE;
}

/* Could a group count the event beside the fixed-role event that relates groups where none is for free? */
static inline bool has_partner(const struct checker *c, size_t event)
{
	size_t events[3] = { event, anchor_role(c) };

	return events[1] != TABLE_NONE &&
	       fits_with_leader(&c->plan->limits, c->model, events, event == events[1] ? 1 : 2);
}

/* Is the event in a group that can be related to the base group? */
static inline bool is_event_related(const struct plan *plan, const struct plan_group *base, size_t event)
{
	for (size_t g = 0; g < plan->ngroups; g++)
		if (is_in_group(&plan->groups[g], event) &&
		    (&plan->groups[g] == base || are_related(plan, &plan->groups[g], base)))
			return true;
	return false;
}

/* Parts of one metric in several groups: each in a group that can be related to the base group. */
static inline void check_related(const struct checker *c, size_t wanted)
{
	const struct metric *metric = &c->model->metrics[wanted];
	const struct plan_group *base = base_group(c->plan);

	for (size_t i = 0; i < metric->nevents; i++)
		expect(c,
		       !is_counter_event(c->model, metric->events[i]) ||
			       is_event_related(c->plan, base, metric->events[i]) || !has_partner(c, metric->events[i]),
		       "an event of a split metric is beside no fixed-role event that its other events are beside",
		       metric->events[i]);
}

/* Per node, what fits an empty group is whole. */
static inline void check_whole(const struct checker *c, size_t wanted)
{
	const struct metric *metric = &c->model->metrics[wanted];
	size_t events[64], count = 0;

	assert_in_range(metric->nevents, 0, COUNT_OF(events) - 2);
	for (size_t i = 0; i < metric->nevents; i++)
		if (is_counter_event(c->model, metric->events[i]))
			events[count++] = metric->events[i];
	expect(c,
	       !is_in(c->plan->split, c->plan->nsplit, wanted) ||
		       !fits_with_leader(&c->plan->limits, c->model, events, count),
	       "per node, a metric that one group can hold is split", wanted);
}

/* By level: all nodes down to it, and from level 2 on the metrics that explain them; without a tree all metrics. */
static inline void check_choice(const struct checker *c)
{
	const struct model *model = c->model;

	for (size_t i = 0; i < model->count; i++) {
		const struct metric *metric = &model->metrics[i];
		bool is_wanted = metric->level <= c->plan->level;

		if (i >= model->nnodes)
			is_wanted = !model->nnodes || (metric->is_explaining && c->plan->level > 1);
		expect(c, is_in(c->plan->wanted, c->plan->nwanted, i) == (is_wanted && !metric->failure),
		       "a metric is wanted", i);
	}
}

static inline void check_wanted(const struct checker *c)
{
	const struct plan *plan = c->plan;

	if (!c->request->wanted)
		check_choice(c);
	for (size_t i = 0; i < plan->nwanted; i++) {
		const struct metric *metric = &c->model->metrics[plan->wanted[i]];

		check_completed(c, plan->wanted[i]);
		if (!is_possible(c, metric))
			continue;
		if (is_in(plan->split, plan->nsplit, plan->wanted[i]))
			check_related(c, plan->wanted[i]);
		if (c->request->is_per_node)
			check_whole(c, plan->wanted[i]);
		for (size_t k = 0; k < metric->nevents; k++)
			expect(c, is_counted(plan, metric->events[k]) == is_counter_event(c->model, metric->events[k]),
			       "an event that can be counted is", metric->events[k]);
	}
	for (size_t i = 0; i < c->model->nasked; i++)
		expect(c, is_counted(plan, c->model->asked[i]) || !c->countable[c->model->asked[i]],
		       "an event that was asked for is counted", c->model->asked[i]);
}

/* No run has two groups more than another, and the first ones have the fewer. */
static inline void check_runs(const struct checker *c)
{
	size_t most = c->request->max_runs, runs = most && most < c->plan->ngroups ? most : c->plan->ngroups, next = 0;

	for (size_t i = 0; i < c->plan->nruns; i++) {
		expect(c, c->plan->runs[i].first == next, "runs leave out or repeat a group", i);
		expect(c, c->plan->runs[i].count >= c->plan->ngroups / runs, "a run has too few groups", i);
		expect(c, c->plan->runs[i].count <= (c->plan->ngroups + runs - 1) / runs, "a run has too many", i);
		expect(c, !i || c->plan->runs[i].count >= c->plan->runs[i - 1].count, "a first run has more", i);
		next += c->plan->runs[i].count;
	}
	expect(c, next == c->plan->ngroups, "runs do not cover all groups", next);
	expect(c, c->plan->nruns == runs, "as many runs as there may be", c->plan->nruns);
	expect(c, c->plan->lower_bound <= c->plan->ngroups, "more groups are needed than there are",
	       c->plan->lower_bound);
}

static inline void check_plan(const struct checker *c)
{
	for (size_t i = 0; i < c->plan->ngroups; i++)
		check_group(c, i);
	for (size_t i = 0; i < c->model->events.count; i++)
		expect(c, c->plan->counted[i] == is_counted(c->plan, i), "counted differs from the groups", i);
	check_wanted(c);
	check_runs(c);
}

static inline bool is_same_group(const struct plan_group *a, const struct plan_group *b)
{
	return a->count == b->count && a->nmetrics == b->nmetrics &&
	       !memcmp(a->events, b->events, a->count * sizeof(*a->events)) &&
	       !memcmp(a->counters, b->counters, a->count * sizeof(*a->counters)) &&
	       !memcmp(a->metrics, b->metrics, a->nmetrics * sizeof(*a->metrics));
}

static inline bool is_same_plan(const struct plan *a, const struct plan *b)
{
	if (a->ngroups != b->ngroups || a->nruns != b->nruns || a->lower_bound != b->lower_bound)
		return false;
	for (size_t i = 0; i < a->ngroups; i++)
		if (!is_same_group(&a->groups[i], &b->groups[i]))
			return false;
	return !memcmp(a->runs, b->runs, a->nruns * sizeof(*a->runs));
}

#endif
