/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * embedded_test.c - what is inside the program is what events/ and models/ say: texts to the byte, and of CPUs' files each value
 * that the loader reads out of them.
 */
#include "rows.h"

#include <math.h>

#include "common/base/text.h"
#include "common/system/embedded.h"
#include "common/system/file.h"
#include "cpu/load/glossary.h"
#include "cpu/load/tables.h"
#include "scratch.h"

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool is_same_value(const void *a, const void *b, enum column_kind kind)
{
	switch (kind) {
	case COLUMN_TEXT: return is_same_text(*(const char *const *)a, *(const char *const *)b);
	case COLUMN_U64: return *(const uint64_t *)a == *(const uint64_t *)b;
	case COLUMN_UNSIGNED: return *(const unsigned *)a == *(const unsigned *)b;
	case COLUMN_BOOL: return *(const bool *)a == *(const bool *)b;
	case COLUMN_DOUBLE:
		return !memcmp(a, b, sizeof(double)) || (isnan(*(const double *)a) && isnan(*(const double *)b));
	}
	return false;
}

static bool is_same_row(const void *a, const void *b, const struct columns *columns)
{
	for (size_t i = 0; i < columns->count; i++) {
		const struct column *column = &columns->items[i];

		if (!is_same_value((const char *)a + column->offset, (const char *)b + column->offset, column->kind))
			return false;
	}
	return true;
}

static void expect_events(struct rows *rows, const char *name, const char *file, struct arena *arena)
{
	struct event_database inside, on_disk;
	struct error err = { .text = "" };
	bool is_same = event_database_load(&inside, name, arena, &err) == 0 &&
		       event_database_load(&on_disk, file, arena, &err) == 0 && inside.count == on_disk.count &&
		       is_same_row(&inside, &on_disk, &event_header_columns);

	for (size_t i = 0; is_same && i < inside.count; i++)
		is_same = is_same_row(&inside.rows[i], &on_disk.rows[i], &event_columns) &&
			  event_database_find(&inside, on_disk.rows[i].name) == &inside.rows[i];
	row_expect_text(rows, file, err.text, "");
	row_expect(rows, file, is_same, "has other events than on disk");
}

static int read_sources(struct model_sources *sources, struct model *model, const char *path, struct error *err)
{
	struct arena *arena = sources->arena;

	sources->by_name = TABLE_INIT(arena);
	*model = (struct model){ .by_name = TABLE_INIT(arena) };
	return model_read(sources, model, path, err);
}

static void expect_metrics(struct rows *rows, const char *name, const char *file, struct arena *arena)
{
	struct model_sources inside = { .arena = arena }, on_disk = { .arena = arena };
	struct model model_inside, model_on_disk;
	struct error err = { .text = "" };
	bool is_same = read_sources(&inside, &model_inside, name, &err) == 0 &&
		       read_sources(&on_disk, &model_on_disk, file, &err) == 0 && inside.count == on_disk.count &&
		       is_same_row(&model_inside, &model_on_disk, &model_header_columns);

	for (size_t i = 0; is_same && i < inside.count; i++)
		is_same = is_same_row(&inside.items[i], &on_disk.items[i], &metric_columns) &&
			  table_get(&inside.by_name, on_disk.items[i].metric.name) == i;
	row_expect_text(rows, file, err.text, "");
	row_expect(rows, file, is_same, "has other metrics than on disk");
}

static void expect_text(struct rows *rows, const char *name, const char *file, struct arena *arena)
{
	struct error err = { .text = "" };
	size_t length = 0, expected_length;
	const char *expected = file_read(file, &expected_length, arena, &err);
	const char *content = source_read(name, &length, arena, &err);

	row_expect_text(rows, file, err.text, "");
	row_expect(rows, file, content && expected && length == expected_length && !memcmp(content, expected, length),
		   "is another file than on disk");
	row_expect(rows, file, !content || !content[length], "has no end");
}

static void expect_same(struct rows *rows, const char *file, struct arena *arena)
{
	const char *name = embedded_path(file, arena);

	row_expect_text(rows, file, name, arena_printf(arena, BUILT_IN "%s", file));
	row_expect(rows, file, is_same_as_embedded(file, file), "counts as another file than on disk");
	if (!name)
		return;
	if (!embedded_find(file)->is_rows)
		expect_text(rows, name, file, arena);
	else if (has_name_prefix(file, "events/"))
		expect_events(rows, name, file, arena);
	else
		expect_metrics(rows, name, file, arena);
}

static const struct {
	const char *folder, *suffix;
} file_rows[] = { { "events", ".json" },    { "events", ".csv" },	  { "events/sim", ".json" },
		  { "events/sim", ".csv" }, { "events/system", ".json" }, { "models/system", ".json" },
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

/* A CPU's file that differs in one byte, of the same size or not, is another one. */
static void test_changed(void **state UNUSED)
{
	static const char name[] = "events/neoverse-n1.json";
	struct error err = { .text = "" };
	struct scratch scratch;
	struct arena arena;
	char path[256], *text;
	size_t length;

	scratch_init(&scratch);
	arena_init(&arena);
	text = file_read(name, &length, &arena, &err);
	assert_non_null(text);
	scratch_write(&scratch, "file.json", text, path);
	assert_true(is_same_as_embedded(path, name));
	assert_false(is_same_as_embedded(path, "events/neoverse-n2.json"));
	assert_false(is_same_as_embedded(path, "events/none.json"));
	text[length - 2] ^= 1;
	scratch_write(&scratch, "file.json", text, path);
	assert_false(is_same_as_embedded(path, name));
	text[length - 2] = '\0';
	scratch_write(&scratch, "file.json", text, path);
	assert_false(is_same_as_embedded(path, name));
	assert_false(is_same_as_embedded(scratch.path, name));
	assert_false(is_same_as_embedded("/no/such/file", name));
	arena_release(&arena);
	scratch_release(&scratch);
}

/* Headers by themselves, and the glossary's entries, on disk and inside. */
static void test_readers(void **state UNUSED)
{
	struct event_database inside, on_disk;
	struct model model_inside, model_on_disk;
	struct glossary_entry entry, expected;
	struct error err = { .text = "" };
	struct arena arena;

	arena_init(&arena);
	assert_int_equal(event_database_load_header(&inside, BUILT_IN "events/cascadelakex.json", &arena, &err), 0);
	assert_int_equal(event_database_load_header(&on_disk, "events/cascadelakex.json", &arena, &err), 0);
	assert_true(is_same_row(&inside, &on_disk, &event_header_columns));
	assert_string_equal(inside.short_name, "CLX");
	assert_int_equal(model_load_header(&model_inside, BUILT_IN "models/cascadelakex.json", &arena, &err), 0);
	assert_int_equal(model_load_header(&model_on_disk, "models/cascadelakex.json", &arena, &err), 0);
	assert_true(is_same_row(&model_inside, &model_on_disk, &model_header_columns));
	assert_non_null(model_inside.tma_version);
	assert_int_equal(glossary_read_entry(&entry, BUILT_IN "models/glossary.json", "tma_dram_bound", &arena, &err),
			 0);
	assert_int_equal(glossary_read_entry(&expected, "models/glossary.json", "tma_dram_bound", &arena, &err), 0);
	assert_string_equal(entry.means, expected.means);
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
	assert_null(source_read(BUILT_IN "events/skylakex.json", &length, &arena, &err));
	assert_string_equal(err.text, "built-in:events/skylakex.json: no such text in the program");
	error_clear(&err);
	assert_int_equal(event_database_load(&database, BUILT_IN "models/glossary.json", &arena, &err), -1);
	assert_string_equal(err.text, "built-in:models/glossary.json: no such file in the program");
	error_clear(&err);
	assert_null(source_read("./" BUILT_IN "events/mapfile.csv", &length, &arena, &err));
	assert_string_equal(err.text, "./built-in:events/mapfile.csv: No such file or directory");
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),	cmocka_unit_test(test_paths),	cmocka_unit_test(test_changed),
		cmocka_unit_test(test_readers), cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests_name("embedded", tests, NULL, NULL);
}
