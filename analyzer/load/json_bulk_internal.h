/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_bulk_internal.h - what of json_bulk.h a JSON library does: bulk_read_text, and this. The build takes json_bulk_cjson.c or
 * json_bulk_jansson.c.
 */
#ifndef TOPDOWN_JSON_BULK_INTERNAL_H
#define TOPDOWN_JSON_BULK_INTERNAL_H

#include "load/json_bulk.h"

/* The member's text as in bulk_get, but of strings all that the file has. */
const char *bulk_text(const struct bulk_object *object, const char *key);

#endif
