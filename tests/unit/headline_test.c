/* SPDX-License-Identifier: GPL-2.0-or-later */
/* headline_test.c - what reports come to: their cause, its nodes and place, and what is useful, of made-up reports. */
#include "analyse/verdict/headline.h"

#include "rows.h"

enum { ROOT, SPECULATION, MISPREDICTS, RESTEERS, USEFUL, NODES };

/* Of a report: the nodes' values in this order, and what stands out. */
struct headline_row {
	const char *what;
	double values[NODES]; /* NAN: not measured */
	int worst;	      /* -1: nothing */
	const char *domain;   /* of RESTEERS */
	double ipc, speedup;
	bool is_start, has_waited;
	enum headline_kind kind;
	size_t nnodes;
	double value, gain; /* NAN: none */
};

static const struct metric made[NODES] = {
	[ROOT] = { .name = "tma_frontend_bound", .title = "Frontend_Bound", .path = "Frontend_Bound", .level = 1 },
	[SPECULATION] = { .name = "tma_bad_speculation", .title = "Bad", .path = "Bad_Speculation", .level = 1 },
	[MISPREDICTS] = { .name = "tma_branch_mispredicts",
			  .title = "Mispredicts",
			  .path = "Bad_Speculation.Branch_Mispredicts",
			  .level = 2 },
	[RESTEERS] = { .name = "tma_mispredicts_resteers",
		       .title = "Resteers",
		       .path = "Frontend_Bound.R",
		       .level = 2 },
	[USEFUL] = { .name = "tma_retiring", .title = "Retiring", .path = "Retiring", .level = 1 },
};

static const struct headline_row rows_of_reports[] = {
	{ "one number for one cause",
	  { 40, 20, 18, 30, 40 },
	  RESTEERS,
	  "Slots",
	  1,
	  0,
	  false,
	  false,
	  HEADLINE_LOSS,
	  2,
	  48,
	  NAN },
	{ "whichever is the worst",
	  { 20, 40, 38, 10, 40 },
	  MISPREDICTS,
	  "Slots",
	  1,
	  0,
	  false,
	  false,
	  HEADLINE_LOSS,
	  2,
	  48,
	  NAN },
	{ "not of other units",
	  { 40, 20, 18, 30, 40 },
	  RESTEERS,
	  "Clocks",
	  1,
	  0,
	  false,
	  false,
	  HEADLINE_LOSS,
	  1,
	  30,
	  NAN },
	{ "not what was not measured",
	  { 40, 20, NAN, 30, 40 },
	  RESTEERS,
	  "Slots",
	  1,
	  0,
	  false,
	  false,
	  HEADLINE_LOSS,
	  1,
	  30,
	  NAN },
	{ "without a partner", { 40, 20, 18, 10, 40 }, ROOT, "Slots", 1, 0, false, false, HEADLINE_LOSS, 1, 40, NAN },
	{ "what it would bring",
	  { 40, 20, 18, 30, 40 },
	  RESTEERS,
	  "Slots",
	  1,
	  1.76,
	  false,
	  false,
	  HEADLINE_LOSS,
	  2,
	  48,
	  1.76 },
	{ "nothing is no gain",
	  { 40, 20, 18, 30, 40 },
	  RESTEERS,
	  "Slots",
	  1,
	  1.0,
	  false,
	  false,
	  HEADLINE_LOSS,
	  2,
	  48,
	  NAN },
	{ "useful", { 10, 5, 4, 5, 85 }, USEFUL, "Slots", 2, 0, false, false, HEADLINE_USEFUL, 0, NAN, NAN },
	{ "busy with little lost",
	  { 19, 5, 0, 1, 60 },
	  ROOT,
	  "Slots",
	  3.4,
	  0,
	  false,
	  false,
	  HEADLINE_USEFUL,
	  1,
	  19,
	  NAN },
	{ "busy, but it loses", { 27, 5, 0, 1, 52 }, ROOT, "Slots", 3.4, 0, false, false, HEADLINE_LOSS, 1, 27, NAN },
	{ "slow, though useful", { 19, 5, 0, 1, 60 }, ROOT, "Slots", 2.9, 0, false, false, HEADLINE_LOSS, 1, 19, NAN },
	{ "nothing stands out", { 10, 5, 4, 5, 40 }, -1, "Slots", 1, 0, false, false, HEADLINE_EVEN, 0, NAN, NAN },
	{ "a start", { 40, 20, 18, 30, 40 }, RESTEERS, "Slots", 1, 0, true, false, HEADLINE_START, 2, 48, NAN },
	{ "it waited", { 40, 20, 18, 30, 40 }, RESTEERS, "Slots", 1, 0, false, true, HEADLINE_LOSS, 2, 48, NAN },
	{ "nothing was measured",
	  { NAN, NAN, NAN, NAN, NAN },
	  -1,
	  "Slots",
	  1,
	  0,
	  false,
	  false,
	  HEADLINE_UNKNOWN,
	  0,
	  NAN,
	  NAN },
};

static struct headline headline_of_row(const struct headline_row *row, const struct hotspots *places)
{
	static struct metric metrics[NODES];
	static struct result nodes[NODES];
	static struct model model;
	static struct report report;
	static struct fix fix;
	static const struct metric *fixed[1];
	struct report_set set = { .parts = &report, .count = 1, .where = places };

	memcpy(metrics, made, sizeof(metrics));
	for (size_t i = 0; i < NODES; i++) {
		metrics[i].unit = "%";
		metrics[i].parent = NO_PARENT;
		metrics[i].domain = i == RESTEERS ? row->domain : "Slots";
		nodes[i] = (struct result){ .metric = &metrics[i],
					    .value = row->values[i],
					    .quality = isnan(row->values[i]) ? QUALITY_NONE : QUALITY_EXACT };
	}
	fixed[0] = &metrics[row->worst > 0 ? row->worst : 0];
	fix = (struct fix){ .nodes = fixed, .nnodes = 1, .speedup = row->speedup };
	model = (struct model){ .metrics = metrics };
	report = (struct report){ .model = &model,
				  .nodes = nodes,
				  .nnodes = NODES,
				  .summary.ipc = row->ipc,
				  .worst = row->worst < 0 ? NULL : &nodes[row->worst],
				  .fixes = &fix,
				  .nfixes = row->speedup > 0,
				  .start_note = row->is_start ? "few" : NULL,
				  .has_waited = row->has_waited };
	return headline_of(&set, &report);
}

static void test_causes(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows_of_reports); i++) {
		const struct headline_row *row = &rows_of_reports[i];
		struct headline headline = headline_of_row(row, NULL);

		row_expect_text(&rows, row->what, headline_kind_names[headline.kind], headline_kind_names[row->kind]);
		row_expect_number(&rows, row->what, (double)headline.nnodes, (double)row->nnodes);
		row_expect_number(&rows, row->what, headline.value, row->value);
		row_expect_number(&rows, row->what, headline.speedup, row->gain);
		row_expect_number(&rows, row->what, headline.useful, row->values[USEFUL]);
		row_expect_number(&rows, row->what, headline.has_waited, row->has_waited);
	}
	rows_end(&rows);
}

/* Functions and lines with these shares, the largest first; 0: there is none. */
static void test_places(void **state UNUSED)
{
	static const struct {
		const char *what;
		double functions[3], lines[2];
		uint64_t samples;
		bool has_function, has_line;
		size_t spread;
	} table[] = {
		{ "a line", { 90, 5 }, { 60, 10 }, 100, true, true, 0 },
		{ "lines of others alone", { 90, 5 }, { 5, 1 }, 100, true, false, 0 },
		{ "no lines", { 90, 5 }, { 0 }, 100, true, false, 0 },
		{ "many functions", { 4, 3, 2 }, { 1 }, 100, true, true, 3 },
		{ "nowhere", { 0 }, { 0 }, 100, false, false, 0 },
		{ "as many samples as are needed", { 90, 5 }, { 60, 10 }, 30, true, true, 0 },
		{ "few samples", { 90, 5 }, { 60, 10 }, 29, false, false, 0 },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct where_row functions[3] = { { .function = "f" }, { .function = "g" }, { .function = "h" } };
		struct where_row lines[2] = { { .file = "a.c", .line = 3 }, { .file = "a.c", .line = 4 } };
		const struct weighing weighing = { .title = "time", .samples = table[i].samples };
		struct where where = { .weighing = &weighing, .functions.items = functions, .lines.items = lines };
		struct hotspots places = { .items = &where, .count = 1 };
		struct report_set set = { .where = &places };
		struct headline headline;

		for (size_t k = 0; k < 3; k++)
			where.functions.count += (functions[k].self.percent = table[i].functions[k]) > 0;
		for (size_t k = 0; k < 2; k++)
			where.lines.count += (lines[k].self.percent = table[i].lines[k]) > 0;
		headline = headline_of(&set, NULL);
		row_expect_text(&rows, table[i].what, headline_kind_names[headline.kind], "samples");
		row_expect_number(&rows, table[i].what, headline.has_few, table[i].samples < ROUGH_SAMPLES);
		row_expect_number(&rows, table[i].what, headline.function != NULL, table[i].has_function);
		row_expect_number(&rows, table[i].what, headline.line != NULL, table[i].has_line);
		row_expect_number(&rows, table[i].what, (double)headline.nfunctions, (double)table[i].spread);
	}
	rows_end(&rows);
}

/* A place is said of the worst node alone, not of another one that was asked for. */
static void test_other_places(void **state UNUSED)
{
	static const char *const nodes[] = { "tma_mispredicts_resteers", "tma_branch_mispredicts", NULL };
	struct where_row function = { .function = "f", .self.percent = 90 };

	for (size_t i = 0; i < COUNT_OF(nodes); i++) {
		const struct weighing weighing = { .title = "T", .node = nodes[i], .is_exact = true };
		struct where where = { .weighing = &weighing, .functions = { &function, 1 } };
		struct hotspots places = { .items = &where, .count = 1 };
		struct headline headline = headline_of_row(&rows_of_reports[0], &places);

		assert_true((headline.function != NULL) == (i == 0));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_causes), cmocka_unit_test(test_places),
					    cmocka_unit_test(test_other_places) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
