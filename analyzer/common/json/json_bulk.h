/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_bulk.h - event databases and models on disk, which are large and flat: an array of objects, or {"Header": {...},
 * "Events": [...]}. Every member is handed out as text.
 */
#ifndef TOPDOWN_COMMON_JSON_JSON_BULK_H
#define TOPDOWN_COMMON_JSON_JSON_BULK_H

#include <stdbool.h>

#include "common/base/arena.h"
#include "common/base/error.h"

struct bulk_object; /* borrowed during the callback */

/*
 * The member's text: strings as they are, numbers in decimal, true as "1"; NULL for null, absent, "", "NA" and "null".
 * It lives as long as the arena of bulk_read.
 */
const char *bulk_get(const struct bulk_object *object, const char *key);

typedef void bulk_header_reader(void *context, const struct bulk_object *header);

struct bulk_visitor {
	void *context;
	const char *list;	    /* the array's name below a root object: "Events", "Metrics" */
	bool is_list_optional;	    /* JSON without that array is a file without objects, not a mistake */
	bulk_header_reader *header; /* may be NULL */
	int (*object)(void *context, const struct bulk_object *object, struct error *err);
};

/*
 * -1 and err (file, line and column) when the file can't be read or is no such JSON; the visitor's own -1 ends it too.
 */
int bulk_read(const char *path, const struct bulk_visitor *visitor, struct arena *arena, struct error *err) MUST_CHECK;

/* The header alone, without reading the rest of a large file. A file without one is no mistake. */
int bulk_read_header(const char *path, bulk_header_reader *read, void *context, struct arena *arena,
		     struct error *err) MUST_CHECK;

#endif
