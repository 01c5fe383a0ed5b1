/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/core.h"

/* Of the calendar's words, what leaves each scheduler. */
#define OTHERS_MASK ((UINT64_C(1) << MEMORY_SHIFT) - (UINT64_C(1) << LEAVING_SHIFT))
#define MEMORY_MASK ((UINT64_C(1) << VECTOR_SHIFT) - (UINT64_C(1) << MEMORY_SHIFT))
#define VECTOR_MASK (CALENDAR_ALWAYS - (UINT64_C(1) << VECTOR_SHIFT))

/* As those that wait are counted. */
static inline uint64_t leaving(const struct core *core, uint64_t cycle)
{
	uint64_t word = core->calendar[cycle % HORIZON];

	return (word & OTHERS_MASK) >> LEAVING_SHIFT | (word & MEMORY_MASK) >> MEMORY_SHIFT << WAITING_BITS |
	       (word & VECTOR_MASK) >> VECTOR_SHIFT << (2 * WAITING_BITS);
}

/* Cycles that are over become free for those that come HORIZON later. A loop that compilers make one of vectors. */
static inline void reopen(struct core *core)
{
	uint64_t *words = &core->calendar[core->opened % HORIZON], others = 0, memory = 0, vector = 0;

	for (unsigned i = 0; i < REOPENED; i++) {
		others += words[i] & OTHERS_MASK;
		memory += words[i] & MEMORY_MASK;
		vector += (words[i] & VECTOR_MASK) >> VECTOR_SHIFT;
		words[i] = core->units;
	}
	core->waiting -=
		(others >> LEAVING_SHIFT) + (memory >> MEMORY_SHIFT << WAITING_BITS) + (vector << (2 * WAITING_BITS));
	core->opened += REOPENED;
}

uint64_t slots_waiting(struct core *core)
{
	uint64_t waiting;

	while (core->cycle - core->opened >= REOPENED)
		reopen(core);
	waiting = core->waiting;
	for (uint64_t cycle = core->opened; cycle < core->cycle; cycle++)
		waiting -= leaving(core, cycle);
	return waiting;
}

void slots_lose(struct core *core, uint64_t until, enum cause cause, uint32_t row)
{
	uint64_t lost;

	if (until <= core->cycle)
		return;
	lost = (until - core->cycle) * core->parameters.width - core->used;
	core->lost[cause] += lost;
	if (row && row < core->attribution->capacity)
		core->attribution->rows[row][cause] += lost;
	core->cycle = until;
	core->used = 0;
}

/*
 * Entries retire in order, so the first that has not is found by halving; without branches, of which the host could
 * predict none.
 */
uint64_t slots_in_flight(const struct core *core)
{
	uint32_t size = core->parameters.reorder_buffer, first = 0;
	uint64_t start = core->entry - size;

	for (uint32_t left = size, half; left > 1; left -= half) {
		half = left / 2;
		first += half & -(uint32_t)(core->commits[(start + first + half - 1) & core->rob_mask] <= core->cycle);
	}
	first += core->commits[(start + first) & core->rob_mask] <= core->cycle;
	return size - first;
}

static void lose_delay(struct core *core, uint64_t until, uint32_t word)
{
	slots_lose(core, until, (enum cause)(word & ((1 << DELAY_ROW_SHIFT) - 1)), word >> DELAY_ROW_SHIFT);
}

void slots_wait(struct core *core, uint64_t until, uint32_t row)
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
	slots_lose(core, until, CAUSE_STORE, row);
}

void slots_wait_scheduler(struct core *core, uint64_t room, uint32_t row)
{
	uint64_t waiting = slots_waiting(core), cycle = core->cycle;

	/* What leaves in a cycle makes room in the next one. */
	while ((waiting + room) & WAITING_FULL)
		waiting -= leaving(core, cycle++);
	if (cycle > core->cycle)
		slots_wait(core, cycle, row);
}

static void turn_entries(struct core *core)
{
	uint32_t size = core->rob_mask + 1;

	for (uint64_t i = size; i < core->entry; i++) {
		core->commits[i & core->rob_mask] = core->commits[i];
		core->issues[i & core->rob_mask] = core->issues[i];
	}
	while (core->entry > size)
		core->entry -= size;
}

static void turn_delays(struct core *core)
{
	uint32_t size = core->delay_mask + 1;

	for (uint64_t i = size; i < core->delay; i++) {
		core->delays[i & core->delay_mask] = core->delays[i];
		core->delay_words[i & core->delay_mask] = core->delay_words[i];
	}
	for (; core->delay > size; core->delay -= size)
		core->oldest_delay -= size;
}

void slots_turn_rings(struct core *core)
{
	if (core->entry > core->rob_mask + UINT64_C(1))
		turn_entries(core);
	if (core->delay > core->delay_mask)
		turn_delays(core);
}
