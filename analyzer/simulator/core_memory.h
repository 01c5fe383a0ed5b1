/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core_memory.h - loads and stores of core_execute: when their data are there, and what a load gets from an earlier
 * store. Inlined into the loops over a block, where the time of a simulation goes.
 */
#ifndef TOPDOWN_SIMULATOR_CORE_MEMORY_H
#define TOPDOWN_SIMULATOR_CORE_MEMORY_H

#include "simulator/core_units.h"

static ALWAYS_INLINE struct recent_store *recent_store(struct core *core, uint64_t granule)
{
	return &core->recent[granule & ((1 << STORE_BITS) - 1)];
}

static ALWAYS_INLINE uint64_t *recent_drain(struct core *core, uint64_t granule)
{
	return &core->recent_drains[granule & ((1 << STORE_BITS) - 1)];
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

static ALWAYS_INLINE struct outcome load_line(struct core *core, uint64_t address, uint64_t start, uint32_t bytes,
					      uint32_t row)
{
	struct hierarchy *h = &core->hierarchy;
	struct supply supply;

	if (LIKELY(hierarchy_hits_data(h, address, start))) {
		h->traffic.data[LEVEL_L1]++;
		return (struct outcome){ .done = start + h->l1d_latency, .cause = CAUSE_L1 };
	}
	h->bytes = bytes;
	h->row = row;
	supply = hierarchy_load(h, address, start);
	return (struct outcome){ .done = supply.time, .cause = supply_cause(&supply) };
}

/*
 * The part of a load that lies in the next line, which takes a unit of its own: makes the outcome of what began at a
 * time later.
 */
void memory_load_second(struct core *core, const struct front *front, uint64_t address, uint64_t start,
			struct outcome *outcome);

/* A load behind a store that has not left its queue, and may have some of its bytes, or only seem to. */
struct behind {
	uint64_t address, start;
	uint32_t size;
	bool is_renamed;
};

void memory_load_behind(struct core *core, const struct front *front, const struct recent_store *store,
			const struct behind *load, struct outcome *outcome);

/* Those behind one of the load's first and one of its last byte. */
static __attribute__((noinline)) void load_behind(struct core *core, const struct front *front,
						  const struct behind *load, struct outcome *outcome)
{
	const struct recent_store *first = recent_store(core, load->address >> 3);
	const struct recent_store *last = recent_store(core, (load->address + load->size - 1) >> 3);

	memory_load_behind(core, front, first, load, outcome);
	if (last != first && last->address != first->address)
		memory_load_behind(core, front, last, load, outcome);
}

/* Of vectors the core may load fewer in a cycle. */
static ALWAYS_INLINE bool take_load_port(struct core *core, const struct front *front, const struct step *step,
					 uint64_t *start)
{
	bool is_free = LIKELY(step->port == PORT_LOAD) || take_unit(core, front, PORT_VECTOR_LOAD, start);

	return take_port(core, front, PORT_LOAD, start) && is_free;
}

/* It may need a unit of loads for its address. */
static ALWAYS_INLINE bool take_store_port(struct core *core, const struct front *front, uint64_t *start)
{
	bool is_free = !core->parameters.stores_take_loads || take_unit(core, front, PORT_LOAD, start);

	return take_port(core, front, PORT_STORE, start) && is_free;
}

static ALWAYS_INLINE struct outcome load(struct core *core, struct front *front, const struct step *step,
					 uint64_t address, uint64_t ready)
{
	uint64_t start = ready;
	bool is_free = take_load_port(core, front, step, &start);
	uint32_t size = step_bytes(step->last);
	struct outcome outcome = load_line(core, address, start, size, row_of_step(front, step));

	if (UNLIKELY((int64_t)(address & 63) > step->last)) {
		core->hierarchy.row = row_of_step(front, step);
		memory_load_second(core, front, address + size - 1, start, &outcome);
	}
	if (UNLIKELY(*recent_drain(core, address >> 3) > start ||
		     *recent_drain(core, (address + size - 1) >> 3) > start))
		load_behind(core, front,
			    &(struct behind){
				    .address = address, .start = start, .size = size, .is_renamed = step->is_renamed },
			    &outcome);
	core->ready[step->target] = outcome.done;
	if (UNLIKELY(!is_free) && start > ready && start - ready > outcome.done - start)
		outcome.cause = CAUSE_PORTS;
	return outcome;
}

/* One that leaves its queue at a time. */
static ALWAYS_INLINE void remember_store(struct core *core, const struct recent_store *store, uint64_t drained)
{
	*recent_store(core, store->address >> 3) = *store;
	*recent_drain(core, store->address >> 3) = drained;
	for (uint64_t next = (store->address | 7) + 1; UNLIKELY(next < store->address + store->size); next += 8) {
		*recent_store(core, next >> 3) = *store;
		*recent_drain(core, next >> 3) = drained;
	}
}

/* The part of a store that lies in the next line, which leaves the queue by itself. */
void memory_store_second(struct core *core, uint64_t address, uint64_t time);

/* The step or micro-op of the next store, which is the same one each time. */
static ALWAYS_INLINE void note_maker(struct core *core, const void *maker)
{
	core->store_makers[core->nstores % RENAMED_STORES] = maker;
}

/* The line of a store that is not simply there. */
struct supply memory_store_line(struct core *core, uint64_t address, uint64_t start, uint32_t bytes, uint32_t row);

/* The core writes several stores in a cycle: to one line, or to any. */
static ALWAYS_INLINE bool leaves_along(const struct core *core, uint64_t address)
{
	const struct parameters *p = &core->parameters;

	return core->drained < (address >> LINE_SHIFT == core->drained_line ? p->store_commits : p->line_commits);
}

static ALWAYS_INLINE void note_drain(struct core *core, uint64_t address, uint64_t time)
{
	core->drained = time == core->last_drain ? core->drained + 1 : 1;
	core->drained_line = address >> LINE_SHIFT;
	core->last_drain = time;
}

/*
 * A store retires when its address is translated, its data are known, and what is before it has; its line may come
 * later, and stores leave their queue in order. note_maker comes first.
 */
static ALWAYS_INLINE struct outcome store(struct core *core, struct front *front, const struct step *step,
					  uint64_t address, uint64_t ready)
{
	uint64_t start = ready;
	bool is_free = take_store_port(core, front, &start);
	struct supply supply = { .level = LEVEL_L1 };
	uint64_t done, retired, drained, number = core->nstores & core->store_mask;

	if (UNLIKELY(!hierarchy_hits_data(&core->hierarchy, address, start)))
		supply = memory_store_line(core, address, start, step->size, row_of_step(front, step));
	else
		core->hierarchy.traffic.stores++;
	if (UNLIKELY(core->hierarchy.moves != NULL))
		hierarchy_wrote(&core->hierarchy, address);
	done = start + 1 + supply.translation;
	retired = later(done, front->commit);
	drained = later(retired, core->last_drain + !leaves_along(core, address));
	if (supply.level != LEVEL_L1)
		drained = later(drained, supply.time);
	note_drain(core, address, drained);
	if (UNLIKELY((address & 63) + step->size > 64)) {
		core->hierarchy.row = row_of_step(front, step);
		memory_store_second(core, address + step->size - 1, start);
	}
	core->drains[number] = drained;
	core->stores[number] = retired;
	remember_store(core,
		       &(struct recent_store){ .address = address,
					       .ready = start,
					       .number = core->nstores,
					       .size = step->size,
					       .is_renamed = step->is_renamed },
		       drained);
	core->nstores++;
	if (UNLIKELY(supply.translation))
		return (struct outcome){ .done = done, .cause = CAUSE_STORE };
	return (struct outcome){ .done = done, .cause = is_free ? CAUSE_DEPENDENCY : CAUSE_PORTS };
}

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
