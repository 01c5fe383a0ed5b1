/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/simulated_counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

/* The sums so far. */
struct sums {
	const struct event_database *database;
	struct arena *arena;
	double *numbers;   /* by event, in the order of the database; NAN: not there */
	struct table seen; /* the lines that say where, to the numbers of source lines */
	struct source_line *lines;
	size_t *capacities; /* of each line's counts */
	size_t nlines, capacity, capacities_capacity;
};

/* ---- by source line ---- */

/* "3", "main", "a.c": the fields between tabs; an empty one is unknown. */
static const char *next_field(char **cursor)
{
	char *field = *cursor ? strsep(cursor, "\t") : NULL;

	return field && *field ? field : NULL;
}

/* "LINE<tab>FUNCTION<tab>FILE<tab>OBJECT" */
static struct source_line make_line(struct arena *arena, const char *text)
{
	char *cursor = arena_strdup(arena, text);
	const char *number = next_field(&cursor);
	struct source_line line = { .function = next_field(&cursor) };
	uint64_t value;

	line.file = next_field(&cursor);
	line.object = next_field(&cursor);
	line.line = number && text_u64(number, &value) ? (size_t)value : 0;
	return line;
}

/* The source line that a process may have told before this one did. */
static size_t find_line(struct sums *sums, const char *text)
{
	size_t number = table_get(&sums->seen, text);

	if (number != TABLE_NONE)
		return number;
	number = sums->nlines;
	sums->lines = arena_grow(sums->arena, sums->lines, number, &sums->capacity, sizeof(*sums->lines));
	sums->capacities = arena_grow(sums->arena, sums->capacities, number, &sums->capacities_capacity,
				      sizeof(*sums->capacities));
	sums->lines[number] = make_line(sums->arena, text);
	sums->capacities[number] = 0;
	sums->nlines++;
	table_set(&sums->seen, arena_strdup(sums->arena, text), number);
	return number;
}

static void add_to_line(struct sums *sums, size_t number, size_t item, double value)
{
	struct source_line *line = &sums->lines[number];

	for (size_t i = 0; i < line->count; i++) {
		if (line->counts[i].item != item)
			continue;
		line->counts[i].value += value;
		return;
	}
	line->counts =
		arena_grow(sums->arena, line->counts, line->count, &sums->capacities[number], sizeof(*line->counts));
	line->counts[line->count++] = (struct source_count){ .item = item, .value = value };
}

/* ---- all of it ---- */

#define WHOLE TABLE_NONE /* instead of a source line: the counts of the process */

/* "name value"; what the database does not know is of another version of the tool. */
static void add_count(struct sums *sums, size_t line, char *text)
{
	char *blank = strchr(text, ' ');
	const struct event_row *row;
	uint64_t value;
	size_t item;

	if (!blank)
		return;
	*blank = '\0';
	row = event_database_find(sums->database, text);
	if (!row || !text_u64(blank + 1, &value))
		return;
	item = (size_t)(row - sums->database->rows);
	if (line != WHOLE)
		add_to_line(sums, line, item, (double)value);
	else
		sums->numbers[item] = (isnan(sums->numbers[item]) ? 0 : sums->numbers[item]) + (double)value;
}

static void add_text(struct sums *sums, char *text)
{
	size_t line = WHOLE;
	char *rest;

	for (char *row = strtok_r(text, "\n", &rest); row; row = strtok_r(NULL, "\n", &rest))
		if (*row == '@')
			line = find_line(sums, row + 1);
		else
			add_count(sums, line, row);
}

static bool read_files(struct sums *sums, const struct simulated_files *files)
{
	const char *own = arena_printf(sums->arena, "%d.", files->pid);
	struct error err = { .text = "" };
	size_t count = 0, length;
	const char **names = directory_list(files->folder, COUNTS_SUFFIX, &count, sums->arena, &err);
	bool has_own = false;

	for (size_t i = 0; names && i < count; i++) {
		char *text = file_read(arena_printf(sums->arena, "%s/%s", files->folder, names[i]), &length,
				       sums->arena, &err);

		if (!text)
			return false;
		add_text(sums, text);
		has_own = has_own || has_name_prefix(names[i], own);
	}
	return has_own;
}

static void fill_items(struct counts *counts, const struct sums *sums)
{
	counts->count = sums->database->count;
	counts->items = arena_array(sums->arena, counts->count + 1, sizeof(*counts->items));
	for (size_t i = 0; i < counts->count; i++) {
		bool is_there = !isnan(sums->numbers[i]);

		counts->items[i] = (struct count){
			.event = sums->database->rows[i].name,
			.value = sums->numbers[i],
			.raw = is_there ? (uint64_t)sums->numbers[i] : 0,
			.state = is_there ? COUNT_OK : COUNT_REFUSED,
			.reason = is_there ? NULL : "the simulator does not count it",
		};
	}
}

static int compare_lines(const void *first, const void *second)
{
	const struct source_line *a = first, *b = second;
	int order = compare_texts(a->object, b->object);

	if (!order)
		order = compare_texts(a->file, b->file);
	if (!order)
		order = (a->line > b->line) - (a->line < b->line);
	return order ? order : compare_texts(a->function, b->function);
}

static int compare_counts(const void *first, const void *second)
{
	const struct source_count *a = first, *b = second;

	return (a->item > b->item) - (a->item < b->item);
}

/* In an order that does not depend on the processes' numbers. */
static void sort_lines(struct sums *sums)
{
	for (size_t i = 0; i < sums->nlines; i++)
		if (sums->lines[i].count)
			qsort(sums->lines[i].counts, sums->lines[i].count, sizeof(struct source_count), compare_counts);
	if (sums->nlines)
		qsort(sums->lines, sums->nlines, sizeof(*sums->lines), compare_lines);
}

bool simulated_counts_read(struct counts *counts, const struct simulated_files *files,
			   const struct event_database *database, struct arena *arena)
{
	struct sums sums = { .database = database, .arena = arena, .seen = TABLE_INIT(arena) };

	sums.numbers = arena_array(arena, database->count + 1, sizeof(*sums.numbers));
	for (size_t i = 0; i < database->count; i++)
		sums.numbers[i] = NAN;
	if (!read_files(&sums, files))
		return false;
	fill_items(counts, &sums);
	sort_lines(&sums);
	counts->has_lines = files->has_lines;
	counts->lines = sums.lines;
	counts->nlines = sums.nlines;
	return true;
}
