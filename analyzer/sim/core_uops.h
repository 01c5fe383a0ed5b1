/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core_uops.h - an instruction's micro-ops on their way through ports and memory, and the instruction into the reorder buffer. Only
 * core_execute.c includes it.
 *
 * This is where the time of a simulation goes: a few dozen host instructions for each of the program's. So all of it is inlined into the
 * loops over a block, what is decided by data that nobody can predict is chosen without a branch, and what most instructions consist of has a
 * way of its own (enum shape).
 */
#ifndef TOPDOWN_SIM_CORE_UOPS_H
#define TOPDOWN_SIM_CORE_UOPS_H

#include "sim/core.h"

#define LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define ALWAYS_INLINE	    inline __attribute__((always_inline))

/* What changes with each instruction: kept in registers throughout a block. */
struct front {
	uint64_t issue;	       /* cycle of the current instruction */
	uint64_t commit;       /* core.h */
	uint64_t entry, delay; /* the next ones of the rings, which are not turned before the block is through */
	uint64_t limit;	       /* of the cycles in which ports can be booked */
};

/* When a micro-op is done, and what it waited for; 0 for one that was not made. */
struct outcome {
	uint64_t done;
	uint32_t cause; /* enum cause */
};

/* How an instruction of several comes to its end: the latest of them, and what the longest of its own delays is. */
struct progress {
	uint64_t done, longest;
	uint32_t cause;
};

static ALWAYS_INLINE uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static ALWAYS_INLINE struct front front_of(const struct core *core, uint64_t issue)
{
	return (struct front){ .issue = issue,
			       .commit = core->commit,
			       .entry = core->entry,
			       .delay = core->delay,
			       .limit = core->opened + HORIZON };
}

static __attribute__((noinline)) void turn_entries(struct core *core)
{
	uint32_t size = core->rob_mask + 1;

	for (uint64_t i = size; i < core->entry; i++) {
		core->commits[i & core->rob_mask] = core->commits[i];
		core->issues[i & core->rob_mask] = core->issues[i];
	}
	while (core->entry > size)
		core->entry -= size;
}

static __attribute__((noinline)) void turn_delays(struct core *core)
{
	uint32_t size = core->delay_mask + 1;

	for (uint64_t i = size; i < core->delay; i++) {
		core->delays[i & core->delay_mask] = core->delays[i];
		core->delay_words[i & core->delay_mask] = core->delay_words[i];
	}
	for (; core->delay > size; core->delay -= size)
		core->oldest_delay -= size;
}

static ALWAYS_INLINE void set_front(struct core *core, const struct front *front)
{
	core->commit = front->commit;
	core->entry = front->entry;
	core->delay = front->delay;
	if (UNLIKELY(front->entry > core->rob_mask + UINT64_C(1)))
		turn_entries(core);
	if (UNLIKELY(front->delay > core->delay_mask))
		turn_delays(core);
}

/* ---- execution ---- */

static ALWAYS_INLINE uint8_t *units_free(struct core *core, unsigned port, uint64_t time)
{
	return &core->ports[time % HORIZON].free[port];
}

static ALWAYS_INLINE void book(struct core *core, uint8_t *free, uint64_t time)
{
	--*free;
	core->leaving[0].cycle[time % HORIZON]++;
}

/* The first time from here on at which a unit is free, as far as is known. */
static __attribute__((noinline)) uint64_t next_free(struct core *core, unsigned port, uint64_t time, uint64_t limit)
{
	while (time < limit && !*units_free(core, port, time))
		time++;
	return time;
}

/* A port for a micro-op that could start at a time, which is moved to when it does. Was it free then? The micro-op is among those that wait. */
static ALWAYS_INLINE bool take_port(struct core *core, const struct front *front, unsigned port, uint64_t *time)
{
	uint8_t *free = units_free(core, port, *time);
	bool is_free = true;

	if (UNLIKELY(!*free)) {
		*time = next_free(core, port, *time, front->limit);
		free = units_free(core, port, *time);
		is_free = false;
	}
	if (LIKELY(*time < front->limit))
		book(core, free, *time);
	else
		core->waiting--;
	return is_free;
}

/* The empty sources are behind the others, and always ready. */
static ALWAYS_INLINE uint64_t sources_ready(const struct core *core, const struct front *front, const uint16_t *sources)
{
	return later(later(front->issue + 1, core->ready[sources[0]]), core->ready[sources[1]]);
}

static ALWAYS_INLINE struct outcome compute(struct core *core, struct front *front, const struct step *step,
					    uint64_t ready)
{
	struct outcome outcome = { .cause = CAUSE_DEPENDENCY };
	uint64_t start = ready;

	if (UNLIKELY(!take_port(core, front, step->port, &start)) && start - ready >= step->latency)
		outcome.cause = CAUSE_PORTS;
	outcome.done = start + step->latency;
	core->ready[step->target] = outcome.done;
	return outcome;
}

static ALWAYS_INLINE struct outcome compute_second(struct core *core, const struct step *step, uint64_t ready)
{
	core->ready[step->target] = ready + step->latency;
	return (struct outcome){ .done = ready + step->latency, .cause = CAUSE_DEPENDENCY };
}

/* The divider takes one at a time. */
static ALWAYS_INLINE struct outcome divide(struct core *core, struct front *front, const struct step *step,
					   uint32_t occupancy, uint64_t ready)
{
	uint64_t start = later(ready, core->divider_free);

	core->divider_free = start + occupancy;
	if (step->port != PORT_NONE)
		take_port(core, front, step->port, &start);
	core->ready[step->target] = start + step->latency;
	return (struct outcome){ .done = start + step->latency, .cause = CAUSE_DIVIDER };
}

/* ---- memory ---- */

static ALWAYS_INLINE struct recent_store *recent_store(struct core *core, uint64_t granule)
{
	return &core->recent[granule & ((1 << STORE_BITS) - 1)];
}

static ALWAYS_INLINE enum cause supply_cause(const struct supply *supply)
{
	static const uint8_t causes[LEVEL_COUNT] = { CAUSE_L1, CAUSE_L2, CAUSE_L3, CAUSE_DRAM };

	return supply->is_translated ? CAUSE_DTLB : (enum cause)causes[supply->level];
}

static ALWAYS_INLINE struct outcome load_line(struct core *core, uint64_t address, uint64_t start)
{
	struct hierarchy *h = &core->hierarchy;
	struct supply supply;

	if (LIKELY(hierarchy_hits_data(h, address, start))) {
		h->traffic.data[LEVEL_L1]++;
		return (struct outcome){ .done = start + h->l1d_latency, .cause = CAUSE_L1 };
	}
	supply = hierarchy_load(h, address, start);
	return (struct outcome){ .done = supply.time, .cause = supply_cause(&supply) };
}

/* The part of an access that lies in the next line. */
static void load_second_line(struct core *core, uint64_t address, uint64_t start, struct outcome *outcome)
{
	struct supply other = hierarchy_load(&core->hierarchy, address, start + 1);

	other.is_translated = false;
	if (other.time > outcome->done)
		*outcome = (struct outcome){ .done = other.time, .cause = supply_cause(&other) };
}

static ALWAYS_INLINE struct outcome load(struct core *core, struct front *front, const struct step *step,
					 uint64_t address, uint64_t ready)
{
	uint64_t start = ready;
	bool is_free = take_port(core, front, PORT_LOAD, &start);
	const struct recent_store *store = recent_store(core, address >> 3);
	struct outcome outcome = load_line(core, address, start);

	if (UNLIKELY(store->granule == address >> 3 && store->drained > start))
		outcome = (struct outcome){ .done = later(store->ready, start) + core->parameters.store_forward,
					    .cause = CAUSE_L1 };
	else if (UNLIKELY((int64_t)(address & 63) > step->last))
		load_second_line(core, address + 63 - (uint64_t)step->last, start, &outcome);
	core->ready[step->target] = outcome.done;
	if (UNLIKELY(!is_free) && start - ready > outcome.done - start)
		outcome.cause = CAUSE_PORTS;
	return outcome;
}

static ALWAYS_INLINE void remember_store(struct core *core, const struct step *step, uint64_t address,
					 struct recent_store store)
{
	store.granule = address >> 3;
	*recent_store(core, store.granule) = store;
	for (uint32_t offset = 8; UNLIKELY(offset < step->size); offset += 8) {
		store.granule++;
		*recent_store(core, store.granule) = store;
	}
}

static ALWAYS_INLINE struct supply store_line(struct core *core, uint64_t address, uint64_t start)
{
	struct hierarchy *h = &core->hierarchy;

	if (UNLIKELY(!hierarchy_hits_data(h, address, start)))
		return hierarchy_store(h, address, start);
	h->traffic.stores++;
	return (struct supply){ .level = LEVEL_L1 };
}

/*
 * A store retires when its address is translated, its data are known, and what is before it has; its line may come later, and stores
 * leave their queue in order.
 */
static ALWAYS_INLINE struct outcome store(struct core *core, struct front *front, const struct step *step,
					  uint64_t address, uint64_t ready)
{
	uint64_t start = ready;
	bool is_free = take_port(core, front, PORT_STORE, &start);
	struct supply supply = store_line(core, address, start);
	uint64_t done = start + 1 + supply.translation, retired = later(done, front->commit);
	uint64_t drained = later(retired, core->last_drain + 1), number = core->nstores++ & core->store_mask;

	if (supply.level != LEVEL_L1)
		drained = later(drained, supply.time);
	core->last_drain = drained;
	core->drains[number] = drained;
	core->stores[number] = retired;
	remember_store(core, step, address, (struct recent_store){ .ready = start, .drained = drained });
	if (UNLIKELY(supply.translation))
		return (struct outcome){ .done = done, .cause = CAUSE_STORE };
	return (struct outcome){ .done = done,
				 .cause = is_free || start - ready <= 1 ? CAUSE_DEPENDENCY : CAUSE_PORTS };
}

/* An access under a condition that did not hold. */
static ALWAYS_INLINE struct outcome omit(struct core *core, const struct front *front, const struct step *step)
{
	core->ready[step->target] = front->issue;
	core->waiting--;
	return (struct outcome){ .cause = CAUSE_DEPENDENCY };
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

/* A micro-op that is no step of its own. */
static ALWAYS_INLINE struct step step_of(const struct uop *uop)
{
	struct step step = { .sources = { uop->sources[0], uop->sources[1] },
			     .target = uop->target,
			     .port = uop->port };

	if (uop->kind == KIND_LOAD)
		step.last = step_last(uop->size);
	else if (uop->kind == KIND_STORE)
		step.size = uop->size;
	else
		step.latency = uop->latency;
	return step;
}

static ALWAYS_INLINE struct outcome run_uop(struct core *core, struct front *front, const struct uop *uop,
					    const uint64_t *addresses)
{
	const struct step step = step_of(uop);
	bool has_port = uop->port != PORT_NONE;
	uint64_t ready = sources_ready(core, front, uop->sources), address;

	ready = later(ready, sources_ready(core, front, uop->sources + 2));
	core->waiting += has_port;
	if (uop->kind < KIND_LOAD && uop->occupancy)
		return divide(core, front, &step, uop->occupancy, ready);
	if (uop->kind < KIND_LOAD)
		return has_port ? compute(core, front, &step, ready) : compute_second(core, &step, ready);
	address = addresses[uop->access];
	if (UNLIKELY(!address))
		return omit(core, front, &step);
	return uop->kind == KIND_LOAD ? load(core, front, &step, address, ready)
				      : store(core, front, &step, address, ready);
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

/* An instruction of any kind, issued at a cycle. */
static void run_insn(struct core *core, uint64_t issue, const struct insn *insn, const struct uop *uop,
		     const uint64_t *addresses)
{
	struct front front = front_of(core, issue);
	struct progress progress = { .done = front.commit, .cause = CAUSE_DEPENDENCY };
	const struct uop *end = uop + insn->nuops;

	for (; uop < end; uop++)
		advance(&progress, run_uop(core, &front, uop, addresses));
	/* An atomic operation takes its time between load and store. */
	if (insn->flags & INSN_LOCKED)
		advance(&progress, (struct outcome){ .done = progress.done + core->parameters.lock_latency,
						     .cause = CAUSE_SERIALIZATION });
	note_delay(core, &front, progress.done, delay_word(insn->place, (enum cause)progress.cause));
	take_entry(core, &front, insn->slots > 0);
	for (uint32_t slots = 1; slots < insn->slots; slots++)
		take_entry(core, &front, 1);
	for (uint32_t loads = insn->loads; loads; loads--)
		take_load_entry(core, &front);
	set_front(core, &front);
}

static ALWAYS_INLINE void run_nothing(struct core *core, struct front *front, const struct step *step)
{
	for (uint32_t slots = step->slots; slots; slots--)
		take_entry(core, front, 1);
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
	return LIKELY(address) ? store(core, front, step, address, ready) : omit(core, front, step);
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
	note_delay(core, front, outcome.done, step->place | outcome.cause);
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
		run_nothing(core, front, step);
	} else if (shape == SHAPE_STORE) {
		retire(core, front, step, run_store(core, front, step, addresses));
	} else if (shape == SHAPE_SECOND) {
		retire(core, front, step, compute_second(core, step, sources_ready(core, front, step->sources)));
	} else {
		run_other(core, front, block, step, addresses);
	}
	return true;
}

#endif
