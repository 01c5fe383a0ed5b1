/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input.h - the same stdin for each run. A file is opened again where it stood; what the first run is given from a pipe
 * is kept for the others, on its way, so that an endless or an idle pipe keeps nobody waiting; a terminal is for the
 * first only.
 */
#ifndef TOPDOWN_INPUT_H
#define TOPDOWN_INPUT_H

#include <sys/types.h>

#include "base/error.h"

enum input_kind {
	INPUT_SHARED, /* a single run, a device, or closed: each run inherits it */
	INPUT_FILE,
	INPUT_PIPE,	/* or a socket */
	INPUT_TERMINAL, /* /dev/null from the second run on */
};

struct input {
	enum input_kind kind;
	off_t start; /* INPUT_FILE: where it stood */
	int kept;    /* INPUT_PIPE: memory file with what the first run was given, or -1 */
	pid_t pump;  /* INPUT_PIPE: the process that copies it during the first run, or 0 */
};

/* Looks at stdin; nothing is read yet. */
void input_init(struct input *input, size_t runs);

/* Stdin for a run (from 0): a descriptor that the caller closes, INPUT_INHERITED, or -1 and err. */
int input_open(struct input *input, size_t run, struct error *err) MUST_CHECK;
#define INPUT_INHERITED (-2)

/* After each run: ends the copying. */
void input_end_run(struct input *input);
void input_release(struct input *input);

#endif
