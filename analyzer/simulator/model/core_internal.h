/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_internal.h - what the files of this room share, and nobody else needs. */
#ifndef TOPDOWN_SIMULATOR_MODEL_CORE_INTERNAL_H
#define TOPDOWN_SIMULATOR_MODEL_CORE_INTERNAL_H

#include "simulator/model/core.h"
#include "simulator/model/core_units.h"

/* ---- core_delivery.c ---- */

/* Fetch and delivery of core_execute: when issue has a block's instructions, what held them up. */

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

/* ---- core_queues.c ---- */

/* Room of core_execute: in the reorder buffer, the load and the store queue, and the scheduler. */

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

/* ---- core_strings.c ---- */

/*
 * Repeated string instructions. Valgrind runs them an element at a time, as a block that jumps to itself. A core
 * has microcode for them: after a start it moves chunks, without a fetch or a branch for each.
 */

/*
 * Counts one more element of a block with is_repeated. Is it one that touches memory: the last of a chunk, or of the
 * instruction?
 */
bool strings_is_chunk(struct core *core, const struct execution *execution);

/* A chunk on its way through the core: bytes of its instruction before it, and where fetch was. */
struct string_chunk {
	uint64_t before, fetch;
};

/* In detail: before core_execute, if there is a chunk to execute, and behind it. */
bool strings_begin(struct core *core, const struct execution *execution, struct string_chunk *chunk);
void strings_end(struct core *core, const struct block *block, const struct string_chunk *chunk);

/* ---- core_memory.c ---- */

/*
 * Loads and stores of core_execute: when their data are there, and what a load gets from an earlier store. Inlined
 * into the loops over a block, where the time of a simulation goes.
 */

/* Of an address, in the tables of recent stores. */
static ALWAYS_INLINE uint32_t granule_of(uint64_t address)
{
	return address >> 3 & ((1 << STORE_BITS) - 1);
}

static ALWAYS_INLINE uint64_t recent_drain(const struct core *core, uint64_t address)
{
	return core->recent_drains[granule_of(address)];
}

static ALWAYS_INLINE enum cause supply_cause(const struct supply *supply)
{
	static const uint8_t causes[LEVEL_COUNT] = { CAUSE_L1,	      CAUSE_L2,	    CAUSE_L3,	CAUSE_DRAM,
						     CAUSE_CONTESTED, CAUSE_SHARED, CAUSE_FALSE };

	return supply->is_translated ? CAUSE_DTLB : (enum cause)causes[supply->level];
}

/* As in struct attribution. */
static ALWAYS_INLINE uint32_t row_of_step(const struct front *front, const struct step *step)
{
	return (front->base + step->row) >> DELAY_ROW_SHIFT;
}

/* When a load begins that has no unit at once; of vectors the core may load fewer in a cycle. */
uint64_t memory_load_start(struct core *core, unsigned port, uint64_t ready);

/* A load of a line that L1 does not have at once. */
struct outcome memory_load_line(struct core *core, uint64_t address, uint64_t start, uint32_t bytes, uint32_t row);

/* The part of a load that lies in the next line takes a unit of its own, and makes the load later. */
struct outcome memory_load_second(struct core *core, uint64_t address, uint64_t start, struct outcome outcome);

/* A load that begins before stores to where it reads have left their queue. */
struct behind {
	const struct step *step;
	uint64_t address, issue, start;
};

/* It may get some of its bytes from them, or only seem to. outcome: what it has without them. */
struct outcome memory_load_behind(struct core *core, const struct behind *load, struct outcome outcome);

static ALWAYS_INLINE struct outcome load_line(struct core *core, uint64_t address, uint64_t start, uint32_t bytes,
					      uint32_t row)
{
	struct hierarchy *h = &core->hierarchy;
	struct hit hit;

	if (UNLIKELY(!hierarchy_finds_data(h, address, start, &hit)))
		return memory_load_line(core, address, start, bytes, row);
	hierarchy_use_data(h, hit);
	h->traffic.data[LEVEL_L1]++;
	return (struct outcome){ .done = start + h->l1d_latency, .cause = CAUSE_L1 };
}

static ALWAYS_INLINE struct outcome load(struct core *core, struct front *front, const struct step *step,
					 uint64_t address, uint64_t ready)
{
	uint64_t start = ready;
	struct outcome outcome;

	if (UNLIKELY(step->port != PORT_LOAD || !units_are_free(core, PORT_LOAD, start)))
		start = memory_load_start(core, step->port, start);
	book(core, PORT_LOAD, start, front->limit);
	outcome = load_line(core, address, start, step_bytes(step->last), row_of_step(front, step));
	if (UNLIKELY((int64_t)(address & (LINE_BYTES - 1)) > step->last)) {
		core->hierarchy.row = row_of_step(front, step);
		outcome = memory_load_second(core, address + step_bytes(step->last) - 1, start, outcome);
	}
	if (UNLIKELY(recent_drain(core, address) > start ||
		     recent_drain(core, address + step_bytes(step->last) - 1) > start))
		outcome = memory_load_behind(
			core,
			&(struct behind){ .step = step, .address = address, .issue = front->issue, .start = start },
			outcome);
	core->ready[step->target] = outcome.done;
	if (UNLIKELY(start > ready) && start - ready > outcome.done - start)
		outcome.cause = CAUSE_PORTS;
	return outcome;
}

/* The step or micro-op of the next store, which is the same one each time. */
static ALWAYS_INLINE void note_maker(struct core *core, const void *maker)
{
	core->store_makers[core->nstores % RENAMED_STORES] = maker;
}

/*
 * A store retires when its address is translated, its data are known, and what is before it has, at `commit`; its line
 * may come later, and stores leave their queue in order. note_maker comes first.
 */
struct outcome memory_store(struct core *core, const struct step *step, uint64_t address, uint64_t ready,
			    uint64_t commit);

/* Nobody waits for what a prefetch brings, not even its own retirement. */
struct outcome memory_prefetch(struct core *core, struct front *front, const struct step *step, uint64_t address,
			       uint64_t ready);

/* A store past the caches: it leaves its queue when there is a buffer in which its line is put together. */
struct outcome memory_stream(struct core *core, struct front *front, const struct step *step, uint64_t address,
			     uint64_t ready);

/* An access under a condition that did not hold. */
static ALWAYS_INLINE struct outcome omit(struct core *core, const struct front *front, const struct step *step)
{
	core->ready[step->target] = front->issue;
	core->waiting -= waiting_of((enum queue)core->queues[step->port]);
	return (struct outcome){ .cause = CAUSE_DEPENDENCY };
}

#endif
