/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_plain.h - the plain part of JSON in which our own databases are written: [row, ...] or {"Header": row, LIST: [row, ...]},
 * where a row is an object of strings and whole numbers; strings are of printable ASCII, and of escapes there are \\, \" and \/.
 * Members are read where they stand, in a third to a half of cJSON's time and without a copy (docs/BENCHMARKS.md). What has
 * another form, or is no JSON, is left to the library.
 */
#ifndef TOPDOWN_JSON_PLAIN_H
#define TOPDOWN_JSON_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* Where in the text a member's key and value begin and end, without quotes. */
struct plain_member {
	uint32_t key, key_end, value, value_end;
};

struct plain_row {
	size_t first, count; /* of members */
	uint64_t keys;	     /* bits of the keys that may be there, so that most absent ones are not searched for */
};

struct plain_file {
	char *text; /* borrowed */
	struct plain_member *members;
	size_t nmembers, members_capacity;
	struct plain_row header; /* without members where there is none */
	struct plain_row *rows;
	size_t count, capacity;
};

/*
 * Reads a text of length bytes with '\0' behind it; list is the array's name below a root object. False where it is not of this
 * form; it is then as it was. Else keys and values in it are terminated, and escapes resolved. The file's arrays live in arena.
 */
bool plain_read(struct plain_file *file, char *text, size_t length, const char *list, struct arena *arena) MUST_CHECK;

/* The value of the row's first member of that name, in the text; NULL if it has none. */
const char *plain_get(const struct plain_file *file, const struct plain_row *row, const char *key);

#endif
