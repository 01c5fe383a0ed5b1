/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * successor.h - the program that takes a process's place by exec: can it be simulated? One that can't runs natively,
 * since it would fail otherwise.
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_SUCCESSOR_H
#define TOPDOWN_SIMULATOR_GUEST_SUCCESSOR_H

#include "simulator/guest/valgrind.h"
#include "simulator/wire.h"

struct successor {
	HChar path[VKI_PATH_MAX]; /* as the process named it; "" when it names none that can be opened */
	enum wire_obstacle obstacle;
};

/* Fills it from the arguments of the system call, which the process may have made up. */
void successor_find(struct successor *successor, UInt number, const UWord *arguments);

/* Is the program a descriptor's file (fexecve), instead of a path's? */
Bool successor_is_descriptor(UInt number, const UWord *arguments);

/*
 * Can its process still reach what a simulation needs: the launcher, and these files? Not in another root directory, as
 * another user, or when the simulation has ended.
 */
Bool successor_can_start(const HChar *core_file, const HChar *directory);

#endif
