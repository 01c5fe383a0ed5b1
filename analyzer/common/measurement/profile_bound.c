/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/measurement/profile_bound.h"

#include "common/base/text.h"

/* ---- names ---- */

const char *name_bound(const char *name, struct arena *arena)
{
	return text_within(name, MOST_NAME, arena);
}

static uint32_t bound_name(const char **name, struct profile *profile)
{
	const char *before = *name;

	*name = name_bound(before, profile->arena);
	return *name != before;
}

/* Those of functions and files are bound where they are read, each once. */
static uint32_t bound_names(struct profile *profile)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < profile->nmodules; i++)
		count += bound_name(&profile->modules[i].path, profile) +
			 bound_name(&profile->modules[i].remark, profile);
	for (uint32_t i = 0; i < profile->ntasks; i++)
		count += bound_name(&profile->tasks[i].name, profile) + bound_name(&profile->tasks[i].program, profile);
	for (uint32_t i = 0; i < profile->nevents; i++)
		count += bound_name(&profile->events[i].event, profile);
	return count;
}

/* ---- stacks ---- */

struct depths {
	struct profile *profile;
	uint32_t *frames; /* of each stack, with those of its callers */
	uint64_t most;	  /* of all rows together */
};

/* Of a place with too many the innermost ones stay, and the outermost, which is the function that is called. */
static uint32_t bound_inlined(struct profile *profile)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < profile->nplaces; i++) {
		struct profile_place *place = &profile->places[i];

		if (place->nframes <= MOST_INLINED)
			continue;
		place->frames[MOST_INLINED - 1] = place->frames[place->nframes - 1];
		place->nframes = MOST_INLINED;
		count++;
	}
	return count;
}

static uint32_t frames_of(const struct profile *profile, uint32_t stack)
{
	size_t frames = profile->places[profile->stacks[stack].place].nframes;

	return frames ? (uint32_t)frames : 1;
}

/* Callers stand before whom they call. */
static void count_frames(struct depths *depths)
{
	const struct profile *profile = depths->profile;

	for (uint32_t i = 0; i < profile->nstacks; i++) {
		uint32_t caller = profile->stacks[i].caller, above = caller < i ? depths->frames[caller] : 0;
		uint32_t own = frames_of(profile, i);

		depths->frames[i] = above > UINT32_MAX - own ? UINT32_MAX : above + own;
	}
}

static bool frames_fit(const struct depths *depths, uint32_t deepest)
{
	const struct profile *profile = depths->profile;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < profile->nrows; i++)
		if (profile->rows[i].stack < profile->nstacks) {
			uint32_t frames = depths->frames[profile->rows[i].stack];

			sum += frames < deepest ? frames : deepest;
		}
	return sum <= depths->most;
}

/* The greatest depth, up to MOST_DEEP, with which all rows' frames find room; 2 at least. */
static uint32_t depth_with_room(const struct depths *depths)
{
	uint32_t low = 2, high = MOST_DEEP;

	if (frames_fit(depths, high))
		return high;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (frames_fit(depths, middle))
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* A stack that is too deep is called by the innermost of its callers that leaves room for it. */
static void shorten(struct depths *depths, uint32_t deepest)
{
	struct profile *profile = depths->profile;
	uint32_t *kept = arena_array(profile->arena, (size_t)profile->nstacks + 1, sizeof(*kept));

	for (uint32_t i = 0; i < profile->nstacks; i++) {
		struct profile_stack *stack = &profile->stacks[i];

		kept[i] = i;
		if (depths->frames[i] < deepest)
			continue;
		kept[i] = stack->caller < i ? kept[stack->caller] : PROFILE_NONE;
		if (depths->frames[i] == deepest)
			continue;
		stack->caller = kept[i];
		stack->depth = kept[i] == PROFILE_NONE ? 1 : profile->stacks[kept[i]].depth + 1;
	}
}

/* The number of rows whose stacks have become shorter. */
static uint32_t bound_stacks(struct profile *profile, uint32_t *deepest)
{
	struct depths depths = {
		.profile = profile,
		.frames = arena_array(profile->arena, (size_t)profile->nstacks + 1, sizeof(uint32_t)),
		.most = MOST_FRAMES + FRAMES_A_ROW * ((uint64_t)profile->nrows + profile->nstacks),
	};
	uint32_t count = 0;

	count_frames(&depths);
	*deepest = depth_with_room(&depths);
	for (uint32_t i = 0; i < profile->nrows; i++)
		count += profile->rows[i].stack < profile->nstacks && depths.frames[profile->rows[i].stack] > *deepest;
	if (count)
		shorten(&depths, *deepest);
	return count;
}

/* ---- all of it ---- */

/* One of a file has no room for another remark. */
static void say_bound(struct profile *profile, const char *sentence)
{
	const char **remarks;

	if (profile->index) {
		profile_remark(profile, sentence);
		return;
	}
	remarks = arena_array(profile->arena, profile->nremarks + 1, sizeof(*remarks));
	for (size_t i = 0; i < profile->nremarks; i++)
		remarks[i] = profile->remarks[i];
	remarks[profile->nremarks++] = sentence;
	profile->remarks = remarks;
}

void profile_bound(struct profile *profile, uint32_t texts)
{
	uint32_t deepest, names = texts + bound_names(profile), places = bound_inlined(profile),
			  rows = bound_stacks(profile, &deepest);

	if (names)
		say_bound(profile,
			  arena_printf(profile->arena, "%u names of more than %u bytes were cut.", names, MOST_NAME));
	if (places)
		say_bound(profile,
			  arena_printf(profile->arena,
				       "Of %u places with more than %u inlined functions the inner ones are shown.",
				       places, MOST_INLINED));
	if (rows)
		say_bound(profile,
			  arena_printf(profile->arena,
				       "%u of %u call stacks have more than %u frames: their outermost calls and their "
				       "innermost function are shown.",
				       rows, profile->nrows, deepest));
}
