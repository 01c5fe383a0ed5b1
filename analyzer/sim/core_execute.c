/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/core_execute.h"

#include "sim/core_slots.h"
#include "sim/core_uops.h"

/* ---- delivery ---- */

/* A line of code asked for at a time, which is not simply there. */
static __attribute__((noinline)) void await_line(struct core *core, uint64_t line, uint64_t time)
{
	struct supply supply = hierarchy_fetch(&core->hierarchy, line, time);

	if (supply.time <= core->fetch / FETCH_UNIT)
		return;
	core->fetch = supply.time * FETCH_UNIT;
	core->late_until = supply.time;
	core->late_cause = supply.is_translated ? CAUSE_ITLB : CAUSE_ICACHE;
}

/* A line of code that fetch comes to. */
static void fetch_line(struct core *core, uint64_t line)
{
	uint64_t now = core->fetch / FETCH_UNIT, asked = core->predicted < now ? core->predicted : now;

	core->last_line = line;
	if (!hierarchy_hits_code(&core->hierarchy, line, asked))
		await_line(core, line, asked);
	core->is_cached = core->parameters.uop_cache_lines && stamped_access(&core->uop_cache, line);
}

static ALWAYS_INLINE void come_to_line(struct core *core, uint64_t line)
{
	if (line != core->last_line)
		fetch_line(core, line);
}

/* The lines of an instruction behind the block's first; that of the block's last byte may have been fetched already. */
static void come_further(struct core *core, const struct insn *insn)
{
	uint64_t last = (insn->address + insn->bytes - 1) >> 6;

	if (insn->address >> 6 > core->last_line)
		fetch_line(core, insn->address >> 6);
	if (last > core->last_line)
		fetch_line(core, last);
}

/* Fetch can't be farther ahead of issue than the queue between them is long: when it has room for so many slots more. */
static ALWAYS_INLINE uint64_t queue_room(const struct core *core, uint32_t slots)
{
	return core->issues[(core->entry + slots - core->parameters.decode_queue) & core->rob_mask] * FETCH_UNIT;
}

/* Issue can't be ahead of fetch: what came late comes first, and then what delivery itself takes. */
static void lose_delivery(struct core *core, const struct insn *insn, uint64_t delivered)
{
	enum cause cause = core->is_cached ? CAUSE_UOP_CACHE : CAUSE_LEGACY_DECODE;
	uint64_t late = core->late_until + 1;

	if (insn->flags & INSN_MICROCODED)
		cause = CAUSE_MICROCODE_SWITCH;
	slots_lose(core, delivered < late ? delivered : late, (enum cause)core->late_cause, insn->place);
	slots_lose(core, delivered, cause, insn->place);
}

static ALWAYS_INLINE void await_delivery(struct core *core, const struct insn *insn, uint64_t delivered)
{
	if (UNLIKELY(delivered > core->cycle))
		lose_delivery(core, insn, delivered);
}

static void deliver(struct core *core, const struct insn *insn, bool *is_cached)
{
	if (insn->flags & INSN_STARTS_LINE && (insn->before || insn->bytes > 64 - (insn->address & 63))) {
		come_further(core, insn);
		*is_cached = core->is_cached;
	}
	core->fetch = later(core->fetch, queue_room(core, 0)) + (*is_cached ? insn->cached_cost : insn->legacy_cost);
	await_delivery(core, insn, core->fetch / FETCH_UNIT);
}

/* Waits for the block's first instruction, which fetch came to at a time in FETCH_UNITs. */
static void deliver_first(struct core *core, const struct block *block, uint64_t fetch, bool is_cached)
{
	fetch = later(fetch, queue_room(core, 0)) + (is_cached ? block->first_cached_cost : block->first_legacy_cost);
	await_delivery(core, block->insns, fetch / FETCH_UNIT);
}

/* ---- room ---- */

/* Reorder buffer, load and store queue, scheduler. */
static void make_room(struct core *core, const struct insn *insn)
{
	const struct parameters *p = &core->parameters;
	uint64_t until = core->commits[(core->entry + insn->slots - 1 - p->reorder_buffer) & core->rob_mask];

	if (insn->loads && core->nloads + insn->loads > p->load_queue)
		until = later(until, core->loads[(core->nloads + insn->loads - 1 - p->load_queue) & core->load_mask]);
	if (until > core->cycle)
		slots_wait(core, until);
	if (insn->stores && core->nstores + insn->stores > p->store_queue) {
		uint64_t index = (core->nstores + insn->stores - 1 - p->store_queue) & core->store_mask;

		if (core->stores[index] > core->cycle)
			slots_wait(core, core->stores[index]);
		slots_lose(core, core->drains[index], CAUSE_STORE, insn->place);
	}
	if (core->waiting + insn->nuops > p->scheduler || core->cycle - core->opened > HORIZON / 4)
		slots_wait_scheduler(core, insn->nuops);
	if (insn->flags & INSN_SERIALIZES)
		slots_lose(core, core->commit, CAUSE_SERIALIZATION, insn->place);
}

/* A block that goes into the queues as a whole waits until half of it has room, which is the mean of its instructions. */
static void wait_for_room(struct core *core, const struct block *block, uint64_t until, uint64_t store)
{
	until = later(until, core->stores[store]);
	if (until > core->cycle)
		slots_wait(core, until);
	slots_lose(core, core->drains[store], CAUSE_STORE, block->insns[0].place);
	if (core->waiting > block->most_waiting || core->cycle - core->opened > HORIZON / 4)
		slots_wait_scheduler(core, block->half_uops);
}

static ALWAYS_INLINE void make_block_room(struct core *core, const struct block *block)
{
	uint64_t entry = core->entry + (uint64_t)(int64_t)block->before_slots;
	uint64_t load = core->nloads + (uint64_t)(int64_t)block->before_loads;
	uint64_t store = (core->nstores + (uint64_t)(int64_t)block->before_stores) & core->store_mask;
	uint64_t until = later(core->commits[entry & core->rob_mask], core->loads[load & core->load_mask]);

	/* A store leaves its queue when it has retired, if not later. */
	if (UNLIKELY(later(until, core->drains[store]) > core->cycle || core->waiting > block->most_waiting ||
		     core->cycle - core->opened > HORIZON / 4))
		wait_for_room(core, block, until, store);
}

/* The slots of a block or an instruction are taken. */
static ALWAYS_INLINE void take_slots(struct core *core, uint32_t slots)
{
	uint32_t used = core->used + slots, cycles = used * core->per_slot >> 16;

	core->used = used - cycles * core->parameters.width;
	core->cycle += cycles;
}

/* Instruction by instruction. */
static void execute_slowly(struct core *core, const struct block *block, const uint64_t *addresses)
{
	const struct insn *insn = block->insns, *end = insn + block->ninsns;
	const struct uop *uops = block->uops;
	bool is_cached = core->is_cached;

	for (; insn < end; insn++) {
		deliver(core, insn, &is_cached);
		make_room(core, insn);
		run_insn(core, core->cycle, insn, uops, addresses);
		take_slots(core, insn->slots);
		uops += insn->nuops;
	}
}

/* All at once. */
static ALWAYS_INLINE void execute_quickly(struct core *core, const struct block *block, const uint64_t *addresses)
{
	const struct step *step = block->steps;
	struct front front = front_of(core, core->cycle);
	uint64_t start = (core->cycle << 16) + core->used * core->per_slot;
	bool goes_on = true;

	core->waiting += block->booked;
	for (; goes_on; step++) {
		front.issue = (start + step->before) >> 16;
		goes_on = run_step(core, &front, block, step, addresses);
	}
	set_front(core, &front);
	take_slots(core, block->slots);
}

void core_execute(struct core *core, const struct block *block, const uint64_t *addresses)
{
	uint64_t first_fetch, fetch, last_line = (block->end - 1) >> 6;
	bool is_cached;

	core->retired += block->slots;
	come_to_line(core, block->address >> 6);
	first_fetch = core->fetch;
	is_cached = core->is_cached;
	if (UNLIKELY(block->is_special)) {
		deliver_first(core, block, first_fetch, is_cached);
		execute_slowly(core, block, addresses);
		return;
	}
	come_to_line(core, last_line);
	fetch = later(core->fetch, queue_room(core, block->slots)) +
		(is_cached ? block->cached_cost : block->legacy_cost);
	core->fetch = fetch;
	if (UNLIKELY(fetch / FETCH_UNIT > core->cycle))
		deliver_first(core, block, first_fetch, is_cached);
	make_block_room(core, block);
	execute_quickly(core, block, addresses);
	await_delivery(core, block->insns, fetch / FETCH_UNIT);
}
