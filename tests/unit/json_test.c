/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_test.c - what json_read refuses and how, and that json_write's documents are read back as they were. */
#include "rows.h"

#include <stdlib.h>

#include "common/json/json_read.h"
#include "common/json/json_write.h"
#include "cpu/load/glossary.h"

static const struct {
	const char *row, *text, *error;
} bad_texts[] = {
	/* clang-format off */
	{ "empty", "", "t: empty, where JSON is expected" },
	{ "no value", " ", "t: line 1, column 1: '[' or '{' expected near end of file" },
	{ "a word", "topdown", "t: line 1, column 7: '[' or '{' expected near 'topdown'" },
	{ "a lone number", "12", "t: line 1, column 2: '[' or '{' expected near '12'" },
	{ "third line", "{\n\"a\": 1,\n\"b\" 2}", "t: line 3, column 5: ':' expected near '2'" },
	{ "comma at the end", "[1,]", "t: line 1, column 4: unexpected token near ']'" },
	{ "more behind it", "{} {}", "t: line 1, column 4: end of file expected near '{'" },
	{ "not UTF-8", "[\"\xff\"]", "t: line 1, column 2: unable to decode byte 0xff near '\"'" },
	{ "control character", "[\x1b]", "t: line 1, column 2: invalid token near '?'" },
	{ "NUL in text", "[\"\\u0000\"]", "t: line 1, column 9: \\u0000 is not allowed without JSON_ALLOW_NUL near '\"\\u0000\"'" },
	{ "number too big", "[1e999]", "t: line 1, column 6: real number overflow near '1e999'" },
	/* clang-format on */
};

static void test_bad_texts(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(bad_texts); i++) {
		struct error err = { .text = "" };
		struct json *root = json_read_text(bad_texts[i].text, strlen(bad_texts[i].text), "t", &err);

		row_expect(&rows, bad_texts[i].row, !root, "was read");
		row_expect_text(&rows, bad_texts[i].row, err.text, bad_texts[i].error);
		json_free(root);
	}
	rows_end(&rows);
}

static const struct {
	const char *path, *error;
} bad_files[] = {
	/* clang-format off */
	{ "models/x.json", "models/x.json: No such file or directory" },
	{ "/",             "/: Is a directory" },
	{ "/dev/null",     "/dev/null: empty, where JSON is expected" },
	/* clang-format on */
};

static void test_bad_files(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(bad_files); i++) {
		struct error err = { .text = "" };

		row_expect(&rows, bad_files[i].path, !json_read_file(bad_files[i].path, &err), "was read");
		row_expect_text(&rows, bad_files[i].path, err.text, bad_files[i].error);
	}
	rows_end(&rows);
}

static void test_deep_nesting(void **state UNUSED)
{
	struct error err = { .text = "" };
	size_t length = 1000000;
	char *text = malloc(length);

	assert_non_null(text);
	memset(text, '[', length);
	assert_null(json_read_text(text, length, "deep", &err));
	assert_non_null(strstr(err.text, "maximum parsing depth"));
	free(text);
}

static int remember(void *context, const char *key, const struct json *value)
{
	strcat(strcat(context, key), json_is_null(value) ? "0 " : " ");
	return !strcmp(key, "stop") ? 7 : 0;
}

static void test_access(void **state UNUSED)
{
	static const char text[] =
		"{\"z\":1,\"a\":null,\"text\":\"é\",\"list\":[1.5,true,false,-3],\"a\":2,\"stop\":0,\"b\":0}";
	struct error err = { .text = "" };
	struct json *root = json_read_text(text, strlen(text), "t", &err);
	const struct json *list = json_get(root, "list");
	char keys[64] = "";

	assert_string_equal(err.text, "");
	assert_int_equal(json_each(root, remember, keys), 7);
	assert_string_equal(keys, "z a text list stop ");
	assert_int_equal(json_whole(json_get(root, "a"), 9), 2);
	assert_string_equal(json_text(json_get(root, "text")), "é");
	assert_int_equal(json_size(list), 4);
	assert_true(json_number(json_at(list, 0)) == 1.5);
	assert_int_equal(json_whole(json_at(list, 0), 9), 9);
	assert_int_equal(json_whole(json_at(list, 1), 9), 1);
	assert_int_equal(json_whole(json_at(list, 2), 9), 0);
	assert_int_equal(json_whole(json_at(list, 3), 9), -3);
	assert_true(json_is_true(json_at(list, 1)) && !json_is_true(json_at(list, 2)));
	assert_true(isnan(json_number(json_at(list, 4))));
	json_free(root);
}

/* Everything may be asked of nothing. */
static void test_nothing(void **state UNUSED)
{
	assert_null(json_get(NULL, "a"));
	assert_null(json_at(NULL, 0));
	assert_null(json_text(NULL));
	assert_int_equal(json_size(NULL), 0);
	assert_true(isnan(json_number(NULL)));
	assert_int_equal(json_whole(NULL, 5), 5);
	assert_false(json_is_object(NULL) || json_is_array(NULL) || json_is_number(NULL));
	assert_int_equal(json_each(NULL, remember, NULL), 0);
	assert_string_equal(json_kind(NULL), "nothing");
	json_free(NULL);
}

/* One member "x" with the value; returns the document's text, to be freed. */
static char *number_text(double value)
{
	struct json_writer *writer = json_writer_new();
	struct error err = { .text = "" };
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	json_write_number(writer, "x", value);
	assert_int_equal(json_writer_finish(writer, out, &err), 0);
	fclose(out);
	return text;
}

static const struct {
	const char *text;
	double value;
} numbers[] = {
	/* clang-format off */
	{ "{\n  \"x\": 26.8\n}\n",                26.8 },
	{ "{\n  \"x\": 1000000\n}\n",             1e6 },
	{ "{\n  \"x\": 0\n}\n",                   0 },
	{ "{\n  \"x\": -3\n}\n",                  -3 },
	{ "{\n  \"x\": 0.30000000000000004\n}\n", 0.1 + 0.2 },
	{ "{\n  \"x\": 1e300\n}\n",               1e300 },
	{ "{\n  \"x\": null\n}\n",                (double)NAN },
	{ "{\n  \"x\": null\n}\n",                (double)INFINITY },
	/* clang-format on */
};

static void test_numbers(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(numbers); i++) {
		char *text = number_text(numbers[i].value);
		struct error err = { .text = "" };
		struct json *root = json_read_text(text, strlen(text), "t", &err);

		row_expect_text(&rows, numbers[i].text, text, numbers[i].text);
		if (isfinite(numbers[i].value))
			row_expect(&rows, numbers[i].text, json_number(json_get(root, "x")) == numbers[i].value,
				   "is another number");
		json_free(root);
		free(text);
	}
	rows_end(&rows);
}

static const struct {
	const char *row, *value, *written;
} strings[] = {
	/* clang-format off */
	{ "NULL",                 NULL,              "null" },
	{ "plain",                "./prog -n 4",     "\"./prog -n 4\"" },
	{ "quotes",               "a\"b\\c",         "\"a\\\"b\\\\c\"" },
	{ "control characters",   "\x1b[31m\n\t",    "\"\\u001B[31m\\n\\t\"" },
	{ "UTF-8",                "é→",              "\"é→\"" },
	{ "C1 control character", "\xc2\x9b" "31mé", "\"\\u009B31m\\u00E9\"" },
	{ "bytes",                "a\xff\xfe" "b",   "\"a\xef\xbf\xbd\xef\xbf\xbd" "b\"" },
	{ "cut off",              "a\xe2\x86",       "\"a\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "surrogate",            "\xed\xa0\x80",    "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "overlong",             "\xc0\x80",        "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
	/* clang-format on */
};

static void test_strings(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(strings); i++) {
		struct json_writer *writer = json_writer_new();
		struct error err = { .text = "" };
		char *text = NULL, expected[128];
		size_t length = 0;
		FILE *out = open_memstream(&text, &length);

		json_write_string(writer, "x", strings[i].value);
		row_expect(&rows, strings[i].row, json_writer_finish(writer, out, &err) == 0, err.text);
		fclose(out);
		snprintf(expected, sizeof(expected), "{\n  \"x\": %s\n}\n", strings[i].written);
		row_expect_text(&rows, strings[i].row, text, expected);
		free(text);
	}
	rows_end(&rows);
}

/* The document's text, to be freed; NULL and err where it could not be written. */
static char *finish(struct json_writer *writer, struct error *err)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	int result = json_writer_finish(writer, out, err);

	fclose(out);
	if (result == 0)
		return text;
	free(text);
	return NULL;
}

/* Arrays of numbers stand where they were opened, each number as short as it can be. */
static void test_number_arrays(void **state UNUSED)
{
	static const char expected[] =
		"{\n"
		"  \"before\": 0.10000000000000001,\n"
		"  \"columns\": {\n"
		"    \"none\": [],\n"
		"    \"list\": [],\n"
		"    \"whole\": [0,-1,9223372036854775807,-9223372036854775808,\"9223372036854775808\"],\n"
		"    \"real\": [0.1,0.30000000000000004,null,7,1e+300]\n"
		"  },\n"
		"  \"more\": [\n"
		"    [1],\n"
		"    [\n"
		"      2\n"
		"    ]\n"
		"  ],\n"
		"  \"after\": 0.30000000000000004\n"
		"}\n";
	struct json_writer *writer = json_writer_new();
	struct error err = { .text = "" };
	char *text;

	json_write_number(writer, "before", 0.1);
	json_write_object(writer, "columns");
	json_write_numbers(writer, "none");
	json_write_end(writer);
	json_write_array(writer, "list");
	json_write_end(writer);
	json_write_numbers(writer, "whole");
	json_write_integer(writer, NULL, 0);
	json_write_number(writer, NULL, -1);
	json_write_u64(writer, NULL, INT64_MAX);
	json_write_integer(writer, NULL, INT64_MIN);
	json_write_u64(writer, NULL, (uint64_t)INT64_MAX + 1);
	json_write_end(writer);
	json_write_numbers(writer, "real");
	json_write_number(writer, NULL, 0.1);
	json_write_number(writer, NULL, 0.1 + 0.2);
	json_write_number(writer, NULL, (double)NAN);
	json_write_number(writer, NULL, 7.0);
	json_write_number(writer, NULL, 1e300);
	json_write_end(writer);
	json_write_end(writer);
	json_write_array(writer, "more");
	json_write_numbers(writer, NULL);
	json_write_integer(writer, NULL, 1);
	json_write_end(writer);
	json_write_array(writer, NULL);
	json_write_integer(writer, NULL, 2);
	json_write_end(writer);
	json_write_end(writer);
	json_write_number(writer, "after", 0.1 + 0.2);
	text = finish(writer, &err);
	assert_string_equal(err.text, "");
	assert_string_equal(text, expected);
	free(text);
}

/* More than any buffer on the way: each number is read back, and so is what follows. */
static void test_many_numbers(void **state UNUSED)
{
	enum { MANY = 100000 };
	struct json_writer *writer = json_writer_new();
	struct error err = { .text = "" };
	const struct json *list;
	struct json *root;
	char *text;

	json_writer_on_one_line(writer);
	json_write_numbers(writer, "x");
	for (long long i = 0; i < MANY; i++)
		json_write_integer(writer, NULL, i * i);
	json_write_end(writer);
	json_write_string(writer, "y", "z");
	text = finish(writer, &err);
	assert_non_null(text);
	root = json_read_text(text, strlen(text), "t", &err);
	list = json_get(root, "x");
	assert_int_equal(json_size(list), MANY);
	for (size_t i = 0; i < MANY; i++)
		assert_true(json_whole(json_at(list, i), -1) == (long long)(i * i));
	assert_string_equal(json_text(json_get(root, "y")), "z");
	json_free(root);
	free(text);
}

/* What an array of numbers must not get is a mistake of the caller, and no document. */
static void test_no_numbers(void **state UNUSED)
{
	static const char *const rows[] = { "text", "a list", "a key", "the same key twice" };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct json_writer *writer = json_writer_new();
		struct error err = { .text = "" };

		json_write_numbers(writer, "x");
		if (i == 0)
			json_write_string(writer, NULL, "y");
		else if (i == 1)
			json_write_array(writer, NULL);
		else if (i == 2)
			json_write_integer(writer, "y", 1);
		json_write_end(writer);
		if (i == 3) {
			json_write_numbers(writer, "x");
			json_write_end(writer);
		}
		assert_null(finish(writer, &err));
		assert_int_equal(strncmp(err.text, "can't write JSON", 16), 0);
		error_clear(&err);
	}
}

static void test_full_disk(void **state UNUSED)
{
	FILE *full = fopen("/dev/full", "w");
	struct error err = { .text = "" };
	struct json_writer *writer = json_writer_new();

	assert_non_null(full);
	json_write_string(writer, "x", "y");
	assert_int_equal(json_writer_finish(writer, full, &err), -1);
	assert_string_equal(err.text,
			    "can't write the output: No space left on device: `df` shows which file system is full");
	fclose(full);
}

/* Wrong nesting is a mistake of the caller: an error, no crash. */
static void test_wrong_nesting(void **state UNUSED)
{
	struct error err = { .text = "" };
	struct json_writer *writer = json_writer_new();

	json_write_string(writer, NULL, "no key in an object");
	assert_int_equal(json_writer_finish(writer, stderr, &err), -1);
	error_clear(&err);
	writer = json_writer_new();
	for (int i = 0; i < 40; i++)
		json_write_array(writer, i ? NULL : "a");
	json_write_integer(writer, NULL, 1);
	assert_int_equal(json_writer_finish(writer, stderr, &err), -1);
	error_clear(&err);
	writer = json_writer_new();
	json_write_end(writer);
	assert_int_equal(json_writer_finish(writer, stderr, &err), -1);
}

#define GLOSSARY TOPDOWN_SOURCE_DIR "/models/glossary.json"

/* One entry is read without the rest, so the whole file is read here. */
static void test_glossary(void **state UNUSED)
{
	struct error err = { 0 };
	struct json *whole = json_read_file(GLOSSARY, &err);
	struct glossary_entry entry;
	struct arena arena;

	arena_init(&arena);
	assert_true(json_is_object(whole));
	assert_int_equal(glossary_read_entry(&entry, GLOSSARY, "tma_frontend_bound", &arena, &err), 0);
	assert_string_equal(entry.means, json_text(json_get(json_get(whole, "tma_frontend_bound"), "means")));
	assert_string_equal(entry.advice, json_text(json_get(json_get(whole, "tma_frontend_bound"), "try")));
	assert_int_equal(glossary_read_entry(&entry, GLOSSARY, "tma_no_such_node", &arena, &err), 0);
	assert_null(entry.means);
	assert_int_equal(glossary_read_entry(&entry, GLOSSARY, "Header", &arena, &err), 0);
	assert_null(entry.means);
	assert_int_equal(glossary_read_entry(&entry, GLOSSARY ".missing", "Header", &arena, &err), -1);
	assert_non_null(strstr(err.text, "No such file"));
	json_free(whole);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_texts),     cmocka_unit_test(test_bad_files),
		cmocka_unit_test(test_deep_nesting),  cmocka_unit_test(test_access),
		cmocka_unit_test(test_nothing),	      cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_strings),	      cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_number_arrays), cmocka_unit_test(test_many_numbers),
		cmocka_unit_test(test_no_numbers),    cmocka_unit_test(test_wrong_nesting),
		cmocka_unit_test(test_glossary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
