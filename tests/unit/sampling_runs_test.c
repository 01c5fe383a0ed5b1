/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampling_runs_test.c - locating events of the shipped CPUs, divided among runs: each run fits the counters by brute
 * force (brute_fits.h), and no division has fewer runs.
 */
#include "brute_fits.h"

#include <stdlib.h>

#include "cpu/identify/machine.h"
#include "engine/sampling/sampling.h"

enum { DRAWS = 60, MOST = 6 };

static const char *const cpus[] = {
	"sapphirerapids", "skylakex", "cascadelakex", "icelakex", "amdzen4", "neoverse-v2"
};

static uint64_t state = 15;

static size_t draw(size_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(state >> 33) % below;
}

static bool fits(const struct plan_limits *limits, const struct event_set *set, const size_t *events, size_t members)
{
	size_t chosen[MOST], count = 0;

	for (size_t i = 0; i < MOST; i++)
		if (members >> i & 1)
			chosen[count++] = events[i];
	return brute_fits(limits, set, chosen, count);
}

/* Each event joins each run that there is, or begins one: all divisions are seen. */
struct search {
	const bool *is_run; /* [2^count] */
	size_t count, members[MOST], best;
};

static void place(struct search *search, size_t event, size_t runs)
{
	if (runs >= search->best)
		return;
	if (event == search->count) {
		search->best = runs;
		return;
	}
	for (size_t run = 0; run <= runs && run < MOST; run++) {
		size_t before = run < runs ? search->members[run] : 0;

		search->members[run] = before | (size_t)1 << event;
		if (search->is_run[search->members[run]])
			place(search, event + 1, run == runs ? runs + 1 : runs);
		search->members[run] = before;
	}
}

static size_t fewest(const bool *is_run, size_t count)
{
	struct search search = { .is_run = is_run, .count = count, .best = SIZE_MAX };

	place(&search, 0, 0);
	return search.best;
}

static void check_draw(struct rows *rows, const char *cpu, const struct plan_limits *limits,
		       const struct event_set *set)
{
	size_t events[MOST], runs[MOST], count = 2 + draw(MOST - 1), members[MOST] = { 0 }, nruns;
	bool is_run[1 << MOST] = { false };

	for (size_t i = 0; i < count; i++) {
		size_t tries = 0;

		do
			events[i] = draw(set->count);
		while (!brute_fits(limits, set, &events[i], 1) && tries++ < 1000);
		for (size_t k = 0; k < i; k++)
			if (events[k] == events[i])
				return;
	}
	for (size_t all = 1; all < (size_t)1 << count; all++)
		is_run[all] = fits(limits, set, events, all);
	nruns = sampling_runs(runs, limits, set, events, count);
	for (size_t i = 0; i < count; i++) {
		row_expect(rows, cpu, runs[i] < nruns, "an event has no run");
		if (runs[i] < MOST)
			members[runs[i]] |= (size_t)1 << i;
	}
	for (size_t run = 0; run < nruns; run++)
		row_expect(rows, cpu, is_run[members[run]], "a run does not fit the counters");
	row_expect(rows, cpu, nruns == fewest(is_run, count), "there is a division with fewer runs");
	row_expect(rows, cpu, runs[0] == 0, "the first event is not in the first run");
}

/* All events of the core that can be sampled precisely, as locating events are. */
static void add_events(struct event_set *set)
{
	for (size_t i = 0; i < set->database->count; i++) {
		const struct event_row *row = &set->database->rows[i];
		struct error err = { .text = "" };

		if (row->unit || row->is_metric || row->is_deprecated || (set->database->max_precise && !row->precise))
			continue;
		if (event_set_add(set, row->name, &err) == TABLE_NONE)
			continue;
	}
}

static void test_shipped(void **test UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(cpus); i++) {
		struct event_database database;
		struct error err = { .text = "" };
		struct event_set set;
		struct arena arena;
		struct plan_limits limits;

		arena_init(&arena);
		if (event_database_load(&database, arena_printf(&arena, TOPDOWN_SOURCE_DIR "/events/%s.json", cpus[i]),
					&arena, &err) < 0)
			fail_msg("%s", err.text);
		limits = plan_limits_published(&database, true);
		limits.has_watchdog = i % 2;
		event_set_init(&set, &database, pmu_assumed(database.pmu, database.vendor, &arena), true, &arena);
		add_events(&set);
		assert_true(set.count > 20);
		for (size_t k = 0; k < DRAWS; k++)
			check_draw(&rows, cpus[i], &limits, &set);
		arena_release(&arena);
	}
	rows_end(&rows);
}

/* What no counter can hold has no run; beyond the exact number of events each run still fits. */
static void test_many(void **test UNUSED)
{
	enum { MANY = 20 };
	struct event events[MANY];
	struct event_row cycles = { .name = "CYCLES", .counters = FIXED(1) };
	struct event_database database = { .cycles = "CYCLES", .rows = &cycles, .count = 1 };
	const struct plan_limits limits = { .general = 4 };
	const struct event_set set = { .database = &database, .events = events, .count = MANY };
	size_t numbers[MANY], runs[MANY], used[MANY] = { 0 };

	for (size_t i = 0; i < MANY; i++) {
		events[i] = (struct event){ .name = "x", .kind = EVENT_CORE, .counters = i == 7 ? 0x10 : 0xf };
		numbers[i] = i;
	}
	assert_int_equal(sampling_runs(runs, &limits, &set, numbers, MANY), 5);
	for (size_t i = 0; i < MANY; i++)
		if (i == 7)
			assert_int_equal(runs[i], NO_RUN);
		else
			assert_true(runs[i] < 5 && ++used[runs[i]] <= 4);
	assert_int_equal(sampling_runs(runs, &limits, &set, numbers + 7, 1), 0);
	assert_int_equal(sampling_runs(runs, &limits, &set, numbers, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_shipped), cmocka_unit_test(test_many) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
