/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpulist_test.c - lists of CPUs as the kernel prints them. */
#include "rows.h"

#include "cpu/identify/machine.h"

static const struct list_row {
	const char *text;
	unsigned cpus[4];
	size_t count;
} list_rows[] = {
	/* clang-format off */
	{ "0",           { 0 },          1 },
	{ "0-2",         { 0, 1, 2 },    3 },
	{ "1,3-4,9\n",   { 1, 3, 4, 9 }, 4 },
	{ "",            { 0 },          0 },
	{ ",,",          { 0 },          0 },
	{ "8191-8192,5", { 5 },          1 },
	{ "3-1,x,-2,2",  { 2 },          1 },
	{ "1-,4",        { 4 },          1 },
	/* clang-format on */
};

static void test_cpulists(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;
	unsigned *cpus;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(list_rows); i++) {
		const struct list_row *row = &list_rows[i];
		size_t count = cpulist_parse(row->text, &cpus, &arena);

		row_expect_number(&rows, row->text, (double)count, (double)row->count);
		for (size_t j = 0; j < count && j < row->count; j++)
			row_expect_number(&rows, row->text, cpus[j], row->cpus[j]);
	}
	row_expect_number(&rows, "long", (double)cpulist_parse("0-8191,0-8191", &cpus, &arena), CPULIST_LIMIT);
	arena_release(&arena);
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cpulists) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
