/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_delivery.h - fetch and delivery of core_execute: when issue has a block's instructions, what held them up. */
#ifndef TOPDOWN_SIMULATOR_MODEL_CORE_DELIVERY_H
#define TOPDOWN_SIMULATOR_MODEL_CORE_DELIVERY_H

#include "simulator/model/core_units.h"

/*
 * A line of code (address / 64) that fetch comes to. Where the micro-op cache delivers from one line a cycle, it begins
 * another cycle: behind what the line before still has to deliver, in FETCH_UNITs.
 */
void delivery_fetch_line(struct core *core, uint64_t line, uint32_t before);

/* Issue waits for one instruction of a block, which goes through the core by itself. */
void delivery_take(struct core *core, const struct insn *insn, bool *is_cached);

/* It waits for the block's first instruction, which fetch came to at a time in FETCH_UNITs. */
void delivery_take_first(struct core *core, const struct block *block, uint64_t fetch, bool is_cached);

/* Issue can't be ahead of fetch: loses the slots until this instruction is delivered, which is not yet. */
void delivery_lose(struct core *core, const struct insn *insn, uint64_t delivered);

/*
 * Fetch can't be farther ahead of issue than the queue between them is long: until the slot has
 * issued that is so many before the next one.
 */
static ALWAYS_INLINE uint64_t queue_room(const struct core *core, int32_t before)
{
	return core->issues[(core->entry + (uint64_t)(int64_t)before) & core->rob_mask] * FETCH_UNIT;
}

static ALWAYS_INLINE void await_delivery(struct core *core, const struct insn *insn, uint64_t delivered)
{
	if (UNLIKELY(delivered > core->cycle))
		delivery_lose(core, insn, delivered);
}

#endif
