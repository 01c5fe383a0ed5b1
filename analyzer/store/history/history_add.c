/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history_add.c - a run comes into the file: as a row of values first, which become columns with those before it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/gzip.h"
#include "store/history/columns.h"

static const char *history_add_known(const char *text)
{
	return text ? text : "";
}

/* ---- names with a number ---- */

static int number_series(struct history *history, int64_t *id, const struct history_run *run, struct error *err)
{
	const char *program = history_add_known(run->program), *machine = history_add_known(run->machine),
		   *cpu = history_add_known(run->cpu);

	if (sql_do(history, err, "INSERT OR IGNORE INTO series(program, machine, cpu) VALUES(?, ?, ?)", "ttt", program,
		   machine, cpu) < 0)
		return -1;
	return sql_number(history, id, err, "SELECT id FROM series WHERE program = ? AND machine = ? AND cpu = ?",
			  "ttt", program, machine, cpu);
}

static int number_surroundings(struct history *history, int64_t *id, const struct history_run *run, struct error *err)
{
	const char *model = history_add_known(run->model), *microcode = history_add_known(run->microcode),
		   *kernel = history_add_known(run->kernel);

	if (sql_do(history, err, "INSERT OR IGNORE INTO surroundings(model, microcode, kernel) VALUES(?, ?, ?)", "ttt",
		   model, microcode, kernel) < 0)
		return -1;
	return sql_number(history, id, err,
			  "SELECT id FROM surroundings WHERE model = ? AND microcode = ? AND kernel = ?", "ttt", model,
			  microcode, kernel);
}

static int number_command(struct history *history, int64_t *id, const struct history_run *run, struct error *err)
{
	const char *words = history_add_known(run->command);

	if (sql_do(history, err, "INSERT OR IGNORE INTO command(words) VALUES(?)", "t", words) < 0)
		return -1;
	return sql_number(history, id, err, "SELECT id FROM command WHERE words = ?", "t", words);
}

static int number_metric(struct history *history, uint32_t *number, const struct history_value *value,
			 struct error *err)
{
	int64_t id;

	if (sql_number(history, &id, err, "SELECT id FROM metric WHERE name = ?", "t", value->name) < 0)
		return -1;
	if (!id && (sql_do(history, err, "INSERT INTO metric(name, unit) VALUES(?, ?)", "tt", value->name,
			   history_add_known(value->unit)) < 0 ||
		    sql_number(history, &id, err, "SELECT id FROM metric WHERE name = ?", "t", value->name) < 0))
		return -1;
	*number = (uint32_t)id;
	if (id < 1 || id >= MOST_METRICS)
		return error_set(err, "%s: it has %d metrics, more than there is room for", history->path,
				 MOST_METRICS);
	return 0;
}

/* ---- the run ---- */

static int insert_run(struct history *history, struct history_run *run, int64_t series, struct error *err)
{
	int64_t surroundings, command;

	if (number_surroundings(history, &surroundings, run, err) < 0 ||
	    number_command(history, &command, run, err) < 0)
		return -1;
	if (sql_do(history, err,
		   "INSERT INTO run(series, surroundings, command, time, host, revision, branch, status, is_cut, "
		   "accepted, "
		   "note, tool) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		   "iiiitttiiitt", series, surroundings, command, run->time_ms, run->host, run->revision, run->branch,
		   (int64_t)run->status, (int64_t)run->is_cut, run->accepted_ms, run->note, run->tool) < 0)
		return -1;
	run->id = sqlite3_last_insert_rowid(history->db);
	return 0;
}

static int insert_tags(struct history *history, const struct history_run *run, struct error *err)
{
	for (size_t i = 0; i < run->ntags; i++)
		if (sql_do(history, err, "INSERT OR REPLACE INTO tag(run, key, value) VALUES(?, ?, ?)", "itt", run->id,
			   run->tags[i].key, run->tags[i].value) < 0)
			return -1;
	return 0;
}

static int compare_metrics(const void *a, const void *b)
{
	uint32_t first = ((const struct packed_value *)a)->metric, second = ((const struct packed_value *)b)->metric;

	return first < second ? -1 : first > second;
}

/* Of sorted values one of each metric stays: a column has one place for each run. */
static size_t drop_repeated(struct packed_value *values, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (!kept || values[kept - 1].metric != values[i].metric)
			values[kept++] = values[i];
	return kept;
}

/* A number that is none is not kept: a run lacks what was not measured. */
static int insert_row(struct history *history, const struct history_run *run, int64_t series, struct arena *arena,
		      struct error *err)
{
	struct packed_value *values = arena_array(arena, run->nvalues + 1, sizeof(*values));
	struct packed_bytes row;
	size_t count = 0;

	for (size_t i = 0; i < run->nvalues; i++) {
		const struct history_value *value = &run->values[i];

		if (!isfinite(value->value))
			continue;
		values[count] = (struct packed_value){
			.value = value->value, .low = value->low, .high = value->high, .n = value->n
		};
		if (number_metric(history, &values[count++].metric, value, err) < 0)
			return -1;
	}
	qsort(values, count, sizeof(*values), compare_metrics);
	count = drop_repeated(values, count);
	row = pack_row(values, count, arena);
	return sql_do(history, err, "INSERT INTO row(run, series, packed) VALUES(?, ?, ?)", "iib", run->id, series,
		      row.bytes, row.length);
}

static int insert_session(struct history *history, const struct history_run *run, const struct packed_bytes *session,
			  struct error *err)
{
	if (!session->length)
		return 0;
	return sql_do(history, err, "INSERT INTO session(run, packed) VALUES(?, ?)", "ib", run->id, session->bytes,
		      session->length);
}

/* ---- from rows to columns ---- */

struct rows {
	uint64_t runs[BLOCK_RUNS];
	struct packed_value *values[BLOCK_RUNS]; /* by metric */
	size_t nvalues[BLOCK_RUNS];
	size_t taken[BLOCK_RUNS]; /* of the values: those that are in columns already */
	size_t count;
};

static int read_rows(struct rows *rows, struct history *history, int64_t series, struct arena *arena, struct error *err)
{
	sqlite3_stmt *statement =
		sql_begin(history, err, "SELECT run, packed FROM row WHERE series = ? ORDER BY run", "i", series);
	int answer = statement ? 1 : -1;

	rows->count = 0;
	while (answer > 0 && (answer = sql_row(history, statement, err)) > 0) {
		size_t n = rows->count++;
		const struct packed_bytes row = sql_bytes(statement, 1);

		rows->runs[n] = (uint64_t)sqlite3_column_int64(statement, 0);
		if (!unpack_row(&rows->values[n], &rows->nvalues[n], row, arena)) {
			sql_end(statement);
			return error_set(err, "%s: the file is damaged: run %llu. Nothing was changed", history->path,
					 (unsigned long long)rows->runs[n]);
		}
		if (rows->count == BLOCK_RUNS) {
			sql_end(statement);
			return 0;
		}
	}
	return answer;
}

/* A column of the lowest metric that is left; MOST_METRICS: there is none. */
static uint32_t next_metric(const struct rows *rows)
{
	uint32_t lowest = MOST_METRICS;

	for (size_t i = 0; i < rows->count; i++)
		if (rows->taken[i] < rows->nvalues[i] && rows->values[i][rows->taken[i]].metric < lowest)
			lowest = rows->values[i][rows->taken[i]].metric;
	return lowest;
}

static void take_column(struct packed_value *values, struct rows *rows, uint32_t metric)
{
	for (size_t i = 0; i < rows->count; i++) {
		bool has_it = rows->taken[i] < rows->nvalues[i] && rows->values[i][rows->taken[i]].metric == metric;

		values[i] = (struct packed_value){ .value = NOT_COUNTED, .low = NOT_COUNTED, .high = NOT_COUNTED };
		if (has_it)
			values[i] = rows->values[i][rows->taken[i]++];
	}
}

/* In the order of their numbers, so that the columns lie behind each other. */
static int insert_columns(struct history *history, struct rows *rows, int64_t block, struct error *err)
{
	struct packed_value values[BLOCK_RUNS];
	struct arena arena;
	uint32_t metric;
	int result = 0;

	arena_init(&arena);
	while (result == 0 && (metric = next_metric(rows)) < MOST_METRICS) {
		struct packed_bytes column;

		take_column(values, rows, metric);
		column = pack_column(values, rows->count, &arena);
		result = sql_do(history, err, "INSERT INTO columns(id, packed) VALUES(?, ?)", "ib",
				block * MOST_METRICS + metric, column.bytes, column.length);
		arena_reset(&arena);
	}
	arena_release(&arena);
	return result;
}

static int insert_block(struct history *history, struct rows *rows, int64_t series, struct error *err)
{
	int64_t block;

	if (sql_do(history, err, "INSERT INTO block(series, runs) VALUES(?, ?)", "ib", series, rows->runs,
		   rows->count * sizeof(*rows->runs)) < 0)
		return -1;
	block = sqlite3_last_insert_rowid(history->db);
	if (block < 0 || block > MOST_BLOCKS)
		return columns_damaged(history, err);
	if (insert_columns(history, rows, block, err) < 0)
		return -1;
	return sql_do(history, err, "DELETE FROM row WHERE series = ? AND run <= ?", "ii", series,
		      (int64_t)rows->runs[rows->count - 1]);
}

static int turn(struct history *history, int64_t series, struct arena *arena, struct error *err)
{
	struct rows *rows = arena_alloc(arena, sizeof(*rows));
	int64_t count;

	if (sql_number(history, &count, err, "SELECT count(*) FROM row WHERE series = ?", "i", series) < 0)
		return -1;
	if (count < BLOCK_RUNS)
		return 0;
	if (read_rows(rows, history, series, arena, err) < 0)
		return -1;
	return insert_block(history, rows, series, err);
}

/* ---- all of it ---- */

static int history_add_all(struct history *history, struct history_run *run, const struct packed_bytes *session,
			   struct arena *arena, struct error *err)
{
	int64_t series;

	if (number_series(history, &series, run, err) < 0 || insert_run(history, run, series, err) < 0 ||
	    insert_tags(history, run, err) < 0 || insert_row(history, run, series, arena, err) < 0 ||
	    insert_session(history, run, session, err) < 0)
		return -1;
	return turn(history, series, arena, err);
}

int history_add(struct history *history, struct history_run *run, const char *session, size_t length, struct error *err)
{
	struct packed_bytes packed = { .length = 0 };
	struct arena arena;
	int result = 0;

	arena_init(&arena);
	if (session)
		packed.bytes = gzip_pack(session, length, &packed.length, &arena); /* before others have to wait */
	result = sql_transaction(history, err);
	if (result == 0)
		result = sql_finish(history, history_add_all(history, run, &packed, &arena, err), err);
	arena_release(&arena);
	return result;
}

int history_has(struct history *history, const struct history_run *run, struct error *err)
{
	int64_t count;

	if (sql_number(history, &count, err,
		       "SELECT count(*) FROM run JOIN command ON command.id = run.command WHERE time = ? AND host IS ? "
		       "AND words = ?",
		       "itt", run->time_ms, run->host, history_add_known(run->command)) < 0)
		return -1;
	return count > 0;
}
