/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_dump.c - jansson would make a call for each bracket, and integers by snprintf. Together that costs as much as
 * all the rest. So containers, integers and plain texts are written here. What has to be escaped, and reals, are
 * jansson's.
 */
#include "common/json/json_internal.h"

#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_digits.h"

struct dump {
	const struct json_document *document;
	FILE *out;
	size_t next;  /* of the document's arrays */
	size_t flags; /* for jansson */
	bool has_failed;
	size_t count;
	char bytes[65536];
};

static void flush(struct dump *dump)
{
	if (fwrite(dump->bytes, 1, dump->count, dump->out) != dump->count)
		dump->has_failed = true;
	dump->count = 0;
}

static void json_dump_put(struct dump *dump, const char *bytes, size_t size)
{
	if (size > sizeof(dump->bytes) - dump->count)
		flush(dump);
	if (size > sizeof(dump->bytes)) {
		if (fwrite(bytes, 1, size, dump->out) != size)
			dump->has_failed = true;
		return;
	}
	memcpy(dump->bytes + dump->count, bytes, size);
	dump->count += size;
}

static int put_from_jansson(const char *bytes, size_t size, void *context)
{
	json_dump_put(context, bytes, size);
	return 0;
}

static void put_by_jansson(struct dump *dump, const json_t *value)
{
	if (json_dump_callback(value, put_from_jansson, dump, dump->flags | JSON_ENCODE_ANY) < 0)
		dump->has_failed = true;
}

static void put_break(struct dump *dump, unsigned depth)
{
	static const char indent[] = "\n                                ";
	static_assert(sizeof(indent) == 1 + 2 * JSON_DEPTH + 1, "two blanks for each level");

	if (!dump->document->is_one_line)
		json_dump_put(dump, indent, 1 + 2 * (size_t)depth);
}

/* Printable ASCII that JSON has as it is. */
static bool is_plain(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] < ' ' || text[i] > '~' || text[i] == '"' || text[i] == '\\')
			return false;
	return true;
}

static void put_quoted(struct dump *dump, const char *text, size_t length)
{
	json_dump_put(dump, "\"", 1);
	json_dump_put(dump, text, length);
	json_dump_put(dump, "\"", 1);
}

static void put_string(struct dump *dump, const json_t *value)
{
	if (is_plain(json_string_value(value), json_string_length(value)))
		put_quoted(dump, json_string_value(value), json_string_length(value));
	else
		put_by_jansson(dump, value);
}

static void put_key(struct dump *dump, const char *key)
{
	json_t *value;

	if (is_plain(key, strlen(key))) {
		put_quoted(dump, key, strlen(key));
	} else {
		value = json_string_nocheck(key);
		put_by_jansson(dump, value);
		json_decref(value);
	}
	json_dump_put(dump, ": ", dump->document->is_one_line ? 1 : 2);
}

static void put_integer(struct dump *dump, json_int_t value)
{
	char text[DIGITS_OF_INTEGER], *end = text + sizeof(text), *begin = json_integer_before(end, value);

	json_dump_put(dump, begin, (size_t)(end - begin));
}

static void put_value(struct dump *dump, const json_t *value, unsigned depth);

static void put_object(struct dump *dump, json_t *object, unsigned depth)
{
	bool is_first = true;
	const char *key;
	json_t *value;

	json_dump_put(dump, "{", 1);
	json_object_foreach(object, key, value)
	{
		if (!is_first)
			json_dump_put(dump, ",", 1);
		is_first = false;
		put_break(dump, depth + 1);
		put_key(dump, key);
		put_value(dump, value, depth + 1);
	}
	if (!is_first)
		put_break(dump, depth);
	json_dump_put(dump, "}", 1);
}

/* True: it is one of the arrays of numbers. */
static bool put_numbers(struct dump *dump, const json_t *array)
{
	const struct json_document *document = dump->document;
	const struct number_array *numbers = document->narrays > dump->next ? &document->arrays[dump->next] : NULL;

	if (!numbers || numbers->array != array)
		return false;
	json_dump_put(dump, "[", 1);
	if (numbers->end > numbers->begin)
		json_dump_put(dump, document->digits + numbers->begin, numbers->end - numbers->begin);
	json_dump_put(dump, "]", 1);
	dump->next++;
	return true;
}

static void put_array(struct dump *dump, const json_t *array, unsigned depth)
{
	if (put_numbers(dump, array))
		return;
	json_dump_put(dump, "[", 1);
	for (size_t i = 0; i < json_array_size(array); i++) {
		if (i)
			json_dump_put(dump, ",", 1);
		put_break(dump, depth + 1);
		put_value(dump, json_array_get(array, i), depth + 1);
	}
	if (json_array_size(array))
		put_break(dump, depth);
	json_dump_put(dump, "]", 1);
}

static void put_value(struct dump *dump, const json_t *value, unsigned depth)
{
	if (json_is_object(value))
		put_object(dump, (json_t *)(uintptr_t)value, depth);
	else if (json_is_array(value))
		put_array(dump, value, depth);
	else if (json_is_string(value))
		put_string(dump, value);
	else if (json_is_integer(value))
		put_integer(dump, json_integer_value(value));
	else
		put_by_jansson(dump, value);
}

int json_dump_document(const struct json_document *document, FILE *out)
{
	struct dump *dump = malloc(sizeof(*dump));
	bool has_failed;

	if (!dump)
		return -1;
	dump->document = document;
	dump->out = out;
	dump->next = dump->count = 0;
	dump->has_failed = false;
	dump->flags = JSON_REAL_PRECISION((size_t)document->real_digits) | (document->is_ascii ? JSON_ENSURE_ASCII : 0);
	put_value(dump, document->root, 0);
	flush(dump);
	has_failed = dump->has_failed || dump->next < document->narrays;
	free(dump);
	return has_failed ? -1 : 0;
}
