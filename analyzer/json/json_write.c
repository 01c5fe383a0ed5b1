/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json/json_write.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cells.h"
#include "base/file.h"
#include "base/text.h"

#define DEPTH	       16
#define SHORT_DIGITS   15 /* every decimal people or plain_number write; more shows 26.800000000000001 */
#define ALL_DIGITS     17 /* every double */
#define EXACT_INTEGERS 9007199254740992.0

struct json_writer {
	json_t *open[DEPTH]; /* root first; borrowed from it */
	size_t depth;
	bool has_failed; /* no memory, or the nesting is wrong */
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
static void add(struct json_writer *writer, const char *key, json_t *value)
{
	json_t *container = writer && writer->depth ? writer->open[writer->depth - 1] : NULL;
	int result;

	if (key)
		result = json_object_set_new_nocheck(container, key, value);
	else
		result = json_array_append_new(container, value);
	if (writer && result < 0)
		writer->has_failed = true;
}

static void open_in(struct json_writer *writer, const char *key, json_t *container)
{
	if (writer && writer->depth == DEPTH)
		writer->has_failed = true;
	add(writer, key, container);
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

void json_write_end(struct json_writer *writer)
{
	if (!writer || writer->has_failed)
		return;
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
		add(writer, key, json_null());
	else
		add(writer, key, is_utf8(writer, value) ? json_string(value) : repaired(value));
}

static bool needs_all_digits(double value)
{
	char text[40];
	double again;

	snprintf(text, sizeof(text), "%.*g", SHORT_DIGITS, value);
	return !text_double(text, &again) || again < value || again > value;
}

void json_write_number(struct json_writer *writer, const char *key, double value)
{
	if (!isfinite(value)) {
		add(writer, key, json_null());
		return;
	}
	if (fabs(value) < EXACT_INTEGERS && value >= trunc(value) && value <= trunc(value)) {
		add(writer, key, json_integer((json_int_t)value));
		return;
	}
	if (writer && needs_all_digits(value))
		writer->needs_all_digits = true;
	add(writer, key, json_real(value));
}

void json_write_integer(struct json_writer *writer, const char *key, int64_t value)
{
	add(writer, key, json_integer(value));
}

void json_write_u64(struct json_writer *writer, const char *key, uint64_t value)
{
	char digits[24];

	if (value <= INT64_MAX) {
		json_write_integer(writer, key, (int64_t)value);
		return;
	}
	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	json_write_string(writer, key, digits);
}

void json_write_bool(struct json_writer *writer, const char *key, bool value)
{
	add(writer, key, json_boolean(value));
}

/* jansson hands over a few bytes at a time: a stream's lock for each would cost as much as the rest. */
struct blocks {
	FILE *out;
	size_t count;
	char bytes[65536];
};

static int blocks_flush(struct blocks *blocks)
{
	size_t written = fwrite(blocks->bytes, 1, blocks->count, blocks->out);
	bool is_written = written == blocks->count;

	blocks->count = 0;
	return is_written ? 0 : -1;
}

static int blocks_add(const char *bytes, size_t size, void *context)
{
	struct blocks *blocks = context;

	if (size > sizeof(blocks->bytes) - blocks->count && blocks_flush(blocks) < 0)
		return -1;
	if (size > sizeof(blocks->bytes))
		return fwrite(bytes, 1, size, blocks->out) == size ? 0 : -1;
	memcpy(blocks->bytes + blocks->count, bytes, size);
	blocks->count += size;
	return 0;
}

static int dump(const struct json_writer *writer, FILE *out, struct error *err)
{
	struct blocks blocks = { .out = out };
	int digits = writer->needs_all_digits ? ALL_DIGITS : SHORT_DIGITS;
	bool is_written;
	size_t flags = JSON_REAL_PRECISION((size_t)digits) | (writer->is_one_line ? JSON_COMPACT : JSON_INDENT(2));

	if (writer->needs_ascii)
		flags |= JSON_ENSURE_ASCII;
	is_written = json_dump_callback(writer->open[0], blocks_add, &blocks, flags) == 0 && blocks_flush(&blocks) == 0;
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

	if (!writer || writer->has_failed)
		result = error_set(err, "can't write JSON: no memory is left, or it is nested wrongly");
	else
		result = dump(writer, out, err);
	if (writer)
		json_decref(writer->open[0]);
	free(writer);
	return result;
}
