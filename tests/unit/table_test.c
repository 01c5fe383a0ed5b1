/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table_test.c - names to numbers: what is set is found again in any case, and nothing else is. */
#include "rows.h"

#include "common/base/table.h"

enum { MANY = 50000 };

static void test_few(void **state UNUSED)
{
	struct arena arena;
	struct table table;

	arena_init(&arena);
	table = TABLE_INIT(&arena);
	assert_true(table_get(&table, "a") == TABLE_NONE);
	assert_true(table_set(&table, "INST_RETIRED.ANY", 7) == TABLE_NONE);
	assert_int_equal(table_get(&table, "inst_retired.any"), 7);
	assert_true(table_get(&table, "inst_retired.any_p") == TABLE_NONE);
	assert_true(table_get(&table, "") == TABLE_NONE);
	assert_int_equal(table_set(&table, "Inst_Retired.Any", 9), 7);
	assert_int_equal(table_get(&table, "INST_RETIRED.ANY"), 9);
	assert_int_equal(table.count, 1);
	assert_true(table_set(&table, "", 3) == TABLE_NONE);
	assert_int_equal(table_get(&table, ""), 3);
	arena_release(&arena);
}

static void test_many(void **state UNUSED)
{
	struct arena arena;
	struct table table;

	arena_init(&arena);
	table = TABLE_INIT(&arena);
	for (size_t i = 0; i < MANY; i++)
		assert_true(table_set(&table, arena_printf(&arena, "event.%zu", i), i) == TABLE_NONE);
	assert_int_equal(table.count, MANY);
	for (size_t i = 0; i < MANY; i++) {
		assert_int_equal(table_get(&table, arena_printf(&arena, "EVENT.%zu", i)), i);
		assert_true(table_get(&table, arena_printf(&arena, "event_%zu", i)) == TABLE_NONE);
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_few), cmocka_unit_test(test_many) };

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
