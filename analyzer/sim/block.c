/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/block.h"

#include "sim/parameters.h"

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

static void add_insn(struct block *block, struct insn *insn)
{
	insn->before = (uint16_t)block->slots;
	block->slots += insn->slots;
	block->loads += insn->loads;
	block->stores += insn->stores;
	block->cached_cost += insn->cached_cost;
	block->legacy_cost += insn->legacy_cost;
	block->is_special = block->is_special || insn->flags & INSN_SERIALIZES;
}

void block_finish(struct block *block, const struct parameters *p)
{
	block->slots = block->loads = block->stores = block->cached_cost = block->legacy_cost = 0;
	block->is_special = false;
	for (unsigned i = 0; i < block->ninsns; i++)
		add_insn(block, &block->insns[i]);
	for (unsigned i = 0; i < block->nuops; i++) {
		finish_uop(&block->uops[i], p);
		if (block->uops[i].kind >= KIND_LOAD)
			block->is_store[block->uops[i].access] = block->uops[i].kind == KIND_STORE;
	}
	if (block->slots > p->reorder_buffer || block->loads > p->load_queue || block->stores > p->store_queue)
		block->is_special = true;
}
