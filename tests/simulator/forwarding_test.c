/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * forwarding_test.c - loads behind stores in the simulator's core: what is forwarded, renamed, blocked, or only seems to
 * be. The core of core_fixture.h forwards in 5 cycles; where that fails, 12 more go by behind the store; one load and
 * one store begin in a cycle.
 */
#include "core_fixture.h"

#define PLACE 0x10000000

struct access {
	uint64_t offset;
	uint16_t size; /* 0: none */
};

/* Stores of a register and then a load to it, over and over. */
static const struct behind_row {
	const char *name;
	struct access stores[2], load;
	bool is_vector;
	uint32_t renames_memory;
	unsigned cycles; /* of a round */
} behind_rows[] = {
	{ "forwarding", { { 0, 8 } }, { 0, 8 }, .cycles = 5 },
	{ "forwarding of a part", { { 0, 8 } }, { 4, 4 }, .cycles = 5 },
	{ "forwarding of a wide one", { { 0, 32 } }, { 16, 16 }, .cycles = 5 },
	{ "renamed: one store a cycle", { { 0, 8 } }, { 0, 8 }, .renames_memory = 1, .cycles = 1 },
	{ "renamed, and narrower", { { 0, 8 } }, { 0, 4 }, .renames_memory = 1, .cycles = 1 },
	{ "behind another store", { { 0, 8 }, { 64, 8 } }, { 0, 8 }, .renames_memory = 1, .cycles = 2 },
	{ "the upper half is not renamed", { { 0, 8 } }, { 4, 4 }, .renames_memory = 1, .cycles = 5 },
	{ "a byte is not renamed", { { 0, 1 } }, { 0, 1 }, .renames_memory = 1, .cycles = 5 },
	{ "a vector is not renamed", { { 0, 8 } }, { 0, 8 }, .is_vector = true, .renames_memory = 1, .cycles = 5 },
	/* One cycle until the store is through, which is when it leaves its queue. */
	{ "wider than the store", { { 0, 4 } }, { 0, 8 }, .cycles = 1 + 12 },
	{ "of two stores", { { 0, 4 }, { 4, 4 } }, { 0, 8 }, .cycles = 2 + 12 },
	{ "the load's second half", { { 8, 8 } }, { 0, 16 }, .cycles = 1 + 12 },
	{ "beside the store", { { 0, 4 } }, { 4, 4 }, .cycles = 1 },
	/* The load that begins anew takes the load unit twice. */
	{ "4 KiB behind the store", { { 0, 8 } }, { 4096, 8 }, .cycles = 2 },
	{ "4 KiB and a line behind it", { { 0, 8 } }, { 4160, 8 }, .cycles = 1 },
	{ "a load over a line's end", { { 0, 8 } }, { 188, 8 }, .cycles = 2 },
};

static void add_insn(struct made *made, enum kind kind, const struct access *access, bool is_vector)
{
	unsigned number = made->block.ninsns++;

	made->insns[number] = (struct insn){ .address = made->block.address + 4 * number,
					     .bytes = 4,
					     .nuops = 1,
					     .slots = 1,
					     .loads = kind == KIND_LOAD,
					     .stores = kind == KIND_STORE,
					     .cached_cost = FETCH_UNIT / 8,
					     .legacy_cost = FETCH_UNIT / 4 };
	made->uops[number] = (struct uop){ .kind = (uint8_t)kind,
					   .target = kind == KIND_LOAD ? REGISTER(0) : VALUE_UNUSED,
					   .size = (uint16_t)(access->size & MOST_ACCESS_SIZE),
					   .is_vector = is_vector,
					   .access = (uint16_t)number };
	made->uops[number].sources[0] = kind == KIND_STORE ? REGISTER(0) : VALUE_READY;
	made->block.nuops = made->block.naccesses = made->block.ninsns;
}

static void make_accesses(struct made *made, const struct behind_row *row, uint64_t *addresses)
{
	const struct parameters parameters = read_parameters();

	*made = (struct made){ .block = { .address = 0x400000,
					  .end = 0x400040,
					  .insns = made->insns,
					  .uops = made->uops,
					  .is_store = made->is_store } };
	for (unsigned i = 0; i < COUNT_OF(row->stores) && row->stores[i].size; i++) {
		addresses[i] = PLACE + row->stores[i].offset;
		add_insn(made, KIND_STORE, &row->stores[i], row->is_vector);
	}
	addresses[made->block.ninsns] = PLACE + row->load.offset;
	add_insn(made, KIND_LOAD, &row->load, row->is_vector);
	block_finish(&made->block, &parameters);
}

#define ROUNDS 400

static uint64_t run_rounds(struct core *core, const struct made *made, const uint64_t *addresses)
{
	uint64_t before = core->commit;

	for (unsigned round = 0; round < ROUNDS; round++)
		core_run(core, &(struct execution){
				       .block = &made->block, .addresses = addresses, .next = made->block.address });
	return core->commit - before;
}

static void test_behind_stores(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(behind_rows); i++) {
		const struct behind_row *row = &behind_rows[i];
		struct core *core = core_new();
		struct made made;
		uint64_t addresses[MOST] = { 0 }, cycles;
		char text[96];

		core->parameters.renames_memory = row->renames_memory;
		make_accesses(&made, row, addresses);
		run_rounds(core, &made, addresses);
		cycles = run_rounds(core, &made, addresses);
		snprintf(text, sizeof(text), "%.2f cycles a round, not %u", (double)cycles / ROUNDS, row->cycles);
		row_expect(&rows, row->name, cycles + 2 >= row->cycles * ROUNDS && cycles <= row->cycles * ROUNDS + 2,
			   text);
	}
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_behind_stores) };

	return cmocka_run_group_tests_name("simulator.forwarding", tests, NULL, NULL);
}
