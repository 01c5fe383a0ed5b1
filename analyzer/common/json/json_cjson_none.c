/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_cjson_none.c - a build without cJSON, where jansson reads all: no value is cJSON's. */
#include "common/json/json_internal.h"

#include "common/base/macros.h"

struct json *cjson_parse(const char *text UNUSED, size_t length UNUSED)
{
	return NULL;
}

void cjson_free(struct json *root UNUSED)
{
}

json_type cjson_type(const struct json *value UNUSED)
{
	return JSON_NULL;
}

const struct json *cjson_get(const struct json *object UNUSED, const char *key UNUSED)
{
	return NULL;
}

size_t cjson_size(const struct json *array UNUSED)
{
	return 0;
}

const struct json *cjson_at(const struct json *array UNUSED, size_t index UNUSED)
{
	return NULL;
}

const char *cjson_text(const struct json *value UNUSED)
{
	return NULL;
}

double cjson_number(const struct json *value UNUSED)
{
	return 0;
}

const struct json *cjson_first(const struct json *container UNUSED)
{
	return NULL;
}

const struct json *cjson_next(const struct json *item UNUSED)
{
	return NULL;
}

const char *cjson_key(const struct json *member UNUSED)
{
	return NULL;
}
