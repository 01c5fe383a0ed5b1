/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rates_test.c - what differs between cores: stores, taken branches, sums behind sums, conversions, the predictor's size. */
#include "core_fixture.h"

#define ROUNDS 500

static struct core *core_of(const struct parameters *parameters)
{
	struct core *core = core_new();

	core_init(core, parameters, core->hierarchy.l3);
	return core;
}

/* Cycles of ten rounds of a block that jumps to itself; its accesses are a line apart. */
static uint64_t ten_rounds(const struct parameters *parameters, struct made *made)
{
	struct core *core = core_of(parameters);
	uint64_t addresses[MOST], start = 0;

	block_finish(&made->block, parameters);
	for (unsigned i = 0; i < MOST; i++)
		addresses[i] = 0x10000000 + 64 * i;
	for (unsigned round = 0; round < 2 * ROUNDS; round++) {
		if (round == ROUNDS)
			start = core->cycle;
		core_run(core, &(struct execution){
				       .block = &made->block, .addresses = addresses, .next = made->block.address });
	}
	return (core->cycle - start + ROUNDS / 20) * 10 / ROUNDS;
}

/* Two units for stores, eight of them a round. */
static void test_stores(void **state UNUSED)
{
	for (uint32_t commits = 1; commits <= 2; commits++) {
		struct parameters parameters = read_parameters();
		struct made made;

		parameters.units[PORT_STORE] = 2;
		parameters.line_commits = commits;
		make_block(&made, KIND_STORE, 8, false);
		for (unsigned i = 0; i < 8; i++) {
			made.insns[i].loads = 0;
			made.insns[i].stores = 1;
			made.uops[i].target = VALUE_UNUSED;
		}
		made.block.naccesses = 8;
		assert_int_equal(ten_rounds(&parameters, &made), 80 / commits);
	}
}

/* Of two instructions, where four have room in a cycle; of twelve, which take two cycles and a half from the cache. */
static void test_taken(void **state UNUSED)
{
	static const struct {
		uint32_t paired;
		unsigned count;
		uint64_t cycles; /* of ten rounds */
	} rows[] = { { 0, 2, 10 }, { 8, 2, 5 }, { 8, 12, 30 }, { 0, 12, 30 } };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct parameters parameters = read_parameters();
		struct made made;

		parameters.paired_blocks = rows[i].paired;
		make_block(&made, KIND_ALU, rows[i].count, false);
		for (unsigned k = 0; k < rows[i].count; k++)
			made.insns[k].cached_cost = FETCH_UNIT / 5;
		assert_int_equal(ten_rounds(&parameters, &made), rows[i].cycles);
	}
}

/* Four operations in a chain: each waits 2 for a sum if it is a sum too, and otherwise 4. */
static void test_sums(void **state UNUSED)
{
	static const struct {
		uint8_t kinds[4];
		uint64_t cycles; /* of ten rounds */
	} rows[] = {
		{ { KIND_FP_ADD, KIND_FP_ADD, KIND_FP_ADD, KIND_FP_ADD }, 80 },
		{ { KIND_FP_ADD, KIND_FP_MULTIPLY, KIND_FP_ADD, KIND_FP_MULTIPLY }, 160 },
		{ { KIND_FP_ADD, KIND_FP_ADD, KIND_FP_MULTIPLY, KIND_FP_MULTIPLY }, 140 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct parameters parameters = read_parameters();
		struct made made;

		parameters.fp_add_chain = 2;
		make_block(&made, KIND_FP_ADD, 4, true);
		for (unsigned k = 0; k < 4; k++)
			made.uops[k].kind = rows[i].kinds[k];
		assert_int_equal(ten_rounds(&parameters, &made), rows[i].cycles);
	}
}

static enum cause most_lost(const struct core *core)
{
	enum cause most = CAUSE_MISPREDICT;

	for (unsigned cause = 0; cause < CAUSE_COUNT; cause++)
		if (core->lost[cause] > core->lost[most])
			most = (enum cause)cause;
	return most;
}

/* Chains of products of 3 cycles, side by side on two units: whichever of both is longer decides, and has the slots. */
static void test_chains(void **state UNUSED)
{
	static const struct {
		unsigned chains;
		uint64_t cycles; /* of a round */
		enum cause cause;
	} rows[] = {
		{ 4, 3, CAUSE_DEPENDENCY }, { 5, 3, CAUSE_DEPENDENCY }, { 8, 4, CAUSE_PORTS }, { 12, 6, CAUSE_PORTS }
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct parameters parameters = read_parameters();
		uint64_t addresses[MOST] = { 0 }, start;
		struct core *core;
		struct made made;

		parameters.latency[KIND_FP_MULTIPLY] = 3;
		core = core_of(&parameters);
		make_block(&made, KIND_FP_MULTIPLY, rows[i].chains, false);
		for (unsigned k = 0; k < rows[i].chains; k++)
			made.uops[k].sources[0] = made.uops[k].target;
		block_finish(&made.block, &parameters);
		start = core->cycle;
		for (unsigned round = 0; round < 100 * ROUNDS; round++)
			core_run(core, &(struct execution){ .block = &made.block,
							    .addresses = addresses,
							    .next = made.block.address });
		assert_int_equal((core->cycle - start) / (100 * ROUNDS), rows[i].cycles);
		assert_int_equal(most_lost(core), rows[i].cause);
	}
}

/* Four conversions in a chain: those that cross from one register file to the other take longer. */
static void test_conversions(void **state UNUSED)
{
	static const struct {
		enum kind kind;
		uint64_t cycles; /* of ten rounds */
	} rows[] = { { KIND_CONVERT, 160 }, { KIND_CONVERT_MOVE, 280 } };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct parameters parameters = read_parameters();
		struct made made;

		parameters.latency[KIND_CONVERT_MOVE] = 7;
		make_block(&made, rows[i].kind, 4, true);
		assert_int_equal(ten_rounds(&parameters, &made), rows[i].cycles);
	}
}

/*
 * A branch whose 32768 random directions come again and again. Three tables of 16384 have room for the 16384 that are not the usual one; three
 * of 2048 have room for 6144 of them, and for 10240 not.
 */
#define PERIOD 32768
static void test_tables(void **state UNUSED)
{
	static const struct {
		uint32_t entries;
		unsigned least, most; /* wrong of the last period */
	} rows[] = { { 1 << 11, 8192, PERIOD / 2 + 512 }, { 1 << 14, 0, PERIOD / 20 } };
	const struct block branch = { .branch_hash = predictor_hash(0x400000),
				      .end = 0x400004,
				      .branch = BRANCH_CONDITIONAL };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct parameters parameters = read_parameters();
		struct core *core;
		uint64_t random = 1;
		unsigned wrong = 0;

		parameters.predictor_entries = rows[i].entries;
		core = core_of(&parameters);
		for (unsigned round = 0; round < 20 * PERIOD; round++) {
			uint64_t target;

			random = round % PERIOD ? random * 6364136223846793005u + 1442695040888963407u : 1;
			target = random >> 40 & 1 ? 0x600000 : branch.end;
			if (predictor_branch(&core->predictor, &branch, target) == PREDICTION_WRONG)
				wrong += round >= 19 * PERIOD;
		}
		assert_in_range(wrong, rows[i].least, rows[i].most);
	}
}

/* REP STOSB takes a cycle for each chunk of 32 bytes, however many stores leave their queue in one. */
static void test_string_chunks(void **state UNUSED)
{
	const unsigned elements = 16384;
	struct parameters parameters = read_parameters();
	struct core *core;
	struct made made;
	uint64_t start = 0;

	parameters.units[PORT_STORE] = parameters.store_commits = parameters.line_commits = 2;
	make_block(&made, KIND_STORE, 1, false);
	made.uops[0].size = 1;
	made.uops[0].target = VALUE_UNUSED;
	made.block.is_repeated = true;
	made.insns[0].loads = 0;
	made.insns[0].stores = 1;
	made.block.naccesses = 1;
	block_finish(&made.block, &parameters);
	core = core_of(&parameters);
	for (unsigned i = 0; i < 3 * elements; i++) {
		const uint64_t address = 0x10000000 + i % elements;

		start = i == 2 * elements ? core->cycle : start;
		core_run(core, &(struct execution){ .block = &made.block,
						    .addresses = &address,
						    .next = (i + 1) % elements ? made.block.address : made.block.end });
	}
	assert_in_range(core->cycle - start, elements / 32, elements / 32 + 40);
}

#define TURNS 64

/* The first of 64 targets are at random, and come again: 8 of them in a row are few other places, and 2 of them many. */
static void test_indirect_history(void **state UNUSED)
{
	static const struct {
		uint32_t bits;
		unsigned least, most; /* wrong of the last 64 */
	} rows[] = { { 0, 0, 12 }, { 40, 0, 12 }, { 10, 20, TURNS } };
	const struct block branch = { .branch_hash = predictor_hash(0x400000),
				      .end = 0x400004,
				      .branch = BRANCH_INDIRECT };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct parameters parameters = read_parameters();
		struct core *core;
		uint64_t random = 1;
		unsigned wrong = 0;

		parameters.indirect_history = rows[i].bits;
		core = core_of(&parameters);
		for (unsigned round = 0; round < 40 * TURNS; round++) {
			random = round % TURNS ? random * 6364136223846793005u + 1442695040888963407u : 1;
			if (predictor_branch(&core->predictor, &branch, random >> 40 & 1 ? 0x600000 : 0x600100) ==
			    PREDICTION_WRONG)
				wrong += round >= 39 * TURNS;
		}
		assert_in_range(wrong, rows[i].least, rows[i].most);
	}
}

/*
 * By outcomes of conditional branches alone: of two targets in turn the one that was right once is expected, of more
 * none is; a conditional branch before that goes the same way says which.
 */
static void test_indirect_outcomes(void **state UNUSED)
{
	static const struct {
		unsigned targets;
		bool has_outcome;
		unsigned least, most; /* wrong of 100 */
	} rows[] = { { 2, false, 50, 50 }, { 4, false, 100, 100 }, { 2, true, 0, 0 } };
	const struct block jump = { .branch_hash = predictor_hash(0x400000),
				    .end = 0x400004,
				    .branch = BRANCH_INDIRECT };
	const struct block condition = { .branch_hash = predictor_hash(0x400040),
					 .end = 0x400044,
					 .branch = BRANCH_CONDITIONAL };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct parameters parameters = read_parameters();
		struct core *core;
		unsigned wrong = 0;

		parameters.indirect_outcomes = 4;
		core = core_of(&parameters);
		for (unsigned round = 0; round < 400; round++) {
			uint64_t target = 0x600000 + 64 * (round % rows[i].targets);

			if (rows[i].has_outcome)
				predictor_branch(&core->predictor, &condition, round % 2 ? 0x500000 : condition.end);
			if (predictor_branch(&core->predictor, &jump, target) == PREDICTION_WRONG)
				wrong += round >= 300;
		}
		assert_in_range(wrong, rows[i].least, rows[i].most);
	}
}

/* Two jumps to each other take two cycles a round, and where one has two targets in turn, a cycle more for each of its. */
static void test_several_targets(void **state UNUSED)
{
	for (unsigned targets = 1; targets <= 2; targets++) {
		struct parameters parameters = read_parameters();
		const uint64_t addresses[MOST] = { 0 };
		struct core *core;
		struct made blocks[3];
		uint64_t start = 0;

		parameters.indirect_turn = parameters.targets_turn = 1;
		for (unsigned i = 0; i < 3; i++) {
			make_block(&blocks[i], KIND_BRANCH, 1, false);
			blocks[i].block.address = blocks[i].insns[0].address = 0x400000 + 64 * i;
			blocks[i].block.end = blocks[i].block.address + 4;
			blocks[i].block.branch = BRANCH_INDIRECT;
			block_finish(&blocks[i].block, &parameters);
		}
		core = core_of(&parameters);
		for (unsigned round = 0; round < 4000; round++) {
			struct block *to = &blocks[targets == 1 ? 1 : 1 + round % 2].block;

			start = round == 2000 ? core->cycle : start;
			core_run(core, &(struct execution){ .block = &blocks[0].block,
							    .addresses = addresses,
							    .next = to->address });
			core_run(core, &(struct execution){
					       .block = to, .addresses = addresses, .next = blocks[0].block.address });
		}
		assert_in_range(core->cycle - start, targets == 1 ? 3990 : 5990, targets == 1 ? 4010 : 6010);
	}
}

/* Jumps in a ring, a cycle each; and some more where there are more than are near. Beyond all, decode finds them. */
static void test_far_targets(void **state UNUSED)
{
	static const struct {
		unsigned jumps, cycles;
	} rows[] = { { 256, 1 }, { 4000, 4 }, { 16000, 11 } };
	const uint64_t addresses[MOST] = { 0 };
	static struct made blocks[16000];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		unsigned jumps = rows[i].jumps, rounds = 1 + 16000 / jumps;
		struct parameters parameters = read_parameters();
		struct core *core;
		uint64_t start = 0;

		parameters.branch_targets = 6656;
		parameters.near_targets = 1024;
		parameters.far_turn = 4;
		parameters.unknown_branch_penalty = 10;
		parameters.ideal[IDEAL_CODE] = 1;
		for (unsigned k = 0; k < jumps; k++) {
			make_block(&blocks[k], KIND_BRANCH, 1, false);
			blocks[k].block.address = blocks[k].insns[0].address = 0x400000 + 16 * k;
			blocks[k].block.end = blocks[k].block.address + 4;
			blocks[k].block.branch = BRANCH_DIRECT;
			block_finish(&blocks[k].block, &parameters);
		}
		core = core_of(&parameters);
		for (unsigned k = 0; k < 2 * rounds * jumps; k++) {
			start = k == rounds * jumps ? core->cycle : start;
			core_run(core, &(struct execution){ .block = &blocks[k % jumps].block,
							    .addresses = addresses,
							    .next = blocks[(k + 1) % jumps].block.address });
		}
		assert_in_range((core->cycle - start) * 100 / (rounds * jumps), rows[i].cycles * 90,
				rows[i].cycles * 110);
	}
}

/* An instruction's own latency goes before that of its kind, whatever that is, and however often it is worked out. */
static void test_own_latency(void **state UNUSED)
{
	struct parameters parameters = read_parameters();
	struct made made;

	make_block(&made, KIND_FP_ADD, 4, true);
	assert_int_equal(ten_rounds(&parameters, &made), 160);
	for (unsigned i = 0; i < 4; i++) {
		made.uops[i].latency = 2;
		made.uops[i].is_known = 1;
	}
	assert_int_equal(ten_rounds(&parameters, &made), 80);
	parameters.latency[KIND_FP_ADD] = 9;
	assert_int_equal(ten_rounds(&parameters, &made), 80);
	parameters.ideal[IDEAL_DEPENDENCIES] = 1;
	assert_in_range(ten_rounds(&parameters, &made), 10, 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_stores),
					    cmocka_unit_test(test_taken),
					    cmocka_unit_test(test_sums),
					    cmocka_unit_test(test_chains),
					    cmocka_unit_test(test_conversions),
					    cmocka_unit_test(test_tables),
					    cmocka_unit_test(test_indirect_history),
					    cmocka_unit_test(test_indirect_outcomes),
					    cmocka_unit_test(test_several_targets),
					    cmocka_unit_test(test_far_targets),
					    cmocka_unit_test(test_own_latency),
					    cmocka_unit_test(test_string_chunks) };

	return cmocka_run_group_tests_name("simulator.rates", tests, NULL, NULL);
}
