/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simulated_names.h - names of a simulated profile's places, as those of samples are found: the simulator knows a
 * line of a function, and not the functions that are inlined there.
 */
#ifndef TOPDOWN_ENGINE_SIMULATED_NAMES_H
#define TOPDOWN_ENGINE_SIMULATED_NAMES_H

#include "common/measurement/counts.h"
#include "common/measurement/profile.h"

struct simulated_wish {
	const char *sysroot;
	double *weights; /* of each place, to find the loops of the functions with the most; NULL: of none */
	size_t most;	 /* such functions */
};

/*
 * Gives each simulated place the frames of an instruction that is there; where nothing is found, what the simulator
 * said stays, demangled. Of the lines of the counts the functions' names alone.
 */
void simulated_names_find(struct profile *profile, struct counts *counts, const struct simulated_wish *wish,
			  struct arena *arena);

#endif
