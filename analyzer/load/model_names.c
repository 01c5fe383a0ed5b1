/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model_names.c - one node, several names: what versions of the method call otherwise is found under all of them. */
#include <string.h>

#include "base/text.h"
#include "load/json_read.h"
#include "load/model.h"

/* Names are never taken away from a metric that has them itself. */
static void add_free(struct model *model, const char *name, size_t number)
{
	if (table_get(&model->by_name, name) == TABLE_NONE)
		table_set(&model->by_name, name, number);
}

/* "tma_dram_bound", "dram_bound", "Backend_Bound.Memory_Bound.dram_bound" */
static void add_name(struct model *model, const char *name, size_t number, struct arena *arena)
{
	const char *plain = has_name_prefix(name, "tma_") ? name + 4 : name;
	const char *path = model->metrics[number].path, *dot = strrchr(path, '.');

	add_free(model, name, number);
	add_free(model, plain, number);
	if (dot)
		add_free(model, arena_printf(arena, "%.*s.%s", (int)(dot - path), path, plain), number);
}

/* The metric that has one of the names; TABLE_NONE if none has. */
static size_t find_own(const struct model *model, const struct json *names)
{
	for (size_t i = 0; i < json_size(names); i++) {
		const char *name = json_text(json_at(names, i));
		size_t number = name ? model_find(model, name) : TABLE_NONE;

		if (number != TABLE_NONE)
			return number;
	}
	return TABLE_NONE;
}

static void add_names(struct model *model, const struct json *names, struct arena *arena)
{
	size_t number = find_own(model, names);
	struct string others = STRING_INIT(arena);

	for (size_t i = 0; number != TABLE_NONE && i < json_size(names); i++) {
		const char *name = json_text(json_at(names, i));

		if (!name || model_find(model, name) != TABLE_NONE)
			continue;
		add_name(model, arena_strdup(arena, name), number, arena);
		string_printf(&others, "%s%s", others.length ? ";" : "", name);
	}
	if (others.length)
		model->metrics[number].also_called = others.text;
}

int model_add_names(struct model *model, const char *path, struct arena *arena, struct error *err)
{
	struct json *header = json_read_member(path, "Header", err);
	const struct json *lists = json_get(header, "SameNode");

	for (size_t i = 0; i < json_size(lists); i++)
		add_names(model, json_at(lists, i), arena);
	json_free(header);
	return is_error(err) ? -1 : 0;
}
