/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>
#include <string.h>

#include "load/embedded.h"
#include "load/json_bulk_internal.h"

static bool is_absent(const char *text)
{
	static const char *const absent[] = { "", "NA", "N/A", "null", "#NA" };

	for (size_t i = 0; i < COUNT_OF(absent); i++)
		if (!strcmp(text, absent[i]))
			return true;
	return false;
}

const char *bulk_get(const struct bulk_object *object, const char *key)
{
	const char *text = bulk_text(object, key);

	return text && !is_absent(text) ? text : NULL;
}

int bulk_read(const char *path, const struct bulk_visitor *visitor, struct error *err)
{
	struct arena arena;
	size_t length;
	char *text;
	int result = -1;

	arena_init(&arena);
	text = source_read(path, &length, &arena, err);
	if (text)
		result = bulk_read_text(text, length, path, visitor, err);
	arena_release(&arena);
	return result;
}
