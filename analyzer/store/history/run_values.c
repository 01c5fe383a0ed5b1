/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/history/sql.h"

#include <math.h>
#include <string.h>

#include "store/history/columns.h"

/* ---- names ---- */

struct names {
	const char **names, **units; /* by the file's number of the metric */
	size_t count;
};

static int read_names(struct names *names, struct history *history, struct arena *arena, struct error *err)
{
	sqlite3_stmt *row;
	int64_t most = 0;
	int answer;

	if (sql_number(history, &most, err, "SELECT max(id) FROM metric", "") < 0)
		return -1;
	if (most < 0 || most >= MOST_METRICS)
		return columns_damaged(history, err);
	names->count = (size_t)most + 1;
	names->names = arena_array(arena, names->count, sizeof(*names->names));
	names->units = arena_array(arena, names->count, sizeof(*names->units));
	row = sql_begin(history, err, "SELECT id, name, unit FROM metric WHERE id BETWEEN 0 AND ?", "i", most);
	answer = row ? 1 : -1;
	while (answer > 0 && (answer = sql_row(history, row, err)) > 0) {
		int64_t id = sqlite3_column_int64(row, 0);

		names->names[id] = sql_text(row, 1, arena);
		names->units[id] = sql_known_text(row, 2, arena);
	}
	return answer;
}

struct filling {
	struct history_run *run;
	struct history_value *values;
	size_t capacity;
	const struct names *names;
	struct arena *arena;
};

static void run_values_fill(struct filling *filling, const struct packed_value *value)
{
	struct history_run *run = filling->run;

	if (isnan(value->value) || value->metric >= filling->names->count || !filling->names->names[value->metric])
		return;
	filling->values =
		arena_grow(filling->arena, filling->values, run->nvalues, &filling->capacity, sizeof(*run->values));
	filling->values[run->nvalues++] = (struct history_value){ .name = filling->names->names[value->metric],
								  .unit = filling->names->units[value->metric],
								  .value = value->value,
								  .low = value->low,
								  .high = value->high,
								  .n = value->n };
	run->values = filling->values;
}

/* ---- from a row, or from columns ---- */

/* 1: it has a row. */
static int fill_from_row(struct filling *filling, struct history *history, struct error *err)
{
	sqlite3_stmt *row = sql_begin(history, err, "SELECT packed FROM row WHERE run = ?", "i", filling->run->id);
	int answer = row ? sql_row(history, row, err) : -1;
	struct packed_value *values;
	size_t count;

	if (answer <= 0)
		return answer;
	if (!unpack_row(&values, &count, sql_bytes(row, 0), filling->arena))
		answer = columns_damaged(history, err);
	sql_end(row);
	for (size_t i = 0; answer > 0 && i < count; i++)
		run_values_fill(filling, &values[i]);
	return answer;
}

static int fill_from_block(struct filling *filling, const struct block *block, size_t place, struct history *history,
			   struct error *err)
{
	struct packed_value values[BLOCK_RUNS];
	sqlite3_stmt *row = sql_begin(history, err, "SELECT id, packed FROM columns WHERE id BETWEEN ? AND ?", "ii",
				      block->id * MOST_METRICS, (block->id + 1) * MOST_METRICS - 1);
	int answer = row ? 1 : -1;

	while (answer > 0 && (answer = sql_row(history, row, err)) > 0) {
		if (!unpack_column(values, block->count, sql_bytes(row, 1))) {
			sql_end(row);
			return columns_damaged(history, err);
		}
		values[place].metric = (uint32_t)(sqlite3_column_int64(row, 0) - block->id * MOST_METRICS);
		run_values_fill(filling, &values[place]);
	}
	return answer;
}

static int fill_from_columns(struct filling *filling, struct history *history, struct error *err)
{
	struct block_list blocks;
	int64_t series;

	if (sql_number(history, &series, err, "SELECT series FROM run WHERE id = ?", "i", filling->run->id) < 0 ||
	    blocks_read(&blocks, history, series, filling->arena, err) < 0)
		return -1;
	for (size_t i = 0; i < blocks.count; i++)
		for (size_t k = 0; k < blocks.items[i].count; k++)
			if (blocks.items[i].runs[k] == filling->run->id)
				return fill_from_block(filling, &blocks.items[i], k, history, err);
	return 0;
}

int run_values_read(struct history *history, struct history_run *run, struct arena *arena, struct error *err)
{
	struct names names = { .count = 0 };
	struct filling filling = { .run = run, .names = &names, .arena = arena };
	int answer;

	if (read_names(&names, history, arena, err) < 0)
		return -1;
	answer = fill_from_row(&filling, history, err);
	if (answer == 0)
		answer = fill_from_columns(&filling, history, err);
	return answer < 0 ? -1 : 0;
}

/* ---- taking away ---- */

static int delete_block(struct history *history, const struct block *block, struct error *err)
{
	if (sql_do(history, err, "DELETE FROM columns WHERE id BETWEEN ? AND ?", "ii", block->id * MOST_METRICS,
		   (block->id + 1) * MOST_METRICS - 1) < 0)
		return -1;
	return sql_do(history, err, "DELETE FROM block WHERE id = ?", "i", block->id);
}

static int is_used(struct history *history, const struct block *block, struct error *err)
{
	for (size_t i = 0; i < block->count; i++) {
		int64_t id;

		if (sql_number(history, &id, err, "SELECT id FROM run WHERE id = ?", "i", block->runs[i]) < 0)
			return -1;
		if (id)
			return 1;
	}
	return 0;
}

static int sweep(struct history *history, struct arena *arena, struct error *err)
{
	struct block_list blocks;

	if (blocks_read(&blocks, history, ALL_SERIES, arena, err) < 0)
		return -1;
	for (size_t i = 0; i < blocks.count; i++) {
		int answer = is_used(history, &blocks.items[i], err);

		if (answer < 0 || (answer == 0 && delete_block(history, &blocks.items[i], err) < 0))
			return -1;
	}
	return 0;
}

int run_values_sweep(struct history *history, struct error *err)
{
	struct arena arena;
	int result;

	arena_init(&arena);
	result = sweep(history, &arena, err);
	arena_release(&arena);
	return result;
}
