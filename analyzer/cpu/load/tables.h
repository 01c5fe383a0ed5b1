/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables.h - the shipped event databases and models as rows inside the program. The build reads the JSON files
 * with the same loader that reads files on disk (compile_tables.c), and packs the structs that come out; a start
 * unpacks them and parses nothing.
 *
 * A file is its header, the number of rows, and the rows. A row is the bits of its columns that have a
 * value, then those values. Whole numbers have seven bits in a byte, the low ones first; a text is its
 * offset among the texts of all files.
 */
#ifndef TOPDOWN_CPU_LOAD_TABLES_H
#define TOPDOWN_CPU_LOAD_TABLES_H

#include "cpu/event/event.h"
#include "cpu/load/model_internal.h"

enum column_kind {
	COLUMN_TEXT, /* const char *; no value: NULL */
	COLUMN_U64,
	COLUMN_UNSIGNED,
	COLUMN_BOOL,
	COLUMN_DOUBLE, /* no value: NAN */
};

struct column {
	enum column_kind kind;
	size_t offset; /* of the member */
};

/* What of a struct is packed. */
struct columns {
	const struct column *items;
	size_t count;
};

extern const struct columns event_header_columns; /* struct event_database */
extern const struct columns event_columns;	  /* struct event_row */
extern const struct columns model_header_columns; /* struct model */
extern const struct columns metric_columns;	  /* struct metric_source */

/* Both add to a struct that has only its defaults. -1 and err when the program has no such rows. */
int tables_load_events(struct event_database *database, const char *path, struct arena *arena,
		       struct error *err) MUST_CHECK;
int tables_load_model(struct model *model, struct model_sources *sources, const char *path,
		      struct error *err) MUST_CHECK;

/* The header alone, into a struct of which columns are packed. */
int tables_load_header(void *header, const struct columns *columns, const char *path, struct error *err) MUST_CHECK;

#endif
