/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines_test.c - whose lines a node is: from counts by source line whose shares can be worked out by hand. */
#include "evaluate_fixture.h"

/* 4000 slots: Backend_Bound 60 %, and DRAM_Bound below it, 300 of 1000 cycles. */
#define COUNTS "CYCLES=1000 FRONT=400 ISSUED=1200 DONE=800 BACK=2400 MEMORY=500 DRAM=300 L1=300"
enum { CYCLES, FRONT, ISSUED, DONE, BACK, MEMORY, DRAM };

#define LIST(...) (struct source_count[]){ __VA_ARGS__ }, COUNT_OF(((struct source_count[]){ __VA_ARGS__ }))

/* Nothing is in the order in which it is to be told. */
static struct source_line source_lines[] = {
	{ "g", "b.c", "/bin/prog", 5, LIST({ BACK, 300 }) },
	{ "f", "a.c", "/bin/prog", 11, LIST({ BACK, 600 }, { DRAM, 60 }) },
	{ "h", NULL, "/lib/libx.so", 0, LIST({ BACK, 300 }, { DRAM, 60 }) },
	{ "f", "a.c", "/bin/prog", 10, LIST({ BACK, 1200 }, { DRAM, 180 }, { DONE, 400 }) },
	{ "unused", "c.c", "/bin/prog", 1, LIST({ MEMORY, 0 }) },
};

static const struct row {
	const char *name, *counts, *nodes;
	const char *told; /* "NODE: FILE:LINE PERCENT ... | FUNCTION PERCENT ... | note", for each node */
} rows[] = {
	/* clang-format off */
	{ "the worst", COUNTS, NULL,
	  "DRAM_Bound: a.c:10 60 a.c:11 20 -:0 20 | f 80 h 20 | 20 % of it is in code without line numbers (mostly "
	  "libx.so), of which only functions are known: build it with -g, or install its debug symbols.\n" },
	{ "by name, equal ones by their object", COUNTS, "Backend_Bound",
	  "Backend_Bound: a.c:10 50 a.c:11 25 b.c:5 12.5 -:0 12.5 | f 75 g 12.5 h 12.5 | 12 % of it is in code without "
	  "line numbers (mostly libx.so), of which only functions are known: build it with -g, or install its debug "
	  "symbols.\n" },
	{ "two by name", COUNTS, "Retiring,Frontend_Bound",
	  "Frontend_Bound:  |  | No slot of it belongs to an instruction.\n"
	  "Retiring: a.c:10 50 | f 50 | 50 % of it belong to no instruction.\n" },
	{ "nothing is over its threshold", "CYCLES=1000 FRONT=400 ISSUED=2100 DONE=2000 BACK=400 MEMORY=1 DRAM=1 L1=1", NULL, "" },
	/* clang-format on */
};

static void add_shares(struct string *text, const struct line_share *shares, size_t count, bool is_functions)
{
	for (size_t i = 0; i < count; i++) {
		const struct source_line *line = shares[i].line;
		double percent = floor(shares[i].percent * 1e6 + 0.5) / 1e6;

		if (is_functions)
			string_printf(text, "%s %g ", line->function, percent);
		else
			string_printf(text, "%s:%zu %g ", line->file ? line->file : "-", line->line, percent);
	}
}

static const char *told(const struct report *report, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < report->nlines; i++) {
		const struct node_lines *lines = &report->lines[i];

		string_printf(&text, "%s: ", lines->node->metric->title);
		add_shares(&text, lines->lines, lines->nlines, false);
		string_add(&text, lines->nlines ? "| " : " | ");
		add_shares(&text, lines->functions, lines->nfunctions, true);
		string_printf(&text, "%s%s\n", lines->nfunctions ? "| " : " | ", lines->note ? lines->note : "");
	}
	return text.text;
}

static void evaluate_again(struct evaluated *e, bool has_lines, bool wants_lines)
{
	e->counts.lines = source_lines;
	e->counts.nlines = COUNT_OF(source_lines);
	e->counts.has_lines = has_lines;
	e->counts.wants_lines = wants_lines;
	if (evaluate(&e->report, &e->loaded.model, &e->counts, &e->loaded.arena, &e->loaded.err) < 0)
		fail_msg("%s", e->loaded.err.text);
}

static void test_rows(void **state UNUSED)
{
	struct rows failed = { 0 };
	struct evaluated e;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		evaluated_init(
			&e, &(struct evaluate_request){ .counts = rows[i].counts, .level = 3, .nodes = rows[i].nodes });
		evaluate_again(&e, true, true);
		row_expect(&failed, rows[i].name, e.report.has_lines, "there are no lines");
		row_expect_text(&failed, rows[i].name, told(&e.report, &e.loaded.arena), rows[i].told);
		evaluated_release(&e);
	}
	rows_end(&failed);
}

/* Without any of: being asked for, being there. */
static void test_none(void **state UNUSED)
{
	struct evaluated e;

	evaluated_init(&e, &(struct evaluate_request){ .counts = COUNTS, .level = 3 });
	evaluate_again(&e, true, false);
	assert_false(e.report.has_lines);
	assert_int_equal(e.report.nlines, 0);
	evaluate_again(&e, false, true);
	assert_false(e.report.has_lines);
	evaluated_release(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows), cmocka_unit_test(test_none) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
