/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readings of several places, summed: extrapolated place by place, or withheld. */
#include "common/measurement/tally.h"

#include <math.h>

#include "rows.h"

#define MS   UINT64_C(1000000)
#define NO   ((double)NAN)
#define MOST 4

struct reading {
	uint64_t raw, enabled, running;
};

static const struct row {
	const char *name;
	struct reading places[MOST];
	size_t count;
	enum count_state state;
	double value, share; /* running / enabled */
	const char *reason;
} table[] = {
	{ "one place, all the time", { { 300, 10 * MS, 10 * MS } }, 1, COUNT_OK, 300, 1, NULL },
	{ "one place, a third", { { 300, 9 * MS, 3 * MS } }, 1, COUNT_OK, 900, 1.0 / 3, NULL },
	/* 100 * 4 + 100 * 1, not 200 * 8/5 */
	{ "each by its own share",
	  { { 100, 4 * MS, 1 * MS }, { 100, 4 * MS, 4 * MS } },
	  2,
	  COUNT_OK,
	  500,
	  5.0 / 8,
	  NULL },
	{ "a place without work", { { 100, 4 * MS, 4 * MS }, { 0, 0, 0 } }, 2, COUNT_OK, 100, 1, NULL },
	{ "never on a counter", { { 0, 4 * MS, 0 }, { 0, 4 * MS, 0 } }, 2, COUNT_NEVER_RAN, NO, 0, NULL },
	{ "nothing has run", { { 0, 0, 0 } }, 1, COUNT_NEVER_RAN, NO, NO, NULL },
	{ "no place", { { 0, 0, 0 } }, 0, COUNT_NEVER_RAN, NO, NO, NULL },
	{ "on one of four CPUs it never ran",
	  { { 10, 8 * MS, 8 * MS }, { 10, 8 * MS, 8 * MS }, { 10, 8 * MS, 8 * MS }, { 0, 8 * MS, 0 } },
	  4,
	  COUNT_WITHHELD,
	  NO,
	  0.75,
	  "in 25 % of the CPU time it was never on a counter" },
	/* 95 in 95 ms, and 5 ms taken to be like them */
	{ "it never ran for a little of the time",
	  { { 95, 95 * MS, 95 * MS }, { 0, 5 * MS, 0 } },
	  2,
	  COUNT_OK,
	  100,
	  0.95,
	  NULL },
	{ "one hundredth of a second's time",
	  { { 10, 1000 * MS, 10 * MS } },
	  1,
	  COUNT_WITHHELD,
	  NO,
	  0.01,
	  "it was on a counter for only 1 % of the time, 10 ms" },
	{ "one hundredth of a minute", { { 10, 60000 * MS, 600 * MS } }, 1, COUNT_OK, 1000, 0.01, NULL },
	/* 2^47 and a little: in 140 s a counter that counts 1000 in each nanosecond gets there */
	{ "a counter that did not start at 0",
	  { { (1ull << 47) + 300, 10 * MS, 10 * MS } },
	  1,
	  COUNT_WITHHELD,
	  NO,
	  1,
	  "it counted 1.41e+14 in 10 ms, more than any counter can: the counter did not start at 0, or it jumped" },
	{ "one in a place of two, the other with minutes",
	  { { 1000, 900000 * MS, 900000 * MS }, { 1ull << 47, 10 * MS, 10 * MS } },
	  2,
	  COUNT_WITHHELD,
	  NO,
	  1,
	  "it counted 1.41e+14 in 10 ms, more than any counter can: the counter did not start at 0, or it jumped" },
	{ "as much as a wide core can", { { 480 * MS, 10 * MS, 10 * MS } }, 1, COUNT_OK, 480e6, 1, NULL },
	{ "in a time that is not exact", { { 9 * MS, 1000, 1000 } }, 1, COUNT_OK, 9e6, 1, NULL },
	{ "more time on the counter than there was", { { 10, 4 * MS, 5 * MS } }, 1, COUNT_OK, 10, 1.25, NULL },
};

static void sums(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		const struct row *row = &table[i];
		struct tally tally = { .raw = 0 };
		struct count item = { .state = COUNT_OK };
		uint64_t raw = 0;

		for (size_t k = 0; k < row->count; k++) {
			const struct reading *place = &row->places[k];
			const struct count read = { .raw = place->raw, .running_ns = place->running };

			tally_add(&tally, &read, place->enabled);
			raw += place->raw;
		}
		tally_finish(&item, &tally, &arena);
		row_expect(&rows, row->name, item.state == row->state, "state");
		row_expect_number(&rows, row->name, item.value, row->value);
		row_expect_number(&rows, row->name, (double)item.running_ns / (double)item.enabled_ns, row->share);
		row_expect_text(&rows, row->name, item.reason, row->reason);
		row_expect(&rows, row->name, item.raw == raw, "raw");
	}
	arena_release(&arena);
	rows_end(&rows);
}

static void a_refusal_in_one_place_is_one_of_all(void **state UNUSED)
{
	const struct count refused = { .state = COUNT_REFUSED, .reason = "why" },
			   again = { .state = COUNT_REFUSED, .reason = "why not" },
			   counted = { .raw = 3, .running_ns = MS };
	struct tally tally = { .raw = 0 };
	struct count item = { .state = COUNT_OK };
	struct arena arena;

	arena_init(&arena);
	tally_add(&tally, &counted, MS);
	tally_add(&tally, &refused, MS);
	tally_add(&tally, &again, MS);
	tally_finish(&item, &tally, &arena);
	assert_int_equal(item.state, COUNT_REFUSED);
	assert_string_equal(item.reason, "why");
	assert_true(isnan(item.value));
	arena_release(&arena);
}

static void an_interval_is_what_came_since(void **state UNUSED)
{
	const struct count now = { .raw = 10, .enabled_ns = 30, .running_ns = 20 },
			   before = { .raw = 4, .enabled_ns = 10, .running_ns = 15 };
	struct count since = count_since(&now, &before);

	assert_int_equal(since.raw, 6);
	assert_int_equal(since.enabled_ns, 20);
	assert_int_equal(since.running_ns, 5);
}

/* The interval in which the counter jumped is withheld, and the next one counts. */
static void an_interval_with_a_jump(void **state UNUSED)
{
	const struct count ends[] = { { .raw = 0 },
				      { .raw = (1ull << 47) + 100, .enabled_ns = MS, .running_ns = MS },
				      { .raw = (1ull << 47) + 350, .enabled_ns = 2 * MS, .running_ns = 2 * MS } };
	const enum count_state states[] = { COUNT_WITHHELD, COUNT_OK };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(states); i++) {
		const struct count since = count_since(&ends[i + 1], &ends[i]);
		struct tally tally = { .raw = 0 };
		struct count item;

		tally_add(&tally, &since, since.enabled_ns);
		tally_finish(&item, &tally, &arena);
		assert_int_equal(item.state, states[i]);
		assert_true(i == 0 ? isnan(item.value) : item.value == 250);
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums),
		cmocka_unit_test(a_refusal_in_one_place_is_one_of_all),
		cmocka_unit_test(an_interval_is_what_came_since),
		cmocka_unit_test(an_interval_with_a_jump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
