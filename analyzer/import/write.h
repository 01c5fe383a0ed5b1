/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write.h - our event and model files: compact JSON, one row per line, the same bytes for the same rows. */
#ifndef TOPDOWN_IMPORT_WRITE_H
#define TOPDOWN_IMPORT_WRITE_H

#include "base/error.h"
#include "import/fields.h"

/* {"Header":{...}, "NAME":[ rows ]}. */
struct row_file {
	const char *name; /* "Events", "Metrics" */
	struct row header;
	const struct row *rows;
	size_t count;
};

/* Replaces path as a whole. -1 and err when it can't be written. */
int rows_write(const char *path, const struct row_file *file, struct arena *arena, struct error *err) MUST_CHECK;

/* Replaces path as a whole by text. -1 and err when it can't be written. */
int text_write(const char *path, const char *text, struct arena *arena, struct error *err) MUST_CHECK;

/* Makes the directory and its parents where they are missing. */
int directory_make(const char *path, struct arena *arena, struct error *err) MUST_CHECK;

#endif
