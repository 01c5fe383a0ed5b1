/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_test.c - plans of a small model, whose groups are known, and of all shipped CPUs under all limits. */
#include <stdlib.h>

#include "model_fixture.h"
#include "plan_checks.h"

#define EVERY 3

static void check_request(struct rows *rows, const char *row, const struct loaded *cpu,
			  const struct plan_request *request)
{
	struct plan plan, again;
	struct error err = { 0 };
	struct arena arena;
	struct checker checker = { rows, row, &cpu->model, &plan, request, NULL };

	arena_init(&arena);
	checker.countable = find_countable(&request->limits, &cpu->model, &arena);
	if (plan_build(&plan, &cpu->model, request, &arena, &err) < 0 ||
	    plan_build(&again, &cpu->model, request, &arena, &err) < 0) {
		row_expect(rows, row, false, err.text);
	} else {
		check_plan(&checker);
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

/* With SMT and without. TOPDOWN_EVERY: only each n-th of these, of an odd n; 1 in unit.plan_cpus. */
static void test_shipped_cpus(void **state UNUSED)
{
	const char *text = getenv("TOPDOWN_EVERY");
	size_t step = text ? strtoul(text, NULL, 10) : EVERY;
	struct rows rows = { 0 };

	assert_true(step % 2);
	for (size_t i = 0; i < 2 * COUNT_OF(shipped_cpus); i += step)
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

/* Plans whose size follows from the vendors' data */

static const struct size_row {
	const char *cpu;
	unsigned level;
	bool smt_on, has_watchdog;
	unsigned general;		 /* 0: as published */
	size_t groups, events, complete; /* of the first group; the number of metrics that it completes */
} size_rows[] = {
	/* clang-format off */
	/* of 4 events of slots, and 2 that count how busy the sibling was, 4 fit beside cycles, instructions, reference */
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

/* What is sampled takes one of the general counters, as the watchdog does where cycles have none of their own. */
static const struct size_row held_rows[] = {
	/* clang-format off */
	{ "cascadelakex",   1, true,  false, 0, 2, 6, 1 },
	{ "sapphirerapids", 1, true,  false, 0, 1, 9, 4 },
	{ "amdzen4",        1, true,  false, 0, 2, 5, 4 },
	{ "neoverse-v1",    1, false, false, 0, 2, 5, 2 },
	/* clang-format on */
};

/* held: the number of events that are sampled beside each group. */
static void check_size(struct rows *rows, const struct size_row *row, unsigned held)
{
	struct loaded loaded;
	struct plan plan;
	char name[64];

	snprintf(name, sizeof(name), "%s -l%u, watchdog %d, held %u", row->cpu, row->level, row->has_watchdog, held);
	loaded_shipped(&loaded, row->cpu, row->smt_on);
	struct plan_request request = { .limits = plan_limits_published(&loaded.database, row->smt_on),
					.level = row->level };
	request.limits.has_watchdog = row->has_watchdog;
	request.limits.general = row->general ? row->general : request.limits.general;
	request.limits.nheld = held;
	request.limits.held[0] = GENERAL_COUNTERS;
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
		check_size(&rows, &size_rows[i], 0);
	for (size_t i = 0; i < COUNT_OF(held_rows); i++)
		check_size(&rows, &held_rows[i], 1);
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
	struct checker checker = { &rows, "small", &small.loaded.model, &small.plan, &request, NULL };

	small_init(&small, &request, NULL);
	checker.countable = find_countable(&request.limits, &small.loaded.model, &small.loaded.arena);
	check_plan(&checker);
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
