/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_place.h - in which line a value stands, of JSON that has been read: for errors about what people wrote. */
#ifndef TOPDOWN_COMMON_JSON_JSON_PLACE_H
#define TOPDOWN_COMMON_JSON_JSON_PLACE_H

#include <stddef.h>

/* A member of an object, or an item of an array. */
struct json_step {
	const char *key; /* NULL: an item */
	size_t item;	 /* from 0 */
};

struct json_place {
	size_t line, column; /* from 1; column in bytes */
};

/*
 * Where the value begins that the steps lead to from the root; of a member its key. Where a step leads nowhere, it is
 * the value before it. The text is such that json_read_text has taken it; of any other the place may be wrong.
 */
struct json_place json_place_of(const char *text, size_t length, const struct json_step *steps, size_t count);

#endif
