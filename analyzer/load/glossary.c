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

struct glossary_entry glossary_find(const struct glossary *glossary, const char *name)
{
	const struct json *entry = json_get(glossary->root, name);

	return (struct glossary_entry){
		.means = json_text(json_get(entry, "means")),
		.hurts = json_text(json_get(entry, "hurts")),
		.advice = json_text(json_get(entry, "try")),
	};
}
