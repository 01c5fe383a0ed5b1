/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/core_slots.h"

/* The calendar up to a cycle is over. */
static void turn_calendar(struct core *core, uint64_t until)
{
	for (uint64_t cycle = core->cycle; cycle < until && core->waiting; cycle++) {
		unsigned row = cycle % HORIZON;

		core->waiting -= core->leaving[row];
		core->leaving[row] = 0;
		core->booked[row].all = 0;
	}
}

void slots_lose(struct core *core, uint64_t until, enum cause cause, uint32_t place)
{
	uint64_t lost;

	if (until <= core->cycle)
		return;
	lost = (until - core->cycle) * core->parameters.width - core->used;
	core->lost[cause] += lost;
	if (place && place < core->attribution->capacity)
		core->attribution->rows[place][cause] += lost;
	turn_calendar(core, until);
	core->cycle = until;
	core->used = 0;
}

uint64_t slots_in_flight(struct core *core)
{
	uint64_t size = core->parameters.reorder_buffer;

	/* What is farther back has retired, or its successors would not be here; and its entries are others' by now. */
	if (core->newest - core->oldest > size)
		core->oldest = core->newest - size;
	while (core->oldest < core->newest && core->rob[core->oldest & core->rob_mask].commit <= core->cycle)
		core->oldest++;
	return core->newest - core->oldest;
}

void slots_wait(struct core *core, uint64_t until)
{
	slots_in_flight(core);
	while (core->cycle < until && core->oldest < core->newest) {
		const struct rob_entry *entry = &core->rob[core->oldest & core->rob_mask];

		if (entry->commit <= core->cycle)
			core->oldest++;
		else
			slots_lose(core, entry->commit < until ? entry->commit : until, (enum cause)entry->cause,
				   entry->place);
	}
	slots_lose(core, until, CAUSE_STORE, 0); /* all have retired: only stores can be in the way */
}

void slots_wait_scheduler(struct core *core, uint32_t count)
{
	uint32_t room = core->parameters.scheduler > count ? core->parameters.scheduler - count : 0;

	while (core->waiting > room) {
		uint64_t cycle = core->cycle;

		/* What leaves in a cycle makes room in the next one. */
		while (cycle < core->cycle + HORIZON - 1 && !core->leaving[cycle % HORIZON])
			cycle++;
		slots_wait(core, cycle + 1);
	}
}
