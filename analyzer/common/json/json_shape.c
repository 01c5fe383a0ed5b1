/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/json/json_shape.h"

#include <math.h>
#include <string.h>

#include "common/base/cells.h"
#include "common/base/text.h"

#define MOST_LEVEL  16
#define MOST_STATUS 255

static void json_shape_write_text(struct json_writer *writer, const struct field *field, const void *from)
{
	json_write_string(writer, field->key, *(const char *const *)from);
}

static bool read_text_or_null(void *to, const struct json *value, const struct field *field UNUSED, struct arena *arena)
{
	const char *text = json_text(value);

	*(const char **)to = text ? arena_strdup(arena, text) : NULL;
	return text || json_is_null(value);
}

static void write_text_if_any(struct json_writer *writer, const struct field *field, const void *from)
{
	if (*(const char *const *)from)
		json_shape_write_text(writer, field, from);
}

static bool read_text_if_any(void *to, const struct json *value, const struct field *field UNUSED, struct arena *arena)
{
	*(const char **)to = NULL;
	return !value || (json_text(value) && read_text_or_null(to, value, field, arena));
}

static bool json_shape_read_text(void *to, const struct json *value, const struct field *field UNUSED,
				 struct arena *arena)
{
	return json_text(value) && *json_text(value) && read_text_or_null(to, value, field, arena);
}

static void write_number(struct json_writer *writer, const struct field *field, const void *from)
{
	json_write_number(writer, field->key, *(const double *)from);
}

static bool read_number_or_null(void *to, const struct json *value, const struct field *field UNUSED,
				struct arena *arena UNUSED)
{
	double number = json_amount(value);

	*(double *)to = number;
	return number >= 0 || json_is_null(value);
}

static void write_number_if_any(struct json_writer *writer, const struct field *field, const void *from)
{
	if (*(const double *)from > 0)
		write_number(writer, field, from);
}

static bool read_number_if_any(void *to, const struct json *value, const struct field *field UNUSED,
			       struct arena *arena UNUSED)
{
	*(double *)to = value ? json_amount(value) : 0;
	return !value || *(double *)to > 0;
}

static void write_u64(struct json_writer *writer, const struct field *field, const void *from)
{
	json_write_u64(writer, field->key, *(const uint64_t *)from);
}

/* true and false are integers to json_whole, but not here. */
static bool whole(const struct json *value, long long most, long long *number)
{
	*number = json_is_number(value) ? json_whole(value, -1) : -1;
	return *number >= 0 && *number <= most;
}

static bool read_u64(void *to, const struct json *value, const struct field *field UNUSED, struct arena *arena UNUSED)
{
	long long number;

	if (json_text(value))
		return text_u64(json_text(value), to);
	if (!whole(value, INT64_MAX, &number))
		return false;
	*(uint64_t *)to = (uint64_t)number;
	return true;
}

static void write_u32(struct json_writer *writer, const struct field *field, const void *from)
{
	json_write_integer(writer, field->key, *(const uint32_t *)from);
}

static bool read_u32(void *to, const struct json *value, const struct field *field UNUSED, struct arena *arena UNUSED)
{
	long long number;

	if (!whole(value, UINT32_MAX, &number))
		return false;
	*(uint32_t *)to = (uint32_t)number;
	return true;
}

static void write_size(struct json_writer *writer, const struct field *field, const void *from)
{
	json_write_integer(writer, field->key, (int64_t) * (const size_t *)from);
}

static bool read_size(void *to, const struct json *value, const struct field *field UNUSED, struct arena *arena UNUSED)
{
	long long number;

	if (!whole(value, SESSION_MOST, &number))
		return false;
	*(size_t *)to = (size_t)number;
	return true;
}

static void write_size_if_any(struct json_writer *writer, const struct field *field, const void *from)
{
	if (*(const size_t *)from)
		write_size(writer, field, from);
}

static bool read_size_if_any(void *to, const struct json *value, const struct field *field UNUSED, struct arena *arena)
{
	*(size_t *)to = 0;
	return !value || read_size(to, value, field, arena);
}

static void write_true_if_any(struct json_writer *writer, const struct field *field, const void *from)
{
	if (*(const bool *)from)
		json_write_bool(writer, field->key, true);
}

static bool read_true_if_any(void *to, const struct json *value, const struct field *field UNUSED,
			     struct arena *arena UNUSED)
{
	*(bool *)to = value && json_is_true(value);
	return !value || *(bool *)to;
}

static void write_from_1(struct json_writer *writer, const struct field *field, const void *from)
{
	json_write_integer(writer, field->key, (int64_t) * (const size_t *)from + 1);
}

static bool read_from_1(void *to, const struct json *value, const struct field *field UNUSED, struct arena *arena)
{
	size_t number;

	if (!read_size(&number, value, field, arena) || !number)
		return false;
	*(size_t *)to = number - 1;
	return true;
}

static void write_level(struct json_writer *writer, const struct field *field, const void *from)
{
	json_write_integer(writer, field->key, *(const unsigned *)from);
}

static bool read_level(void *to, const struct json *value, const struct field *field UNUSED, struct arena *arena UNUSED)
{
	long long number;

	if (!whole(value, MOST_LEVEL, &number))
		return false;
	*(unsigned *)to = (unsigned)number;
	return true;
}

#define UNKNOWN_STATUS (-1) /* counts.h, STATUS_UNKNOWN */

static void write_status(struct json_writer *writer, const struct field *field, const void *from)
{
	int status = *(const int *)from;

	if (status == UNKNOWN_STATUS)
		json_write_number(writer, field->key, NAN);
	else
		json_write_integer(writer, field->key, status);
}

static bool read_status(void *to, const struct json *value, const struct field *field UNUSED,
			struct arena *arena UNUSED)
{
	long long number = UNKNOWN_STATUS;

	/* -1 of topdown 0.2 */
	if (!json_is_null(value) && json_whole(value, 0) != UNKNOWN_STATUS && !whole(value, MOST_STATUS, &number))
		return false;
	*(int *)to = (int)number;
	return true;
}

static void write_choice(struct json_writer *writer, const struct field *field, const void *from)
{
	json_write_string(writer, field->key, field->choices[*(const unsigned *)from]);
}

static bool read_choice(void *to, const struct json *value, const struct field *field, struct arena *arena UNUSED)
{
	for (unsigned i = 0; json_text(value) && field->choices[i]; i++) {
		if (!strcmp(json_text(value), field->choices[i])) {
			*(unsigned *)to = i;
			return true;
		}
	}
	return false;
}

static const struct {
	const char *expected; /* completes "expected ..." */
	void (*write)(struct json_writer *writer, const struct field *field, const void *from);
	bool (*read)(void *to, const struct json *value, const struct field *field, struct arena *arena);
} kinds[FIELD_KINDS] = {
	[FIELD_TEXT] = { "text", json_shape_write_text, json_shape_read_text },
	[FIELD_TEXT_OR_NULL] = { "text or null", json_shape_write_text, read_text_or_null },
	[FIELD_TEXT_IF_ANY] = { "text", write_text_if_any, read_text_if_any },
	[FIELD_NUMBER_OR_NULL] = { "a number from 0 to " JSON_MOST_AMOUNT_TEXT " or null", write_number,
				   read_number_or_null },
	[FIELD_NUMBER_IF_ANY] = { "a number above 0, to " JSON_MOST_AMOUNT_TEXT, write_number_if_any,
				  read_number_if_any },
	[FIELD_U64] = { "a whole number from 0", write_u64, read_u64 },
	[FIELD_U32] = { "a whole number from 0 to 4294967295", write_u32, read_u32 },
	[FIELD_SIZE] = { "a whole number from 0 to 1000000", write_size, read_size },
	[FIELD_SIZE_IF_ANY] = { "a whole number from 0 to 1000000", write_size_if_any, read_size_if_any },
	[FIELD_TRUE_IF_ANY] = { "true", write_true_if_any, read_true_if_any },
	[FIELD_NUMBER_FROM_1] = { "a whole number from 1 to 1000000", write_from_1, read_from_1 },
	[FIELD_LEVEL] = { "a whole number from 0 to 16", write_level, read_level },
	[FIELD_STATUS] = { "a whole number from 0 to 255", write_status, read_status },
	[FIELD_CHOICE] = { NULL, write_choice, read_choice },
};

void fields_write(struct json_writer *writer, const struct shape *shape, const void *from)
{
	for (size_t i = 0; i < shape->count; i++) {
		const struct field *field = &shape->fields[i];

		kinds[field->kind].write(writer, field, (const char *)from + field->offset);
	}
}

void object_write(struct json_writer *writer, const char *key, const struct shape *shape, const void *from)
{
	json_write_object(writer, key);
	fields_write(writer, shape, from);
	json_write_end(writer);
}

void objects_write(struct json_writer *writer, const char *key, const struct shape *shape, const void *first,
		   size_t count)
{
	json_write_array(writer, key);
	for (size_t i = 0; i < count; i++)
		object_write(writer, NULL, shape, (const char *)first + i * shape->size);
	json_write_end(writer);
}

void texts_write(struct json_writer *writer, const char *key, const char *const *texts, size_t count)
{
	json_write_array(writer, key);
	for (size_t i = 0; i < count; i++)
		json_write_string(writer, NULL, texts[i]);
	json_write_end(writer);
}

/* Completes "expected ...": of a choice its names, as in: "ok" or "refused". */
static const char *expected_text(const struct field *field, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	if (field->kind != FIELD_CHOICE)
		return kinds[field->kind].expected;
	for (size_t i = 0; field->choices[i]; i++)
		string_printf(&text, "%s\"%s\"", !i ? "" : field->choices[i + 1] ? ", " : " or ", field->choices[i]);
	return text.text;
}

/* What was found, with short text and numbers as they are: they often show the mistake at once. */
static const char *found_text(struct arena *arena, const struct json *found)
{
	if (json_text(found) && strlen(json_text(found)) < 40)
		return arena_printf(arena, "\"%s\"", cells_safe(arena, json_text(found), true));
	if (json_is_number(found))
		return arena_printf(arena, "%.17g", json_number(found));
	return json_kind(found);
}

int field_error(struct error *err, const struct file_position *place, const char *key, const char *expected,
		const struct json *found)
{
	const char *list = place->list ? place->list : "", *member = key ? cells_safe(place->arena, key, true) : "",
		   *index = "";

	if (place->index != NO_INDEX)
		index = arena_printf(place->arena, "[%zu]", place->index);
	return error_set(err, "%s: %s%s%s%s: expected %s, found %s", place->source, list, index,
			 *list && key ? "." : "", member, expected, found_text(place->arena, found));
}

int fields_read(void *to, const struct json *object, const struct shape *shape, const struct file_position *place,
		struct error *err)
{
	if (!json_is_object(object))
		return field_error(err, place, NULL, "an object", object);
	for (size_t i = 0; i < shape->count; i++) {
		const struct field *field = &shape->fields[i];
		const struct json *value = json_get(object, field->key);

		if (!kinds[field->kind].read((char *)to + field->offset, value, field, place->arena))
			return field_error(err, place, field->key, expected_text(field, place->arena), value);
	}
	return 0;
}

/* Memory for the array's elements; NULL and err where it is none. */
static void *elements_begin(size_t *count, const struct json *array, size_t size, struct file_position *place,
			    struct error *err)
{
	place->index = NO_INDEX;
	if (!json_is_array(array) || json_size(array) >= UINT32_MAX) {
		field_error(err, place, NULL, "an array", array);
		return NULL;
	}
	*count = json_size(array);
	return arena_array(place->arena, *count, size);
}

void *objects_read(size_t *count, const struct json *array, const struct shape *shape, struct file_position *place,
		   struct error *err)
{
	char *elements = elements_begin(count, array, shape->size, place, err);

	for (size_t i = 0; elements && i < *count; i++) {
		place->index = i;
		if (fields_read(elements + i * shape->size, json_at(array, i), shape, place, err) < 0)
			return NULL;
	}
	return elements;
}

const char **texts_read(size_t *count, const struct json *array, struct file_position *place, struct error *err)
{
	const char **texts = elements_begin(count, array, sizeof(*texts), place, err);

	for (size_t i = 0; texts && i < *count; i++) {
		const char *text = json_text(json_at(array, i));

		place->index = i;
		if (!text) {
			field_error(err, place, NULL, "text", json_at(array, i));
			return NULL;
		}
		texts[i] = arena_strdup(place->arena, text);
	}
	return texts;
}
