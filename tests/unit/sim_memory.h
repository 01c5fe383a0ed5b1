/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sim_memory.h - what the simulator takes from Valgrind; included by one file of a test. */
#ifndef TOPDOWN_TESTS_SIM_MEMORY_H
#define TOPDOWN_TESTS_SIM_MEMORY_H

#include <stdlib.h>

#include "rows.h"
#include "sim/memory.h"

static void *kept; /* nothing is given back, so a list keeps it reachable */

void *sim_allocate(size_t count, size_t size)
{
	void **memory = calloc(1, sizeof(*memory) * 2 + count * size);

	assert_non_null(memory);
	*memory = kept;
	kept = memory;
	return memory + 2;
}

#endif
