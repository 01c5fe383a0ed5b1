/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_test.c - the simulator's core, without Valgrind: blocks made by hand, whose cycles follow from the parameters. */
#include <inttypes.h>

#include "core_fixture.h"
#include "simulator/model/windows.h"

/* A loop of equal instructions: what each does, and how long a round takes. */
static const struct loop_row {
	const char *name;
	enum kind kind;
	unsigned count;	  /* instructions in the block */
	bool is_chain;	  /* each takes what the one before gave */
	uint64_t stride;  /* of loads: bytes from one to the next; 0: the same place */
	double cycles;	  /* of a round */
	enum cause cause; /* of most of the lost slots; CAUSE_COUNT: there are hardly any */
} loop_rows[] = {
	/* clang-format off */
	{ "independent additions fill the slots", KIND_ALU,         8, false, 0,    2,    CAUSE_COUNT },
	{ "a chain of additions",                 KIND_ALU,         8, true,  0,    8,    CAUSE_DEPENDENCY },
	{ "a chain of multiplications",           KIND_FP_MULTIPLY, 4, true,  0,    16,   CAUSE_DEPENDENCY },
	{ "one multiplier for all",               KIND_MULTIPLY,    8, false, 0,    8,    CAUSE_PORTS },
	{ "a chain of divisions",                 KIND_DIVIDE_64,   2, true,  0,    60,   CAUSE_DIVIDER },
	{ "divisions that need not wait",         KIND_DIVIDE_64,   2, false, 0,    40,   CAUSE_DIVIDER },
	{ "loads from L1, one a cycle",           KIND_LOAD,        4, false, 0,    4,    CAUSE_PORTS },
	{ "a chain of loads from L1",             KIND_LOAD,        4, true,  0,    20,   CAUSE_L1 },
	{ "a chain of loads from memory",         KIND_LOAD,        2, true,  4160, 400,  CAUSE_DRAM },
	{ "loads from memory, ten at a time",     KIND_LOAD,        10, false, 4160, 200, CAUSE_DRAM },
	/* clang-format on */
};

static uint64_t run_rounds(struct core *core, struct made *made, uint64_t stride, unsigned rounds)
{
	uint64_t before = core->cycle, address = 0x10000000 + core->nloads * stride;

	for (unsigned round = 0; round < rounds; round++) {
		uint64_t addresses[MOST];

		for (unsigned i = 0; i < made->block.ninsns; i++, address += stride)
			addresses[i] = address;
		core_run(core, &(struct execution){
				       .block = &made->block, .addresses = addresses, .next = made->block.address });
	}
	return core->cycle - before;
}

static enum cause largest_cause(const struct core *core, uint64_t *lost)
{
	enum cause largest = CAUSE_MISPREDICT;

	*lost = 0;
	for (unsigned i = 0; i < CAUSE_COUNT; i++) {
		*lost += core->lost[i];
		if (core->lost[i] > core->lost[largest])
			largest = (enum cause)i;
	}
	return largest;
}

#define ROUNDS 500

static void test_loops(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(loop_rows); i++) {
		const struct loop_row *row = &loop_rows[i];
		struct core *core = core_new();
		struct made made;
		uint64_t cycles, lost, slots;
		enum cause cause;
		char text[96];

		make_block(&made, row->kind, row->count, row->is_chain);
		run_rounds(core, &made, row->stride, ROUNDS);
		memset(core->lost, 0, sizeof(core->lost));
		cycles = run_rounds(core, &made, row->stride, ROUNDS);
		cause = largest_cause(core, &lost);
		slots = cycles * core->parameters.width;
		snprintf(text, sizeof(text), "%.2f cycles a round, not %g", (double)cycles / ROUNDS, row->cycles);
		row_expect(&rows, row->name,
			   (double)cycles > row->cycles * ROUNDS * 0.95 - 10 &&
				   (double)cycles < row->cycles * ROUNDS * 1.05 + 10,
			   text);
		snprintf(text, sizeof(text), "most is lost to cause %u, not %u", cause, row->cause);
		row_expect(&rows, row->name, row->cause == CAUSE_COUNT ? lost * 50 < slots : cause == row->cause, text);
	}
	rows_end(&rows);
}

/* Every slot either retires or has a cause. */
static void test_sum(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(loop_rows); i++) {
		struct core *core = core_new();
		struct made made;
		uint64_t lost;

		make_block(&made, loop_rows[i].kind, loop_rows[i].count, loop_rows[i].is_chain);
		run_rounds(core, &made, loop_rows[i].stride, ROUNDS);
		largest_cause(core, &lost);
		row_expect(&rows, loop_rows[i].name,
			   core->retired + lost == core->cycle * core->parameters.width + core->used,
			   "slots are missing, or counted twice");
	}
	rows_end(&rows);
}

/* Instructions retire in order, and each that delays others does so longer than those before it. */
static bool is_in_order(const struct core *core)
{
	bool is_right = true;

	for (uint64_t i = core->entry - core->rob_mask; i < core->entry; i++)
		is_right = is_right && core->commits[(i - 1) & core->rob_mask] <= core->commits[i & core->rob_mask];
	for (uint64_t i = core->delay - 10; i != core->delay; i++)
		is_right = is_right && core->delays[(i - 1) & core->delay_mask] < core->delays[i & core->delay_mask];
	return is_right;
}

/*
 * A load from memory and 15 additions that need not wait: of the 100 slots in the reorder buffer every 16th is such a load, so 6 or 7 of them are
 * on their way for 200 cycles each. Wherever in its ring the reorder buffer begins.
 */
static void test_rings(void **state UNUSED)
{
	const struct parameters parameters = read_parameters();
	struct rows rows = { 0 };

	for (unsigned before = 0; before <= 160; before++) {
		struct core *core = core_new();
		struct made made;
		uint64_t cycles;
		char text[96];

		make_block(&made, KIND_ALU, 1, false);
		run_rounds(core, &made, 0, before);
		make_block(&made, KIND_ALU, 16, false);
		made.uops[0].kind = KIND_LOAD;
		made.insns[0].loads = 1;
		block_finish(&made.block, &parameters);
		run_rounds(core, &made, 4160, 20);
		cycles = run_rounds(core, &made, 4160, ROUNDS);
		snprintf(text, sizeof(text), "%.2f cycles a round, not 200 / 6.25", (double)cycles / ROUNDS);
		row_expect(&rows, "a load and additions", is_in_order(core), "the rings are not in order");
		row_expect(&rows, "a load and additions", cycles > 28 * ROUNDS && cycles < 34 * ROUNDS, text);
	}
	rows_end(&rows);
}

/* Branches, and the number of mispredictions allowed in the last thousand. */
static const struct branch_row {
	const char *name;
	enum branch branch;
	unsigned pattern; /* taken in every pattern-th round; for indirect ones so many targets in turn; 0: random */
	unsigned least, most;
} branch_rows[] = {
	{ "always taken", BRANCH_CONDITIONAL, 1, 0, 0 },
	{ "every third time", BRANCH_CONDITIONAL, 3, 0, 5 },
	{ "every twentieth time", BRANCH_CONDITIONAL, 20, 0, 15 },
	{ "every 250th time", BRANCH_CONDITIONAL, 250, 1, 8 },
	{ "at random", BRANCH_CONDITIONAL, 0, 400, 600 },
	{ "one target", BRANCH_INDIRECT, 1, 0, 0 },
	{ "four targets in turn", BRANCH_INDIRECT, 4, 0, 20 },
	{ "random targets", BRANCH_INDIRECT, 0, 700, 1000 },
};

static uint64_t target_of(const struct branch_row *row, unsigned round, uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	if (row->branch == BRANCH_INDIRECT)
		return 0x500000 + 64 * (row->pattern ? round % row->pattern : *random >> 33 & 7);
	if (row->pattern ? round % row->pattern != 0 : (*random >> 40 & 1) == 0)
		return 0x400004;
	return 0x600000;
}

/* A branch of four bytes at address goes to target, or on behind it. */
static enum prediction jump(struct core *core, enum branch kind, uint64_t address, uint64_t target)
{
	const struct block block = { .branch_hash = predictor_hash(address),
				     .end = address + 4,
				     .branch = (uint8_t)kind };

	return predictor_branch(&core->predictor, &block, target);
}

static void test_branches(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(branch_rows); i++) {
		const struct branch_row *row = &branch_rows[i];
		struct core *core = core_new();
		uint64_t random = 1;
		unsigned wrong = 0;
		char text[64];

		for (unsigned round = 0; round < 5000; round++) {
			uint64_t target = target_of(row, round, &random);
			bool is_wrong = jump(core, row->branch, 0x400000, target) == PREDICTION_WRONG;

			wrong += round >= 4000 && is_wrong;
		}
		snprintf(text, sizeof(text), "%u wrong, not %u to %u", wrong, row->least, row->most);
		row_expect(&rows, row->name, wrong >= row->least && wrong <= row->most, text);
	}
	rows_end(&rows);
}

static bool is_right(struct core *core, uint64_t address, bool is_taken)
{
	return jump(core, BRANCH_CONDITIONAL, address, is_taken ? 0x600000 : address + 4) != PREDICTION_WRONG;
}

/* A branch that does what a random one did: so many others between them hide that from shorter histories. */
static void test_history(void **state UNUSED)
{
	static const struct {
		unsigned between;
		unsigned least, most; /* wrong ones of the last thousand */
	} history_rows[] = { { 0, 0, 20 },  { 9, 0, 20 },   { 30, 0, 20 },  { 38, 0, 20 },
			     { 62, 0, 20 }, { 110, 0, 20 }, { 127, 0, 20 }, { 128, 400, 600 } };

	for (size_t i = 0; i < COUNT_OF(history_rows); i++) {
		struct core *core = core_new();
		uint64_t random = 1;
		unsigned wrong = 0;

		for (unsigned round = 0; round < 3000; round++) {
			bool is_taken;

			random = random * 6364136223846793005u + 1442695040888963407u;
			is_taken = random >> 40 & 1;
			(void)is_right(core, 0x400000, is_taken);
			for (unsigned k = 0; k < history_rows[i].between; k++)
				(void)is_right(core, 0x400010 + 16 * k, k % 3 != 0);
			wrong += !is_right(core, 0x410000, is_taken) && round >= 2000;
		}
		assert_in_range(wrong, history_rows[i].least, history_rows[i].most);
	}
}

/* Calls of any depth up to the return stack's come back where they came from; deeper ones do not. */
static void test_returns(void **state UNUSED)
{
	for (unsigned depth = 1; depth <= 9; depth++) {
		struct core *core = core_new();
		unsigned wrong = 0;

		for (unsigned i = 0; i < depth; i++)
			(void)jump(core, BRANCH_CALL, 0x400000 + 16 * i, 0x400010 + 16 * i);
		for (unsigned i = depth; i-- > 0;)
			wrong += jump(core, BRANCH_RETURN, 0x500000, 0x400004 + 16 * i) == PREDICTION_WRONG;
		assert_int_equal(wrong, depth > 8);
	}
}

/* What fetch never met, decode must find: once, as long as there is room, at whatever distance the branches lie. */
static void test_unknown(void **state UNUSED)
{
	for (uint64_t distance = 2; distance <= 1 << 20; distance *= 8) {
		struct core *core = core_new();
		unsigned unknown = 0;

		for (uint64_t i = 0; i < 256; i++)
			assert_int_equal(jump(core, BRANCH_DIRECT, 0x400000 + i * distance, 0x500000),
					 PREDICTION_UNKNOWN);
		for (uint64_t i = 0; i < 256; i++)
			unknown += jump(core, BRANCH_DIRECT, 0x400000 + i * distance, 0x500000) != PREDICTION_RIGHT;
		assert_true(unknown < 32); /* a quarter of its 1024 entries, in sets of four: few have more than four */
		assert_int_equal(jump(core, BRANCH_CALL, 0x300000, 0x310000), PREDICTION_UNKNOWN);
		assert_int_equal(jump(core, BRANCH_RETURN, 0x310008, 0x300004), PREDICTION_UNKNOWN);
		assert_int_equal(jump(core, BRANCH_CALL, 0x300000, 0x310000), PREDICTION_RIGHT);
		assert_int_equal(jump(core, BRANCH_RETURN, 0x310008, 0x300004), PREDICTION_RIGHT);
	}
}

/* Lines that were used, in order, and which are still there in a cache of 2 sets of 2 ways. */
static void test_cache(void **state UNUSED)
{
	struct cache cache;

	cache_init(&cache, 4, 2);
	assert_false(cache_access(&cache, 10));
	assert_false(cache_access(&cache, 12));
	assert_true(cache_access(&cache, 10));
	assert_false(cache_access(&cache, 14)); /* drives 12 out, which was used longest ago */
	assert_false(cache_access(&cache, 11)); /* the other set */
	assert_true(cache_has(&cache, 10) && cache_has(&cache, 14) && cache_has(&cache, 11));
	assert_false(cache_has(&cache, 12));
}

/* The code is somewhere else. */
static void move_block(struct made *made, uint64_t address)
{
	const struct parameters parameters = read_parameters();

	made->block.address = address;
	made->block.end = address + 4u * made->block.ninsns;
	for (unsigned i = 0; i < made->block.ninsns; i++)
		made->insns[i].address = address + 4 * i;
	block_finish(&made->block, &parameters);
}

static unsigned rounded_up(unsigned count, unsigned by)
{
	return (count + by - 1) / by;
}

/*
 * What a round of a loop takes that begins at an offset of a line: 4 slots issue in a cycle, and the micro-op cache
 * delivers 8 of one line. An instruction that lies in both lines comes with the second one, to which fetch has to come
 * in any case.
 */
static double loop_cycles(unsigned count, unsigned offset)
{
	unsigned first = offset + 4 * count <= 64 ? count : (64 - offset) / 4, second = count - first;
	unsigned fetch = first ? rounded_up(first, 8) : 1;

	fetch += second ? rounded_up(second, 8) : 0;
	return count / 4.0 > fetch ? count / 4.0 : fetch;
}

#define LINE_ROUNDS 100

/* A loop comes from the micro-op cache from its second round on, wherever it lies. */
static void test_lines(void **state UNUSED)
{
	static const unsigned counts[] = { 1, 3, 8, 10, 14, 16 };
	struct core *core = core_new();

	for (unsigned i = 0; i < COUNT_OF(counts) * 64; i++) {
		unsigned count = counts[i / 64], offset = i % 64;
		double expected = LINE_ROUNDS * loop_cycles(count, offset);
		struct made made;
		uint64_t cycles;

		make_block(&made, KIND_ALU, count, false);
		move_block(&made, 0x400000 + 4096 * i + offset);
		run_rounds(core, &made, 0, LINE_ROUNDS);
		memset(core->lost, 0, sizeof(core->lost));
		cycles = run_rounds(core, &made, 0, LINE_ROUNDS);
		if (core->lost[CAUSE_LEGACY_DECODE] || (double)cycles < expected * 0.98 - 1 ||
		    (double)cycles > expected * 1.02 + 1)
			fail_msg("%u instructions at offset %u: %" PRIu64 " cycles, not %.0f, %" PRIu64
				 " slots from the decoders",
				 count, offset, cycles, expected, core->lost[CAUSE_LEGACY_DECODE]);
	}
}

/* A loop that was there between the windows comes from the micro-op cache in the next one too, from the first round. */
static void test_lines_of_window(void **state UNUSED)
{
	struct core *core = core_new();
	struct made made;

	make_block(&made, KIND_ALU, 8, false);
	core_warm(core, &(struct execution){ .block = &made.block, .next = made.block.address });
	core_resume(core);
	run_rounds(core, &made, 0, LINE_ROUNDS);
	assert_int_equal(core->lost[CAUSE_LEGACY_DECODE], 0);
}

/* What a string instruction of so many elements of one byte loses to a cause, in cycles. */
static uint64_t run_string(struct core *core, struct made *made, unsigned elements, enum cause cause)
{
	uint64_t before = core->lost[cause];

	for (unsigned i = 1; i <= elements; i++) {
		uint64_t address = 0x10000000 + i;

		core_run(core, &(struct execution){ .block = &made->block,
						    .addresses = &address,
						    .next = i < elements ? made->block.address : made->block.end });
	}
	return (core->lost[cause] - before) / core->parameters.width;
}

/*
 * REP STOSB: chunks of 32 bytes, one a cycle, since one store leaves its queue in a cycle; 10 cycles to start, and 30
 * for more than 64 bytes. No round is a branch, or is fetched.
 */
static void test_strings(void **state UNUSED)
{
	struct core *core = core_new();
	uint64_t cycle, retired, lost;
	struct made made;

	make_block(&made, KIND_STORE, 1, false);
	made.uops[0].size = 1;
	made.block.is_repeated = true;
	made.insns[0].loads = 0;
	made.insns[0].stores = 1;
	block_finish(&made.block, &core->parameters);
	run_string(core, &made, 16384, CAUSE_STORE);
	assert_in_range(run_string(core, &made, 32, CAUSE_MICROCODE_SWITCH), 9, 10);
	assert_in_range(run_string(core, &made, 96, CAUSE_MICROCODE_SWITCH), 28, 30);
	assert_in_range(run_string(core, &made, 512, CAUSE_MICROCODE_SWITCH), 28, 30);
	/* Zen 4's end below 128 bytes. */
	core->parameters.string_short = 127;
	assert_in_range(run_string(core, &made, 96, CAUSE_MICROCODE_SWITCH), 9, 10);
	assert_in_range(run_string(core, &made, 160, CAUSE_MICROCODE_SWITCH), 28, 30);
	core->parameters.string_short = 0;
	memset(core->lost, 0, sizeof(core->lost));
	cycle = core->cycle;
	retired = core->retired;
	/* While it starts, what was begun ends: up to a store queue of the first chunks costs nothing. */
	run_string(core, &made, 16384, CAUSE_STORE);
	lost = core->lost[CAUSE_STORE] + core->lost[CAUSE_PORTS];
	assert_in_range(lost, (16384 / 32 - 28) * 3, 16384 / 32 * 3);
	assert_int_equal(core->retired - retired, 16384 / 32);
	assert_in_range(core->cycle - cycle, 30 + 16384 / 32 - 28, 30 + 16384 / 32);
	assert_int_equal(core->lost[CAUSE_UOP_CACHE] + core->lost[CAUSE_LEGACY_DECODE], 0);
	assert_int_equal(core->branches, 0);
}

/* Lines that L1 has, in more pages than the ITLB: what fetch waits is the TLB's, and no cache's. */
static void test_late_code(void **state UNUSED)
{
	struct core *core = core_new();
	const uint64_t addresses[MOST] = { 0 };
	struct made blocks[128];

	core->hierarchy.page_shift = 12;
	core->parameters.fetch_queue = 1;
	for (unsigned i = 0; i < COUNT_OF(blocks); i++) {
		make_block(&blocks[i], KIND_BRANCH, 1, false);
		blocks[i].block.address = blocks[i].insns[0].address = 0x400000 + (4096 + 64) * (uint64_t)i;
		blocks[i].block.end = blocks[i].block.address + 4;
		blocks[i].block.branch = BRANCH_DIRECT;
		block_finish(&blocks[i].block, &core->parameters);
	}
	for (unsigned round = 0; round < 20; round++) {
		if (round == 10)
			memset(core->lost, 0, sizeof(core->lost));
		for (unsigned i = 0; i < COUNT_OF(blocks); i++)
			core_run(core, &(struct execution){ .block = &blocks[i].block,
							    .addresses = addresses,
							    .next = blocks[(i + 1) % COUNT_OF(blocks)].block.address });
	}
	assert_int_equal(core->lost[CAUSE_ICACHE], 0);
	assert_true(core->lost[CAUSE_ITLB] > 0);
}

/* A wrong prediction costs the time until the branch is known, and the penalty. */
static void test_mispredict(void **state UNUSED)
{
	struct core *core = core_new();
	struct made made, others;
	uint64_t before, random = 1, addresses[MOST] = { 0 };
	const unsigned rounds = 2000;

	make_block(&made, KIND_BRANCH, 1, false);
	made.uops[0].target = VALUE_UNUSED;
	made.block.branch = BRANCH_CONDITIONAL;
	block_finish(&made.block, &core->parameters);
	/* Long before, instructions that were never waited for. */
	make_block(&others, KIND_ALU, 8, false);
	run_rounds(core, &others, 0, ROUNDS);
	memset(core->lost, 0, sizeof(core->lost));
	before = core->cycle;
	for (unsigned round = 0; round < rounds; round++) {
		struct execution execution = { .block = &made.block, .addresses = addresses };

		random = random * 6364136223846793005u + 1442695040888963407u;
		execution.next = random >> 40 & 1 ? made.block.end : made.block.address;
		core_run(core, &execution);
	}
	assert_true(core->mispredicted > rounds * 2 / 5 && core->mispredicted < rounds * 3 / 5);
	/* Nothing else is in the way: neither the reorder buffer nor what once was in it. */
	assert_int_equal(core->lost[CAUSE_DEPENDENCY] + core->lost[CAUSE_STORE], 0);
	/*
	 * Of the penalty 5 cycles are the core's, and 15 fetch takes beyond that. A cycle has 4 slots, of which fetch
	 * leaves up to 3 empty for 2 cycles more, as each of these instructions jumps.
	 */
	assert_in_range(core->lost[CAUSE_RESTEER], core->mispredicted * 60 - 60, core->mispredicted * 66);
	assert_in_range(core->lost[CAUSE_MISPREDICT], core->mispredicted * 20, core->mispredicted * 32);
	/* 20 for the penalty, 2 from issue until it is resolved; and the code's first line from memory. */
	assert_in_range(core->cycle - before, core->mispredicted * 21, core->mispredicted * 24 + rounds + 250);
}

static const struct text_row {
	const char *name, *text, *wrong; /* wrong: what the refusal says; NULL: it is right */
} text_rows[] = {
	{ "nothing", "", "width" },
	{ "an unknown name", "depth 4\n", "depth 4\n" },
	{ "no number", "width\n", "width\n" },
	{ "zero", "width 0\n", "width 0\n" },
	{ "too large", "width 99999999999999999999\n", "width 99999999999999999999\n" },
	/* The short history of 11 branches numbers 2048 rows. */
	{ "a predictor that is too small", "predictor_entries 1024\n", "predictor_entries 1024\n" },
	{ "more than a number", "width 4x\n", "width 4x\n" },
};

static void test_parameters(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct parameters parameters;

	for (size_t i = 0; i < COUNT_OF(text_rows); i++) {
		const char *wrong = parameters_read(&parameters, text_rows[i].text);

		row_expect(&rows, text_rows[i].name, wrong && !strcmp(wrong, text_rows[i].wrong),
			   wrong ? wrong : "read");
	}
	assert_null(parameters_read(&parameters, core_text));
	assert_int_equal(parameters.l2.ways, 8);
	rows_end(&rows);
}

/* Windows of a program whose rounds are all alike say what the whole would have said. */
static void test_sampling(void **state UNUSED)
{
	struct sampling sampling = { .period = 100000 };
	struct core *core = core_new();
	struct sampler sampler;
	struct slot_counts counts;
	struct made made;
	uint64_t slots, detailed = 0;

	make_block(&made, KIND_FP_MULTIPLY, 4, true);
	sampler_init(&sampler, &sampling, 0);
	for (unsigned round = 0; round < 1000000; round++) {
		struct execution execution = { .block = &made.block, .next = made.block.address };

		detailed += sampler_is_accounted(&sampler) ? made.block.ninsns : 0;
		if (sampler_is_detailed(&sampler))
			core_run(core, &execution);
		else
			core_warm(core, &execution);
		sampler_step(&sampler, &sampling, core, made.block.ninsns);
	}
	counts = sampler_counts(&sampler, core);
	slots = counts.retired;
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		slots += counts.lost[i];
	assert_in_range(detailed, 300000, 500000); /* a tenth of 4 M, give or take the windows' random places */
	assert_int_equal(counts.retired, detailed);
	assert_in_range(slots, detailed * 16 * 97 / 100, detailed * 16 * 103 / 100); /* 4 cycles of 4 slots each */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loops),	   cmocka_unit_test(test_sum),
		cmocka_unit_test(test_rings),	   cmocka_unit_test(test_branches),
		cmocka_unit_test(test_history),	   cmocka_unit_test(test_returns),
		cmocka_unit_test(test_unknown),	   cmocka_unit_test(test_cache),
		cmocka_unit_test(test_mispredict), cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_lines),	   cmocka_unit_test(test_lines_of_window),
		cmocka_unit_test(test_strings),	   cmocka_unit_test(test_late_code),
		cmocka_unit_test(test_sampling),

	};

	return cmocka_run_group_tests_name("simulator.core", tests, NULL, NULL);
}
