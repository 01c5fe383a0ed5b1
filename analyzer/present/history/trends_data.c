/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trends_data.c - trends for machines: JSON series by series, CSV with a line for each value. */
#include "present/document/data.h"
#include "present/history/trends.h"

/* ---- JSON ---- */

static void write_runs(struct json_writer *writer, const struct series *series, struct arena *arena)
{
	json_write_array(writer, "runs");
	for (size_t i = 0; i < series->count; i++) {
		const struct series_run *run = &series->runs[i];

		json_write_object(writer, NULL);
		json_write_integer(writer, "run", run->id);
		json_write_string(writer, "time", trend_time(run->time_ms, arena));
		json_write_string(writer, "commit", run->revision);
		json_write_string(writer, "branch", run->branch);
		json_write_number(writer, "status", run->status == NO_STATUS ? NOT_COUNTED : run->status);
		json_write_bool(writer, "accepted", run->accepted_ms != 0);
		json_write_string(writer, "note", run->note);
		json_write_end(writer);
	}
	json_write_end(writer);
}

static void write_changes(struct json_writer *writer, const struct trend *trend, struct arena *arena)
{
	json_write_array(writer, "changes");
	for (size_t i = 0; i < trend->nchanges; i++) {
		const struct trend_change *change = &trend->changes[i];
		const struct series_run *run = &trend->series->runs[change->run];

		json_write_object(writer, NULL);
		json_write_integer(writer, "run", run->id);
		json_write_string(writer, "time", trend_time(run->time_ms, arena));
		json_write_string(writer, "commit", run->revision);
		json_write_number(writer, "before", change->before);
		json_write_number(writer, "after", change->after);
		json_write_number(writer, "percent", change->percent);
		json_write_number(writer, "p", change->p);
		json_write_string(writer, "verdict", trend_turn(change->turn));
		json_write_bool(writer, "accepted", change->is_accepted);
		json_write_end(writer);
	}
	json_write_end(writer);
}

static void write_counts(struct json_writer *writer, const struct trend *trend)
{
	json_write_array(writer, "n");
	for (size_t i = 0; i < trend->series->count; i++)
		json_write_integer(writer, NULL, trend->values.n[i]);
	json_write_end(writer);
}

static void write_trend(struct json_writer *writer, const struct trend *trend, struct arena *arena)
{
	const size_t count = trend->series->count;

	json_write_object(writer, NULL);
	json_write_string(writer, "name", trend->values.name);
	json_write_string(writer, "unit", trend->values.unit);
	json_write_string(writer, "worse", worse_name(trend->worse));
	json_numbers(writer, "values", trend->values.values, count);
	json_numbers(writer, "low", trend->values.low, count);
	json_numbers(writer, "high", trend->values.high, count);
	write_counts(writer, trend);
	json_numbers(writer, "mean7", trend->mean, count);
	json_numbers(writer, "z", trend->score, count);
	write_changes(writer, trend, arena);
	json_write_end(writer);
}

static void write_set(struct json_writer *writer, const struct trend_set *set, struct arena *arena)
{
	const struct series *series = set->series;

	json_write_object(writer, NULL);
	json_write_string(writer, "program", series->program);
	json_write_string(writer, "machine", series->machine);
	json_write_string(writer, "cpu", series->cpu);
	json_write_string(writer, "model", series->around.model);
	json_write_string(writer, "microcode", series->around.microcode);
	json_write_string(writer, "kernel", series->around.kernel);
	json_write_integer(writer, "cut", (int64_t)series->ncut);
	json_write_integer(writer, "earlier", (int64_t)series->nearlier);
	json_write_string(writer, "split", set->split);
	write_runs(writer, series, arena);
	json_write_array(writer, "metrics");
	for (size_t i = 0; i < set->count; i++)
		write_trend(writer, &set->trends[i], arena);
	json_write_end(writer);
	json_write_end(writer);
}

void trends_json(struct json_writer *writer, const void *what, struct arena *arena)
{
	const struct trend_page *page = what;

	json_write_string(writer, "format", "topdown-history");
	json_write_integer(writer, "version", 1);
	json_write_array(writer, "series");
	for (size_t i = 0; i < page->count; i++)
		write_set(writer, &page->sets[i], arena);
	json_write_end(writer);
}

/* ---- CSV ---- */

enum {
	PROGRAM,
	MACHINE,
	CPU,
	MODEL,
	MICROCODE,
	KERNEL,
	RUN,
	TIME,
	COMMIT,
	BRANCH,
	STATUS,
	ACCEPTED,
	NOTE,
	METRIC,
	UNIT,
	VALUE,
	LOW,
	HIGH,
	N,
	MEAN,
	SCORE,
	CHANGE,
	CHANCE,
	TURN,
	COLUMNS
};
static const struct column columns[COLUMNS] = {
	[PROGRAM] = { .key = "program" },
	[MACHINE] = { .key = "machine" },
	[CPU] = { .key = "cpu" },
	[MODEL] = { .key = "model" },
	[MICROCODE] = { .key = "microcode" },
	[KERNEL] = { .key = "kernel" },
	[RUN] = { .key = "run" },
	[TIME] = { .key = "time" },
	[COMMIT] = { .key = "commit" },
	[BRANCH] = { .key = "branch" },
	[STATUS] = { .key = "status" },
	[ACCEPTED] = { .key = "accepted" },
	[NOTE] = { .key = "note" },
	[METRIC] = { .key = "metric" },
	[UNIT] = { .key = "unit" },
	[VALUE] = { .key = "value" },
	[LOW] = { .key = "low" },
	[HIGH] = { .key = "high" },
	[N] = { .key = "n" },
	[MEAN] = { .key = "mean7" },
	[SCORE] = { .key = "z" },
	[CHANGE] = { .key = "change_percent" },
	[CHANCE] = { .key = "change_p" },
	[TURN] = { .key = "verdict" },
};

static void fill_series(struct cell *cells, const struct series *series)
{
	cells[PROGRAM] = text_cell(series->program);
	cells[MACHINE] = text_cell(series->machine);
	cells[CPU] = text_cell(series->cpu);
	cells[MODEL] = word_cell(series->around.model);
	cells[MICROCODE] = word_cell(series->around.microcode);
	cells[KERNEL] = word_cell(series->around.kernel);
}

static void fill_run(struct cell *cells, const struct series_run *run, struct arena *arena)
{
	cells[RUN] = whole_cell((size_t)run->id);
	cells[TIME] = text_cell(trend_time(run->time_ms, arena));
	cells[COMMIT] = text_cell(run->revision);
	cells[BRANCH] = text_cell(run->branch);
	cells[STATUS] = cell_if(run->status != NO_STATUS, whole_cell((size_t)run->status));
	cells[ACCEPTED] = truth_cell(run->accepted_ms != 0);
	cells[NOTE] = text_cell(run->note);
}

static void fill_value(struct cell *cells, const struct trend *trend, size_t i)
{
	cells[METRIC] = text_cell(trend->values.name);
	cells[UNIT] = word_cell(trend->values.unit);
	cells[VALUE] = number_cell(trend->values.values[i]);
	cells[LOW] = number_cell(trend->values.low[i]);
	cells[HIGH] = number_cell(trend->values.high[i]);
	cells[N] = known_cell(trend->values.n[i]);
	cells[MEAN] = number_cell(trend->mean[i]);
	cells[SCORE] = number_cell(trend->score[i]);
	cells[CHANGE] = cells[CHANCE] = cells[TURN] = (struct cell){ .kind = CELL_NOTHING };
	for (size_t k = 0; k < trend->nchanges; k++) {
		if (trend->changes[k].run != i)
			continue;
		cells[CHANGE] = number_cell(trend->changes[k].percent);
		cells[CHANCE] = number_cell(trend->changes[k].p);
		cells[TURN] = text_cell(trend_turn(trend->changes[k].turn));
	}
}

static void add_set(struct sheet *sheet, const struct trend_set *set)
{
	struct cell cells[COLUMNS] = { { .kind = CELL_NOTHING } };

	fill_series(cells, set->series);
	for (size_t i = 0; i < set->series->count; i++) {
		fill_run(cells, &set->series->runs[i], sheet->arena);
		for (size_t k = 0; k < set->count; k++) {
			if (isnan(set->trends[k].values.values[i]))
				continue;
			fill_value(cells, &set->trends[k], i);
			csv_cells(sheet, columns, cells, COLUMNS);
			csv_end(sheet);
		}
	}
}

void trends_csv(struct sheet *sheet, const void *what)
{
	const struct trend_page *page = what;

	csv_cells(sheet, columns, NULL, COLUMNS);
	csv_end(sheet);
	for (size_t i = 0; i < page->count; i++)
		add_set(sheet, &page->sets[i]);
}
