/* SPDX-License-Identifier: GPL-2.0-or-later */
/* identity.h - which machine this is: two measurements of the same one are comparable. */
#ifndef TOPDOWN_CPU_IDENTIFY_IDENTITY_H
#define TOPDOWN_CPU_IDENTIFY_IDENTITY_H

#include <stdbool.h>

#include "common/base/arena.h"

struct identity {
	/*
	 * What TOPDOWN_MACHINE says, for machines that come and go but are alike; else 16 hex digits made of
	 * machine-id(5), which can't be had back from them; else the host's name.
	 */
	const char *machine;
	const char *microcode; /* its revision, as /proc/cpuinfo has it of the first CPU; NULL: unknown */
};

/* Of this machine, or of a snapshot below sysroot. */
struct identity identity_of(const char *sysroot, struct arena *arena);

/* ---- uncommitted.c ---- */

/* Are files of a git checkout other than in its commit? */

enum uncommitted { UNCOMMITTED_UNKNOWN, UNCOMMITTED_NONE, UNCOMMITTED_SOME };

/*
 * Of the files that git knows, in the checkout around directory ("" or NULL: the working directory). Runs `git status`,
 * for two seconds at most. Unknown without git, without a checkout, or where that takes longer.
 */
enum uncommitted uncommitted_find(const char *directory);

/* ---- checkout.c ---- */

/*
 * The commit and the branch of a git checkout, read from its files as gitrepository-layout(5) describes them; or
 * what a CI system says of them.
 */

struct checkout {
	const char *revision; /* the commit's hash, as many hex digits as git has; NULL: unknown */
	const char *branch;   /* "main", "feature/x"; NULL: none (a detached HEAD), or unknown */
	bool is_of_files;     /* the commit is the checkout's, and not a CI system's word */
};

/*
 * Of the checkout that directory is in ("" or NULL: the working directory), or that GIT_DIR names. What it does not say
 * comes from the variables of CI systems: a commit where there is no checkout, a branch where HEAD is detached. Nothing
 * of it is an error.
 */
struct checkout checkout_identify(const char *directory, struct arena *arena);

#endif
