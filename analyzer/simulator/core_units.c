/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/core_units.h"

uint64_t units_next_free(struct core *core, unsigned port, uint64_t time, uint64_t limit)
{
	while (time < limit && !*units_free(core, port, time))
		time++;
	return time;
}
