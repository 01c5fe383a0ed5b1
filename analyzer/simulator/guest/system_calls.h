/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system_calls.h - how often the process's threads have entered each system call of the kernel, in the part of the
 * program that is counted (gate.h).
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_SYSTEM_CALLS_H
#define TOPDOWN_SIMULATOR_GUEST_SYSTEM_CALLS_H

#include "simulator/guest/core_totals.h"
#include "simulator/guest/writer.h"

#define SYSTEM_CALLS 1024 /* numbers that are kept apart; Linux 6.12 has none above 462 */

struct system_calls {
	ULong all;
	ULong by_number[SYSTEM_CALLS];
};

/* Before a system call of the current thread: it counts for its share too, where there are shares. */
void system_calls_count(struct system_calls *calls, struct guest_threads *threads, UInt number);

/* A line for each number that was used. */
void system_calls_write(struct writer *writer, const struct system_calls *calls);

#endif
