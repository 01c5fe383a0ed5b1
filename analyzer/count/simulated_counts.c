/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/simulated_counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

/* What a thread counted: its numbers, by event. */
struct share {
	size_t process;	  /* among the files */
	const char *name; /* "2<tab>sort" as the file has it */
	double *numbers;
};

/* The sums so far. */
struct sums {
	const struct event_database *database;
	struct arena *arena;
	double *numbers;   /* by event, in the order of the database; NAN: not there */
	struct table seen; /* the lines that say where, to the numbers of source lines */
	struct source_line *lines;
	size_t *capacities; /* of each line's counts */
	size_t nlines, capacity, capacities_capacity;
	struct share *shares;
	size_t nshares, shares_capacity;
	size_t process;		     /* whose file is read */
	double weight;		     /* of the modelled counts in it */
	double retired, modelled;    /* instructions of all files */
	size_t nprocesses, expected; /* found, and by their own words started */
	size_t unfinished;	     /* programs that were begun by exec, and left nothing */
	size_t refused;		     /* that Valgrind did not begin */
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

/* ---- by thread ---- */

static double *make_numbers(const struct sums *sums)
{
	double *numbers = arena_array(sums->arena, sums->database->count + 1, sizeof(*numbers));

	for (size_t i = 0; i < sums->database->count; i++)
		numbers[i] = NAN;
	return numbers;
}

/* Numbers of their own for what follows. */
static double *add_share(struct sums *sums, const char *name)
{
	struct share *share;

	sums->shares =
		arena_grow(sums->arena, sums->shares, sums->nshares, &sums->shares_capacity, sizeof(*sums->shares));
	share = &sums->shares[sums->nshares++];
	*share = (struct share){ .process = sums->process,
				 .name = arena_strdup(sums->arena, name),
				 .numbers = make_numbers(sums) };
	return share->numbers;
}

/* ---- all of it ---- */

/* Where a count goes. */
struct goal {
	double *numbers; /* by event; NULL: to a source line */
	size_t line;
	bool is_share; /* a thread's, which stands for itself */
};

/* Counts of windows, which the file has as if it had been modelled as a whole. */
static bool is_modelled(const char *event)
{
	return has_name_prefix(event, "slots.") || has_name_prefix(event, "lost.") || !strcmp(event, "core.cycles");
}

/* "name value"; what the database does not know is of another version of the tool. */
static void add_count(struct sums *sums, const struct goal *goal, char *text)
{
	char *blank = strchr(text, ' ');
	const struct event_row *row;
	uint64_t number;
	double value;
	size_t item;

	if (!blank)
		return;
	*blank = '\0';
	row = event_database_find(sums->database, text);
	if (!row || !text_u64(blank + 1, &number))
		return;
	item = (size_t)(row - sums->database->rows);
	value = (double)number * (is_modelled(text) && !goal->is_share ? sums->weight : 1);
	if (goal->numbers)
		goal->numbers[item] = (isnan(goal->numbers[item]) ? 0 : goal->numbers[item]) + value;
	else if (sums->lines)
		add_to_line(sums, goal->line, item, value);
}

static void add_text(struct sums *sums, char *text)
{
	struct goal goal = { .numbers = sums->numbers };
	char *rest;

	for (char *row = strtok_r(text, "\n", &rest); row; row = strtok_r(NULL, "\n", &rest))
		if (*row == '@')
			goal = (struct goal){ .line = find_line(sums, row + 1) };
		else if (*row == '%')
			goal = (struct goal){ .numbers = add_share(sums, row + 1), .is_share = true };
		else
			add_count(sums, &goal, row);
}

/* "123.0.counts": a process, and the how manieth program it is. */
struct counts_file {
	const char *name;
	bool is_own;   /* the program's */
	bool has_exec; /* another program took its process's place, or was to */
	uint64_t pid, number;
};

static int compare_files(const void *first, const void *second)
{
	const struct counts_file *a = first, *b = second;

	if (a->is_own != b->is_own)
		return a->is_own ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid > b->pid ? 1 : -1;
	return (a->number > b->number) - (a->number < b->number);
}

/* The program's own first, the others as they were started, as far as their numbers tell. */
static struct counts_file *sort_files(const char **names, size_t count, int own, struct arena *arena)
{
	struct counts_file *files = arena_array(arena, count + 1, sizeof(*files));

	for (size_t i = 0; i < count; i++) {
		char *rest;

		files[i].name = names[i];
		files[i].pid = strtoull(names[i], &rest, 10);
		files[i].number = *rest == '.' ? strtoull(rest + 1, NULL, 10) : 0;
		files[i].is_own = files[i].pid == (uint64_t)own;
	}
	if (count)
		qsort(files, count, sizeof(*files), compare_files);
	return files;
}

/* A number of all of the file; 0: it is not there. */
static double number_in(const char *text, const char *name)
{
	uint64_t value;
	const char *end;

	for (const char *found = text; (found = strstr(found, name)); found++)
		if ((found == text || found[-1] == '\n') && text_u64_prefix(found + strlen(name), &end, &value))
			return (double)value;
	return 0;
}

/* The last line of a file that was written to its end (sim/output.h). */
static bool is_whole(const char *text, size_t length)
{
	static const char mark[] = "end\n";

	return length >= strlen(mark) && !strcmp(text + length - strlen(mark), mark);
}

/* A process begins with this file, unless it is of the program that the one before has become. */
static void add_process(struct sums *sums, const struct counts_file *file, const struct counts_file *before)
{
	if (before && before->has_exec && before->pid == file->pid)
		return;
	sums->nprocesses++;
	sums->unfinished += before && before->has_exec;
}

/* Each file has been extrapolated by itself, as if it were all; a window stands for as much of the whole in each of them. */
static void weigh(struct sums *sums, const char *text)
{
	double retired = number_in(text, "inst.retired "), modelled = number_in(text, "inst.modelled ");

	sums->weight = retired > 0 ? modelled / retired : 1;
	sums->retired += retired;
	sums->modelled += modelled;
}

static enum simulated_end read_files(struct sums *sums, const struct simulated_files *files)
{
	struct error err = { .text = "" };
	size_t count = 0, length;
	const char **names = directory_list(files->folder, COUNTS_SUFFIX, &count, sums->arena, &err);
	struct counts_file *sorted = names ? sort_files(names, count, files->pid, sums->arena) : NULL, *before = NULL;

	if (!sorted || !count || !sorted[0].is_own)
		return SIMULATED_NONE;
	for (size_t i = 0; i < count; i++) {
		char *text = file_read(arena_printf(sums->arena, "%s/%s", files->folder, sorted[i].name), &length,
				       sums->arena, &err);

		if (!text || !is_whole(text, length)) {
			if (!i)
				return SIMULATED_CUT;
			continue;
		}
		sorted[i].has_exec = number_in(text, "core.execs ") > 0;
		add_process(sums, &sorted[i], before);
		sums->expected += (size_t)number_in(text, "core.forks ");
		sums->refused += (size_t)number_in(text, "core.execs_refused ");
		weigh(sums, text);
		add_text(sums, text);
		before = &sorted[i];
		sums->process++;
	}
	sums->unfinished += before->has_exec;
	return SIMULATED_WHOLE;
}

/* What the windows of all processes say of all that these have done. */
static void extrapolate(struct sums *sums)
{
	double factor = sums->modelled > 0 ? sums->retired / sums->modelled : 1;

	for (size_t i = 0; i < sums->database->count; i++)
		if (is_modelled(sums->database->rows[i].name))
			sums->numbers[i] = round(sums->numbers[i] * factor);
	for (size_t i = 0; i < sums->nlines; i++)
		for (size_t j = 0; j < sums->lines[i].count; j++) {
			struct source_count *count = &sums->lines[i].counts[j];

			if (is_modelled(sums->database->rows[count->item].name))
				count->value = round(count->value * factor);
		}
}

static struct count *make_items(const struct sums *sums, const double *numbers)
{
	struct count *items = arena_array(sums->arena, sums->database->count + 1, sizeof(*items));

	for (size_t i = 0; i < sums->database->count; i++) {
		bool is_there = !isnan(numbers[i]);

		items[i] = (struct count){
			.event = sums->database->rows[i].name,
			.value = numbers[i],
			.raw = is_there ? (uint64_t)numbers[i] : 0,
			.state = is_there ? COUNT_OK : COUNT_REFUSED,
			.reason = is_there ? NULL : "the simulator does not count it",
		};
	}
	return items;
}

static void fill_threads(struct simulated_threads *threads, const struct sums *sums)
{
	bool are_several = sums->process > 1;

	threads->count = sums->nshares;
	threads->items = arena_array(sums->arena, sums->nshares + 1, sizeof(*threads->items));
	for (size_t i = 0; i < sums->nshares; i++) {
		const struct share *share = &sums->shares[i];
		const char *tab = strchr(share->name, '\t');
		const char *label = arena_printf(sums->arena, "thread %.*s%s%s", (int)strcspn(share->name, "\t"),
						 share->name, tab && tab[1] ? " " : "", tab ? tab + 1 : "");

		if (are_several)
			label = arena_printf(sums->arena, "process %zu, %s", share->process + 1, label);
		threads->items[i] =
			(struct simulated_thread){ .label = label, .items = make_items(sums, share->numbers) };
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

enum simulated_end simulated_counts_read(struct counts *counts, struct simulated_processes *processes,
					 const struct simulated_files *files, const struct event_database *database,
					 struct arena *arena)
{
	struct sums sums = { .database = database, .arena = arena, .seen = TABLE_INIT(arena), .expected = 1 };
	enum simulated_end end;

	sums.numbers = make_numbers(&sums);
	end = read_files(&sums, files);
	if (end != SIMULATED_WHOLE)
		return end;
	extrapolate(&sums);
	counts->count = database->count;
	counts->items = make_items(&sums, sums.numbers);
	sort_lines(&sums);
	counts->has_lines = files->has_lines;
	counts->lines = sums.lines;
	counts->nlines = sums.nlines;
	*processes = (struct simulated_processes){
		.count = sums.expected > sums.nprocesses ? sums.expected : sums.nprocesses,
		.lost = files->has_children ? sums.unfinished : 0,
	};
	processes->lost += processes->count - sums.nprocesses + sums.refused;
	fill_threads(&processes->threads, &sums);
	return end;
}
