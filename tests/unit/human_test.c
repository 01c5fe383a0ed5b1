/* SPDX-License-Identifier: GPL-2.0-or-later */
/* human_test.c - numbers as people read them, and text that no terminal obeys. */
#include "rows.h"

#include "common/base/cells.h"
#include "present/document/human.h"

static const struct {
	double value;
	const char *count, *seconds;
} numbers[] = {
	{ 0, "0", "0 s" },
	{ 1, "1", "1.00 s" },
	{ 0.5, "0.50", "500 ms" },
	{ 0.0123, "0.01", "12.3 ms" },
	{ 0.00000456, "0.00", "4.56 us" },
	{ 999, "999", "999 s" },
	{ 999.6, "1.00 k", "1000 s" },
	{ 1000, "1.00 k", "1000 s" },
	{ 9.996, "10.0", "10.0 s" },
	{ 99.96, "100", "100 s" },
	{ 1234567, "1.23 M", "1234567 s" },
	{ 999999, "1.00 M", "999999 s" },
	{ 1.234e9, "1.23 G", "1234000000 s" },
	{ 5.5e12, "5.50 T", "5500000000000 s" },
	{ 123e18, "123 E", "123000000000000000000 s" },
	{ -1500, "-1.50 k", "-1500 s" },
	{ (double)NAN, "-", "-" },
	{ (double)INFINITY, "-", "-" },
};

static void test_numbers(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(numbers); i++) {
		row_expect_text(&rows, numbers[i].count, human_count(&arena, numbers[i].value), numbers[i].count);
		row_expect_text(&rows, numbers[i].seconds, human_seconds(&arena, numbers[i].value), numbers[i].seconds);
	}
	row_expect_text(&rows, "minus nothing", human_fixed(&arena, -0.04, 1), "0.0");
	row_expect_text(&rows, "minus something", human_fixed(&arena, -0.06, 1), "-0.1");
	row_expect_text(&rows, "no number", human_fixed(&arena, (double)NAN, 1), "-");
	row_expect_text(&rows, "plain", plain_number(&arena, 26.8), "26.8");
	row_expect_text(&rows, "plain no number", plain_number(&arena, (double)NAN), "");
	arena_release(&arena);
	rows_end(&rows);
}

static const struct {
	const char *unit, *domain, *printed_unit;
	unsigned level;
	double value;
	const char *printed;
} metrics[] = {
	{ "%", "Slots", "% slots", 1, 26.84, "26.8" },
	{ "%", "Slots_Estimated", "% slots", 2, 100, "100.0" },
	{ "%", "Clocks_Calculated", "% clocks", 4, 0.04, "0.0" },
	{ "%", "Core_Clocks", "% core clocks", 4, 3, "3.0" },
	{ "%", "Stalls", "% stalls", 3, 3, "3.0" },
	{ "%", "", "%", 1, 3, "3.0" },
	{ "%", "Metric", "%", 0, 3.21, "3.2" },
	{ "MPKI", "Metric", "MPKI", 0, 12.345, "12.3" },
	{ "per cycle", "Metric", "per cycle", 0, 1.239, "1.24" },
	{ "", "Metric", "", 0, 0.00123, "0.00123" },
	{ "", "Metric", "", 0, 0.1, "0.100" },
	{ "", "Metric", "", 0, 0.99949, "0.999" },
	{ "", "Metric", "", 0, 0.0000123, "1.23e-05" },
	{ "per_1k_instr", "Metric", "per 1k instr", 0, 5, "5.00" },
	{ "%", "Scaled_Slots", "% slots", 0, 5, "5.0" },
	{ "", "Count", "", 0, 1234567, "1.23 M" },
	{ "", "Count", "", 0, 123456, "123456" },
	{ "", "Count", "", 0, 0, "0.00" },
	{ "MB/s", "", "MB/s", 0, (double)NAN, "-" },
};

static const struct {
	const char *unit;
	double value, half;
	const char *printed;
} spreads[] = {
	{ "%", 41.2, 0.04, "0.0" },   { "%", 41.2, 0.06, "0.1" },	 { "", 1.21, 1.7e-16, "0.00" },
	{ "", 1.21, 0.0155, "0.02" }, { "", 0.826, 0.000739, "0.001" },	 { "", 0.001, 0.0000031, "0.00000" },
	{ "MPKI", 1210, 0.936, "1" }, { "", 67000000, 34302, "34.3 k" }, { "", 0.0000833, 0.00000412, "4.12e-06" },
	{ "", 0.0000833, 0, "0" },
};

static void test_spreads(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(spreads); i++) {
		struct metric metric = { .unit = spreads[i].unit, .domain = "" };

		row_expect_text(&rows, spreads[i].printed,
				human_spread(&arena, &metric, spreads[i].value, spreads[i].half), spreads[i].printed);
	}
	arena_release(&arena);
	rows_end(&rows);
}

static void test_metrics(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(metrics); i++) {
		struct metric metric = { .unit = metrics[i].unit,
					 .domain = metrics[i].domain,
					 .level = metrics[i].level };

		row_expect_text(&rows, metrics[i].printed_unit, human_unit(&arena, &metric), metrics[i].printed_unit);
		row_expect_text(&rows, metrics[i].printed, human_value(&arena, &metric, metrics[i].value),
				metrics[i].printed);
	}
	arena_release(&arena);
	rows_end(&rows);
}

static const struct {
	const char *text, *utf8, *ascii;
	size_t width; /* of utf8 */
} safe[] = {
	{ "plain ~", "plain ~", "plain ~", 7 },
	{ NULL, "-", "-", 1 },
	{ "", "", "", 0 },
	{ "a\nb\tc\r", "a\\nb\\tc\\r", "a\\nb\\tc\\r", 9 },
	{ "\x1b[31m\x7f\x01", "\\x1b[31m\\x7f\\x01", "\\x1b[31m\\x7f\\x01", 16 },
	{ "\xc2\x9b"
	  "31m",
	  "\\x9b31m", "\\x9b31m", 7 },
	{ "a\xff"
	  "b",
	  "a\\xffb", "a\\xffb", 6 },
	{ "\xe2\x86", "\\xe2\\x86", "\\xe2\\x86", 8 },
	{ "\xc0\xaf", "\\xc0\\xaf", "\\xc0\\xaf", 8 },
	{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\xf4\\x90\\x80\\x80", 16 },
	{ "\xe2\x80\xae"
	  "gpj",
	  "\\u202egpj", "\\u202egpj", 9 },
	{ "a → é…", "a → é…", "a -> ?...", 6 },
	{ "日本", "日本", "??", 4 },
	{ "::error::a ::b a::c", "\\x3a:error::a \\x3a:b a::c", "\\x3a:error::a \\x3a:b a::c", 25 },
	{ "a ##vso[task.x]## [", "a \\x23#vso[task.x]## [", "a \\x23#vso[task.x]## [", 22 },
	{ "e\xcc\x81", "e\xcc\x81", "e?", 1 },
};

static void test_safe(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(safe); i++) {
		row_expect_text(&rows, safe[i].utf8, cells_safe(&arena, safe[i].text, true), safe[i].utf8);
		row_expect_text(&rows, safe[i].ascii, cells_safe(&arena, safe[i].text, false), safe[i].ascii);
		row_expect(&rows, safe[i].utf8, cells_width(safe[i].utf8) == safe[i].width, "has another width");
	}
	arena_release(&arena);
	rows_end(&rows);
}

static const struct {
	const char *text;
	size_t width;
	const char *utf8, *ascii;
	size_t broken; /* bytes that cells_break leaves on the line */
} cuts[] = {
	{ "Backend_Bound", 13, "Backend_Bound", "Backend_Bound", 13 },
	{ "Backend_Bound", 12, "Backend_Bou…", "Backend_Bo..", 12 },
	{ "Backend_Bound", 1, "B", "B", 1 },
	{ "Backend_Bound", 0, "", "", 1 },
	{ "one two", 6, "one t…", "one ..", 3 },
	{ "one two", 3, "on…", "o..", 3 },
	{ "日本語", 5, "日本…", "日..", 6 },
	{ "日本語", 1, "", "", 3 },
	{ "", 0, "", "", 0 },
};

static void test_cuts(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(cuts); i++) {
		const char *name = arena_printf(&arena, "%s at %zu", cuts[i].text, cuts[i].width);

		row_expect_text(&rows, name, cells_cut(&arena, cuts[i].text, cuts[i].width, true), cuts[i].utf8);
		row_expect_text(&rows, name, cells_cut(&arena, cuts[i].text, cuts[i].width, false), cuts[i].ascii);
		row_expect(&rows, name, cells_break(cuts[i].text, cuts[i].width) == cuts[i].broken,
			   "is broken elsewhere");
	}
	arena_release(&arena);
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_metrics), cmocka_unit_test(test_spreads),
		cmocka_unit_test(test_safe),	cmocka_unit_test(test_cuts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
