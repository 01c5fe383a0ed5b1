/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulated_calls.h - the system calls of all simulated processes, by the kernel's names of them. */
#ifndef TOPDOWN_COLLECT_SIMULATE_SIMULATED_CALLS_H
#define TOPDOWN_COLLECT_SIMULATE_SIMULATED_CALLS_H

#include "common/base/table.h"
#include "common/measurement/counts.h"

struct simulated_calls {
	struct arena *arena;
	struct table seen; /* numbers, as text, to places in items */
	struct system_call *items;
	size_t count, capacity;
};

/* "NUMBER<tab>COUNT" of one process (simulator/wire.h). A wrong line says nothing. */
void simulated_calls_add(struct simulated_calls *calls, char *text);

/* Into the repeat, in the order of their names. */
void simulated_calls_finish(struct simulated_calls *calls, struct repeat *repeat);

#endif
