/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/load/glossary.h"

#include <fnmatch.h>
#include <string.h>

#include "common/base/text.h"
#include "common/json/json_read.h"
#include "cpu/load/model.h"

/* ---- other names of nodes ---- */

/* Names are never taken away from a metric that has them itself. */
static void add_free(struct model *model, const char *name, size_t number)
{
	if (table_get(&model->by_name, name) == TABLE_NONE)
		table_set(&model->by_name, name, number);
}

/* "tma_dram_bound", "dram_bound", "Backend_Bound.Memory_Bound.dram_bound" */
static void glossary_add_name(struct model *model, const char *name, size_t number, struct arena *arena)
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

static void glossary_add_names(struct model *model, const struct json *names, struct arena *arena)
{
	size_t number = find_own(model, names);
	struct string others = STRING_INIT(arena);

	if (number != TABLE_NONE && model->metrics[number].also_called)
		string_add(&others, model->metrics[number].also_called);
	for (size_t i = 0; number != TABLE_NONE && i < json_size(names); i++) {
		const char *name = json_text(json_at(names, i));

		if (!name || model_find(model, name) != TABLE_NONE)
			continue;
		glossary_add_name(model, arena_strdup(arena, name), number, arena);
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
		glossary_add_names(model, json_at(lists, i), arena);
	json_free(header);
	return is_error(err) ? -1 : 0;
}

/* ---- entries ---- */

static struct glossary_entry entry_of(const struct json *words)
{
	return (struct glossary_entry){
		.means = json_text(json_get(words, "means")),
		.hurts = json_text(json_get(words, "hurts")),
		.advice = json_text(json_get(words, "try")),
		.cause = json_text(json_get(words, "cause")),
	};
}

static const char *glossary_keep(struct arena *arena, const char *text)
{
	return text ? arena_strdup(arena, text) : NULL;
}

static struct glossary_entry keep_entry(struct arena *arena, const struct json *words)
{
	const struct glossary_entry found = entry_of(words);

	return (struct glossary_entry){
		.means = glossary_keep(arena, found.means),
		.hurts = glossary_keep(arena, found.hurts),
		.advice = glossary_keep(arena, found.advice),
		.cause = glossary_keep(arena, found.cause),
	};
}

/* Is the name one of the family's, which are globs? */
static bool is_of_family(const struct json *family, const char *name, struct arena *arena)
{
	const char *globs = json_text(json_get(family, "names")), *part;
	size_t length;

	while (globs && (length = text_next(&globs, ";", &part)) > 0)
		if (fnmatch(arena_strndup(arena, part, length), name, FNM_CASEFOLD) == 0)
			return true;
	return false;
}

static int read_family(struct glossary_entry *entry, const char *path, const char *name, struct arena *arena,
		       struct error *err)
{
	struct json *families = json_read_member(path, "Families", err);
	size_t i = 0;

	while (i < json_size(families) && !is_of_family(json_at(families, i), name, arena))
		i++;
	*entry = keep_entry(arena, json_at(families, i));
	json_free(families);
	return is_error(err) ? -1 : 0;
}

int glossary_read_entry(struct glossary_entry *entry, const char *path, const char *name, struct arena *arena,
			struct error *err)
{
	struct json *words = json_read_member(path, name, err);
	bool has_own = words;

	*entry = keep_entry(arena, words);
	json_free(words);
	if (is_error(err))
		return -1;
	return has_own ? 0 : read_family(entry, path, name, arena, err);
}

const char *glossary_meaning(const char *path, const char *name, struct arena *arena)
{
	struct error unused = { .text = "" };
	struct glossary_entry entry;

	return path && glossary_read_entry(&entry, path, name, arena, &unused) == 0 ? entry.means : NULL;
}

const char *glossary_file(const struct database *database, const struct model *model, struct arena *arena,
			  struct error *err)
{
	return database_file(database, "models", model->is_simulated ? "glossary-sim" : "glossary", arena, err);
}
