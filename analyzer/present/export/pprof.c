/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pprof.c - the profile as `go tool pprof` reads it: all weighings side by side. It still has to be packed. */
#include "present/export/forms.h"

#ifdef TOPDOWN_PROTOBUF_C

#include <stdlib.h>
#include <string.h>

#include "common/base/cells.h"
#include "pprof.pb-c.h"
#include "present/export/frames.h"
#include "present/export/texts.h"

struct draft {
	const struct export_subject *subject;
	struct export_frames frames;
	struct texts texts;
	struct arena *arena;
	Pprof__Profile *profile;
};

/* count messages of a type, and the array of pointers to them that protobuf-c wants. A type can't be in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define MESSAGES(draft, type, init, count)                                                                             \
	type *messages = arena_array((draft)->arena, (count) + (size_t)1, sizeof(type));                               \
	type **pointers = arena_array((draft)->arena, (count) + (size_t)1, sizeof(type *));                            \
	for (size_t number = 0; number < (count); number++) {                                                          \
		messages[number] = (type)init;                                                                         \
		pointers[number] = &messages[number];                                                                  \
	}
/* NOLINTEND(bugprone-macro-parentheses) */

static int64_t text(struct draft *draft, const char *shown)
{
	return texts_number(&draft->texts, shown);
}

static Pprof__Kind kind_of(struct draft *draft, const struct weighing *weighing)
{
	Pprof__Kind kind = PPROF__KIND__INIT;

	kind.name = text(draft, weighing->name);
	kind.unit = text(draft, is_time(weighing) ? "nanoseconds" : weighing->unit);
	return kind;
}

static void add_kinds(struct draft *draft)
{
	const struct weighings *weighings = draft->subject->weighings;
	const struct weighing *chosen = &weighings->items[draft->subject->chosen];
	const struct profile *profile = draft->subject->profile;
	MESSAGES(draft, Pprof__Kind, PPROF__KIND__INIT, weighings->count + 1)

	for (size_t i = 0; i < weighings->count; i++)
		messages[i] = kind_of(draft, &weighings->items[i]);
	draft->profile->n_kinds = weighings->count;
	draft->profile->kinds = pointers;
	draft->profile->shown_kind = text(draft, chosen->name);
	if (chosen->event >= profile->nevents || !profile->events[chosen->event].period)
		return;
	messages[weighings->count] = kind_of(draft, chosen);
	draft->profile->period_kind = pointers[weighings->count];
	draft->profile->period = (int64_t)profile->events[chosen->event].period;
}

/* ---- places ---- */

static void add_mappings(struct draft *draft)
{
	const struct profile *profile = draft->subject->profile;
	MESSAGES(draft, Pprof__Mapping, PPROF__MAPPING__INIT, profile->nmodules)

	for (uint32_t i = 0; i < profile->nmodules; i++) {
		const struct profile_module *module = &profile->modules[i];
		const char *path = module->path && *module->path ? module->path : "[unknown]";

		messages[i].id = (uint64_t)i + 1;
		messages[i].file = text(draft, cells_safe(draft->arena, path, true));
		messages[i].build_id = text(draft, module->build_id);
		messages[i].has_functions = messages[i].has_files = messages[i].has_lines = messages[i].has_inlined = 1;
	}
	for (uint32_t i = 0; i < profile->nplaces; i++) {
		Pprof__Mapping *mapping = &messages[profile->places[i].module];
		uint64_t address = profile->places[i].address;

		if (!mapping->end || address < mapping->begin)
			mapping->begin = address;
		if (address >= mapping->end)
			mapping->end = address + 1 ? address + 1 : address;
	}
	draft->profile->n_mappings = profile->nmodules;
	draft->profile->mappings = pointers;
}

static void pprof_add_functions(struct draft *draft)
{
	MESSAGES(draft, Pprof__Function, PPROF__FUNCTION__INIT, draft->frames.count)

	for (uint32_t i = 0; i < draft->frames.count; i++) {
		messages[i].id = (uint64_t)i + 1;
		messages[i].name = messages[i].linkage_name = text(draft, draft->frames.items[i].name);
		messages[i].file = text(draft, draft->frames.items[i].file);
	}
	draft->profile->n_functions = draft->frames.count;
	draft->profile->functions = pointers;
}

/* A location is a place; its lines come innermost first. */
static Pprof__Line **pprof_lines_of(struct draft *draft, uint32_t place)
{
	uint32_t first = draft->frames.first[place], count = draft->frames.first[place + 1] - first;
	MESSAGES(draft, Pprof__Line, PPROF__LINE__INIT, count)

	for (uint32_t i = 0; i < count; i++) {
		const struct export_frame *frame = &draft->frames.frames[first + count - 1 - i];

		messages[i].function = (uint64_t)frame->function + 1;
		messages[i].line = frame->line;
	}
	return pointers;
}

static void add_locations(struct draft *draft)
{
	const struct profile *profile = draft->subject->profile;
	MESSAGES(draft, Pprof__Location, PPROF__LOCATION__INIT, profile->nplaces)

	for (uint32_t i = 0; i < profile->nplaces; i++) {
		messages[i].id = (uint64_t)i + 1;
		messages[i].mapping = (uint64_t)profile->places[i].module + 1;
		messages[i].address = profile->places[i].address;
		messages[i].n_lines = draft->frames.first[i + 1] - draft->frames.first[i];
		messages[i].lines = pprof_lines_of(draft, i);
	}
	draft->profile->n_locations = profile->nplaces;
	draft->profile->locations = pointers;
}

/* ---- samples ---- */

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct profile_row *left = &((const struct profile_row *)context)[*(const uint32_t *)a];
	const struct profile_row *right = &((const struct profile_row *)context)[*(const uint32_t *)b];

	if (left->stack != right->stack)
		return left->stack < right->stack ? -1 : 1;
	if (left->task != right->task)
		return left->task < right->task ? -1 : 1;
	return (left > right) - (left < right);
}

static void set_stack(struct draft *draft, Pprof__Sample *sample, uint32_t stack)
{
	const struct profile *profile = draft->subject->profile;

	sample->locations = arena_array(draft->arena, profile->stacks[stack].depth + (size_t)1, sizeof(uint64_t));
	for (size_t room = profile->stacks[stack].depth; stack != PROFILE_NONE && sample->n_locations < room;
	     stack = profile->stacks[stack].caller)
		sample->locations[sample->n_locations++] = (uint64_t)profile->stacks[stack].place + 1;
}

static void set_labels(struct draft *draft, Pprof__Sample *sample, uint32_t task)
{
	const struct profile *profile = draft->subject->profile;
	MESSAGES(draft, Pprof__Label, PPROF__LABEL__INIT, 3)

	if (task >= profile->ntasks)
		return;
	messages[0].key = text(draft, "pid");
	messages[0].number = profile->tasks[task].pid;
	messages[1].key = text(draft, "tid");
	messages[1].number = profile->tasks[task].tid;
	messages[2].key = text(draft, "thread");
	messages[2].text = text(draft, cells_safe(draft->arena, profile->tasks[task].name, true));
	sample->n_labels = profile->tasks[task].name ? 3 : 2;
	sample->labels = pointers;
}

/* Rows of one stack and task are one sample, whatever their events. Order has the rows so. */
static void pprof_add_samples(struct draft *draft, const uint32_t *order)
{
	const struct profile *profile = draft->subject->profile;
	const struct weighings *weighings = draft->subject->weighings;
	struct whole *wholes = arena_array(draft->arena, weighings->count + 1, sizeof(*wholes));
	Pprof__Profile *out = draft->profile;
	MESSAGES(draft, Pprof__Sample, PPROF__SAMPLE__INIT, profile->nrows)

	for (uint32_t i = 0; i < profile->nrows; i++) {
		const struct profile_row *row = &profile->rows[order[i]],
					 *before = i ? &profile->rows[order[i - 1]] : row;
		Pprof__Sample *sample;

		if (!i || row->stack != before->stack || row->task != before->task) {
			sample = &messages[out->n_samples++];
			set_stack(draft, sample, row->stack);
			set_labels(draft, sample, row->task);
			sample->n_values = weighings->count;
			sample->values = arena_array(draft->arena, weighings->count + 1, sizeof(int64_t));
		}
		sample = &messages[out->n_samples - 1];
		for (size_t k = 0; k < weighings->count; k++)
			sample->values[k] += (int64_t)whole_next(&wholes[k], weighings->items[k].weights[order[i]]);
	}
	out->samples = pointers;
}

static void pprof_fill(struct draft *draft)
{
	const struct profile *profile = draft->subject->profile;
	uint32_t *order = arena_array(draft->arena, (size_t)profile->nrows + 1, sizeof(*order));

	for (uint32_t i = 0; i < profile->nrows; i++)
		order[i] = i;
	qsort_r(order, profile->nrows, sizeof(*order), compare_rows, profile->rows);
	text(draft, "");
	frames_init(&draft->frames, profile, draft->arena);
	add_kinds(draft);
	add_mappings(draft);
	pprof_add_functions(draft);
	add_locations(draft);
	pprof_add_samples(draft, order);
	if (draft->subject->command) {
		draft->profile->n_comments = 1;
		draft->profile->comments = arena_array(draft->arena, 1, sizeof(int64_t));
		draft->profile->comments[0] = text(draft, cells_safe(draft->arena, draft->subject->command, true));
	}
	draft->profile->nanoseconds = profile->seconds > 0 ? (int64_t)(profile->seconds * 1e9) : 0;
}

static char **text_copies(struct draft *draft)
{
	char **copies = arena_array(draft->arena, draft->texts.count, sizeof(*copies));

	for (uint32_t i = 0; i < draft->texts.count; i++)
		copies[i] = arena_strdup(draft->arena, draft->texts.items[i]);
	return copies;
}

int pprof_write(FILE *out, const struct export_subject *subject, struct arena *arena, struct error *err UNUSED)
{
	Pprof__Profile profile = PPROF__PROFILE__INIT;
	struct draft draft = { .subject = subject, .texts = TEXTS_INIT(arena), .arena = arena, .profile = &profile };
	size_t size;
	uint8_t *bytes;

	pprof_fill(&draft);
	profile.n_texts = draft.texts.count;
	profile.texts = text_copies(&draft);
	size = pprof__profile__get_packed_size(&profile);
	bytes = arena_array(arena, size + 1, 1);
	pprof__profile__pack(&profile, bytes);
	fwrite(bytes, 1, size, out);
	return 0;
}

#else

int pprof_write(FILE *out UNUSED, const struct export_subject *subject UNUSED, struct arena *arena UNUSED,
		struct error *err)
{
	return error_set(err, "this topdown was built without protobuf-c, so it can't write pprof's form; {to folded} "
			      "or speedscope need no library");
}

#endif
