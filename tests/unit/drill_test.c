/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drill_test.c - the next step below the bottlenecks of a small tree. */
#include "evaluate_fixture.h"

#include "analyse/evaluate/evaluate.h"

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

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_next) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
