/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile_bound.h - a profile that a file brought, cut to what can be shown. Writers that list each stack with all its
 * callers take as much as there are frames in all stacks together, which grows with the square of a chain's length.
 */
#ifndef TOPDOWN_COMMON_MEASUREMENT_PROFILE_BOUND_H
#define TOPDOWN_COMMON_MEASUREMENT_PROFILE_BOUND_H

#include "common/measurement/profile.h"

#define MOST_DEEP    1024    /* frames of a stack, those of inlined functions with them */
#define MOST_INLINED 256     /* frames of a place */
#define MOST_FRAMES  8000000 /* of all rows' stacks together, and */
#define FRAMES_A_ROW 8	     /* for each row and each stack */
#define MOST_NAME    4096    /* bytes of a name */

/*
 * Of a stack that is too deep the outermost frames and the innermost place stay, so that what belongs to the innermost
 * function still does. Long names of programs, threads and events are cut too. texts: the number of others that were
 * cut before. A remark says each.
 */
void profile_bound(struct profile *profile, uint32_t texts);

/* The name itself, or its beginning with an ellipsis. */
const char *name_bound(const char *name, struct arena *arena);

#endif
