/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bulk_test.c - which JSON is an event database or a model, and the text of each kind of member. */
#include "rows.h"

#include "common/base/text.h"
#include "common/json/json_bulk.h"
#include "common/json/json_read.h"
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
	/* a comma behind the last item, and one that stands in a text */
	{ "[{\"a\":\"1\"},\n {\"b\":\",]\\\",]\"} ,\r\n]\n", "a=1;|b=,]\",];|", "" },
	{ "{\"List\":[{\"a\":\"1\"},],\"more\":[2,],\"c\":\",]\"}", "a=1;|", "" },
	{ "[,]", NULL, "FILE: line 1, column 2: unexpected token near ','" },
	{ "[{\"a\":\"1\"},,]", NULL, "FILE: line 1, column 12: unexpected token near ','" },
	{ "[{\"a\":\"1\"},\n]\nx", NULL, "FILE: line 3, column 1: end of file expected near 'x'" },
	/* JSON of another form */
	{ "{\"Other\":[{\"a\":\"1\"}]}", NULL, "FILE: neither an array nor an object with \"List\"" },
	{ "{\"List\":{\"a\":\"1\"}}", NULL, "FILE: neither an array nor an object with \"List\"" },
	/* no JSON */
	{ "", NULL, "FILE: empty, where JSON is expected" },
	{ "[{\"a\":\"1\"}", NULL, "FILE: line 1, column 10: ']' expected near end of file" },
	{ "[\n {\"a\":\"1\",}]", NULL, "FILE: line 2, column 11: string or '}' expected near '}'" },
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

/* ---- both readers ---- */

static bool are_same(const struct json *a, const struct json *b);

struct walk {
	const struct json *other;
	size_t count;
};

static int same_member(void *context, const char *key, const struct json *value)
{
	struct walk *walk = context;

	walk->count++;
	return are_same(value, json_get(walk->other, key)) ? 0 : -1;
}

static int same_item(void *context, const struct json *item)
{
	struct walk *walk = context;
	size_t number = walk->count++;

	return are_same(item, json_at(walk->other, number)) && are_same(json_at(walk->other, number), item) ? 0 : -1;
}

static bool are_same(const struct json *a, const struct json *b)
{
	struct walk walk = { .other = b };

	if (!a || !b || strcmp(json_kind(a), json_kind(b)) != 0 || json_size(a) != json_size(b))
		return false;
	if (json_is_object(a))
		return json_each(a, same_member, &walk) == 0;
	if (json_is_array(a))
		return json_each_item(a, same_item, &walk) == 0 && walk.count == json_size(b);
	return compare_texts(json_text(a), json_text(b)) == 0 && json_whole(a, -7) == json_whole(b, -7) &&
	       (!json_is_number(a) || json_number(a) == json_number(b));
}

/* Of one text, or file, what cJSON reads is what jansson reads: kinds, texts, numbers, order. */
static void test_both(void **state UNUSED)
{
	static const char *const shipped[] = {
		"events/sapphirerapids.json", "models/sapphirerapids.json", "events/neoverse-v1.json",
		"models/amdzen4.json",	      "models/common.json",
	};
	static const char *const made[] = {
		"{\"a\":1,\"b\":[],\"c\":{}}",
		"[9007199254740991,-9007199254740991,0,-1.25e-7,1e22,0.1]",
		"[\"\\u00e4\\ud83d\\ude00\\\\u0000\", \"\xc3\xa4\", true, false, null, \"\"]",
		"  {\"deep\":[[[[[[[[[{\"x\":[1,2,{\"y\":null}]}]]]]]]]]]}\n",
	};
	struct rows rows = { 0 };
	struct scratch scratch;
	char path[256];

	scratch_init(&scratch);
	for (size_t i = 0; i < COUNT_OF(shipped) + COUNT_OF(made); i++) {
		const char *name = i < COUNT_OF(shipped) ? shipped[i] : made[i - COUNT_OF(shipped)];
		struct error err = { .text = "" };
		struct json *one, *other;

		if (i < COUNT_OF(shipped))
			snprintf(path, sizeof(path), "%s/%s", TOPDOWN_SOURCE_DIR, name);
		else
			scratch_write(&scratch, "file.json", name, path);
		one = json_read_file(path, &err);
		other = json_read_bulk(path, &err);
		row_expect_text(&rows, name, err.text, "");
		row_expect_number(&rows, name, are_same(one, other) && are_same(other, one), true);
		json_free(one);
		json_free(other);
	}
	scratch_release(&scratch);
	rows_end(&rows);
}

/* What cJSON would take and jansson doesn't, because a part of it would be lost, or is no text. */
static void test_refused(void **state UNUSED)
{
	static const char *const lossy[] = { "[\"a\\u0000b\"]", "[\"\xff\"]", "[\"\xc3\"]" };
	struct scratch scratch;
	char path[256];

	scratch_init(&scratch);
	for (size_t i = 0; i < COUNT_OF(lossy); i++) {
		struct error err = { .text = "" };

		scratch_write(&scratch, "file.json", lossy[i], path);
		assert_null(json_read_bulk(path, &err));
		assert_non_null(strstr(err.text, "line 1, column "));
	}
	scratch_release(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts), cmocka_unit_test(test_visitor), cmocka_unit_test(test_header),
		cmocka_unit_test(test_both),  cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("bulk", tests, NULL, NULL);
}
