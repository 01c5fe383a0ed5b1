/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.c - what the simulator takes from Valgrind, for its tests. */
#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "simulator/model/block.h"
#include "simulator/model/host.h"

static void *kept; /* a list of what was allocated, until all of it is given back */

void *sim_allocate(size_t count, size_t size)
{
	size_t all = (2 * HOST_LINE - 1 + count * size) / HOST_LINE * HOST_LINE;
	void **memory = aligned_alloc(HOST_LINE, all);

	assert_non_null(memory);
	memset(memory, 0, all);
	*memory = kept;
	kept = memory;
	return (char *)memory + HOST_LINE;
}

void *sim_grow(void *memory, size_t before, size_t after)
{
	void *grown = sim_allocate(1, after);

	if (memory)
		memcpy(grown, memory, before);
	return grown;
}

void sim_release(void *memory)
{
	(void)memory;
}

void sim_forget(void)
{
	while (kept) {
		void *next = *(void **)kept;

		free(kept);
		kept = next;
	}
}
