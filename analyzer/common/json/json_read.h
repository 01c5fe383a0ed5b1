/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_read.h - a document of JSON. jansson reads what people write or edit, and what topdown has written; cJSON what
 * is large, regular and read once: vendors' files and databases. The values of both are used alike, and errors carry
 * file, line and column.
 */
#ifndef TOPDOWN_COMMON_JSON_JSON_READ_H
#define TOPDOWN_COMMON_JSON_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

struct json; /* a value; borrowed from its document */

/* The root value; NULL and err ("FILE: line 3, column 7: ...") when it can't be read. "-" is standard input. */
struct json *json_read_file(const char *path, struct error *err) MUST_CHECK;
struct json *json_read_text(const char *text, size_t length, const char *source, struct error *err) MUST_CHECK;
/* The same of what people write by hand: an object that has a key twice is refused too. */
struct json *json_read_strict(const char *text, size_t length, const char *source, struct error *err) MUST_CHECK;
/*
 * One member of the file's root object, without reading the rest of a large file. NULL with err when the file can't be
 * read or the member is no JSON; NULL without err when there is no such member.
 */
struct json *json_read_member(const char *path, const char *key, struct error *err) MUST_CHECK;
/*
 * Of vendors' files and databases. A comma behind the last item of an array, as older files of Linux have it, is read
 * over. cJSON is faster and less strict: 01 is a number, 1.0 is a whole one, and a string may have control characters.
 * A key that stands twice has its last value with both, but json_each comes to both of cJSON's. A build without cJSON
 * reads all by jansson.
 */
struct json *json_read_bulk(const char *path, struct error *err) MUST_CHECK;
/* Frees the document; everything borrowed from it is then gone. NULL is allowed. */
void json_free(struct json *root);

bool json_is_object(const struct json *value);
bool json_is_array(const struct json *value);
bool json_is_number(const struct json *value);
bool json_is_null(const struct json *value); /* the value null, not an absent member */

/* "an object", "a string", "null" ... for error messages; "nothing" for NULL. */
const char *json_kind(const struct json *value);

/* Member of an object; NULL when value is no object or has no such member. value may be NULL. */
const struct json *json_get(const struct json *value, const char *key);
size_t json_size(const struct json *array); /* 0 of an object */
const struct json *json_at(const struct json *array, size_t index);
/* Calls each(context, item) as json_each does: of a long list of json_read_bulk, where json_at looks for its item. */
int json_each_item(const struct json *array, int (*each)(void *context, const struct json *item), void *context);

/* NULL when value is no string. */
const char *json_text(const struct json *value);
/* NAN when value is no number. */
double json_number(const struct json *value);
/* The same of a count or a measured amount: NAN too beyond all that there is, where sums might be infinite. */
#define JSON_MOST_AMOUNT      1e24
#define JSON_MOST_AMOUNT_TEXT "1e24"
double json_amount(const struct json *value);
/* Integers and true/false; fallback when value is neither. */
long long json_whole(const struct json *value, long long fallback);
bool json_is_true(const struct json *value);

/*
 * Calls each(context, key, value) for the members in the file's order; stops at the first
 * that is not 0 and returns that.
 */
int json_each(const struct json *object, int (*each)(void *context, const char *key, const struct json *value),
	      void *context);

/* ---- json_place.c ---- */

/* In which line a value stands, of JSON that has been read: for errors about what people wrote. */

/* A member of an object, or an item of an array. */
struct json_step {
	const char *key; /* NULL: an item */
	size_t item;	 /* from 0 */
};

struct json_place {
	size_t line, column; /* from 1; column in bytes */
};

/*
 * Where the value begins that the steps lead to from the root; of a member its key. Where a step leads nowhere, it is
 * the value before it. The text is such that json_read_text has taken it; of any other the place may be wrong.
 */
struct json_place json_place_of(const char *text, size_t length, const struct json_step *steps, size_t count);

#endif
