/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/history/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "store/history/columns.h"

/* ---- which runs ---- */

/* SQLite has globs; what has no wildcard is a part of a name. */
static const char *pattern_of(const char *pattern, struct arena *arena)
{
	if (!pattern)
		return NULL;
	pattern = text_lower(arena, pattern);
	return strpbrk(pattern, "*?[") ? pattern : arena_printf(arena, "*%s*", pattern);
}

/* A condition of the runs' statement for each tag; parameters from ?5 on. */
static sqlite3_stmt *begin_runs(struct history *history, const struct history_filter *filter, struct arena *arena,
				struct error *err)
{
	struct string text = STRING_INIT(arena);
	sqlite3_stmt *row;

	string_add(&text,
		   "SELECT run.series, run.surroundings, run.id, time, accepted, status, is_cut, revision, branch, "
		   "note FROM run JOIN series ON series.id = run.series WHERE (?1 IS NULL OR lower(program) GLOB ?1) "
		   "AND (?2 IS NULL OR lower(machine) GLOB ?2) AND (?3 IS NULL OR branch = ?3) AND time >= ?4");
	for (size_t i = 0; i < filter->ntags; i++)
		string_printf(&text,
			      " AND EXISTS(SELECT 1 FROM tag WHERE tag.run = run.id AND key = ?%zu AND value = ?%zu)",
			      5 + 2 * i, 6 + 2 * i);
	string_add(&text, " ORDER BY run.series, time, run.id");
	row = sql_begin(history, err, text.text, "ttti", pattern_of(filter->program, arena),
			pattern_of(filter->machine, arena), filter->branch, filter->since_ms);
	for (size_t i = 0; row && i < filter->ntags; i++) {
		sqlite3_bind_text(row, (int)(5 + 2 * i), filter->tags[i].key, -1, SQLITE_TRANSIENT);
		sqlite3_bind_text(row, (int)(6 + 2 * i), filter->tags[i].value, -1, SQLITE_TRANSIENT);
	}
	return row;
}

/* ---- runs by series ---- */

struct gathering {
	struct series_list *list;
	size_t list_capacity;
	size_t *capacities; /* of each series' runs */
	size_t capacities_capacity, ncapacities;
	size_t first; /* of the series with the same program, machine and CPU */
	struct arena *arena;
};

/* Those of a program's runs whose surroundings are the same are one; the last one is looked at first. */
static struct series *series_of(struct gathering *gathering, int64_t id, int64_t surroundings)
{
	struct series_list *list = gathering->list;

	for (size_t i = list->count; i > 0 && list->items[i - 1].id == id; i--)
		if (list->items[i - 1].surroundings == surroundings)
			return &list->items[i - 1];
	list->items =
		arena_grow(gathering->arena, list->items, list->count, &gathering->list_capacity, sizeof(*list->items));
	gathering->capacities = arena_grow(gathering->arena, gathering->capacities, list->count,
					   &gathering->capacities_capacity, sizeof(*gathering->capacities));
	gathering->capacities[list->count] = 0;
	list->items[list->count] = (struct series){ .id = id, .surroundings = surroundings };
	return &list->items[list->count++];
}

static void take_run(struct gathering *gathering, sqlite3_stmt *row)
{
	struct series *series = series_of(gathering, sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1));
	size_t *capacity = &gathering->capacities[series - gathering->list->items];

	if (sqlite3_column_int(row, 6)) {
		series->ncut++;
		return;
	}
	series->runs = arena_grow(gathering->arena, series->runs, series->count, capacity, sizeof(*series->runs));
	series->runs[series->count++] = (struct series_run){ .id = sqlite3_column_int64(row, 2),
							     .time_ms = sqlite3_column_int64(row, 3),
							     .accepted_ms = sqlite3_column_int64(row, 4),
							     .status = sqlite3_column_int(row, 5),
							     .revision = sql_text(row, 7, gathering->arena),
							     .branch = sql_text(row, 8, gathering->arena),
							     .note = sql_text(row, 9, gathering->arena) };
}

static int name_series(struct series *series, struct history *history, struct arena *arena, struct error *err)
{
	sqlite3_stmt *row =
		sql_begin(history, err,
			  "SELECT program, machine, cpu, model, microcode, kernel FROM series, surroundings "
			  "WHERE series.id = ? AND surroundings.id = ?",
			  "ii", series->id, series->surroundings);
	int answer = row ? sql_row(history, row, err) : -1;

	if (answer <= 0)
		return answer < 0 ? -1 : columns_damaged(history, err);
	series->program = sql_known_text(row, 0, arena);
	series->machine = sql_known_text(row, 1, arena);
	series->cpu = sql_known_text(row, 2, arena);
	series->around = (struct surroundings_key){ .model = sql_known_text(row, 3, arena),
						    .microcode = sql_known_text(row, 4, arena),
						    .kernel = sql_known_text(row, 5, arena) };
	sql_end(row);
	return 0;
}

static int64_t newest(const struct series *series)
{
	return series->count ? series->runs[series->count - 1].time_ms : INT64_MIN;
}

/* By program and machine as the file has them; of their surroundings those with the newest run come last. */
static int compare_series(const void *a, const void *b)
{
	const struct series *first = a, *second = b;

	if (first->id != second->id)
		return first->id < second->id ? -1 : 1;
	if (newest(first) != newest(second))
		return newest(first) < newest(second) ? -1 : 1;
	return first->surroundings < second->surroundings ? -1 : first->surroundings > second->surroundings;
}

static int series_finish(struct series_list *list, const struct history_filter *filter, struct history *history,
			 struct arena *arena, struct error *err)
{
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare_series);
	for (size_t i = 0; i < list->count; i++) {
		struct series *series = &list->items[i];

		if (i && series[-1].id == series->id)
			series->nearlier = series[-1].nearlier + series[-1].count;
		if (name_series(series, history, arena, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < list->count && filter->last; i++) {
		struct series *series = &list->items[i];
		size_t dropped = series->count > filter->last ? series->count - filter->last : 0;

		series->runs += dropped;
		series->count -= dropped;
	}
	return 0;
}

int series_read(struct series_list *list, struct history *history, const struct history_filter *filter,
		struct arena *arena, struct error *err)
{
	struct gathering gathering = { .list = list, .arena = arena };
	sqlite3_stmt *row = begin_runs(history, filter, arena, err);
	int answer = row ? 1 : -1;

	*list = (struct series_list){ .count = 0 };
	while (answer > 0 && (answer = sql_row(history, row, err)) > 0)
		take_run(&gathering, row);
	return answer < 0 ? -1 : series_finish(list, filter, history, arena, err);
}

int series_metrics(const char ***names, size_t *count, struct history *history, struct arena *arena, struct error *err)
{
	sqlite3_stmt *row = sql_begin(history, err, "SELECT name FROM metric ORDER BY id", "");
	size_t capacity = 0;
	int answer = row ? 1 : -1;

	*names = NULL;
	*count = 0;
	while (answer > 0 && (answer = sql_row(history, row, err)) > 0) {
		*names = arena_grow(arena, *names, *count, &capacity, sizeof(**names));
		(*names)[(*count)++] = sql_known_text(row, 0, arena);
	}
	return answer;
}

/* ---- values ---- */

/* Where a run stands in the series: its runs by their numbers. */
struct place {
	int64_t id;
	size_t at;
};

struct target {
	struct series_values *values;
	struct place *places;
	size_t count;
	uint32_t metric;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *first = a, *second = b;

	return first->id < second->id ? -1 : first->id > second->id;
}

static struct place *places_of(const struct series *series, struct arena *arena)
{
	struct place *places = arena_array(arena, series->count + 1, sizeof(*places));
	bool is_sorted = true;

	for (size_t i = 0; i < series->count; i++) {
		places[i] = (struct place){ series->runs[i].id, i };
		is_sorted &= !i || places[i - 1].id < places[i].id;
	}
	if (!is_sorted)
		qsort(places, series->count, sizeof(*places), compare_places);
	return places;
}

static void put_point(struct target *target, int64_t run, const struct packed_value *value)
{
	size_t low = 0, high = target->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (target->places[middle].id < run)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == target->count || target->places[low].id != run)
		return;
	low = target->places[low].at;
	target->values->values[low] = value->value;
	target->values->low[low] = value->low;
	target->values->high[low] = value->high;
	target->values->n[low] = value->n;
}

static int put_rows(struct target *target, const struct series *series, struct history *history, struct error *err)
{
	sqlite3_stmt *row = sql_begin(history, err, "SELECT run, packed FROM row WHERE series = ?", "i", series->id);
	struct packed_value *values;
	struct arena arena;
	size_t count;
	int answer = row ? 1 : -1;

	arena_init(&arena);
	while (answer > 0 && (answer = sql_row(history, row, err)) > 0) {
		if (!unpack_row(&values, &count, sql_bytes(row, 1), &arena)) {
			sql_end(row);
			answer = columns_damaged(history, err);
		}
		for (size_t i = 0; answer > 0 && i < count; i++)
			if (values[i].metric == target->metric)
				put_point(target, sqlite3_column_int64(row, 0), &values[i]);
		arena_reset(&arena);
	}
	arena_release(&arena);
	return answer;
}

static int put_column(struct target *target, const struct block *block, sqlite3_stmt *row, struct history *history,
		      struct error *err)
{
	struct packed_value values[BLOCK_RUNS];
	int answer;

	sqlite3_reset(row);
	sqlite3_bind_int64(row, 1, block->id * MOST_METRICS + target->metric);
	answer = sqlite3_step(row);
	if (answer == SQLITE_DONE)
		return 0;
	if (answer != SQLITE_ROW)
		return sql_failed(history, err);
	if (!unpack_column(values, block->count, sql_bytes(row, 0)))
		return columns_damaged(history, err);
	for (size_t i = 0; i < block->count; i++)
		put_point(target, block->runs[i], &values[i]);
	return 0;
}

static int put_columns(struct target *target, const struct series *series, struct history *history, struct arena *arena,
		       struct error *err)
{
	struct block_list blocks;
	sqlite3_stmt *row;
	int result = 0;

	if (blocks_read(&blocks, history, series->id, arena, err) < 0)
		return -1;
	row = sql_begin(history, err, "SELECT packed FROM columns WHERE id = ?", "i", (int64_t)0);
	for (size_t i = 0; row && i < blocks.count && result == 0; i++)
		result = put_column(target, &blocks.items[i], row, history, err);
	sql_end(row);
	return row ? result : -1;
}

static int find_metric(struct target *target, struct history *history, struct arena *arena, struct error *err)
{
	sqlite3_stmt *row =
		sql_begin(history, err, "SELECT id, unit FROM metric WHERE name = ?", "t", target->values->name);
	int answer = row ? sql_row(history, row, err) : -1;
	int64_t id;

	if (answer <= 0)
		return answer;
	id = sqlite3_column_int64(row, 0);
	target->metric = (uint32_t)id;
	target->values->unit = sql_known_text(row, 1, arena);
	sql_end(row);
	return id < 0 || id >= MOST_METRICS ? columns_damaged(history, err) : 1;
}

int series_values_read(struct series_values *values, const struct series *series, struct history *history,
		       struct arena *arena, struct error *err)
{
	struct target target = { .values = values, .places = places_of(series, arena), .count = series->count };
	size_t room = series->count + 1;
	int answer;

	*values = (struct series_values){ .name = values->name,
					  .unit = "",
					  .values = arena_array(arena, room, sizeof(double)),
					  .low = arena_array(arena, room, sizeof(double)),
					  .high = arena_array(arena, room, sizeof(double)),
					  .n = arena_array(arena, room, sizeof(unsigned)) };
	for (size_t i = 0; i < series->count; i++)
		values->values[i] = values->low[i] = values->high[i] = NOT_COUNTED;
	answer = find_metric(&target, history, arena, err);
	if (answer <= 0)
		return answer;
	if (put_columns(&target, series, history, arena, err) < 0)
		return -1;
	return put_rows(&target, series, history, err);
}
