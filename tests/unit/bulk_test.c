/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bulk_test.c - databases are read where they stand if they are as plain as our own: which texts that are, and that a JSON library
 * reads the same in all our files.
 */
#include "rows.h"

#include "base/file.h"
#include "base/text.h"
#include "load/json_plain.h"
#include "load/json_read.h"

/* What is read: "key=value;" of each member, "|" behind the header and each row. NULL: left to the library. */
static const struct {
	const char *text, *read;
} texts[] = {
	/* clang-format off */
	{ "[{\"a\":\"1\"}]", "a=1;|" },
	{ "[{\"a\":\"1\",\"b\":\"\"},{\"c\":\"x y\"}]\n", "a=1;b=;|c=x y;|" },
	{ " [ { \"a\" : \"1\" ,\n\t\"b\" : 20 } ]\r\n", "a=1;b=20;|" },
	{ "{\"Header\":{\"h\":8},\"List\":[{\"a\":\"1\"}]}", "h=8;|a=1;|" },
	{ "[{\"a\":0}]", "a=0;|" },
	{ "[{\"a\":999999999999999}]", "a=999999999999999;|" },
	{ "[{\"a\":\"cpu@A\\\\,b\\\\=1@\"}]", "a=cpu@A\\,b\\=1@;|" },
	{ "[{\"\\\"\\/\":\"\\\\\\\\\"}]", "\"/=\\\\;|" },
	{ "[{\"a\":\"{[,:]}\"}]", "a={[,:]};|" },
	{ "[{\"a\":\" ~\x7f\"}]", "a= ~\x7f;|" },
	/* JSON of another form */
	{ "[]", NULL },
	{ "[{}]", NULL },
	{ "[1]", NULL },
	{ "{\"List\":[{\"a\":\"1\"}]}", NULL },
	{ "{\"Header\":{\"h\":8},\"Other\":[{\"a\":\"1\"}]}", NULL },
	{ "{\"Header\":{\"h\":8},\"List\":[{\"a\":\"1\"}],\"more\":1}", NULL },
	{ "[{\"a\":true}]", NULL },
	{ "[{\"a\":null}]", NULL },
	{ "[{\"a\":[\"1\"]}]", NULL },
	{ "[{\"a\":{\"b\":\"1\"}}]", NULL },
	{ "[{\"a\":-1}]", NULL },
	{ "[{\"a\":1.5}]", NULL },
	{ "[{\"a\":1e3}]", NULL },
	{ "[{\"a\":1000000000000000}]", NULL },
	{ "[{\"a\":\"\\n\"}]", NULL },
	{ "[{\"a\":\"\\u0041\"}]", NULL },
	{ "[{\"a\":\"\xc3\xa4\"}]", NULL },
	/* no JSON */
	{ "", NULL },
	{ "[", NULL },
	{ "[{\"a\":\"1\"}", NULL },
	{ "[{\"a\":\"1\"]", NULL },
	{ "[{\"a\":\"1\"},]", NULL },
	{ "[{\"a\":\"1\",}]", NULL },
	{ "[{\"a\" \"1\"}]", NULL },
	{ "[{\"a\":}]", NULL },
	{ "[{\"a\":01}]", NULL },
	{ "[{\"a\":1x}]", NULL },
	{ "[{\"a\":\"1}]", NULL },
	{ "[{\"a\":\"1\\", NULL },
	{ "[{\"a\":\"1\n\"}]", NULL },
	{ "[{\"a\":\"1\"}{\"a\":\"1\"}]", NULL },
	{ "[{\"a\":\"1\"}] x", NULL },
	{ "[{\"a\":\"1\"}]]", NULL },
	{ "{\"Header\":{\"h\":8}", NULL },
	{ "{\"Header\":{\"h\":8},\"List\":[{\"a\":\"1\"}]", NULL },
	/* clang-format on */
};

static void add_row(struct string *all, const struct plain_file *file, const struct plain_row *row)
{
	for (size_t i = 0; i < row->count; i++) {
		const struct plain_member *member = &file->members[row->first + i];

		string_printf(all, "%s=%s;", file->text + member->key, file->text + member->value);
	}
	string_add(all, "|");
}

static const char *told(const struct plain_file *file, struct arena *arena)
{
	struct string all = STRING_INIT(arena);

	if (file->header.count)
		add_row(&all, file, &file->header);
	for (size_t i = 0; i < file->count; i++)
		add_row(&all, file, &file->rows[i]);
	return all.text;
}

static void test_texts(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		char *text = arena_strdup(&arena, texts[i].text);
		struct plain_file file;
		bool is_read = plain_read(&file, text, strlen(text), "List", &arena);

		row_expect_text(&rows, texts[i].text, is_read ? told(&file, &arena) : NULL, texts[i].read);
		if (!is_read)
			row_expect_text(&rows, texts[i].text, text, texts[i].text);
	}
	/* a zero byte ends no text */
	row_expect(&rows, "zero",
		   !plain_read(&(struct plain_file){ 0 }, (char[]){ "[{\"a\":\"1\"}]\0]" }, 13, "List", &arena),
		   "was read");
	arena_release(&arena);
	rows_end(&rows);
}

static void test_get(void **state UNUSED)
{
	char text[] = "[{\"ab\":\"1\",\"a\":\"2\",\"a\":\"3\"}]";
	struct plain_file file;
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	row_expect(&rows, "get", plain_read(&file, text, strlen(text), "List", &arena), "was not read");
	row_expect_text(&rows, "ab", plain_get(&file, &file.rows[0], "ab"), "1");
	row_expect_text(&rows, "a: the first", plain_get(&file, &file.rows[0], "a"), "2");
	row_expect_text(&rows, "b", plain_get(&file, &file.rows[0], "b"), NULL);
	arena_release(&arena);
	rows_end(&rows);
}

/* jansson's members of the object, each as the plain row has it, and no more. */
struct comparison {
	const struct plain_file *file;
	const struct plain_row *row;
	size_t count;
	bool is_same;
};

static int compare_member(void *context, const char *key, const struct json *value)
{
	struct comparison *c = context;
	const char *plain = plain_get(c->file, c->row, key), *text = json_text(value);
	char number[32] = "";

	if (!text)
		snprintf(number, sizeof(number), "%lld", json_whole(value, -1));
	c->count++;
	c->is_same = c->is_same && plain && !strcmp(plain, text ? text : number);
	return 0;
}

static bool is_same_row(const struct plain_file *file, const struct plain_row *row, const struct json *object)
{
	struct comparison c = { .file = file, .row = row, .is_same = true };

	json_each(object, compare_member, &c);
	return c.is_same && c.count == row->count;
}

static bool is_same_file(const struct plain_file *file, const struct json *root, const char *list)
{
	const struct json *array = json_get(root, list);
	bool is_same = is_same_row(file, &file->header, json_get(root, "Header")) && json_size(array) == file->count;

	for (size_t i = 0; is_same && i < file->count; i++)
		is_same = is_same_row(file, &file->rows[i], json_at(array, i));
	return is_same;
}

static void check_file(struct rows *rows, const char *path, const char *list, struct arena *arena)
{
	struct error err = { .text = "" };
	struct plain_file file;
	size_t length;
	char *text = file_read(path, &length, arena, &err);
	struct json *root = text ? json_read_text(text, length, path, &err) : NULL;

	row_expect_text(rows, path, err.text, "");
	if (root && plain_read(&file, text, length, list, arena))
		row_expect(rows, path, is_same_file(&file, root, list), "the library reads something else");
	else
		row_expect(rows, path, false, "is not plain");
	json_free(root);
}

static void check_folder(struct rows *rows, const char *folder, const char *list)
{
	struct error err = { .text = "" };
	struct arena arena;
	const char **names;
	size_t count;

	arena_init(&arena);
	names = directory_list(folder, ".json", &count, &arena, &err);
	row_expect(rows, folder, names && count > 60, "the files of less than sixty CPUs");
	for (size_t i = 0; names && i < count; i++)
		if (strcmp(names[i], "glossary.json") != 0 && strcmp(names[i], "cpus.json") != 0)
			check_file(rows, arena_printf(&arena, "%s/%s", folder, names[i]), list, &arena);
	arena_release(&arena);
}

static void test_our_files(void **state UNUSED)
{
	struct rows rows = { 0 };

	check_folder(&rows, TOPDOWN_SOURCE_DIR "/events", "Events");
	check_folder(&rows, TOPDOWN_SOURCE_DIR "/models", "Metrics");
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_get),
		cmocka_unit_test(test_our_files),
	};

	return cmocka_run_group_tests_name("bulk", tests, NULL, NULL);
}
