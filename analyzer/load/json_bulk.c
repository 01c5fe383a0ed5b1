/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "load/embedded.h"
#include "load/json_bulk_internal.h"
#include "load/json_plain.h"

static bool is_absent(const char *text)
{
	static const char *const absent[] = { "NA", "N/A", "null", "#NA" };

	if (!*text)
		return true;
	if (*text != 'N' && *text != 'n' && *text != '#')
		return false;
	for (size_t i = 0; i < COUNT_OF(absent); i++)
		if (!strcmp(text, absent[i]))
			return true;
	return false;
}

const char *bulk_get(const struct bulk_object *object, const char *key)
{
	const char *text = object->text(object, key);

	return text && !is_absent(text) ? text : NULL;
}

struct plain_item {
	const struct plain_file *file;
	const struct plain_row *row;
};

static const char *plain_text(const struct bulk_object *object, const char *key)
{
	const struct plain_item *item = object->item;

	return plain_get(item->file, item->row, key);
}

static int visit_plain(const struct plain_file *file, const struct bulk_visitor *visitor, struct error *err)
{
	struct plain_item item = { .file = file, .row = &file->header };
	struct bulk_object object = { .text = plain_text, .item = &item };

	if (file->header.count && visitor->header)
		visitor->header(visitor->context, &object);
	if (visitor->count)
		visitor->count(visitor->context, file->count);
	for (size_t i = 0; i < file->count; i++) {
		item.row = &file->rows[i];
		if (visitor->object(visitor->context, &object, err) < 0)
			return -1;
	}
	return 0;
}

int bulk_read(const char *path, const struct bulk_visitor *visitor, struct arena *arena, struct error *err)
{
	struct plain_file file;
	struct arena scratch;
	size_t length;
	char *text = source_read(path, &length, arena, err);
	int result;

	if (!text)
		return -1;
	arena_init(&scratch);
	if (plain_read(&file, text, length, visitor->list, &scratch))
		result = visit_plain(&file, visitor, err);
	else
		result = library_read(&(struct bulk_text){ path, text, length }, visitor, arena, err);
	arena_release(&scratch);
	return result;
}
