/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - names of a profile's places: functions, inlined frames, files and lines. The only folder that knows
 * libdw. Each unique place is looked up once, module by module, in a process of its own: files come from strangers, and
 * one that breaks libdw costs its module's names only, which the module's remark says.
 */
#ifndef TOPDOWN_PROGRAM_SYMBOLS_SYMBOLS_H
#define TOPDOWN_PROGRAM_SYMBOLS_SYMBOLS_H

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/measurement/profile.h"
#include "common/system/loop.h"

struct symbol_request {
	const char *sysroot; /* where proc/ is; "": this machine */
	const char *search;  /* folders of separate debug files, ':'-separated; NULL: /usr/lib/debug */
	double limit_s;	     /* CPU time that a module may take; 0: as much as a large one needs */
};

/* Fills the frames of all places that have none, and the remarks of modules. -1 only where no process can be made. */
int symbols_resolve(struct profile *profile, const struct symbol_request *request, struct error *err) MUST_CHECK;

/* A C++, Rust, D or plain name as people write it. In arena, or name itself. */
const char *symbol_demangle(const char *name, struct arena *arena);

/* ---- name_search.c ---- */

/*
 * Names of a profile that still grows: symbols_resolve in a process of its own, whose answer an event loop waits
 * for, because debug information takes longer to read than a buffer of samples takes to fill. The profile stays as
 * it is: the names are beside it.
 */

struct name_search;

/* Of a profile that is the caller's, in its arena. End it in any case. */
struct name_search *name_search_new(const struct profile *profile, const struct symbol_request *request);

/* Looks up what nobody has looked up, unless a search is on its way; where no process can be made, nothing happens. */
void name_search_begin(struct name_search *search, struct loop *loop);

/* Waits so many seconds at most until the answer is there: nothing else happens meanwhile. */
void name_search_wait(struct name_search *search, double seconds);

/* What is on its way is given up; what was found stays. */
void name_search_end(struct name_search *search);

/*
 * The profile's places with the names that are known now, in arena. One that nobody has looked up yet has the function
 * that is known around its address, without what is inlined there; where there is none, no frames.
 */
struct profile_place *name_search_places(const struct name_search *search, struct arena *arena);

/* ---- producer.c ---- */

/* Which compiler made a program, with its options, as its debug information says. */

/*
 * DW_AT_producer of the first unit: "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2". NULL: the file has no debug
 * information, or it can't be read. A process of its own reads it, since files come from strangers.
 */
const char *program_producer(const char *path, struct arena *arena);

#endif
