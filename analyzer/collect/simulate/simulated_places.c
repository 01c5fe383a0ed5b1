/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/simulate/simulated_places.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "simulator/wire.h"

const char *simulated_field(char **cursor)
{
	char *field = *cursor ? strsep(cursor, "\t") : NULL;

	if (field)
		wire_unescape(field);
	return field && *field ? field : NULL;
}

void simulated_places_init(struct simulated_places *places, struct profile *profile, enum stack_method method)
{
	*places = (struct simulated_places){ .profile = profile,
					     .method = method,
					     .lines = TABLE_INIT(profile->arena),
					     .objects = TABLE_INIT(profile->arena) };
}

void simulated_places_begin(struct simulated_places *places, uint32_t pid)
{
	if (places->pid != pid)
		places->first_row = places->profile->nrows;
	places->pid = pid;
	places->ntasks = places->nplaces = places->nstacks = 0;
}

/* 0 for what is no number. */
static uint64_t simulated_places_number_of(const char *text)
{
	uint64_t number;

	return text && text_u64(text, &number) ? number : 0;
}

/* Each number is the next one, or the file is wrong. */
static bool is_next(char **cursor, size_t count)
{
	return simulated_places_number_of(simulated_field(cursor)) == count + 1;
}

void simulated_places_add_task(struct simulated_places *places, char *text)
{
	struct profile_task task = { .pid = places->pid };

	if (!is_next(&text, places->ntasks))
		return;
	task.tid = (uint32_t)simulated_places_number_of(simulated_field(&text));
	task.name = simulated_field(&text);
	places->tasks = arena_grow(places->profile->arena, places->tasks, places->ntasks, &places->tasks_capacity,
				   sizeof(*places->tasks));
	places->tasks[places->ntasks++] = profile_task(places->profile, &task);
}

/* ---- places ---- */

/* Where no instruction's address can be. */
#define LINES_FROM (UINT64_C(1) << 48)

/* A number instead of an address: the line's, another one where it is inlined elsewhere, or in another loop. */
static uint64_t line_number(struct simulated_places *places, const char *site, const char *edge, const char *line)
{
	if (site || edge)
		line = arena_printf(places->profile->arena, "%s\t%s\t%s", line, site ? site : "", edge ? edge : "");
	size_t number = table_get(&places->lines, line);

	if (number == TABLE_NONE) {
		number = places->nlines++;
		table_set(&places->lines, line, number);
	}
	return LINES_FROM + number;
}

const char *simulated_places_file(struct simulated_places *places, const char *object)
{
	struct arena *arena = places->profile->arena;
	size_t number = object ? table_get(&places->objects, object) : TABLE_NONE;
	char *real;

	if (!object || number != TABLE_NONE)
		return object ? places->files[number] : NULL;
	real = realpath(object, NULL);
	places->files =
		arena_grow(arena, places->files, places->nfiles, &places->files_capacity, sizeof(*places->files));
	places->files[places->nfiles] = arena_strdup(arena, real ? real : object);
	free(real);
	table_set(&places->objects, arena_strdup(arena, object), places->nfiles);
	return places->files[places->nfiles++];
}

static uint32_t module_of(struct simulated_places *places, const char *object)
{
	const struct profile_module file = { .kind = MODULE_FILE, .path = simulated_places_file(places, object) };
	const struct profile_module unknown = { .kind = MODULE_UNKNOWN, .path = "[unknown]", .pid = places->pid };

	return profile_module(places->profile, object ? &file : &unknown);
}

static void set_frame(struct profile *profile, uint32_t number, const struct profile_frame *frame)
{
	struct profile_place *place = &profile->places[number];

	if (place->nframes || (!frame->function && !frame->file))
		return;
	place->frames = arena_alloc(profile->arena, sizeof(*place->frames));
	place->frames[0] = *frame;
	place->nframes = 1;
}

static uint64_t address_of(const char *hexadecimal)
{
	return hexadecimal ? strtoull(hexadecimal, NULL, 16) : 0;
}

/* "PLACE<tab>ADDRESS<tab>INSIDE<tab>EDGE<tab>SITE<tab>LINE<tab>FUNCTION<tab>FILE<tab>OBJECT" */
void simulated_places_add_place(struct simulated_places *places, char *text)
{
	struct arena *arena = places->profile->arena;
	const char *number, *edge, *site, *object, *line;
	struct profile_frame frame = { .line = 0 };
	uint64_t address, inside;
	uint32_t place;

	if (!is_next(&text, places->nplaces))
		return;
	address = address_of(simulated_field(&text));
	inside = address_of(simulated_field(&text));
	edge = simulated_field(&text);
	if (!address_of(edge))
		edge = NULL;
	site = simulated_field(&text);
	number = simulated_field(&text);
	line = arena_printf(arena, "%s\t%s", number ? number : "", text ? text : "");
	text = text ? arena_strdup(arena, text) : NULL;
	frame.line = (uint32_t)simulated_places_number_of(number);
	frame.function = simulated_field(&text);
	frame.file = simulated_field(&text);
	object = simulated_field(&text);
	place = profile_place(places->profile, module_of(places, object),
			      address ? address : line_number(places, site, edge, line));
	set_frame(places->profile, place, &frame);
	if (!places->profile->places[place].inside)
		places->profile->places[place].inside = inside;
	places->places =
		arena_grow(arena, places->places, places->nplaces, &places->places_capacity, sizeof(*places->places));
	places->places[places->nplaces++] = (struct simulated_place){ .line = line, .place = place };
}

/* NULL: there is none. */
static struct simulated_place *simulated_places_place_of(const struct simulated_places *places, const char *text)
{
	uint64_t number = simulated_places_number_of(text);

	return number && number <= places->nplaces ? &places->places[number - 1] : NULL;
}

/* "PLACE<tab>PARTNER<tab>KIND<tab>TRANSFERS" */
void simulated_places_add_pair(struct simulated_places *places, char *text)
{
	const struct simulated_place *place = simulated_places_place_of(places, simulated_field(&text));
	const struct simulated_place *partner = simulated_places_place_of(places, simulated_field(&text));
	uint64_t kind = simulated_places_number_of(simulated_field(&text)),
		 transfers = simulated_places_number_of(simulated_field(&text));

	if (place && partner && kind >= SHARING_CONTESTED && kind < SHARING_END && transfers)
		profile_pair(places->profile, &(struct profile_pair){ .place = place->place,
								      .partner = partner->place,
								      .kind = (uint32_t)kind,
								      .transfers = (double)transfers });
}

/* ---- call stacks ---- */

static struct simulated_stack stack_of(const struct simulated_places *places, const char *text)
{
	uint64_t number = simulated_places_number_of(text);

	return number && number <= places->nstacks
		       ? places->stacks[number - 1]
		       : (struct simulated_stack){ .stack = PROFILE_NONE, .task = PROFILE_NONE };
}

/* "STACK<tab>CALLER<tab>PLACE<tab>TASK<tab>CUT" */
void simulated_places_add_stack(struct simulated_places *places, char *text)
{
	const struct simulated_place *place;
	struct simulated_stack stack;
	uint64_t task;

	if (!is_next(&text, places->nstacks))
		return;
	stack = stack_of(places, simulated_field(&text));
	place = simulated_places_place_of(places, simulated_field(&text));
	if (place)
		stack.stack = profile_stack(places->profile, place->place, stack.stack);
	task = simulated_places_number_of(simulated_field(&text));
	if (task && task <= places->ntasks)
		stack.task = places->tasks[task - 1];
	stack.is_cut = simulated_places_number_of(simulated_field(&text)) != 0;
	places->stacks = arena_grow(places->profile->arena, places->stacks, places->nstacks, &places->stacks_capacity,
				    sizeof(*places->stacks));
	places->stacks[places->nstacks++] = stack;
}

/* ---- rows ---- */

/* What all threads of a process have done together. */
static uint32_t any_task(const struct simulated_places *places)
{
	return profile_task(places->profile, &(struct profile_task){ .pid = places->pid, .tid = places->pid });
}

/* Stacks are numbered as they come, so an array has their rows: a hash table's accesses would be all over memory. */
static uint32_t *last_row_of(struct simulated_places *places, uint32_t stack)
{
	while (places->nlast <= stack) {
		places->last_rows = arena_grow(places->profile->arena, places->last_rows, places->nlast,
					       &places->last_capacity, sizeof(*places->last_rows));
		places->last_rows[places->nlast++] = 0;
	}
	return &places->last_rows[stack];
}

/* The row with the stack and task of like, of which a process has as many as it has threads; it may be a new one. */
static struct profile_row *simulated_places_find_row(struct simulated_places *places, const struct profile_row *like)
{
	struct profile *profile = places->profile;
	uint32_t *last = last_row_of(places, like->stack);

	for (uint32_t row = *last; row > places->first_row; row = places->earlier_rows[row - 1]) {
		struct profile_row *known = &profile->rows[row - 1];

		if (known->task == like->task && known->is_truncated == like->is_truncated)
			return known;
	}
	places->earlier_rows = arena_grow(profile->arena, places->earlier_rows, profile->nrows,
					  &places->earlier_capacity, sizeof(*places->earlier_rows));
	places->earlier_rows[profile->nrows] = *last;
	*last = profile_new_row(profile, like) + 1;
	return &profile->rows[*last - 1];
}

struct profile_row *simulated_places_row(struct simulated_places *places, struct simulated_place **place, char *text)
{
	const struct simulated_stack stack = stack_of(places, simulated_field(&text));
	struct profile_row key = { .event = PROFILE_NONE, .method = places->method };

	*place = simulated_places_place_of(places, simulated_field(&text));
	if (!*place)
		return NULL;
	key.task = stack.task == PROFILE_NONE ? any_task(places) : stack.task;
	key.stack = profile_stack(places->profile, (*place)->place, stack.stack);
	key.is_truncated = stack.is_cut;
	return simulated_places_find_row(places, &key);
}

#define FIRST_COUNTS 4

/* Room for twice as many whenever the number is a power of two. */
static void simulated_places_make_room(struct profile_row *row, struct arena *arena)
{
	size_t count = row->ncounts;
	struct source_count *counts;

	if (count && (count < FIRST_COUNTS || count & (count - 1)))
		return;
	counts = arena_array(arena, count ? 2 * count : FIRST_COUNTS, sizeof(*counts));
	if (count)
		memcpy(counts, row->counts, count * sizeof(*counts));
	row->counts = counts;
}

void simulated_row_add(struct profile_row *row, size_t item, double value, struct arena *arena)
{
	for (size_t i = 0; i < row->ncounts; i++) {
		if (row->counts[i].item != item)
			continue;
		row->counts[i].value += value;
		return;
	}
	simulated_places_make_room(row, arena);
	row->counts[row->ncounts++] = (struct source_count){ .item = item, .value = value };
}
