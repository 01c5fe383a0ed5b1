/* SPDX-License-Identifier: GPL-2.0-or-later */
/* anchor_test.c - modelled cycles against a native run's time, with times that the test chooses. */
#include <math.h>
#include <string.h>

#include "rows.h"

#include "evaluate/evaluate.h"

static const struct row {
	const char *name;
	double user_s, hz, modelled;
	const char *told; /* why it was not timed, by whoever should have */
	double ratio;	  /* NAN: can't be compared, and reason has the text */
	bool is_far;
	const char *reason;
} rows[] = {
	{ "the same", 1, 3e9, 3e9, NULL, 1, false, NULL },
	{ "a quarter more is not far", 2, 2e9, 5e9, NULL, 1.25, false, NULL },
	{ "a little more is", 2, 2e9, 5.01e9, NULL, 1.2525, true, NULL },
	{ "a quarter less is not far", 2, 2e9, 3e9, NULL, 0.75, false, NULL },
	{ "a little less is", 2, 2e9, 2.99e9, NULL, 0.7475, true, NULL },
	{ "twice", 0.5, 4e9, 4e9, NULL, 2, true, NULL },
	{ "just long enough", 0.010, 1e9, 1e7, NULL, 1, false, NULL },
	{ "too short", 0.0094, 1e9, 1e7, NULL, (double)NAN, false, "took 9 ms of user time, and below 10 ms" },
	{ "no time at all", 0, 1e9, 1e7, NULL, (double)NAN, false, "took 0 ms" },
	{ "nobody knows the time", (double)NAN, 1e9, 1e7, NULL, (double)NAN, false, "user time is not known" },
	{ "nobody knows the rate", 1, (double)NAN, 1e7, NULL, (double)NAN, false, "clock rate" },
	{ "not run", (double)NAN, (double)NAN, 1e7, "it failed", (double)NAN, false, "it failed" },
	{ "no cycles", 1, 1e9, (double)NAN, NULL, (double)NAN, false, "no cycles were modelled" },
};

static bool is_close(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) < 1e-9;
}

static bool check_row(const struct row *row, struct arena *arena)
{
	const struct anchor anchor = { .user_s = row->user_s, .hz = row->hz, .reason = row->told };
	const struct anchoring judged = anchor_judge(&anchor, row->modelled, arena);

	if (!is_close(judged.ratio, row->ratio) || judged.is_far != row->is_far)
		return false;
	if (!row->reason != !judged.reason)
		return false;
	return !row->reason || strstr(judged.reason, row->reason);
}

static void test_rows(void **state UNUSED)
{
	struct arena arena;
	size_t failed = 0;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (check_row(&rows[i], &arena))
			continue;
		print_error("row '%s'\n", rows[i].name);
		failed++;
	}
	arena_release(&arena);
	assert_int_equal(failed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
