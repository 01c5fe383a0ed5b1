/* SPDX-License-Identifier: GPL-2.0-or-later */
/* abilities_test.c - a plan that is tried for a moment; what else is probed needs a CPU's PMU, and is tested in guests. */
#include <sys/resource.h>

#include "collect/perf/abilities.h"
#include "common/measurement/scope.h"
#include "count_fixture.h"
#include "rows.h"

static const struct row {
	const char *name;
	struct test_plan plan;
	struct trial expected; /* failure: part of it */
} table[] = {
	{ "all of two runs",
	  { { { 0, { TASK_CLOCK, PAGE_FAULTS }, 2 }, { 1, { MINOR_FAULTS, MAJOR_FAULTS, TASK_CLOCK }, 3 } } },
	  { .groups = 2, .runs = 2, .counted = 2, .descriptors = 3 } },
	{ "two groups in a run",
	  { { { 0, { TASK_CLOCK, PAGE_FAULTS }, 2 }, { 0, { MINOR_FAULTS }, 1 } } },
	  { .groups = 2, .runs = 1, .counted = 2, .descriptors = 3 } },
	{ "an event that the kernel does not know",
	  { { { 0, { TASK_CLOCK, UNKNOWN }, 2 }, { 1, { MINOR_FAULTS }, 1 } } },
	  { .groups = 2, .runs = 2, .counted = 1, .descriptors = 2, .failure = "do not know unknown" } },
	{ "nothing that the kernel counts",
	  { { { 0, { DURATION, TSC }, 2 } } },
	  { .groups = 1, .runs = 1, .counted = 1, .descriptors = 2 } },
};

static void plans_are_tried(void **state)
{
	struct rows rows = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		const struct trial *expected = &table[i].expected;
		struct fixture fixture;
		struct trial trial;

		fixture_init(&fixture, &table[i].plan);
		abilities_try(&trial, &fixture.plan, &fixture.model, &fixture.machine, &fixture.arena);
		row_expect(&rows, table[i].name, trial.groups == expected->groups, "groups");
		row_expect(&rows, table[i].name, trial.runs == expected->runs, "runs");
		row_expect(&rows, table[i].name, trial.counted == expected->counted, "groups that counted");
		row_expect(&rows, table[i].name, trial.descriptors == expected->descriptors, "descriptors");
		if (expected->failure)
			row_expect(&rows, table[i].name, trial.failure && strstr(trial.failure, expected->failure),
				   trial.failure ? trial.failure : "none");
		else
			row_expect(&rows, table[i].name, !trial.failure, trial.failure ? trial.failure : "");
		fixture_release(&fixture);
	}
	rows_end(&rows);
}

/* A metric needs an event that the planner could place nowhere. */
static void what_was_left_out_fails(void **state)
{
	size_t events[] = { TASK_CLOCK, PAGE_FAULTS }, wanted[] = { 0 };
	bool counted[TEST_EVENTS] = { [TASK_CLOCK] = true };
	struct metric metric = { .name = "m", .events = events, .nevents = 2 };
	struct fixture fixture;
	struct trial trial;

	(void)state;
	fixture_init(&fixture, &(struct test_plan){ { { 0, { TASK_CLOCK }, 1 } } });
	fixture.model.metrics = &metric;
	fixture.plan.wanted = wanted;
	fixture.plan.nwanted = 1;
	fixture.plan.counted = counted;
	abilities_try(&trial, &fixture.plan, &fixture.model, &fixture.machine, &fixture.arena);
	assert_non_null(trial.failure);
	assert_non_null(strstr(trial.failure, "page-faults"));
	counted[PAGE_FAULTS] = true;
	abilities_try(&trial, &fixture.plan, &fixture.model, &fixture.machine, &fixture.arena);
	assert_null(trial.failure);
	fixture_release(&fixture);
}

static void of_the_process(void **state)
{
	struct abilities abilities = { .precise = 0 };
	struct rlimit before, low;

	(void)state;
	getrlimit(RLIMIT_NOFILE, &before);
	low = before;
	low.rlim_cur = 64;
	setrlimit(RLIMIT_NOFILE, &low);
	abilities_probe_process(&abilities);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_int_equal(abilities.files_soft, 64);
	assert_int_equal(abilities.files_hard, before.rlim_max);
	assert_int_equal(abilities.is_user_only, is_scope_user_only());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_are_tried),
		cmocka_unit_test(what_was_left_out_fails),
		cmocka_unit_test(of_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
