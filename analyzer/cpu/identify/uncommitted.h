/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uncommitted.h - are files of a git checkout other than in its commit? */
#ifndef TOPDOWN_CPU_IDENTIFY_UNCOMMITTED_H
#define TOPDOWN_CPU_IDENTIFY_UNCOMMITTED_H

enum uncommitted { UNCOMMITTED_UNKNOWN, UNCOMMITTED_NONE, UNCOMMITTED_SOME };

/*
 * Of the files that git knows, in the checkout around directory ("" or NULL: the working directory). Runs `git status`,
 * for two seconds at most. Unknown without git, without a checkout, or where that takes longer.
 */
enum uncommitted uncommitted_find(const char *directory);

#endif
