/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions of a block on their way through delivery, issue, execution and retirement.
 *
 * This is where the time of a simulation goes: a few dozen host instructions for each of the program's. So what runs
 * for each micro-op is inlined into the loops over a block, what no host can predict is chosen without a branch, and
 * frequent kinds of instructions have a path of their own (enum shape).
 */
#include "simulator/model/core_internal.h"

/* How an instruction of several comes to its end: the latest of them, and what the longest of its own delays is. */
struct progress {
	uint64_t done, longest;
	uint32_t cause;
};

static ALWAYS_INLINE void set_front(struct core *core, const struct front *front)
{
	core->commit = front->commit;
	core->entry = front->entry;
	core->delay = front->delay;
	if (UNLIKELY(front->entry > core->rob_mask + UINT64_C(1) || front->delay > core->delay_mask))
		slots_turn_rings(core);
}

/* ---- retirement ---- */

/* What an instruction waits for, should it be the oldest one day: not if it retires no later than those before it. */
static ALWAYS_INLINE void note_delay(struct core *core, struct front *front, uint64_t done, uint32_t word)
{
	core->delays[front->delay] = done;
	core->delay_words[front->delay] = word;
	front->delay += done > front->commit;
	front->commit = later(front->commit, done);
}

/* Its entries, one a slot; the one before is shared by what has no slot. */
static ALWAYS_INLINE void take_entry(struct core *core, struct front *front, uint32_t slots)
{
	front->entry += slots;
	core->commits[front->entry - 1] = front->commit;
	core->issues[front->entry - 1] = front->issue;
}

static ALWAYS_INLINE void take_load_entry(struct core *core, const struct front *front)
{
	core->loads[core->nloads++ & core->load_mask] = front->commit;
}

/* ---- instructions ---- */

/* A micro-op that is no step of its own, of an instruction with a row. */
static ALWAYS_INLINE struct step step_of(const struct uop *uop, uint32_t row)
{
	struct step step = { .sources = { uop->sources[0], uop->sources[1] },
			     .target = uop->target,
			     .port = uop->port,
			     .row = delay_word(row, 0) };

	if (uop->kind == KIND_LOAD)
		step.last = step_last(uop->size);
	else if (uop->kind == KIND_STORE || uop->kind == KIND_STREAM)
		step.size = uop->size;
	else
		step.latency = uop->latency;
	step.is_renamed = uop->kind >= KIND_LOAD && step_is_renamed(uop);
	return step;
}

static ALWAYS_INLINE struct outcome run_uop(struct core *core, struct front *front, const struct uop *uop,
					    const uint64_t *addresses, uint32_t row)
{
	const struct step step = step_of(uop, row);
	bool has_port = uop->port != PORT_NONE;
	uint64_t ready = sources_ready(core, front, uop->sources), address;

	ready = later(ready, sources_ready(core, front, uop->sources + 2));
	core->waiting += has_port ? waiting_of((enum queue)core->queues[uop->port]) : 0;
	if (uop->kind < KIND_LOAD && uop->occupancy)
		return divide(core, &step, uop->occupancy, ready);
	if (uop->kind < KIND_LOAD)
		return compute(core, front, &step, ready);
	address = addresses[uop->access];
	if (UNLIKELY(!address))
		return omit(core, front, &step);
	if (UNLIKELY(uop->kind == KIND_PREFETCH))
		return memory_prefetch(core, front, &step, address, ready);
	if (UNLIKELY(uop->kind == KIND_STREAM))
		return memory_stream(core, front, &step, address, ready);
	if (uop->kind == KIND_LOAD)
		return load(core, front, &step, address, ready);
	note_maker(core, uop);
	return memory_store(core, &step, address, ready, front->commit);
}

static ALWAYS_INLINE void advance(struct progress *progress, struct outcome outcome)
{
	uint64_t own = outcome.done - progress->done;

	if (outcome.done <= progress->done)
		return;
	progress->done = outcome.done;
	if (own < progress->longest)
		return;
	progress->longest = own;
	progress->cause = outcome.cause;
}

/* It takes its time between load and store, and waits for its line when another core has that. */
static void finish_atomic(struct core *core, struct progress *progress)
{
	struct supply supply = { .level = core->hierarchy.transfer.level };

	advance(progress, (struct outcome){ .done = progress->done + core->parameters.lock_latency,
					    .cause = CAUSE_SERIALIZATION });
	if (core->hierarchy.transfer.cycles)
		advance(progress, (struct outcome){ .done = progress->done + core->hierarchy.transfer.cycles,
						    .cause = supply_cause(&supply) });
	core->hierarchy.transfer.cycles = 0;
	core->hierarchy.atomic = ATOMIC_NONE;
}

/* An instruction of any kind, issued at a cycle. */
static void run_insn(struct core *core, uint64_t issue, const struct insn *insn, const struct uop *uop,
		     const uint64_t *addresses)
{
	struct front front = front_of(core, issue);
	struct progress progress = { .done = front.commit, .cause = CAUSE_DEPENDENCY };
	const struct uop *end = uop + insn->nuops;

	if (insn->flags & INSN_LOCKED)
		core->hierarchy.atomic = ATOMIC_BEGINS;
	for (; uop < end; uop++)
		advance(&progress, run_uop(core, &front, uop, addresses, insn->row));
	if (insn->flags & INSN_LOCKED)
		finish_atomic(core, &progress);
	note_delay(core, &front, progress.done, delay_word(core->base + insn->row, (enum cause)progress.cause));
	take_entry(core, &front, insn->slots > 0);
	for (uint32_t slots = 1; slots < insn->slots; slots++)
		take_entry(core, &front, 1);
	for (uint32_t loads = insn->loads; loads; loads--)
		take_load_entry(core, &front);
	set_front(core, &front);
}

static ALWAYS_INLINE struct outcome run_load(struct core *core, struct front *front, const struct step *step,
					     const uint64_t *addresses)
{
	uint64_t address = addresses[step->number], ready = sources_ready(core, front, step->sources);

	return LIKELY(address) ? load(core, front, step, address, ready) : omit(core, front, step);
}

static ALWAYS_INLINE struct outcome run_store(struct core *core, struct front *front, const struct step *step,
					      const uint64_t *addresses)
{
	uint64_t address = addresses[step->number], ready = sources_ready(core, front, step->sources);

	ready = later(ready, core->ready[step->third]);
	note_maker(core, step);
	return LIKELY(address) ? memory_store(core, step, address, ready, front->commit) : omit(core, front, step);
}

static ALWAYS_INLINE void run_other(struct core *core, struct front *front, const struct block *block,
				    const struct step *step, const uint64_t *addresses)
{
	uint64_t issue = front->issue;

	set_front(core, front);
	run_insn(core, issue, &block->insns[step->number], &block->uops[step->uop], addresses);
	*front = front_of(core, issue);
}

static ALWAYS_INLINE void retire(struct core *core, struct front *front, const struct step *step,
				 struct outcome outcome)
{
	note_delay(core, front, outcome.done, (front->base + step->row) | outcome.cause);
	take_entry(core, front, step->slots);
}

/* False at the end of the block. What is frequent is asked for first. */
static ALWAYS_INLINE bool run_step(struct core *core, struct front *front, const struct block *block,
				   const struct step *step, const uint64_t *addresses)
{
	unsigned shape = step->shape;

	if (LIKELY(shape == SHAPE_COMPUTE)) {
		retire(core, front, step, compute(core, front, step, sources_ready(core, front, step->sources)));
	} else if (LIKELY(shape == SHAPE_LOAD)) {
		retire(core, front, step, run_load(core, front, step, addresses));
		take_load_entry(core, front);
	} else if (shape == SHAPE_END) {
		return false;
	} else if (shape == SHAPE_NOTHING) {
		for (uint32_t slots = step->slots; slots; slots--)
			take_entry(core, front, 1);
	} else if (shape == SHAPE_STORE) {
		retire(core, front, step, run_store(core, front, step, addresses));
	} else {
		run_other(core, front, block, step, addresses);
	}
	return true;
}

/* ---- blocks ---- */

/* Instruction by instruction. */
static void execute_slowly(struct core *core, const struct block *block, const uint64_t *addresses)
{
	const struct insn *insn = block->insns, *end = insn + block->ninsns;
	const struct uop *uops = block->uops;
	bool is_cached = core->is_cached;

	for (; insn < end; insn++) {
		delivery_take(core, insn, &is_cached);
		queues_take(core, insn, uops);
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
	if (block->address >> 6 != core->last_line)
		delivery_fetch_line(core, block->address >> 6, 0);
	first_fetch = core->fetch;
	is_cached = core->is_cached;
	if (UNLIKELY(block->is_special)) {
		delivery_take_first(core, block, first_fetch, is_cached);
		execute_slowly(core, block, addresses);
		return;
	}
	if (last_line != core->last_line)
		delivery_fetch_line(core, last_line, block->line_cost);
	fetch = later(core->fetch, queue_room(core, block->before_queue)) +
		(is_cached ? block->cached_cost : block->legacy_cost);
	core->fetch = fetch;
	if (UNLIKELY(fetch / FETCH_UNIT > core->cycle))
		delivery_take_first(core, block, first_fetch, is_cached);
	queues_take_block(core, block);
	execute_quickly(core, block, addresses);
	await_delivery(core, block->insns, fetch / FETCH_UNIT);
}
