/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_bulk.h - the vendors' event databases, large and flat: an array of objects, or {"Header": {...}, "Events": [...]};
 * models with "Metrics" are of the same form.
 * What is as plain as our own files is read where it stands (json_plain.h). The rest is read with cJSON, which parses it in a
 * quarter of jansson's time (docs/BENCHMARKS.md); with jansson in a program that is linked statically where the distribution
 * has no libcjson.a.
 */
#ifndef TOPDOWN_JSON_BULK_H
#define TOPDOWN_JSON_BULK_H

#include "base/arena.h"
#include "base/error.h"

struct bulk_object; /* borrowed during the callback */

/*
 * The member's text: strings as they are, numbers as the file spells them, true as "1"; NULL for null, absent, "", "NA" and
 * "null". It lives as long as the arena of bulk_read.
 */
const char *bulk_get(const struct bulk_object *object, const char *key);

struct bulk_visitor {
	void *context;
	const char *list; /* the array's name below a root object: "Events", "Metrics" */
	void (*header)(void *context, const struct bulk_object *header); /* may be NULL */
	void (*count)(void *context, size_t count); /* how many objects come at most; may be NULL */
	int (*object)(void *context, const struct bulk_object *object, struct error *err);
};

/*
 * The file's text stays in arena. -1 and err (file, line and column) when the file can't be read or is no such JSON; the
 * visitor's own -1 ends it too.
 */
int bulk_read(const char *path, const struct bulk_visitor *visitor, struct arena *arena, struct error *err) MUST_CHECK;

#endif
