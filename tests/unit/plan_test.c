/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_test.c - plans of a small model, whose groups are known, and of all shipped CPUs under all limits. */
#include "brute_fits.h"
#include "model_fixture.h"

/* A plan, checked */

struct checker {
	struct rows *rows;
	const char *row;
	const struct model *model;
	const struct plan *plan;
};

static void expect(const struct checker *c, bool is_right, const char *what, size_t number)
{
	char text[160];

	if (is_right)
		return;
	snprintf(text, sizeof(text), "%s (%zu)", what, number);
	row_expect(c->rows, c->row, false, text);
}

/* The counters that the plan names prove that the group can be scheduled. */
static void check_counters(const struct checker *c, const struct plan_group *group, size_t number)
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
	}
	if (c->plan->limits.has_watchdog)
		expect(c, free & cycles_mask(set), "no counter is left for the watchdog", number);
}

static void check_group(const struct checker *c, size_t number)
{
	const struct plan_group *group = &c->plan->groups[number];
	const struct event_set *set = &c->model->events;
	bool is_behind = false;

	expect(c, group->count > 0, "an empty group", number);
	check_counters(c, group, number);
	expect(c, are_msrs_right(set, group->events, group->count), "an MSR can't hold what the group asks", number);
	for (size_t i = 0; i < group->count; i++) {
		const struct event *event = &set->events[group->events[i]];

		for (size_t k = 0; k < i; k++)
			expect(c, group->events[k] != group->events[i], "an event twice in a group", number);
		expect(c, event->kind == EVENT_METRIC ? !is_behind : true, "PERF_METRICS fields are not side by side",
		       number);
		is_behind = event->kind != EVENT_METRIC && event->kind != EVENT_SLOTS;
		expect(c, !event->is_retire_latency, "retire latency is no count", number);
	}
	if (has_kind(set, group->events, group->count, EVENT_METRIC))
		expect(c, set->events[group->events[0]].kind == EVENT_SLOTS, "slots does not lead", number);
}

static bool is_in(const size_t *items, size_t count, size_t item)
{
	for (size_t i = 0; i < count; i++)
		if (items[i] == item)
			return true;
	return false;
}

static bool is_counted(const struct plan *plan, size_t event)
{
	for (size_t g = 0; g < plan->ngroups; g++)
		if (is_in(plan->groups[g].events, plan->groups[g].count, event))
			return true;
	return false;
}

/* Could a group of its own count the event? */
static bool is_countable(const struct checker *c, size_t event)
{
	size_t slots = c->model->roles[ROLE_SLOTS], events[2] = { event, slots };
	const struct event *what = &c->model->events.events[event];

	if (what->kind == EVENT_DURATION || what->kind == EVENT_TSC || what->is_retire_latency)
		return false;
	return brute_fits(&c->plan->limits, &c->model->events, events,
			  what->kind == EVENT_METRIC && slots != TABLE_NONE ? 2 : 1);
}

static bool has_all(const struct checker *c, const struct plan_group *group, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++) {
		const struct event *event = &c->model->events.events[metric->events[i]];

		if (event->kind == EVENT_DURATION || event->kind == EVENT_TSC || event->is_retire_latency)
			continue;
		if (!is_in(group->events, group->count, metric->events[i]))
			return false;
	}
	return true;
}

/* Each wanted metric is told once: by the first group that has all of it, or as one that none has. */
static void check_completed(const struct checker *c, size_t wanted)
{
	const struct plan *plan = c->plan;
	bool is_told = false;

	for (size_t g = 0; g < plan->ngroups; g++) {
		const struct plan_group *group = &plan->groups[g];
		bool is_first = !is_told && has_all(c, group, &c->model->metrics[wanted]);

		expect(c, is_in(group->metrics, group->nmetrics, wanted) == is_first, "a group completes a metric",
		       wanted);
		is_told = is_told || is_first;
	}
	expect(c, is_in(plan->split, plan->nsplit, wanted) == !is_told, "a metric is told to be split", wanted);
}

static bool is_counter_event(const struct checker *c, size_t event)
{
	const struct event *what = &c->model->events.events[event];

	return what->kind != EVENT_DURATION && what->kind != EVENT_TSC && !what->is_retire_latency;
}

/* A metric with an event that nothing can count can't be had, so its other events need no counter. */
static bool is_possible(const struct checker *c, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (is_counter_event(c, metric->events[i]) && !is_countable(c, metric->events[i]))
			return false;
	return true;
}

/* Is there a fixed-role event that can be counted beside this one, and its leader? */
static bool has_partner(const struct checker *c, size_t event)
{
	const size_t *roles = c->plan->roles;

	for (size_t r = 0; r < ROLE_COUNT; r++) {
		size_t events[3] = { event, roles[r], roles[ROLE_SLOTS] };
		bool has_leader = roles[ROLE_SLOTS] != TABLE_NONE && roles[ROLE_SLOTS] != event && r != ROLE_SLOTS;

		if (roles[r] == event || (roles[r] != TABLE_NONE &&
					  brute_fits(&c->plan->limits, &c->model->events, events, has_leader ? 3 : 2)))
			return true;
	}
	return false;
}

/* Parts of one metric in several groups: each beside a fixed-role event that the other groups have too. */
static void check_related(const struct checker *c, size_t wanted)
{
	const struct metric *metric = &c->model->metrics[wanted];

	for (size_t i = 0; i < metric->nevents; i++) {
		bool is_related = !is_counter_event(c, metric->events[i]) || !has_partner(c, metric->events[i]);

		for (size_t g = 0; g < c->plan->ngroups && !is_related; g++)
			for (size_t r = 0; r < ROLE_COUNT && !is_related; r++)
				is_related =
					is_in(c->plan->groups[g].events, c->plan->groups[g].count, metric->events[i]) &&
					is_in(c->plan->groups[g].events, c->plan->groups[g].count, c->plan->roles[r]);
		expect(c, is_related, "an event of a split metric is beside no fixed-role event", metric->events[i]);
	}
}

static void check_wanted(const struct checker *c)
{
	const struct plan *plan = c->plan;

	for (size_t i = 0; i < c->model->nnodes; i++) {
		const struct metric *node = &c->model->metrics[i];

		expect(c, is_in(plan->wanted, plan->nwanted, i) == (node->level <= plan->level && !node->failure),
		       "a node is wanted", i);
	}
	for (size_t i = 0; i < plan->nwanted; i++) {
		const struct metric *metric = &c->model->metrics[plan->wanted[i]];

		expect(c, metric->level || plan->level > 1, "level 1 wants no other metrics", plan->wanted[i]);
		check_completed(c, plan->wanted[i]);
		if (!is_possible(c, metric))
			continue;
		if (is_in(plan->split, plan->nsplit, plan->wanted[i]))
			check_related(c, plan->wanted[i]);
		for (size_t k = 0; k < metric->nevents; k++)
			expect(c, is_counted(plan, metric->events[k]) == is_counter_event(c, metric->events[k]),
			       "an event that can be counted is", metric->events[k]);
	}
}

/* No run has two groups more than another, and the first ones have the fewer. */
static void check_runs(const struct checker *c, size_t max_runs)
{
	size_t next = 0, runs = max_runs && max_runs < c->plan->ngroups ? max_runs : c->plan->ngroups;

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

static void check_plan(const struct checker *c, size_t max_runs)
{
	for (size_t i = 0; i < c->plan->ngroups; i++)
		check_group(c, i);
	for (size_t i = 0; i < c->model->events.count; i++)
		expect(c, c->plan->counted[i] == is_counted(c->plan, i), "counted tells something else than the groups",
		       i);
	check_wanted(c);
	check_runs(c, max_runs);
}

static bool is_same_group(const struct plan_group *a, const struct plan_group *b)
{
	return a->count == b->count && a->nmetrics == b->nmetrics &&
	       !memcmp(a->events, b->events, a->count * sizeof(*a->events)) &&
	       !memcmp(a->counters, b->counters, a->count * sizeof(*a->counters)) &&
	       !memcmp(a->metrics, b->metrics, a->nmetrics * sizeof(*a->metrics));
}

static bool is_same_plan(const struct plan *a, const struct plan *b)
{
	if (a->ngroups != b->ngroups || a->nruns != b->nruns || a->lower_bound != b->lower_bound)
		return false;
	for (size_t i = 0; i < a->ngroups; i++)
		if (!is_same_group(&a->groups[i], &b->groups[i]))
			return false;
	return !memcmp(a->runs, b->runs, a->nruns * sizeof(*a->runs));
}

static void check_request(struct rows *rows, const char *row, const struct loaded *cpu,
			  const struct plan_request *request)
{
	struct plan plan, again;
	struct error err = { 0 };
	struct arena arena;
	struct checker checker = { rows, row, &cpu->model, &plan };

	arena_init(&arena);
	if (plan_build(&plan, &cpu->model, request, &arena, &err) < 0 ||
	    plan_build(&again, &cpu->model, request, &arena, &err) < 0) {
		row_expect(rows, row, false, err.text);
	} else {
		check_plan(&checker, request->max_runs);
		row_expect(rows, row, is_same_plan(&plan, &again), "planned twice, it is another plan");
	}
	arena_release(&arena);
}

static void check_cpu(struct rows *rows, const char *cpu, bool smt_on)
{
	static const unsigned generals[] = { 2, 3, 4, 6, 8 };
	struct loaded loaded;
	char row[96];

	loaded_shipped(&loaded, cpu, smt_on);
	for (unsigned level = 1; level <= 6; level++)
		for (size_t i = 0; i < 2 * COUNT_OF(generals); i++) {
			struct plan_request request = { .limits = plan_limits_published(&loaded.database, smt_on),
							.level = level,
							.max_runs = level == 3 ? i % 4 : 0 };

			request.limits.general = generals[i / 2];
			request.limits.has_watchdog = i % 2;
			snprintf(row, sizeof(row), "%s -l%u, SMT %d, %u counters, watchdog %d", cpu, level, smt_on,
				 request.limits.general, request.limits.has_watchdog);
			check_request(rows, row, &loaded, &request);
		}
	loaded_release(&loaded);
}

static void test_shipped_cpus(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < 2 * COUNT_OF(shipped_cpus); i++)
		check_cpu(&rows, shipped_cpus[i / 2], i % 2);
	rows_end(&rows);
}

/* A guest without slots in sysfs: what needs PERF_METRICS is left out, the rest is planned. */
static void test_no_perf_metrics(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct loaded loaded;

	loaded_shipped(&loaded, "sapphirerapids", true);
	for (unsigned level = 1; level <= 6; level++) {
		struct plan_request request = { .limits = plan_limits_published(&loaded.database, true),
						.level = level };

		request.limits.has_metrics = false;
		check_request(&rows, "sapphirerapids without PERF_METRICS", &loaded, &request);
	}
	loaded_release(&loaded);
	rows_end(&rows);
}

/* Plans whose size the vendors' data tell */

static const struct size_row {
	const char *cpu;
	unsigned level;
	bool smt_on, has_watchdog;
	unsigned general;		 /* 0: as published */
	size_t groups, events, complete; /* of the first group; how many metrics it completes */
} size_rows[] = {
	/* clang-format off */
	/* of 4 events of slots, and 2 that tell how busy the sibling was, 4 fit beside cycles, instructions, reference */
	{ "cascadelakex",   1, true,  false, 0, 2, 7, 2 },
	{ "skylakex",       1, true,  false, 0, 2, 7, 2 },
	{ "cascadelakex",   1, true,  true,  0, 2, 6, 1 }, /* the watchdog has the cycles' counter, which take another */
	{ "cascadelakex",   1, false, true,  0, 1, 7, 4 }, /* 8 counters, and no sibling */
	/* slots, 4 fields, INT_MISC.UOP_DROPPING, cycles, instructions, reference */
	{ "sapphirerapids", 1, true,  false, 0, 1, 9, 4 },
	{ "sapphirerapids", 1, true,  true,  0, 1, 9, 4 },
	{ "sapphirerapids", 2, true,  false, 0, 1, 13, 12 }, /* and 4 fields of level 2 */
	{ "amdzen4",        1, true,  false, 0, 1, 6, 5 },
	{ "amdzen4",        1, true,  true,  0, 2, 5, 4 },
	{ "amdzen5",        1, false, false, 0, 1, 6, 5 },
	{ "neoverse-v1",    1, false, false, 0, 1, 7, 4 },
	/* the watchdog takes cycles' counter: 2 for the frontend, 1 for the backend, retiring would need 3 more */
	{ "neoverse-v1",    1, false, true,  0, 2, 5, 2 },
	{ "neoverse-v1",    1, false, false, 5, 2, 5, 2 },
	{ "neoverse-n1",    1, false, false, 0, 1, 4, 2 }, /* stalls of both ends, cycles, instructions */
	/* clang-format on */
};

static void check_size(struct rows *rows, const struct size_row *row)
{
	struct loaded loaded;
	struct plan plan;
	char name[64];

	snprintf(name, sizeof(name), "%s -l%u, watchdog %d", row->cpu, row->level, row->has_watchdog);
	loaded_shipped(&loaded, row->cpu, row->smt_on);
	struct plan_request request = { .limits = plan_limits_published(&loaded.database, row->smt_on),
					.level = row->level };
	request.limits.has_watchdog = row->has_watchdog;
	request.limits.general = row->general ? row->general : request.limits.general;
	assert_int_equal(plan_build(&plan, &loaded.model, &request, &loaded.arena, &loaded.err), 0);
	row_expect_number(rows, name, (double)plan.ngroups, (double)row->groups);
	row_expect_number(rows, name, (double)plan.groups[0].count, (double)row->events);
	row_expect_number(rows, name, (double)plan.groups[0].nmetrics, (double)row->complete);
	loaded_release(&loaded);
}

static void test_sizes(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(size_rows); i++)
		check_size(&rows, &size_rows[i]);
	rows_end(&rows);
}

/* The small model: 4 general counters, 3 fixed */

struct small {
	struct loaded loaded;
	struct plan plan;
};

static void small_init(struct small *small, const struct plan_request *request, const char *asked)
{
	loaded_init(&small->loaded, &(struct loaded_request){ .events = "tests/unit/fixtures/small/events.json",
							      .model = "tests/unit/fixtures/small/model.json",
							      .smt_on = true,
							      .asked = asked });
	if (plan_build(&small->plan, &small->loaded.model, request, &small->loaded.arena, &small->loaded.err) < 0)
		fail_msg("%s", small->loaded.err.text);
}

#define SMALL_LIMITS                                                                                                   \
	{                                                                                                              \
		.general = 4, .fixed = FIXED(0) | FIXED(1) | FIXED(2)                                                  \
	}

static bool small_counts(const struct small *small, const char *event)
{
	return is_counted(&small->plan, event_number(&small->loaded, event));
}

/* Six events for four counters: apart, each beside cycles; two that want the same counter; one that fits nowhere. */
static void test_spread(void **state UNUSED)
{
	struct plan_request request = { .limits = SMALL_LIMITS, .level = 3 };
	struct small small;
	struct rows rows = { 0 };

	small_init(&small, &request, NULL);
	check_plan(&(struct checker){ &rows, "small", &small.loaded.model, &small.plan }, 0);
	assert_true(small_counts(&small, "F"));
	assert_true(small_counts(&small, "ONLY_0"));
	assert_true(small_counts(&small, "ALSO_0"));
	assert_false(small_counts(&small, "NOWHERE"));
	for (size_t g = 0; g < small.plan.ngroups; g++)
		assert_true(is_in(small.plan.groups[g].events, small.plan.groups[g].count,
				  event_number(&small.loaded, "CYCLES")));
	/* FRONT ISSUED DONE BACK | MEMORY A B C | D E F DRAM | L1 ONLY_0 | ALSO_0: 13 events, so 4 groups at least */
	assert_int_equal(small.plan.lower_bound, 4);
	assert_int_equal(small.plan.ngroups, 4);
	loaded_release(&small.loaded);
	rows_end(&rows);
}

static void test_asked_events(void **state UNUSED)
{
	struct plan_request request = { .limits = SMALL_LIMITS, .level = 1 };
	struct small small;

	small_init(&small, &request, NULL);
	assert_false(is_counted(&small.plan, event_set_find(&small.loaded.model.events, "SPARE")));
	loaded_release(&small.loaded);
	small_init(&small, &request, "SPARE:c2,CYCLES,duration_time");
	assert_true(small_counts(&small, "SPARE:c2"));
	assert_int_equal(small.plan.ngroups, 2); /* level 1 takes all four general counters */
	assert_int_equal(small.plan.groups[0].nmetrics, 4);
	loaded_release(&small.loaded);
}

static void test_multiplexed(void **state UNUSED)
{
	struct plan_request request = { .limits = SMALL_LIMITS, .level = 3, .max_runs = 1 };
	struct small small;

	small_init(&small, &request, NULL);
	assert_int_equal(small.plan.nruns, 1);
	assert_int_equal(small.plan.runs[0].count, small.plan.ngroups);
	assert_in_range(small.plan.ngroups, 2, 99);
	loaded_release(&small.loaded);
}

/* A plan that grows: level 1, then one more metric after three runs were made. */
static void test_append(void **state UNUSED)
{
	struct plan_request request = { .limits = SMALL_LIMITS, .level = 1 };
	struct small small;
	struct plan further;
	size_t wanted;

	small_init(&small, &request, NULL);
	assert_int_equal(small.plan.nruns, 1);
	wanted = model_find(&small.loaded.model, "Memory_Bound");
	request.wanted = &wanted;
	request.nwanted = 1;
	assert_int_equal(plan_build(&further, &small.loaded.model, &request, &small.loaded.arena, &small.loaded.err),
			 0);
	plan_append(&small.plan, &further, 3, &small.loaded.arena);
	assert_int_equal(small.plan.nruns, 4);
	assert_int_equal(small.plan.ngroups, 2);
	assert_int_equal(small.plan.runs[0].count, 1);
	assert_int_equal(small.plan.runs[1].count, 0); /* made for plans of other core types */
	assert_int_equal(small.plan.runs[2].count, 0);
	assert_int_equal(small.plan.runs[3].first, 1);
	assert_int_equal(small.plan.runs[3].count, 1);
	assert_int_equal(small.plan.wanted[small.plan.nwanted - 1], wanted);
	assert_true(small.plan.counted[event_number(&small.loaded, "MEMORY")]);
	assert_true(small.plan.counted[event_number(&small.loaded, "FRONT")]);
	loaded_release(&small.loaded);
}

static void test_no_counters(void **state UNUSED)
{
	struct plan_request request = { .limits = { .general = 0 }, .level = 2 };
	struct loaded loaded;
	struct plan plan;

	loaded_shipped(&loaded, "amdzen4", true);
	assert_int_equal(plan_build(&plan, &loaded.model, &request, &loaded.arena, &loaded.err), -1);
	assert_non_null(strstr(loaded.err.text, "level 2"));
	loaded_release(&loaded);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shipped_cpus),	cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_spread),		cmocka_unit_test(test_asked_events),
		cmocka_unit_test(test_multiplexed),	cmocka_unit_test(test_no_counters),
		cmocka_unit_test(test_no_perf_metrics), cmocka_unit_test(test_append),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
