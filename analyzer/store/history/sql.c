/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/history/sql.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "common/system/file.h"

/* ---- errors ---- */

static const struct {
	int code;
	const char *meaning;
} meanings[] = {
	{ SQLITE_NOTADB,
	  "it is not a history: a file of another kind, or damaged at its beginning. It was left as it is" },
	{ SQLITE_CORRUPT,
	  "the file is damaged. Nothing was changed; `sqlite3 FILE .recover` reads what is left of it" },
	{ SQLITE_BUSY, "another program has been writing it for a minute; try again when that has ended" },
	{ SQLITE_LOCKED, "another program is writing it; try again when that has ended" },
	{ SQLITE_FULL, "no space left on the disk. What was in it before is unchanged" },
	{ SQLITE_READONLY, "it can't be written. Its owner can change that with chmod u+w" },
	{ SQLITE_PERM, "this user may not read it" },
	{ SQLITE_AUTH, "it asks for what no history does: it was made by somebody else" },
	{ SQLITE_TOOBIG, "the session is too large for the file: more than a gigabyte" },
	{ SQLITE_NOMEM, "no memory left" },
};

/* Of the system's own errors SQLite keeps the number. */
static int system_failed(struct history *history, int code, struct error *err)
{
	int number = sqlite3_system_errno(history->db);

	if (code == SQLITE_IOERR && number)
		return error_set(err, "%s: %s. What was in it before is unchanged", history->path,
				 write_failure_text(number));
	if (code == SQLITE_IOERR)
		return error_set(err, "%s: reading or writing it failed. What was in it before is unchanged",
				 history->path);
	if (code == SQLITE_CANTOPEN && number)
		return error_set(err, "%s: %s", history->path, strerror(number));
	return error_set(err, "%s: %s", history->path, sqlite3_errmsg(history->db));
}

int sql_failed(struct history *history, struct error *err)
{
	int code = sqlite3_errcode(history->db) & 0xff;

	for (size_t i = 0; i < COUNT_OF(meanings); i++)
		if (meanings[i].code == code)
			return error_set(err, "%s: %s", history->path, meanings[i].meaning);
	return system_failed(history, code, err);
}

/* ---- statements ---- */

static int bind_one(sqlite3_stmt *statement, int place, char type, va_list *arguments)
{
	if (type == 'i')
		return sqlite3_bind_int64(statement, place, va_arg(*arguments, int64_t));
	if (type == 't')
		return sqlite3_bind_text(statement, place, va_arg(*arguments, const char *), -1, SQLITE_TRANSIENT);
	const void *bytes = va_arg(*arguments, const void *);

	return sqlite3_bind_blob64(statement, place, bytes, va_arg(*arguments, size_t), SQLITE_TRANSIENT);
}

static sqlite3_stmt *begin_transaction(struct history *history, struct error *err, const char *text, const char *types,
				       va_list *arguments)
{
	sqlite3_stmt *statement = NULL;
	int answer = sqlite3_prepare_v2(history->db, text, -1, &statement, NULL);

	for (int i = 0; answer == SQLITE_OK && types[i]; i++)
		answer = bind_one(statement, i + 1, types[i], arguments);
	if (answer == SQLITE_OK)
		return statement;
	sql_failed(history, err);
	sqlite3_finalize(statement);
	return NULL;
}

sqlite3_stmt *sql_begin(struct history *history, struct error *err, const char *text, const char *types, ...)
{
	va_list arguments;
	sqlite3_stmt *statement;

	va_start(arguments, types);
	statement = begin_transaction(history, err, text, types, &arguments);
	va_end(arguments);
	return statement;
}

int sql_row(struct history *history, sqlite3_stmt *statement, struct error *err)
{
	int answer = sqlite3_step(statement);

	if (answer == SQLITE_ROW)
		return 1;
	if (answer != SQLITE_DONE)
		sql_failed(history, err);
	sqlite3_finalize(statement);
	return answer == SQLITE_DONE ? 0 : -1;
}

void sql_end(sqlite3_stmt *statement)
{
	sqlite3_finalize(statement);
}

static int finish_rows(struct history *history, sqlite3_stmt *statement, struct error *err)
{
	int answer = statement ? 1 : -1;

	while (answer > 0)
		answer = sql_row(history, statement, err);
	return answer;
}

int sql_do(struct history *history, struct error *err, const char *text, const char *types, ...)
{
	va_list arguments;
	sqlite3_stmt *statement;

	va_start(arguments, types);
	statement = begin_transaction(history, err, text, types, &arguments);
	va_end(arguments);
	return finish_rows(history, statement, err);
}

int sql_number(struct history *history, int64_t *number, struct error *err, const char *text, const char *types, ...)
{
	va_list arguments;
	sqlite3_stmt *statement;
	int answer;

	*number = 0;
	va_start(arguments, types);
	statement = begin_transaction(history, err, text, types, &arguments);
	va_end(arguments);
	answer = statement ? sql_row(history, statement, err) : -1;
	if (answer <= 0)
		return answer;
	*number = sqlite3_column_int64(statement, 0);
	sql_end(statement);
	return 0;
}

const char *sql_text(sqlite3_stmt *statement, int column, struct arena *arena)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);

	return text ? arena_strdup(arena, text) : NULL;
}

const char *sql_known_text(sqlite3_stmt *statement, int column, struct arena *arena)
{
	const char *text = sql_text(statement, column, arena);

	return text ? text : "";
}

struct packed_bytes sql_bytes(sqlite3_stmt *statement, int column)
{
	void *bytes = (void *)(uintptr_t)sqlite3_column_blob(statement, column);

	return (struct packed_bytes){ .bytes = bytes, .length = (size_t)sqlite3_column_bytes(statement, column) };
}

int sql_transaction(struct history *history, struct error *err)
{
	return sql_do(history, err, "BEGIN IMMEDIATE", "");
}

int sql_finish(struct history *history, int result, struct error *err)
{
	struct error unheard = { .text = "" };

	if (result == 0 && sql_do(history, err, "COMMIT", "") == 0)
		return 0;
	/* an error may have ended the transaction already */
	if (!sqlite3_get_autocommit(history->db) && sql_do(history, &unheard, "ROLLBACK", "") < 0)
		error_clear(&unheard);
	return -1;
}
