/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/simulate/simulated_counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collect/simulate/simulated_places.h"
#include "common/base/text.h"
#include "common/system/file.h"
#include "simulator/wire.h"

/* What a thread counted: its numbers, by event. */
struct thread_counts {
	size_t process;		   /* among the files */
	const char *number, *name; /* "2", "sort" */
	bool is_region;		   /* of any process; name NULL: outside all */
	double *numbers;
};

/* The sums so far. */
struct sums {
	const struct event_database *database;
	struct arena *arena;
	bool *is_scaled;   /* by event: a count of windows, which the file has as if all had been modelled */
	double *numbers;   /* by event, in the order of the database; NAN: not there */
	struct table seen; /* the lines that say where, to the numbers of source lines */
	struct source_line *lines;
	size_t *capacities; /* of each line's counts */
	size_t nlines, capacity, capacities_capacity;
	struct thread_counts *threads;
	size_t nthreads, threads_capacity;
	size_t process;			   /* whose file is read */
	double weight;			   /* of the modelled counts in it, */
	bool is_sampled;		   /* which windows made, */
	double width;			   /* and slots in a cycle */
	struct simulated_strata strata;	   /* of all files */
	double *factors[SIMULATED_STRATA]; /* by event, of counts that windows made; NULL: no file is of this one */
	size_t stratum;			   /* of the file */
	size_t slots, cycles;		   /* the events of all slots and cycles; TABLE_NONE: there is none */
	size_t nprocesses, expected;	   /* found, and by their own words started */
	size_t unfinished;		   /* programs that were begun by exec, and left nothing */
	struct simulated_effects effects;
	struct native_program *natives;
	size_t nnatives, natives_capacity;
	struct simulated_places places;
	bool has_unbegun; /* a region's end */
	struct simulated_calls calls;
	struct native_program next; /* what the file says its process becomes natively, if the exec succeeds */
};

/* ---- by source line ---- */

/* "LINE<tab>FUNCTION<tab>FILE<tab>OBJECT" */
static struct source_line make_line(struct sums *sums, const char *text)
{
	char *cursor = arena_strdup(sums->arena, text);
	const char *number = simulated_field(&cursor);
	struct source_line line = { .function = simulated_field(&cursor) };
	uint64_t value;

	line.file = simulated_field(&cursor);
	line.object = simulated_places_file(&sums->places, simulated_field(&cursor));
	line.line = number && text_u64(number, &value) ? (size_t)value : 0;
	return line;
}

/* The source line, which another process may have had before. */
static size_t find_line(struct sums *sums, const char *text)
{
	size_t number = table_get(&sums->seen, text);

	if (number != TABLE_NONE)
		return number;
	number = sums->nlines;
	sums->lines = arena_grow(sums->arena, sums->lines, number, &sums->capacity, sizeof(*sums->lines));
	sums->capacities = arena_grow(sums->arena, sums->capacities, number, &sums->capacities_capacity,
				      sizeof(*sums->capacities));
	sums->lines[number] = make_line(sums, text);
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
		numbers[i] = NOT_COUNTED;
	return numbers;
}

/* Regions of one name are one. NULL: it is new. */
static struct thread_counts *find_region(const struct sums *sums, const char *name)
{
	for (size_t i = 0; i < sums->nthreads; i++)
		if (sums->threads[i].is_region && !compare_texts(sums->threads[i].name, name))
			return &sums->threads[i];
	return NULL;
}

/* NULL: it is new. */
static struct thread_counts *find_thread(const struct sums *sums, const char *number)
{
	for (size_t i = sums->nthreads; i-- > 0 && sums->threads[i].process == sums->process;)
		if (!compare_texts(sums->threads[i].number, number))
			return &sums->threads[i];
	return NULL;
}

/* Numbers of its own for what follows; a file that continues another one has more of the same threads. */
static double *add_thread(struct sums *sums, char *text, bool is_region)
{
	const char *number = simulated_field(&text), *name = simulated_field(&text);
	struct thread_counts *thread = is_region ? find_region(sums, name) : find_thread(sums, number);

	if (thread) {
		thread->name = name ? name : thread->name;
		return thread->numbers;
	}
	sums->threads =
		arena_grow(sums->arena, sums->threads, sums->nthreads, &sums->threads_capacity, sizeof(*sums->threads));
	thread = &sums->threads[sums->nthreads++];
	*thread = (struct thread_counts){ .process = sums->process,
					  .number = number,
					  .name = name,
					  .is_region = is_region,
					  .numbers = make_numbers(sums) };
	return thread->numbers;
}

/* ---- what another run would repeat ---- */

/* "NAME<tab>WHAT"; of a call without a name WHAT is its number. */
static void add_effect(struct sums *sums, char *text)
{
	char *cursor = arena_strdup(sums->arena, text);
	const char *name = simulated_field(&cursor), *what = simulated_field(&cursor);
	uint64_t number;

	if (name && !strcmp(name, WIRE_EFFECT_LISTENED)) {
		sums->effects.has_listened = true;
	} else if (name && !strcmp(name, WIRE_EFFECT_STOPPED)) {
		if (what && text_u64(what, &number))
			sums->effects.stop_signal = (int)number;
	} else if (!sums->effects.call) {
		sums->effects.call = name ? name : "";
		sums->effects.what = what;
	}
}

/* ---- programs that run natively ---- */

/* "OBSTACLE<tab>PATH" */
static void read_native(struct sums *sums, char *text)
{
	const char *number = simulated_field(&text);
	uint64_t obstacle;

	if (number && text_u64(number, &obstacle) && obstacle > WIRE_NO_OBSTACLE && obstacle < WIRE_OBSTACLES)
		sums->next = (struct native_program){ simulated_field(&text), (enum wire_obstacle)obstacle };
}

/* The exec that was announced has succeeded. */
static void add_native(struct sums *sums)
{
	for (size_t i = 0; i < sums->nnatives && sums->next.path; i++)
		if (!strcmp(sums->natives[i].path, sums->next.path))
			sums->next.path = NULL;
	if (sums->next.path) {
		sums->natives = arena_grow(sums->arena, sums->natives, sums->nnatives, &sums->natives_capacity,
					   sizeof(*sums->natives));
		sums->natives[sums->nnatives++] = sums->next;
	}
	sums->next.path = NULL;
}

/* ---- all of it ---- */

/* Where a count goes. */
struct goal {
	double *numbers; /* by event; NULL: to a source line, and a row of the profile */
	size_t line;
	struct profile_row *row; /* NULL: none, or nothing wants it */
	bool is_thread;		 /* a thread's, which stands for itself */
};

static bool *find_scaled(const struct event_database *database, struct arena *arena)
{
	bool *is_scaled = arena_array(arena, database->count + 1, sizeof(*is_scaled));

	for (enum wire_count i = 0; i < WIRE_COUNT; i++) {
		const struct event_row *row = event_database_find(database, wire_row(i)->name);

		if (row)
			is_scaled[row - database->rows] = wire_row(i)->kind == WIRE_SCALED;
	}
	return is_scaled;
}

/* What a cause has more or less of the slots than windows say; all slots and cycles have it too. */
static void add_difference(const struct sums *sums, const struct goal *goal, double difference)
{
	if (!(fabs(difference) > 0) || sums->slots == TABLE_NONE || sums->cycles == TABLE_NONE)
		return;
	goal->numbers[sums->slots] += difference;
	goal->numbers[sums->cycles] += difference / sums->width;
}

/* "name value"; the simulator's own counts are not in the database. */
static void add_count(struct sums *sums, const struct goal *goal, char *text)
{
	char *blank = strchr(text, ' ');
	const struct event_row *row;
	uint64_t number;
	double value, counted;
	size_t item;

	if (!blank)
		return;
	*blank = '\0';
	row = event_database_find(sums->database, text);
	if (!row || !text_u64(blank + 1, &number))
		return;
	item = (size_t)(row - sums->database->rows);
	counted = (double)number * (sums->is_scaled[item] && !goal->is_thread ? sums->weight : 1);
	value = sums->is_sampled ? counted * sums->factors[sums->stratum][item] : counted;
	if (goal->numbers) {
		goal->numbers[item] = (isnan(goal->numbers[item]) ? 0 : goal->numbers[item]) + value;
		add_difference(sums, goal, value - counted);
	} else if (goal->row) {
		add_to_line(sums, goal->line, item, value);
		simulated_row_add(goal->row, item, value, sums->arena);
	}
}

/* Where what follows belongs. */
static struct goal row_goal(struct sums *sums, char *text)
{
	struct simulated_place *place;
	struct profile_row *row = simulated_places_row(&sums->places, &place, text);

	if (!row)
		return (struct goal){ .row = NULL };
	if (!place->source)
		place->source = find_line(sums, place->line) + 1;
	return (struct goal){ .row = row, .line = place->source - 1 };
}

static void add_text(struct sums *sums, char *text)
{
	struct goal goal = { .numbers = sums->numbers };
	char *rest;

	for (char *row = strtok_r(text, "\n", &rest); row; row = strtok_r(NULL, "\n", &rest))
		if (*row == WIRE_ROW_MARK)
			goal = row_goal(sums, row + 1);
		else if (*row == WIRE_PLACE_MARK)
			simulated_places_add_place(&sums->places, row + 1);
		else if (*row == WIRE_STACK_MARK)
			simulated_places_add_stack(&sums->places, row + 1);
		else if (*row == WIRE_TASK_MARK)
			simulated_places_add_task(&sums->places, row + 1);
		else if (*row == WIRE_THREAD_MARK || *row == WIRE_REGION_MARK)
			goal = (struct goal){ .numbers = add_thread(sums, row + 1, *row == WIRE_REGION_MARK),
					      .is_thread = true };
		else if (*row == WIRE_PAIR_MARK)
			simulated_places_add_pair(&sums->places, row + 1);
		else if (*row == WIRE_CALL_MARK)
			simulated_calls_add(&sums->calls, row + 1);
		else if (*row == WIRE_EFFECT_MARK)
			add_effect(sums, row + 1);
		else if (*row == WIRE_NATIVE_MARK)
			read_native(sums, row + 1);
		else
			add_count(sums, &goal, row);
}

/* A process begins with this file, unless it is of the program that the one before has become. */
static void add_process(struct sums *sums, const struct counts_file *file, const struct counts_file *before)
{
	bool is_same = before && before->pid == file->pid;

	if (is_same && before->is_replaced)
		sums->next.path = NULL;
	if (is_same && (before->has_exec || before->is_replaced || before->is_continued))
		return;
	add_native(sums);
	sums->nprocesses++;
	sums->unfinished += before && (before->has_exec || before->is_continued);
}

static size_t item_of(const struct sums *sums, enum wire_count count)
{
	const struct event_row *row = event_database_find(sums->database, wire_row(count)->name);

	return row ? (size_t)(row - sums->database->rows) : TABLE_NONE;
}

static double *find_factors(const struct sums *sums, size_t stratum)
{
	double *factors = arena_array(sums->arena, sums->database->count + 1, sizeof(*factors));

	for (size_t i = 0; i < sums->database->count; i++)
		factors[i] = 1;
	for (enum wire_count i = 0; i < WIRE_COUNT; i++)
		if (item_of(sums, i) != TABLE_NONE)
			factors[item_of(sums, i)] = simulated_strata_factor(&sums->strata, stratum, i);
	return factors;
}

static void add_unseen(struct sums *sums, size_t stratum)
{
	const struct goal goal = { .numbers = sums->numbers };

	for (enum wire_count i = 0; i < WIRE_COUNT; i++) {
		double lost = simulated_strata_unseen(&sums->strata, stratum, i);

		if (item_of(sums, i) != TABLE_NONE && lost > 0) {
			sums->numbers[item_of(sums, i)] += lost;
			add_difference(sums, &goal, lost);
		}
	}
}

/* Windows of several strata together. */
static void pool_windows(struct sums *sums)
{
	for (enum wire_count i = WIRE_SAMPLE_WINDOWS; i <= WIRE_SAMPLE_BACKEND_SLOTS; i++)
		if (item_of(sums, i) != TABLE_NONE)
			sums->numbers[item_of(sums, i)] = simulated_strata_sum(&sums->strata, i);
}

/* When all files were read. */
static void finish_strata(struct sums *sums)
{
	bool has_bursts = false;

	for (size_t i = 0; i < SIMULATED_STRATA; i++) {
		if (sums->factors[i])
			add_unseen(sums, i);
		has_bursts |= i > 0 && sums->factors[i];
	}
	if (has_bursts)
		pool_windows(sums);
}

static void begin_file(struct sums *sums, const char *text)
{
	sums->stratum = simulated_strata_find(text);
	if (!sums->factors[sums->stratum])
		sums->factors[sums->stratum] = find_factors(sums, sums->stratum);
	sums->weight = simulated_strata_weight(&sums->strata, text);
	sums->is_sampled = simulated_is_sampled(text);
	sums->width = round(simulated_number(text, WIRE_SLOTS_ALL) / fmax(simulated_number(text, WIRE_CYCLES), 1));
}

static enum simulated_end read_files(struct sums *sums, const struct simulated_files *files)
{
	size_t count = 0;
	struct counts_file *sorted, *before = NULL;
	enum simulated_end end = counts_files_load(&sorted, &count, files, sums->arena);

	for (size_t i = 0; i < count && end == SIMULATED_WHOLE; i++)
		if (sorted[i].text)
			simulated_strata_add(&sums->strata, sorted[i].text);
	simulated_strata_join(&sums->strata);
	sums->slots = item_of(sums, WIRE_SLOTS_ALL);
	sums->cycles = item_of(sums, WIRE_CYCLES);
	for (size_t i = 0; i < count && end == SIMULATED_WHOLE; i++) {
		char *text = sorted[i].text;

		if (!text)
			continue;
		add_process(sums, &sorted[i], before);
		sums->expected += (size_t)simulated_number(text, WIRE_FORKS);
		sums->has_unbegun |= simulated_number(text, WIRE_REGIONS_UNBEGUN) > 0;
		begin_file(sums, text);
		simulated_places_begin(&sums->places, (uint32_t)sorted[i].pid);
		add_text(sums, text);
		before = &sorted[i];
		sums->process += !before->is_continued;
	}
	if (end == SIMULATED_WHOLE)
		finish_strata(sums);
	sums->unfinished += before && (before->has_exec || before->is_continued);
	add_native(sums);
	return end;
}

static void round_row(const struct sums *sums, struct profile_row *row)
{
	for (size_t i = 0; i < row->ncounts; i++)
		if (sums->is_scaled[row->counts[i].item])
			row->counts[i].value = round(row->counts[i].value);
}

/* What was extrapolated. */
static void round_all(struct sums *sums)
{
	for (size_t i = 0; i < sums->database->count; i++)
		if (sums->is_scaled[i])
			sums->numbers[i] = round(sums->numbers[i]);
	for (size_t i = 0; i < sums->nthreads; i++)
		for (size_t j = 0; j < sums->database->count; j++)
			sums->threads[i].numbers[j] = round(sums->threads[i].numbers[j]);
	for (size_t i = 0; i < sums->nlines; i++)
		for (size_t j = 0; j < sums->lines[i].count; j++) {
			struct source_count *count = &sums->lines[i].counts[j];

			if (sums->is_scaled[count->item])
				count->value = round(count->value);
		}
	for (uint32_t i = 0; i < sums->places.profile->nrows; i++)
		round_row(sums, &sums->places.profile->rows[i]);
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
			.reason = is_there ? NULL : "`topdown roofline` simulates it",
		};
	}
	return items;
}

static void fill_threads(struct simulated_threads *threads, const struct sums *sums)
{
	bool has_several = sums->process > 1;

	threads->has_unbegun = sums->has_unbegun;
	threads->count = sums->nthreads;
	threads->items = arena_array(sums->arena, sums->nthreads + 1, sizeof(*threads->items));
	for (size_t i = 0; i < sums->nthreads; i++) {
		const struct thread_counts *thread = &sums->threads[i];
		const char *label = arena_printf(sums->arena, "thread %s%s%s", thread->number, thread->name ? " " : "",
						 thread->name ? thread->name : "");

		if (thread->is_region)
			label = thread->name ? arena_printf(sums->arena, "region %s", thread->name) : OUTSIDE_REGIONS;
		else if (has_several)
			label = arena_printf(sums->arena, "process %zu, %s", thread->process + 1, label);
		threads->items[i] = (struct simulated_thread){ .label = label,
							       .is_region = thread->is_region,
							       .items = make_items(sums, thread->numbers) };
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
	struct sums sums = { .database = database,
			     .arena = arena,
			     .seen = TABLE_INIT(arena),
			     .expected = 1,
			     .calls = { .arena = arena, .seen = TABLE_INIT(arena) } };
	struct profile *profile = arena_alloc(arena, sizeof(*profile));
	enum simulated_end end;

	profile_init(profile, arena);
	simulated_places_init(&sums.places, profile, files->has_stacks ? STACK_SHADOW : STACK_NONE);
	sums.is_scaled = find_scaled(database, arena);
	sums.numbers = make_numbers(&sums);
	end = read_files(&sums, files);
	if (end != SIMULATED_WHOLE)
		return end;
	round_all(&sums);
	counts->repeats[0].count = database->count;
	counts->repeats[0].items = make_items(&sums, sums.numbers);
	simulated_calls_finish(&sums.calls, &counts->repeats[0]);
	sort_lines(&sums);
	counts->has_lines = files->has_lines;
	counts->lines = sums.lines;
	counts->nlines = sums.nlines;
	*processes = (struct simulated_processes){
		.count = sums.expected > sums.nprocesses ? sums.expected : sums.nprocesses,
		.lost = files->has_children ? sums.unfinished : 0,
		.effects = sums.effects,
		.profile = files->has_lines ? profile : NULL,
		.natives = sums.natives,
		.nnatives = sums.nnatives,
	};
	processes->lost += processes->count - sums.nprocesses;
	fill_threads(&processes->threads, &sums);
	return end;
}
