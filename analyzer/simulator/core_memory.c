/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/core_memory.h"

#define PAGE_MASK 4095u /* of the bits by which stores and loads are compared first */

void memory_load_second(struct core *core, const struct front *front, uint64_t address, uint64_t start,
			struct outcome *outcome)
{
	struct supply other;

	take_unit(core, front, PORT_LOAD, &start);
	core->hierarchy.bytes = 1;
	other = hierarchy_load(&core->hierarchy, address, start);
	other.is_translated = false;
	if (other.time > outcome->done)
		*outcome = (struct outcome){ .done = other.time, .cause = supply_cause(&other) };
}

void memory_store_second(struct core *core, uint64_t address, uint64_t time)
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
static void load_again(struct core *core, const struct front *front, uint64_t start, struct outcome *outcome)
{
	start += core->parameters.alias_penalty;
	take_unit(core, front, PORT_LOAD, &start);
	outcome->done = later(outcome->done, start + core->hierarchy.l1d_latency);
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

	if (!core->parameters.renames_memory || !store->is_renamed || !load->is_renamed ||
	    store->address != load->address || core->nstores - number > RENAMED_STORES)
		return false;
	while (++number < core->nstores)
		if (core->store_makers[number % RENAMED_STORES] == core->store_makers[store->number % RENAMED_STORES])
			return false;
	return true;
}

/* All of its bytes are the store's. */
static uint64_t forward(const struct core *core, const struct front *front, const struct recent_store *store,
			const struct behind *load)
{
	if (is_renamed(core, store, load))
		return later(store->ready, front->issue + 1);
	return later(store->ready, load->start) + core->parameters.store_forward;
}

void memory_load_behind(struct core *core, const struct front *front, const struct recent_store *store,
			const struct behind *load, struct outcome *outcome)
{
	uint64_t drained = core->recent_drains[store - core->recent];

	if (drained <= load->start)
		return;
	if (!overlap(store->address, store->size, load->address, load->size)) {
		if (overlap(store->address & PAGE_MASK, store->size, load->address & PAGE_MASK, load->size))
			load_again(core, front, load->start, outcome);
		return;
	}
	outcome->cause = CAUSE_L1;
	if (load->address >= store->address && load->address + load->size <= store->address + store->size)
		outcome->done = forward(core, front, store, load);
	else
		outcome->done = later(outcome->done, drained + core->parameters.failed_forward);
}

static enum cause cause_of_start(bool is_free, uint64_t waited)
{
	return is_free || waited <= 1 ? CAUSE_DEPENDENCY : CAUSE_PORTS;
}

struct outcome memory_prefetch(struct core *core, struct front *front, const struct step *step, uint64_t address,
			       uint64_t ready)
{
	uint64_t start = ready;
	bool is_free = take_port(core, front, PORT_LOAD, &start);

	(void)load_line(core, address, start, 1, core->hierarchy.moves ? row_of_step(front, step) : 0);
	return (struct outcome){ .done = start + 1, .cause = cause_of_start(is_free, start - ready) };
}

struct outcome memory_stream(struct core *core, struct front *front, const struct step *step, uint64_t address,
			     uint64_t ready)
{
	uint64_t start = ready, done, retired, number = core->nstores & core->store_mask;
	bool is_free = take_port(core, front, PORT_STORE, &start);
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

struct supply memory_store_line(struct core *core, uint64_t address, uint64_t start, uint32_t bytes, uint32_t row)
{
	struct supply supply;

	core->hierarchy.bytes = bytes;
	core->hierarchy.row = row;
	supply = hierarchy_store(&core->hierarchy, address, start);
	if (supply.level != LEVEL_L1)
		core->drain_cause = supply.level > LEVEL_DRAM ? (uint8_t)supply_cause(&supply) : CAUSE_STORE;
	return supply;
}
