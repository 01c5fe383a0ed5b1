/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_internal.h - for json_read.c and json_write.c: cJSON's values, and the text of a document. */
#ifndef TOPDOWN_COMMON_JSON_JSON_INTERNAL_H
#define TOPDOWN_COMMON_JSON_JSON_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- json_dump.c ---- */

/* The text of a document that json_write has built. */

#define JSON_DEPTH 16 /* containers in each other, with the root */

struct json_t; /* jansson's */

/* An array that stands empty in the document, since its numbers are text already: these bytes of digits. */
struct number_array {
	const struct json_t *array;
	size_t begin, end;
};

struct json_document {
	struct json_t *root;
	const struct number_array *arrays; /* in the document's order */
	size_t narrays;
	const char *digits; /* "1,2,3" of all of them */
	int real_digits;    /* of reals elsewhere */
	bool is_ascii;	    /* anything else is escaped */
	bool is_one_line;   /* instead of being indented */
};

/* Without a newline at the end. -1 where no memory was left, or the stream refuses it. */
int json_dump_document(const struct json_document *document, FILE *out);

/* ---- json_cjson.c ---- */

/*
 * For json_read.c: values that cJSON has read, which are used like jansson's. Both come from malloc, so bit 0 of
 * their addresses is free; it says that a value is cJSON's. A build without cJSON has none (json_cjson_none.c).
 */

struct json;

static inline bool is_cjson(const struct json *value)
{
	return (uintptr_t)value & 1;
}

/* NULL: cJSON refuses it, or would read it otherwise than jansson does. '\0' behind length bytes. */
struct json *cjson_parse(const char *text, size_t length);

/* The value is cJSON's, here and below; as the functions of json_read.h. */
void cjson_free(struct json *root);
json_type cjson_type(const struct json *value);
const struct json *cjson_get(const struct json *object, const char *key);
size_t cjson_size(const struct json *array);
const struct json *cjson_at(const struct json *array, size_t index);
const char *cjson_text(const struct json *value);
double cjson_number(const struct json *value);

/* The first item or member; NULL: there is none. And the one behind it. */
const struct json *cjson_first(const struct json *container);
const struct json *cjson_next(const struct json *item);
const char *cjson_key(const struct json *member);

#endif
