/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_bulk_internal.h - what reads a database: json_plain.c what has the form of our own files, a JSON library all the rest. The
 * build takes json_bulk_cjson.c or json_bulk_jansson.c.
 */
#ifndef TOPDOWN_JSON_BULK_INTERNAL_H
#define TOPDOWN_JSON_BULK_INTERNAL_H

#include <stdbool.h>

#include "load/json_bulk.h"

struct bulk_object {
	/* The member's text as in bulk_get, but of strings all that the file has. */
	const char *(*text)(const struct bulk_object *object, const char *key);
	const void *item;    /* the reader's own */
	struct arena *arena; /* for texts that do not stand in the file as they are */
};

struct bulk_text {
	const char *path, *text;
	size_t length;
};

/* As bulk_read, of the file's text. */
int library_read(const struct bulk_text *file, const struct bulk_visitor *visitor, struct arena *arena,
		 struct error *err) MUST_CHECK;

#endif
