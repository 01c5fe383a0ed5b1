/* SPDX-License-Identifier: GPL-2.0-or-later */
/* embedded_test.c - the files inside the program are those of events/ and models/, to the byte, and all readers take them. */
#include "rows.h"

#include "base/file.h"
#include "base/text.h"
#include "load/embedded.h"
#include "load/embedded_files.h"
#include "load/event.h"
#include "load/glossary.h"
#include "load/json_read.h"

static void expect_same(struct rows *rows, const char *file, struct arena *arena)
{
	struct error err = { .text = "" };
	const char *name = embedded_path(file, arena);
	size_t length = 0, expected_length;
	const char *expected = file_read(file, &expected_length, arena, &err);
	const char *content = name ? source_read(name, &length, arena, &err) : NULL;

	row_expect_text(rows, file, err.text, "");
	row_expect_text(rows, file, name, arena_printf(arena, BUILT_IN "%s", file));
	row_expect(rows, file, content && expected && length == expected_length && !memcmp(content, expected, length),
		   "is another file than on disk");
	row_expect(rows, file, !content || !content[length], "has no end");
}

static const struct {
	const char *folder, *suffix;
} file_rows[] = { { "events", ".json" },
		  { "events", ".csv" },
		  { "events/sim", ".json" },
		  { "events/sim", ".csv" },
		  { "models", ".json" } };

/* From the root of the repository, as all unit tests are run. */
static void test_all(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;
	size_t found = 0;

	for (size_t i = 0; i < COUNT_OF(file_rows); i++) {
		struct error err = { .text = "" };
		const char **names;
		size_t count;

		arena_init(&arena);
		names = directory_list(file_rows[i].folder, file_rows[i].suffix, &count, &arena, &err);
		assert_true(names && count);
		for (size_t k = 0; k < count; k++)
			expect_same(&rows, arena_printf(&arena, "%s/%s", file_rows[i].folder, names[k]), &arena);
		found += count;
		arena_release(&arena);
	}
	assert_int_equal(found, embedded_count);
	rows_end(&rows);
}

static const struct {
	const char *path;
	bool is_inside;
} path_rows[] = {
	/* clang-format off */
	{ "built-in:events/mapfile.csv",   true },
	{ "built-in:",                     true },
	{ "./built-in:events/mapfile.csv", false },
	{ "events/mapfile.csv",            false },
	{ "built-in",                      false },
	{ "-",                             false },
	/* clang-format on */
};

static void test_paths(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(path_rows); i++)
		row_expect(&rows, path_rows[i].path, is_embedded(path_rows[i].path) == path_rows[i].is_inside,
			   path_rows[i].is_inside ? "is taken for a file on disk" : "is taken for one inside");
	row_expect(&rows, "unknown", !embedded_path("events/unknown.json", &arena), "has a name");
	row_expect(&rows, "a folder", !embedded_path("events", &arena), "has a name");
	arena_release(&arena);
	rows_end(&rows);
}

/* On disk and inside: the same through each of the readers. */
static void test_readers(void **state UNUSED)
{
	struct event_database inside, on_disk;
	struct glossary_entry entry, expected;
	struct error err = { .text = "" };
	struct json *whole;
	struct arena arena;

	arena_init(&arena);
	assert_int_equal(event_database_load(&inside, BUILT_IN "events/cascadelakex.json", &arena, &err), 0);
	assert_int_equal(event_database_load(&on_disk, "events/cascadelakex.json", &arena, &err), 0);
	assert_int_equal(inside.count, on_disk.count);
	assert_string_equal(inside.title, on_disk.title);
	assert_int_equal(glossary_read_entry(&entry, BUILT_IN "models/glossary.json", "tma_dram_bound", &arena, &err),
			 0);
	assert_int_equal(glossary_read_entry(&expected, "models/glossary.json", "tma_dram_bound", &arena, &err), 0);
	assert_string_equal(entry.means, expected.means);
	whole = json_read_file(BUILT_IN "models/glossary.json", &err);
	assert_string_equal(json_text(json_get(json_get(whole, "tma_dram_bound"), "means")), expected.means);
	json_free(whole);
	arena_release(&arena);
}

static void test_missing(void **state UNUSED)
{
	struct event_database database;
	struct error err = { .text = "" };
	struct arena arena;
	size_t length;

	arena_init(&arena);
	assert_null(source_read(BUILT_IN "events/none.json", &length, &arena, &err));
	assert_string_equal(err.text, "built-in:events/none.json: no such file in the program");
	error_clear(&err);
	assert_int_equal(event_database_load(&database, BUILT_IN "events/none.json", &arena, &err), -1);
	assert_string_equal(err.text, "built-in:events/none.json: no such file in the program");
	error_clear(&err);
	assert_null(source_read("./" BUILT_IN "events/mapfile.csv", &length, &arena, &err));
	assert_string_equal(err.text, "./built-in:events/mapfile.csv: No such file or directory");
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_readers),
		cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests_name("embedded", tests, NULL, NULL);
}
