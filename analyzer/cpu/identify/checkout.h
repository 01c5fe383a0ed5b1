/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * checkout.h - the commit and the branch of a git checkout, read from its files as gitrepository-layout(5) describes
 * them; or what a CI system says of them.
 */
#ifndef TOPDOWN_CPU_IDENTIFY_CHECKOUT_H
#define TOPDOWN_CPU_IDENTIFY_CHECKOUT_H

#include <stdbool.h>

#include "common/base/arena.h"

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
