/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doubts_test.c - values that decide little or cannot be: what is said of them, and where the worst path ends. */
#include "evaluate_fixture.h"

/* Level 1 of 4000 slots: 10 + 0 + 20 + 70 %; Memory_Bound 50 %, Core_Bound 20 % */
#define BACKEND "CYCLES=1000 FRONT=400 ISSUED=800 DONE=800 BACK=2800 MEMORY=500 "
/* Level 1 of 8 million slots of which 60 % are lost in the backend */
#define LONG	"CYCLES=2000000 BACK=4800000 "
#define CANT_BE " counted 0 while CYCLES counted 2.0 M, which is impossible: values that use it are wrong.\n"

#define OTHER_MIX(percent)                                                                                             \
	"Run 2 did a different mix of work than a typical run, with as many instructions: Backend_Bound was " percent  \
	" % and not 50.0 %. What uses its events describes a different execution: Memory_Bound, Core_Bound.\n"

static const struct doubts_row {
	const char *counts, *worst, *notes;
} doubts_rows[] = {
	/* clang-format off */
	{ BACKEND "DRAM=200 L1=440", "L1_Bound", /* 20 and 24 % */
	  "Below Memory_Bound it is close: L1_Bound (24.0 %) is within 5 points of DRAM_Bound (20.0 %).\n" },
	{ BACKEND "DRAM=200 L1=450", "L1_Bound", "" }, /* 20 and 25 % */
	{ BACKEND "DRAM=90 L1=200", "L1_Bound", "" },  /* 9 and 11 %, of which the first is under its threshold of 10 */
	/* what cannot be is left out, and the path goes on beside it, or ends above */
	{ BACKEND "DRAM=1500 L1=1740", "L1_Bound",
	  "DRAM_Bound came out as 150.0 %, which is impossible: the path marked <== leaves it out.\n" },
	{ BACKEND "DRAM=1500 L1=0", "Memory_Bound",
	  "DRAM_Bound came out as 150.0 %, which is impossible: the path marked <== leaves it out.\n" },
	{ BACKEND "DRAM=1040 L1=0", "DRAM_Bound", "" }, /* 104 %: counts that are a little apart */
	/* Backend_Bound is taken from run 1 (50 %), Core_Bound from run 2, where the backend has 65 or 60 % and 5 % are memory's */
	{ "CYCLES=1000 BACK=2000; run=1 share=0.5 CYCLES=1000 BACK=2600 MEMORY=50", "Core_Bound",
	  "Core_Bound (60.0 %) is more than Backend_Bound (50.0 %), of which it is a part: their counts do not belong "
	  "together.\n" OTHER_MIX("65.0") },
	{ "CYCLES=1000 BACK=2000; run=1 share=0.5 CYCLES=1000 BACK=2400 MEMORY=50", "Core_Bound",
	  OTHER_MIX("60.0") }, /* 55 % */
	/* of other things than slots it says nothing: 90 % of the stalls */
	{ "CYCLES=1000 BACK=2000 MEMORY=900", "Memory_Bound", "" },
	/* counts that stay 0 while cycles advance */
	{ LONG "INSTRUCTIONS=9 FRONT=800000 ISSUED=2400000 DONE=1600000", "Backend_Bound", "" },
	{ LONG "INSTRUCTIONS=9 FRONT=0 ISSUED=3200000 DONE=2400000", "Backend_Bound", "FRONT" CANT_BE },
	{ LONG "INSTRUCTIONS=9 FRONT=3200000 ISSUED=0 DONE=0", "Backend_Bound", "DONE" CANT_BE },
	{ LONG "INSTRUCTIONS=0 REFERENCE=0 FRONT=800000 ISSUED=2400000 DONE=1600000", "Backend_Bound",
	  "INSTRUCTIONS" CANT_BE "REFERENCE" CANT_BE },
	/* out of range, because half of a difference is missing: -30 % */
	{ LONG "INSTRUCTIONS=9 FRONT=800000 ISSUED=0 DONE=2400000", "Backend_Bound",
	  "Level 1 adds up to 70.0 % instead of 100 %. Likely reason: a part left its possible range: the counts do not "
	  "belong together.\n"
	  "Bad_Speculation came out as -30.0 %, which is impossible; it is shown as 0.0 %.\n"
	  "ISSUED" CANT_BE },
	/* cycles that stay 0 have other witnesses */
	{ "CYCLES=0 INSTRUCTIONS=3e6 FRONT=800000 ISSUED=2400000 DONE=1600000 BACK=4800000", "",
	  "CYCLES counted 0 while INSTRUCTIONS counted 3.0 M, which is impossible: values that use it are wrong.\n" },
	{ "CYCLES=0 FRONT=800000 ISSUED=2400000 DONE=1600000 BACK=4800000", "",
	  "CYCLES counted 0 while ISSUED counted 2.4 M, which is impossible: values that use it are wrong.\n" },
	{ "CYCLES=1000 INSTRUCTIONS=0 FRONT=0 ISSUED=2000 DONE=1600 BACK=2000", "Backend_Bound", "" }, /* hardly anything ran */
	/* clang-format on */
};

static void test_doubts(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(doubts_rows); i++) {
		const struct doubts_row *row = &doubts_rows[i];
		struct evaluated e;
		struct string text;

		evaluated_init(&e, &(struct evaluate_request){ .counts = row->counts, .level = 3 });
		text = STRING_INIT(&e.loaded.arena);
		for (size_t k = 0; k < e.report.nnotes; k++)
			string_printf(&text, "%s\n", e.report.notes[k]);
		row_expect_text(&rows, row->counts, text.text, row->notes);
		row_expect_text(&rows, row->counts, e.report.worst ? e.report.worst->metric->title : "", row->worst);
		evaluated_release(&e);
	}
	rows_end(&rows);
}

/* The parts of a whole, where both of them are in slots. */
static const struct doubts_row family_rows[] = {
	/* Backend_Bound is 50 % in group 1; the backend has 52.5 or 51.5 % in group 2, of which 40 % are memory's */
	{ "CYCLES=1000 BACK=2000; share=0.5 CYCLES=1000 BACK=2100 MEMORY=400", "",
	  "Memory_Bound (40.0 %) and Core_Bound (12.5 %) do not add up to Backend_Bound (50.0 %): they come from "
	  "different counts, which did not see the same work.\n" },
	{ "CYCLES=1000 BACK=2000; share=0.5 CYCLES=1000 BACK=2060 MEMORY=400", "", "" },
	/* one group has both */
	{ "CYCLES=1000 BACK=2000 MEMORY=400", "", "" },
	/* it has a note of its own */
	{ "CYCLES=1000 BACK=2000; share=0.5 CYCLES=1000 BACK=2600 MEMORY=50", "",
	  "Core_Bound (60.0 %) is more than Backend_Bound (50.0 %), of which it is a part: their counts do not belong "
	  "together.\n" },
};

static void test_families(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(family_rows); i++) {
		const struct doubts_row *row = &family_rows[i];
		struct evaluated e;
		struct string text;

		evaluated_init(&e, &(struct evaluate_request){ .counts = row->counts, .level = 3 });
		for (size_t k = 0; k < e.loaded.model.nnodes; k++)
			if (is_same_name(e.loaded.model.metrics[k].title, "Memory_Bound"))
				e.loaded.model.metrics[k].domain = "Slots";
		assert_int_equal(evaluate(&e.report, &e.loaded.model, &e.counts, &e.loaded.arena, &e.loaded.err), 0);
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
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_doubts), cmocka_unit_test(test_families) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
