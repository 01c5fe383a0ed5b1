/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/json_bulk_internal.h"
#include "load/json_read.h"

/* The document goes before the texts may. */
static const char *member_text(const struct bulk_object *object, const char *key)
{
	const struct json *member = json_get(object->item, key);
	const char *text = json_text(member);

	if (json_is_number(member))
		return arena_printf(object->arena, "%.17g", json_number(member));
	if (json_is_true(member))
		return "1";
	return text ? arena_strdup(object->arena, text) : NULL;
}

static int visit_array(const struct json *array, struct arena *arena, const struct bulk_visitor *visitor,
		       struct error *err)
{
	for (size_t i = 0; i < json_size(array); i++) {
		struct bulk_object object = { .text = member_text, .item = json_at(array, i), .arena = arena };

		if (json_is_object(json_at(array, i)) && visitor->object(visitor->context, &object, err) < 0)
			return -1;
	}
	return 0;
}

static int visit(const struct json *root, struct arena *arena, const char *source, const struct bulk_visitor *visitor,
		 struct error *err)
{
	const struct json *array = json_is_array(root) ? root : json_get(root, visitor->list);
	const struct json *header = json_get(root, "Header");

	if (!json_is_array(array))
		return error_set(err, "%s: neither an array nor an object with \"%s\"", source, visitor->list);
	if (json_is_object(header) && visitor->header)
		visitor->header(visitor->context,
				&(struct bulk_object){ .text = member_text, .item = header, .arena = arena });
	return visit_array(array, arena, visitor, err);
}

int library_read(const struct bulk_text *file, const struct bulk_visitor *visitor, struct arena *arena,
		 struct error *err)
{
	struct json *root = json_read_text(file->text, file->length, file->path, err);
	int result = root ? visit(root, arena, file->path, visitor, err) : -1;

	json_free(root);
	return result;
}
