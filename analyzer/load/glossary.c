/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/glossary.h"

int glossary_open(struct glossary *glossary, const char *path, struct error *err)
{
	glossary->root = json_read_file(path, err);
	if (!glossary->root)
		return -1;
	if (json_is_object(glossary->root))
		return 0;
	error_set(err, "%s: expected an object with one member for each node, found %s", path,
		  json_kind(glossary->root));
	glossary_close(glossary);
	return -1;
}

void glossary_close(struct glossary *glossary)
{
	json_free(glossary->root);
	glossary->root = NULL;
}

static struct glossary_entry entry_of(const struct json *words)
{
	return (struct glossary_entry){
		.means = json_text(json_get(words, "means")),
		.hurts = json_text(json_get(words, "hurts")),
		.advice = json_text(json_get(words, "try")),
	};
}

struct glossary_entry glossary_find(const struct glossary *glossary, const char *name)
{
	return entry_of(json_get(glossary->root, name));
}

static const char *keep(struct arena *arena, const char *text)
{
	return text ? arena_strdup(arena, text) : NULL;
}

int glossary_read_entry(struct glossary_entry *entry, const char *path, const char *name, struct arena *arena,
			struct error *err)
{
	struct json *words = json_read_member(path, name, err);
	struct glossary_entry found = entry_of(words);

	*entry = (struct glossary_entry){
		.means = keep(arena, found.means),
		.hurts = keep(arena, found.hurts),
		.advice = keep(arena, found.advice),
	};
	json_free(words);
	return is_error(err) ? -1 : 0;
}
