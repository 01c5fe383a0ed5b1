/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines_test.c - whose lines a node is: from counts by source line whose shares can be worked out by hand. */
#include "evaluate_fixture.h"

#include "analyse/hotspots/hotspots.h"

/* 4000 slots: Backend_Bound 60 %, and DRAM_Bound below it, 300 of 1000 cycles. */
#define COUNTS "CYCLES=1000 FRONT=400 ISSUED=1200 DONE=800 BACK=2400 MEMORY=500 DRAM=300 L1=300"
#define CALM   "CYCLES=1000 FRONT=400 ISSUED=2100 DONE=2000 BACK=400 MEMORY=1 DRAM=1 L1=1"
enum { CYCLES, FRONT, ISSUED, DONE, BACK, MEMORY, DRAM };

#define LIST(...) (struct source_count[]){ __VA_ARGS__ }, COUNT_OF(((struct source_count[]){ __VA_ARGS__ }))

/* Nothing is in the order in which it is to be listed. */
static struct source_line source_lines[] = {
	{ "g", "b.c", "/bin/prog", 5, LIST({ BACK, 300 }) },
	{ "f", "a.c", "/bin/prog", 11, LIST({ BACK, 600 }, { DRAM, 60 }) },
	{ "h", NULL, "/lib/libx.so", 0, LIST({ BACK, 300 }, { DRAM, 60 }) },
	{ "f", "a.c", "/bin/prog", 10, LIST({ BACK, 1200 }, { DRAM, 180 }, { DONE, 400 }) },
	{ "unused", "c.c", "/bin/prog", 1, LIST({ MEMORY, 0 }) },
};

static const struct row {
	const char *name, *counts, *nodes;
	const char *listed; /* "NODE: FILE:LINE PERCENT ... | FUNCTION PERCENT ... | note", for each node */
} rows[] = {
	/* clang-format off */
	{ "the worst", COUNTS, NULL,
	  "DRAM_Bound: a.c:10 60 a.c:11 20 -:0 20 | f 80 h 20 | 20 % of it is in code without line numbers (mostly "
	  "libx.so), for which only functions are known: build it with -g, or install its debug symbols.\n" },
	{ "by name, equal ones by their object", COUNTS, "Backend_Bound",
	  "Backend_Bound: a.c:10 50 a.c:11 25 b.c:5 12.5 -:0 12.5 | f 75 g 12.5 h 12.5 | 12 % of it is in code without "
	  "line numbers (mostly libx.so), for which only functions are known: build it with -g, or install its debug "
	  "symbols.\n" },
	{ "two by name", COUNTS, "Retiring,Frontend_Bound",
	  "Frontend_Bound:  |  | No slot of it belongs to an instruction.\n"
	  "Retiring: a.c:10 50 | f 50 | 50 % of it belong to no instruction.\n" },
	/* clang-format on */
};

static void add_shares(struct string *text, const struct where_rows *rows_of, bool is_functions)
{
	for (size_t i = 0; i < rows_of->count; i++) {
		const struct where_row *row = &rows_of->items[i];
		double percent = floor(row->self.percent * 1e6 + 0.5) / 1e6;

		if (is_functions)
			string_printf(text, "%s %g ", row->function, percent);
		else
			string_printf(text, "%s:%u %g ", row->file ? row->file : "-", row->line, percent);
	}
}

static const char *lines_text(const struct hotspots *all, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < all->count; i++) {
		const struct where *where = &all->items[i];

		string_printf(&text, "%s: ", where->weighing->title);
		add_shares(&text, &where->lines, false);
		string_add(&text, where->lines.count ? "| " : " | ");
		add_shares(&text, &where->functions, true);
		string_add(&text, where->functions.count ? "|" : " |");
		for (size_t k = 0; k < where->nremarks; k++)
			string_printf(&text, " %s", where->remarks[k]);
		string_add(&text, where->nremarks ? "\n" : " \n");
	}
	return text.text;
}

/* As a report has it. */
static struct hotspots *find(struct evaluated *e, bool has_lines)
{
	struct measurement measured = { .parts = &e->counts, .count = 1 };
	struct report_set set = { .parts = &e->report, .count = 1 };
	const struct hotspots_request request = { &measured, &set, &e->counts.question };
	struct hotspots *where = arena_alloc(&e->loaded.arena, sizeof(*where));

	e->counts.lines = source_lines;
	e->counts.nlines = COUNT_OF(source_lines);
	e->counts.has_lines = has_lines;
	e->counts.question.wants_lines = true;
	if (!has_hotspots(&measured))
		return NULL;
	if (hotspots_fill(where, &request, &e->loaded.arena, &e->loaded.err) < 0)
		fail_msg("%s", e->loaded.err.text);
	return where;
}

static void test_rows(void **state UNUSED)
{
	struct rows failed = { 0 };
	struct evaluated e;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		evaluated_init(
			&e, &(struct evaluate_request){ .counts = rows[i].counts, .level = 3, .nodes = rows[i].nodes });
		row_expect_text(&failed, rows[i].name, lines_text(find(&e, true), &e.loaded.arena), rows[i].listed);
		evaluated_release(&e);
	}
	rows_end(&failed);
}

/* Counts without lines, and a report of which no node is over its threshold. */
static void test_none(void **state UNUSED)
{
	struct evaluated e;
	struct hotspots *where;

	evaluated_init(&e, &(struct evaluate_request){ .counts = COUNTS, .level = 3 });
	assert_null(find(&e, false));
	evaluated_release(&e);
	evaluated_init(&e, &(struct evaluate_request){ .counts = CALM, .level = 3 });
	where = find(&e, true);
	assert_int_equal(where->nremarks, 1);
	assert_string_equal(where->items[0].weighing->title, "cycles");
	evaluated_release(&e);
}

/* Code whose file is known and whose line is 0 has debug information: the compiler says that it is of no line. */
static void test_line_0(void **state UNUSED)
{
	struct source_line *lineless = &source_lines[2];
	struct evaluated e;

	lineless->file = "c.c";
	evaluated_init(&e, &(struct evaluate_request){ .counts = COUNTS, .level = 3 });
	assert_int_equal(find(&e, true)->items[0].nremarks, 0);
	evaluated_release(&e);
	lineless->file = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows), cmocka_unit_test(test_none),
					    cmocka_unit_test(test_line_0) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
