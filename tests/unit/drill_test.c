/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drill_test.c - the next step below the bottlenecks of a small tree, and the counts of two steps as one. */
#include "evaluate_fixture.h"

#include "evaluate/drill.h"

static const struct drill_row {
	const char *counts, *taken; /* titles of what was measured before */
	unsigned deepest;
	const char *next; /* titles, in the model's order */
} drill_rows[] = {
	/* clang-format off */
	/* 400 of 4000 slots is below 15 %: nothing is over its threshold */
	{ "CYCLES=1000 FRONT=400", "", 6, "" },
	{ "CYCLES=1000 FRONT=2000", "", 6, "Wide" },
	{ "CYCLES=1000 FRONT=2000", "Wide", 6, "" },
	{ "CYCLES=1000 BACK=2000", "", 6, "Memory_Bound Core_Bound" },
	{ "CYCLES=1000 BACK=2000", "", 1, "" },
	{ "CYCLES=1000 BACK=2000 MEMORY=500", "Memory_Bound Core_Bound", 6, "DRAM_Bound L1_Bound" },
	{ "CYCLES=1000 BACK=2000 MEMORY=500", "Memory_Bound Core_Bound", 2, "" },
	/* the memory's share is over its own threshold, but not its parent's: no bottleneck */
	{ "CYCLES=1000 BACK=400 MEMORY=500", "Memory_Bound Core_Bound", 6, "" },
	/* two bottlenecks: the children of both */
	{ "CYCLES=1000 FRONT=1000 BACK=1000", "", 6, "Wide Memory_Bound Core_Bound" },
	/* a leaf */
	{ "CYCLES=1000 BACK=2000 MEMORY=500 DRAM=400 L1=500", "Memory_Bound Core_Bound DRAM_Bound L1_Bound", 6, "" },
	/* clang-format on */
};

static void check_drill(struct rows *rows, const struct drill_row *row)
{
	struct evaluated e;
	size_t items[32], count;
	bool taken[32] = { false };

	evaluated_init(&e, &(struct evaluate_request){ .counts = row->counts });
	for (size_t i = 0; i < e.loaded.model.count; i++)
		taken[i] = has_word(row->taken, " ", e.loaded.model.metrics[i].title);
	count = drill_next(items, taken, &e.report, row->deepest);

	struct string found = STRING_INIT(&e.loaded.arena);
	for (size_t i = 0; i < count; i++) {
		string_printf(&found, "%s%s", i ? " " : "", e.loaded.model.metrics[items[i]].title);
		row_expect(rows, row->counts, taken[items[i]], "what is next is not marked as taken");
	}
	row_expect_text(rows, row->counts, found.text, row->next);
	evaluated_release(&e);
}

static void test_next(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(drill_rows); i++)
		check_drill(&rows, &drill_rows[i]);
	rows_end(&rows);
}

static void test_append(void **state UNUSED)
{
	struct count first_items[] = { { .event = "CYCLES", .value = 1000 }, { .event = "FRONT", .value = 10 } };
	struct count later_items[] = { { .event = "CYCLES", .value = 2000, .group = 0 },
				       { .event = "BACK", .value = 20, .group = 1, .run = 1 } };
	struct count_run first_runs[] = { { .wall_s = 1 } }, later_runs[] = { { .wall_s = 2 }, { .wall_s = 3 } };
	struct counts first = { .items = first_items, .count = 2, .runs = first_runs, .nruns = 1, .ngroups = 1 };
	struct counts later = { .items = later_items, .count = 2, .runs = later_runs, .nruns = 2, .ngroups = 2 };
	struct arena arena;

	arena_init(&arena);
	first.planned_runs = 1;
	later.planned_runs = 2;
	counts_append(&first, &later, &arena);
	assert_int_equal(first.count, 4);
	assert_int_equal(first.ngroups, 3);
	assert_int_equal(first.nruns, 3);
	assert_int_equal(first.planned_runs, 3);
	assert_string_equal(first.items[1].event, "FRONT");
	assert_int_equal(first.items[2].group, 1);
	assert_int_equal(first.items[2].run, 1);
	assert_string_equal(first.items[3].event, "BACK");
	assert_int_equal(first.items[3].group, 2);
	assert_int_equal(first.items[3].run, 2);
	assert_true(first.runs[2].wall_s == 3);
	assert_int_equal(later_items[1].group, 1); /* the later counts stay as they are */
	arena_release(&arena);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_next), cmocka_unit_test(test_append) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
