/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_random_test.c - plans of random events, formulas and counters: each is right (plan_checks.h), never longer than first
 * fit, and its lower bound is no more than the fewest groups that an exhaustive search finds. TOPDOWN_DRAWS: 15000 by default,
 * 100000 in unit.plan_random_draws.
 */
#include <limits.h>
#include <stdlib.h>

#include "plan_checks.h"
#include "plan_draws.h"

#define DRAWS		15000
#define MOST_FAILURES	5
#define EXHAUSTIVE_MOST 8 /* events; all their subsets are looked at */

/*
 * First fit: each formula goes whole into the first group that has room, or else event by event into the first groups that have
 * room, each beside the anchor where there is one.
 */

#define MOST_GROUPS (MOST_EVENTS * MOST_METRICS)

struct first_fit {
	const struct checker *checker;
	size_t anchor; /* or TABLE_NONE */
	struct plan plan;
	struct plan_group groups[MOST_GROUPS];
	size_t events[MOST_GROUPS][2 * MOST_EVENTS];
};

static void set_events(struct plan_group *group, const size_t *events, size_t count)
{
	memcpy(group->events, events, count * sizeof(*events));
	group->count = count;
}

/* The events and their leader join the group, if they can. */
static bool join_group(struct first_fit *f, struct plan_group *group, const size_t *events, size_t count)
{
	const struct model *model = f->checker->model;
	size_t all[3 * MOST_EVENTS], n = group->count, slots = f->plan.roles[ROLE_SLOTS];

	memcpy(all, group->events, n * sizeof(*all));
	for (size_t i = 0; i < count; i++)
		if (!is_in(all, n, events[i]))
			all[n++] = events[i];
	if (has_kind(&model->events, all, n, EVENT_METRIC) && slots != TABLE_NONE && !is_in(all, n, slots))
		all[n++] = slots;
	if (!plan_fits(&f->plan.limits, &model->events, all, n, NULL))
		return false;
	set_events(group, all, n);
	return true;
}

static bool join_first(struct first_fit *f, const size_t *events, size_t count)
{
	for (size_t i = 0; i <= f->plan.ngroups; i++)
		if (join_group(f, &f->groups[i], events, count)) {
			f->plan.ngroups += i == f->plan.ngroups;
			return true;
		}
	return false;
}

static bool is_settled(const struct first_fit *f, size_t event)
{
	for (size_t i = 0; i < f->plan.ngroups; i++)
		if (is_in_group(&f->groups[i], event) &&
		    (f->anchor == TABLE_NONE || is_in_group(&f->groups[i], f->anchor)))
			return true;
	return false;
}

static void spread(struct first_fit *f, const size_t *events, size_t count)
{
	size_t pair[2] = { 0, f->anchor };

	for (size_t i = 0; i < count; i++) {
		if (is_settled(f, events[i]))
			continue;
		pair[0] = events[i];
		if (!join_first(f, pair, f->anchor != TABLE_NONE ? 2 : 1) && !is_counted(&f->plan, events[i]))
			(void)join_first(f, pair, 1);
	}
}

static void fill_first_fit(struct first_fit *f)
{
	const struct model *model = f->checker->model;
	const struct plan *plan = f->checker->plan;
	size_t events[MOST_EVENTS];

	for (size_t i = 0; i < plan->nwanted; i++) {
		size_t count = possible_events(f->checker, plan->wanted[i], events);

		if (count && !join_first(f, events, count))
			spread(f, events, count);
	}
	for (size_t i = 0; i < model->nasked; i++)
		if (f->checker->countable[model->asked[i]])
			spread(f, &model->asked[i], 1);
	for (size_t i = 0; i < f->plan.ngroups; i++)
		for (size_t r = 0; r < ROLE_COUNT; r++)
			if (plan->roles[r] != TABLE_NONE)
				(void)join_group(f, &f->groups[i], &plan->roles[r], 1);
}

static bool is_whole(const struct plan *plan, const size_t *events, size_t count)
{
	for (size_t g = 0; g < plan->ngroups; g++) {
		size_t found = 0;

		for (size_t i = 0; i < count; i++)
			found += is_in_group(&plan->groups[g], events[i]);
		if (found == count)
			return true;
	}
	return false;
}

/* Can the parts of its split formulas be related? Otherwise it is no plan. */
static bool is_plan(const struct first_fit *f)
{
	const struct plan_group *base = base_group(&f->plan);
	size_t events[MOST_EVENTS];

	for (size_t i = 0; i < f->checker->plan->nwanted; i++) {
		size_t count = possible_events(f->checker, f->checker->plan->wanted[i], events);

		for (size_t k = 0; k < count && !is_whole(&f->plan, events, count); k++)
			if (!is_event_related(&f->plan, base, events[k]))
				return false;
	}
	return true;
}

/* The groups of a first fit, or SIZE_MAX when it is no plan. */
static size_t first_fit(const struct checker *checker, size_t anchor)
{
	static struct first_fit f;

	f = (struct first_fit){ .checker = checker, .anchor = anchor };
	f.plan.limits = checker->plan->limits;
	f.plan.groups = f.groups;
	memcpy(f.plan.roles, checker->plan->roles, sizeof(f.plan.roles));
	for (size_t i = 0; i < MOST_GROUPS; i++)
		f.groups[i].events = f.events[i];
	fill_first_fit(&f);
	return f.plan.ngroups && is_plan(&f) ? f.plan.ngroups : SIZE_MAX;
}

/* The fewest groups of all, by looking at every way to divide the events. */

struct search {
	const struct checker *checker;
	size_t events[MOST_EVENTS], count;
	bool has_free_role;
	size_t everywhere; /* an event that each group has to hold, or TABLE_NONE */
};

static bool can_hold(const struct search *search, unsigned subset)
{
	size_t events[MOST_EVENTS + 2], count = 0;

	for (size_t i = 0; i < search->count; i++)
		if (subset >> i & 1)
			events[count++] = search->events[i];
	if (search->everywhere != TABLE_NONE && !is_in(events, count, search->everywhere))
		events[count++] = search->everywhere;
	return fits_with_leader(&search->checker->plan->limits, search->checker->model, events, count);
}

static size_t fewest_groups(const struct search *search)
{
	unsigned all = (1u << search->count) - 1;
	unsigned char fewest[1u << EXHAUSTIVE_MOST] = { 0 };
	bool is_group[1u << EXHAUSTIVE_MOST];

	for (unsigned subset = 1; subset <= all; subset++)
		is_group[subset] = can_hold(search, subset);
	for (unsigned subset = 1; subset <= all; subset++) {
		fewest[subset] = UCHAR_MAX;
		for (unsigned part = subset; part; part = (part - 1) & subset) /* every subset of the subset */
			if (is_group[part] && fewest[subset & ~part] + 1 < fewest[subset])
				fewest[subset] = (unsigned char)(fewest[subset & ~part] + 1);
	}
	return fewest[all];
}

/* Does any fixed-role event have a counter that it shares with nothing? */
static bool has_free_role(const struct checker *c, const struct search *search)
{
	const struct event_set *set = &c->model->events;

	for (size_t r = 0; r < ROLE_COUNT; r++) {
		size_t role = c->plan->roles[r];
		uint64_t own = role == TABLE_NONE || !c->countable[role] ? 0 : set->events[role].counters;

		own &= c->plan->limits.fixed & ~(c->plan->limits.has_watchdog ? cycles_mask(set) : 0);
		for (size_t i = 0; i < search->count; i++)
			own &= search->events[i] == role ? own : ~set->events[search->events[i]].counters;
		if (own)
			return true;
	}
	return false;
}

/* Does every formula read the role, and has it room beside each event? */
static bool is_common(const struct checker *c, size_t role)
{
	size_t events[MOST_EVENTS];

	for (size_t i = 0; i < c->model->nasked; i++)
		if (c->countable[c->model->asked[i]] && c->model->asked[i] != role)
			return false;
	for (size_t i = 0; i < c->plan->nwanted; i++) {
		size_t count = possible_events(c, c->plan->wanted[i], events);

		if (count && !is_in(events, count, role))
			return false;
		for (size_t k = 0; k < count; k++)
			if (events[k] != role &&
			    !fits_with_leader(&c->plan->limits, c->model, (size_t[]){ events[k], role, TABLE_NONE }, 2))
				return false;
	}
	return true;
}

/*
 * Where no fixed-role event is for free and every formula reads one of them (cycles, mostly), each group has to count
 * it: what it counts could not be related to other groups otherwise.
 */
static size_t needed_everywhere(const struct checker *c, const struct search *search)
{
	static const enum role order[] = { ROLE_CYCLES, ROLE_SLOTS, ROLE_REFERENCE, ROLE_INSTRUCTIONS };

	for (size_t i = 0; i < COUNT_OF(order) && !search->has_free_role; i++) {
		size_t role = c->plan->roles[order[i]];

		if (role != TABLE_NONE && c->countable[role] && is_common(c, role))
			return role;
	}
	return TABLE_NONE;
}

static struct search search_init(const struct checker *c)
{
	struct search search = { .checker = c };
	size_t events[MOST_EVENTS];

	for (size_t i = 0; i < c->plan->nwanted; i++) {
		size_t count = possible_events(c, c->plan->wanted[i], events);

		for (size_t k = 0; k < count; k++)
			if (!is_in(search.events, search.count, events[k]))
				search.events[search.count++] = events[k];
	}
	for (size_t i = 0; i < c->model->nasked; i++)
		if (c->countable[c->model->asked[i]] && !is_in(search.events, search.count, c->model->asked[i]))
			search.events[search.count++] = c->model->asked[i];
	search.has_free_role = has_free_role(c, &search);
	search.everywhere = needed_everywhere(c, &search);
	return search;
}

/* The draws */

struct tally {
	struct rows rows;
	size_t plans, proven, searched, free, longer, none, groups, split, wanted;
};

static void check_length(struct tally *tally, const struct checker *c)
{
	struct search search = search_init(c);
	size_t longest = first_fit(c, search.has_free_role ? TABLE_NONE : anchor_role(c)), fewest;

	expect(c, c->plan->ngroups <= longest, "first fit needs fewer groups", longest);
	tally->plans++;
	tally->proven += c->plan->ngroups == c->plan->lower_bound;
	tally->groups += c->plan->ngroups;
	tally->split += c->plan->nsplit;
	tally->wanted += c->plan->nwanted;
	if (!search.count || search.count > EXHAUSTIVE_MOST)
		return;
	fewest = fewest_groups(&search);
	tally->searched++;
	tally->free += search.has_free_role;
	tally->longer += c->plan->ngroups > fewest && !c->request->is_per_node && search.has_free_role;
	expect(c, c->plan->lower_bound <= fewest, "the lower bound is above the fewest groups", fewest);
	expect(c, c->plan->ngroups >= fewest, "a plan of fewer groups than there can be", fewest);
}

/* Nothing to plan is right only where nothing can be counted. */
static void check_refusal(struct tally *tally, const struct checker *c)
{
	bool is_any = false;

	tally->none++;
	for (size_t i = 0; i < c->model->count && !is_any; i++) {
		const struct metric *metric = &c->model->metrics[i];

		if (metric->failure)
			continue;
		for (size_t k = 0; k < metric->nevents && !is_any && metric->level <= c->request->level; k++)
			is_any = (metric->level || !c->model->nnodes) &&
				 is_counter_event(c->model, metric->events[k]) && is_possible(c, metric);
	}
	expect(c, !is_any, "nothing was planned, though something can be counted", 0);
}

static void print_groups(const struct plan *plan)
{
	for (size_t g = 0; g < plan->ngroups; g++) {
		printf("  group %zu:", g);
		for (size_t i = 0; i < plan->groups[g].count; i++)
			printf(" %zu", plan->groups[g].events[i]);
		puts("");
	}
}

static void check_draw(struct tally *tally, size_t number)
{
	struct draw draw;
	struct plan plan, again;
	struct error err = { .text = "" };
	char row[48];
	size_t failed = tally->rows.failed;
	struct checker checker = { &tally->rows, row, &draw.model, &plan, &draw.request, NULL };

	draw_init(&draw, number);
	snprintf(row, sizeof(row), "draw %zu", number);
	checker.countable = find_countable(&draw.request.limits, &draw.model, &draw.arena);
	if (plan_build(&plan, &draw.model, &draw.request, &draw.arena, &err) < 0) {
		check_refusal(tally, &checker);
	} else {
		check_plan(&checker);
		check_length(tally, &checker);
		if (plan_build(&again, &draw.model, &draw.request, &draw.arena, &err) < 0 ||
		    !is_same_plan(&plan, &again))
			row_expect(&tally->rows, row, false, "planned twice, it is another plan");
	}
	if (tally->rows.failed > failed) {
		draw_print(&draw);
		print_groups(&plan);
	}
	draw_release(&draw);
}

static void test_random_plans(void **state UNUSED)
{
	const char *text = getenv("TOPDOWN_DRAWS");
	size_t draws = text ? strtoul(text, NULL, 10) : DRAWS;
	struct tally tally = { 0 };

	for (size_t i = 0; i < draws && tally.rows.failed < MOST_FAILURES; i++)
		check_draw(&tally, i);
	printf("%zu plans of %zu groups, %zu of them proven shortest, %zu draws with nothing to count\n", tally.plans,
	       tally.groups, tally.proven, tally.none);
	printf("%zu of %zu metrics are split; %zu plans searched exhaustively; of the %zu whose groups a fixed counter "
	       "relates, %zu are longer than necessary\n",
	       tally.split, tally.wanted, tally.searched, tally.free, tally.longer);
	rows_end(&tally.rows);
	assert_in_range(tally.plans, draws / 2, draws);
	assert_in_range(tally.free, draws / 10, draws);
	assert_int_equal(tally.longer, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_plans) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
