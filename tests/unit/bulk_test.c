/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bulk_test.c - which JSON is an event database or a model, and the text of each kind of member. */
#include "rows.h"

#include "common/base/text.h"
#include "common/json/json_bulk.h"
#include "scratch.h"

/* What is read: "key=value;" of the members a, b and c, "|" behind the header and each row. NULL: an error of those words. */
static const struct {
	const char *text, *read, *error;
} texts[] = {
	/* clang-format off */
	{ "[{\"a\":\"1\"}]", "a=1;|", "" },
	{ "[{\"a\":\"1\",\"b\":\"x y\"},{\"c\":\"2\"}]\n", "a=1;b=x y;|c=2;|", "" },
	{ "{\"Header\":{\"a\":8},\"List\":[{\"b\":\"1\"}]}", "a=8;|b=1;|", "" },
	{ "{\"List\":[{\"a\":\"1\"}],\"Header\":{\"b\":8},\"more\":1}", "b=8;|a=1;|", "" },
	{ "[]", "", "" },
	{ "[{}]", "|", "" },
	{ "[1,\"x\",null,[{\"a\":\"1\"}],{\"a\":\"1\"}]", "a=1;|", "" },
	/* numbers as they are written, and what stands for one */
	{ "[{\"a\":0,\"b\":-1,\"c\":1.5}]", "a=0;b=-1;c=1.5;|", "" },
	{ "[{\"a\":999999999999999,\"b\":1e3}]", "a=999999999999999;b=1000;|", "" },
	{ "[{\"a\":true,\"b\":false,\"c\":null}]", "a=1;|", "" },
	/* texts that say that there is none, and members that are no text */
	{ "[{\"a\":\"\",\"b\":\"NA\",\"c\":\"null\"}]", "|", "" },
	{ "[{\"a\":\"N/A\",\"b\":\"#NA\",\"c\":\"na\"}]", "c=na;|", "" },
	{ "[{\"a\":[\"1\"],\"b\":{\"c\":\"1\"}}]", "|", "" },
	/* escapes, and letters of more than a byte */
	{ "[{\"a\":\"cpu@A\\\\,b\\\\=1@\",\"b\":\"\\\"\\/\"}]", "a=cpu@A\\,b\\=1@;b=\"/;|", "" },
	{ "[{\"a\":\"\\u0041\\n\",\"b\":\"\xc3\xa4\"}]", "a=A\n;b=\xc3\xa4;|", "" },
	/* JSON of another form */
	{ "{\"Other\":[{\"a\":\"1\"}]}", NULL, "FILE: neither an array nor an object with \"List\"" },
	{ "{\"List\":{\"a\":\"1\"}}", NULL, "FILE: neither an array nor an object with \"List\"" },
	/* no JSON */
	{ "", NULL, "FILE: empty, where JSON is expected" },
	{ "[{\"a\":\"1\"}", NULL, "FILE: line 1, column 10: ']' expected near end of file" },
	{ "[\n {\"a\":\"1\",}]", NULL, "FILE: line 2, column 11: string or '}' expected near '}'" },
	{ "[{\"a\":01}]", NULL, "FILE: line 1, column 7: invalid token near '0'" },
	{ "[{\"a\":\"1\"}] x", NULL, "FILE: line 1, column 13: end of file expected near 'x'" },
	/* clang-format on */
};

static void add(struct string *all, const struct bulk_object *object)
{
	static const char *const keys[] = { "a", "b", "c" };

	for (size_t i = 0; i < COUNT_OF(keys); i++)
		if (bulk_get(object, keys[i]))
			string_printf(all, "%s=%s;", keys[i], bulk_get(object, keys[i]));
	string_add(all, "|");
}

static void read_header(void *context, const struct bulk_object *header)
{
	add(context, header);
}

static int read_object(void *context, const struct bulk_object *object, struct error *err UNUSED)
{
	add(context, object);
	return 0;
}

static struct bulk_visitor visitor_of(struct string *all)
{
	return (struct bulk_visitor){ .context = all, .list = "List", .header = read_header, .object = read_object };
}

static void test_texts(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct scratch scratch;
	struct arena arena;
	char path[256];

	scratch_init(&scratch);
	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct string all = STRING_INIT(&arena);
		struct bulk_visitor visitor = visitor_of(&all);
		struct error err = { .text = "" };
		const char *expected = texts[i].error;
		int result;

		scratch_write(&scratch, "file.json", texts[i].text, path);
		result = bulk_read(path, &visitor, &arena, &err);
		if (!strncmp(expected, "FILE", 4))
			expected = arena_printf(&arena, "%s%s", path, expected + 4);
		row_expect_text(&rows, texts[i].text, result < 0 ? NULL : all.text, texts[i].read);
		row_expect_text(&rows, texts[i].text, err.text, expected);
	}
	arena_release(&arena);
	scratch_release(&scratch);
	rows_end(&rows);
}

static int refuse(void *context, const struct bulk_object *object, struct error *err)
{
	add(context, object);
	return error_set(err, "no more");
}

/* The visitor's own error ends the reading; a file without the list may be one without objects. */
static void test_visitor(void **state UNUSED)
{
	struct error err = { .text = "" };
	struct bulk_visitor visitor;
	struct scratch scratch;
	struct arena arena;
	struct string all;
	char path[256];

	scratch_init(&scratch);
	arena_init(&arena);
	all = STRING_INIT(&arena);
	visitor = visitor_of(&all);
	scratch_write(&scratch, "file.json", "[{\"a\":1},{\"a\":2}]", path);
	visitor.object = refuse;
	assert_int_equal(bulk_read(path, &visitor, &arena, &err), -1);
	assert_string_equal(err.text, "no more");
	assert_string_equal(all.text, "a=1;|");
	error_clear(&err);
	scratch_write(&scratch, "file.json", "{\"Other\":1}", path);
	visitor.is_list_optional = true;
	assert_int_equal(bulk_read(path, &visitor, &arena, &err), 0);
	assert_string_equal(all.text, "a=1;|");
	arena_release(&arena);
	scratch_release(&scratch);
}

/* The header alone: what stands behind it is not looked at. */
static void test_header(void **state UNUSED)
{
	struct error err = { .text = "" };
	struct scratch scratch;
	struct arena arena;
	struct string all;
	char path[256];

	scratch_init(&scratch);
	arena_init(&arena);
	all = STRING_INIT(&arena);
	scratch_write(&scratch, "file.json", "{\"Header\":{\"a\":\"x\"},\"List\":[{", path);
	assert_int_equal(bulk_read_header(path, read_header, &all, &arena, &err), 0);
	assert_string_equal(all.text, "a=x;|");
	scratch_write(&scratch, "file.json", "[{\"a\":\"1\"}]", path);
	assert_int_equal(bulk_read_header(path, read_header, &all, &arena, &err), 0);
	assert_string_equal(all.text, "a=x;|");
	scratch_write(&scratch, "file.json", "{\"Header\":{\"a\":", path);
	assert_int_equal(bulk_read_header(path, read_header, &all, &arena, &err), -1);
	arena_release(&arena);
	scratch_release(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_visitor),
		cmocka_unit_test(test_header),
	};

	return cmocka_run_group_tests_name("bulk", tests, NULL, NULL);
}
