/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/hotspots/line_profile.h"

static uint32_t line_profile_place_of(struct profile *profile, const struct source_line *line, uint32_t number)
{
	const struct profile_module module = { .kind = line->object ? MODULE_FILE : MODULE_UNKNOWN,
					       .path = line->object };
	uint32_t place = profile_place(profile, profile_module(profile, &module), number);
	struct profile_frame *frame = arena_alloc(profile->arena, sizeof(*frame));

	*frame = (struct profile_frame){ .function = line->function, .file = line->file, .line = (uint32_t)line->line };
	profile->places[place].frames = frame;
	profile->places[place].nframes = 1;
	return place;
}

struct profile *profile_of_lines(const struct counts *counts, struct arena *arena)
{
	struct profile *profile = arena_alloc(arena, sizeof(*profile));

	profile_init(profile, arena);
	profile->scope = counts->origin.scope;
	for (size_t i = 0; i < counts->nlines; i++) {
		uint32_t place = line_profile_place_of(profile, &counts->lines[i], (uint32_t)i);
		const struct profile_row key = { .stack = profile_stack(profile, place, PROFILE_NONE),
						 .task = PROFILE_NONE,
						 .event = PROFILE_NONE };
		struct profile_row *row = profile_row(profile, &key);

		row->counts = counts->lines[i].counts;
		row->ncounts = counts->lines[i].count;
	}
	return profile;
}
