/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame.h - what a simulated program starts with: its environment, its path, and where its stack is. Pinned, these are
 * the same in every folder and for every user. A layout moves the stack.
 */
#ifndef TOPDOWN_COLLECT_SIMULATE_FRAME_H
#define TOPDOWN_COLLECT_SIMULATE_FRAME_H

#include <stdbool.h>

#include "collect/count/count.h"
#include "common/base/arena.h"

struct frame {
	char **environment; /* NULL-terminated, with VALGRIND_LIB */
	const char *path;   /* of the program, which is its argv[0] */
};

struct frame_choice {
	bool is_pinned;
	unsigned layout; /* from 0, which moves nothing */
};

/*
 * library: Valgrind's own files. Pinned, the environment is PATH, LD_LIBRARY_PATH and TMPDIR, with HOME, LANG, LC_ALL
 * and TZ of nobody. The variable TOPDOWN_PAD makes all texts on the stack together as long as anywhere.
 */
void frame_make(struct frame *frame, const struct frame_choice *choice, const struct program *program,
		const char *library, struct arena *arena);

#endif
