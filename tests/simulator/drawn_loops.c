/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drawn_loops.h"

#include "core_fixture.h"
#include "simulator/model/sharing.h"

#define MOST_BLOCKS 3
#define MOST_INSNS  32
#define WARM	    4000 /* instructions that caches and predictors see before those that are timed, */
#define TIMED	    6000

struct drawn_block {
	struct block block;
	struct insn insns[MOST_INSNS];
	struct uop uops[MOST_INSNS];
	bool is_store[MOST_INSNS];
};

/* Where an access goes in each round: a step through so many bytes, or anywhere in them. */
struct walk {
	uint64_t base, stride, size;
	bool is_scattered;
};

struct loop {
	struct drawn_block blocks[MOST_BLOCKS];
	struct walk walks[MOST_BLOCKS][MOST_INSNS];
	unsigned nblocks, ninsns, number, traits;
	uint64_t state; /* of the draw */
};

static unsigned pick(struct loop *loop, unsigned below)
{
	loop->state = loop->state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((loop->state >> 33) % below);
}

/* As often as in programs, or nearly. */
static enum kind pick_kind(struct loop *loop)
{
	static const enum kind kinds[] = {
		KIND_ALU,	  KIND_ALU,
		KIND_ALU,	  KIND_ALU,
		KIND_ALU,	  KIND_ALU,
		KIND_NONE,	  KIND_NONE,
		KIND_LOAD,	  KIND_LOAD,
		KIND_LOAD,	  KIND_LOAD,
		KIND_STORE,	  KIND_STORE,
		KIND_SCALED_SUM,  KIND_MULTIPLY,
		KIND_VECTOR,	  KIND_VECTOR,
		KIND_SHUFFLE,	  KIND_FP_ADD,
		KIND_FP_MULTIPLY, KIND_FP_FUSED,
		KIND_BITS,	  KIND_CONVERT,
		KIND_VECTOR_MOVE, KIND_VECTOR_MULTIPLY,
		KIND_CROSS_LANE,  KIND_DIVIDE_32,
		KIND_CRYPTO,	  KIND_FP_DIVIDE_64,
	};

	if (loop->traits & LOOP_NARROW)
		return (enum kind)(KIND_ALU + loop->number % (KIND_DIVIDE_32 - KIND_ALU));
	/* Some loops are of additions and memory alone. */
	return kinds[pick(loop, loop->nblocks % 2 ? COUNT_OF(kinds) : 14)];
}

/* A register that an earlier instruction has made, or one that nobody makes. */
static uint16_t pick_source(struct loop *loop, unsigned index)
{
	unsigned distance = 1 + pick(loop, 8);

	return distance > index || !pick(loop, 3) ? VALUE_READY : (uint16_t)REGISTER(index - distance);
}

/* Most stay in L1; some have strides of all lengths through more. */
static struct walk pick_walk(struct loop *loop)
{
	struct walk walk = { .base = 0x10000000 + ((uint64_t)pick(loop, 16) << 28) + 8 * pick(loop, 8) };

	if (pick(loop, 3)) {
		walk.stride = 8 * pick(loop, 9);
		walk.size = UINT64_C(1) << (6 + pick(loop, 8));
	} else {
		walk.stride = 8 + pick(loop, UINT32_C(1) << (4 + pick(loop, 11)));
		walk.size = UINT64_C(1) << (12 + pick(loop, 15));
	}
	return walk;
}

static struct walk place_walk(struct loop *loop, struct walk walk)
{
	if (loop->traits & LOOP_SHARED)
		walk.base = 0x10000000, walk.size = 256;
	if (loop->traits & LOOP_SCATTERED)
		walk = (struct walk){ 0x10000000, 0, UINT64_C(1) << (16 + loop->number % 11), true };
	return walk;
}

static void set_costs(struct insn *insn, const struct parameters *p)
{
	uint32_t by_width = insn->slots * (uint32_t)FETCH_UNIT / p->decode_width;
	uint32_t by_bytes = insn->bytes * (uint32_t)FETCH_UNIT / p->decode_bytes;

	insn->cached_cost = (uint16_t)(insn->slots * (uint32_t)FETCH_UNIT / p->uop_cache_width);
	insn->legacy_cost = (uint16_t)(by_width > by_bytes ? by_width : by_bytes);
	if (insn->flags & INSN_MICROCODED)
		insn->cached_cost = insn->legacy_cost =
			(uint16_t)(insn->slots * (uint32_t)FETCH_UNIT / p->microcode_width);
}

/* Some instructions get what the loop's traits say. */
static void add_traits(struct loop *loop, struct insn *insn, struct uop *uop)
{
	bool is_chosen = loop->traits & (LOOP_WAITS | LOOP_MICROCODE) && !pick(loop, 6);

	if (is_chosen && loop->traits & LOOP_WAITS && uop->kind == KIND_STORE) {
		insn->flags |= INSN_LOCKED;
	} else if (is_chosen && loop->traits & LOOP_WAITS && uop->kind < KIND_LOAD) {
		insn->flags |= (uint16_t)(INSN_SERIALIZES | INSN_FENCE | (pick(loop, 2) ? INSN_DRAINS : 0));
	} else if (is_chosen && loop->traits & LOOP_MICROCODE && uop->kind < KIND_LOAD) {
		uop->kind = KIND_MICROCODE;
		insn->slots = (uint8_t)(4 + pick(loop, 12));
		insn->flags |= INSN_MICROCODED;
	}
}

static void draw_insn(struct loop *loop, struct drawn_block *drawn, struct walk *walks, unsigned i)
{
	struct insn *insn = &drawn->insns[i];
	struct uop *uop = &drawn->uops[i];
	enum kind kind = pick_kind(loop);

	*insn = (struct insn){ .bytes = (uint8_t)(2 + pick(loop, 8)),
			       .nuops = 1,
			       .slots = 1,
			       .loads = kind == KIND_LOAD,
			       .stores = kind == KIND_STORE };
	*uop = (struct uop){ .kind = (uint8_t)kind, .target = (uint16_t)REGISTER(i) };
	uop->sources[0] = pick_source(loop, i);
	uop->sources[1] = kind == KIND_LOAD ? VALUE_READY : pick_source(loop, i);
	if (loop->traits & LOOP_NARROW)
		uop->sources[0] = i % 8 < loop->number % 4 ? uop->target : VALUE_READY;
	add_traits(loop, insn, uop);
	if (kind < KIND_LOAD)
		return;
	uop->size = 8;
	uop->access = drawn->block.naccesses++;
	walks[uop->access] = place_walk(loop, pick_walk(loop));
	if (kind == KIND_STORE)
		uop->target = VALUE_UNUSED;
	else if (!pick(loop, 8)) /* a chain through memory */
		uop->sources[0] = uop->target;
}

/* A compare that has no micro-op, and the branch that is fused with it and has no slot. */
static void end_insns(struct loop *loop, struct drawn_block *drawn, unsigned count)
{
	struct insn *compare = &drawn->insns[count - 2], *branch = &drawn->insns[count - 1];
	struct uop *uop = &drawn->uops[count - 2];

	*compare = (struct insn){ .bytes = 3, .slots = 1, .flags = INSN_BRANCH };
	*branch = (struct insn){ .bytes = (uint8_t)(pick(loop, 2) ? 2 : 6), .nuops = 1 };
	*uop = (struct uop){ .kind = KIND_BRANCH, .target = VALUE_UNUSED };
	uop->sources[0] = pick_source(loop, count - 2);
}

static uint64_t place_insns(struct drawn_block *drawn, uint64_t address, unsigned count, const struct parameters *p)
{
	uint64_t line = 0; /* of the last byte before */

	drawn->block.address = address;
	for (unsigned i = 0; i < count; i++) {
		struct insn *insn = &drawn->insns[i];

		insn->address = address;
		if (line != (address + insn->bytes - 1) >> 6)
			insn->flags |= INSN_STARTS_LINE;
		line = (address + insn->bytes - 1) >> 6;
		set_costs(insn, p);
		address += insn->bytes;
	}
	return drawn->block.end = address;
}

static void draw_loop(struct loop *loop, const struct parameters *p)
{
	uint64_t address;

	loop->state = loop->number * UINT64_C(0x9e3779b97f4a7c15) + 1;
	loop->nblocks = 1 + pick(loop, MOST_BLOCKS);
	if (loop->traits & LOOP_TURNS)
		loop->nblocks = MOST_BLOCKS;
	address = 0x400000 + pick(loop, 64);
	for (unsigned i = 0; i < loop->nblocks; i++) {
		struct drawn_block *drawn = &loop->blocks[i];
		unsigned count = 3 + pick(loop, MOST_INSNS - 3);

		drawn->block =
			(struct block){ .insns = drawn->insns,
					.uops = drawn->uops,
					.is_store = drawn->is_store,
					.branch = loop->traits & LOOP_TURNS ? BRANCH_INDIRECT : BRANCH_CONDITIONAL,
					.ninsns = (uint16_t)count,
					.nuops = (uint16_t)(count - 1) };
		for (unsigned k = 0; k < count - 2; k++)
			draw_insn(loop, drawn, loop->walks[i], k);
		end_insns(loop, drawn, count);
		address = place_insns(drawn, address, count, p) + (pick(loop, 2) ? 0 : pick(loop, 200));
		block_finish(&drawn->block, p);
		loop->ninsns += count;
	}
}

/* ---- running it ---- */

/* The copy of the code that a round is in. */
static void move_code(struct loop *loop, uint64_t round)
{
	uint64_t copies = UINT64_C(32) << loop->number % 5;
	uint64_t from = loop->blocks[0].block.address & ~UINT64_C(63);
	uint64_t to = 0x400000 + (round * 5 + 3) % copies * (4096 + 64);

	for (unsigned i = 0; i < loop->nblocks; i++) {
		struct block *block = &loop->blocks[i].block;

		for (unsigned k = 0; k < block->ninsns; k++)
			block->insns[k].address += to - from;
		block->address += to - from;
		block->end += to - from;
		block->branch_hash = predictor_hash(block->insns[block->ninsns - 1].address);
	}
}

static uint64_t mixed(uint64_t number)
{
	number = (number ^ number >> 31) * UINT64_C(0xd6e8feb86659fd93);
	return number ^ number >> 29;
}

static uint64_t walk_address(const struct walk *walk, uint64_t round, uint64_t access)
{
	uint64_t at = walk->is_scattered ? mixed(round * 64 + access + 1) & ~UINT64_C(7) : round * walk->stride;

	return walk->base + at % walk->size;
}

/* Without times. */
static void follow(struct core *core, const struct execution *execution)
{
	core_warm(core, execution);
	(void)core_predict(core, execution);
}

typedef void run_function(struct core *core, const struct execution *execution);

static void run_block(struct core *core, const struct loop *loop, unsigned number, uint64_t round, run_function *run)
{
	const struct block *block = &loop->blocks[number].block;
	unsigned next = (number + 1) % loop->nblocks;
	uint64_t addresses[MOST_INSNS];

	for (unsigned k = 0; k < block->naccesses; k++)
		addresses[k] = walk_address(&loop->walks[number][k], round, number * MOST_INSNS + k);
	if (loop->traits & LOOP_TURNS)
		next = (unsigned)(mixed(round * MOST_BLOCKS + number + 1) % loop->nblocks);
	run(core,
	    &(struct execution){ .block = block, .addresses = addresses, .next = loop->blocks[next].block.address });
}

/* All that has been issued is through, and its stores have left. */
static uint64_t time_through(const struct core *core)
{
	uint64_t through = core->commit > core->last_drain ? core->commit : core->last_drain;

	return through > core->cycle ? through : core->cycle;
}

static uint64_t run_rounds(struct core *core, struct loop *loop, uint64_t from, uint64_t to, run_function *run)
{

	for (uint64_t round = from; round < to; round++) {
		if (loop->traits & LOOP_FAR)
			move_code(loop, round);
		for (unsigned i = 0; i < loop->nblocks; i++)
			run_block(core, loop, i, round, run);
	}
	return time_through(core);
}

#define MOST_KEPT (UINT64_C(4) << 20) /* bytes of a table that the caches are given before */

static void fill_caches(struct core *core, const struct loop *loop)
{
	uint64_t size = UINT64_C(1) << (16 + loop->number % 11);

	for (uint64_t at = 0; loop->traits & LOOP_SCATTERED && size <= MOST_KEPT && at < size; at += LINE_BYTES)
		hierarchy_warm_data(&core->hierarchy, 0x10000000 + at, false);
}

static struct core *new_core(const struct parameters *parameters, struct cache *l3)
{
	static struct attribution nothing;
	struct core *core = sim_allocate(1, sizeof(*core));

	core_init(core, parameters, l3);
	core->attribution = &nothing;
	return core;
}

#define TURN 40 /* rounds of a core before the other one's */

/* Two cores come to the same lines: the cycles of both. */
static uint64_t share_rounds(const struct parameters *parameters, struct loop *loop, struct core *first,
			     struct core *second)
{
	struct core *cores[] = { first, second };
	struct sharing *sharing = sharing_new(parameters->transfer_latency);
	uint64_t times[2] = { 0 };

	for (unsigned i = 0; i < 2; i++) {
		cores[i]->hierarchy.number = i + 1;
		cores[i]->hierarchy.sharing = sharing;
		sharing_join(sharing, i + 1, &cores[i]->hierarchy.l1d);
	}
	for (uint64_t turn = 0, turns = 2 * (WARM + TIMED) / loop->ninsns / TURN; turn < turns; turn++) {
		unsigned own = turn % 2;
		uint64_t before = times[own];

		times[own] = run_rounds(cores[own], loop, turn / 2 * TURN, (turn / 2 + 1) * TURN, core_run);
		sharing_turn(sharing, own + 1, times[own] - before);
	}
	return times[0] + times[1];
}

double loop_cycles(const struct parameters *parameters, unsigned number, unsigned traits)
{
	struct cache *l3 = sim_allocate(1, sizeof(*l3));
	struct loop *loop = sim_allocate(1, sizeof(*loop));
	struct core *core;
	uint64_t rounds, cycles;

	cache_init(l3, parameters->l3.kib * 16, parameters->l3.ways);
	core = new_core(parameters, l3);
	loop->number = number;
	loop->traits = traits;
	draw_loop(loop, parameters);
	fill_caches(core, loop);
	rounds = WARM / loop->ninsns;
	if (traits & LOOP_SHARED) {
		cycles = share_rounds(parameters, loop, core, new_core(parameters, l3));
	} else {
		run_rounds(core, loop, 0, rounds, follow);
		core_resume(core);
		cycles = run_rounds(core, loop, rounds, rounds + TIMED / loop->ninsns, core_run);
	}
	sim_forget();
	return (double)cycles;
}

struct parameters loop_core(const struct sim_core *core, struct arena *arena)
{
	struct parameters parameters = { .width = 0 };

	/* behind the version */
	parameters_read(&parameters, strchr(sim_core_text(core, arena), '\n') + 1);
	return parameters;
}
