/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steady.h - --steady: settings of the machine that make runs alike (governor, turbo, SMT), changed while it is
 * measured and restored however topdown ends. A guard process does that (setting.h); where that is killed too, a file
 * is left, by which the next topdown does it.
 */
#ifndef TOPDOWN_COLLECT_COUNT_STEADY_H
#define TOPDOWN_COLLECT_COUNT_STEADY_H

#include "collect/count/setting.h"
#include "common/base/arena.h"
#include "common/base/error.h"

enum steady_kind {
	STEADY_PIN,	 /* the program runs on one CPU */
	STEADY_GOVERNOR, /* "performance" */
	STEADY_TURBO,	 /* off */
	STEADY_SMT,	 /* off */
	STEADY_ASLR,	 /* off, for the program */
	STEADY_KINDS
};

struct steady_wish {
	bool wants[STEADY_KINDS];
};

/* "pin" */
const char *steady_word(enum steady_kind kind);

/* "pin,governor,turbo,smt,aslr", or some of these. */
int steady_parse(struct steady_wish *wish, const char *text, struct error *err) MUST_CHECK;

/* A file of the machine that is changed. */
struct steady_change {
	enum steady_kind kind;
	const char *name; /* below the sysroot: "sys/devices/system/cpu/smt/control" */
	char before[32], wanted[32];
};

struct steady {
	const char *sysroot; /* "": this machine */
	struct steady_change *changes;
	size_t count;
	const char *record; /* the file that is left when the guard is killed */
	struct setting guard;
	struct arena *arena;
};

/*
 * Changes what the wish asks of the machine; what is so already is left alone. -1 and err, and nothing is changed,
 * without the right to, where the machine has no such setting, or another topdown has changed it for itself. End it
 * in any case.
 */
int steady_begin(struct steady *steady, const struct steady_wish *wish, const char *sysroot, struct arena *arena,
		 struct error *err) MUST_CHECK;

/* Everything is as it was. -1 and err where something could not be restored. */
int steady_end(struct steady *steady, struct error *err) MUST_CHECK;

/*
 * Restores what a topdown has left that was killed together with its guard. Returns the number of settings, 0: nothing
 * was left; -1 and err where it can't be restored.
 */
int steady_recover(const char *sysroot, struct arena *arena, struct error *err) MUST_CHECK;

#endif
