/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/json/json_bulk.h"

#include <string.h>

#include "common/json/json_read.h"

struct bulk_object {
	const struct json *item;
	struct arena *arena;
};

static bool is_absent(const char *text)
{
	static const char *const absent[] = { "", "NA", "N/A", "null", "#NA" };

	for (size_t i = 0; i < COUNT_OF(absent); i++)
		if (!strcmp(text, absent[i]))
			return true;
	return false;
}

/* The document goes before the texts may. */
const char *bulk_get(const struct bulk_object *object, const char *key)
{
	const struct json *member = json_get(object->item, key);
	const char *text = json_text(member);

	if (json_is_number(member))
		return arena_printf(object->arena, "%.17g", json_number(member));
	if (json_is_true(member))
		return "1";
	return text && !is_absent(text) ? arena_strdup(object->arena, text) : NULL;
}

struct visit {
	const struct bulk_visitor *visitor;
	struct arena *arena;
	struct error *err;
};

static int visit_item(void *context, const struct json *item)
{
	const struct visit *visit = context;
	const struct bulk_object object = { .item = item, .arena = visit->arena };

	return json_is_object(item) ? visit->visitor->object(visit->visitor->context, &object, visit->err) : 0;
}

static int visit(const struct json *root, const char *path, const struct bulk_visitor *visitor, struct arena *arena,
		 struct error *err)
{
	const struct json *array = json_is_array(root) ? root : json_get(root, visitor->list);
	struct bulk_object header = { .item = json_get(root, "Header"), .arena = arena };

	if (!json_is_array(array) && !visitor->is_list_optional)
		return error_set(err, "%s: neither an array nor an object with \"%s\"", path, visitor->list);
	if (json_is_object(header.item) && visitor->header)
		visitor->header(visitor->context, &header);
	return json_each_item(array, visit_item, &(struct visit){ visitor, arena, err }) < 0 ? -1 : 0;
}

int bulk_read(const char *path, const struct bulk_visitor *visitor, struct arena *arena, struct error *err)
{
	struct json *root = json_read_bulk(path, err);
	int result = root ? visit(root, path, visitor, arena, err) : -1;

	json_free(root);
	return result;
}

int bulk_read_header(const char *path, bulk_header_reader *read, void *context, struct arena *arena, struct error *err)
{
	struct json *header = json_read_member(path, "Header", err);

	if (json_is_object(header))
		read(context, &(struct bulk_object){ .item = header, .arena = arena });
	json_free(header);
	return is_error(err) ? -1 : 0;
}
