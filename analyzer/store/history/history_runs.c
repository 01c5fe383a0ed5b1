/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history_runs.c - single runs: found, read, accepted, annotated, pruned. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/text.h"
#include "common/system/gzip.h"
#include "store/history/sql.h"

#define LEAST_DIGITS 4 /* of a commit */

/* ---- finding ---- */

static bool is_hash_part(const char *word)
{
	size_t digits = strspn(word, "0123456789abcdefABCDEF");

	return digits >= LEAST_DIGITS && (!word[digits] || !strcmp(word + digits, CHANGED_FILES));
}

static int64_t find_number(struct history *history, const char *word, struct error *err)
{
	uint64_t number;
	int64_t id;

	if (!text_u64(word[0] == '#' ? word + 1 : word, &number) || number > INT64_MAX)
		return 0;
	return sql_number(history, &id, err, "SELECT id FROM run WHERE id = ?", "i", (int64_t)number) < 0 ? -1 : id;
}

/* As git writes hashes, with what may follow: "1a2b*"; of "1A2B+" "1a2b*+". */
static const char *hash_pattern(const char *word, struct arena *arena)
{
	size_t digits = strcspn(word, CHANGED_FILES);

	return arena_printf(arena, "%s*%s", text_lower(arena, arena_strndup(arena, word, digits)), word + digits);
}

/* The newest run of the commits that begin so; two such commits are too many. */
static int64_t find_hash(struct history *history, const char *pattern, struct error *err)
{
	int64_t count = 0, id = 0;

	if (sql_number(history, &count, err,
		       "SELECT count(DISTINCT rtrim(revision, '" CHANGED_FILES "')) FROM run WHERE revision GLOB ?",
		       "t", pattern) < 0 ||
	    sql_number(history, &id, err,
		       "SELECT id FROM run WHERE revision GLOB ? ORDER BY time DESC, id DESC LIMIT 1", "t",
		       pattern) < 0)
		return -1;
	if (count > 1) {
		error_set(err, "%s: %lld commits begin with %s: give more digits", history->path, (long long)count,
			  pattern);
		return 0;
	}
	return id;
}

static int64_t find_revision(struct history *history, const char *word, struct error *err)
{
	struct arena arena;
	int64_t id;

	arena_init(&arena);
	id = find_hash(history, hash_pattern(word, &arena), err);
	arena_release(&arena);
	return id;
}

/* first, last, and counted from the end: -1 is the last, -2 the one before it. 0: word is none of them. */
static int64_t find_place(struct history *history, const char *word, struct error *err)
{
	uint64_t back = is_same_name(word, "last");
	int64_t id;

	if (word[0] == '-' && (!text_u64(word + 1, &back) || back > INT64_MAX))
		return 0;
	if (!back && !is_same_name(word, "first"))
		return 0;
	if (sql_number(history, &id, err,
		       back ? "SELECT id FROM run ORDER BY id DESC LIMIT 1 OFFSET ?" : "SELECT min(id) FROM run",
		       back ? "i" : "", (int64_t)back - 1) < 0)
		return -1;
	if (!id && back > 1)
		error_set(err, "%s: there is no run %s in it: it has fewer", history->path, word);
	else if (!id)
		error_set(err, "%s: there is no run in it", history->path);
	return id;
}

int64_t history_find(struct history *history, const char *word, struct error *err)
{
	int64_t id = find_place(history, word, err);

	if (!id && !is_error(err))
		id = find_number(history, word, err);
	if (!id && is_hash_part(word))
		id = find_revision(history, word, err);
	if (!id && !is_error(err))
		error_set(err,
			  "%s: no run '%s': a run is its number, the first digits of its commit, first, last, or -2",
			  history->path, word);
	return id;
}

int64_t history_baseline(struct history *history, const char *program, const char *machine, struct error *err)
{
	int64_t id;

	if (sql_number(history, &id, err,
		       "SELECT run.id FROM run JOIN series ON series.id = run.series WHERE program = ? AND machine = ? "
		       "AND accepted > 0 ORDER BY accepted DESC, run.id DESC LIMIT 1",
		       "tt", program, machine) < 0)
		return -1;
	return id;
}

/* ---- reading ---- */

static int read_head(struct history *history, struct history_run *run, struct arena *arena, struct error *err)
{
	sqlite3_stmt *row =
		sql_begin(history, err,
			  "SELECT program, machine, cpu, model, microcode, kernel, words, host, revision, "
			  "branch, note, tool, time, accepted, status, is_cut, EXISTS(SELECT 1 FROM session "
			  "WHERE session.run = run.id) FROM run JOIN series ON series.id = run.series "
			  "JOIN surroundings ON surroundings.id = run.surroundings "
			  "JOIN command ON command.id = run.command WHERE run.id = ?",
			  "i", run->id);
	const char **texts[] = { &run->program,	  &run->machine, &run->cpu,	&run->model,
				 &run->microcode, &run->kernel,	 &run->command, &run->host,
				 &run->revision,  &run->branch,	 &run->note,	&run->tool };
	int answer = row ? sql_row(history, row, err) : -1, column = 0;

	if (answer < 0)
		return -1;
	if (!answer)
		return error_set(err, "%s: no run %lld", history->path, (long long)run->id);
	for (; column < (int)COUNT_OF(texts); column++) {
		*texts[column] = sql_text(row, column, arena);
		if (*texts[column] && !**texts[column])
			*texts[column] = NULL;
	}
	run->time_ms = sqlite3_column_int64(row, column++);
	run->accepted_ms = sqlite3_column_int64(row, column++);
	run->status = sqlite3_column_int(row, column++);
	run->is_cut = sqlite3_column_int(row, column++) != 0;
	run->has_session = sqlite3_column_int(row, column) != 0;
	sql_end(row);
	return 0;
}

static int read_tags(struct history *history, struct history_run *run, struct arena *arena, struct error *err)
{
	sqlite3_stmt *row =
		sql_begin(history, err, "SELECT key, value FROM tag WHERE run = ? ORDER BY key", "i", run->id);
	struct history_tag *tags = NULL;
	size_t capacity = 0;
	int answer = row ? 1 : -1;

	while (answer > 0 && (answer = sql_row(history, row, err)) > 0) {
		tags = arena_grow(arena, tags, run->ntags, &capacity, sizeof(*tags));
		tags[run->ntags++] =
			(struct history_tag){ sql_known_text(row, 0, arena), sql_known_text(row, 1, arena) };
	}
	run->tags = tags;
	return answer;
}

int history_read_run(struct history *history, int64_t id, struct history_run *run, struct arena *arena,
		     struct error *err)
{
	*run = (struct history_run){ .id = id };
	if (read_head(history, run, arena, err) < 0 || read_tags(history, run, arena, err) < 0)
		return -1;
	return run_values_read(history, run, arena, err);
}

char *history_read_session(struct history *history, int64_t id, size_t *length, struct arena *arena, struct error *err)
{
	sqlite3_stmt *row = sql_begin(history, err, "SELECT packed FROM session WHERE run = ?", "i", id);
	const char *source = arena_printf(arena, "%s: run %lld", history->path, (long long)id);
	struct packed_bytes bytes;
	char *text;

	if (!row || sql_row(history, row, err) <= 0)
		return NULL;
	bytes = sql_bytes(row, 0);
	*length = bytes.length;
	text = gzip_unpack((const char *)bytes.bytes, length, source, arena, err);
	sql_end(row);
	return text;
}

/* ---- changes ---- */

static int64_t now_ms(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int history_accept(struct history *history, int64_t id, struct error *err)
{
	return sql_do(history, err, "UPDATE run SET accepted = ? WHERE id = ?", "ii", now_ms(), id);
}

int history_annotate(struct history *history, int64_t id, const char *note, struct error *err)
{
	return sql_do(history, err, "UPDATE run SET note = ? WHERE id = ?", "ti", *note ? note : NULL, id);
}

/* Of each series' runs the newest have the lowest ranks. */
#define CHOOSE                                                                                                         \
	"CREATE TEMP TABLE chosen AS SELECT id FROM (SELECT id, time, accepted, note, row_number() OVER (PARTITION "   \
	"BY "                                                                                                          \
	"series ORDER BY time DESC, id DESC) AS rank FROM run) WHERE accepted = 0 AND note IS NULL AND "               \
	"((?1 > 0 AND rank > ?1) OR (?2 > 0 AND time < ?2))"

static int delete_runs(struct history *history, struct error *err)
{
	/* A block goes with its newest run: the values of a run that goes earlier are no longer read. */
	static const char *const steps[] = {
		"DELETE FROM tag WHERE run IN chosen",
		"DELETE FROM row WHERE run IN chosen",
		"DELETE FROM session WHERE run IN chosen",
		"DELETE FROM run WHERE id IN chosen",
	};

	for (size_t i = 0; i < COUNT_OF(steps); i++)
		if (sql_do(history, err, steps[i], "") < 0)
			return -1;
	return run_values_sweep(history, err);
}

static int prune(struct history *history, const struct history_pruning *pruning, int64_t *count, struct error *err)
{
	if (sql_do(history, err, CHOOSE, "ii", (int64_t)pruning->keep, pruning->before_ms) < 0)
		return -1;
	if (pruning->is_sessions_only) {
		if (sql_number(history, count, err, "SELECT count(*) FROM session WHERE run IN chosen", "") < 0 ||
		    sql_do(history, err, "DELETE FROM session WHERE run IN chosen", "") < 0)
			return -1;
	} else if (sql_number(history, count, err, "SELECT count(*) FROM chosen", "") < 0 ||
		   delete_runs(history, err) < 0) {
		return -1;
	}
	return sql_do(history, err, "DROP TABLE temp.chosen", "");
}

int64_t history_prune(struct history *history, const struct history_pruning *pruning, struct error *err)
{
	int64_t count = 0;

	if (sql_transaction(history, err) < 0 || sql_finish(history, prune(history, pruning, &count, err), err) < 0)
		return -1;
	return sql_do(history, err, "PRAGMA incremental_vacuum", "") < 0 ? -1 : count;
}
