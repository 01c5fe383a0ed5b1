/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/plot/flame.h"

#include <math.h>
#include <string.h>

#include "common/base/finder.h"

/* ---- which modules are the same ---- */

/* Without the version of a library: "libc.so.6" is "libc.so". */
static size_t stem_length(const char *name)
{
	const char *so = strstr(name, ".so.");

	return so ? (size_t)(so - name) + 3 : strlen(name);
}

static const char *module_name(const struct profile_module *module)
{
	return module->path ? last_part(module->path) : "";
}

static bool is_same_module(const struct profile_module *one, const struct profile_module *other)
{
	const char *a = module_name(one), *b = module_name(other);
	size_t length = stem_length(a);

	return length == stem_length(b) && !memcmp(a, b, length) &&
	       (one->kind == MODULE_UNKNOWN) == (other->kind == MODULE_UNKNOWN);
}

/* A profile's modules and the programs of its tasks, by their names. */
struct named {
	const struct profile *profile;
	struct finder modules, programs;
};

static bool is_module(const void *owner, uint32_t number, const void *key)
{
	return is_same_module(&((const struct named *)owner)->profile->modules[number], key);
}

static bool is_program_of(const void *owner, uint32_t number, const void *key)
{
	return !strcmp(last_part(((const struct named *)owner)->profile->tasks[number].program), key);
}

static struct finder_key module_key(const struct named *named, const struct profile_module *module)
{
	const char *name = module_name(module);
	size_t length = stem_length(name);
	uint64_t hash = 0;

	for (size_t i = 0; i < length; i++)
		hash = hash_numbers((const uint64_t[]){ hash, (unsigned char)name[i] }, 2);
	return (struct finder_key){ hash, is_module, named, module };
}

static struct finder_key program_key(const struct named *named, const char *name)
{
	return (struct finder_key){ hash_text(name), is_program_of, named, name };
}

static void named_init(struct named *named, const struct profile *profile, struct arena *arena)
{
	*named = (struct named){ .profile = profile };
	for (uint32_t i = 0; i < profile->nmodules; i++) {
		const struct finder_key key = module_key(named, &profile->modules[i]);

		if (finder_find(&named->modules, &key) == FINDER_NONE)
			finder_add(&named->modules, key.hash, i, arena);
	}
	for (uint32_t i = 0; i < profile->ntasks; i++) {
		const char *program = profile->tasks[i].program;
		const struct finder_key key = program_key(named, program ? last_part(program) : "");

		if (program && finder_find(&named->programs, &key) == FINDER_NONE)
			finder_add(&named->programs, key.hash, i, arena);
	}
}

/* The first one; PROFILE_NONE: there is none. */
static uint32_t find_module(const struct named *named, const struct profile_module *like)
{
	const struct finder_key key = module_key(named, like);

	return finder_find(&named->modules, &key);
}

static bool is_program(const struct named *named, const struct profile_module *module)
{
	const struct finder_key key = program_key(named, module_name(module));

	return module->kind == MODULE_FILE && finder_find(&named->programs, &key) != FINDER_NONE;
}

/* The only module of a program that the other profile lacks: "new" of ./old and ./new. PROFILE_NONE: not one. */
static uint32_t own_program(const struct named *named, const struct named *other)
{
	const struct profile *profile = named->profile;
	uint32_t found = PROFILE_NONE;

	for (uint32_t i = 0; i < profile->nmodules; i++) {
		if (find_module(other, &profile->modules[i]) != PROFILE_NONE ||
		    !is_program(named, &profile->modules[i]))
			continue;
		if (found != PROFILE_NONE)
			return PROFILE_NONE;
		found = i;
	}
	return found;
}

/* ---- one profile of two ---- */

struct merge {
	struct difference *difference;
	struct named sides[SIDES];
	uint32_t programs[SIDES]; /* modules that are taken for the same */
	struct arena *arena;
};

static uint32_t take_module(struct merge *merge, enum side side, uint32_t number)
{
	const struct profile *before = merge->sides[BEFORE].profile;
	const struct profile_module *module = &merge->sides[side].profile->modules[number];
	uint32_t first = find_module(&merge->sides[BEFORE], module);

	if (side == AFTER && number == merge->programs[AFTER] && merge->programs[BEFORE] != PROFILE_NONE)
		first = merge->programs[BEFORE];
	if (first != PROFILE_NONE)
		module = &before->modules[first];
	return profile_module(&merge->difference->profile,
			      &(struct profile_module){ .kind = module->kind, .path = module->path });
}

/* Each place is one of its own, whatever its address is. */
static uint32_t take_place(struct merge *merge, enum side side, const struct profile_place *place)
{
	struct profile *made = &merge->difference->profile;
	uint32_t module = take_module(merge, side, place->module);
	uint32_t number = profile_place(made, module, made->nplaces);

	made->places[number].frames = place->frames;
	made->places[number].nframes = place->nframes;
	return number;
}

/* Callers stand before whom they call. */
static void add_profile(struct merge *merge, enum side side)
{
	const struct profile *from = merge->sides[side].profile;
	struct profile *made = &merge->difference->profile;
	uint32_t *places = arena_array(merge->arena, (size_t)from->nplaces + 1, sizeof(*places));
	uint32_t *stacks = arena_array(merge->arena, (size_t)from->nstacks + 1, sizeof(*stacks));

	for (uint32_t i = 0; i < from->nplaces; i++)
		places[i] = take_place(merge, side, &from->places[i]);
	for (uint32_t i = 0; i < from->nstacks; i++) {
		uint32_t caller = from->stacks[i].caller;

		stacks[i] = profile_stack(made, places[from->stacks[i].place],
					  caller == PROFILE_NONE ? caller : stacks[caller]);
	}
	for (uint32_t i = 0; i < from->nrows; i++)
		made->rows[made->nrows++] = (struct profile_row){ .stack = from->rows[i].stack == PROFILE_NONE
										   ? PROFILE_NONE
										   : stacks[from->rows[i].stack],
								  .task = PROFILE_NONE,
								  .event = PROFILE_NONE,
								  .samples = from->rows[i].samples };
}

static double whole_of(const struct weighing *weighing)
{
	return fmax(weighing->whole, weighing->total);
}

static void take_weights(struct difference *difference, struct arena *arena)
{
	struct weighing *mean = &difference->mean;

	*mean = *difference->weighings[BEFORE];
	mean->is_exact = true; /* samples are kept by side */
	mean->weights = arena_array(arena, (size_t)difference->profile.nrows + 1, sizeof(*mean->weights));
	for (uint32_t i = 0; i < difference->profile.nrows; i++)
		mean->weights[i] =
			i < difference->first
				? difference->weighings[BEFORE]->weights[i] / 2
				: difference->weighings[AFTER]->weights[i - difference->first] * difference->scale / 2;
	mean->whole = (difference->wholes[BEFORE] + difference->wholes[AFTER]) / 2;
}

static void add_sides(struct difference *difference, struct arena *arena)
{
	const struct call_tree *tree = &difference->tree;

	difference->calls = arena_array(arena, (size_t)tree->count + 1, sizeof(*difference->calls));
	for (uint32_t i = 0; i < difference->profile.nrows; i++) {
		enum side side = i < difference->first ? BEFORE : AFTER;
		struct compared *compared = &difference->calls[tree->leaf[i] == PROFILE_NONE ? 0 : tree->leaf[i]];

		if (tree->leaf[i] == PROFILE_NONE)
			continue;
		compared->self[side] += 2 * difference->mean.weights[i];
		if (!difference->weighings[side]->is_exact)
			compared->samples[side] += difference->profile.rows[i].samples;
	}
	for (uint32_t i = 0; i < tree->count; i++)
		memcpy(difference->calls[i].total, difference->calls[i].self, sizeof(difference->calls[i].total));
	for (uint32_t i = tree->count; i-- > 1;)
		for (enum side side = 0; side < SIDES; side++) {
			struct compared *parent = &difference->calls[tree->calls[i].parent];

			parent->total[side] += difference->calls[i].total[side];
			parent->samples[side] += difference->calls[i].samples[side];
		}
	memcpy(difference->calls[0].total, difference->wholes, sizeof(difference->wholes)); /* and what is in no row */
}

void difference_init(struct difference *difference, const struct export_pair *pair, struct arena *arena)
{
	const struct export_subject *subjects[SIDES] = { pair->before, pair->after };
	struct merge merge = { .difference = difference, .arena = arena };
	const struct export_subject all = { .profile = &difference->profile };

	*difference = (struct difference){ .scale = 1 };
	profile_init(&difference->profile, arena);
	for (enum side side = 0; side < SIDES; side++) {
		difference->weighings[side] = &subjects[side]->weighings->items[subjects[side]->chosen];
		named_init(&merge.sides[side], subjects[side]->profile, arena);
	}
	merge.programs[BEFORE] = own_program(&merge.sides[BEFORE], &merge.sides[AFTER]);
	merge.programs[AFTER] = own_program(&merge.sides[AFTER], &merge.sides[BEFORE]);
	difference->first = merge.sides[BEFORE].profile->nrows;
	difference->profile.rows = arena_array(arena, (size_t)difference->first + merge.sides[AFTER].profile->nrows + 1,
					       sizeof(struct profile_row));
	for (enum side side = 0; side < SIDES; side++)
		add_profile(&merge, side);
	difference->wholes[BEFORE] = whole_of(difference->weighings[BEFORE]);
	if (pair->is_normalized)
		difference->scale = difference->wholes[BEFORE] / whole_of(difference->weighings[AFTER]);
	difference->wholes[AFTER] = whole_of(difference->weighings[AFTER]) * difference->scale;
	take_weights(difference, arena);
	frames_init(&difference->functions, &difference->profile, arena);
	call_tree_init(&difference->tree, &all, &difference->mean, &difference->functions, arena);
	add_sides(difference, arena);
}

#define Z95 1.959963984540054 /* of the normal distribution */

bool is_by_chance(const struct difference *difference, const struct compared *compared)
{
	double variance = 0, largest = 0;

	for (enum side side = 0; side < SIDES; side++) {
		const struct weighing *weighing = difference->weighings[side];
		double each = weighing->samples ? difference->wholes[side] / (double)weighing->samples : 0;

		if (weighing->is_exact)
			return false;
		variance += (double)compared->samples[side] * each * each;
		largest = fmax(largest, each);
	}
	return fabs(compared->total[AFTER] - compared->total[BEFORE]) - largest < Z95 * sqrt(variance);
}
