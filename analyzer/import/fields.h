/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fields.h - one object of a JSON file on its way out: members in a fixed order, texts and whole numbers. */
#ifndef TOPDOWN_FIELDS_H
#define TOPDOWN_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct field {
	const char *key, *text;
	bool is_number; /* text goes out without quotes */
};

struct row {
	struct field *fields;
	size_t count, capacity;
};

/* Adds a member; NULL and "" add none. Both texts are borrowed. */
void row_add(struct row *row, const char *key, const char *text, struct arena *arena);
void row_add_number(struct row *row, const char *key, unsigned number, struct arena *arena);

/* NULL when there is no such member. */
const char *row_get(const struct row *row, const char *key);

#endif
