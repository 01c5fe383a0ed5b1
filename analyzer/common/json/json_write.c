/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/json/json_write.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cells.h"
#include "common/base/text.h"
#include "common/json/json_digits.h"
#include "common/json/json_internal.h"
#include "common/system/file.h"

#define EXACT_INTEGERS 9007199254740992.0

struct json_writer {
	json_t *open[JSON_DEPTH]; /* root first; borrowed from it */
	size_t depth;
	struct number_array *arrays; /* in the document's order */
	size_t narrays, arrays_capacity;
	struct json_digits digits;
	bool is_in_numbers; /* the last of arrays is open */
	bool has_failed;    /* no memory, or the nesting is wrong */
	bool needs_all_digits, needs_ascii;
	bool is_one_line, is_inline;
};

struct json_writer *json_writer_new(void)
{
	struct json_writer *writer = calloc(1, sizeof(*writer));

	if (writer) {
		writer->open[0] = json_object();
		writer->depth = 1;
		writer->has_failed = !writer->open[0];
	}
	return writer;
}

void json_writer_on_one_line(struct json_writer *writer)
{
	if (writer)
		writer->is_one_line = true;
}

void json_writer_inline(struct json_writer *writer)
{
	if (writer)
		writer->is_one_line = writer->is_inline = true;
}

/* Takes value over. */
static void json_write_add(struct json_writer *writer, const char *key, json_t *value)
{
	json_t *container = writer && writer->depth ? writer->open[writer->depth - 1] : NULL;
	int result;

	if (key)
		result = json_object_set_new_nocheck(container, key, value);
	else
		result = json_array_append_new(container, value);
	if (writer && (result < 0 || writer->is_in_numbers))
		writer->has_failed = true;
}

static void open_in(struct json_writer *writer, const char *key, json_t *container)
{
	if (writer && writer->depth == JSON_DEPTH)
		writer->has_failed = true;
	json_write_add(writer, key, container);
	if (writer && !writer->has_failed)
		writer->open[writer->depth++] = container;
}

void json_write_object(struct json_writer *writer, const char *key)
{
	open_in(writer, key, json_object());
}

void json_write_array(struct json_writer *writer, const char *key)
{
	open_in(writer, key, json_array());
}

/* One more of the arrays of numbers. */
static int reserve_array(struct json_writer *writer)
{
	size_t capacity = writer->arrays_capacity ? 2 * writer->arrays_capacity : JSON_DEPTH;
	struct number_array *arrays;

	if (writer->narrays < writer->arrays_capacity)
		return 0;
	arrays = reallocarray(writer->arrays, capacity, sizeof(*arrays));
	if (!arrays)
		return -1;
	writer->arrays = arrays;
	writer->arrays_capacity = capacity;
	return 0;
}

void json_write_numbers(struct json_writer *writer, const char *key)
{
	json_write_array(writer, key);
	if (!writer || writer->has_failed)
		return;
	if (reserve_array(writer) < 0) {
		writer->has_failed = true;
		return;
	}
	writer->arrays[writer->narrays++] = (struct number_array){
		.array = writer->open[writer->depth - 1],
		.begin = json_digits_begin(&writer->digits),
	};
	writer->is_in_numbers = true;
}

void json_write_end(struct json_writer *writer)
{
	if (!writer || writer->has_failed)
		return;
	if (writer->is_in_numbers)
		writer->arrays[writer->narrays - 1].end = writer->digits.length;
	writer->is_in_numbers = false;
	if (writer->depth > 1)
		writer->depth--;
	else
		writer->has_failed = true;
}

/* Notes what the whole document then needs: C1 control characters would steer a terminal and are written as \u0085. */
static bool is_utf8(struct json_writer *writer, const char *text)
{
	bool is_valid = true;
	uint32_t code;

	for (; *text; text += utf8_next(text, &code)) {
		utf8_next(text, &code);
		if (code == UTF8_INVALID)
			is_valid = false;
		else if (writer && code >= 0x7f && code < 0xa0)
			writer->needs_ascii = true;
	}
	return is_valid;
}

static json_t *repaired(const char *text)
{
	struct arena arena;
	struct string out;
	uint32_t code;
	size_t length;
	json_t *value;

	arena_init(&arena);
	out = STRING_INIT(&arena);
	for (; *text; text += length) {
		length = utf8_next(text, &code);
		if (code == UTF8_INVALID)
			string_add(&out, "\xef\xbf\xbd");
		else
			string_addn(&out, text, length);
	}
	value = json_string(out.text);
	arena_release(&arena);
	return value;
}

void json_write_string(struct json_writer *writer, const char *key, const char *value)
{
	if (!value)
		json_write_add(writer, key, json_null());
	else
		json_write_add(writer, key, is_utf8(writer, value) ? json_string(value) : repaired(value));
}

/* Where numbers go that are no values of the document; NULL: they are. */
static struct json_digits *digits_of(struct json_writer *writer, const char *key)
{
	return writer && writer->is_in_numbers && !key ? &writer->digits : NULL;
}

static void write_null(struct json_writer *writer, const char *key)
{
	struct json_digits *digits = digits_of(writer, key);

	if (digits)
		json_digits_add(digits, "null", strlen("null"));
	else
		json_write_add(writer, key, json_null());
}

static void write_real(struct json_writer *writer, const char *key, double value)
{
	struct json_digits *digits = digits_of(writer, key);

	if (digits) {
		json_digits_real(digits, value);
		return;
	}
	if (writer && json_needs_all_digits(value))
		writer->needs_all_digits = true;
	json_write_add(writer, key, json_real(value));
}

void json_write_number(struct json_writer *writer, const char *key, double value)
{
	if (!isfinite(value))
		write_null(writer, key);
	else if (fabs(value) < EXACT_INTEGERS && value >= trunc(value) && value <= trunc(value))
		json_write_integer(writer, key, (int64_t)value);
	else
		write_real(writer, key, value);
}

void json_write_integer(struct json_writer *writer, const char *key, int64_t value)
{
	struct json_digits *digits = digits_of(writer, key);

	if (digits)
		json_digits_integer(digits, value);
	else
		json_write_add(writer, key, json_integer(value));
}

void json_write_u64(struct json_writer *writer, const char *key, uint64_t value)
{
	struct json_digits *digits = digits_of(writer, key);
	char text[24];
	int length;

	if (value <= INT64_MAX) {
		json_write_integer(writer, key, (int64_t)value);
		return;
	}
	length = snprintf(text, sizeof(text), digits ? "\"%" PRIu64 "\"" : "%" PRIu64, value);
	if (digits)
		json_digits_add(digits, text, (size_t)length);
	else
		json_write_string(writer, key, text);
}

void json_write_bool(struct json_writer *writer, const char *key, bool value)
{
	json_write_add(writer, key, json_boolean(value));
}

static int dump(const struct json_writer *writer, FILE *out, struct error *err)
{
	const struct json_document document = { .root = writer->open[0],
						.arrays = writer->arrays,
						.narrays = writer->narrays,
						.digits = writer->digits.text,
						.real_digits = writer->needs_all_digits ? ALL_DIGITS : SHORT_DIGITS,
						.is_ascii = writer->needs_ascii,
						.is_one_line = writer->is_one_line };
	bool is_written = json_dump_document(&document, out) == 0;

	if (!writer->is_inline) {
		fputc('\n', out);
		if (file_flush(out, err) < 0)
			return -1;
	}
	return is_written ? 0 : error_set(err, "can't write JSON: no memory is left");
}

int json_writer_finish(struct json_writer *writer, FILE *out, struct error *err)
{
	int result = 0;

	if (!writer || writer->has_failed || writer->digits.has_failed)
		result = error_set(err, "can't write JSON: no memory is left, or it is nested wrongly");
	else
		result = dump(writer, out, err);
	if (writer) {
		json_decref(writer->open[0]);
		free(writer->digits.text);
		free(writer->arrays);
	}
	free(writer);
	return result;
}
