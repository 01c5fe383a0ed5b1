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
 * "KIND-MACHINE.json": the name of a file of which a home that machines share has one for each. A machine's name may be
 * anything that TOPDOWN_MACHINE says: what a file's name can't have is '_'.
 */
const char *state_name(const char *kind, const char *machine, struct arena *arena);

/*
 * The content of the file of this name, terminated with '\0' behind *length bytes. NULL: there is none that can be
 * read, it has more than most bytes, or it is not a regular file of the user's own that only the user writes.
 */
char *state_read(const char *name, size_t most, size_t *length, struct arena *arena) MUST_CHECK;

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
