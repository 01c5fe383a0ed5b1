/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_cjson.h - for json_read.c: values that cJSON has read, which are used like jansson's. Both come from malloc, so
 * bit 0 of their addresses is free; it says that a value is cJSON's. A build without cJSON has none (json_cjson_none.c).
 */
#ifndef TOPDOWN_COMMON_JSON_JSON_CJSON_H
#define TOPDOWN_COMMON_JSON_JSON_CJSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
