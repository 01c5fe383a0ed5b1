/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_queues.h - room of core_execute: in the reorder buffer, the load and the store queue, and the scheduler. */
#ifndef TOPDOWN_SIMULATOR_MODEL_CORE_QUEUES_H
#define TOPDOWN_SIMULATOR_MODEL_CORE_QUEUES_H

#include "simulator/model/core_units.h"

/* Issue waits until one instruction, with its micro-ops, has room. */
void queues_take(struct core *core, const struct insn *insn, const struct uop *uops);

/*
 * A block that goes into the queues as a whole waits until half of it has room, which is the mean of its instructions:
 * until a time, and for the store of a number to leave.
 */
void queues_wait(struct core *core, const struct block *block, uint64_t until, uint64_t store);

/* The whole block has room, or waits as above. */
static ALWAYS_INLINE void queues_take_block(struct core *core, const struct block *block)
{
	uint64_t entry = core->entry + (uint64_t)(int64_t)block->before_slots;
	uint64_t load = core->nloads + (uint64_t)(int64_t)block->before_loads;
	uint64_t store = (core->nstores + (uint64_t)(int64_t)block->before_stores) & core->store_mask;
	uint64_t until = later(core->commits[entry & core->rob_mask], core->loads[load & core->load_mask]);

	/* A store leaves its queue when it has retired, if not later. */
	if (UNLIKELY(later(until, core->drains[store]) > core->cycle ||
		     (core->waiting + block->waiting_room) & WAITING_FULL || core->cycle - core->opened > HORIZON / 4))
		queues_wait(core, block, until, store);
}

/* The slots of a block or an instruction are taken. */
static ALWAYS_INLINE void take_slots(struct core *core, uint32_t slots)
{
	uint32_t used = core->used + slots, cycles = used * core->per_slot >> 16;

	core->used = used - cycles * core->parameters.width;
	core->cycle += cycles;
}

#endif
