/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sql.h - statements for SQLite, and its errors as sentences. For this folder only. */
#ifndef TOPDOWN_STORE_HISTORY_SQL_H
#define TOPDOWN_STORE_HISTORY_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "store/history/history.h"

/* ---- packed.c ---- */

/*
 * Values as bytes of the file. A run's values arrive as a row. Of each BLOCK_RUNS runs of a series they are turned
 * into columns, one for each metric, so that a trend reads its metric only. Numbers are little-endian, as those of all
 * machines that topdown is for. Of an
 * interval the distances of its ends from the value are kept, with seven digits.
 */

/* Four columns of so many runs, with intervals, fill a page of SQLite's (4096 bytes). */
#define BLOCK_RUNS 62

struct packed_value {
	uint32_t metric;  /* the file's number of its name */
	double value;	  /* NAN: not measured */
	double low, high; /* NAN: no interval */
	unsigned n;
};

struct packed_bytes {
	unsigned char *bytes; /* borrowed, or in an arena */
	size_t length;
};

/* A row: for each value its metric (4 bytes), value (8), distances below and above (4 each) and n (2). */
struct packed_bytes pack_row(const struct packed_value *values, size_t count, struct arena *arena);
/* False where it is no such row. */
bool unpack_row(struct packed_value **values, size_t *count, struct packed_bytes row, struct arena *arena);

/*
 * A column: a byte of flags (1: it has distances, 2: n differs), a byte 0, n (2 bytes), the values (8 each), the
 * distances below and above (4 each), and where it differs n (2 each). metric is no part of it.
 */
struct packed_bytes pack_column(const struct packed_value *values, size_t count, struct arena *arena);
/* Fills values, but for metric. False where it is no column of so many runs. */
bool unpack_column(struct packed_value *values, size_t count, struct packed_bytes column);

/* ---- sql.c ---- */

struct history {
	sqlite3 *db;
	char *path; /* the struct's */
};

/*
 * A statement with its parameters, whose types are letters: i int64_t, t const char * (NULL is NULL), b two arguments,
 * const void * and size_t. All are copied. NULL with err.
 */
sqlite3_stmt *sql_begin(struct history *history, struct error *err, const char *text, const char *types,
			...) MUST_CHECK;

/* 1: the next row is there; 0: there is none, -1: err says why; the statement is then ended. */
int sql_row(struct history *history, sqlite3_stmt *statement, struct error *err) MUST_CHECK;

/* Before its rows are all read. */
void sql_end(sqlite3_stmt *statement);

/* A statement whose rows nobody wants. */
int sql_do(struct history *history, struct error *err, const char *text, const char *types, ...) MUST_CHECK;

/* The first column of its first row; 0 where there is none. -1 with err. */
int sql_number(struct history *history, int64_t *number, struct error *err, const char *text, const char *types,
	       ...) MUST_CHECK;

/* A column's text in arena; NULL: it is NULL. */
const char *sql_text(sqlite3_stmt *statement, int column, struct arena *arena);

/* The same where topdown writes no NULL, and whoever made the file may have: then "". */
const char *sql_known_text(sqlite3_stmt *statement, int column, struct arena *arena);

/* A column's bytes, until the next row. */
struct packed_bytes sql_bytes(sqlite3_stmt *statement, int column);

/* Always -1: "FILE: " and what SQLite's last answer means, with the way out. */
int sql_failed(struct history *history, struct error *err);

/* All that is done between them is done as a whole, or not at all. */
int sql_transaction(struct history *history, struct error *err) MUST_CHECK;
/* result 0: what was done stays; -1: it is as before. */
int sql_finish(struct history *history, int result, struct error *err) MUST_CHECK;

/* ---- run_values.c ---- */

/* The values of a run, wherever they are in the file: in its row, or in the columns of its block. */

/* Fills run->values, of run->id. */
int run_values_read(struct history *history, struct history_run *run, struct arena *arena,
		    struct error *err) MUST_CHECK;

/* Takes away the blocks of whose runs none is left. */
int run_values_sweep(struct history *history, struct error *err) MUST_CHECK;

#endif
