/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_table.h - runs that were kept in a table before there was a history. It needs no SQLite. */
#ifndef TOPDOWN_STORE_HISTORY_RUN_TABLE_H
#define TOPDOWN_STORE_HISTORY_RUN_TABLE_H

#include "store/history/history.h"

struct run_table {
	const char *path;    /* for errors */
	const char *program; /* of runs whose line does not say it */
	struct history_run *runs;
	size_t count;
};

/*
 * Fills runs and count from CSV (RFC 4180): a run for each line, or for each run that `topdown history --format csv`
 * has written. The text, with a '\0' behind its length bytes, is changed, and the runs borrow from it. -1 with err.
 */
int run_table_read(struct run_table *table, char *text, size_t length, struct arena *arena,
		   struct error *err) MUST_CHECK;

/* Milliseconds since 1970 of "2026-11-23", "2026-11-23T01:02:03Z" or seconds since 1970. False: it is none of them. */
bool history_time(int64_t *ms, const char *text);

#endif
