/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/json/json_internal.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "common/base/cells.h"

static struct json *outside(const cJSON *node)
{
	return node ? (struct json *)(uintptr_t)((const char *)node + 1) : NULL;
}

static cJSON *inside(const struct json *value)
{
	return (cJSON *)(uintptr_t)((const char *)value - 1);
}

/*
 * A string of cJSON ends at a NUL, so that what stands behind one would be lost, and may be anything, where ours are
 * UTF-8.
 */
static bool is_plain(const char *text, size_t length)
{
	uint32_t code = 0;

	for (const char *c = text; c < text + length && code != UTF8_INVALID; c++)
		if ((unsigned char)*c >= 0x80)
			c += utf8_next(c, &code) - 1;
		else if (!*c)
			return false;
	return code != UTF8_INVALID && !strstr(text, "\\u0000");
}

struct json *cjson_parse(const char *text, size_t length)
{
	cJSON *root = is_plain(text, length) ? cJSON_ParseWithLengthOpts(text, length + 1, NULL, true) : NULL;

	if (cJSON_IsArray(root) || cJSON_IsObject(root))
		return outside(root);
	cJSON_Delete(root); /* a document of jansson is one of these */
	return NULL;
}

void cjson_free(struct json *root)
{
	cJSON_Delete(inside(root));
}

/* Of a double every integer up to here is exact. */
static bool is_whole(double value)
{
	return fabs(value) <= (double)(1LL << 53) && value == floor(value);
}

json_type cjson_type(const struct json *value)
{
	const cJSON *node = inside(value);

	switch (node->type & 0xff) {
	case cJSON_Object: return JSON_OBJECT;
	case cJSON_Array: return JSON_ARRAY;
	case cJSON_String: return JSON_STRING;
	case cJSON_True: return JSON_TRUE;
	case cJSON_False: return JSON_FALSE;
	case cJSON_Number: return is_whole(node->valuedouble) ? JSON_INTEGER : JSON_REAL;
	default: return JSON_NULL;
	}
}

/* Of a key that stands twice the last value counts, as with jansson. */
const struct json *cjson_get(const struct json *object, const char *key)
{
	const cJSON *found = NULL;

	if (!cJSON_IsObject(inside(object)))
		return NULL;
	for (const cJSON *member = inside(object)->child; member; member = member->next)
		if (!strcmp(member->string, key))
			found = member;
	return outside(found);
}

size_t cjson_size(const struct json *array)
{
	return cJSON_IsArray(inside(array)) ? (size_t)cJSON_GetArraySize(inside(array)) : 0;
}

const struct json *cjson_at(const struct json *array, size_t index)
{
	return cJSON_IsArray(inside(array)) && index <= INT_MAX ? outside(cJSON_GetArrayItem(inside(array), (int)index))
								: NULL;
}

const char *cjson_text(const struct json *value)
{
	return cJSON_GetStringValue(inside(value));
}

double cjson_number(const struct json *value)
{
	return inside(value)->valuedouble;
}

const struct json *cjson_first(const struct json *container)
{
	return outside(inside(container)->child);
}

const struct json *cjson_next(const struct json *item)
{
	return outside(inside(item)->next);
}

const char *cjson_key(const struct json *member)
{
	return inside(member)->string;
}
