/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_profile.c - the profile of a session, as columns: of places, stacks and rows there are many, and each column
 * is an array of numbers. Texts that repeat, names of functions and files, stand once in "texts". One table of columns
 * for each kind of element writes and reads it, and says which numbers have to refer to something.
 */
#include "common/measurement/profile_bound.h"
#include "store/session/session_columns.h"
#include "store/session/session_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(enum module_kind) == sizeof(unsigned), "FIELD_CHOICE stores an unsigned");
static_assert(sizeof(enum stack_method) == sizeof(unsigned), "a column of choices stores an unsigned");

/* A place as it is saved: its frames are the next ones. */
struct saved_place {
	uint32_t module, nframes, loop;
	uint64_t address;
};

/* A part of a row that belongs to one item of the counts. */
struct saved_part {
	uint32_t row;
	size_t item;
	double value;
};

static const struct column frame_columns[] = {
	{ "function", COLUMN_TEXT, offsetof(struct profile_frame, function), LIST_TEXTS, false },
	{ "file", COLUMN_TEXT, offsetof(struct profile_frame, file), LIST_TEXTS, false },
	{ "line", COLUMN_U32, offsetof(struct profile_frame, line), LISTS, false },
	{ "begin", COLUMN_U64, offsetof(struct profile_frame, begin), LISTS, true },
	{ "size", COLUMN_U64, offsetof(struct profile_frame, size), LISTS, true },
};

static const struct column place_columns[] = {
	{ "module", COLUMN_INDEX, offsetof(struct saved_place, module), LIST_MODULES, false },
	{ "address", COLUMN_U64, offsetof(struct saved_place, address), LISTS, false },
	{ "frames", COLUMN_U32, offsetof(struct saved_place, nframes), LISTS, false },
	{ "loop", COLUMN_LOOP, offsetof(struct saved_place, loop), LIST_LOOPS, true },
};

static const struct column loop_columns[] = {
	{ "offset", COLUMN_U64, offsetof(struct profile_loop, offset), LISTS, false },
	{ "inlined", COLUMN_TEXT, offsetof(struct profile_loop, inlined), LIST_TEXTS, true },
	{ "file", COLUMN_TEXT, offsetof(struct profile_loop, file), LIST_TEXTS, false },
	{ "line", COLUMN_U32, offsetof(struct profile_loop, line), LISTS, false },
	{ "last_line", COLUMN_U32, offsetof(struct profile_loop, last_line), LISTS, false },
};

static const struct column stack_columns[] = {
	{ "place", COLUMN_INDEX, offsetof(struct profile_stack, place), LIST_PLACES, false },
	{ "caller", COLUMN_INDEX_OR_NONE, offsetof(struct profile_stack, caller), LIST_STACKS, false },
};

static const struct column row_columns[] = {
	{ "stack", COLUMN_INDEX, offsetof(struct profile_row, stack), LIST_STACKS, false },
	{ "task", COLUMN_INDEX, offsetof(struct profile_row, task), LIST_TASKS, false },
	{ "event", COLUMN_INDEX_OR_NONE, offsetof(struct profile_row, event), LIST_EVENTS, false },
	{ "method", COLUMN_METHOD, offsetof(struct profile_row, method), LISTS, true },
	{ "truncated", COLUMN_TRUTH, offsetof(struct profile_row, is_truncated), LISTS, true },
	{ "interval", COLUMN_U32, offsetof(struct profile_row, interval), LISTS, true },
	{ "samples", COLUMN_U64, offsetof(struct profile_row, samples), LISTS, true },
	{ "weight", COLUMN_NUMBER, offsetof(struct profile_row, weight), LISTS, true },
};

static const struct column part_columns[] = {
	{ "row", COLUMN_INDEX, offsetof(struct saved_part, row), LIST_ROWS, false },
	{ "item", COLUMN_ITEM, offsetof(struct saved_part, item), LIST_ITEMS, false },
	{ "value", COLUMN_NUMBER, offsetof(struct saved_part, value), LISTS, false },
};

static const struct column interval_columns[] = {
	{ "from_s", COLUMN_NUMBER, offsetof(struct profile_interval, from_s), LISTS, false },
	{ "to_s", COLUMN_NUMBER, offsetof(struct profile_interval, to_s), LISTS, false },
};

static const struct column moment_columns[] = {
	{ "row", COLUMN_INDEX, offsetof(struct profile_moment, row), LIST_ROWS, false },
	{ "number", COLUMN_U32, offsetof(struct profile_moment, number), LISTS, false },
	{ "weight", COLUMN_NUMBER, offsetof(struct profile_moment, weight), LISTS, false },
};

static const char *const module_kinds[] = {
	[MODULE_FILE] = "file",
	[MODULE_KERNEL] = "kernel",
	[MODULE_DRIVER] = "driver",
	[MODULE_VDSO] = "vdso",
	[MODULE_JIT] = "jit",
	[MODULE_UNKNOWN] = "unknown",
	NULL,
};

static const struct field module_fields[] = {
	{ "kind", FIELD_CHOICE, offsetof(struct profile_module, kind), module_kinds },
	{ "path", FIELD_TEXT_OR_NULL, offsetof(struct profile_module, path), NULL },
	{ "build_id", FIELD_TEXT_IF_ANY, offsetof(struct profile_module, build_id), NULL },
	{ "remark", FIELD_TEXT_IF_ANY, offsetof(struct profile_module, remark), NULL },
	{ "pid", FIELD_U32, offsetof(struct profile_module, pid), NULL },
};

static const struct field task_fields[] = {
	{ "pid", FIELD_U32, offsetof(struct profile_task, pid), NULL },
	{ "tid", FIELD_U32, offsetof(struct profile_task, tid), NULL },
	{ "name", FIELD_TEXT_OR_NULL, offsetof(struct profile_task, name), NULL },
	{ "program", FIELD_TEXT_OR_NULL, offsetof(struct profile_task, program), NULL },
};

static const struct field event_fields[] = {
	{ "event", FIELD_TEXT, offsetof(struct profile_event, event), NULL },
	{ "node", FIELD_TEXT_IF_ANY, offsetof(struct profile_event, node), NULL },
	{ "pmu", FIELD_TEXT_IF_ANY, offsetof(struct profile_event, pmu), NULL },
	{ "period", FIELD_U64, offsetof(struct profile_event, period), NULL },
	{ "frequency", FIELD_U32, offsetof(struct profile_event, frequency), NULL },
	{ "precise", FIELD_U32, offsetof(struct profile_event, precise), NULL },
	{ "wanted", FIELD_U32, offsetof(struct profile_event, wanted), NULL },
	{ "samples", FIELD_U64, offsetof(struct profile_event, samples), NULL },
	{ "lost", FIELD_U64, offsetof(struct profile_event, lost), NULL },
	{ "throttled", FIELD_U64, offsetof(struct profile_event, throttled), NULL },
	{ "weight", FIELD_NUMBER_OR_NULL, offsetof(struct profile_event, weight), NULL },
	{ "enabled_ns", FIELD_NUMBER_OR_NULL, offsetof(struct profile_event, enabled_ns), NULL },
	{ "running_ns", FIELD_NUMBER_OR_NULL, offsetof(struct profile_event, running_ns), NULL },
	{ "run", FIELD_U32, offsetof(struct profile_event, run), NULL },
};

static const struct field profile_fields[] = {
	{ "seconds", FIELD_NUMBER_OR_NULL, offsetof(struct profile, seconds), NULL },
	{ "scope", FIELD_TEXT_OR_NULL, offsetof(struct profile, scope), NULL },
	{ "method", FIELD_TEXT_OR_NULL, offsetof(struct profile, method), NULL },
	{ "moment_s", FIELD_NUMBER_IF_ANY, offsetof(struct profile, moment_s), NULL },
	{ "moments_s", FIELD_NUMBER_IF_ANY, offsetof(struct profile, moments_s), NULL },
	{ "no_loops", FIELD_TEXT_IF_ANY, offsetof(struct profile, no_loops), NULL },
};

static const struct shape module_shape = SHAPE(module_fields, struct profile_module),
			  task_shape = SHAPE(task_fields, struct profile_task),
			  event_shape = SHAPE(event_fields, struct profile_event),
			  profile_shape = SHAPE(profile_fields, struct profile);

static const struct column pair_columns[] = {
	{ "place", COLUMN_INDEX, offsetof(struct profile_pair, place), LIST_PLACES, false },
	{ "partner", COLUMN_INDEX, offsetof(struct profile_pair, partner), LIST_PLACES, false },
	{ "kind", COLUMN_U32, offsetof(struct profile_pair, kind), LISTS, false },
	{ "transfers", COLUMN_NUMBER, offsetof(struct profile_pair, transfers), LISTS, false },
};

static const struct elements frame_elements = ELEMENTS("frames", frame_columns, struct profile_frame);
static const struct elements place_elements = ELEMENTS("places", place_columns, struct saved_place);
static const struct elements loop_elements = ELEMENTS("loops", loop_columns, struct profile_loop);
static const struct elements stack_elements = ELEMENTS("stacks", stack_columns, struct profile_stack);
static const struct elements row_elements = ELEMENTS("rows", row_columns, struct profile_row);
static const struct elements moment_elements = ELEMENTS("moments", moment_columns, struct profile_moment);
static const struct elements interval_elements = ELEMENTS("intervals", interval_columns, struct profile_interval);
static const struct elements pair_elements = ELEMENTS("pairs", pair_columns, struct profile_pair);
static const struct elements part_elements = ELEMENTS("counts", part_columns, struct saved_part);

/* ---- writing ---- */

/* What a saved profile has, flattened, and its texts, each once and sorted. */
struct saving {
	const struct profile *profile;
	struct json_writer *writer;
	struct arena arena;
	struct profile_frame *frames;
	struct saved_place *places;
	struct saved_part *parts;
	size_t nframes, nparts;
	struct text_list texts;
};

static int compare_pointers(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The numbers of elements, so that they are allocated once. */
static void measure_profile(struct saving *saving)
{
	const struct profile *profile = saving->profile;

	for (uint32_t i = 0; i < profile->nplaces; i++)
		saving->nframes += profile->places[i].nframes;
	for (uint32_t i = 0; i < profile->nrows; i++)
		saving->nparts += profile->rows[i].ncounts;
	saving->frames = arena_array(&saving->arena, saving->nframes + 1, sizeof(*saving->frames));
	saving->places = arena_array(&saving->arena, profile->nplaces + 1u, sizeof(*saving->places));
	saving->parts = arena_array(&saving->arena, saving->nparts + 1, sizeof(*saving->parts));
	saving->texts.items =
		arena_array(&saving->arena, 2 * (saving->nframes + profile->nloops) + 1, sizeof(*saving->texts.items));
}

static void take_text(struct saving *saving, const char *text)
{
	if (text)
		saving->texts.items[saving->texts.count++] = text;
}

static void take_texts(struct saving *saving)
{
	size_t kept = 0;

	for (size_t i = 0; i < saving->nframes; i++) {
		take_text(saving, saving->frames[i].function);
		take_text(saving, saving->frames[i].file);
	}
	for (uint32_t i = 0; i < saving->profile->nloops; i++) {
		take_text(saving, saving->profile->loops[i].inlined);
		take_text(saving, saving->profile->loops[i].file);
	}
	if (saving->texts.count)
		qsort(saving->texts.items, saving->texts.count, sizeof(*saving->texts.items), compare_pointers);
	for (size_t i = 0; i < saving->texts.count; i++)
		if (!kept || strcmp(saving->texts.items[kept - 1], saving->texts.items[i]) != 0)
			saving->texts.items[kept++] = saving->texts.items[i];
	saving->texts.count = kept;
}

static void flatten(struct saving *saving)
{
	const struct profile *profile = saving->profile;
	struct profile_frame *frame = saving->frames;
	struct saved_part *part = saving->parts;

	for (uint32_t i = 0; i < profile->nplaces; i++) {
		const struct profile_place *place = &profile->places[i];

		saving->places[i] =
			(struct saved_place){ place->module, (uint32_t)place->nframes, place->loop, place->address };
		for (size_t k = 0; k < place->nframes; k++)
			*frame++ = place->frames[k];
	}
	for (uint32_t i = 0; i < profile->nrows; i++)
		for (size_t k = 0; k < profile->rows[i].ncounts; k++) {
			const struct source_count *count = &profile->rows[i].counts[k];

			*part++ = (struct saved_part){ i, count->item, count->value };
		}
}

void profile_write(struct json_writer *writer, const struct profile *profile)
{
	struct saving saving = { .profile = profile, .writer = writer };

	arena_init(&saving.arena);
	measure_profile(&saving);
	flatten(&saving);
	take_texts(&saving);
	json_write_object(writer, "profile");
	fields_write(writer, &profile_shape, profile);
	texts_write(writer, "remarks", profile->remarks, profile->nremarks);
	objects_write(writer, "modules", &module_shape, profile->modules, profile->nmodules);
	objects_write(writer, "tasks", &task_shape, profile->tasks, profile->ntasks);
	objects_write(writer, "events", &event_shape, profile->events, profile->nevents);
	texts_write(writer, "texts", saving.texts.items, saving.texts.count);
	elements_write(writer, &frame_elements, ARRAY_OF(saving.frames, saving.nframes), &saving.texts);
	if (profile->nloops)
		elements_write(writer, &loop_elements, ARRAY_OF(profile->loops, profile->nloops), &saving.texts);
	elements_write(writer, &place_elements, ARRAY_OF(saving.places, profile->nplaces), &saving.texts);
	elements_write(writer, &stack_elements, ARRAY_OF(profile->stacks, profile->nstacks), &saving.texts);
	elements_write(writer, &row_elements, ARRAY_OF(profile->rows, profile->nrows), &saving.texts);
	if (profile->nintervals)
		elements_write(writer, &interval_elements, ARRAY_OF(profile->intervals, profile->nintervals),
			       &saving.texts);
	if (profile->nmoments)
		elements_write(writer, &moment_elements, ARRAY_OF(profile->moments, profile->nmoments), &saving.texts);
	if (saving.nparts)
		elements_write(writer, &part_elements, ARRAY_OF(saving.parts, saving.nparts), &saving.texts);
	if (profile->npairs)
		elements_write(writer, &pair_elements, ARRAY_OF(profile->pairs, profile->npairs), &saving.texts);
	if (profile->ngroups)
		sampled_groups_write(writer, profile, &saving.arena, &saving.texts);
	json_write_end(writer);
	arena_release(&saving.arena);
}

/* ---- reading ---- */

struct reading {
	struct profile *profile;
	uint32_t nbound; /* names that were too long */
	struct column_reader columns;
};

/* What is kept as objects. */
struct object_list {
	const char *name;
	const struct shape *shape;
	enum list list;
};
static const struct object_list modules = { "profile.modules", &module_shape, LIST_MODULES },
				tasks = { "profile.tasks", &task_shape, LIST_TASKS },
				events = { "profile.events", &event_shape, LIST_EVENTS };

/* NULL and err where they are not as they must be. */
static void *read_objects(struct reading *reading, const struct object_list *of, const struct json *object,
			  struct error *err)
{
	const struct json *array = json_get(object, of->name + strlen("profile."));

	reading->columns.place.list = of->name;
	return objects_read(&reading->columns.sizes[of->list], array, of->shape, &reading->columns.place, err);
}

static void bound_texts(struct reading *reading)
{
	struct column_reader *columns = &reading->columns;

	for (size_t i = 0; columns->texts && i < columns->sizes[LIST_TEXTS]; i++) {
		const char *bound = name_bound(columns->texts[i], columns->place.arena);

		reading->nbound += bound != columns->texts[i];
		columns->texts[i] = bound;
	}
}

/* The objects, then remarks and texts. */
static int read_lists(struct reading *reading, const struct json *object, struct error *err)
{
	struct profile *profile = reading->profile;
	struct column_reader *columns = &reading->columns;

	profile->modules = read_objects(reading, &modules, object, err);
	profile->tasks = profile->modules ? read_objects(reading, &tasks, object, err) : NULL;
	profile->events = profile->tasks ? read_objects(reading, &events, object, err) : NULL;
	if (!profile->events)
		return -1;
	profile->nmodules = (uint32_t)columns->sizes[LIST_MODULES];
	profile->ntasks = (uint32_t)columns->sizes[LIST_TASKS];
	profile->nevents = (uint32_t)columns->sizes[LIST_EVENTS];
	columns->place.list = "profile.remarks";
	profile->remarks = remarks_read(&profile->nremarks, json_get(object, "remarks"), &columns->place, err);
	columns->place.list = "profile.texts";
	if (profile->remarks)
		columns->texts =
			texts_read(&columns->sizes[LIST_TEXTS], json_get(object, "texts"), &columns->place, err);
	bound_texts(reading);
	return columns->texts ? 0 : -1;
}

/* Each place takes the next frames. */
static int give_frames(struct reading *reading, const struct array_of *places, const struct array_of *frames,
		       struct error *err)
{
	struct profile *profile = reading->profile;
	const struct saved_place *saved = places->first;
	struct profile_frame *next = frames->first;
	size_t left = frames->count;

	profile->nplaces = (uint32_t)(reading->columns.sizes[LIST_PLACES] = places->count);
	profile->places = arena_array(reading->columns.place.arena, places->count, sizeof(*profile->places));
	for (size_t i = 0; i < places->count && saved[i].nframes <= left; i++) {
		profile->places[i] = (struct profile_place){ .module = saved[i].module,
							     .address = saved[i].address,
							     .loop = saved[i].loop,
							     .frames = next,
							     .nframes = saved[i].nframes };
		next += saved[i].nframes;
		left -= saved[i].nframes;
		if (i + 1 == places->count && !left)
			return 0;
	}
	return !places->count && !left ? 0
				       : error_set(err,
						   "%s: profile.places.frames: expected numbers whose sum is the "
						   "number of frames, %zu",
						   reading->columns.place.source, frames->count);
}

/* What not every profile has. */
static int read_more(struct array_of *read, struct reading *reading, const struct elements *elements,
		     const struct json *object, struct error *err)
{
	const struct json *columns = json_get(object, elements->key);

	*read = (struct array_of){ .count = 0 };
	return columns ? elements_read(read, &reading->columns, elements, columns, err) : 0;
}

static int read_places(struct reading *reading, const struct json *object, struct error *err)
{
	struct array_of frames, places, loops;

	if (read_more(&loops, reading, &loop_elements, object, err) < 0)
		return -1;
	reading->profile->loops = loops.first;
	reading->profile->nloops = (uint32_t)(reading->columns.sizes[LIST_LOOPS] = loops.count);
	if (elements_read(&frames, &reading->columns, &frame_elements, json_get(object, "frames"), err) < 0 ||
	    elements_read(&places, &reading->columns, &place_elements, json_get(object, "places"), err) < 0)
		return -1;
	return give_frames(reading, &places, &frames, err);
}

/* A caller stands before whom it calls, so that no stack calls itself. */
static int read_stacks(struct reading *reading, const struct json *object, struct error *err)
{
	struct profile *profile = reading->profile;
	const struct json *callers = json_get(json_get(object, "stacks"), "caller");
	struct array_of stacks;

	reading->columns.sizes[LIST_STACKS] = json_is_array(callers) ? json_size(callers) : 0;
	if (elements_read(&stacks, &reading->columns, &stack_elements, json_get(object, "stacks"), err) < 0)
		return -1;
	profile->stacks = stacks.first;
	profile->nstacks = (uint32_t)stacks.count;
	for (uint32_t i = 0; i < profile->nstacks; i++) {
		struct profile_stack *stack = &profile->stacks[i];

		reading->columns.place.index = i;
		if (stack->caller != PROFILE_NONE && stack->caller >= i)
			return field_error(err, &reading->columns.place, NULL, "a stack before this one, or -1",
					   json_at(callers, i));
		stack->depth = stack->caller == PROFILE_NONE ? 1 : profile->stacks[stack->caller].depth + 1;
	}
	return 0;
}

/* Parts stand in the order of their rows. */
static int give_parts(struct reading *reading, const struct array_of *read, struct error *err)
{
	struct profile *profile = reading->profile;
	const struct saved_part *parts = read->first;
	struct source_count *counts = arena_array(reading->columns.place.arena, read->count, sizeof(*counts));

	for (size_t i = 0; i < read->count; i++) {
		struct profile_row *row = &profile->rows[parts[i].row];

		if (i && parts[i].row < parts[i - 1].row)
			return error_set(err, "%s: profile.counts.row[%zu]: expected the rows in their order",
					 reading->columns.place.source, i);
		if (!row->ncounts)
			row->counts = &counts[i];
		row->ncounts++;
		counts[i] = (struct source_count){ .item = parts[i].item, .value = parts[i].value };
	}
	return 0;
}

static int give_moments(struct reading *reading, const struct array_of *read, struct error *err)
{
	struct profile *profile = reading->profile;

	profile->moments = read->first;
	profile->nmoments = (uint32_t)read->count;
	for (uint32_t i = 0; i < profile->nmoments; i++)
		if (profile->moments[i].number >= PROFILE_MOMENTS)
			return error_set(err, "%s: profile.moments.number[%u]: expected at most %d",
					 reading->columns.place.source, i, PROFILE_MOMENTS - 1);
	if (profile->nmoments && !(profile->moment_s > 0 && profile->moments_s > 0))
		return error_set(err, "%s: profile.moment_s: expected how long a moment is",
				 reading->columns.place.source);
	return 0;
}

static int read_rows(struct reading *reading, const struct json *object, struct error *err)
{
	struct profile *profile = reading->profile;
	struct array_of rows, parts, intervals, moments, pairs;

	if (elements_read(&rows, &reading->columns, &row_elements, json_get(object, "rows"), err) < 0)
		return -1;
	profile->rows = rows.first;
	profile->nrows = (uint32_t)(reading->columns.sizes[LIST_ROWS] = rows.count);
	if (read_more(&intervals, reading, &interval_elements, object, err) < 0 ||
	    read_more(&moments, reading, &moment_elements, object, err) < 0 ||
	    read_more(&pairs, reading, &pair_elements, object, err) < 0 ||
	    read_more(&parts, reading, &part_elements, object, err) < 0)
		return -1;
	profile->intervals = intervals.first;
	profile->nintervals = (uint32_t)intervals.count;
	if (give_moments(reading, &moments, err) < 0)
		return -1;
	profile->pairs = pairs.first;
	profile->npairs = (uint32_t)pairs.count;
	return give_parts(reading, &parts, err);
}

int profile_read(struct profile **read, const struct json *object, size_t nitems, const struct file_position *place,
		 struct error *err)
{
	struct profile *profile = arena_alloc(place->arena, sizeof(*profile));
	struct reading reading = { .profile = profile,
				   .columns = { .place = *place, .sizes = { [LIST_ITEMS] = nitems } } };

	if (!object)
		return 0;
	reading.columns.place.list = "profile";
	profile->arena = place->arena;
	if (fields_read(profile, object, &profile_shape, &reading.columns.place, err) < 0 ||
	    read_lists(&reading, object, err) < 0 || read_places(&reading, object, err) < 0 ||
	    read_stacks(&reading, object, err) < 0 || read_rows(&reading, object, err) < 0 ||
	    sampled_groups_read(profile, &reading.columns, object, err) < 0)
		return -1;
	profile_bound(profile, reading.nbound);
	*read = profile;
	return 0;
}
