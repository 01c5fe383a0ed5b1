/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * firefox.c - the processed profile format of https://profiler.firefox.com, version 58 (firefox-devtools/profiler:
 * src/types/profile.ts, docs-developer/CHANGELOG-formats.md), which later versions upgrade. Each task is a thread, each
 * row of the chosen weighing a sample; samples have no times of their own, so they stand one behind the other.
 */
#include "present/export/forms.h"

#include <string.h>

#include "common/base/cells.h"
#include "present/document/data.h"
#include "present/export/frames.h"
#include "present/export/texts.h"

#define FORMAT_VERSION	58
#define GECKO_VERSION	31 /* of which version 58 is the processed form */
#define RESOURCE_IS_LIB 1  /* src/profile-logic/data-structures.ts */
#define NS_PER_MS	1e6

enum category { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL, CATEGORIES };

/* A growing column. */
struct gathered {
	int64_t *items; /* -1: null, in columns that may have it */
	size_t count, room;
};

enum columns {
	STACK_FRAME,
	STACK_PREFIX,
	FRAME_ADDRESS,
	FRAME_DEPTH,
	FRAME_CATEGORY,
	FRAME_FUNCTION,
	FRAME_LINE,
	FUNCTION_NAME,
	FUNCTION_RESOURCE,
	FUNCTION_SOURCE,
	RESOURCE_LIB,
	RESOURCE_NAME,
	SAMPLE_STACK,
	COLUMNS
};

struct writing {
	const struct export_subject *subject;
	const struct weighing *weighing;
	struct export_frames frames;
	struct texts texts, sources;
	struct arena *arena;
	struct json_writer *out;
	/* of the thread that is made */
	struct gathered columns[COLUMNS];
	uint32_t stamp;					  /* its number + 1 */
	uint32_t *stack_stamps, *stack_numbers;		  /* of the profile's stacks: the innermost one of its place */
	uint32_t *place_stamps, *place_numbers;		  /* of places: the first of its frames */
	uint32_t *function_stamps, *function_numbers;	  /* of functions */
	uint32_t *module_stamps, *module_numbers, *chain; /* of modules; room for the deepest stack */
};

static size_t firefox_push(struct writing *writing, enum columns number, int64_t value)
{
	struct gathered *column = &writing->columns[number];

	column->items = arena_grow(writing->arena, column->items, column->count, &column->room, sizeof(*column->items));
	column->items[column->count] = value;
	return column->count++;
}

/* ---- tables of a thread ---- */

static uint32_t resource_of(struct writing *writing, uint32_t module, const char *name)
{
	if (writing->module_stamps[module] != writing->stamp) {
		writing->module_stamps[module] = writing->stamp;
		writing->module_numbers[module] = (uint32_t)firefox_push(writing, RESOURCE_LIB, module);
		firefox_push(writing, RESOURCE_NAME, texts_number(&writing->texts, *name ? name : "[unknown]"));
	}
	return writing->module_numbers[module];
}

static uint32_t function_of(struct writing *writing, uint32_t function)
{
	const struct export_function *item = &writing->frames.items[function];

	if (writing->function_stamps[function] != writing->stamp) {
		writing->function_stamps[function] = writing->stamp;
		writing->function_numbers[function] =
			(uint32_t)firefox_push(writing, FUNCTION_NAME, texts_number(&writing->texts, item->name));
		firefox_push(writing, FUNCTION_RESOURCE, resource_of(writing, item->number, item->module));
		firefox_push(writing, FUNCTION_SOURCE,
			     item->file ? (int64_t)texts_number(&writing->sources, item->file) : -1);
	}
	return writing->function_numbers[function];
}

static enum category category_of(const struct profile *profile, uint32_t place)
{
	switch (profile->modules[profile->places[place].module].kind) {
	case MODULE_KERNEL:
	case MODULE_DRIVER: return CATEGORY_KERNEL;
	case MODULE_UNKNOWN: return CATEGORY_OTHER;
	default: return CATEGORY_USER;
	}
}

static uint32_t frames_of(struct writing *writing, uint32_t place)
{
	const struct export_frames *frames = &writing->frames;

	if (writing->place_stamps[place] == writing->stamp)
		return writing->place_numbers[place];
	writing->place_stamps[place] = writing->stamp;
	writing->place_numbers[place] = (uint32_t)writing->columns[FRAME_LINE].count;
	for (uint32_t i = frames->first[place]; i < frames->first[place + 1]; i++) {
		uint64_t address = writing->subject->profile->places[place].address;

		firefox_push(writing, FRAME_FUNCTION, function_of(writing, frames->frames[i].function));
		firefox_push(writing, FRAME_ADDRESS, address > INT64_MAX ? -1 : (int64_t)address);
		firefox_push(writing, FRAME_DEPTH, i - frames->first[place]);
		firefox_push(writing, FRAME_CATEGORY, category_of(writing->subject->profile, place));
		firefox_push(writing, FRAME_LINE, frames->frames[i].line ? (int64_t)frames->frames[i].line : -1);
	}
	return writing->place_numbers[place];
}

static int64_t add_stack(struct writing *writing, uint32_t stack)
{
	const struct profile *profile = writing->subject->profile;
	int64_t number = -1;
	uint32_t count = 0;

	for (; stack != PROFILE_NONE && writing->stack_stamps[stack] != writing->stamp && count < profile->nstacks;
	     stack = profile->stacks[stack].caller)
		writing->chain[count++] = stack;
	if (stack != PROFILE_NONE)
		number = writing->stack_numbers[stack];
	while (count--) {
		uint32_t here = writing->chain[count], place = profile->stacks[here].place;
		uint32_t frame = frames_of(writing, place);

		for (uint32_t i = writing->frames.first[place]; i < writing->frames.first[place + 1]; i++) {
			firefox_push(writing, STACK_PREFIX, number);
			number = (int64_t)firefox_push(writing, STACK_FRAME, frame++);
		}
		writing->stack_stamps[here] = writing->stamp;
		writing->stack_numbers[here] = (uint32_t)number;
	}
	return number;
}

/* ---- writing ---- */

/* What a column of a table has: what was gathered, with null for what is below 0 in some; or the same in each row. */
enum content { GATHERED, GATHERED_OR_NULL, ALWAYS_NULL, ALWAYS_FALSE, ALWAYS_ZERO, ALWAYS_LIBRARY };

struct table_column {
	const char *key;
	enum content content;
	enum columns number; /* of what was gathered */
};

struct thread_table {
	const char *key;
	enum columns length_of;
	const struct table_column *columns; /* up to one without a key */
};

static const struct thread_table tables[] = {
	{ "stackTable", STACK_FRAME,
	  (const struct table_column[]){
		  { "frame", GATHERED, STACK_FRAME }, { "prefix", GATHERED_OR_NULL, STACK_PREFIX }, { .key = NULL } } },
	{ "frameTable", FRAME_LINE,
	  (const struct table_column[]){ { "address", GATHERED, FRAME_ADDRESS },
					 { "inlineDepth", GATHERED, FRAME_DEPTH },
					 { "category", GATHERED, FRAME_CATEGORY },
					 { "subcategory", .content = ALWAYS_ZERO },
					 { "func", GATHERED, FRAME_FUNCTION },
					 { "nativeSymbol", .content = ALWAYS_NULL }, /* native code has none */
					 { "innerWindowID", .content = ALWAYS_ZERO },
					 { "line", GATHERED_OR_NULL, FRAME_LINE },
					 { "column", .content = ALWAYS_NULL },
					 { .key = NULL } } },
	{ "funcTable", FUNCTION_NAME,
	  (const struct table_column[]){ { "name", GATHERED, FUNCTION_NAME },
					 { "isJS", .content = ALWAYS_FALSE },
					 { "relevantForJS", .content = ALWAYS_FALSE },
					 { "resource", GATHERED, FUNCTION_RESOURCE },
					 { "source", GATHERED_OR_NULL, FUNCTION_SOURCE },
					 { "lineNumber", .content = ALWAYS_NULL },
					 { "columnNumber", .content = ALWAYS_NULL },
					 { .key = NULL } } },
	{ "resourceTable", RESOURCE_LIB,
	  (const struct table_column[]){ { "lib", GATHERED, RESOURCE_LIB },
					 { "name", GATHERED, RESOURCE_NAME },
					 { "host", .content = ALWAYS_NULL },
					 { "type", .content = ALWAYS_LIBRARY },
					 { .key = NULL } } },
};

/* Tables that the format wants, and of which a profile has no rows. */
static const struct {
	const char *key;
	const char *const *columns;
} empty_tables[] = {
	{ "nativeSymbols", (const char *const[]){ "libIndex", "address", "name", "functionSize", NULL } },
	{ "markers", (const char *const[]){ "data", "name", "startTime", "endTime", "phase", "category", NULL } },
};

static struct cell content_cell(enum content content, int64_t gathered)
{
	switch (content) {
	case GATHERED: return whole_cell((size_t)gathered);
	case GATHERED_OR_NULL: return cell_if(gathered >= 0, whole_cell((size_t)gathered));
	case ALWAYS_NULL: break;
	case ALWAYS_FALSE: return truth_cell(false);
	case ALWAYS_ZERO: return whole_cell(0);
	case ALWAYS_LIBRARY: return whole_cell(RESOURCE_IS_LIB);
	}
	return text_cell(NULL);
}

/* Of many numbers each is written by itself: as a list of cells they would take much more memory. */
static void write_column(struct writing *writing, const struct table_column *column, size_t length)
{
	const int64_t *items = column->content <= GATHERED_OR_NULL ? writing->columns[column->number].items : NULL;

	json_write_array(writing->out, column->key);
	for (size_t i = 0; i < length; i++)
		json_members(writing->out, MEMBERS({ NULL, content_cell(column->content, items ? items[i] : 0) }));
	json_write_end(writing->out);
}

static void begin_table(struct writing *writing, const char *key, size_t length)
{
	json_write_object(writing->out, key);
	json_members(writing->out, MEMBERS({ "length", whole_cell(length) }));
}

static void write_tables(struct writing *writing)
{
	for (size_t i = 0; i < COUNT_OF(tables); i++) {
		size_t length = writing->columns[tables[i].length_of].count;

		begin_table(writing, tables[i].key, length);
		for (const struct table_column *column = tables[i].columns; column->key; column++)
			write_column(writing, column, length);
		json_write_end(writing->out);
	}
	for (size_t i = 0; i < COUNT_OF(empty_tables); i++) {
		begin_table(writing, empty_tables[i].key, 0);
		for (const char *const *key = empty_tables[i].columns; *key; key++)
			json_members(writing->out, MEMBERS({ *key, list_cell(NULL, 0) }));
		json_write_end(writing->out);
	}
}

/* Rows of a task hang in a list: heads of tasks (and one for rows without), next of rows. */
struct row_lists {
	uint32_t *heads, *next;
};

/* The times of the samples, or their weights. */
static void write_numbers(struct writing *writing, const struct row_lists *lists, uint32_t task, bool are_times)
{
	const bool is_timed = is_time(writing->weighing);
	double time = 0;

	json_write_array(writing->out, are_times ? "time" : "weight");
	for (uint32_t row = lists->heads[task]; row != PROFILE_NONE; row = lists->next[row]) {
		double weight = writing->weighing->weights[row] / (is_timed ? NS_PER_MS : 1);

		json_write_number(writing->out, NULL, are_times ? time : weight);
		time += is_timed ? weight : 1;
	}
	json_write_end(writing->out);
}

static void write_samples(struct writing *writing, const struct row_lists *lists, uint32_t task)
{
	const struct table_column stacks = { "stack", GATHERED_OR_NULL, SAMPLE_STACK };
	const bool is_timed = is_time(writing->weighing);

	begin_table(writing, "samples", writing->columns[SAMPLE_STACK].count);
	write_column(writing, &stacks, writing->columns[SAMPLE_STACK].count);
	write_numbers(writing, lists, task, true);
	write_numbers(writing, lists, task, false);
	json_members(writing->out, MEMBERS({ "weightType", text_cell(is_timed ? "tracing-ms" : "samples") }));
	json_write_end(writing->out);
}

static void write_thread(struct writing *writing, const struct row_lists *lists, uint32_t task)
{
	const struct profile *profile = writing->subject->profile;
	const struct profile_task unknown = { .name = NULL };
	const struct profile_task *known = task < profile->ntasks ? &profile->tasks[task] : &unknown;
	const char *name = known->name ? known->name : "unknown";
	const char *program = known->program ? last_part(known->program) : name;

	memset(writing->columns, 0, sizeof(writing->columns));
	writing->stamp = task + 1;
	for (uint32_t row = lists->heads[task]; row != PROFILE_NONE; row = lists->next[row])
		firefox_push(writing, SAMPLE_STACK, add_stack(writing, profile->rows[row].stack));
	json_write_object(writing->out, NULL);
	json_members(writing->out,
		     MEMBERS({ "processType", text_cell("default") },
			     { "processName", text_cell(cells_safe(writing->arena, program, true)) },
			     { "processStartupTime", whole_cell(0) }, { "processShutdownTime", text_cell(NULL) },
			     { "registerTime", whole_cell(0) }, { "unregisterTime", text_cell(NULL) },
			     { "pausedRanges", list_cell(NULL, 0) },
			     { "name", text_cell(cells_safe(writing->arena, name, true)) },
			     { "isMainThread", truth_cell(known->pid == known->tid) },
			     { "pid", text_cell(arena_printf(writing->arena, "%u", known->pid)) },
			     { "tid", whole_cell(known->tid) }));
	write_samples(writing, lists, task);
	write_tables(writing);
	json_write_end(writing->out);
}

static struct cell libs_cell(const struct writing *writing)
{
	const struct profile *profile = writing->subject->profile;
	struct grid *grid = grid_new(writing->arena, NULL, 0);

	for (uint32_t i = 0; i < profile->nmodules; i++) {
		const struct profile_module *module = &profile->modules[i];
		const struct cell path = text_cell(
					  cells_safe(writing->arena, module->path ? module->path : "[unknown]", true)),
				  name = text_cell(last_part(path.text));

		grid_members(grid, writing->arena,
			     MEMBERS({ "arch", text_cell("") }, { "name", name }, { "path", path },
				     { "debugName", name }, { "debugPath", path }, { "breakpadId", text_cell("") },
				     { "codeId", text_cell(module->build_id) }));
	}
	return rows_cell(grid);
}

static struct cell categories_cell(struct arena *arena)
{
	static const struct {
		const char *name, *color;
	} categories[CATEGORIES] = { [CATEGORY_OTHER] = { "Other", "grey" },
				     [CATEGORY_USER] = { "User", "yellow" },
				     [CATEGORY_KERNEL] = { "Kernel", "orange" } };
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < CATEGORIES; i++)
		grid_members(grid, arena,
			     MEMBERS({ "name", text_cell(categories[i].name) },
				     { "color", text_cell(categories[i].color) },
				     { "subcategories", parts_cell("Other") }));
	return rows_cell(grid);
}

static void write_head(struct writing *writing)
{
	const char *command = writing->subject->command;
	const char *product = arena_printf(writing->arena, "%s of %s", writing->weighing->title,
					   command ? cells_safe(writing->arena, command, true) : "a program");

	json_members(writing->out,
		     MEMBERS({ "meta",
			       object_cell(writing->arena,
					   MEMBERS({ "interval", whole_cell(1) }, { "startTime", whole_cell(0) },
						   { "processType", whole_cell(0) }, { "product", text_cell(product) },
						   { "importedFrom", text_cell("topdown " TOPDOWN_VERSION) },
						   { "stackwalk", whole_cell(1) }, { "debug", truth_cell(false) },
						   { "version", whole_cell(GECKO_VERSION) },
						   { "preprocessedProfileVersion", whole_cell(FORMAT_VERSION) },
						   { "symbolicated", truth_cell(true) },
						   { "usesOnlyOneStackType", truth_cell(true) },
						   { "sourceCodeIsNotOnSearchfox", truth_cell(true) },
						   { "markerSchema", list_cell(NULL, 0) },
						   { "categories", categories_cell(writing->arena) })) },
			     { "libs", libs_cell(writing) }));
}

/* Behind all threads, which brought the texts. */
static void write_shared(struct writing *writing)
{
	const size_t count = writing->sources.count;
	struct cell *uuids = arena_array(writing->arena, count, sizeof(*uuids)),
		    *names = arena_array(writing->arena, count, sizeof(*names));

	for (uint32_t i = 0; i < count; i++)
		names[i] = whole_cell(texts_number(&writing->texts, writing->sources.items[i]));
	json_members(
		writing->out,
		MEMBERS({ "shared",
			  object_cell(writing->arena,
				      MEMBERS({ "stringArray", texts_cell(writing->arena, writing->texts.items,
									  writing->texts.count) },
					      { "sources",
						object_cell(writing->arena,
							    MEMBERS({ "length", whole_cell(count) },
								    { "uuid", list_cell(uuids, count) },
								    { "filename", list_cell(names, count) })) })) }));
}

static void list_rows(struct row_lists *lists, const struct writing *writing)
{
	const struct profile *profile = writing->subject->profile;

	lists->heads = arena_array(writing->arena, (size_t)profile->ntasks + 1, sizeof(*lists->heads));
	lists->next = arena_array(writing->arena, (size_t)profile->nrows + 1, sizeof(*lists->next));
	for (uint32_t i = 0; i <= profile->ntasks; i++)
		lists->heads[i] = PROFILE_NONE;
	for (uint32_t i = profile->nrows; i-- > 0;) {
		uint32_t task = profile->rows[i].task < profile->ntasks ? profile->rows[i].task : profile->ntasks;

		if (!(writing->weighing->weights[i] > 0))
			continue;
		lists->next[i] = lists->heads[task];
		lists->heads[task] = i;
	}
}

static void prepare(struct writing *writing, const struct profile *profile)
{
	struct {
		uint32_t **array;
		size_t count;
	} arrays[] = {
		{ &writing->stack_stamps, profile->nstacks },
		{ &writing->stack_numbers, profile->nstacks },
		{ &writing->place_stamps, profile->nplaces },
		{ &writing->place_numbers, profile->nplaces },
		{ &writing->function_stamps, writing->frames.count },
		{ &writing->function_numbers, writing->frames.count },
		{ &writing->module_stamps, profile->nmodules },
		{ &writing->module_numbers, profile->nmodules },
		{ &writing->chain, profile->nstacks },
	};

	for (size_t i = 0; i < COUNT_OF(arrays); i++)
		*arrays[i].array = arena_array(writing->arena, arrays[i].count + 1, sizeof(uint32_t));
}

int firefox_write(FILE *out, const struct export_subject *subject, struct arena *arena, struct error *err)
{
	struct writing writing = { .subject = subject,
				   .weighing = &subject->weighings->items[subject->chosen],
				   .texts = TEXTS_INIT(arena),
				   .sources = TEXTS_INIT(arena),
				   .arena = arena,
				   .out = json_writer_new() };
	struct row_lists lists;

	frames_init(&writing.frames, subject->profile, arena);
	prepare(&writing, subject->profile);
	list_rows(&lists, &writing);
	json_writer_on_one_line(writing.out);
	write_head(&writing);
	json_write_array(writing.out, "threads");
	for (uint32_t i = 0; i <= subject->profile->ntasks; i++)
		if (lists.heads[i] != PROFILE_NONE)
			write_thread(&writing, &lists, i);
	json_write_end(writing.out);
	write_shared(&writing);
	return json_writer_finish(writing.out, out, err);
}
