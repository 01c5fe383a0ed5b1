/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trends_data.c - trends for machines: JSON series by series, CSV with a line for each value. */
#include <string.h>

#include "present/document/data.h"
#include "present/history/trends.h"

/* ---- fields of both forms ---- */

static const struct column series_columns[] = { { .key = "program" }, { .key = "machine" },   { .key = "cpu" },
						{ .key = "model" },   { .key = "microcode" }, { .key = "kernel" } };
#define SERIES COUNT_OF(series_columns)

static void series_cells(struct cell cells[SERIES], const struct series *series)
{
	const char *const texts[SERIES] = { series->program,	  series->machine,	    series->cpu,
					    series->around.model, series->around.microcode, series->around.kernel };

	for (size_t i = 0; i < SERIES; i++)
		cells[i] = text_cell(texts[i]);
}

static const struct column run_columns[] = { { .key = "run" },	  { .key = "time" },   { .key = "commit" },
					     { .key = "branch" }, { .key = "status" }, { .key = "accepted" },
					     { .key = "note" } };
#define RUN COUNT_OF(run_columns)

static struct grid *run_grid(const struct series *series, struct arena *arena)
{
	struct grid *grid = grid_new(arena, run_columns, RUN);

	for (size_t i = 0; i < series->count; i++) {
		const struct series_run *run = &series->runs[i];

		grid_add(grid,
			 (const struct cell[]){ whole_cell((size_t)run->id), text_cell(trend_time(run->time_ms, arena)),
						text_cell(run->revision), text_cell(run->branch),
						cell_if(run->status != NO_STATUS, whole_cell((size_t)run->status)),
						truth_cell(run->accepted_ms != 0), text_cell(run->note) },
			 arena);
	}
	return grid;
}

/* ---- JSON ---- */

static struct cell changes_cell(const struct trend *trend, const char *const *causes, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < trend->nchanges; i++) {
		const struct trend_change *change = &trend->changes[i];
		const struct series_run *run = &trend->series->runs[change->run];

		grid_members(grid, arena,
			     MEMBERS({ "run", whole_cell((size_t)run->id) },
				     { "time", text_cell(trend_time(run->time_ms, arena)) },
				     { "commit", text_cell(run->revision) }, { "before", exact_cell(change->before) },
				     { "after", exact_cell(change->after) }, { "percent", exact_cell(change->percent) },
				     { "p", exact_cell(change->p) }, { "verdict", text_cell(trend_turn(change->turn)) },
				     { "accepted", truth_cell(change->is_accepted) },
				     { "cause", text_cell(causes[change->run]) }));
	}
	return rows_cell(grid);
}

static struct cell metrics_cell(const struct trend_set *set, struct arena *arena)
{
	const size_t count = set->series->count;
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < set->count; i++) {
		const struct trend *trend = &set->trends[i];
		struct cell *n = arena_array(arena, count, sizeof(*n));

		for (size_t k = 0; k < count; k++)
			n[k] = whole_cell(trend->values.n[k]);
		grid_members(grid, arena,
			     MEMBERS({ "name", text_cell(trend->values.name) },
				     { "unit", text_cell(trend->values.unit) },
				     { "worse", text_cell(worse_name(trend->worse)) },
				     { "values", numbers_cell(arena, trend->values.values, count) },
				     { "low", numbers_cell(arena, trend->values.low, count) },
				     { "high", numbers_cell(arena, trend->values.high, count) },
				     { "n", list_cell(n, count) }, { "mean7", numbers_cell(arena, trend->mean, count) },
				     { "z", numbers_cell(arena, trend->score, count) },
				     { "changes", changes_cell(trend, set->causes, arena) }));
	}
	return rows_cell(grid);
}

void trends_json(struct json_writer *writer, const void *what, struct arena *arena)
{
	const struct trend_page *page = what;

	json_members(writer, MEMBERS({ "format", text_cell("topdown-history") }, { "version", whole_cell(1) }));
	json_write_array(writer, "series");
	for (size_t i = 0; i < page->count; i++) {
		const struct trend_set *set = &page->sets[i];
		struct cell cells[SERIES];

		series_cells(cells, set->series);
		json_write_object(writer, NULL);
		json_cells(writer, series_columns, cells, SERIES);
		json_members(writer, MEMBERS({ "cut", whole_cell(set->series->ncut) },
					     { "earlier", whole_cell(set->series->nearlier) },
					     { "split", text_cell(set->split) },
					     { "runs", rows_cell(run_grid(set->series, arena)) },
					     { "metrics", metrics_cell(set, arena) }));
		json_write_end(writer);
	}
	json_write_end(writer);
}

/* ---- CSV ---- */

static const struct column value_columns[] = {
	{ .key = "metric" },	     { .key = "unit" },	    { .key = "value" },	  { .key = "low" },
	{ .key = "high" },	     { .key = "n" },	    { .key = "mean7" },	  { .key = "z" },
	{ .key = "change_percent" }, { .key = "change_p" }, { .key = "verdict" },
};
#define VALUE COUNT_OF(value_columns)

static const struct trend_change *change_at(const struct trend *trend, size_t run)
{
	for (size_t i = trend->nchanges; i-- > 0;)
		if (trend->changes[i].run == run)
			return &trend->changes[i];
	return NULL;
}

static void value_cells(struct cell cells[VALUE], const struct trend *trend, size_t i)
{
	const struct trend_change *change = change_at(trend, i);
	const struct cell row[VALUE] = { text_cell(trend->values.name),
					 text_cell(trend->values.unit),
					 number_cell(trend->values.values[i]),
					 number_cell(trend->values.low[i]),
					 number_cell(trend->values.high[i]),
					 known_cell(trend->values.n[i]),
					 number_cell(trend->mean[i]),
					 number_cell(trend->score[i]),
					 number_cell(change ? change->percent : NOT_COUNTED),
					 number_cell(change ? change->p : NOT_COUNTED),
					 text_cell(change ? trend_turn(change->turn) : NULL) };

	memcpy(cells, row, sizeof(row));
}

/* NULL: the names of the columns. */
static void put_trend(struct sheet *sheet, const struct cell *series, const struct cell *run, const struct cell *value)
{
	csv_cells(sheet, series_columns, series, SERIES);
	csv_cells(sheet, run_columns, run, RUN);
	csv_cells(sheet, value_columns, value, VALUE);
	csv_end(sheet);
}

static void put_set(struct sheet *sheet, const struct trend_set *set)
{
	const struct grid *runs = run_grid(set->series, sheet->arena);
	struct cell series[SERIES], value[VALUE];

	series_cells(series, set->series);
	for (size_t i = 0; i < set->series->count; i++) {
		for (size_t k = 0; k < set->count; k++) {
			if (isnan(set->trends[k].values.values[i]))
				continue;
			value_cells(value, &set->trends[k], i);
			put_trend(sheet, series, runs->rows[i].cells, value);
		}
	}
}

void trends_csv(struct sheet *sheet, const void *what)
{
	const struct trend_page *page = what;

	put_trend(sheet, NULL, NULL, NULL);
	for (size_t i = 0; i < page->count; i++)
		put_set(sheet, &page->sets[i]);
}
