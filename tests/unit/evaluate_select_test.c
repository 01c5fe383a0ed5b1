/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evaluate_select_test.c - a report of a part of the tree: what it shows, and what it must not claim. */
#include "evaluate_fixture.h"

/* Of 4000 slots; over their thresholds are Backend_Bound (40 %), Memory_Bound (25 %), DRAM_Bound, L1_Bound and Core_Bound. */
#define CYCLES	"CYCLES=1000 "
#define MEMORY	"MEMORY=250 DRAM=101 L1=300"
#define BACKEND CYCLES "BACK=1600 " MEMORY
#define ALL	BACKEND " FRONT=800 ISSUED=1600 DONE=1600" /* Frontend_Bound 20 %, over 15 % */

#define PART                                                                                                           \
	"Not all of level 1 was asked for: what limits the program most may be in a part of the tree that is not "     \
	"shown.\n"

static const struct part_row {
	const char *nodes, *counts;
	const char *shown, *bottlenecks, *unjudged, *worst, *next_command, *notes;
} part_rows[] = {
	/* clang-format off */
	/* what is above is judged where it happens to be counted, and not shown */
	{ "DRAM_Bound", ALL, "DRAM_Bound", "DRAM_Bound", "", "DRAM_Bound", "", PART },
	{ "Memory_Bound^", ALL, "Backend_Bound Memory_Bound", "Backend_Bound Memory_Bound", "", "Memory_Bound",
	  "topdown --nodes 'Memory_Bound^/3' PROGRAM", PART },
	/* the worst of what is shown, not of the whole tree: L1_Bound is worse, but nobody asked */
	{ "DRAM_Bound^", ALL, "Backend_Bound Memory_Bound DRAM_Bound", "Backend_Bound Memory_Bound DRAM_Bound", "",
	  "DRAM_Bound", "", PART },
	{ "Frontend_Bound,DRAM_Bound", ALL, "Frontend_Bound DRAM_Bound", "Frontend_Bound DRAM_Bound", "", "DRAM_Bound",
	  "", PART },
	{ "!Backend_Bound", ALL, "Frontend_Bound Bad_Speculation Retiring", "Frontend_Bound", "", "Frontend_Bound",
	  "topdown --nodes 'Frontend_Bound^/2' PROGRAM", PART },
	{ "+Core_Bound", ALL, "Frontend_Bound Bad_Speculation Retiring Backend_Bound Core_Bound",
	  "Frontend_Bound Backend_Bound Core_Bound", "", "Core_Bound", "", "" },
	/* over its threshold, with nothing known of what is above it */
	{ "DRAM_Bound", CYCLES MEMORY, "DRAM_Bound", "", "DRAM_Bound", "", "",
	  PART "Whether DRAM_Bound is a bottleneck is not known: Backend_Bound was not measured; --nodes "
	  "'DRAM_Bound^' has what is above it too.\n" },
	{ "DRAM_Bound,L1_Bound", CYCLES "DRAM=101 L1=300", "DRAM_Bound L1_Bound", "", "DRAM_Bound L1_Bound", "", "",
	  PART "Whether DRAM_Bound, L1_Bound are bottlenecks is not known: Backend_Bound, Memory_Bound were not "
	  "measured; --nodes 'DRAM_Bound^' has what is above it too.\n" },
	/* a threshold that asks for the parent's value is as open as the parent's verdict */
	{ "Memory_Bound", CYCLES MEMORY, "Memory_Bound", "", "Memory_Bound", "", "",
	  PART "Whether Memory_Bound is a bottleneck is not known: Backend_Bound was not measured; --nodes "
	  "'Memory_Bound^' has what is above it too.\n" },
	/* below its own threshold whatever is above it; and a parent that is below its threshold decides */
	{ "Memory_Bound", CYCLES "MEMORY=150", "Memory_Bound", "", "", "", "", PART },
	{ "DRAM_Bound", CYCLES "MEMORY=150 DRAM=101", "DRAM_Bound", "", "", "", "", PART },
	{ "DRAM_Bound", CYCLES "BACK=400 DRAM=101", "DRAM_Bound", "", "", "", "", PART },
	/* what was measured and came out as nothing is no open question */
	{ "Memory_Bound", "CYCLES=0 BACK=1600 MEMORY=250", "Memory_Bound", "", "", "", "", PART },
	/* sums, ties and impossible values are reported of shown nodes only */
	{ "Frontend_Bound,Backend_Bound", CYCLES "FRONT=1600 BACK=1600 ISSUED=9000 DONE=0",
	  "Frontend_Bound Backend_Bound", "Frontend_Bound Backend_Bound", "", "Frontend_Bound",
	  "topdown --nodes 'Frontend_Bound^/2' PROGRAM",
	  "Level 1 is a tie: Frontend_Bound (40.0 %) and Backend_Bound (40.0 %) are too close to call one the "
	  "bottleneck.\n" PART },
	{ "Backend_Bound", CYCLES "FRONT=1600 BACK=1600 ISSUED=9000 DONE=0", "Backend_Bound", "Backend_Bound", "",
	  "Backend_Bound", "topdown --nodes 'Backend_Bound^/2' PROGRAM", PART },
	/* clang-format on */
};

static const char *titles(struct evaluated *e, bool (*has)(const struct result *result))
{
	struct string text = STRING_INIT(&e->loaded.arena);

	for (size_t i = 0; i < e->report.nnodes; i++)
		if (has(&e->report.nodes[i]))
			string_printf(&text, "%s%s", text.length ? " " : "", e->report.nodes[i].metric->title);
	return text.text;
}

static bool is_there(const struct result *result UNUSED)
{
	return true;
}

static bool is_bottleneck(const struct result *result)
{
	return result->is_bottleneck;
}

static bool is_unjudged(const struct result *result)
{
	return result->is_unjudged;
}

static const char *notes_text(struct evaluated *e)
{
	struct string text = STRING_INIT(&e->loaded.arena);

	for (size_t i = 0; i < e->report.nnotes; i++)
		string_printf(&text, "%s\n", e->report.notes[i]);
	return text.text;
}

static void check_part(struct rows *rows, const struct part_row *row)
{
	struct evaluated e;
	const char *name;

	evaluated_init(&e, &(struct evaluate_request){ .counts = row->counts, .nodes = row->nodes });
	name = arena_printf(&e.loaded.arena, "%s of %s", row->nodes, row->counts);
	row_expect_text(rows, name, titles(&e, is_there), row->shown);
	row_expect_text(rows, name, titles(&e, is_bottleneck), row->bottlenecks);
	row_expect_text(rows, name, titles(&e, is_unjudged), row->unjudged);
	row_expect_text(rows, name, e.report.worst ? e.report.worst->metric->title : "", row->worst);
	row_expect_text(rows, name, e.report.actions.look_closer.command ? e.report.actions.look_closer.command : "",
			row->next_command);
	row_expect_text(rows, name, notes_text(&e), row->notes);
	row_expect(rows, name, !e.report.nmetrics, "no metric was asked for");
	evaluated_release(&e);
}

static void test_parts(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(part_rows); i++)
		check_part(&rows, &part_rows[i]);
	rows_end(&rows);
}

/* Without lists the same honesty: nobody asked for a part, but a part is all there is. */
static void test_missing_parent(void **state UNUSED)
{
	struct evaluated e;

	evaluated_init(&e, &(struct evaluate_request){ .counts = CYCLES "MEMORY=300 DRAM=200" });
	assert_string_equal(titles(&e, is_unjudged), "Memory_Bound DRAM_Bound");
	assert_string_equal(notes_text(&e),
			    "Whether Memory_Bound, DRAM_Bound are bottlenecks is not known: Backend_Bound "
			    "was not measured.\n");
	assert_true(evaluated_row(&e, "Memory_Bound")->is_open);
	assert_false(evaluated_row(&e, "Memory_Bound")->over_threshold);
	assert_true(evaluated_row(&e, "DRAM_Bound")->over_threshold);
	assert_null(e.report.worst);
	evaluated_release(&e);
}

/* Only the metrics that were asked for; one that was not counted says so. */
static void test_metrics(void **state UNUSED)
{
	struct evaluated e;

	evaluated_init(&e, &(struct evaluate_request){ .counts = "wall=2 CYCLES=1000 A=1 BACK=9", .metrics = "*" });
	assert_int_equal(e.report.nnodes, 0);
	assert_int_equal(e.report.nmetrics, 2);
	assert_int_equal(e.report.level, 0);
	assert_true(evaluated_row(&e, "Info_Seconds")->value == 2);
	assert_string_equal(evaluated_row(&e, "Info_Rate")->reason, "not counted: B");
	assert_int_equal(e.report.nnotes, 0);
	evaluated_release(&e);
	evaluated_init(&e, &(struct evaluate_request){ .counts = "wall=2 CYCLES=1000 BACK=9", .metrics = "seconds" });
	assert_int_equal(e.report.nmetrics, 1);
	assert_true(evaluated_row(&e, "Info_Seconds")->is_named);
	evaluated_release(&e);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_missing_parent),
		cmocka_unit_test(test_metrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
