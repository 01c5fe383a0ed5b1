/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_rows.h - our event and model files: compact JSON, one row per line, the same bytes for the same rows. A row is
 * an object of texts and whole numbers, in a fixed order.
 */
#ifndef TOPDOWN_CPU_IMPORT_IMPORT_ROWS_H
#define TOPDOWN_CPU_IMPORT_IMPORT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/arena.h"
#include "common/base/error.h"

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

/* {"Header":{...}, "NAME":[ rows ]}. */
struct row_file {
	const char *name; /* "Events", "Metrics" */
	struct row header;
	const struct row *rows;
	size_t count;
};

/* Replaces path as a whole. -1 and err when it can't be written. */
int rows_write(const char *path, const struct row_file *file, struct error *err) MUST_CHECK;

/* Makes the directory and its parents where they are missing. */
int directory_make(const char *path, struct arena *arena, struct error *err) MUST_CHECK;

#endif
