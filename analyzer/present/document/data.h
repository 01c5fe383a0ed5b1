/* SPDX-License-Identifier: GPL-2.0-or-later */
/* data.h - field tables for machines: the cells of a row as members of a JSON object, or as fields of a CSV line. */
#ifndef TOPDOWN_PRESENT_DOCUMENT_DATA_H
#define TOPDOWN_PRESENT_DOCUMENT_DATA_H

#include "common/json/json_write.h"
#include "present/document/document.h"

/* Into the object that is open: a member for each column that has a key. */
void json_cells(struct json_writer *writer, const struct column *columns, const struct cell *cells, size_t count);
/* An array of numbers: null for what is none. */
void json_numbers(struct json_writer *writer, const char *key, const double *values, size_t count);
/* An array of objects. */
void json_grid(struct json_writer *writer, const char *key, const struct grid *table);

/* CSV while it is written: each line is what was added since the one before. */
struct sheet {
	FILE *out;
	struct arena *arena;
	bool has_field; /* the line has begun */
};

/*
 * Adds the fields of all columns that have a key, quoted as in RFC 4180, but in UTF-8 whatever the style is, and with
 * lines that end as on this system. cells NULL: the columns' keys.
 */
void csv_cells(struct sheet *sheet, const struct column *columns, const struct cell *cells, size_t count);
void csv_end(struct sheet *sheet);
/* The keys, and a line for each row. */
void csv_grid(struct sheet *sheet, const struct grid *table);

#endif
