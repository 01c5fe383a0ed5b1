/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/simulation_parts.h"

#include <string.h>

#include "common/base/text.h"
#include "program/code/profile_loops.h"

/* Symbols and what they are as people write them: most places are in the same few functions. */
struct names {
	struct table known; /* to numbers of texts */
	const char **texts;
	size_t count, capacity;
	struct arena *arena;
};

static const char *demangle(struct names *names, const char *symbol)
{
	size_t number;
	const char *text;

	if (!symbol)
		return NULL;
	number = table_get(&names->known, symbol);
	if (number < names->count)
		return names->texts[number];
	text = symbol_demangle(symbol, names->arena);
	names->texts = arena_grow(names->arena, names->texts, names->count, &names->capacity, sizeof(*names->texts));
	names->texts[names->count] = text;
	table_set(&names->known, symbol, names->count++);
	return text;
}

/* The instructions of the places, in a profile of their own. */
struct sites {
	struct profile profile;
	uint32_t *of; /* by the place: its instruction's; PROFILE_NONE: it has none */
};

static void find_sites(struct sites *sites, const struct profile *profile, struct arena *arena)
{
	profile_init(&sites->profile, arena);
	sites->of = arena_array(arena, (size_t)profile->nplaces + 1, sizeof(*sites->of));
	for (uint32_t i = 0; i < profile->nplaces; i++) {
		const struct profile_place *place = &profile->places[i];
		const struct profile_module *module = &profile->modules[place->module];

		sites->of[i] = PROFILE_NONE;
		if (place->inside && module->kind == MODULE_FILE)
			sites->of[i] =
				profile_place(&sites->profile, profile_module(&sites->profile, module), place->inside);
	}
}

static bool is_whole_line(const struct profile_place *place)
{
	return place->inside != place->address;
}

/* The same file, if not by the same path: one of them may have "./" in it. */
static bool is_same_file(const char *a, const char *b)
{
	const char *x = a ? strrchr(a, '/') : NULL, *y = b ? strrchr(b, '/') : NULL;

	return a && b && !strcmp(x ? x : a, y ? y : b);
}

/*
 * The line is the simulator's, which has divided its counts by it. A whole line's code is in several places, and all of
 * a function has no line.
 */
static void take_frames(struct profile_place *place, const struct profile_place *site, struct arena *arena)
{
	const struct profile_frame *known = place->nframes ? &place->frames[0] : NULL;
	bool is_function = known && !known->line && is_whole_line(place);
	size_t skipped = is_function ? site->nframes - 1 : 0, count = site->nframes - skipped;
	struct profile_frame *frames = arena_array(arena, count, sizeof(*frames));

	memcpy(frames, site->frames + skipped, count * sizeof(*frames));
	if (is_whole_line(place))
		frames[count - 1].begin = frames[count - 1].size = 0;
	if (known && (is_function ||
		      (known->line && (known->line != frames[0].line || !is_same_file(known->file, frames[0].file))))) {
		frames[0].file = known->file;
		frames[0].line = known->line;
	}
	place->frames = frames;
	place->nframes = count;
}

static void take_remarks(struct profile *profile, const struct profile *found)
{
	for (uint32_t i = 0; i < found->nmodules; i++) {
		uint32_t module = profile_module(profile, &found->modules[i]);

		if (!profile->modules[module].remark)
			profile->modules[module].remark = found->modules[i].remark;
	}
}

/* The loops of the instructions' functions, and which of them each place is in. */
static void take_loops(struct profile *profile, struct sites *sites, const struct simulated_wish *wish,
		       const struct symbol_request *request)
{
	struct arena *arena = sites->profile.arena;
	double *weights = arena_array(arena, (size_t)sites->profile.nplaces + 1, sizeof(*weights));
	const struct loop_request loops = { .symbols = request, .weights = weights, .most = wish->most };

	for (uint32_t i = 0; i < profile->nplaces; i++)
		if (sites->of[i] != PROFILE_NONE)
			weights[sites->of[i]] += wish->weights[i];
	profile_loops_find(&sites->profile, &loops);
	profile->loops = sites->profile.loops;
	profile->nloops = sites->profile.nloops;
	profile->no_loops = sites->profile.no_loops;
	for (uint32_t i = 0; i < profile->nplaces; i++)
		profile->places[i].loop = sites->of[i] == PROFILE_NONE ? 0 : sites->profile.places[sites->of[i]].loop;
}

void simulated_names_find(struct profile *profile, struct counts *counts, const struct simulated_wish *wish,
			  struct arena *arena)
{
	const struct symbol_request request = { .sysroot = wish->sysroot };
	struct names names = { .known = TABLE_INIT(arena), .arena = arena };
	struct error unknown = { .text = "" };
	struct sites sites;

	find_sites(&sites, profile, arena);
	if (symbols_resolve(&sites.profile, &request, &unknown) == 0)
		take_remarks(profile, &sites.profile);
	if (wish->weights)
		take_loops(profile, &sites, wish, &request);
	for (uint32_t i = 0; i < profile->nplaces; i++) {
		struct profile_place *place = &profile->places[i];
		const struct profile_place *site =
			sites.of[i] == PROFILE_NONE ? NULL : &sites.profile.places[sites.of[i]];

		if (place->inside && place->nframes)
			place->frames[0].function = demangle(&names, place->frames[0].function);
		if (site && site->nframes && site->frames[site->nframes - 1].function)
			take_frames(place, site, profile->arena);
	}
	for (size_t i = 0; i < counts->nlines; i++)
		counts->lines[i].function = demangle(&names, counts->lines[i].function);
}
