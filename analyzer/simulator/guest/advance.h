/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advance.h - how far the simulation is, for topdown to show on a terminal: through files (wire.h) that topdown makes
 * only where it shows it.
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_ADVANCE_H
#define TOPDOWN_SIMULATOR_GUEST_ADVANCE_H

#include "simulator/guest/valgrind.h"

/* The counts' directory, and what this process has done so far. */
struct advance {
	const HChar *directory;
	Bool has_written; /* on a terminal */
};

/* Instructions have been simulated, of which whole steps are added and taken off. */
void advance_count(const struct advance *advance, ULong *instructions);

/* Before a system call: topdown's line goes, and stays away, when the program writes on a terminal. */
void advance_call(struct advance *advance, UInt number, const UWord *arguments);

#endif
