/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/export/frames.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/cells.h"
#include "common/base/text.h"

const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* One frame of a place before functions are numbered. */
struct named_frame {
	const char *name; /* NULL: unknown */
	uint32_t module, number;
};

static int compare_frames(const void *a, const void *b)
{
	const struct named_frame *left = a, *right = b;
	int order = compare_texts(left->name, right->name);

	if (!order)
		order = (left->module > right->module) - (left->module < right->module);
	return order ? order : (left->number > right->number) - (left->number < right->number);
}

static bool is_same_function(const struct named_frame *a, const struct named_frame *b)
{
	return a->module == b->module && compare_texts(a->name, b->name) == 0;
}

static uint32_t count_frames(const struct profile *profile, struct export_frames *functions)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < profile->nplaces; i++) {
		functions->first[i] = count;
		count += profile->places[i].nframes ? (uint32_t)profile->places[i].nframes : 1;
	}
	functions->first[profile->nplaces] = count;
	return count;
}

/* Outermost first; the profile has them the other way round. */
static const struct profile_frame *frame_of(const struct profile_place *place, uint32_t number)
{
	return place->nframes ? &place->frames[place->nframes - 1 - number] : NULL;
}

static struct named_frame *name_frames(const struct profile *profile, struct export_frames *functions,
				       struct arena *arena)
{
	struct named_frame *named = arena_array(arena, functions->first[profile->nplaces] + 1, sizeof(*named));

	for (uint32_t i = 0; i < profile->nplaces; i++)
		for (uint32_t k = functions->first[i]; k < functions->first[i + 1]; k++) {
			const struct profile_frame *frame = frame_of(&profile->places[i], k - functions->first[i]);
			const char *name = frame && frame->function && *frame->function ? frame->function : NULL;

			named[k] = (struct named_frame){ name, profile->places[i].module, k };
			functions->frames[k].line = frame ? frame->line : 0;
		}
	return named;
}

static void frames_add_function(struct export_frames *functions, const struct named_frame *frame,
				const struct profile *profile, struct arena *arena)
{
	const struct profile_module *module = &profile->modules[frame->module];
	const char *path = module->kind == MODULE_UNKNOWN || !module->path ? "" : last_part(module->path);
	const char *name = frame->name;

	if (!name)
		name = !*path ? "[unknown]" : *path == '[' ? path : arena_printf(arena, "[%s]", path);
	functions->items[functions->count++] = (struct export_function){ .name = cells_safe(arena, name, true),
									 .module = cells_safe(arena, path, true),
									 .number = frame->module,
									 .is_known = frame->name };
}

/* A function has the first file that is known; lines of others, as of what it includes, are not its own. */
static void take_files(struct export_frames *functions, const struct profile *profile, struct arena *arena)
{
	const char **files = arena_array(arena, functions->count + (size_t)1, sizeof(*files));

	for (uint32_t i = 0; i < profile->nplaces; i++)
		for (uint32_t k = functions->first[i]; k < functions->first[i + 1]; k++) {
			const struct profile_frame *frame = frame_of(&profile->places[i], k - functions->first[i]);
			struct export_function *function = &functions->items[functions->frames[k].function];

			if (!frame || !frame->file || !*frame->file)
				continue;
			if (!files[functions->frames[k].function])
				function->file =
					cells_safe(arena, files[functions->frames[k].function] = frame->file, true);
			if (strcmp(files[functions->frames[k].function], frame->file) != 0)
				functions->frames[k].line = 0;
		}
}

void frames_init(struct export_frames *functions, const struct profile *profile, struct arena *arena)
{
	struct named_frame *named;
	uint32_t count;

	*functions = (struct export_frames){ .first = arena_array(arena, (size_t)profile->nplaces + 1,
								  sizeof(*functions->first)) };
	count = count_frames(profile, functions);
	functions->frames = arena_array(arena, (size_t)count + 1, sizeof(*functions->frames));
	functions->items = arena_array(arena, (size_t)count + 1, sizeof(*functions->items));
	named = name_frames(profile, functions, arena);
	qsort(named, count, sizeof(*named), compare_frames);
	for (uint32_t i = 0; i < count; i++) {
		if (!i || !is_same_function(&named[i - 1], &named[i]))
			frames_add_function(functions, &named[i], profile, arena);
		functions->frames[named[i].number].function = functions->count - 1;
	}
	take_files(functions, profile, arena);
}
