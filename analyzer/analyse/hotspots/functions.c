/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/hotspots/functions.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"

const char *module_base_name(const char *path)
{
	const char *slash = path && *path != '[' ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path;
}

bool is_module(const struct profile_module *module, const char *name)
{
	return module->path && (!strcmp(module->path, name) || is_same_name(module_base_name(module->path), name));
}

/* ---- each function once ---- */

/* A frame while functions are found. */
struct sighting {
	const char *name;
	uint32_t module;
	size_t slot; /* where its number goes */
};

static int compare_sightings(const void *first, const void *second)
{
	const struct sighting *a = first, *b = second;
	int order = (a->module > b->module) - (a->module < b->module);

	return order ? order : compare_texts(a->name, b->name);
}

static size_t count_frames(struct functions *functions)
{
	const struct profile *profile = functions->profile;
	size_t count = 0;

	for (uint32_t i = 0; i < profile->nplaces; i++) {
		functions->first[i] = count;
		count += profile->places[i].nframes ? profile->places[i].nframes : 1;
	}
	functions->first[profile->nplaces] = count;
	return count;
}

static void see_frames(struct sighting *sightings, const struct functions *functions)
{
	const struct profile *profile = functions->profile;

	for (uint32_t i = 0; i < profile->nplaces; i++) {
		const struct profile_place *place = &profile->places[i];

		for (size_t slot = functions->first[i]; slot < functions->first[i + 1]; slot++) {
			size_t frame = slot - functions->first[i];

			sightings[slot] = (struct sighting){
				.name = frame < place->nframes ? place->frames[frame].function : NULL,
				.module = place->module,
				.slot = slot,
			};
		}
	}
}

struct functions functions_of(const struct profile *profile, struct arena *arena)
{
	struct functions functions = { .profile = profile };
	struct sighting *sightings;
	size_t frames;

	functions.first = arena_array(arena, (size_t)profile->nplaces + 1, sizeof(*functions.first));
	frames = count_frames(&functions);
	sightings = arena_array(arena, frames + 1, sizeof(*sightings));
	functions.of = arena_array(arena, frames + 1, sizeof(*functions.of));
	functions.items = arena_array(arena, frames + 1, sizeof(*functions.items));
	see_frames(sightings, &functions);
	if (frames)
		qsort(sightings, frames, sizeof(*sightings), compare_sightings);
	for (size_t i = 0; i < frames; i++) {
		if (!i || compare_sightings(&sightings[i - 1], &sightings[i]) != 0)
			functions.items[functions.count++] =
				(struct profile_function){ sightings[i].name, sightings[i].module };
		functions.of[sightings[i].slot] = (uint32_t)(functions.count - 1);
	}
	return functions;
}

/* ---- names that were typed ---- */

/* How well a name fits, the best first. */
enum fit { FIT_WHOLE, FIT_PLAIN, FIT_LAST, FIT_NONE };

/* A part of a name. */
struct piece {
	const char *text;
	size_t length;
};

static bool is_operator(const char *name, size_t length)
{
	return length >= strlen("operator") && has_name_prefix(name + length - strlen("operator"), "operator");
}

/* Behind the bracket that closes the one at the beginning; where none does, its end. */
static size_t bracket_length(const char *name)
{
	size_t depth = 0, i = 0;

	for (; name[i]; i++) {
		bool is_arrow = name[i] == '>' && i && name[i - 1] == '-';

		if (strchr("(<[{", name[i]))
			depth++;
		else if (strchr(")>]}", name[i]) && !is_arrow && !--depth)
			return i + 1;
	}
	return i;
}

/*
 * "D<8>::go" of "int D<8>::go<int>(int)": without the return type, the template arguments behind the name, and the
 * parameters. "(anonymous namespace)::f()", "operator()" and "operator<" are kept whole: what opens at once, or names
 * an operator.
 */
static struct piece plain_name(const char *name)
{
	size_t begin = 0, i = 0, last = 0;

	while (name[i] && name[i] != '(') {
		if (name[i] == '<' && is_operator(name, i))
			return (struct piece){ name, strlen(name) };
		if (name[i] == ' ' && !is_operator(name, i)) /* "operator new" is one word */
			begin = i + 1;
		last = name[i] == '<' ? i : last;
		i += name[i] == '<' ? bracket_length(name + i) : 1;
	}
	if (i == begin || is_operator(name, i))
		return (struct piece){ name, strlen(name) };
	if (last > begin && last + bracket_length(name + last) == i)
		i = last;
	return (struct piece){ name + begin, i - begin };
}

const char *function_plain_name(const char *name, struct arena *arena)
{
	struct piece plain = plain_name(name);

	return memchr(plain.text, '{', plain.length) ? name : arena_strndup(arena, plain.text, plain.length);
}

/* What stands behind the last "::" of the plain name that is not within its template arguments. */
static struct piece last_part(struct piece plain)
{
	struct piece last = plain;

	for (size_t i = 0; i + 2 < plain.length;) {
		if (plain.text[i] == ':' && plain.text[i + 1] == ':')
			last = (struct piece){ plain.text + i + 2, plain.length - i - 2 };
		i += plain.text[i] == '<' ? bracket_length(plain.text + i) : 1;
	}
	return last;
}

const char *function_last_part(const char *typed, struct arena *arena)
{
	struct piece last;

	if (!typed)
		return NULL;
	last = last_part(plain_name(typed));
	return arena_strndup(arena, last.text, last.length);
}

static bool is_text(struct piece piece, const char *typed)
{
	return strlen(typed) == piece.length && has_name_prefix(piece.text, typed);
}

static enum fit fit_of(const char *name, const char *typed)
{
	struct piece plain;

	if (!name)
		return is_same_name(typed, "[unknown]") ? FIT_WHOLE : FIT_NONE;
	if (is_same_name(name, typed))
		return FIT_WHOLE;
	plain = plain_name(name);
	if (is_text(plain, typed))
		return FIT_PLAIN;
	return is_text(last_part(plain), typed) ? FIT_LAST : FIT_NONE;
}

#define NAMED 6 /* of several names */

/* -1 where what was found has several names. */
static int check_one(const bool *found, const struct functions *functions, const char *typed, struct arena *arena,
		     struct error *err)
{
	struct string names = STRING_INIT(arena);
	const char *last = NULL, *first = NULL;
	size_t count = 0;

	for (size_t i = 0; i < functions->count; i++) {
		const char *name = functions->items[i].name;

		if (!found[i] || (count && compare_texts(name, first) == 0) || (last && !compare_texts(name, last)))
			continue;
		first = count ? first : name;
		last = name;
		if (count++ < NAMED)
			string_printf(&names, "%s'%s'", count > 1 ? ", " : "", name ? name : "[unknown]");
	}
	if (count <= 1)
		return 0;
	if (count > NAMED)
		string_printf(&names, " and %zu more", count - NAMED);
	return error_set(err, "'%s' is the name of several functions: %s; give one of them in quotes", typed,
			 names.text);
}

/* ---- names that are near ---- */

/* Of the kernel, or of a file as "libc.so.6": few people mean those. */
static bool is_library(const struct profile_module *module)
{
	return module->kind != MODULE_JIT &&
	       (module->kind != MODULE_FILE || !module->path || strstr(module_base_name(module->path), ".so"));
}

static bool is_own(const struct functions *functions, size_t number)
{
	return !is_library(&functions->profile->modules[functions->items[number].module]);
}

/* In a library a name has to begin as what was typed: there are thousands, and some is always near. */
static bool begins_alike(const char *name, const char *typed)
{
	name += strspn(name, "_");
	typed += strspn(typed, "_");
	return *typed && strncasecmp(name, typed, 1) == 0;
}

static const char *near_of(const struct functions *functions, const char *typed, bool of_libraries, struct arena *arena)
{
	const char **names = arena_array(arena, functions->count + 1, sizeof(*names));
	size_t count = 0;

	for (size_t i = 0; i < functions->count; i++) {
		const char *name = functions->items[i].name;

		if (name && is_own(functions, i) != of_libraries && (!of_libraries || begins_alike(name, typed)))
			names[count++] = name;
	}
	return nearest_names(arena, typed, names, count);
}

static void sum_weights(double *sums, const struct functions *functions)
{
	const struct profile *profile = functions->profile;

	for (uint32_t i = 0; i < profile->nrows; i++) {
		uint32_t place = profile->stacks[profile->rows[i].stack].place;

		sums[functions->of[functions->first[place]]] += functions->weights[i];
	}
}

#define HEAVIEST 3

/* "main, spin"; empty: nobody knows. */
static const char *heaviest(const struct functions *functions, struct arena *arena)
{
	struct string text = STRING_INIT(arena);
	double *sums = arena_array(arena, functions->count + 1, sizeof(*sums));

	if (functions->weights)
		sum_weights(sums, functions);
	for (size_t n = 0; n < HEAVIEST; n++) {
		size_t most = 0;

		for (size_t i = 1; i < functions->count; i++)
			most = sums[i] > sums[most] ? i : most;
		if (!functions->count || !(sums[most] > 0))
			break;
		if (functions->items[most].name)
			string_printf(&text, "%s%s", text.length ? ", " : "", functions->items[most].name);
		sums[most] = 0;
	}
	return text.text;
}

/* The program's own functions come first. */
static int fail_unfound(const struct functions *functions, const char *typed, struct arena *arena, struct error *err)
{
	const char *near = near_of(functions, typed, false, arena), *most;

	if (!near)
		near = near_of(functions, typed, true, arena);
	if (near)
		return error_set(err, "nothing was recorded in a function '%s'; did you mean %s?", typed, near);
	most = heaviest(functions, arena);
	return error_set(err, "nothing was recorded in a function '%s'; {functions} lists all%s%s", typed,
			 *most ? ", mostly in " : "", most);
}

/* In C, names that differ in case only are different. */
static void keep_same_case(bool *found, const struct functions *functions, const char *typed)
{
	bool is_there = false;

	for (size_t i = 0; i < functions->count; i++)
		is_there |= found[i] && compare_texts(functions->items[i].name, typed) == 0;
	for (size_t i = 0; i < functions->count && is_there; i++)
		found[i] = found[i] && compare_texts(functions->items[i].name, typed) == 0;
}

int functions_match(bool *found, const struct functions *functions, const char *typed, struct arena *arena,
		    struct error *err)
{
	enum fit best = FIT_NONE;

	for (size_t i = 0; i < functions->count; i++) {
		enum fit fit = fit_of(functions->items[i].name, typed);

		best = fit < best ? fit : best;
	}
	for (size_t i = 0; i < functions->count; i++)
		found[i] = best != FIT_NONE && fit_of(functions->items[i].name, typed) == best;
	if (best == FIT_NONE)
		return fail_unfound(functions, typed, arena, err);
	keep_same_case(found, functions, typed);
	return check_one(found, functions, typed, arena, err);
}
