/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/core_internal.h"

#define PAGE_MASK 4095u /* of the bits by which stores and loads are compared first */

uint64_t memory_load_start(struct core *core, unsigned port, uint64_t ready)
{
	uint64_t start = ready;

	if (port == PORT_VECTOR_LOAD)
		take_unit(core, PORT_VECTOR_LOAD, &start);
	return units_next_free(core, PORT_LOAD, start);
}

struct outcome memory_load_line(struct core *core, uint64_t address, uint64_t start, uint32_t bytes, uint32_t row)
{
	struct supply supply;

	core->hierarchy.bytes = bytes;
	core->hierarchy.row = row;
	supply = hierarchy_load(&core->hierarchy, address, start);
	return (struct outcome){ .done = supply.time, .cause = supply_cause(&supply) };
}

struct outcome memory_load_second(struct core *core, uint64_t address, uint64_t start, struct outcome outcome)
{
	struct supply other;

	take_unit(core, PORT_LOAD, &start);
	core->hierarchy.bytes = 1;
	other = hierarchy_load(&core->hierarchy, address, start);
	other.is_translated = false;
	if (other.time > outcome.done)
		outcome = (struct outcome){ .done = other.time, .cause = supply_cause(&other) };
	return outcome;
}

/* The part of a store that lies in the next line, which leaves the queue by itself. */
static void store_second(struct core *core, uint64_t address, uint64_t time)
{
	struct supply other;

	core->hierarchy.bytes = 1;
	other = hierarchy_store(&core->hierarchy, address, time);
	core->last_drain++;
	if (other.level != LEVEL_L1)
		core->last_drain = later(core->last_drain, other.time);
}

/* Do two accesses have a byte in common? Of addresses, or of their places in a page. */
static bool overlap(uint64_t one, uint32_t one_size, uint64_t other, uint32_t other_size)
{
	return one < other + other_size && other < one + one_size;
}

/* The address is known, but in which page it is comes later: by then the load has to begin anew. */
static uint64_t load_again(struct core *core, uint64_t start)
{
	start += core->parameters.alias_penalty;
	take_unit(core, PORT_LOAD, &start);
	return start + core->hierarchy.l1d_latency;
}

/*
 * Memory renaming: the load's instruction has come to be known for getting the data of the store's, so it has them when
 * both are renamed. That is the store's last execution, not long ago. What Zen 4 was seen to do: loads of the same
 * address through other registers, and of ever other addresses, took nothing with up to 12 stores between; not with 30
 * between, nor where the instruction had stored elsewhere since (an array's elements counted up in turns).
 */
static bool is_renamed(const struct core *core, const struct recent_store *store, const struct behind *load)
{
	uint64_t number = store->number;

	if (!core->parameters.renames_memory || !store->is_renamed || !load->step->is_renamed ||
	    store->address != load->address || core->nstores - number > RENAMED_STORES)
		return false;
	while (++number < core->nstores)
		if (core->store_makers[number % RENAMED_STORES] == core->store_makers[store->number % RENAMED_STORES])
			return false;
	return true;
}

/* All of its bytes are the store's. */
static uint64_t forward(const struct core *core, const struct recent_store *store, const struct behind *load)
{
	if (is_renamed(core, store, load))
		return later(store->ready, load->issue + 1);
	return later(store->ready, load->start) + core->parameters.store_forward;
}

static struct outcome load_behind(struct core *core, uint32_t granule, const struct behind *load,
				  struct outcome outcome)
{
	const struct recent_store *store = &core->recent[granule];
	uint64_t drained = core->recent_drains[granule];
	uint32_t size = step_bytes(load->step->last);

	if (drained <= load->start)
		return outcome;
	if (!overlap(store->address, store->size, load->address, size)) {
		if (overlap(store->address & PAGE_MASK, store->size, load->address & PAGE_MASK, size))
			outcome.done = later(outcome.done, load_again(core, load->start));
		return outcome;
	}
	outcome.cause = CAUSE_L1;
	if (load->address >= store->address && load->address + size <= store->address + store->size)
		outcome.done = forward(core, store, load);
	else
		outcome.done = later(outcome.done, drained + core->parameters.failed_forward);
	return outcome;
}

/* Where the load's first and its last byte are. */
struct outcome memory_load_behind(struct core *core, const struct behind *load, struct outcome outcome)
{
	uint32_t first = granule_of(load->address);
	uint32_t last = granule_of(load->address + step_bytes(load->step->last) - 1);

	outcome = load_behind(core, first, load, outcome);
	if (last != first && core->recent[last].address != core->recent[first].address)
		outcome = load_behind(core, last, load, outcome);
	return outcome;
}

/* One that leaves its queue at a time. */
static ALWAYS_INLINE void remember_store(struct core *core, const struct recent_store *store, uint64_t drained)
{
	core->recent[granule_of(store->address)] = *store;
	core->recent_drains[granule_of(store->address)] = drained;
	for (uint64_t next = (store->address | 7) + 1; UNLIKELY(next < store->address + store->size); next += 8) {
		core->recent[granule_of(next)] = *store;
		core->recent_drains[granule_of(next)] = drained;
	}
}

static enum cause cause_of_start(bool is_free, uint64_t waited)
{
	return is_free || waited <= 1 ? CAUSE_DEPENDENCY : CAUSE_PORTS;
}

struct outcome memory_prefetch(struct core *core, struct front *front, const struct step *step, uint64_t address,
			       uint64_t ready)
{
	uint64_t start = ready;
	bool is_free = take_port(core, PORT_LOAD, &start);

	(void)load_line(core, address, start, 1, core->hierarchy.moves ? row_of_step(front, step) : 0);
	return (struct outcome){ .done = start + 1, .cause = cause_of_start(is_free, start - ready) };
}

struct outcome memory_stream(struct core *core, struct front *front, const struct step *step, uint64_t address,
			     uint64_t ready)
{
	uint64_t start = ready, done, retired, number = core->nstores & core->store_mask;
	bool is_free = take_port(core, PORT_STORE, &start);
	struct supply supply;

	core->hierarchy.row = row_of_step(front, step);
	supply = hierarchy_stream(&core->hierarchy, address, start);
	done = start + 1 + supply.translation;
	retired = later(done, front->commit);
	core->last_drain = later(later(retired, core->last_drain + 1), supply.time);
	core->drains[number] = core->last_drain;
	core->stores[number] = retired;
	remember_store(core,
		       &(struct recent_store){
			       .address = address, .ready = start, .number = core->nstores, .size = step->size },
		       core->last_drain);
	note_maker(core, NULL);
	core->nstores++;
	if (supply.translation)
		return (struct outcome){ .done = done, .cause = CAUSE_STORE };
	return (struct outcome){ .done = done, .cause = cause_of_start(is_free, start - ready) };
}

/* The line of a store that is not simply there. */
static __attribute__((noinline)) struct supply store_line(struct core *core, uint64_t address, uint64_t start,
							  uint32_t bytes, uint32_t row)
{
	struct supply supply;

	core->hierarchy.bytes = bytes;
	core->hierarchy.row = row;
	supply = hierarchy_store(&core->hierarchy, address, start);
	if (supply.level != LEVEL_L1)
		core->drain_cause = supply.level > LEVEL_DRAM ? (uint8_t)supply_cause(&supply) : CAUSE_STORE;
	return supply;
}

/* It may need a unit of loads for its address. */
static ALWAYS_INLINE bool take_store_port(struct core *core, uint64_t *start)
{
	bool is_free = !core->parameters.stores_take_loads || take_unit(core, PORT_LOAD, start);

	return take_port(core, PORT_STORE, start) && is_free;
}

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

struct outcome memory_store(struct core *core, const struct step *step, uint64_t address, uint64_t ready,
			    uint64_t commit)
{
	uint32_t row = core->base + (step->row >> DELAY_ROW_SHIFT);
	uint64_t start = ready;
	bool is_free = take_store_port(core, &start);
	struct supply supply = { .level = LEVEL_L1 };
	uint64_t done, retired, drained, number = core->nstores & core->store_mask;
	struct hit hit;

	if (LIKELY(hierarchy_finds_data(&core->hierarchy, address, start, &hit))) {
		hierarchy_use_data(&core->hierarchy, hit);
		core->hierarchy.traffic.stores++;
	} else {
		supply = store_line(core, address, start, step->size, row);
	}
	if (UNLIKELY(core->hierarchy.moves != NULL))
		hierarchy_wrote(&core->hierarchy, address);
	done = start + 1 + supply.translation;
	retired = later(done, commit);
	drained = later(retired, core->last_drain + !leaves_along(core, address));
	if (supply.level != LEVEL_L1)
		drained = later(drained, supply.time);
	note_drain(core, address, drained);
	if (UNLIKELY((address & 63) + step->size > 64)) {
		core->hierarchy.row = row;
		store_second(core, address + step->size - 1, start);
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
