/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sql.h - statements for SQLite, and its errors as sentences. For this folder only. */
#ifndef TOPDOWN_STORE_HISTORY_SQL_H
#define TOPDOWN_STORE_HISTORY_SQL_H

#include <sqlite3.h>

#include "store/history/history.h"
#include "store/history/packed.h"

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

#endif
