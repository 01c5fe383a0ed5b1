/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/block.h"

#include "sim/block_steps.h"
#include "sim/parameters.h"
#include "sim/predictor.h"

/* The port of each kind. */
static const uint8_t ports[KIND_COUNT] = {
	[KIND_NONE] = PORT_ALU,		  [KIND_ALU] = PORT_ALU,
	[KIND_BRANCH] = PORT_BRANCH,	  [KIND_VECTOR] = PORT_VECTOR,
	[KIND_SHUFFLE] = PORT_SHUFFLE,	  [KIND_MULTIPLY] = PORT_MULTIPLY,
	[KIND_FP_ADD] = PORT_FP,	  [KIND_CONVERT] = PORT_FP,
	[KIND_FP_MULTIPLY] = PORT_FP,	  [KIND_FP_FUSED] = PORT_FP,
	[KIND_VECTOR_MULTIPLY] = PORT_FP, [KIND_CRYPTO] = PORT_VECTOR,
	[KIND_DIVIDE_32] = PORT_ALU,	  [KIND_DIVIDE_64] = PORT_ALU,
	[KIND_FP_DIVIDE_32] = PORT_FP,	  [KIND_FP_DIVIDE_64] = PORT_FP,
	[KIND_FP_ROOT] = PORT_FP,	  [KIND_MICROCODE] = PORT_ALU,
	[KIND_LOAD] = PORT_LOAD,	  [KIND_STORE] = PORT_STORE,
};

static void finish_uop(struct uop *uop, const struct parameters *p)
{
	if (uop->port != PORT_NONE)
		uop->port = ports[uop->kind];
	if (uop->kind >= KIND_LOAD)
		return;
	uop->latency = (uint16_t)p->latency[uop->kind];
	uop->occupancy = (uint16_t)p->occupancy[uop->kind];
}

struct sums {
	uint32_t slots, loads, stores;
};

static void add_insn(struct block *block, struct sums *sums, struct insn *insn)
{
	insn->before = (uint16_t)sums->slots;
	sums->slots += insn->slots;
	sums->loads += insn->loads;
	sums->stores += insn->stores;
	block->cached_cost += insn->cached_cost;
	block->legacy_cost += insn->legacy_cost;
}

/* Too large to go through the core as a whole, or with something in it that the rest has to wait for. */
static bool is_special(const struct block *block, const struct sums *sums, const struct parameters *p)
{
	for (unsigned i = 0; i < block->ninsns; i++)
		if (block->insns[i].flags & (INSN_SERIALIZES | INSN_MICROCODED))
			return true;
	return ((block->end - 1) >> 6) - (block->address >> 6) > 1 || block->nuops > p->scheduler / 2 ||
	       sums->slots > p->decode_queue || sums->slots > p->reorder_buffer || sums->loads > p->load_queue ||
	       sums->stores > p->store_queue;
}

/* The middle one of an odd number is among them. */
static uint32_t half(uint32_t entries)
{
	return (entries + 1) / 2;
}

/* The last entry that half of them need is that of another one, so many before. */
static int16_t before(uint32_t entries, uint32_t queue)
{
	return (int16_t)((int32_t)half(entries) - 1 - (int32_t)queue);
}

static void finish_room(struct block *block, const struct sums *sums, const struct parameters *p)
{
	block->before_slots = before(sums->slots, p->reorder_buffer);
	block->before_loads = before(sums->loads, p->load_queue);
	block->before_stores = before(sums->stores, p->store_queue);
	block->half_uops = (uint16_t)half(block->nuops);
	block->most_waiting = (uint16_t)(p->scheduler > block->half_uops ? p->scheduler - block->half_uops : 0);
}

void block_finish(struct block *block, const struct parameters *p)
{
	struct sums sums = { 0 };

	block->cached_cost = block->legacy_cost = block->nstores = 0;
	for (unsigned i = 0; i < block->nuops; i++) {
		finish_uop(&block->uops[i], p);
		if (block->uops[i].kind < KIND_LOAD)
			continue;
		block->is_store[block->uops[i].access] = block->uops[i].kind == KIND_STORE;
		block->nstores = (uint16_t)(block->nstores + block->is_store[block->uops[i].access]);
	}
	for (unsigned i = 0; i < block->ninsns; i++)
		add_insn(block, &sums, &block->insns[i]);
	block->slots = (uint16_t)sums.slots;
	block->first_cached_cost = block->insns[0].cached_cost;
	block->first_legacy_cost = block->insns[0].legacy_cost;
	finish_room(block, &sums, p);
	block->is_special = is_special(block, &sums, p);
	block->branch_hash = predictor_hash(block->insns[block->ninsns - 1].address);
	block_make_steps(block, p);
}
