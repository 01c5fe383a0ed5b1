/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <jansson.h>
/* Macros of jansson.h whose names are functions of this header. */
#undef json_is_object
#undef json_is_array
#undef json_is_number
#undef json_is_null
#undef json_is_true

#include "common/json/json_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/json/json_internal.h"
#include "common/system/embedded.h"

/* struct json is jansson's value, or cJSON's, under a name of our own: no other module depends on the libraries. */
static const json_t *inside(const struct json *value)
{
	return (const json_t *)value;
}

static const struct json *outside(const json_t *value)
{
	return (const struct json *)value;
}

/* jansson quotes the file ("invalid token near '...'"), control characters included; those are for no terminal. */
static int parse_error(struct error *err, const char *source, json_error_t *failure)
{
	for (char *c = failure->text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	if (!*failure->text)
		return error_set(err, "%s: no memory is left to read it", source);
	if (failure->line < 1)
		return error_set(err, "%s: %s", source, failure->text);
	return error_set(err, "%s: line %d, column %d: %s", source, failure->line,
			 failure->column > 0 ? failure->column : 1, failure->text);
}

struct json_source {
	const char *text, *name;
	size_t length;
};

static struct json *load(const struct json_source *source, size_t flags, struct error *err)
{
	json_error_t failure = { .line = -1 };
	json_t *root = NULL;

	if (!source->length)
		error_set(err, "%s: empty, where JSON is expected", source->name);
	else if (!(root = json_loadb(source->text, source->length, flags, &failure)))
		parse_error(err, source->name, &failure);
	return (struct json *)root;
}

struct json *json_read_text(const char *text, size_t length, const char *source, struct error *err)
{
	return load(&(struct json_source){ text, source, length }, 0, err);
}

struct json *json_read_strict(const char *text, size_t length, const char *source, struct error *err)
{
	return load(&(struct json_source){ text, source, length }, JSON_REJECT_DUPLICATES, err);
}

struct json *json_read_file(const char *path, struct error *err)
{
	struct json *root = NULL;
	struct arena arena;
	const char *text;
	size_t length;

	arena_init(&arena);
	text = source_read(path, &length, &arena, err);
	if (text)
		root = json_read_text(text, length, !strcmp(path, "-") ? "standard input" : path, err);
	arena_release(&arena);
	return root;
}

static bool is_last(const char *rest)
{
	return rest[strspn(rest, " \t\r\n")] == ']';
}

/* Makes blanks of commas behind the last item of an array. False: there is none. */
static bool blank_last_commas(char *text, size_t length)
{
	bool is_string = false, is_changed = false;
	char before = '[';

	for (size_t i = 0; i < length; i++) {
		if (is_string && text[i] == '\\' && i + 1 < length)
			i++;
		else if (text[i] == '"')
			is_string = !is_string;
		else if (!is_string && text[i] == ',' && !strchr("[,", before) && is_last(text + i + 1)) {
			text[i] = ' ';
			is_changed = true;
		}
		before = strchr(" \t\r\n", text[i]) ? before : text[i];
	}
	return is_changed;
}

/* What cJSON refuses jansson judges: it says what is wrong, and where. */
static struct json *load_bulk(const struct json_source *source, struct error *err)
{
	struct json *root = source->length ? cjson_parse(source->text, source->length) : NULL;

	return root ? root : load(source, 0, err);
}

/* As load_bulk, but a comma behind the last item of an array is no mistake. */
static struct json *load_with_commas(const struct json_source *source, struct arena *arena, struct error *err)
{
	struct error first = { .text = "" };
	struct json *root = load_bulk(source, &first);
	char *text = root ? NULL : arena_strndup(arena, source->text, source->length);

	if (text && blank_last_commas(text, source->length))
		return load_bulk(&(struct json_source){ text, source->name, source->length }, err);
	if (!root)
		error_set(err, "%s", first.text);
	return root;
}

struct json *json_read_bulk(const char *path, struct error *err)
{
	struct json *root = NULL;
	struct arena arena;
	const char *text;
	size_t length;

	arena_init(&arena);
	text = source_read(path, &length, &arena, err);
	if (text)
		root = load_with_commas(&(struct json_source){ text, path, length }, &arena, err);
	arena_release(&arena);
	return root;
}

/* What stands behind the first "key": in the text, or NULL. */
static const char *find_member(const char *text, const char *key, struct arena *arena)
{
	const char *quoted = arena_printf(arena, "\"%s\"", key), *found = strstr(text, quoted);

	for (; found; found = strstr(found + 1, quoted)) {
		const char *rest = found + strlen(quoted);

		rest += strspn(rest, " \t\r\n");
		if (*rest == ':')
			return rest + 1;
	}
	return NULL;
}

struct json *json_read_member(const char *path, const char *key, struct error *err)
{
	json_error_t failure = { .line = -1 };
	const char *text, *member = NULL;
	json_t *value = NULL;
	struct arena arena;
	size_t length;

	arena_init(&arena);
	text = source_read(path, &length, &arena, err);
	if (text)
		member = find_member(text, key, &arena);
	if (member && !(value = json_loads(member, JSON_DISABLE_EOF_CHECK, &failure)))
		error_set(err, "%s: member '%s': %s", path, key, failure.text);
	arena_release(&arena);
	return (struct json *)value;
}

void json_free(struct json *root)
{
	if (is_cjson(root))
		cjson_free(root);
	else
		json_decref((json_t *)root);
}

static json_type type_of(const struct json *value)
{
	return is_cjson(value) ? cjson_type(value) : json_typeof(inside(value));
}

static bool is_kind(const struct json *value, json_type type)
{
	return value && type_of(value) == type;
}

bool json_is_object(const struct json *value)
{
	return is_kind(value, JSON_OBJECT);
}

bool json_is_array(const struct json *value)
{
	return is_kind(value, JSON_ARRAY);
}

bool json_is_number(const struct json *value)
{
	return is_kind(value, JSON_INTEGER) || is_kind(value, JSON_REAL);
}

bool json_is_null(const struct json *value)
{
	return is_kind(value, JSON_NULL);
}

bool json_is_true(const struct json *value)
{
	return is_kind(value, JSON_TRUE);
}

const char *json_kind(const struct json *value)
{
	static const char *const kinds[] = {
		[JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
		[JSON_INTEGER] = "a number", [JSON_REAL] = "a number",	[JSON_TRUE] = "true",
		[JSON_FALSE] = "false",	     [JSON_NULL] = "null",
	};

	return value ? kinds[type_of(value)] : "nothing";
}

const struct json *json_get(const struct json *value, const char *key)
{
	return is_cjson(value) ? cjson_get(value, key) : outside(json_object_get(inside(value), key));
}

size_t json_size(const struct json *array)
{
	return is_cjson(array) ? cjson_size(array) : json_array_size(inside(array));
}

const struct json *json_at(const struct json *array, size_t index)
{
	return is_cjson(array) ? cjson_at(array, index) : outside(json_array_get(inside(array), index));
}

int json_each_item(const struct json *array, int (*each)(void *context, const struct json *item), void *context)
{
	int result = 0;

	if (!json_is_array(array))
		return 0;
	if (is_cjson(array)) {
		for (const struct json *item = cjson_first(array); item && result == 0; item = cjson_next(item))
			result = each(context, item);
		return result;
	}
	for (size_t i = 0; i < json_size(array) && result == 0; i++)
		result = each(context, json_at(array, i));
	return result;
}

const char *json_text(const struct json *value)
{
	return is_cjson(value) ? cjson_text(value) : json_string_value(inside(value));
}

double json_number(const struct json *value)
{
	if (!json_is_number(value))
		return NOT_COUNTED;
	return is_cjson(value) ? cjson_number(value) : json_number_value(inside(value));
}

double json_amount(const struct json *value)
{
	double number = json_number(value);

	return fabs(number) <= JSON_MOST_AMOUNT ? number : NOT_COUNTED;
}

long long json_whole(const struct json *value, long long fallback)
{
	if (is_kind(value, JSON_INTEGER))
		return is_cjson(value) ? (long long)cjson_number(value) : json_integer_value(inside(value));
	if (is_kind(value, JSON_TRUE))
		return 1;
	return is_kind(value, JSON_FALSE) ? 0 : fallback;
}

int json_each(const struct json *object, int (*each)(void *context, const char *key, const struct json *value),
	      void *context)
{
	/* Only the iterator's type asks for a mutable object; nothing is written through it. */
	json_t *walked = json_is_object(object) && !is_cjson(object) ? (json_t *)(uintptr_t)object : NULL;
	int result = 0;

	if (is_cjson(object) && json_is_object(object))
		for (const struct json *member = cjson_first(object); member && result == 0;
		     member = cjson_next(member))
			result = each(context, cjson_key(member), member);

	for (void *at = json_object_iter(walked); at; at = json_object_iter_next(walked, at)) {
		result = each(context, json_object_iter_key(at), outside(json_object_iter_value(at)));
		if (result)
			return result;
	}
	return result;
}
