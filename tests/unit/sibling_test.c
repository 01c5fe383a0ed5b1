/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sibling_test.c - when level 1 is an estimate because the core's other thread was busy, and when it is none. */
#include "model_fixture.h"

#include "analyse/evaluate/evaluate.h"
#include "common/base/text.h"

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
	const char *note; /* a part of the one on a busy sibling; NULL: there is none */
	const char
		*halved; /* what halves the recovery cycles of both threads, by the vendors' formulas; NULL: nothing */
} table[] = {
	{ "the sibling is idle", "cascadelakex", true, false, OLD(1), NULL, "Bad_Speculation, Backend_Bound" },
	{ "hardly busy", "cascadelakex", true, false, OLD(0.97), NULL, "Bad_Speculation, Backend_Bound" },
	{ "busy for a tenth", "cascadelakex", true, false, OLD(0.9), "busy for 10 % of the time",
	  "Bad_Speculation, Backend_Bound" },
	{ "always busy", "skylakex", true, false, OLD(0), "busy for 100 % of the time",
	  "Bad_Speculation, Backend_Bound" },
	{ "an older core", "ivybridge", true, false, OLD(0.5), "busy for 50 % of the time", "Bad_Speculation." },
	{ "an older core, idle", "haswellx", true, false, OLD(1), NULL, "Bad_Speculation." },
	{ "whole cores", "cascadelakex", true, true, OLD(0.5), NULL, NULL },
	{ "no sibling", "cascadelakex", false, false, OLD(1), NULL, NULL },
	{ "slots of each thread", "icelakex", true, false, NEW, NULL, NULL },
};

/* Backend_Bound is what the other three leave, or halves by itself. */
static bool is_halved(const struct row *row, const char *node)
{
	return row->halved && (!strcmp(node, "tma_bad_speculation") || !strcmp(node, "tma_backend_bound"));
}

static void evaluate_row(struct report *report, struct loaded *loaded, const struct row *row)
{
	struct count items[MOST] = { { .event = NULL } };
	struct repeat repeat = { .ngroups = 1, .items = items };
	struct counts counts = { .origin = { .cpu = row->cpu, .is_flat = true },
				 .question = { .level = 1 },
				 .repeats = &repeat,
				 .nrepeats = 1 };

	loaded_shipped(loaded, row->cpu, row->smt_on);
	for (; repeat.count < MOST && row->counts[repeat.count].event; repeat.count++)
		items[repeat.count] = (struct count){ .event = row->counts[repeat.count].event,
						      .value = row->counts[repeat.count].value,
						      .enabled_ns = 1,
						      .running_ns = 1 };
	loaded->model.facts.core_wide = counts.origin.facts.core_wide = row->is_core_wide;
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
		size_t notes = (row->note ? 1u : 0u) + (row->halved ? 1u : 0u);
		struct loaded loaded;
		struct report report;

		evaluate_row(&report, &loaded, row);
		row_expect(&rows, row->name, report.nnodes == COUNT_OF(names), "four nodes");
		for (size_t k = 0; k < report.nnodes; k++)
			for (size_t n = 0; n < COUNT_OF(names); n++)
				if (!strcmp(report.nodes[k].metric->name, names[n])) {
					row_expect_number(&rows, row->name, round(report.nodes[k].value * 1e6),
							  shares[n] * 1e6);
					row_expect(&rows, row->name,
						   report.nodes[k].quality == (row->note || is_halved(row, names[n])
										       ? QUALITY_ESTIMATED
										       : QUALITY_EXACT),
						   quality_name(report.nodes[k].quality));
				}
		row_expect(&rows, row->name, report.nnotes == notes, report.nnotes ? report.notes[0] : "no note");
		if (row->note && report.nnotes)
			row_expect(&rows, row->name, strstr(report.notes[0], row->note), report.notes[0]);
		if (row->halved && report.nnotes == notes)
			row_expect(&rows, row->name, strstr(report.notes[notes - 1], row->halved),
				   report.notes[notes - 1]);
		loaded_release(&loaded);
	}
	rows_end(&rows);
}

/* Deeper nodes, by the formulas that Intel publishes: perfmon, BaseFormula; what refers to a halving node is halved too. */
static void deeper(void **state)
{
	static const struct {
		const char *cpu, *node;
		bool halves, is_halved;
	} nodes[] = {
		{ "cascadelakex", "tma_bad_speculation", true, true },
		{ "cascadelakex", "tma_backend_bound", true, true },
		{ "cascadelakex", "tma_branch_mispredicts", false, true },
		{ "cascadelakex", "tma_memory_bound", false, true },
		{ "cascadelakex", "tma_core_bound", false, true },
		{ "cascadelakex", "tma_sq_full", true, true },
		{ "cascadelakex", "tma_ports_utilized_1", true, true },
		{ "cascadelakex", "tma_ports_utilized_3m", true, true },
		{ "cascadelakex", "tma_frontend_bound", false, false },
		{ "cascadelakex", "tma_retiring", false, false },
		{ "cascadelakex", "tma_fetch_latency", false, false },
		{ "cascadelakex", "tma_l1_bound", false, false },
		{ "cascadelakex", "tma_divider", false, false },
		{ "cascadelakex", "tma_info_core_core_clks", false, false }, /* which has an answer for one program */
		{ "haswellx", "tma_backend_bound", false, true },
		{ "haswellx", "tma_memory_bound", true, true },
		{ "haswellx", "tma_ports_utilization", true, true },
		{ "haswellx", "tma_l3_bound", false, false },
		{ "sandybridge", "tma_bad_speculation", true, true },
		{ "sandybridge", "tma_machine_clears", false, true },
		{ "icelakex", "tma_info_pipeline_execute", false, false }, /* published for one thread too */
	};
	struct rows rows = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(nodes); i++)
		for (size_t smt = 0; smt < 2; smt++) {
			struct loaded loaded;
			size_t number;

			loaded_shipped(&loaded, nodes[i].cpu, smt);
			number = model_find(&loaded.model, nodes[i].node);
			row_expect(&rows, nodes[i].node, number != TABLE_NONE, "no such node");
			if (number != TABLE_NONE) {
				const struct metric *metric = &loaded.model.metrics[number];

				row_expect(&rows, nodes[i].node, metric->halves == (smt && nodes[i].halves), "halves");
				row_expect(&rows, nodes[i].node, metric->is_halved == (smt && nodes[i].is_halved),
					   "is halved");
			}
			loaded_release(&loaded);
		}
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(level_1), cmocka_unit_test(deeper) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
