/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frames.h - the functions of a profile, each once by its name and module; the places as frames of them. */
#ifndef TOPDOWN_PRESENT_EXPORT_FRAMES_H
#define TOPDOWN_PRESENT_EXPORT_FRAMES_H

#include "common/measurement/profile.h"

struct export_function {
	const char *name;   /* safe to show; of an unknown one its module in brackets, "[libc.so.6]" */
	const char *file;   /* safe to show; the first that is known; NULL: none is */
	const char *module; /* the last part of its path, safe to show; "" : unknown */
	uint32_t number;    /* of the module in the profile */
	bool is_known;
};

struct export_frame {
	uint32_t function;
	uint32_t line; /* 0: unknown, or in another file than the function's */
};

struct export_frames {
	struct export_function *items; /* by name, then by module: so a number is also a rank */
	uint32_t count;
	struct export_frame *frames; /* of all places, each outermost first; at least one a place */
	uint32_t *first;	     /* of each place, and behind the last */
};

void frames_init(struct export_frames *functions, const struct profile *profile, struct arena *arena);

/* What is behind the last '/'. */
const char *last_part(const char *path);

#endif
