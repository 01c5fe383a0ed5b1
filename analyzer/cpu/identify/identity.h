/* SPDX-License-Identifier: GPL-2.0-or-later */
/* identity.h - which machine this is: two measurements of the same one are comparable. */
#ifndef TOPDOWN_CPU_IDENTIFY_IDENTITY_H
#define TOPDOWN_CPU_IDENTIFY_IDENTITY_H

#include "common/base/arena.h"

struct identity {
	/*
	 * What TOPDOWN_MACHINE says, for machines that come and go but are alike; else 16 hex digits made of
	 * machine-id(5), which can't be had back from them; else the host's name.
	 */
	const char *machine;
	const char *microcode; /* its revision, as /proc/cpuinfo has it of the first CPU; NULL: unknown */
};

/* Of this machine, or of a snapshot below sysroot. */
struct identity identity_of(const char *sysroot, struct arena *arena);

#endif
