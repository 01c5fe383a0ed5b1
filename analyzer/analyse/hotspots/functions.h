/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions.h - the functions of a profile, each once, whichever places are in them, inlined or not; and which of them
 * a name means that somebody typed.
 */
#ifndef TOPDOWN_ANALYSE_HOTSPOTS_FUNCTIONS_H
#define TOPDOWN_ANALYSE_HOTSPOTS_FUNCTIONS_H

#include "common/base/error.h"
#include "common/measurement/profile.h"

struct profile_function {
	const char *name; /* NULL: all code of the module without names */
	uint32_t module;
};

struct functions {
	const struct profile *profile;
	struct profile_function *items; /* by module, then name */
	size_t count;
	uint32_t *of;	       /* of[first[place] + frame]: the number of the frame's function, the innermost first */
	size_t *first;	       /* [nplaces + 1]; a place without frames has one, without a name */
	const double *weights; /* [nrows] of the profile, for names that are near to what was typed; NULL: unknown */
};

struct functions functions_of(const struct profile *profile, struct arena *arena);

/* The frames of a place, at least one. */
static inline size_t functions_frames(const struct functions *functions, uint32_t place)
{
	return functions->first[place + 1] - functions->first[place];
}

/*
 * Marks in found ([functions->count]) which functions are meant: by the whole name, without its parameters, or by its
 * last part, whichever fits first, without regard to case. Functions of one
 * name in several modules are meant together. -1: there is none (err has the nearest names, or the heaviest functions),
 * or several of different names (err lists them).
 */
int functions_match(bool *found, const struct functions *functions, const char *typed, struct arena *arena,
		    struct error *err) MUST_CHECK;

/* "D<8>::go" of "int D<8>::go<int>(int)"; the name itself where it is not that simple, as of what is in a lambda. */
const char *function_plain_name(const char *name, struct arena *arena);

/* "go" of "D<8>::go<int>(int)": what is sure to be in the function's symbol; NULL stays. */
const char *function_last_part(const char *typed, struct arena *arena);

/* Does the function run by real time, so that a slower run has more of it? NULL: no. In real_time.c. */
bool function_runs_by_time(const char *function);

/* "libc.so.6" of "/usr/lib/libc.so.6"; NULL stays. */
const char *module_base_name(const char *path);

/* Does the name mean the module: its path, or what stands behind its last '/'? */
bool is_module(const struct profile_module *module, const char *name);

#endif
