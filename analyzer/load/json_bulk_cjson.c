/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/json_bulk_internal.h"

#include <cjson/cJSON.h>

static const char *member_text(const struct bulk_object *object, const char *key)
{
	const cJSON *member = cJSON_GetObjectItemCaseSensitive(object->item, key);

	if (cJSON_IsString(member))
		return member->valuestring;
	if (cJSON_IsNumber(member))
		return arena_printf(object->arena, "%.17g", member->valuedouble);
	return cJSON_IsTrue(member) ? "1" : NULL;
}

static int syntax_error(const char *text, const char *at, const char *source, struct error *err)
{
	size_t line = 1, column = 1;

	for (const char *c = text; c < at; c++) {
		column++;
		if (*c == '\n')
			line++, column = 1;
	}
	return error_set(err, "%s: line %zu, column %zu: not valid JSON here", source, line, column);
}

static int visit_array(const cJSON *array, struct arena *arena, const struct bulk_visitor *visitor, struct error *err)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, array)
	{
		struct bulk_object object = { .text = member_text, .item = item, .arena = arena };

		if (cJSON_IsObject(item) && visitor->object(visitor->context, &object, err) < 0)
			return -1;
	}
	return 0;
}

static int visit(const cJSON *root, struct arena *arena, const char *source, const struct bulk_visitor *visitor,
		 struct error *err)
{
	const cJSON *array = root, *header = NULL;

	if (cJSON_IsObject(root)) {
		array = cJSON_GetObjectItemCaseSensitive(root, visitor->list);
		header = cJSON_GetObjectItemCaseSensitive(root, "Header");
	}
	if (!cJSON_IsArray(array))
		return error_set(err, "%s: neither an array nor an object with \"%s\"", source, visitor->list);
	if (cJSON_IsObject(header) && visitor->header)
		visitor->header(visitor->context,
				&(struct bulk_object){ .text = member_text, .item = header, .arena = arena });
	return visit_array(array, arena, visitor, err);
}

/* cJSON's hooks have no context. */
static struct arena *parsing;

static void *take(size_t size)
{
	return arena_alloc(parsing, size);
}

static void leave(void *memory)
{
	(void)memory;
}

/* A document is thousands of small pieces that go together: in an arena they save a tenth of what
 * planning level 1 executes. */
static cJSON *parse(const char *text, size_t length, const char **end, struct arena *arena)
{
	cJSON *root;

	parsing = arena;
	cJSON_InitHooks(&(cJSON_Hooks){ .malloc_fn = take, .free_fn = leave });
	root = cJSON_ParseWithLengthOpts(text, length + 1, end, true);
	cJSON_InitHooks(NULL);
	parsing = NULL;
	return root;
}

int library_read(const struct bulk_text *file, const struct bulk_visitor *visitor, struct arena *arena,
		 struct error *err)
{
	const char *end = file->text;
	cJSON *root = parse(file->text, file->length, &end, arena);

	return root ? visit(root, arena, file->path, visitor, err) : syntax_error(file->text, end, file->path, err);
}
