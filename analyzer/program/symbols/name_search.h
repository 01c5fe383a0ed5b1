/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * name_search.h - names of a profile that still grows: symbols_resolve in a process of its own, whose answer an event
 * loop waits for, because debug information takes longer to read than a buffer of samples takes to fill. The profile
 * stays as it is: the names are beside it.
 */
#ifndef TOPDOWN_PROGRAM_SYMBOLS_NAME_SEARCH_H
#define TOPDOWN_PROGRAM_SYMBOLS_NAME_SEARCH_H

#include "common/base/loop.h"
#include "program/symbols/symbols.h"

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

#endif
