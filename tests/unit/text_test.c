/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_test.c - the base: names, numbers, lists, growing strings and arrays, nearest names, errors. */
#include "rows.h"

#include <stdlib.h>

#include "common/base/error.h"
#include "common/base/text.h"

static const struct {
	const char *a, *b;
	bool is_same, is_prefix; /* b of a */
} name_rows[] = {
	/* clang-format off */
	{ "slots",   "SLOTS",  true,  true },
	{ "slots",   "slot",   false, true },
	{ "slot",    "slots",  false, false },
	{ "",        "",       true,  true },
	{ "a",       "",       false, true },
	{ "a_B.9",   "A_b.9",  true,  true },
	{ "a[",      "a{",     false, false }, /* 32 apart, but no letters */
	{ "\xc4",    "\xe4",   false, false }, /* ASCII only */
	/* clang-format on */
};

static void test_names(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	for (size_t i = 0; i < COUNT_OF(name_rows); i++) {
		row_expect(&rows, name_rows[i].a, is_same_name(name_rows[i].a, name_rows[i].b) == name_rows[i].is_same,
			   "same or not?");
		row_expect(&rows, name_rows[i].a,
			   has_name_prefix(name_rows[i].a, name_rows[i].b) == name_rows[i].is_prefix, "prefix or not?");
	}
	arena_init(&arena);
	row_expect_text(&rows, "lower", text_lower(&arena, "L1D_Miss \xc4"), "l1d_miss \xc4");
	row_expect_text(&rows, "upper", text_upper(&arena, "l1d_Miss \xe4"), "L1D_MISS \xe4");
	arena_release(&arena);
	rows_end(&rows);
}

static const struct {
	const char *text;
	bool is_number;
	uint64_t value;
} whole_rows[] = {
	/* clang-format off */
	{ "0", true, 0 },
	{ "42", true, 42 },
	{ " \t42\n", true, 42 },
	{ "010", true, 10 },
	{ "0x1F", true, 31 },
	{ "0X1f", true, 31 },
	{ "0xffffffffffffffff", true, UINT64_MAX },
	{ "18446744073709551615", true, UINT64_MAX },
	{ "18446744073709551616", false, 0 },
	{ "0x10000000000000000", false, 0 },
	{ "", false, 0 },
	{ " ", false, 0 },
	{ "0x", false, 0 },
	{ "0xg", false, 0 },
	{ "-1", false, 0 },
	{ "+1", false, 0 },
	{ "1 2", false, 0 },
	{ "1e3", false, 0 },
	{ "1.0", false, 0 },
	{ "12x", false, 0 },
	{ "x12", false, 0 },
	/* clang-format on */
};

static const struct {
	const char *text;
	bool is_number;
	double value;
} real_rows[] = {
	/* clang-format off */
	{ "1.5", true, 1.5 },
	{ " 1.5\r\n", true, 1.5 },
	{ "-2", true, -2 },
	{ "+2", true, 2 },
	{ ".5", true, 0.5 },
	{ "-.5", true, -0.5 },
	{ "5.", true, 5 },
	{ "1e9", true, 1e9 },
	{ "1E-9", true, 1e-9 },
	{ "1e+2", true, 100 },
	{ "1,5", false, 0 },
	{ "", false, 0 },
	{ "-", false, 0 },
	{ "+", false, 0 },
	{ ".", false, 0 },
	{ "-.", false, 0 },
	{ "--1", false, 0 },
	{ "1 2", false, 0 },
	{ "1%", false, 0 },
	{ "nan", false, 0 },
	{ "-nan", false, 0 },
	{ "inf", false, 0 },
	{ "-inf", false, 0 },
	{ "0x10", false, 0 },
	{ "-0x10", false, 0 },
	/* clang-format on */
};

static const struct {
	const char *text;
	double value;
	const char *rest; /* NULL: no number */
} prefix_rows[] = {
	/* clang-format off */
	{ "100%", 100, "%" },
	{ "1e3per_1k_instr", 1000, "per_1k_instr" },
	{ "1per_instr", 1, "per_instr" },
	{ "64Bytes", 64, "Bytes" },
	{ "1E", 1, "E" },
	{ "1e%", 1, "e%" },
	{ "6.25e-5MiB", 6.25e-5, "MiB" },
	{ "0xs", 0, "xs" },
	{ "4", 4, "" },
	{ "MB/s", 0, NULL },
	{ "", 0, NULL },
	/* clang-format on */
};

static void test_numbers(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(whole_rows); i++) {
		uint64_t value = 77;
		bool is_number = text_u64(whole_rows[i].text, &value);

		row_expect(&rows, whole_rows[i].text, is_number == whole_rows[i].is_number, "number or not?");
		row_expect(&rows, whole_rows[i].text, value == (is_number ? whole_rows[i].value : 77), "value");
	}
	for (size_t i = 0; i < COUNT_OF(real_rows); i++) {
		double value = 77;
		bool is_number = text_double(real_rows[i].text, &value);

		row_expect(&rows, real_rows[i].text, is_number == real_rows[i].is_number, "number or not?");
		row_expect_number(&rows, real_rows[i].text, value, is_number ? real_rows[i].value : 77);
	}
	for (size_t i = 0; i < COUNT_OF(prefix_rows); i++) {
		const char *rest = NULL;
		double value = 0;

		row_expect(&rows, prefix_rows[i].text,
			   text_double_prefix(prefix_rows[i].text, &rest, &value) == !!prefix_rows[i].rest,
			   "number or not?");
		row_expect_number(&rows, prefix_rows[i].text, value, prefix_rows[i].value);
		row_expect_text(&rows, prefix_rows[i].text, rest, prefix_rows[i].rest);
	}
	rows_end(&rows);
}

/* A list taken apart and put together again with '|'. */
static const struct {
	const char *list, *separators, *parts;
} list_rows[] = {
	/* clang-format off */
	{ "a;b; c",        ";",  "a|b|c" },
	{ "",              ";",  "" },
	{ " ; ;; ",        ";",  "" },
	{ "one",           ";",  "one" },
	{ " two words ;x", ";",  "two words|x" },
	{ "a,b;c",         ";,", "a|b|c" },
	{ "0xB7,0xBB",     ",",  "0xB7|0xBB" },
	{ "a;",            ";",  "a" },
	{ ";a",            ";",  "a" },
	/* clang-format on */
};

static const struct {
	const char *text;
	size_t length;
	bool is_range;
	uint64_t low, high;
} range_rows[] = {
	/* clang-format off */
	{ "7",      1, true,  7, 7 },
	{ "0-63",   4, true,  0, 63 },
	{ "0-63,8", 4, true,  0, 63 },
	{ "5-5",    3, true,  5, 5 },
	{ "6-5",    3, false, 0, 0 },
	{ "1-",     2, false, 0, 0 },
	{ "-1",     2, false, 0, 0 },
	{ "1-2-3",  5, false, 0, 0 },
	{ "x",      1, false, 0, 0 },
	{ "",       0, false, 0, 0 },
	/* clang-format on */
};

static void test_ranges(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(range_rows); i++) {
		uint64_t low = 0, high = 0;

		row_expect(&rows, range_rows[i].text,
			   text_range(range_rows[i].text, range_rows[i].length, &low, &high) == range_rows[i].is_range,
			   "is it a range?");
		row_expect(&rows, range_rows[i].text, low == range_rows[i].low && high == range_rows[i].high,
			   "its ends");
	}
	rows_end(&rows);
}

static void test_lists(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(list_rows); i++) {
		struct string parts = STRING_INIT(&arena);
		const char *cursor = list_rows[i].list, *part;
		size_t length;

		while ((length = text_next(&cursor, list_rows[i].separators, &part)) > 0)
			string_printf(&parts, "%s%.*s", parts.length ? "|" : "", (int)length, part);
		row_expect_text(&rows, list_rows[i].list, parts.text, list_rows[i].parts);
	}
	arena_release(&arena);
	row_expect(&rows, "word", has_word("a; bc;d", ";", "bc"), "is there");
	row_expect(&rows, "word", !has_word("a;bcd", ";", "bc"), "only a part of one");
	row_expect(&rows, "word", !has_word("a;BC", ";", "bc"), "case counts");
	row_expect(&rows, "word", !has_word("", ";", ""), "nothing is no word");
	rows_end(&rows);
}

static const struct {
	const char *typed, *near;
} near_rows[] = {
	/* clang-format off */
	{ "cascadelakes",  "cascadelakex or skylakex" }, /* 1 and 7 of 12 letters wrong */
	{ "CASCADELAKEX",  "cascadelakex or skylakex" },
	{ "skylake",       "skylakex" },
	{ "neoverse",      "neoverse-n1 or neoverse-v1" },
	{ "neoverse-n2",   "neoverse-n1 or neoverse-v1" },
	{ "arm",           "generic-arm or generic-arm-stalls" }, /* though neither is as near as SRF */
	{ "Generic",       "generic-arm or generic-arm-stalls" },
	{ "sapphire",      "sapphirerapids" },
	{ "SRX",           "SRF" },
	{ "sxyz",          NULL }, /* 3 of 4 letters are not those of SRF */
	{ "--sxyz",        NULL },
	{ "zzzzzz",        NULL },
	{ "quantum9000",   NULL },
	/* clang-format on */
};

static void test_nearest(void **state UNUSED)
{
	static const char *const names[] = { "skylakex", "cascadelakex", "sapphirerapids",
					     "amdzen4",	 "neoverse-n1",	 "neoverse-v1",
					     "SRF",	 "generic-arm",	 "generic-arm-stalls" };
	struct rows rows = { 0 };
	struct arena arena;
	char endless[4096];

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(near_rows); i++)
		row_expect_text(&rows, near_rows[i].typed,
				nearest_names(&arena, near_rows[i].typed, names, COUNT_OF(names)), near_rows[i].near);
	row_expect_text(&rows, "three at most",
			nearest_names(&arena, "aa", (const char *[]){ "ab", "ac", "ad", "ae" }, 4), "ab, ac or ad");
	row_expect_text(&rows, "each once", nearest_names(&arena, "aa", (const char *[]){ "ab", "ac", "ab", "ac" }, 4),
			"ab or ac");
	row_expect_text(&rows, "best first", nearest_names(&arena, "abcdef", (const char *[]){ "abcdxx", "abcdex" }, 2),
			"abcdex or abcdxx");
	row_expect_text(&rows, "no names", nearest_names(&arena, "a", NULL, 0), NULL);
	memset(endless, 'x', sizeof(endless) - 1);
	endless[sizeof(endless) - 1] = '\0';
	row_expect(&rows, "typed without end", nearest_names(&arena, endless, names, 1) != names[0], "survives");
	arena_release(&arena);
	rows_end(&rows);
}

static void test_growing(void **state UNUSED)
{
	struct string text;
	struct arena arena;
	size_t *numbers = NULL, capacity = 0;

	arena_init(&arena);
	text = STRING_INIT(&arena);
	assert_string_equal(text.text, "");
	for (size_t i = 0; i < 100000; i++) {
		numbers = arena_grow(&arena, numbers, i, &capacity, sizeof(*numbers));
		numbers[i] = i * i;
		string_printf(&text, "%c", (int)('a' + i % 26));
	}
	assert_true(capacity >= 100000 && capacity < 400000);
	for (size_t i = 0; i < 100000; i++)
		assert_true(numbers[i] == i * i && text.text[i] == (char)('a' + i % 26));
	assert_int_equal(text.length, 100000);
	assert_int_equal(strlen(text.text), 100000);
	string_addn(&text, "xyz", 0);
	assert_int_equal(text.length, 100000);
	arena_release(&arena);
}

static void test_arena(void **state UNUSED)
{
	struct arena arena;
	char *big, *text;

	arena_init(&arena);
	for (size_t size = 0; size < 3000; size += 7) {
		unsigned char *memory = arena_alloc(&arena, size);

		assert_int_equal((uintptr_t)memory % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(memory[i], 0);
		memset(memory, 0xff, size);
	}
	big = arena_alloc(&arena, 1000000);
	big[999999] = 'x';
	text = arena_strndup(&arena, "abcdef", 3);
	assert_string_equal(text, "abc");
	assert_string_equal(arena_printf(&arena, "%s-%d", text, 7), "abc-7");
	assert_int_equal(strlen(arena_printf(&arena, "%100000d", 1)), 100000);
	arena_release(&arena);
	arena_release(&arena);
	assert_string_equal(arena_strdup(&arena, "again"), "again");
	arena_release(&arena);
}

static void test_errors(void **state UNUSED)
{
	struct error err = { .text = "" };
	char endless[5000];

	assert_false(is_error(&err));
	assert_int_equal(error_set(&err, "number %d", 7), -1);
	assert_int_equal(error_set(&err, "a second one"), -1);
	assert_int_equal(error_in(&err, "line %d", 3), -1);
	assert_int_equal(error_in(&err, "file"), -1);
	assert_string_equal(err.text, "file: line 3: number 7");
	error_clear(&err);
	assert_false(is_error(&err));
	memset(endless, 'x', sizeof(endless) - 1);
	endless[sizeof(endless) - 1] = '\0';
	for (int i = 0; i < 10; i++) {
		error_set(&err, "%s", endless);
		error_in(&err, "%s", endless);
	}
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_memory_equal(err.text, "xxxx", 4);
}

/* Where a long path or message is cut, in the middle of it: by bytes of the UTF-8 character there. */
static void test_long_errors(void **state UNUSED)
{
	static const char *const characters[] = { "x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80" };
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(characters); i++) {
		size_t width = strlen(characters[i]);
		struct error err = { .text = "" };
		char *text = calloc(2000, width + 1), *end;

		for (size_t k = 0; k < 2000; k++)
			memcpy(text + k * width, characters[i], width);
		error_set(&err, "%s", text);
		end = strstr(err.text, "...");
		row_expect(&rows, characters[i], end && !end[3], "the message does not end in ...");
		row_expect(&rows, characters[i], end && (size_t)(end - err.text) % width == 0,
			   "it ends in half a character");
		row_expect(&rows, characters[i], strlen(err.text) > sizeof(err.text) - 8, "it is cut too short");
		error_clear(&err);
		error_set(&err, "why");
		error_in(&err, "%s", text);
		end = strstr(err.text, "...");
		row_expect_text(&rows, characters[i], end ? end : "", "...: why");
		row_expect(&rows, characters[i], end && (size_t)(end - err.text) % width == 0,
			   "the prefix ends in half a character");
		row_expect(&rows, characters[i], strlen(err.text) > 500, "the prefix is cut too short");
		free(text);
	}
	rows_end(&rows);
}

/* Names in braces by the front end's words, here those of run.c; what a format formats stays. */
static void test_words(void **state UNUSED)
{
	static const struct {
		const char *text, *worded;
	} table[] = {
		{ "", "" },
		{ "{pmu sim} needs {l} 3", "--pmu sim needs -l 3" },
		{ "{D -1}, {x-y}", "-D -1, --x-y" },
		{ "{}, {, a{b, {\"format\": 1}, {%s}, {a_b}", "{}, {, a{b, {\"format\": 1}, {%s}, {a_b}" },
		{ "{cut} here", "--cut he" },
	};
	struct rows rows = { 0 };
	struct error err = { .text = "" };
	struct arena arena;
	char room[64];

	for (size_t i = 0; i < COUNT_OF(table); i++)
		row_expect_text(&rows, table[i].text,
				text_worded(room, i + 1 < COUNT_OF(table) ? sizeof(room) : 9, table[i].text),
				table[i].worded);
	text_worded(room, 5, "{longer}");
	row_expect_text(&rows, "a name that is cut", room, "--lo");
	arena_init(&arena);
	row_expect_text(&rows, "arena", arena_worded(&arena, "{save} %s", "{save}"), "--save {save}");
	error_set(&err, "{save} %s", "{save}");
	error_in(&err, "{l}%d of %s", 3, "{l}");
	row_expect_text(&rows, "an error", err.text, "-l3 of {l}: --save {save}");
	arena_release(&arena);
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),  cmocka_unit_test(test_numbers), cmocka_unit_test(test_lists),
		cmocka_unit_test(test_ranges), cmocka_unit_test(test_nearest), cmocka_unit_test(test_growing),
		cmocka_unit_test(test_arena),  cmocka_unit_test(test_errors),  cmocka_unit_test(test_long_errors),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
