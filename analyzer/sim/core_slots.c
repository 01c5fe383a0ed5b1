/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/core_slots.h"

/* The sum of eight bytes. */
static uint32_t sum(uint64_t bytes)
{
	const uint64_t even = UINT64_C(0x00ff00ff00ff00ff);

	return (uint32_t)(((bytes & even) + (bytes >> 8 & even)) * UINT64_C(0x0001000100010001) >> 48);
}

/* Eight cycles that are over become free for those that come HORIZON later. */
static void reopen(struct core *core)
{
	unsigned first = core->opened % HORIZON;
	uint64_t *leaving = &core->leaving[first / 8].all;

	core->opened += 8;
	if (!*leaving)
		return; /* nobody had a port either */
	core->waiting -= sum(*leaving);
	*leaving = 0;
	for (unsigned i = 0; i < 8; i++)
		core->ports[first + i] = core->units;
}

uint32_t slots_waiting(struct core *core)
{
	uint64_t left;

	while (core->cycle - core->opened >= 8)
		reopen(core);
	/* The first byte is the lowest on all machines that are simulated on. */
	left = core->leaving[core->opened % HORIZON / 8].all & ((UINT64_C(1) << 8 * (core->cycle % 8)) - 1);
	return core->waiting - sum(left);
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
	core->cycle = until;
	core->used = 0;
}

/* Entries retire in order, so the first that has not is found by halving. */
uint64_t slots_in_flight(const struct core *core)
{
	uint32_t size = core->parameters.reorder_buffer, first = 0, end = size;

	while (first < end) {
		uint32_t middle = first + (end - first) / 2;

		if (core->commits[(core->entry - size + middle) & core->rob_mask] <= core->cycle)
			first = middle + 1;
		else
			end = middle;
	}
	return size - first;
}

static void lose_delay(struct core *core, uint64_t until, uint32_t word)
{
	slots_lose(core, until, (enum cause)(word & ((1 << DELAY_PLACE_SHIFT) - 1)), word >> DELAY_PLACE_SHIFT);
}

void slots_wait(struct core *core, uint64_t until)
{
	/* What is farther back is over, and its entries are others' by now. */
	if (core->delay - core->oldest_delay > core->delay_mask)
		core->oldest_delay = core->delay - core->delay_mask - 1;
	while (core->cycle < until && core->oldest_delay != core->delay) {
		uint64_t number = core->oldest_delay & core->delay_mask, end = core->delays[number];

		if (end <= core->cycle)
			core->oldest_delay++;
		else
			lose_delay(core, end < until ? end : until, core->delay_words[number]);
	}
	slots_lose(core, until, CAUSE_STORE, 0); /* all have retired: only stores can be in the way */
}

static uint32_t leaving_in(const struct core *core, uint64_t cycle)
{
	return core->leaving[cycle % HORIZON / 8].cycle[cycle % 8];
}

void slots_wait_scheduler(struct core *core, uint32_t count)
{
	uint32_t room = core->parameters.scheduler > count ? core->parameters.scheduler - count : 0;
	uint32_t waiting = slots_waiting(core);
	uint64_t cycle = core->cycle;

	/* What leaves in a cycle makes room in the next one. */
	while (waiting > room)
		waiting -= leaving_in(core, cycle++);
	if (cycle > core->cycle)
		slots_wait(core, cycle);
}
