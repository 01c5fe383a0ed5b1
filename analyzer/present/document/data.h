/* SPDX-License-Identifier: GPL-2.0-or-later */
/* data.h - field tables for machines: the cells of a row as members of a JSON object, or as fields of a CSV line. */
#ifndef TOPDOWN_PRESENT_DOCUMENT_DATA_H
#define TOPDOWN_PRESENT_DOCUMENT_DATA_H

#include "common/json/json_write.h"
#include "present/document/document.h"

/*
 * What machines alone read has each key beside its value. A list of members is written MEMBERS({ "key", cell }, ...),
 * which stands for two parameters: the members and their number.
 */
struct member {
	const char *key;
	struct cell cell;
};
#define MEMBERS(...)                                                                                                   \
	(const struct member[]){ __VA_ARGS__ }, sizeof((const struct member[]){ __VA_ARGS__ }) / sizeof(struct member)

/* Cells that JSON alone has; in CSV they are empty. Members are copied; cells and grids have to stay. */
struct cell exact_cell(double number);
struct cell texts_cell(struct arena *arena, const char *const *texts, size_t count);
struct cell numbers_cell(struct arena *arena, const double *numbers, size_t count);
struct cell list_cell(const struct cell *cells, size_t count);
struct cell object_cell(struct arena *arena, const struct member *members, size_t count);
struct cell row_cell(const struct grid *grid); /* the first as an object */
struct cell rows_cell(const struct grid *grid);
struct cell some_rows_cell(const struct grid *grid); /* absent where there are none */
/* A row, whose columns are the members' keys: all rows of such a grid have the same. */
struct grid_row *grid_members(struct grid *grid, struct arena *arena, const struct member *members, size_t count);

/* Into the object that is open: the members; those of an object's cell; a member for each column that has a key. */
void json_members(struct json_writer *writer, const struct member *members, size_t count);
void json_inside(struct json_writer *writer, const struct cell *object);
void json_cells(struct json_writer *writer, const struct column *columns, const struct cell *cells, size_t count);
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
 * lines that end as on this system. Of texts that begin as a spreadsheet's formulas do (=, +, -, @) the first character
 * is an apostrophe. cells NULL: the columns' keys.
 */
void csv_cells(struct sheet *sheet, const struct column *columns, const struct cell *cells, size_t count);
void csv_end(struct sheet *sheet);
/* The keys, and a line for each row. */
void csv_grid(struct sheet *sheet, const struct grid *table);

#endif
