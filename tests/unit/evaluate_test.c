/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evaluate_test.c - values, their quality and what is missing, from counts whose result can be worked out by hand. */
#include "evaluate_fixture.h"

#define NO ((double)NAN)

/* A CPU of 4 slots a cycle; fixtures/small/model.json has the formulas. */
static const struct value_row {
	const char *counts, *title;
	double value, raw, running;
	enum quality quality;
	const char *reason; /* in full */
} value_rows[] = {
	/* clang-format off */
	/* one group: 400 of 4000 slots */
	{ "CYCLES=1000 FRONT=400", "Frontend_Bound", 10, 10, 1, QUALITY_EXACT, NULL },
	{ "CYCLES=1000 INSTRUCTIONS=1 FRONT=1 ; run=1 CYCLES=1000 BACK=400", "Backend_Bound", 10, 10, 1,
	  QUALITY_EXACT, NULL },
	/* multiplexed */
	{ "share=0.25 CYCLES=1000 FRONT=400", "Frontend_Bound", 10, 10, 0.25, QUALITY_SCALED, NULL },
	/* the group that was counted for longer is taken */
	{ "share=0.5 CYCLES=1000 FRONT=400; CYCLES=2000 FRONT=1600", "Frontend_Bound", 20, 20, 1, QUALITY_EXACT, NULL },
	{ "CYCLES=1000 FRONT=400; share=0.5 CYCLES=2000 FRONT=1600", "Frontend_Bound", 10, 10, 1, QUALITY_EXACT, NULL },
	/* two runs, the second twice as long: 3000 - 4000 / 2 of 4000 slots, where plain counts would give -25 % */
	{ "CYCLES=1000 ISSUED=3000; run=1 CYCLES=2000 DONE=4000", "Bad_Speculation", 25, 25, 1, QUALITY_RUNS, NULL },
	/* multiplexed in one run; an unrelated third group does not make it rougher */
	{ "share=0.5 CYCLES=1000 ISSUED=3000; share=0.4 CYCLES=2000 DONE=4000; share=0.1 CYCLES=1000 A=1",
	  "Bad_Speculation",
	  25, 25, 0.4, QUALITY_SCALED, NULL },
	/* as few groups as possible, the one that has most first: A to E of run 2 (50 each), F of run 3 */
	{ "CYCLES=1000 A=10; run=1 CYCLES=1000 A=50 B=50 C=50 D=50 E=50; run=2 CYCLES=1000 F=100", "Wide", 35, 35, 1,
	  QUALITY_RUNS, NULL },
	/* then the one that has most of the rest: D to F of run 3, twice as long; not D of run 2 */
	{ "CYCLES=1000 A=10 B=20 C=30; run=1 CYCLES=1000 D=900 E=900; run=2 CYCLES=2000 D=80 E=100 F=120", "Wide", 21, 21, 1,
	  QUALITY_RUNS, NULL },
	/* of equals the least multiplexed, then the earlier */
	{ "share=0.5 CYCLES=1000 ISSUED=3000; run=1 CYCLES=1000 ISSUED=2000; run=2 CYCLES=1000 DONE=1000",
	  "Bad_Speculation", 25, 25, 1, QUALITY_RUNS, NULL },
	{ "CYCLES=1000 ISSUED=3000; run=1 CYCLES=1000 ISSUED=2000; run=2 CYCLES=1000 DONE=1000", "Bad_Speculation", 50,
	  50, 1, QUALITY_RUNS, NULL },
	/* a group that nothing ties to the others is not the base, whatever it has */
	{ "A=1 B=2 C=3 D=4 E=5; run=1 CYCLES=1000 A=10 B=20 C=30; run=2 CYCLES=1000 D=40 E=50 F=60", "Wide", 21, 21, 1,
	  QUALITY_RUNS, NULL },
	/* A's group and B's share nothing, but both share something with the first: (40 / 2 + 20 / 2) / 2 s */
	{ "wall=2 CYCLES=1000 REFERENCE=500; run=1 wall=4 CYCLES=2000 A=40; run=2 wall=4 REFERENCE=1000 B=20",
	  "Info_Rate", 15, 15, 1, QUALITY_RUNS, NULL },
	/* no cycles in the second run: the reference clock ties them, 4000 * 500 / 1000 */
	{ "CYCLES=1000 REFERENCE=500 ISSUED=3000; run=1 REFERENCE=1000 DONE=4000", "Bad_Speculation", 25, 25, 1,
	  QUALITY_RUNS, NULL },
	/* instructions tie where nothing else does, 4000 * 900 / 1800 */
	{ "CYCLES=1000 INSTRUCTIONS=900 ISSUED=3000; run=1 INSTRUCTIONS=1800 DONE=4000", "Bad_Speculation", 25, 25, 1,
	  QUALITY_RUNS, NULL },
	/* nothing ties them */
	{ "CYCLES=1000 ISSUED=3000; run=1 DONE=4000", "Bad_Speculation", NO, NO, NO, QUALITY_NONE,
	  "not counted together: DONE" },
	/* the vendor's estimate; multiplexing is the worse news */
	{ "CYCLES=1000 DRAM=300", "DRAM_Bound", 30, 30, 1, QUALITY_ESTIMATED, NULL },
	{ "share=0.5 CYCLES=1000 DRAM=300", "DRAM_Bound", 30, 30, 0.5, QUALITY_SCALED, NULL },
	/* impossible values are shown at the border */
	{ "CYCLES=1000 ISSUED=1000 DONE=2000", "Bad_Speculation", 0, -25, 1, QUALITY_CLAMPED, NULL },
	{ "CYCLES=1000 FRONT=6000", "Frontend_Bound", 100, 150, 1, QUALITY_CLAMPED, NULL },
	/* never 0 for what was not counted */
	{ "CYCLES=1000 FRONT=never", "Frontend_Bound", NO, NO, NO, QUALITY_NONE,
	  "not counted: FRONT (the kernel never put it on a counter)" },
	{ "CYCLES=1000 FRONT=idle", "Frontend_Bound", NO, NO, NO, QUALITY_NONE,
	  "not counted: FRONT (nothing ran while it was to be counted)" },
	{ "CYCLES=1000 FRONT=withheld", "Frontend_Bound", NO, NO, NO, QUALITY_NONE, "not counted: FRONT (withheld)" },
	{ "CYCLES=1000 FRONT=refused", "Frontend_Bound", NO, NO, NO, QUALITY_NONE,
	  "not counted: FRONT (refused by the kernel)" },
	{ "CYCLES=1000", "Frontend_Bound", NO, NO, NO, QUALITY_NONE, "not counted: FRONT" },
	{ "FRONT=400", "Frontend_Bound", NO, NO, NO, QUALITY_NONE, "not counted: CYCLES" },
	{ "CYCLES=1000 A=1 D=never", "Wide", NO, NO, NO, QUALITY_NONE,
	  "not counted: B, C, D (the kernel never put it on a counter), E and 1 more" },
	/* max(x - missing, 0) is not 0 */
	{ "CYCLES=1000 L1=5", "L1_Bound", NO, NO, NO, QUALITY_NONE, "not counted: DRAM" },
	{ "CYCLES=1000 BACK=2000", "Core_Bound", NO, NO, NO, QUALITY_NONE, "not counted: MEMORY" },
	{ "CYCLES=1000 L1=5 DRAM=9", "L1_Bound", 0, 0, 1, QUALITY_EXACT, NULL },
	/* a program that did not run a cycle */
	{ "CYCLES=0 FRONT=0", "Frontend_Bound", NO, NO, 1, QUALITY_NONE,
	  "its formula divides by zero with these counts" },
	/* time is the run's own */
	{ "wall=2.5 CYCLES=1000", "Info_Seconds", 2.5, 2.5, 1, QUALITY_EXACT, NULL },
	{ "wall=2 CYCLES=1000 A=10 B=20", "Info_Rate", 15, 15, 1, QUALITY_EXACT, NULL },
	/* counts are brought to the length of run 1, so its time counts: (10 + 20 / 2) / 2 s */
	{ "wall=9 PLAIN=1; run=1 wall=2 CYCLES=1000 A=10; run=2 wall=4 CYCLES=2000 B=20", "Info_Rate", 10, 10, 1,
	  QUALITY_RUNS, NULL },
	/* cycles relate, even where more groups have instructions in common */
	{ "INSTRUCTIONS=5; run=1 INSTRUCTIONS=6; run=2 INSTRUCTIONS=7; run=3 wall=2 CYCLES=1000 A=10; run=4 CYCLES=2000 B=20",
	  "Info_Rate", 10, 10, 1, QUALITY_RUNS, NULL },
	/* clang-format on */
};

static void check_value(struct rows *rows, const struct value_row *row)
{
	struct evaluated e;
	const struct result *found;
	char name[256];

	evaluated_init(&e, &(struct evaluate_request){ .counts = row->counts, .asked = "PLAIN" });
	found = evaluated_row(&e, row->title);
	snprintf(name, sizeof(name), "%s: %s", row->counts, row->title);
	row_expect_number(rows, name, found->value, row->value);
	row_expect_number(rows, name, found->raw, row->raw);
	row_expect_number(rows, name, found->running, row->running);
	row_expect_text(rows, name, quality_name(found->quality), quality_name(row->quality));
	row_expect_text(rows, name, found->reason, row->reason);
	evaluated_release(&e);
}

static void test_values(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(value_rows); i++)
		check_value(&rows, &value_rows[i]);
	rows_end(&rows);
}

/* All that is missing is named for machines, however many the sentence names. */
static void test_missing(void **state UNUSED)
{
	struct evaluated e;
	const struct result *wide;

	evaluated_init(&e, &(struct evaluate_request){ .counts = "CYCLES=1000 A=1" });
	wide = evaluated_row(&e, "Wide");
	assert_int_equal(wide->nmissing, 5);
	assert_string_equal(wide->missing[0], "B");
	assert_string_equal(wide->missing[4], "F");
	evaluated_release(&e);
}

static void test_asked_events(void **state UNUSED)
{
	struct evaluate_request request = { .counts = "CYCLES=1000 SPARE=7; run=1 share=0.5 CYCLES=2000 PLAIN=30",
					    .asked = "SPARE,PLAIN,LOADS" };
	struct evaluated e;

	evaluated_init(&e, &request);
	assert_int_equal(e.report.nevents, 3);
	assert_string_equal(e.report.events[1].metric->name, "PLAIN");
	assert_true(e.report.events[0].value == 7 && e.report.events[0].quality == QUALITY_EXACT);
	assert_true(e.report.events[1].value == 30 && e.report.events[1].quality == QUALITY_SCALED);
	assert_true(isnan(e.report.events[2].value) && e.report.events[2].quality == QUALITY_NONE);
	assert_string_equal(e.report.events[2].reason, "not counted");
	evaluated_release(&e);
}

static const struct level_row {
	const char *name;
	unsigned asked, level;
	size_t nodes;
} level_rows[] = {
	{ "all", 0, 3, 11 },
	{ "the first", 1, 1, 4 },
	{ "two", 2, 2, 8 },
	{ "more than there are", 9, 3, 11 },
};

static void test_levels(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(level_rows); i++) {
		const struct level_row *row = &level_rows[i];
		struct evaluated e;

		evaluated_init(&e, &(struct evaluate_request){ .counts = "CYCLES=1000", .level = row->asked });
		row_expect_number(&rows, row->name, e.report.level, row->level);
		row_expect_number(&rows, row->name, (double)e.report.nnodes, (double)row->nodes);
		evaluated_release(&e);
	}
	rows_end(&rows);
}

static void test_other_cpu(void **state UNUSED)
{
	struct evaluated e;
	struct report report;

	evaluated_init(&e, &(struct evaluate_request){ .counts = "CYCLES=1000" });
	e.counts.origin.cpu = "large";
	assert_int_equal(evaluate(&report, &e.loaded.model, &e.counts, &e.loaded.arena, &e.loaded.err), -1);
	assert_string_equal(e.loaded.err.text, "these counts are of a large, not of a small");
	evaluated_release(&e);
}

/* Work and speed */

static const struct summary_row {
	const char *counts;
	double instructions, cycles, ipc, ghz, cpus;
	size_t runs, groups;
	bool has_reason; /* why there are no instructions: no group had a counter for them */
} summary_rows[] = {
	/* clang-format off */
	{ "wall=2 cpu=1.5 CYCLES=3e9 INSTRUCTIONS=1.5e9", 1.5e9, 3e9, 0.5, 2, 0.75, 1, 1, false },
	{ "CYCLES=1000", NO, 1000, NO, NO, NO, 1, 1, true },
	{ "INSTRUCTIONS=500", 500, NO, NO, NO, NO, 1, 1, false },
	/* a ratio only of what was counted together */
	{ "CYCLES=1000; run=1 INSTRUCTIONS=500", 500, 1000, NO, NO, NO, 2, 2, false },
	{ "CYCLES=1000; run=1 CYCLES=2000 INSTRUCTIONS=500; run=2 CYCLES=3000 INSTRUCTIONS=600", 500, 2000, 0.25, NO,
	  NO, 3, 3, false },
	/* the time of the run that the cycles come from */
	{ "wall=9 cpu=9 A=1; run=1 wall=1 cpu=0.5 CYCLES=1e9 INSTRUCTIONS=1e9", 1e9, 1e9, 1, 2, 1, 2, 2, false },
	{ "wall=1 cpu=0 CYCLES=1000 INSTRUCTIONS=1000", 1000, 1000, 1, NO, 0, 1, 1, false },
	{ "CYCLES=never INSTRUCTIONS=never", NO, NO, NO, NO, NO, 1, 1, false },
	{ "CYCLES=0 INSTRUCTIONS=0", 0, 0, NO, NO, NO, 1, 1, false },
	/* clang-format on */
};

static void test_summary(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(summary_rows); i++) {
		const struct summary_row *row = &summary_rows[i];
		struct evaluated e;

		evaluated_init(&e, &(struct evaluate_request){ .counts = row->counts, .asked = "A" });
		row_expect_number(&rows, row->counts, e.report.summary.instructions, row->instructions);
		row_expect_number(&rows, row->counts, e.report.summary.cycles, row->cycles);
		row_expect_number(&rows, row->counts, e.report.summary.ipc, row->ipc);
		row_expect_number(&rows, row->counts, e.report.summary.ghz, row->ghz);
		row_expect_number(&rows, row->counts, e.report.summary.cpus_used, row->cpus);
		row_expect_number(&rows, row->counts, (double)e.report.summary.runs, (double)row->runs);
		row_expect_number(&rows, row->counts, (double)e.report.summary.groups, (double)row->groups);
		row_expect_number(&rows, row->counts, e.report.summary.no_instructions != NULL, row->has_reason);
		evaluated_release(&e);
	}
	rows_end(&rows);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values), cmocka_unit_test(test_missing),	 cmocka_unit_test(test_asked_events),
		cmocka_unit_test(test_levels), cmocka_unit_test(test_other_cpu), cmocka_unit_test(test_summary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
