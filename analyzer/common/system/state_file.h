/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state_file.h - files that topdown keeps for its user from run to run, in $XDG_STATE_HOME/topdown or
 * ~/.local/state/topdown.
 */
#ifndef TOPDOWN_COMMON_SYSTEM_STATE_FILE_H
#define TOPDOWN_COMMON_SYSTEM_STATE_FILE_H

#include <stdio.h>

#include "common/base/arena.h"
#include "common/base/error.h"

/* The path of the file of this name, which may not be there; NULL: this user has no home directory. */
const char *state_path(const char *name, struct arena *arena);

/*
 * Replaces the file by what write prints into the stream, as a whole: with mode 0600, in a directory of the user's own
 * with mode 0700. Nothing is made in the directories of other users, and no symbolic link is followed there. -1 where
 * it can't be kept, or write returns -1; the file is then as it was.
 */
typedef int state_writer(FILE *stream, const void *what, struct error *err);
int state_replace(const char *name, state_writer *write, const void *what, struct error *err) MUST_CHECK;

/* The same, but a file that is there stays: of several that make it at once all get the same one. */
int state_create(const char *name, state_writer *write, const void *what, struct error *err) MUST_CHECK;

#endif
