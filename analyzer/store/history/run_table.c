/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_table.c - runs from a CSV table: one of a line, or one of each of its values. */
#include "store/history/run_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/csv.h"
#include "common/base/text.h"

#define MS_IN_SECOND 1000

bool history_time(int64_t *ms, const char *text)
{
	static const char *const forms[] = { "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d" };
	double seconds;

	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		struct tm broken = { 0 };
		const char *rest = strptime(text, forms[i], &broken);

		if (!rest ||
		    (*rest && strcmp(rest, "Z") != 0 && strcmp(rest, "+00:00") != 0 && strcmp(rest, " +0000") != 0))
			continue;
		*ms = (int64_t)timegm(&broken) * MS_IN_SECOND;
		return true;
	}
	if (!text_double(text, &seconds) || !isfinite(seconds) || fabs(seconds) > 1e11)
		return false;
	*ms = llround(seconds * MS_IN_SECOND);
	return true;
}

/* ---- columns ---- */

enum known_column {
	K_TIME,
	K_COMMIT,
	K_BRANCH,
	K_PROGRAM,
	K_COMMAND,
	K_MACHINE,
	K_CPU,
	K_MODEL,
	K_MICROCODE,
	K_KERNEL,
	K_NOTE,
	K_RUN,
	K_METRIC,
	K_UNIT,
	K_VALUE,
	K_LOW,
	K_HIGH,
	K_N,
	K_OTHERS,
	KNOWN_COLUMNS
};

/* Names of columns that are no metrics, of our own tables and of others' (the first fits ours). */
static const struct {
	const char *name;
	enum known_column column;
} column_names[] = {
	{ "time", K_TIME },
	{ "date", K_TIME },
	{ "timestamp", K_TIME },
	{ "commit", K_COMMIT },
	{ "revision", K_COMMIT },
	{ "sha", K_COMMIT },
	{ "branch", K_BRANCH },
	{ "program", K_PROGRAM },
	{ "test", K_PROGRAM },
	{ "benchmark", K_PROGRAM },
	{ "command", K_COMMAND },
	{ "machine", K_MACHINE },
	{ "host", K_MACHINE },
	{ "cpu", K_CPU },
	{ "model", K_MODEL },
	{ "microcode", K_MICROCODE },
	{ "kernel", K_KERNEL },
	{ "note", K_NOTE },
	{ "run", K_RUN },
	{ "metric", K_METRIC },
	{ "unit", K_UNIT },
	{ "value", K_VALUE },
	{ "low", K_LOW },
	{ "high", K_HIGH },
	{ "n", K_N },
	{ "status", K_OTHERS },
	{ "accepted", K_OTHERS },
	{ "mean7", K_OTHERS },
	{ "z", K_OTHERS },
	{ "change_percent", K_OTHERS },
	{ "change_p", K_OTHERS },
	{ "verdict", K_OTHERS },
};

struct csv_table {
	const char *path;
	struct csv_line head, line;
	size_t at[KNOWN_COLUMNS];		  /* of a known column; CSV_MOST_FIELDS: it has none */
	enum known_column kinds[CSV_MOST_FIELDS]; /* KNOWN_COLUMNS: a metric */
	size_t number;				  /* of the line, from 1 */
	const char *fallback;			  /* the program where no column says it */
	struct arena *arena;
};

/* Two of one name would be one metric. NULL: there are none. */
static const char *find_twin(const struct csv_line *head)
{
	for (size_t i = 0; i < head->count; i++)
		for (size_t k = 0; k < i; k++)
			if (*head->fields[i] && !strcmp(head->fields[i], head->fields[k]))
				return head->fields[i];
	return NULL;
}

static void know_columns(struct csv_table *table)
{
	for (size_t i = 0; i < KNOWN_COLUMNS; i++)
		table->at[i] = CSV_MOST_FIELDS;
	for (size_t i = 0; i < table->head.count; i++) {
		table->kinds[i] = KNOWN_COLUMNS;
		for (size_t k = 0; k < COUNT_OF(column_names); k++)
			if (is_same_name(table->head.fields[i], column_names[k].name))
				table->kinds[i] = column_names[k].column;
		if (table->kinds[i] < KNOWN_COLUMNS && table->at[table->kinds[i]] == CSV_MOST_FIELDS)
			table->at[table->kinds[i]] = i;
	}
}

/* NULL: there is no such column, or nothing in it. */
/* Without the apostrophe of a text that a spreadsheet would take for a formula. */
static const char *field(const struct csv_table *table, enum known_column column)
{
	size_t at = table->at[column];
	const char *text = at < table->line.count ? table->line.fields[at] : "";

	if (*text == '\'' && text[1] && strchr("=+-@", text[1]))
		text++;
	return *text ? text : NULL;
}

static int table_error(const struct csv_table *table, struct error *err, const char *what, const char *text)
{
	return error_set(err, "%s: line %zu: '%s': %s", table->path, table->number, text ? text : "", what);
}

/* ---- runs ---- */

static int run_table_describe(struct history_run *run, const struct csv_table *table, struct error *err)
{
	const char *time = field(table, K_TIME), *program = field(table, K_PROGRAM);

	*run = (struct history_run){ .program = program ? program : table->fallback,
				     .command = field(table, K_COMMAND),
				     .machine = field(table, K_MACHINE) ? field(table, K_MACHINE) : "imported",
				     .cpu = field(table, K_CPU),
				     .model = field(table, K_MODEL),
				     .microcode = field(table, K_MICROCODE),
				     .kernel = field(table, K_KERNEL),
				     .revision = field(table, K_COMMIT),
				     .branch = field(table, K_BRANCH),
				     .note = field(table, K_NOTE),
				     .status = NO_STATUS };
	if (!run->command)
		run->command = run->program;
	if (!time || !history_time(&run->time_ms, time))
		return table_error(table, err,
				   "no time, which is 2026-11-23T01:02:03Z, 2026-11-23 or seconds since 1970", time);
	return 0;
}

static double run_table_number_of(const char *text)
{
	double number;

	return text && text_double(text, &number) ? number : NOT_COUNTED;
}

/* A line of many metrics: each column that is none of the known ones. An empty field is no value. */
static int take_wide(struct history_run *run, const struct csv_table *table, struct error *err)
{
	struct history_value *values = arena_array(table->arena, table->head.count + 1, sizeof(*values));

	for (size_t i = 0; i < table->head.count && i < table->line.count; i++) {
		const char *text = table->line.fields[i];
		double value = run_table_number_of(text);

		if (table->kinds[i] != KNOWN_COLUMNS || !*text)
			continue;
		if (isnan(value))
			return table_error(
				table, err,
				arena_printf(table->arena, "no number, in the column %s", table->head.fields[i]), text);
		values[run->nvalues++] = (struct history_value){ .name = table->head.fields[i],
								 .unit = "",
								 .value = value,
								 .low = NOT_COUNTED,
								 .high = NOT_COUNTED };
	}
	run->values = values;
	return 0;
}

/* A line of one metric: of the run before it, or of a new one. */
static int take_long(struct history_run *run, const struct csv_table *table, size_t *capacity, struct error *err)
{
	struct history_value *values = (struct history_value *)(uintptr_t)run->values;
	const char *name = field(table, K_METRIC), *text = field(table, K_VALUE);
	double n = run_table_number_of(field(table, K_N));

	if (!name || isnan(run_table_number_of(text)))
		return table_error(table, err, "no value of a metric", text);
	values = arena_grow(table->arena, values, run->nvalues, capacity, sizeof(*values));
	values[run->nvalues++] = (struct history_value){ .name = name,
							 .unit = field(table, K_UNIT),
							 .value = run_table_number_of(text),
							 .low = run_table_number_of(field(table, K_LOW)),
							 .high = run_table_number_of(field(table, K_HIGH)),
							 .n = n > 0 && n < 65536 ? (unsigned)n : 0 };
	run->values = values;
	return 0;
}

struct imported {
	struct history_run *runs;
	size_t count, capacity, values_capacity;
	const char *run; /* the column of the last one */
};

static bool is_same_run(const struct imported *imported, const struct history_run *run, const struct csv_table *table)
{
	const struct history_run *last = imported->count ? &imported->runs[imported->count - 1] : NULL;

	return last && last->time_ms == run->time_ms && !compare_texts(last->program, run->program) &&
	       !compare_texts(last->machine, run->machine) && !compare_texts(last->revision, run->revision) &&
	       !compare_texts(imported->run, field(table, K_RUN));
}

static int take_line(struct imported *imported, const struct csv_table *table, struct error *err)
{
	bool is_long = table->at[K_METRIC] < CSV_MOST_FIELDS && table->at[K_VALUE] < CSV_MOST_FIELDS;
	struct history_run run;

	if (run_table_describe(&run, table, err) < 0)
		return -1;
	if (!is_long || !is_same_run(imported, &run, table)) {
		imported->runs = arena_grow(table->arena, imported->runs, imported->count, &imported->capacity,
					    sizeof(*imported->runs));
		imported->runs[imported->count++] = run;
		imported->values_capacity = 0;
		imported->run = field(table, K_RUN);
	}
	if (!is_long)
		return take_wide(&imported->runs[imported->count - 1], table, err);
	return take_long(&imported->runs[imported->count - 1], table, &imported->values_capacity, err);
}

/* Spreadsheets write UTF-8's mark first. */
static char *skip_mark(char *text)
{
	static const char mark[] = "\xef\xbb\xbf";

	return strncmp(text, mark, strlen(mark)) ? text : text + strlen(mark);
}

static int read_lines(struct imported *imported, struct csv_table *table, char *text, struct error *err)
{
	const char *twin;

	table->number = 1;
	text = csv_split(&table->head, skip_mark(text));
	twin = text ? find_twin(&table->head) : NULL;
	if (twin)
		return error_set(err,
				 "%s: two columns are called '%s', and one metric can't be both: give them two names",
				 table->path, twin);
	if (text)
		know_columns(table);
	if (text && table->at[K_TIME] == CSV_MOST_FIELDS)
		return error_set(err, "%s: its first line names no column time, so this is not a table of runs",
				 table->path);
	while (text && *text) {
		table->number++;
		text = csv_split(&table->line, text);
		if (text && !(table->line.count == 1 && !*table->line.fields[0]) && take_line(imported, table, err) < 0)
			return -1;
	}
	return text ? 0
		    : error_set(err, "%s: line %zu: more than " AS_TEXT(CSV_MOST_FIELDS) " columns", table->path,
				table->number);
}

int run_table_read(struct run_table *runs, char *text, size_t length, struct arena *arena, struct error *err)
{
	struct csv_table *table = arena_alloc(arena, sizeof(*table));
	struct imported imported = { .count = 0 };

	table->path = runs->path;
	table->arena = arena;
	table->fallback = runs->program;
	if (strlen(text) != length)
		return error_set(err, "%s: a zero byte at offset %zu, so this is not a text table", runs->path,
				 strlen(text));
	if (read_lines(&imported, table, text, err) < 0)
		return -1;
	runs->runs = imported.runs;
	runs->count = imported.count;
	return 0;
}
