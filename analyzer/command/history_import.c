/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/history_import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "command/commands.h"
#include "command/recorded.h"
#include "command/remembered.h"

/* 1: it was added; 0: it is there already. */
static int add_new(struct history *history, struct history_run *run, const char *session, size_t length,
		   struct error *err)
{
	int is_there = history_has(history, run, err);

	if (is_there)
		return is_there < 0 ? -1 : 0;
	return history_add(history, run, session, length, err) < 0 ? -1 : 1;
}

static int import_session(struct history *history, const char *path, const struct options *options, struct arena *arena,
			  struct error *err)
{
	const struct engine engine = engine_for(options, arena);
	struct measurement measured;
	struct report_set reports;
	struct history_run run;
	size_t length = 0;
	char *session;
	int result;

	if (recorded_read(&measured, path, arena, err) < 0)
		return -1;
	if (saved_evaluate(&reports, &measured, "history", &engine, err) < 0)
		return error_in(err, "%s", path);
	remembered_describe(&run, &measured, &reports, arena);
	if (remembered_tag(&run, options, arena, err) < 0)
		return -1;
	session = remembered_session(&measured, &length, err);
	result = session ? add_new(history, &run, session, length, err) : -1;
	free(session);
	return result;
}

/* ---- tables ---- */

#define MOST_FIELDS 4096

struct table_line {
	char *fields[MOST_FIELDS];
	size_t count;
};

/* One line of RFC 4180, whose text is changed; fields may be in quotes, with quotes in them doubled. NULL: too many. */
static char *split_line(struct table_line *line, char *at)
{
	line->count = 0;
	for (;;) {
		char *to = at, end;
		bool is_quoted = *at == '"';

		if (line->count == MOST_FIELDS)
			return NULL;
		line->fields[line->count++] = at;
		at += is_quoted;
		while (*at && (is_quoted || !strchr(",\r\n", *at))) {
			if (is_quoted && *at == '"' && *++at != '"')
				is_quoted = false;
			else
				*to++ = *at++;
		}
		end = *at;
		at += end != '\0';
		*to = '\0';
		if (end == '\r' && *at == '\n')
			at++;
		if (end != ',')
			return at;
	}
}

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
	struct table_line head, line;
	size_t at[KNOWN_COLUMNS];	      /* of a known column; MOST_FIELDS: it has none */
	enum known_column kinds[MOST_FIELDS]; /* KNOWN_COLUMNS: a metric */
	size_t number;			      /* of the line, from 1 */
	const char *fallback;		      /* the program where no column says it */
	struct arena *arena;
};

static void know_columns(struct csv_table *table)
{
	for (size_t i = 0; i < KNOWN_COLUMNS; i++)
		table->at[i] = MOST_FIELDS;
	for (size_t i = 0; i < table->head.count; i++) {
		table->kinds[i] = KNOWN_COLUMNS;
		for (size_t k = 0; k < COUNT_OF(column_names); k++)
			if (is_same_name(table->head.fields[i], column_names[k].name))
				table->kinds[i] = column_names[k].column;
		if (table->kinds[i] < KNOWN_COLUMNS && table->at[table->kinds[i]] == MOST_FIELDS)
			table->at[table->kinds[i]] = i;
	}
}

/* NULL: there is no such column, or nothing in it. */
static const char *field(const struct csv_table *table, enum known_column column)
{
	size_t at = table->at[column];

	return at < table->line.count && *table->line.fields[at] ? table->line.fields[at] : NULL;
}

static int table_error(const struct csv_table *table, struct error *err, const char *what, const char *text)
{
	return error_set(err, "%s: line %zu: '%s': %s", table->path, table->number, text ? text : "", what);
}

static int describe(struct history_run *run, const struct csv_table *table, struct error *err)
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
				     .note = field(table, K_NOTE) };
	if (!run->command)
		run->command = run->program;
	if (!time || !remembered_time(&run->time_ms, time))
		return table_error(table, err,
				   "no time, which is 2026-11-23T01:02:03Z, 2026-11-23 or seconds since 1970", time);
	return 0;
}

static double number_of(const char *text)
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
		double value = number_of(text);

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
	double n = number_of(field(table, K_N));

	if (!name || isnan(number_of(text)))
		return table_error(table, err, "no value of a metric", text);
	values = arena_grow(table->arena, values, run->nvalues, capacity, sizeof(*values));
	values[run->nvalues++] = (struct history_value){ .name = name,
							 .unit = field(table, K_UNIT),
							 .value = number_of(text),
							 .low = number_of(field(table, K_LOW)),
							 .high = number_of(field(table, K_HIGH)),
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
	bool is_long = table->at[K_METRIC] < MOST_FIELDS && table->at[K_VALUE] < MOST_FIELDS;
	struct history_run run;

	if (describe(&run, table, err) < 0)
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

static int read_table(struct imported *imported, struct csv_table *table, char *text, struct error *err)
{
	table->number = 1;
	text = split_line(&table->head, text);
	if (text)
		know_columns(table);
	if (text && table->at[K_TIME] == MOST_FIELDS)
		return error_set(err, "%s: its first line names no column time, so this is no table of runs",
				 table->path);
	while (text && *text) {
		table->number++;
		text = split_line(&table->line, text);
		if (text && !(table->line.count == 1 && !*table->line.fields[0]) && take_line(imported, table, err) < 0)
			return -1;
	}
	return text ? 0
		    : error_set(err, "%s: line %zu: more than " AS_TEXT(MOST_FIELDS) " columns", table->path,
				table->number);
}

/* "bench/parser.csv" is of the program "parser", where it does not say it. */
static const char *stem_of(const char *path, struct arena *arena)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return arena_strndup(arena, name, strcspn(name, "."));
}

static int import_table(struct history *history, const char *path, const struct options *options, struct arena *arena,
			struct error *err)
{
	struct csv_table *table = arena_alloc(arena, sizeof(*table));
	struct imported imported = { .count = 0 };
	size_t length;
	char *text = file_read(path, &length, arena, err);
	int added = 0;

	table->path = path;
	table->arena = arena;
	table->fallback = stem_of(path, arena);
	if (!text || read_table(&imported, table, text, err) < 0)
		return -1;
	for (size_t i = 0; i < imported.count; i++) {
		int result = remembered_tag(&imported.runs[i], options, arena, err);

		if (result == 0)
			result = add_new(history, &imported.runs[i], NULL, 0, err);
		if (result < 0)
			return -1;
		added += result;
	}
	return added;
}

int history_import(struct history *history, const char *path, const struct options *options, struct arena *arena,
		   struct error *err)
{
	size_t length = strlen(path);
	bool is_table = length > 4 && is_same_name(path + length - 4, ".csv");

	return is_table ? import_table(history, path, options, arena, err)
			: import_session(history, path, options, arena, err);
}
