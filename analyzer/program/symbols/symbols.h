/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - names of a profile's places: functions, inlined frames, files and lines. The only folder that knows
 * libdw. Each unique place is looked up once, module by module, in a process of its own: files come from strangers, and
 * one that breaks libdw costs its module's names only, which the module's remark says.
 */
#ifndef TOPDOWN_PROGRAM_SYMBOLS_SYMBOLS_H
#define TOPDOWN_PROGRAM_SYMBOLS_SYMBOLS_H

#include "common/base/error.h"
#include "common/measurement/profile.h"

struct symbol_request {
	const char *sysroot; /* where proc/ is; "": this machine */
	const char *search;  /* folders of separate debug files, ':'-separated; NULL: /usr/lib/debug */
	double limit_s;	     /* CPU time that a module may take; 0: as much as a large one needs */
};

/* Fills the frames of all places that have none, and the remarks of modules. -1 only where no process can be made. */
int symbols_resolve(struct profile *profile, const struct symbol_request *request, struct error *err) MUST_CHECK;

/* A C++, Rust, D or plain name as people write it. In arena, or name itself. */
const char *symbol_demangle(const char *name, struct arena *arena);

#endif
