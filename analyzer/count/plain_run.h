/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plain_run.h - a program from its start to its end, with nothing counted. */
#ifndef TOPDOWN_PLAIN_RUN_H
#define TOPDOWN_PLAIN_RUN_H

#include "count/input.h"
#include "count/launch.h"

struct plain_run {
	const struct program *program;
	struct signals *signals; /* held; what comes is passed on to the program */
	struct input *input;
	size_t number; /* from 0: the first has the terminal, the others are silent */
};

/* Fills child and told with how it ended. -1 when it could not be run: err->status is then 126 or 127, or 0. */
int plain_run(struct child *child, struct count_run *told, const struct plain_run *run, struct error *err) MUST_CHECK;

#endif
