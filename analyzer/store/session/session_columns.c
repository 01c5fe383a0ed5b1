/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/session/session_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/measurement/profile.h"

/* ---- writing ---- */

static int compare_pointers(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int64_t text_number(const struct text_list *texts, const char *text)
{
	const char **found = text && texts->count ? bsearch(&text, texts->items, texts->count, sizeof(*texts->items),
							    compare_pointers)
						  : NULL;

	return found ? found - texts->items : -1;
}

static int64_t index_or_none(uint32_t number)
{
	return number == PROFILE_NONE ? -1 : (int64_t)number;
}

static void write_value(struct json_writer *writer, enum column_kind kind, const void *at,
			const struct text_list *texts)
{
	switch (kind) {
	case COLUMN_INDEX:
	case COLUMN_INDEX_OR_NONE: json_write_integer(writer, NULL, index_or_none(*(const uint32_t *)at)); break;
	case COLUMN_ITEM: json_write_integer(writer, NULL, (int64_t) * (const size_t *)at); break;
	case COLUMN_TEXT: json_write_integer(writer, NULL, text_number(texts, *(const char *const *)at)); break;
	case COLUMN_U32:
	case COLUMN_LOOP:
	case COLUMN_METHOD: json_write_integer(writer, NULL, *(const uint32_t *)at); break;
	case COLUMN_U64: json_write_u64(writer, NULL, *(const uint64_t *)at); break;
	case COLUMN_NUMBER: json_write_number(writer, NULL, *(const double *)at); break;
	case COLUMN_TRUTH: json_write_integer(writer, NULL, *(const bool *)at); break;
	}
}

static const size_t sizes[] = {
	[COLUMN_U32] = sizeof(uint32_t), [COLUMN_U64] = sizeof(uint64_t),    [COLUMN_NUMBER] = sizeof(double),
	[COLUMN_TRUTH] = sizeof(bool),	 [COLUMN_METHOD] = sizeof(unsigned), [COLUMN_LOOP] = sizeof(uint32_t),
	[COLUMN_TEXT] = sizeof(char *)
};

/* Is there anything but zeros in it? */
static bool is_worth_writing(const struct column *column, const struct array_of *array)
{
	static const char zeros[sizeof(uint64_t)] = { 0 };

	for (size_t i = 0; column->is_optional && i < array->count; i++)
		if (memcmp((char *)array->first + i * array->size + column->offset, zeros, sizes[column->kind]) != 0)
			return true;
	return !column->is_optional;
}

void elements_write(struct json_writer *writer, const struct elements *elements, const struct array_of *array,
		    const struct text_list *texts)
{
	json_write_object(writer, elements->key);
	for (size_t i = 0; i < elements->ncolumns; i++) {
		const struct column *column = &elements->columns[i];

		if (!is_worth_writing(column, array))
			continue;
		json_write_numbers(writer, column->key);
		for (size_t k = 0; k < array->count; k++)
			write_value(writer, column->kind, (char *)array->first + k * array->size + column->offset,
				    texts);
		json_write_end(writer);
	}
	json_write_end(writer);
}

/* ---- reading ---- */

/* What a number may be at most, and what to expect where it is not. */
static int wrong_number(const struct column_reader *reader, const struct column *column, const struct json *found,
			struct error *err)
{
	static const char *const expected[] = {
		[COLUMN_INDEX] = "the number of one that is there",
		[COLUMN_INDEX_OR_NONE] = "the number of one that is there, or -1",
		[COLUMN_ITEM] = "the number of one that is there",
		[COLUMN_TEXT] = "a number of \"texts\", or -1",
		[COLUMN_U32] = "a whole number from 0",
		[COLUMN_U64] = "a whole number from 0",
		[COLUMN_NUMBER] = ("a number from 0 to " JSON_MOST_AMOUNT_TEXT),
		[COLUMN_TRUTH] = "0 or 1",
		[COLUMN_METHOD] = "the number of a method",
		[COLUMN_LOOP] = "the number of one that is there, from 1, or 0",
	};

	return field_error(err, &reader->place, NULL, expected[column->kind], found);
}

/* true and false are no numbers here. */
static bool read_whole(long long *number, const struct json *value, long long least, long long most)
{
	*number = json_is_number(value) ? json_whole(value, least - 1) : least - 1;
	return *number >= least && *number <= most;
}

static bool read_u64(void *at, const struct json *value)
{
	long long number;

	if (json_text(value))
		return text_u64(json_text(value), at);
	if (!read_whole(&number, value, 0, INT64_MAX))
		return false;
	*(uint64_t *)at = (uint64_t)number;
	return true;
}

/* The largest number of a column's whole numbers; U64 and NUMBER have none. */
static long long largest(const struct column_reader *reader, const struct column *column)
{
	switch (column->kind) {
	case COLUMN_INDEX:
	case COLUMN_INDEX_OR_NONE:
	case COLUMN_ITEM:
	case COLUMN_TEXT: return (long long)reader->sizes[column->list] - 1;
	case COLUMN_LOOP: return (long long)reader->sizes[column->list];
	case COLUMN_TRUTH: return 1;
	case COLUMN_METHOD: return STACK_METHODS - 1;
	default: return UINT32_MAX - 1;
	}
}

static void store(const struct column_reader *reader, enum column_kind kind, void *at, long long number)
{
	if (kind == COLUMN_TEXT)
		*(const char **)at = number < 0 ? NULL : reader->texts[number];
	else if (kind == COLUMN_ITEM)
		*(size_t *)at = (size_t)number;
	else if (kind == COLUMN_TRUTH)
		*(bool *)at = number == 1;
	else
		*(uint32_t *)at = number < 0 ? PROFILE_NONE : (uint32_t)number;
}

static bool session_columns_read_value(const struct column_reader *reader, const struct column *column, void *at,
				       const struct json *value)
{
	long long least = column->kind == COLUMN_TEXT || column->kind == COLUMN_INDEX_OR_NONE ? -1 : 0, number;

	if (column->kind == COLUMN_U64)
		return read_u64(at, value);
	if (column->kind == COLUMN_NUMBER)
		return (*(double *)at = json_amount(value)) >= 0 && isfinite(*(double *)at);
	if (!read_whole(&number, value, least, largest(reader, column)))
		return false;
	store(reader, column->kind, at, number);
	return true;
}

/* One column of count elements, each size bytes behind the one before. */
static int read_column(struct column_reader *reader, const struct column *column, const struct json *array,
		       const struct array_of *elements, struct error *err)
{
	struct file_position *place = &reader->place;

	place->index = NO_INDEX;
	if (!array && column->is_optional)
		return 0;
	if (!json_is_array(array) || json_size(array) != elements->count)
		return field_error(err, place, NULL,
				   arena_printf(place->arena, "an array of %zu numbers", elements->count), array);
	for (place->index = 0; place->index < elements->count; place->index++) {
		char *at = (char *)elements->first + place->index * elements->size + column->offset;

		if (!session_columns_read_value(reader, column, at, json_at(array, place->index)))
			return wrong_number(reader, column, json_at(array, place->index), err);
	}
	return 0;
}

int elements_read(struct array_of *read, struct column_reader *reader, const struct elements *elements,
		  const struct json *object, struct error *err)
{
	const struct json *first = json_get(object, elements->columns[0].key);

	reader->place.list = arena_printf(reader->place.arena, "profile.%s", elements->key);
	reader->place.index = NO_INDEX;
	if (!json_is_object(object) || !json_is_array(first) || json_size(first) >= UINT32_MAX)
		return field_error(err, &reader->place, NULL, "an object of columns", object);
	*read = (struct array_of){ .count = json_size(first), .size = elements->size };
	read->first = arena_array(reader->place.arena, read->count, read->size);
	for (size_t i = 0; i < elements->ncolumns; i++) {
		const struct column *column = &elements->columns[i];

		reader->place.list = arena_printf(reader->place.arena, "profile.%s.%s", elements->key, column->key);
		if (read_column(reader, column, json_get(object, column->key), read, err) < 0)
			return -1;
	}
	return 0;
}
