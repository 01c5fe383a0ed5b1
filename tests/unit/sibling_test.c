/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sibling_test.c - when level 1 is an estimate because the core's other thread was busy, and when it is none. */
#include "model_fixture.h"

#include "base/text.h"
#include "evaluate/evaluate.h"

/*
 * 1e9 cycles of a core of four slots, of whose reference clock one in ALONE passed while the sibling was idle; level 1 is 20, 10,
 * 30 and 40 % of 2e9 * (1 + alone) slots.
 */
#define SLOTS(alone) (2e9 * (1 + (alone)))
#define OLD(alone)                                                                                                     \
	{                                                                                                              \
		{ "CPU_CLK_UNHALTED.THREAD", 1e9 }, { "CPU_CLK_UNHALTED.THREAD_ANY", 2e9 },                            \
			{ "CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE", 0.1e9 * (alone) },                                     \
			{ "CPU_CLK_UNHALTED.REF_XCLK", 0.1e9 }, { "IDQ_UOPS_NOT_DELIVERED.CORE", 0.2 * SLOTS(alone) }, \
			{ "UOPS_ISSUED.ANY", 0.5 * SLOTS(alone) },                                                     \
			{ "UOPS_RETIRED.RETIRE_SLOTS", 0.4 * SLOTS(alone) }, { "INT_MISC.RECOVERY_CYCLES_ANY", 0 },    \
			{ "INT_MISC.RECOVERY_CYCLES", 0 },                                                             \
	}
#define NEW                                                                                                            \
	{                                                                                                              \
		{ "CPU_CLK_UNHALTED.THREAD", 1e9 }, { "TOPDOWN.SLOTS", 5e9 }, { "PERF_METRICS.FRONTEND_BOUND", 1e9 },  \
			{ "PERF_METRICS.BAD_SPECULATION", 0.5e9 }, { "PERF_METRICS.BACKEND_BOUND", 1.5e9 },            \
			{ "PERF_METRICS.RETIRING", 2e9 }, { "INT_MISC.UOP_DROPPING", 0 },                              \
			{ "INT_MISC.CLEARS_COUNT", 0 }, { "CPU_CLK_UNHALTED.DISTRIBUTED", 0.5e9 },                     \
	}
#define MOST 12

static const struct row {
	const char *name, *cpu;
	bool smt_on, is_core_wide;
	struct {
		const char *event;
		double value;
	} counts[MOST];
	const char *note; /* a part of it; NULL: there is none */
} table[] = {
	{ "the sibling is idle", "cascadelakex", true, false, OLD(1), NULL },
	{ "hardly busy", "cascadelakex", true, false, OLD(0.97), NULL },
	{ "busy for a tenth", "cascadelakex", true, false, OLD(0.9), "busy for 10 % of the time" },
	{ "always busy", "skylakex", true, false, OLD(0), "busy for 100 % of the time" },
	{ "an older core", "ivybridge", true, false, OLD(0.5), "busy for 50 % of the time" },
	{ "whole cores", "cascadelakex", true, true, OLD(0.5), NULL },
	{ "no sibling", "cascadelakex", false, false, OLD(1), NULL },
	{ "slots of each thread", "icelakex", true, false, NEW, NULL },
};

static void evaluate_row(struct report *report, struct loaded *loaded, const struct row *row)
{
	struct count items[MOST] = { { .event = NULL } };
	struct counts counts = { .cpu = row->cpu, .level = 1, .is_flat = true, .ngroups = 1, .items = items };

	loaded_shipped(loaded, row->cpu, row->smt_on);
	for (; counts.count < MOST && row->counts[counts.count].event; counts.count++)
		items[counts.count] = (struct count){ .event = row->counts[counts.count].event,
						      .value = row->counts[counts.count].value,
						      .enabled_ns = 1,
						      .running_ns = 1 };
	loaded->model.facts.core_wide = row->is_core_wide;
	assert_int_equal(evaluate(report, &loaded->model, &counts, &loaded->arena, &loaded->err), 0);
}

static void level_1(void **state)
{
	static const double shares[] = { 20, 10, 30, 40 };
	static const char *const names[] = { "tma_frontend_bound", "tma_bad_speculation", "tma_backend_bound",
					     "tma_retiring" };
	struct rows rows = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		const struct row *row = &table[i];
		enum quality quality = row->note ? QUALITY_ESTIMATED : QUALITY_EXACT;
		struct loaded loaded;
		struct report report;

		evaluate_row(&report, &loaded, row);
		row_expect(&rows, row->name, report.nnodes == COUNT_OF(names), "four nodes");
		for (size_t k = 0; k < report.nnodes; k++)
			for (size_t n = 0; n < COUNT_OF(names); n++)
				if (!strcmp(report.nodes[k].metric->name, names[n])) {
					row_expect_number(&rows, row->name, round(report.nodes[k].value * 1e6),
							  shares[n] * 1e6);
					row_expect(&rows, row->name, report.nodes[k].quality == quality,
						   quality_name(report.nodes[k].quality));
				}
		row_expect(&rows, row->name, report.nnotes == (row->note ? 1 : 0),
			   report.nnotes ? report.notes[0] : "no note");
		if (row->note && report.nnotes)
			row_expect(&rows, row->name, strstr(report.notes[0], row->note), report.notes[0]);
		loaded_release(&loaded);
	}
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(level_1) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
