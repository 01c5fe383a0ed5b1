/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile_loops.h - the loops of a profile's hottest functions, by their instructions, and which of them each place is
 * in. Source lines say which loops of the code are one of the source: a compiler makes several of a loop of vectors.
 */
#ifndef TOPDOWN_PROGRAM_CODE_PROFILE_LOOPS_H
#define TOPDOWN_PROGRAM_CODE_PROFILE_LOOPS_H

#include "program/symbols/symbols.h"

struct loop_request {
	const struct symbol_request *symbols;
	const double *weights; /* [places of the profile]: the functions with the most are looked at */
	size_t most;	       /* functions */
};

/*
 * After functions have names. Fills the profile's loops and no_loops, and the loop of each place that is in one. Places
 * are those of instructions.
 */
void profile_loops_find(struct profile *profile, const struct loop_request *request);

#endif
