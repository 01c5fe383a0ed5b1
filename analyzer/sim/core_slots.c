/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/core_slots.h"

/* The calendar up to a cycle is over. */
static void turn_calendar(struct core *core, uint64_t until)
{
	for (uint64_t cycle = core->cycle; cycle < until && core->waiting; cycle++) {
		unsigned row = cycle % HORIZON;

		core->waiting -= core->leaving[row];
		core->leaving[row] = 0;
		core->ports[row] = core->units;
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

/* Entries retire in order, so the first that has not is found by halving. */
uint64_t slots_in_flight(const struct core *core)
{
	uint64_t size = core->parameters.reorder_buffer, end = core->newest, first = end > size ? end - size : 0;

	while (first < end) {
		uint64_t middle = first + (end - first) / 2;

		if (core->rob[middle & core->rob_mask].commit <= core->cycle)
			first = middle + 1;
		else
			end = middle;
	}
	return core->newest - first;
}

void slots_wait(struct core *core, uint64_t until)
{
	/* What is farther back is over, and its entries are others' by now. */
	if (core->ndelays - core->oldest_delay > core->delay_mask)
		core->oldest_delay = core->ndelays - core->delay_mask - 1;
	while (core->cycle < until && core->oldest_delay < core->ndelays) {
		const struct delay *delay = &core->delays[core->oldest_delay & core->delay_mask];

		if (delay->until <= core->cycle)
			core->oldest_delay++;
		else
			slots_lose(core, delay->until < until ? delay->until : until, (enum cause)delay->cause,
				   delay->place);
	}
	slots_lose(core, until, CAUSE_STORE, 0); /* all have retired: only stores can be in the way */
}

void slots_wait_scheduler(struct core *core, uint32_t count)
{
	uint32_t room = core->parameters.scheduler > count ? core->parameters.scheduler - count : 0;

	while (core->waiting > room) {
		uint64_t cycle = core->cycle, limit = cycle + HORIZON - 1;
		uint32_t left = 0;

		/* What leaves in a cycle makes room in the next one. */
		while (cycle < limit && core->waiting - left > room)
			left += core->leaving[cycle++ % HORIZON];
		slots_wait(core, cycle);
	}
}
