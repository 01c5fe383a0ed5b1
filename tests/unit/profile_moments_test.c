/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile_moments_test.c - when samples were taken: the sums of the parts are kept, however often moments are joined. */
#include "rows.h"

#include "common/measurement/profile.h"

struct taking {
	struct arena arena;
	struct profile profile;
};

static struct taking *begin(void)
{
	static struct taking taking;

	arena_init(&taking.arena);
	profile_init(&taking.profile, &taking.arena);
	return &taking;
}

/* Weight of a row in all moments; and between two times, both at the edges of moments. */
static double weight_of(const struct profile *profile, uint32_t row, double from, double to)
{
	double sum = 0;

	for (uint32_t i = 0; i < profile->nmoments; i++) {
		const struct profile_moment *part = &profile->moments[i];
		double at = (part->number + 0.5) * profile->moment_s;

		assert_true(part->number < PROFILE_MOMENTS);
		if (part->row == row && at >= from && at < to)
			sum += part->weight;
	}
	return sum;
}

/* Two rows take turns of 16 s: 128 moments of 10 ms become moments of 0.64 s, which still divide the turns. */
static void test_joined(void **state UNUSED)
{
	struct taking *t = begin();

	for (int i = 0; i < 64000; i++)
		profile_moment(&t->profile, (uint32_t)i / 16000 % 2, i * 1e-3 + 5e-4, 1 + i % 3);
	profile_moments_end(&t->profile, 64);
	assert_true(t->profile.moment_s > 0.63 && t->profile.moment_s < 0.65);
	assert_true(t->profile.moments_s == 64);
	for (uint32_t row = 0; row < 2; row++) {
		double wanted = 0;

		for (int i = 0; i < 64000; i++)
			wanted += i / 16000 % 2 == (int)row ? 1 + i % 3 : 0;
		assert_true(weight_of(&t->profile, row, 0, 100) == wanted);
	}
	assert_true(weight_of(&t->profile, 1, 0, 16) == 0);
	assert_true(weight_of(&t->profile, 0, 16, 32) == 0);
	assert_true(weight_of(&t->profile, 1, 16, 32) > 0);
	arena_release(&t->arena);
}

/* 3000 rows in each of 100 moments would be 300,000 parts. */
static void test_bounded(void **state UNUSED)
{
	struct taking *t = begin();

	t->profile.nrows = 3000;
	for (int at = 0; at < 100; at++)
		for (uint32_t row = 0; row < 3000; row++) {
			profile_moment(&t->profile, row, at * 0.01 + 0.005, 1);
			assert_true(t->profile.nmoments <= PROFILE_MOMENT_PARTS);
		}
	for (uint32_t row = 0; row < 3000; row++)
		assert_true(weight_of(&t->profile, row, 0, 10) == 100);
	arena_release(&t->arena);
}

static void test_later_runs_and_jumps(void **state UNUSED)
{
	struct taking *t = begin();

	profile_moment(&t->profile, 0, 0.005, 1);
	profile_moments_end(&t->profile, 0.006);
	assert_int_equal(t->profile.nmoments, 0); /* all at once */
	assert_true(t->profile.moment_s == 0);
	profile_moment(&t->profile, 0, 0.5, 2);
	profile_moment(&t->profile, 0, -1, 4);
	profile_moment(&t->profile, 0, 1.8e10, 8); /* the clock of a damaged file */
	profile_moments_end(&t->profile, 1.8e10);
	assert_true(weight_of(&t->profile, 0, 0, 4e10) == 14);
	profile_moments_drop(&t->profile);
	assert_int_equal(t->profile.nmoments, 0);
	arena_release(&t->arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_joined), cmocka_unit_test(test_bounded),
					    cmocka_unit_test(test_later_runs_and_jumps) };

	return cmocka_run_group_tests_name("profile_moments", tests, NULL, NULL);
}
