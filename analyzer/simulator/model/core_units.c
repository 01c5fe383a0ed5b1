/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/core_units.h"

uint64_t units_next_free(const struct core *core, unsigned port, uint64_t time)
{
	uint64_t limit = units_limit(core);

	while (time < limit && !units_are_free(core, port, time))
		time++;
	return time;
}

struct outcome units_compute_later(struct core *core, const struct step *step, uint64_t ready)
{
	uint64_t start = units_next_free(core, step->port, ready);

	book(core, step->port, start, units_limit(core));
	return (struct outcome){ .done = start + step->latency,
				 .cause = start > ready ? CAUSE_PORTS : CAUSE_DEPENDENCY };
}
