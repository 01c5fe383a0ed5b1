/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile_test.c - what is equal is there once, whatever else was added meanwhile; what differs in one thing is not. */
#include "rows.h"

#include "common/measurement/profile.h"

enum { MANY = 20000, DEPTH = 1000 };

static void test_equal(void **state UNUSED)
{
	static const struct profile_module modules[] = {
		{ MODULE_FILE, "/bin/a", "00ff", NULL, 0 }, { MODULE_FILE, "/bin/a", "00fe", NULL, 0 },
		{ MODULE_FILE, "/bin/a", NULL, NULL, 0 },   { MODULE_JIT, "/bin/a", "00ff", NULL, 0 },
		{ MODULE_FILE, "/bin/a", "00ff", NULL, 7 }, { MODULE_FILE, "/bin/b", "00ff", NULL, 0 },
	};
	struct arena arena;
	struct profile profile;

	arena_init(&arena);
	profile_init(&profile, &arena);
	for (size_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < COUNT_OF(modules); i++)
			assert_int_equal(profile_module(&profile, &modules[i]), i);
	assert_int_equal(profile.nmodules, COUNT_OF(modules));
	assert_string_equal(profile.modules[1].build_id, "00fe");
	assert_true(profile.modules[0].path != modules[0].path);
	profile_remark(&profile, "One.");
	profile_remark(&profile, "Two.");
	profile_remark(&profile, "One.");
	assert_int_equal(profile.nremarks, 2);
	arena_release(&arena);
}

/* Two recursions of different places share what they have in common. */
static void test_stacks(void **state UNUSED)
{
	const struct profile_module module = { .kind = MODULE_FILE, .path = "a" };
	struct arena arena;
	struct profile profile;
	uint32_t stack = PROFILE_NONE;

	arena_init(&arena);
	profile_init(&profile, &arena);
	assert_int_equal(profile_module(&profile, &module), 0);
	for (uint32_t round = 0; round < 2; round++) {
		stack = PROFILE_NONE;
		for (uint32_t i = 0; i < DEPTH; i++)
			stack = profile_stack(&profile, profile_place(&profile, 0, 0x1000 + (i < 500 ? 0 : round)),
					      stack);
		assert_int_equal(profile.stacks[stack].depth, DEPTH);
	}
	assert_int_equal(profile.nplaces, 2);
	assert_int_equal(profile.nstacks, DEPTH + DEPTH - 500);
	for (uint32_t depth = DEPTH; stack != PROFILE_NONE; stack = profile.stacks[stack].caller)
		assert_int_equal(profile.stacks[stack].depth, depth--);
	arena_release(&arena);
}

/* Each row has its own sum, found again among many. */
static void test_rows(void **state UNUSED)
{
	struct arena arena;
	struct profile profile;

	arena_init(&arena);
	profile_init(&profile, &arena);
	for (uint32_t round = 0; round < 3; round++)
		for (uint32_t i = 0; i < MANY; i++) {
			const struct profile_row key = { .stack = i / 32,
							 .task = i & 1,
							 .event = i >> 1 & 1,
							 .method = i & 4 ? STACK_FP : STACK_CFI,
							 .is_truncated = i & 8,
							 .interval = i >> 4 & 1 };

			profile_row(&profile, &key)->samples += i;
		}
	assert_int_equal(profile.nrows, MANY);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(profile.rows[i].samples, 3 * (uint64_t)i);
	for (uint32_t i = 0; i < MANY; i++) {
		const struct profile_task task = { .pid = i, .tid = i + 1, .name = i & 1 ? "a" : "b" };

		assert_int_equal(profile_task(&profile, &task), i);
		assert_int_equal(profile_task(&profile, &task), i);
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
