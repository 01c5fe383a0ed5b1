/* SPDX-License-Identifier: GPL-2.0-or-later */
/* formula_link_test.c - formulas that refer to each other: values, sharing, cycles, depths that no stack would bear. */
#include "formula_fixture.h"

enum { MAX_FORMULAS = 8 };

/* Metrics are called x, y, z and t in this order; events a=6, b=4, c=0. */
static const struct link_row {
	const char *row;
	const char *formulas[MAX_FORMULAS];
	double values[MAX_FORMULAS];
	const char *failures[MAX_FORMULAS];
	const char *used; /* by the first */
	size_t size;	  /* operations in all; 0: not looked at */
} link_rows[] = {
	/* clang-format off */
	{ "one", { "a + b" }, { 10 }, { NULL }, "a b", 3 },
	{ "shared operation", { "a + b", "(a + b) / b" }, { 10, 2.5 }, { NULL }, "a b", 4 },
	{ "equal formulas", { "a + b", "a + b", " a+b " }, { 10, 10, 10 }, { NULL }, "a b", 3 },
	{ "shared by a reference", { "a + b", "x / b", "(a + b) / b" }, { 10, 2.5, 2.5 }, { NULL }, "a b", 4 },
	{ "order is not swapped", { "a + b", "b + a" }, { 10, 10 }, { NULL }, "a b", 4 },
	{ "numbers are folded", { "2 * 3 + a" }, { 12 }, { NULL }, "a", 3 },
	{ "squared", { "(a + b) * (a + b)" }, { 100 }, { NULL }, "a b", 4 },
	{ "forward", { "y + 1", "z * 2", "a" }, { 13, 12, 6 }, { NULL }, "a", 0 },
	{ "any case", { "Y + 1", "Z", "a" }, { 7, 6, 6 }, { NULL }, "a", 0 },
	{ "diamond", { "y + z", "t * 2", "t * 3", "a" }, { 30, 12, 18, 6 }, { NULL }, "a", 0 },
	{ "constant through a reference", { "a if y else b", "0" }, { 4, 0 }, { NULL }, "b", 0 },
	{ "a reference folds to a constant", { "a if y > 1 else b", "z + 1", "1" }, { 6, 2, 1 }, { NULL }, "a", 0 },
	{ "untaken branch may fail", { "a if y else z", "1", "nope" }, { 6, 1, NAN }, { NULL, NULL, "column 1: unknown event 'nope'" }, "a", 0 },
	{ "untaken branch may be itself", { "a if y else x", "1" }, { 6, 1 }, { NULL }, "a", 0 },
	{ "itself", { "x + 1" }, { NAN }, { "refers to itself: x > x" }, "", 0 },
	{ "itself alone", { "x" }, { NAN }, { "refers to itself: x > x" }, "", 0 },
	{ "two", { "y", "x" }, { NAN, NAN }, { "refers to itself: y > x > y", "refers to itself: y > x > y" }, "", 0 },
	{ "two with operators", { "y + 1", "x + 1" }, { NAN, NAN }, { "refers to itself: y > x > y", "refers to itself: y > x > y" }, "", 0 },
	{ "three", { "y * 2", "z * 2", "x * 2" }, { NAN, NAN, NAN }, { "refers to itself: y > z > x > y", "refers to itself: y > z > x > y", "refers to itself: y > z > x > y" }, "", 0 },
	{ "a neighbour is not in the cycle", { "y + t", "a", "0", "x" }, { NAN, 6, 0, NAN }, { "refers to itself: t > x > t", NULL, NULL, "refers to itself: t > x > t" }, "", 0 },
	{ "nor on the other side", { "t + y", "a", "0", "x" }, { NAN, 6, 0, NAN }, { "refers to itself: t > x > t", NULL, NULL, "refers to itself: t > x > t" }, "", 0 },
	{ "in front of a cycle", { "y + 1", "z + 1", "y + 1" }, { NAN, NAN, NAN }, { "needs a metric that refers to itself: y > z > y", "refers to itself: y > z > y", "refers to itself: y > z > y" }, "", 0 },
	{ "needs a failed one", { "y + a", "nope" }, { NAN, NAN }, { "needs 'y': column 1: unknown event 'nope'", "column 1: unknown event 'nope'" }, "", 0 },
	{ "needs one that needs a failed one", { "y + a", "z + a", "(" }, { NAN, NAN, NAN }, { "needs 'z': column 2: expected a number, a name or '('", "needs 'z': column 2: expected a number, a name or '('", "column 2: expected a number, a name or '('" }, "", 0 },
	{ "needs none", { "t" }, { NAN }, { "needs 't': has no formula" }, "", 0 },
	{ "needs one far away", { "m500 + 1", "a", "m1000" }, { NAN, 6, NAN }, { "needs 'm500': has no formula", NULL, "needs 'm1000': has no formula" }, "", 0 },
	{ "not counted", { "y / c", "a" }, { NAN, 6 }, { NULL }, "a c", 0 },
	/* clang-format on */
};

static void check_row(struct rows *rows, const struct link_row *row)
{
	struct made_up m;

	made_up_init(&m, "a=6 b=4 c=0", "x y z t");
	for (size_t i = 0; i < MAX_FORMULAS && row->formulas[i]; i++) {
		struct error err = { .text = "" };

		if (program_add(m.program, i, row->formulas[i], &m.names, &err) < 0)
			row_expect_text(rows, row->row, err.text, row->failures[i]);
	}
	program_link(m.program, &m.names);
	for (size_t i = 0; i < MAX_FORMULAS && row->formulas[i]; i++) {
		row_expect_text(rows, row->row, program_failure(m.program, i), row->failures[i]);
		row_expect_number(rows, row->row, made_up_value(&m, i), row->values[i]);
	}
	for (size_t i = 0; i < MAX_FORMULAS && row->formulas[i]; i++) {
		struct program_slice slice = program_slice(m.program, i, &m.arena);
		double counts[MAX_EVENTS] = { 0 };

		made_up_counts(&m, counts);
		row_expect_number(rows, row->row, program_slice_eval(&slice, counts), row->values[i]);
	}
	row_expect_text(rows, row->row, made_up_used(&m, 0), row->used);
	if (row->size)
		row_expect_number(rows, row->row, (double)program_size(m.program), (double)row->size);
	made_up_release(&m);
}

static void test_links(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(link_rows); i++)
		check_row(&rows, &link_rows[i]);
	rows_end(&rows);
}

/* A slice has its own formula's operations, with those of what it refers to, and evaluates no others. */
static void test_slices(void **state UNUSED)
{
	static const char *const formulas[] = { "y / b", "a + b", "c * c - a * 7", "nope" };
	static const size_t operations[] = { 4, 3, 6, 0 };
	struct made_up m;

	made_up_init(&m, "a=6 b=4 c=0", "x y z t");
	for (size_t i = 0; i < COUNT_OF(formulas); i++) {
		struct error err = { .text = "" };

		assert_int_equal(program_add(m.program, i, formulas[i], &m.names, &err), i == 3 ? -1 : 0);
	}
	program_link(m.program, &m.names);
	for (size_t i = 0; i < COUNT_OF(formulas); i++) {
		struct program_slice slice = program_slice(m.program, i, &m.arena);

		assert_int_equal(slice.count, operations[i]);
	}
	made_up_release(&m);
}

static void test_empty_program(void **state UNUSED)
{
	struct made_up m;

	made_up_init(&m, "a=1", NULL);
	program_link(m.program, &m.names);
	assert_int_equal(program_size(m.program), 0);
	assert_string_equal(program_failure(m.program, 3), "has no formula");
	assert_null(program_text(m.program, 3));
	assert_true(isnan(made_up_value(&m, 3)));
	made_up_release(&m);
}

/* Adds text as formula `slot`; true on success. */
static bool add(struct made_up *m, size_t slot, const char *text)
{
	struct error err = { .text = "" };

	return program_add(m->program, slot, text, &m->names, &err) == 0;
}

enum { CHAIN = 100000, TERMS = 20000, DEEPEST = 200, PARENTHESES = 50000 };

/* m0 = m1 + 1, m1 = m2 + 1, ...; the last is what the caller passes. */
static void add_chain(struct made_up *m, const char *last)
{
	for (size_t i = 0; i < CHAIN; i++)
		if (!add(m, i, arena_printf(&m->arena, "m%zu + 1", i + 1)))
			abort();
	if (!add(m, CHAIN, last))
		abort();
	program_link(m->program, &m->names);
}

static bool is_long_chain_right(void)
{
	struct made_up m;
	bool is_right;

	made_up_init(&m, "a=6", NULL);
	add_chain(&m, "a");
	is_right = made_up_value(&m, 0) == CHAIN + 6 && made_up_value(&m, 1000) == CHAIN - 1000 + 6 &&
		   !strcmp(made_up_used(&m, 0), "a");
	made_up_release(&m);
	return is_right;
}

static bool is_long_cycle_told(void)
{
	struct made_up m;
	bool is_right;

	made_up_init(&m, "a=6", NULL);
	add_chain(&m, "m0 + 1");
	is_right = !strcmp(program_failure(m.program, 7),
			   "refers to itself: m1 > m2 > m3 > m4 > m5 > m6 > m7 > m8 > ... > m1");
	made_up_release(&m);
	return is_right;
}

static bool is_single_right(const char *text, const char *values, double expected)
{
	struct made_up m;
	bool is_right;

	made_up_init(&m, values, NULL);
	is_right = add(&m, 0, text);
	program_link(m.program, &m.names);
	is_right = is_right && made_up_value(&m, 0) == expected;
	made_up_release(&m);
	return is_right;
}

static bool is_long_sum_right(void)
{
	struct arena arena;
	struct string text;
	bool is_right;

	arena_init(&arena);
	text = STRING_INIT(&arena);
	for (size_t i = 0; i < TERMS; i++)
		string_add(&text, i ? "+a" : "a");
	is_right = text.length == 2 * TERMS - 1 && is_single_right(text.text, "a=3", 3.0 * TERMS);
	arena_release(&arena);
	return is_right;
}

static const char *nested(size_t levels, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < levels; i++)
		string_add(&text, i % 3 == 0 ? "(-" : i % 3 == 1 ? "max(1, " : "(1 + ");
	string_add(&text, "a");
	for (size_t i = 0; i < levels; i++)
		string_add(&text, ")");
	return text.text;
}

static bool is_deep_nesting_right(void)
{
	struct arena arena;
	bool is_right;

	arena_init(&arena);
	/* From the inside: max(1, 6) is 6, - makes it -6, 1 + makes it -5, max makes it 1, and from there on 1, -1, 0, 1. */
	is_right = is_single_right(nested(DEEPEST, &arena), "a=6", -1);
	arena_release(&arena);
	return is_right;
}

static const char *branches(size_t count, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < count; i++)
		string_printf(&text, "%zu if a < %zu else ", i * 2, i);
	string_add(&text, "7");
	return text.text;
}

static bool is_long_conditional_right(void)
{
	struct arena arena;
	bool is_right;

	arena_init(&arena);
	is_right = is_single_right(branches(DEEPEST, &arena), "a=123.5", 2 * 124) &&
		   is_single_right(branches(DEEPEST, &arena), "a=200", 7);
	arena_release(&arena);
	return is_right;
}

static bool is_refused(const char *text, const char *expected)
{
	struct error err = { .text = "" };
	struct made_up m;
	bool is_right;

	made_up_init(&m, "a=1", NULL);
	is_right = program_add(m.program, 0, text, &m.names, &err) < 0 && !strcmp(err.text, expected);
	made_up_release(&m);
	return is_right;
}

#define TOO_DEEP ": too deep: at most 200 levels of parentheses and conditionals"

/* 67 of "(-", 67 of "max(1, " and 66 of "(1 + " are 933 characters; what is refused stands behind the next "(". */
static bool is_too_deep_refused(void)
{
	struct arena arena;
	bool is_right;

	arena_init(&arena);
	is_right = is_refused(nested(DEEPEST + 1, &arena), "column 935" TOO_DEEP) &&
		   is_refused(branches(DEEPEST + 1, &arena),
			      arena_printf(&arena, "column %zu" TOO_DEEP, strlen(branches(DEEPEST + 1, &arena))));
	arena_release(&arena);
	return is_right;
}

static bool is_unclosed_nesting_refused(void)
{
	char *text = malloc(PARENTHESES + 1);
	bool is_right;

	memset(text, '(', PARENTHESES);
	text[PARENTHESES] = '\0';
	is_right = is_refused(text, "column 202" TOO_DEEP);
	free(text);
	return is_right;
}

static void test_depths(void **state UNUSED)
{
	static const struct {
		const char *row;
		bool (*body)(void);
	} depths[] = {
		/* clang-format off */
		{ "100,000 references in a chain", is_long_chain_right },
		{ "100,001 references in a circle", is_long_cycle_told },
		{ "a sum of 20,000 terms",         is_long_sum_right },
		{ "200 nested parentheses",        is_deep_nesting_right },
		{ "200 conditionals in a chain",   is_long_conditional_right },
		{ "201 of either",                 is_too_deep_refused },
		{ "50,000 parentheses never closed", is_unclosed_nesting_refused },
		/* clang-format on */
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(depths); i++)
		row_expect(&rows, depths[i].row, is_fine_on_small_stack(depths[i].body), "wrong, or killed");
	rows_end(&rows);
}

/* x corrects by a and b; y uses x, z reads a beside it, t is that event. */
static void test_reads_beside(void **state UNUSED)
{
	static const char *const formulas[] = { "c + a / b", "max(x - b, 0)", "x * a", "a" };
	static const size_t slots[] = { 0, 3 };
	static const bool expected[] = { false, false, true, true };
	bool reads[COUNT_OF(formulas)];
	struct error err = { .text = "" };
	struct made_up m;

	made_up_init(&m, "a=6 b=4 c=0", "x y z t");
	for (size_t i = 0; i < COUNT_OF(formulas); i++)
		assert_int_equal(program_add(m.program, i, formulas[i], &m.names, &err), 0);
	program_link(m.program, &m.names);
	program_reads_beside(m.program, 0, slots, COUNT_OF(slots), reads);
	assert_memory_equal(reads, expected, sizeof(expected));
	program_reads_beside(m.program, 1, slots, 1, reads);
	assert_false(reads[0]);
	assert_true(reads[1]);
	program_reads_beside(m.program, 0, slots, 0, reads);
	assert_true(reads[0] && reads[1] && reads[2] && reads[3]);
	made_up_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_links),  cmocka_unit_test(test_empty_program),
		cmocka_unit_test(test_slices), cmocka_unit_test(test_reads_beside),
		cmocka_unit_test(test_depths),
	};

	return cmocka_run_group_tests_name("formula_link", tests, NULL, NULL);
}
