/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/json_bulk_internal.h"
#include "load/json_read.h"

struct bulk_object {
	const struct json *item;
	struct arena *arena; /* for numbers turned into text */
};

const char *bulk_text(const struct bulk_object *object, const char *key)
{
	const struct json *member = json_get(object->item, key);

	if (json_is_number(member))
		return arena_printf(object->arena, "%.17g", json_number(member));
	return json_is_true(member) ? "1" : json_text(member);
}

static int visit_array(const struct json *array, struct arena *arena, const struct bulk_visitor *visitor,
		       struct error *err)
{
	for (size_t i = 0; i < json_size(array); i++) {
		struct bulk_object object = { .item = json_at(array, i), .arena = arena };

		if (json_is_object(object.item) && visitor->object(visitor->context, &object, err) < 0)
			return -1;
	}
	return 0;
}

static int visit(const struct json *root, const char *source, const struct bulk_visitor *visitor, struct error *err)
{
	const struct json *array = json_is_array(root) ? root : json_get(root, visitor->list);
	const struct json *header = json_get(root, "Header");
	struct arena arena;
	int result;

	if (!json_is_array(array))
		return error_set(err, "%s: neither an array nor an object with \"%s\"", source, visitor->list);
	arena_init(&arena);
	if (json_is_object(header) && visitor->header)
		visitor->header(visitor->context, &(struct bulk_object){ .item = header, .arena = &arena });
	result = visit_array(array, &arena, visitor, err);
	arena_release(&arena);
	return result;
}

int bulk_read_text(const char *text, size_t length, const char *source, const struct bulk_visitor *visitor,
		   struct error *err)
{
	struct json *root = json_read_text(text, length, source, err);
	int result = root ? visit(root, source, visitor, err) : -1;

	json_free(root);
	return result;
}
