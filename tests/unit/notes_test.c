/* SPDX-License-Identifier: GPL-2.0-or-later */
/* notes_test.c - the sentences that say how far the numbers can be trusted. */
#include "evaluate_fixture.h"

/* Level 1 of 4000 slots: 10 + 10 + 20 + 60 % */
#define GOOD "CYCLES=1000 FRONT=400 ISSUED=2800 DONE=2400 BACK=800"

static const struct notes_row {
	const char *counts;
	bool smt_on;
	const char *notes; /* all of them, each with a line end */
} notes_rows[] = {
	/* clang-format off */
	{ GOOD, true, "" },
	/* ties: 30.0 and 29.5 %; 30 and 28 % are none; what is under its threshold does not count */
	{ "CYCLES=1000 FRONT=1200 ISSUED=1620 DONE=1620 BACK=1180", false,
	  "Level 1 is a tie: Frontend_Bound (30.0 %) and Backend_Bound (29.5 %) are too close to call one "
	  "the bottleneck.\n" },
	{ "CYCLES=1000 FRONT=1200 ISSUED=1680 DONE=1680 BACK=1120", false, "" },
	{ "CYCLES=1000 FRONT=580 ISSUED=2840 DONE=2220 BACK=580", false, "" },
	/* 10 + 10 + 10 + 40 % */
	{ "CYCLES=1000 FRONT=400 ISSUED=2000 DONE=1600 BACK=400", false,
	  "Level 1 adds up to 70.0 % instead of 100 %. Likely reason: the counts do not belong together, or an event "
	  "counts something else on this machine.\n" },
	{ "CYCLES=1000 FRONT=400 ISSUED=2000 DONE=1600 BACK=400", true,
	  "Level 1 adds up to 70.0 % instead of 100 %. Likely reason: these counters see both threads of a core, and "
	  "the other thread was busy with something else.\n" },
	{ "share=0.5 CYCLES=1000 FRONT=400 ISSUED=2000; share=0.5 CYCLES=1000 DONE=1600 BACK=400", false,
	  "Level 1 adds up to 70.0 % instead of 100 %. Likely reason: the events were multiplexed, and "
	  "the program changed in between; count without multiplexing.\n" },
	{ "CYCLES=1000 FRONT=400 ISSUED=2000; run=1 CYCLES=1000 DONE=1600 BACK=400", false,
	  "Level 1 adds up to 70.0 % instead of 100 %. Likely reason: its parts come from different runs, which did "
	  "not behave alike.\n" },
	/* 10 + (1000 - 2000) / 4000 + 10 + 50 %; the sum is that of what was computed, not of what is shown */
	{ "CYCLES=1000 FRONT=400 ISSUED=1000 DONE=2000 BACK=400", false,
	  "Level 1 adds up to 45.0 % instead of 100 %. Likely reason: a part left its possible range: the counts do "
	  "not belong together.\n"
	  "Bad_Speculation came out as -25.0 %, which is impossible; it is shown as 0.0 %.\n" },
	/* 101.5 % is rounding; a part that is missing has no sum */
	{ "CYCLES=1000 FRONT=460 ISSUED=2800 DONE=2400 BACK=800", false, "" },
	{ "CYCLES=1000 FRONT=400 ISSUED=2000 BACK=400", false, "" },
	/* instructions of the runs: 6 % apart, 4 % apart, multiplexed in one run */
	{ GOOD " INSTRUCTIONS=1000; run=1 CYCLES=1000 INSTRUCTIONS=1060", false,
	  "Run 2 executed 6 % more instructions than a typical run. No node uses its events.\n" },
	{ GOOD " INSTRUCTIONS=1000; run=1 CYCLES=1000 INSTRUCTIONS=1040", false, "" },
	{ GOOD " INSTRUCTIONS=1000; CYCLES=1000 INSTRUCTIONS=2000", false, "" },
	{ GOOD "; run=1 CYCLES=1000 INSTRUCTIONS=1040", false, "" },
	/* the node that needs the unlike run's events, whether of that run alone or brought together with others */
	{ GOOD " INSTRUCTIONS=1000; run=1 CYCLES=1000 INSTRUCTIONS=900 DRAM=10; run=2 CYCLES=1000 INSTRUCTIONS=1000 MEMORY=20",
	  false,
	  "Run 2 executed 10 % fewer instructions than a typical run. What uses its events describes a different execution: DRAM_Bound.\n" },
	{ GOOD " INSTRUCTIONS=1000; run=1 CYCLES=1000 INSTRUCTIONS=900 DRAM=10; run=2 CYCLES=1000 INSTRUCTIONS=1000 L1=20",
	  false,
	  "Run 2 executed 10 % fewer instructions than a typical run. What uses its events describes a different execution: DRAM_Bound, L1_Bound.\n" },
	/* the first run can be the unlike one of three */
	{ GOOD " INSTRUCTIONS=2000; run=1 CYCLES=1000 INSTRUCTIONS=1000 DRAM=10; run=2 CYCLES=1000 INSTRUCTIONS=1001",
	  false,
	  "Run 1 executed 100 % more instructions than a typical run. What uses its events describes a different execution: "
	  "Frontend_Bound, Bad_Speculation, Retiring, Backend_Bound.\n" },
	/* the clock, where it agrees; another status, whatever the work */
	{ GOOD " wall=2 INSTRUCTIONS=1000; run=1 wall=3 CYCLES=1000 INSTRUCTIONS=1500", false,
	  "Run 2 executed 50 % more instructions than a typical run, and took 50 % longer than run 1. No node uses its "
	  "events.\n" },
	{ GOOD " wall=2 INSTRUCTIONS=1000; run=1 wall=3 CYCLES=1000 INSTRUCTIONS=1000", false, "" },
	{ GOOD "; run=1 status=3 CYCLES=1000 DRAM=10", false,
	  "Run 2 ended with status 3, run 1 with 0. What uses its events describes a different execution: DRAM_Bound.\n" },
	/* of two runs the one that a signal cut is the unlike one, which either can be; what it left without a value is nobody's */
	{ GOOD " INSTRUCTIONS=2760; run=1 status=143 CYCLES=1000 INSTRUCTIONS=1000", false,
	  "Run 2 ended with status 143, run 1 with 0. No node uses its events.\n" },
	{ "status=143 CYCLES=1000 INSTRUCTIONS=1000 A=1; run=1 " GOOD " INSTRUCTIONS=2760", false,
	  "Run 1 ended with status 143, run 2 with 0. No node uses its events.\n" },
	{ GOOD " INSTRUCTIONS=2000; run=1 status=143 CYCLES=1000 INSTRUCTIONS=100; run=2 status=130 CYCLES=1000 INSTRUCTIONS=200", false,
	  "Run 2 ended with status 143, run 1 with 0. No node uses its events.\n"
	  "Run 3 ended with status 130, run 1 with 0. No node uses its events.\n" },
	{ GOOD "; run=1 status=143 CYCLES=1000 BACK=400", false,
	  "Run 2 ended with status 143, run 1 with 0. No node uses its events.\n" },
	/* it was cut, and hides that behind a status of 0: what is typical is asked of the other run */
	{ GOOD " INSTRUCTIONS=2760; run=1 cut=1 CYCLES=1000 INSTRUCTIONS=1000", false,
	  "Run 2 was ended by topdown, run 1 ended on its own. No node uses its events.\n" },
	{ "cut=1 CYCLES=1000 INSTRUCTIONS=1000 A=1; run=1 " GOOD " INSTRUCTIONS=2760", false,
	  "Run 1 was ended by topdown, run 2 ended on its own. No node uses its events.\n" },
	{ GOOD " INSTRUCTIONS=2000 cut=1; run=1 cut=1 CYCLES=1000 INSTRUCTIONS=1000", false,
	  "Run 1 executed 100 % more instructions than a typical run. What uses its events describes a different execution: "
	  "Frontend_Bound, Bad_Speculation, Retiring, Backend_Bound.\n" },
	/* each run ended at a limit: none is better than the others */
	{ GOOD " status=143 INSTRUCTIONS=2000; run=1 status=143 CYCLES=1000 INSTRUCTIONS=1000", false,
	  "Run 1 executed 100 % more instructions than a typical run. What uses its events describes a different execution: "
	  "Frontend_Bound, Bad_Speculation, Retiring, Backend_Bound.\n" },
	{ GOOD "; run=1 status=3 CYCLES=0 DRAM=0", false,
	  "Run 2 ended with status 3, run 1 with 0. No node uses its events.\n" },
	/* a program that never does the same */
	{ GOOD " INSTRUCTIONS=1000; run=1 INSTRUCTIONS=1100; run=2 INSTRUCTIONS=1200; run=3 INSTRUCTIONS=1300; "
	  "run=4 INSTRUCTIONS=1400; run=5 INSTRUCTIONS=1600", false,
	  "Run 1 executed 17 % fewer instructions than a typical run. What uses its events describes a different execution: "
	  "Frontend_Bound, Bad_Speculation, Retiring, Backend_Bound.\n"
	  "Run 2 executed 8 % fewer instructions than a typical run. No node uses its events.\n"
	  "Run 4 executed 8 % more instructions than a typical run. No node uses its events.\n"
	  "2 more of the 6 runs differ like that: the program does not do the same each time; --max-runs 1 counts it in "
	  "one run.\n" },
	/* hardly measured */
	{ GOOD "; share=0.1 CYCLES=1000 A=5", false,
	  "Some events were on a counter for only 10 % of the time. How much error that causes is not known: these counts have too few time slices to compare. To be sure, count for longer, or without multiplexing.\n" },
	{ GOOD "; share=0.3 CYCLES=1000 A=5", false, "" },
	{ GOOD "; share=0.97 attached=1 CYCLES=1000 A=5", false, "" },
	{ GOOD "; share=0.3 attached=1 CYCLES=1000 A=5", false,
	  "Some events were on a counter for only 30 % of the time. How much error that causes is not known: these counts have too few time slices to compare. To be sure, count for longer, or without multiplexing.\n" },
	/* two groups that do not agree: 40 and 60 % in level 1 */
	{ "share=0.5 CYCLES=1000 FRONT=1600; share=0.5 CYCLES=1000 FRONT=2400", false,
	  "Some events were on a counter for only 50 % of the time, and that was too short to be sure. Judging by how much the groups of events differ, nodes are within 100.0 points (95 %). To be sure, count for longer, or without multiplexing.\n" },
	/* what was counted for too short a time has no value, whatever its number was */
	{ GOOD " A=withheld", false, "A was withheld: " LITTLE "\n" },
	/* the kernel's refusal, once */
	{ GOOD " A=refused B=refused", false, "A was not counted: " REFUSAL "\n" },
	/* clang-format on */
};

static void test_notes(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(notes_rows); i++) {
		const struct notes_row *row = &notes_rows[i];
		struct evaluated e;
		struct string text;

		evaluated_init(&e, &(struct evaluate_request){ .counts = row->counts, .smt_on = row->smt_on });
		text = STRING_INIT(&e.loaded.arena);
		for (size_t k = 0; k < e.report.nnotes; k++)
			string_printf(&text, "%s\n", e.report.notes[k]);
		row_expect_text(&rows, row->counts, text.text, row->notes);
		evaluated_release(&e);
	}
	rows_end(&rows);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_notes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
