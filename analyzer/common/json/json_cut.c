/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/json/json_write.h"

#include <jansson.h>
#include <string.h>

#include "common/base/macros.h"
#include "common/base/text.h"

#define OMITTED	      "omitted"
#define LONGEST_NAME  256 /* bytes of one, where there is little room */
#define SHORTEST_NAME 16
#define DUMP_FLAGS    (JSON_COMPACT | JSON_REAL_PRECISION(6) | JSON_ENCODE_ANY)

static size_t size_of(const json_t *value)
{
	return json_dumpb(value, NULL, 0, DUMP_FLAGS);
}

/* ---- arrays, the largest first ---- */

struct victim {
	json_t *array;
	char path[256];
	size_t size;
};

static void extend(char *path, size_t room, const char *before, const char *key)
{
	snprintf(path, room, "%s%s%s", before, *before ? "." : "", key);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the document */
static void find_largest(struct victim *largest, json_t *value, const char *path)
{
	char own[sizeof(largest->path)];
	const char *key;
	json_t *inside;
	size_t i;

	if (json_is_array(value) && json_array_size(value) && size_of(value) > largest->size) {
		largest->array = value;
		largest->size = size_of(value);
		extend(largest->path, sizeof(largest->path), "", path);
	}
	json_array_foreach(value, i, inside) find_largest(largest, inside, path);
	json_object_foreach(value, key, inside)
	{
		extend(own, sizeof(own), path, key);
		if (strcmp(own, OMITTED) != 0)
			find_largest(largest, inside, own);
	}
}

static bool is_significant(const json_t *item)
{
	return json_is_true(json_object_get(item, "worst_path")) || json_is_true(json_object_get(item, "bottleneck"));
}

/* The last of those that matter less; the last one where all matter. */
static size_t least_significant(const json_t *array)
{
	for (size_t i = json_array_size(array); i-- > 0;)
		if (!is_significant(json_array_get(array, i)))
			return i;
	return json_array_size(array) - 1;
}

static json_t *omitted_of(json_t *root)
{
	json_t *omitted = json_object_get(root, OMITTED);

	if (omitted)
		return omitted;
	json_object_set_new(root, OMITTED, json_object());
	return json_object_get(root, OMITTED);
}

static void note_items(json_t *root, const char *path, size_t count)
{
	json_t *omitted = omitted_of(root);
	json_int_t before = json_integer_value(json_object_get(omitted, path));

	json_object_set_new(omitted, path, json_integer(before + (json_int_t)count));
}

/* Until it is small enough, or has half of its size, and another may be the largest. */
static void shorten(json_t *root, const struct victim *victim, size_t excess)
{
	size_t removed = 0, count = 0, enough = excess < victim->size / 2 ? excess : victim->size / 2;

	while (json_array_size(victim->array) && removed <= enough) {
		size_t least = least_significant(victim->array);

		removed += size_of(json_array_get(victim->array, least)) + 1;
		json_array_remove(victim->array, least);
		count++;
	}
	note_items(root, victim->path, count);
}

/* ---- members ---- */

static bool is_kept(const char *key)
{
	static const char *const kept[] = { "format", "version", "verdict", "error", OMITTED };

	for (size_t i = 0; i < COUNT_OF(kept); i++)
		if (!strcmp(key, kept[i]))
			return true;
	return false;
}

/* False: there is none that may go. */
static bool remove_largest_member(json_t *root)
{
	const char *largest = NULL, *key;
	char name[256];
	size_t most = 0;
	json_t *value;

	json_object_foreach(root, key, value)
	{
		if (!is_kept(key) && size_of(value) > most) {
			most = size_of(value);
			largest = key;
		}
	}
	if (!largest)
		return false;
	extend(name, sizeof(name), "", largest);
	json_object_del(root, name);
	json_object_set_new(omitted_of(root), name, json_true());
	return true;
}

/* ---- names ---- */

/* What people read, and nobody pastes. */
static bool is_name(const char *key)
{
	static const char *const names[] = { "answer", "function", "module",   "file",	  "name",
					     "title",  "machine",  "sentence", "command", "cpu" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (!strcmp(key, names[i]))
			return true;
	return false;
}

static void shorten_name(json_t *name, size_t most)
{
	const char *text = json_string_value(name);
	size_t length = most;
	char shortened[LONGEST_NAME + 8];

	if (strlen(text) <= most)
		return;
	while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
		length--;
	snprintf(shortened, sizeof(shortened), "%.*s…", (int)length, text);
	json_string_set(name, shortened);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the document */
static void shorten_names(json_t *value, size_t most)
{
	const char *key;
	json_t *inside;
	size_t i;

	json_array_foreach(value, i, inside) shorten_names(inside, most);
	json_object_foreach(value, key, inside)
	{
		if (json_is_string(inside) && is_name(key))
			shorten_name(inside, most);
		else
			shorten_names(inside, most);
	}
}

static void cut_document(json_t *root, size_t budget)
{
	if (size_of(root) > budget)
		shorten_names(root, LONGEST_NAME);
	for (size_t size = size_of(root); size > budget; size = size_of(root)) {
		struct victim largest = { .array = NULL };

		find_largest(&largest, root, "");
		if (largest.array)
			shorten(root, &largest, size - budget);
		else if (!remove_largest_member(root))
			break;
	}
	for (size_t most = LONGEST_NAME; size_of(root) > budget && most > SHORTEST_NAME; most /= 2)
		shorten_names(root, most);
}

int json_cut(FILE *out, const char *text, size_t length, size_t budget, struct error *err)
{
	while (length) {
		json_error_t failure;
		json_t *root = json_loadb(text, length, JSON_DISABLE_EOF_CHECK, &failure);
		int result;

		if (!root)
			return error_set(err, "JSON that can't be cut: %s", failure.text);
		cut_document(root, budget - 1);
		result = json_dumpf(root, out, DUMP_FLAGS);
		json_decref(root);
		if (result < 0 || fputc('\n', out) == EOF)
			return error_set(err, "write error");
		text += failure.position;
		length -= (size_t)failure.position;
		for (; length && strchr(" \t\r\n", *text); length--)
			text++;
	}
	return 0;
}
