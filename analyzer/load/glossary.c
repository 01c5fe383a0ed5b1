/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/glossary.h"

#include "load/json_read.h"

static struct glossary_entry entry_of(const struct json *words)
{
	return (struct glossary_entry){
		.means = json_text(json_get(words, "means")),
		.hurts = json_text(json_get(words, "hurts")),
		.advice = json_text(json_get(words, "try")),
	};
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
