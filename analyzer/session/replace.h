/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replace.h - a file with its whole content or not at all: written beside its place, then renamed into it. */
#ifndef TOPDOWN_REPLACE_H
#define TOPDOWN_REPLACE_H

#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"

struct replacement {
	FILE *stream;
	const char *path; /* as errors name it */
	char *target;	  /* symbolic links followed */
	char *temporary;  /* NULL: written directly, because path is "-", a device or a pipe */
	struct arena arena;
};

/* On failure there is nothing to end. */
int replace_begin(struct replacement *file, const char *path, struct error *err) MUST_CHECK;

/* Puts the file into its place, or with result < 0 (writing failed) removes it. Returns -1 if either failed. */
int replace_end(struct replacement *file, int result, struct error *err) MUST_CHECK;

#endif
