/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model_bad_test.c - bad models: what disables one metric with a warning, and what refuses the file. */
#include "model_world.h"

/* One bad metric is disabled with a warning; the others stay. The warning is the text behind the path. */
static const struct {
	const char *row, *metrics, *failure, *warning; /* of metric tma_x */
} warning_rows[] = {
	/* clang-format off */
	{ "unknown event", "{'MetricName':'tma_x','MetricExpr':'1 + UOPS.FOO'}",
	  "column 5: unknown event 'UOPS.FOO'", ": metric 'tma_x': column 5: unknown event 'UOPS.FOO'" },
	{ "syntax", "{'MetricName':'tma_x','MetricExpr':'INST / (CYC'}",
	  "column 8: '(' is never closed", ": metric 'tma_x': column 8: '(' is never closed" },
	{ "unknown modifier", "{'MetricName':'tma_x','MetricExpr':'INST:zz'}",
	  "column 1: unknown modifier ':zz'", ": metric 'tma_x': column 1: unknown modifier ':zz'" },
	{ "unknown literal", "{'MetricName':'tma_x','MetricExpr':'2 * #target_cpu'}",
	  "column 5: unknown literal '#target_cpu'", ": metric 'tma_x': column 5: unknown literal '#target_cpu'" },
	{ "cycle", "{'MetricName':'tma_x','MetricExpr':'tma_x + 1'}",
	  "refers to itself: tma_x > tma_x", ": metric 'tma_x': refers to itself: tma_x > tma_x" },
	{ "other PMUs", "{'MetricName':'tma_x','MetricExpr':'UNC.R / cstate_core@c6\\\\-residency@'}", NULL, NULL },
	{ "a PMU that nobody has is no reason to warn", "{'MetricName':'tma_x','MetricExpr':'foo@bar@'}",
	  "column 1: no PMU is called 'foo'", NULL },
	{ "nor what this kernel does not show", "{'MetricName':'tma_x','MetricExpr':'tx\\\\-abort / CYC if has_event(tx\\\\-abort) else 0'}",
	  "column 1: needs the kernel's event 'tx-abort', which PMU cpu does not have (/sys/bus/event_source/devices/cpu/events)", NULL },
	{ "bad threshold", "{'MetricName':'tma_x','MetricExpr':'INST','MetricThreshold':'tma_x > 1 & tma_y > 2'}",
	  NULL, ": metric 'tma_x': threshold: column 13: unknown metric 'tma_y'" },
	{ "threshold's syntax", "{'MetricName':'tma_x','MetricExpr':'INST','MetricThreshold':'tma_x >'}",
	  NULL, ": metric 'tma_x': threshold: column 8: expected a number, a name or '('" },
	{ "threshold on an event", "{'MetricName':'tma_x','MetricExpr':'INST','MetricThreshold':'INST > 1'}",
	  NULL, ": metric 'tma_x': threshold: column 1: unknown metric 'INST'" },
	{ "twice", "{'MetricName':'tma_x','MetricExpr':'INST'},{'MetricName':'TMA_X','MetricExpr':'CYC'}",
	  NULL, ": metric 'TMA_X' appears twice; the last one is used" },
	{ "references in any case", "{'MetricName':'tma_x','MetricExpr':'TMA_Y + Ok'},{'MetricName':'tma_y','MetricExpr':'1'}",
	  NULL, NULL },
	/* clang-format on */
};

static void test_warnings(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct world w;

	world_init(&w);
	for (size_t i = 0; i < COUNT_OF(warning_rows); i++) {
		const char *row = warning_rows[i].row, *warning = warning_rows[i].warning;
		const struct metric *metric;

		load_well(&w, arena_printf(&w.arena, "%s,{'MetricName':'ok','MetricExpr':'INST / CYC'}",
					   warning_rows[i].metrics));
		metric = &w.model.metrics[model_find(&w.model, "tma_x")];
		row_expect_text(&rows, row, metric->failure, warning_rows[i].failure);
		row_expect(&rows, row, !metric->has_threshold, "has a threshold");
		row_expect(&rows, row, w.model.nwarnings == (warning ? 1 : 0), "number of warnings");
		row_expect_text(&rows, row, w.model.nwarnings ? w.model.warnings[0] : NULL,
				warning ? arena_printf(&w.arena, "%s%s", w.path, warning) : NULL);
		row_expect_text(&rows, row, w.model.metrics[model_find(&w.model, "ok")].failure, NULL);
	}
	world_release(&w);
	rows_end(&rows);
}

/* Only the members of a circle are named; what leads to it fails with a reason. */
static void test_cycle(void **state UNUSED)
{
	struct world w;

	world_init(&w);
	load_well(&w, "{'MetricName':'a','MetricExpr':'b * 2'},{'MetricName':'b','MetricExpr':'1 - A'},"
		      "{'MetricName':'c','MetricExpr':'b + INST'}");
	assert_int_equal(w.model.nwarnings, 2);
	assert_string_equal(w.model.warnings[0],
			    arena_printf(&w.arena, "%s: metric 'a': refers to itself: b > a > b", w.path));
	assert_string_equal(w.model.warnings[1],
			    arena_printf(&w.arena, "%s: metric 'b': refers to itself: b > a > b", w.path));
	assert_string_equal(w.model.metrics[2].failure, "needs a metric that refers to itself: b > a > b");
	assert_int_equal(w.model.metrics[2].nevents, 0);
	world_release(&w);
}

static const struct {
	const char *row, *text, *error; /* behind the path */
} bad_rows[] = {
	/* clang-format off */
	{ "empty",         "",                        ": empty, where JSON is expected" },
	{ "syntax",        "{\"Metrics\":[\n{\"a\" 1}]}", ": line 2, column 6: ':' expected near '1'" },
	{ "no metrics",    "{\"Metrics\":[]}",        ": no metrics in it" },
	{ "no list",       "{\"Metrics\":7}",         ": no metrics in it" },
	{ "other things",  "[1,null,{},{\"MetricName\":7},{\"MetricName\":\"m\"}]", ": no metrics in it" },
	/* clang-format on */
};

static void test_bad_files(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct world w;

	world_init(&w);
	for (size_t i = 0; i < COUNT_OF(bad_rows); i++) {
		struct error err = { .text = "" };

		scratch_write(&w.scratch, "model.json", bad_rows[i].text, w.path);
		row_expect(&rows, bad_rows[i].row, model_load(&w.model, w.path, &w.target, &w.arena, &err) < 0,
			   "was taken");
		row_expect_text(&rows, bad_rows[i].row, err.text,
				arena_printf(&w.arena, "%s%s", w.path, bad_rows[i].error));
	}
	world_release(&w);
	rows_end(&rows);
}

static void test_bad_header(void **state UNUSED)
{
	struct world w;

	world_init(&w);
	w.database.cycles = "CYC.NOPE";
	assert_int_equal(load(&w, "{'MetricName':'m','MetricExpr':'1'}"), -1);
	assert_string_equal(w.err.text, "madeup: Header: unknown event 'CYC.NOPE'");
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_cycle),
		cmocka_unit_test(test_bad_files),
		cmocka_unit_test(test_bad_header),
	};

	return cmocka_run_group_tests_name("model_bad", tests, NULL, NULL);
}
