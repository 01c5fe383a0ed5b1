/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/json/json_read.h"

#include <stdbool.h>
#include <string.h>

struct scan {
	const char *text;
	size_t length, at;
};

static char here(const struct scan *scan)
{
	return scan->at < scan->length ? scan->text[scan->at] : '\0';
}

static void skip_blanks(struct scan *scan)
{
	while (scan->at < scan->length && strchr(" \t\r\n", scan->text[scan->at]))
		scan->at++;
}

static void skip_string(struct scan *scan)
{
	for (scan->at++; scan->at < scan->length && here(scan) != '"'; scan->at++)
		scan->at += here(scan) == '\\';
	scan->at += scan->at < scan->length;
}

/* A value, with all that is in it. */
static void skip_value(struct scan *scan)
{
	size_t depth = 0;

	do {
		char c = here(scan);

		if (c == '"') {
			skip_string(scan);
		} else {
			depth += c == '{' || c == '[';
			depth -= depth && (c == '}' || c == ']');
			scan->at += scan->at < scan->length;
		}
	} while (scan->at < scan->length && (depth || !strchr(",]}", here(scan))));
}

/* To the next member or item; false behind the last. */
static bool next_part(struct scan *scan)
{
	skip_blanks(scan);
	if (here(scan) != ',')
		return false;
	scan->at++;
	skip_blanks(scan);
	return true;
}

static bool is_key(const struct scan *scan, const char *key)
{
	size_t length = strlen(key);

	return scan->length - scan->at > length + 1 && !strncmp(scan->text + scan->at + 1, key, length) &&
	       scan->text[scan->at + 1 + length] == '"';
}

/* Moves to the value of the step; *place is where it begins. False: there is none, and nothing has moved. */
static bool take_step(struct scan *scan, const struct json_step *step, size_t *place)
{
	struct scan inside = *scan;
	size_t item = 0;
	bool has_part;

	if (here(&inside) != (step->key ? '{' : '['))
		return false;
	inside.at++;
	skip_blanks(&inside);
	for (has_part = !strchr("]}", here(&inside)); has_part; has_part = next_part(&inside), item++) {
		bool is_found = step->key ? is_key(&inside, step->key) : item == step->item;

		*place = inside.at;
		if (step->key) {
			skip_string(&inside);
			skip_blanks(&inside);
			inside.at += here(&inside) == ':';
			skip_blanks(&inside);
		}
		if (is_found) {
			*scan = inside;
			return true;
		}
		skip_value(&inside);
	}
	return false;
}

struct json_place json_place_of(const char *text, size_t length, const struct json_step *steps, size_t count)
{
	struct scan scan = { text, length, 0 };
	struct json_place place = { 1, 1 };
	size_t found, at;

	skip_blanks(&scan);
	found = scan.at;
	for (size_t i = 0; i < count && take_step(&scan, &steps[i], &at); i++)
		found = at;
	for (size_t i = 0; i < found && i < length; i++) {
		place.line += text[i] == '\n';
		place.column = text[i] == '\n' ? 1 : place.column + 1;
	}
	return place;
}
