/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smooth_test.c - a core of which one parameter is one more or one less takes another time for a loop, but not by more
 * than the parameter is another number. What jumps is the end of a queue that somebody got wrong. 100 loops, drawn by
 * their numbers; each parameter of each core of events/sim gets TOPDOWN_LOOPS (4) of them, turn about.
 */
#include <math.h>

#include "collect/simulate/sim_core.h"
#include "core_fixture.h"

#define LOOPS	    100
#define MOST_BLOCKS 3
#define MOST_INSNS  32
#define WARM	    4000 /* instructions before those that are timed, */
#define TIMED	    6000

struct drawn_block {
	struct block block;
	struct insn insns[MOST_INSNS];
	struct uop uops[MOST_INSNS];
	bool is_store[MOST_INSNS];
};

/* Where an access goes in each round: a step through so many bytes. */
struct walk {
	uint64_t base, stride, size;
};

struct loop {
	struct drawn_block blocks[MOST_BLOCKS];
	struct walk walks[MOST_BLOCKS][MOST_INSNS];
	unsigned nblocks, ninsns;
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

static void set_costs(struct insn *insn, const struct parameters *p)
{
	uint32_t by_width = insn->slots * (uint32_t)FETCH_UNIT / p->decode_width;
	uint32_t by_bytes = insn->bytes * (uint32_t)FETCH_UNIT / p->decode_bytes;

	insn->cached_cost = (uint16_t)(insn->slots * (uint32_t)FETCH_UNIT / p->uop_cache_width);
	insn->legacy_cost = (uint16_t)(by_width > by_bytes ? by_width : by_bytes);
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
	if (kind < KIND_LOAD)
		return;
	uop->size = 8;
	uop->access = drawn->block.naccesses++;
	walks[uop->access] = pick_walk(loop);
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

static void draw_loop(struct loop *loop, unsigned number, const struct parameters *p)
{
	uint64_t address;

	*loop = (struct loop){ .state = number * UINT64_C(0x9e3779b97f4a7c15) + 1 };
	loop->nblocks = 1 + pick(loop, MOST_BLOCKS);
	address = 0x400000 + pick(loop, 64);
	for (unsigned i = 0; i < loop->nblocks; i++) {
		struct drawn_block *drawn = &loop->blocks[i];
		unsigned count = 3 + pick(loop, MOST_INSNS - 3);

		drawn->block = (struct block){ .insns = drawn->insns,
					       .uops = drawn->uops,
					       .is_store = drawn->is_store,
					       .branch = BRANCH_CONDITIONAL,
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

static void run_round(struct core *core, const struct loop *loop, uint64_t round)
{
	for (unsigned i = 0; i < loop->nblocks; i++) {
		const struct block *block = &loop->blocks[i].block;
		uint64_t addresses[MOST_INSNS];

		for (unsigned k = 0; k < block->naccesses; k++) {
			const struct walk *walk = &loop->walks[i][k];

			addresses[k] = walk->base + round * walk->stride % walk->size;
		}
		core_run(core, &(struct execution){ .block = block,
						    .addresses = addresses,
						    .next = loop->blocks[(i + 1) % loop->nblocks].block.address });
	}
}

/* Cycles of a loop on such a core. */
static double time_loop(const struct parameters *parameters, unsigned number)
{
	static struct attribution nothing;
	struct core *core = sim_allocate(1, sizeof(*core));
	struct cache *l3 = sim_allocate(1, sizeof(*l3));
	struct loop *loop = sim_allocate(1, sizeof(*loop));
	uint64_t rounds, before;
	double cycles;

	cache_init(l3, parameters->l3.kib * 16, parameters->l3.ways);
	core_init(core, parameters, l3);
	core->attribution = &nothing;
	draw_loop(loop, number, parameters);
	rounds = WARM / loop->ninsns;
	for (uint64_t i = 0; i < rounds; i++)
		run_round(core, loop, i);
	before = core->cycle;
	for (uint64_t i = 0; i < TIMED / loop->ninsns; i++)
		run_round(core, loop, rounds + i);
	cycles = (double)(core->cycle - before);
	sim_forget();
	return cycles;
}

static struct parameters parameters_of(const struct sim_core *core, struct arena *arena)
{
	struct parameters parameters = { .width = 0 };

	/* behind the version */
	parameters_read(&parameters, strchr(sim_core_text(core, arena), '\n') + 1);
	return parameters;
}

/*
 * Loops may change by any amount: with other sets each line has another place in a cache, and what is delivered until a
 * taken branch is rounded up to cycles.
 */
static bool is_in_steps(const char *name)
{
	static const char *const ends[] = { "_kib", "_ways", "_lines", "_entries", "branch_targets", "_width" };

	for (size_t i = 0; i < COUNT_OF(ends); i++)
		if (strlen(name) >= strlen(ends[i]) && !strcmp(name + strlen(name) - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

/* Is there such a neighbour? What is 0 is another way of working, not another size. */
static bool is_neighbour(const struct sim_parameter *parameter, uint64_t near)
{
	uint32_t least, most;

	return parameter->value && near && !is_in_steps(parameter->name) &&
	       parameters_limits(parameter->name, strlen(parameter->name), &least, &most) && near >= least &&
	       near <= most;
}

#define NOTICED 0.05 /* of a loop's time: as much as the order in which things happen to come changes */

struct trial {
	const struct sim_core *core;
	double cycles[LOOPS]; /* of the core as it is; 0: not timed yet */
	unsigned noticed, jumped;
	char text[128]; /* the last one that jumped */
	struct arena *arena;
};

static void try_loop(struct trial *t, const struct sim_parameter *parameter, const struct sim_core *near,
		     unsigned number)
{
	struct parameters parameters = parameters_of(t->core, t->arena);
	double value = (double)sim_core_get(near, parameter->name), cycles, change, allowed;

	if (t->cycles[number] == 0)
		t->cycles[number] = time_loop(&parameters, number);
	parameters = parameters_of(near, t->arena);
	cycles = time_loop(&parameters, number);
	change = fabs(log(cycles / t->cycles[number]));
	allowed = fabs(log(value / (double)parameter->value)) + NOTICED;
	t->noticed += change > NOTICED;
	if (change <= allowed)
		return;
	t->jumped++;
	snprintf(t->text, sizeof(t->text), "%s %.0f instead of %.0f: loop %u takes %.0f cycles instead of %.0f",
		 parameter->name, value, (double)parameter->value, number, cycles, t->cycles[number]);
}

/* Some loops jump where two of their rhythms meet; by a fault most of those do that notice the parameter, and many. */
static void try_parameter(struct trial *t, const struct sim_parameter *parameter, unsigned first, unsigned count,
			  struct rows *rows)
{
	t->noticed = t->jumped = 0;
	for (uint64_t near = parameter->value - 1; near <= parameter->value + 1; near += 2) {
		struct sim_core changed = sim_core_copy(t->core, 0, t->arena);

		if (!is_neighbour(parameter, near))
			continue;
		sim_core_set(&changed, parameter->name, near);
		for (unsigned i = 0; i < count; i++)
			try_loop(t, parameter, &changed, (first + i) % LOOPS);
	}
	row_expect(rows, t->core->name, t->jumped < 2 + count / 20 || t->jumped * 2 <= t->noticed, t->text);
}

static void test_neighbours(void **state UNUSED)
{
	const char *wanted = getenv("TOPDOWN_LOOPS");
	unsigned count = wanted ? (unsigned)strtoul(wanted, NULL, 10) : 4, first = 0;
	struct rows rows = { 0 };
	struct database database;
	struct arena arena;
	struct error err = { .text = "" };
	const char **names;
	size_t ncores;

	arena_init(&arena);
	assert_int_equal(database_open(&database, NULL, &arena, &err), 0);
	names = sim_core_names(&database, &ncores, &arena);
	for (size_t i = 0; i < ncores; i++) {
		struct sim_core core;
		struct trial trial = { .core = &core, .arena = &arena };

		assert_int_equal(sim_core_load(&core, &database, names[i], &arena, &err), 0);
		for (size_t k = 0; k < core.count; k++, first += count)
			try_parameter(&trial, &core.parameters[k], first, count, &rows);
	}
	arena_release(&arena);
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_neighbours) };

	return cmocka_run_group_tests_name("simulator.smooth", tests, NULL, NULL);
}
