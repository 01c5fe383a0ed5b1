/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history_file.c - opening and closing the file, its schema, and how older ones become today's. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/history/sql.h"

#define APPLICATION   0x746f7064 /* "topd", in the header of the file (SQLite's PRAGMA application_id) */
#define MOST_WAIT_MS  60000
#define BETWEEN_TRIES 10000000 /* nanoseconds */
#define WAL_TRIES     100

/*
 * The schema, as steps from each version to the next. A step that a release has is never changed: a new one is added.
 * Values of runs are in `row` until BLOCK_RUNS of a series are there; then in `block` and `columns`, whose id is the
 * block's times 65536 and the metric's.
 */
static const char *const steps[] = {
	"CREATE TABLE series(id INTEGER PRIMARY KEY, program TEXT NOT NULL, machine TEXT NOT NULL, cpu TEXT NOT NULL,"
	"  UNIQUE(program, machine, cpu)) STRICT;"
	"CREATE TABLE surroundings(id INTEGER PRIMARY KEY, model TEXT NOT NULL, microcode TEXT NOT NULL,"
	"  kernel TEXT NOT NULL, UNIQUE(model, microcode, kernel)) STRICT;"
	"CREATE TABLE command(id INTEGER PRIMARY KEY, words TEXT NOT NULL UNIQUE) STRICT;"
	"CREATE TABLE metric(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, unit TEXT NOT NULL) STRICT;"
	"CREATE TABLE run(id INTEGER PRIMARY KEY AUTOINCREMENT, series INTEGER NOT NULL REFERENCES series(id),"
	"  surroundings INTEGER NOT NULL REFERENCES surroundings(id), command INTEGER NOT NULL REFERENCES command(id),"
	"  time INTEGER NOT NULL, host TEXT, revision TEXT, branch TEXT, status INTEGER NOT NULL, is_cut INTEGER NOT "
	"NULL,"
	"  accepted INTEGER NOT NULL DEFAULT 0, note TEXT) STRICT;"
	"CREATE INDEX run_of_series ON run(series, time);"
	"CREATE INDEX run_of_revision ON run(revision) WHERE revision IS NOT NULL;"
	"CREATE TABLE tag(run INTEGER NOT NULL REFERENCES run(id), key TEXT NOT NULL, value TEXT NOT NULL,"
	"  PRIMARY KEY(run, key)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE row(run INTEGER PRIMARY KEY REFERENCES run(id), series INTEGER NOT NULL, packed BLOB NOT NULL) "
	"STRICT;"
	"CREATE INDEX row_of_series ON row(series);"
	"CREATE TABLE block(id INTEGER PRIMARY KEY, series INTEGER NOT NULL REFERENCES series(id),"
	"  runs BLOB NOT NULL) STRICT;"
	"CREATE INDEX block_of_series ON block(series);"
	"CREATE TABLE columns(id INTEGER PRIMARY KEY, packed BLOB NOT NULL) STRICT;"
	"CREATE TABLE session(run INTEGER PRIMARY KEY REFERENCES run(id), packed BLOB NOT NULL) STRICT;",

	"ALTER TABLE run ADD COLUMN tool TEXT;",
};

/* ---- the schema ---- */

static int version_of(struct history *history, int64_t *version, struct error *err)
{
	int64_t application, tables;

	/* The tables first: another writer may make all of it between two questions; what has tables has the rest. */
	if (sql_number(history, &tables, err, "SELECT count(*) FROM sqlite_schema", "") < 0 ||
	    sql_number(history, &application, err, "PRAGMA application_id", "") < 0 ||
	    sql_number(history, version, err, "PRAGMA user_version", "") < 0)
		return -1;
	if ((tables && application != APPLICATION) || *version < 0)
		return error_set(err, "%s: a database of another program, not a history. It was left as it is",
				 history->path);
	if (*version > (int64_t)COUNT_OF(steps))
		return error_set(
			err,
			"%s: a newer topdown wrote it (version %lld of the file, this one knows %zu): use that one. "
			"Nothing was changed",
			history->path, (long long)*version, COUNT_OF(steps));
	return 0;
}

static int run_script(struct history *history, const char *script, struct error *err)
{
	return sqlite3_exec(history->db, script, NULL, NULL, NULL) == SQLITE_OK ? 0 : sql_failed(history, err);
}

static int take_steps(struct history *history, struct error *err)
{
	char numbers[128];
	int64_t version;

	if (version_of(history, &version, err) <
	    0) /* asked within the transaction: another writer may have been here */
		return -1;
	for (size_t i = (size_t)version; i < COUNT_OF(steps); i++)
		if (run_script(history, steps[i], err) < 0)
			return -1;
	sqlite3_snprintf(sizeof(numbers), numbers, "PRAGMA application_id = %d; PRAGMA user_version = %d;", APPLICATION,
			 (int)COUNT_OF(steps));
	return run_script(history, numbers, err);
}

static int bring_up_to_date(struct history *history, struct error *err)
{
	if (sql_transaction(history, err) < 0)
		return -1;
	return sql_finish(history, take_steps(history, err), err);
}

/*
 * Readers and one writer at the same time, and a commit without waiting for the disk. While another one is about to
 * change it too SQLite answers "busy" at once. Where there is no shared memory the file stays as it is, which works.
 */
static void use_log(struct history *history)
{
	const struct timespec pause = { .tv_nsec = BETWEEN_TRIES };

	for (int i = 0; i < WAL_TRIES; i++) {
		if (sqlite3_exec(history->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL) != SQLITE_BUSY)
			return;
		nanosleep(&pause, NULL);
	}
}

static int prepare_to_write(struct history *history, struct error *err)
{
	int64_t version;

	if (version_of(history, &version, err) < 0)
		return -1;
	if (version == (int64_t)COUNT_OF(steps))
		return 0;
	if (!version && run_script(history, "PRAGMA auto_vacuum = INCREMENTAL", err) < 0)
		return -1;
	if (!version)
		use_log(history);
	return bring_up_to_date(history, err);
}

static int prepare_to_read(struct history *history, struct error *err)
{
	int64_t version;

	if (version_of(history, &version, err) < 0)
		return -1;
	if (!version)
		return error_set(err, "%s: it has no runs yet; `topdown {history} FILE.db PROGRAM` adds them",
				 history->path);
	if (version == (int64_t)COUNT_OF(steps))
		return 0;
	if (sqlite3_db_readonly(history->db, "main"))
		return error_set(
			err, "%s: an older topdown wrote it, and it can't be brought up to date while it is read-only",
			history->path);
	return bring_up_to_date(history, err);
}

/* ---- the file ---- */

/* What is measured is its owner's affair: a new file is for nobody else. */
static int make_file(const char *path, struct error *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return error_set(err, "%s: %s", path, strerror(errno));
	close(fd);
	return 0;
}

static int check_kind(const char *path, struct error *err)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return error_set(err, "%s: %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return error_set(err, "%s: a history is a regular file", path);
	return 0;
}

/* SQLite's way to name a file with parameters: what has a meaning in it is written as %XX. */
static char *uri_of(const char *path, const char *parameters)
{
	sqlite3_str *text = sqlite3_str_new(NULL);

	sqlite3_str_appendall(text, *path == '/' ? "file://" : "file:./"); /* ":memory:" is a file here too */
	for (; *path; path++) {
		if (strchr("%?#", *path))
			sqlite3_str_appendf(text, "%%%02x", (unsigned char)*path);
		else
			sqlite3_str_appendchar(text, 1, *path);
	}
	sqlite3_str_appendall(text, parameters);
	return sqlite3_str_finish(text);
}

static int open_with(struct history *history, int flags, const char *parameters, struct error *err)
{
	char *uri = uri_of(history->path, parameters);
	int answer = uri ? sqlite3_open_v2(uri, &history->db, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL)
			 : SQLITE_NOMEM;

	sqlite3_free(uri);
	if (answer != SQLITE_OK)
		return sql_failed(history, err);
	sqlite3_busy_timeout(history->db, MOST_WAIT_MS);
	/* The file may come from elsewhere: what its schema says is not trusted. */
	sqlite3_db_config(history->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(history->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	return run_script(history, "PRAGMA synchronous = NORMAL; PRAGMA cell_size_check = ON", err);
}

static struct history *history_new(const char *path)
{
	struct history *history = calloc(1, sizeof(*history));

	if (history)
		history->path = strdup(path);
	if (history && history->path)
		return history;
	free(history);
	return NULL;
}

static struct history *no_memory(struct error *err)
{
	error_set(err, "no memory left");
	return NULL;
}

struct history *history_open(const char *path, struct error *err)
{
	struct history *history;

	if (!*path)
		error_set(err, "'': a file needs a name");
	else if (make_file(path, err) == 0 && check_kind(path, err) == 0) {
		history = history_new(path);
		if (!history)
			return no_memory(err);
		if (open_with(history, SQLITE_OPEN_READWRITE, "", err) == 0 && prepare_to_write(history, err) == 0)
			return history;
		history_close(history);
	}
	return NULL;
}

/*
 * In a directory that can't be written SQLite finds no place for its shared memory. Where no log stands beside the file
 * nobody is writing there, and all that there is stands in the file.
 */
static bool is_unshared(const struct history *history)
{
	int code = history->db ? sqlite3_errcode(history->db) & 0xff : SQLITE_OK;
	char *log = sqlite3_mprintf("%s-wal", history->path);
	struct stat status;
	bool has_log = log && stat(log, &status) == 0 && status.st_size > 0;

	sqlite3_free(log);
	return (code == SQLITE_CANTOPEN || code == SQLITE_READONLY) && !has_log;
}

static int open_unshared(struct history *history, struct error *err)
{
	sqlite3_close(history->db);
	history->db = NULL;
	return open_with(history, SQLITE_OPEN_READONLY, "?immutable=1", err);
}

struct history *history_open_to_read(const char *path, struct error *err)
{
	bool is_writable = access(path, W_OK) == 0;
	struct error first = { .text = "" };
	struct history *history;

	if (check_kind(path, err) < 0)
		return NULL;
	history = history_new(path);
	if (!history)
		return no_memory(err);
	if (open_with(history, is_writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY, "", &first) == 0 &&
	    prepare_to_read(history, &first) == 0)
		return history;
	if (is_unshared(history) && open_unshared(history, err) == 0 && prepare_to_read(history, err) == 0)
		return history;
	error_set(err, "%s", first.text);
	history_close(history);
	return NULL;
}

void history_close(struct history *history)
{
	if (!history)
		return;
	sqlite3_close(history->db);
	free(history->path);
	free(history);
}
