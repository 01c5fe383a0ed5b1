/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/core_internal.h"

/* Issue stops at what serializes until all before it is through, and for what a fence takes itself. */
static uint64_t serialized(const struct core *core, const struct insn *insn)
{
	uint64_t through = later(core->commit, core->cycle);

	if (insn->flags & INSN_DRAINS)
		return later(through, core->last_drain) + core->parameters.full_fence_latency;
	if (insn->flags & INSN_PAUSES)
		return through + core->parameters.pause_latency;
	return insn->flags & INSN_FENCE ? through + core->parameters.load_fence_latency : core->commit;
}

static uint64_t micro_ops(const struct core *core, const struct insn *insn, const struct uop *uops)
{
	uint64_t waiting = 0;

	for (unsigned i = 0; i < insn->nuops; i++)
		waiting += waiting_of(parameters_queue(&core->parameters, uops[i].port));
	return waiting;
}

void queues_take(struct core *core, const struct insn *insn, const struct uop *uops)
{
	const struct parameters *p = &core->parameters;
	uint64_t last = core->entry + insn->slots - 1; /* what has no slot is in that of the one before */
	uint64_t until = insn->slots ? core->commits[(last - p->reorder_buffer) & core->rob_mask] : 0;
	uint64_t room = waiting_room(p, micro_ops(core, insn, uops));
	uint32_t row = core->base + insn->row;

	if (insn->loads && core->nloads + insn->loads > p->load_queue)
		until = later(until, core->loads[(core->nloads + insn->loads - 1 - p->load_queue) & core->load_mask]);
	if (until > core->cycle)
		slots_wait(core, until, row);
	if (insn->stores && core->nstores + insn->stores > p->store_queue) {
		uint64_t index = (core->nstores + insn->stores - 1 - p->store_queue) & core->store_mask;

		if (core->stores[index] > core->cycle)
			slots_wait(core, core->stores[index], row);
		slots_lose(core, core->drains[index], (enum cause)core->drain_cause, row);
	}
	if ((core->waiting + room) & WAITING_FULL || core->cycle - core->opened > HORIZON / 4)
		slots_wait_scheduler(core, room, row);
	if (insn->flags & INSN_SERIALIZES)
		slots_lose(core, serialized(core, insn), CAUSE_SERIALIZATION, row);
}

void queues_wait(struct core *core, const struct block *block, uint64_t until, uint64_t store)
{
	uint32_t row = core->base + block->insns[0].row;

	until = later(until, core->stores[store]);
	if (until > core->cycle)
		slots_wait(core, until, row);
	slots_lose(core, core->drains[store], (enum cause)core->drain_cause, row);
	if ((core->waiting + block->waiting_room) & WAITING_FULL || core->cycle - core->opened > HORIZON / 4)
		slots_wait_scheduler(core, block->waiting_room, row);
}
