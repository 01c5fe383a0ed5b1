/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_test.c - what follows the program between two windows, against the slow way to do the same: one block, one access at a time. */
#include "core_fixture.h"
#include "simulator/model/trace.h"

static uint64_t random_state = 88172645463325252u;

static uint64_t draw(uint64_t most)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % most;
}

/* ---- caches ---- */

static const struct cache_row {
	const char *name;
	uint32_t entries, ways;
	uint64_t lines; /* different ones that are asked for */
} cache_rows[] = {
	{ "all fit", 64, 4, 60 },
	{ "some do not", 64, 4, 80 },
	{ "most do not", 64, 4, 1000 },
	{ "sets that are no power of two", 72, 12, 90 },
	{ "one set", 18, 18, 20 },
	{ "one way", 32, 1, 40 },
	{ "numbers that share low bits", 64, 8, 1 << 20 },
};

/* Stamps find and throw out what an ordered set does. */
static void test_stamped(void **state UNUSED)
{
	for (unsigned i = 0; i < sizeof(cache_rows) / sizeof(cache_rows[0]); i++) {
		const struct cache_row *row = &cache_rows[i];
		uint64_t step = row->lines > 1000 ? 4096 : 1, hits = 0;
		struct stamped stamped = { 0 };
		struct cache cache = { 0 };

		stamped_init(&stamped, row->entries, row->ways);
		cache_init(&cache, row->entries, row->ways);
		for (unsigned access = 0; access < 40000; access++) {
			uint64_t line = 1 + draw(draw(2) ? row->lines : row->lines / 8 + 1) / step * step;
			bool is_there = cache_access(&cache, line);

			hits += is_there;
			if (stamped_access(&stamped, line) != is_there)
				fail_msg("%s: access %u to line %u", row->name, access, (unsigned)line);
		}
		assert_in_range(hits, 400, 39999);
	}
}

/* ---- blocks ---- */

#define BLOCKS	 300
#define ACCESSES 40 /* of a block, at most */
#define ROUNDS	 700

struct followed {
	_Alignas(HOST_LINE) struct block block;
	struct uop uops[ACCESSES];
	struct insn insns[1];
	bool is_store[ACCESSES + ACCESSES_AT_ONCE];
};

/* Two of everything that changes: the one followed slowly, and quickly. */
struct pair {
	struct core *slow, *fast;
	struct followed *slow_blocks, *fast_blocks;
	struct warm *warm;
};

static void make_followed(struct followed *followed, unsigned number)
{
	const struct parameters parameters = read_parameters();
	struct block *block = &followed->block;
	unsigned naccesses = number % 7 ? number % 5 : number % ACCESSES;

	*block = (struct block){ .address = 0x400000 + number * 4000,
				 .end = 0x400000 + number * 4000 + 1 + number % 190,
				 .branch = (uint8_t)(number % (BRANCH_RETURN + 1)),
				 .is_repeated = number % 50 == 49,
				 .ninsns = 1,
				 .nuops = (uint16_t)naccesses,
				 .naccesses = (uint16_t)naccesses,
				 .insns = followed->insns,
				 .uops = followed->uops,
				 .is_store = followed->is_store };
	followed->insns[0] = (struct insn){ .address = block->address, .nuops = (uint8_t)naccesses, .slots = 1 };
	for (unsigned i = 0; i < naccesses; i++)
		followed->uops[i] = (struct uop){ .kind = (number + i) % 3 ? KIND_LOAD : KIND_STORE,
						  .size = 8,
						  .access = (uint16_t)i };
	block_finish(block, &parameters);
}

static struct core *small_core(void)
{
	struct core *core = core_new();

	core->parameters.prefetch_lines = 8;
	hierarchy_init(&core->hierarchy, &core->parameters, core->hierarchy.l3);
	core->hierarchy.page_shift = 12;
	return core;
}

static struct pair make_pair(void)
{
	struct pair pair = { .slow = small_core(), .fast = small_core() };

	pair.slow_blocks = sim_allocate(BLOCKS, sizeof(struct followed));
	pair.fast_blocks = sim_allocate(BLOCKS, sizeof(struct followed));
	pair.warm = sim_allocate(1, sizeof(*pair.warm));
	for (unsigned i = 0; i < BLOCKS; i++) {
		make_followed(&pair.slow_blocks[i], i);
		make_followed(&pair.fast_blocks[i], i);
	}
	return pair;
}

/* Near, in the same few pages, anywhere; some are not followed. */
static uint64_t draw_address(void)
{
	switch (draw(8)) {
	case 0: return 0;
	case 1: return 0x10000000 + draw(1 << 24);
	case 2: return 0x7ffff0000000 + draw(1 << 14);
	default: return 0x20000000 + draw(1 << 13);
	}
}

/* Some entries behind each other, of hot blocks and of others. */
static uint64_t *fill(uint64_t *words, struct followed *blocks)
{
	uint64_t *end = words;

	while (end < words + TRACE_WORDS) {
		const struct block *block = &blocks[draw(draw(4) ? 20 : BLOCKS)].block;

		*end++ = trace_word(block, trace_words(block));
		for (unsigned i = 0; i < block->naccesses; i++)
			*end++ = draw_address();
	}
	return end;
}

static void follow_one(struct core *core, struct block *block, const uint64_t *entry)
{
	const struct execution execution = { .block = block,
					     .addresses = entry + 1,
					     .next = trace_block(trace_next(entry))->address };

	block->total++;
	core_warm(core, &execution);
	core_predict(core, &execution);
}

/* As far as it goes, then the next block by itself, as the tool does. Returns the number of blocks. */
static unsigned follow_fast(struct pair *pair, struct warm_run *run)
{
	unsigned rest = 0;

	for (;;) {
		run->left = 1 + draw(200);
		warm_follow(pair->warm, pair->fast, run);
		if (trace_next(run->entry) == run->end)
			break;
		follow_one(pair->fast, trace_block(run->entry), run->entry);
		run->entry = trace_next(run->entry);
		rest++;
	}
	return rest;
}

static unsigned follow_slow(struct pair *pair, const uint64_t *entry, const struct warm_run *run)
{
	unsigned all = 0;

	for (; trace_next(entry) < run->end; entry = trace_next(entry), all++) {
		const struct followed *followed = (const struct followed *)trace_block(entry);

		follow_one(pair->slow, &pair->slow_blocks[followed - pair->fast_blocks].block, entry);
	}
	return all;
}

/* Which line is in which way says what each miss has thrown out. */
static void check_same_lines(const struct stamped *fast, const struct stamped *slow)
{
	assert_memory_equal(fast->lines, slow->lines,
			    (size_t)fast->shape.sets * fast->shape.ways * sizeof(*fast->lines));
}

static void check_same(const struct pair *pair)
{
	check_same_lines(&pair->fast->hierarchy.l1i, &pair->slow->hierarchy.l1i);
	check_same_lines(&pair->fast->hierarchy.itlb, &pair->slow->hierarchy.itlb);
	check_same_lines(&pair->fast->hierarchy.l1d, &pair->slow->hierarchy.l1d);
	check_same_lines(&pair->fast->hierarchy.dtlb, &pair->slow->hierarchy.dtlb);
	check_same_lines(&pair->fast->uop_cache, &pair->slow->uop_cache);
	assert_memory_equal(&pair->fast->hierarchy.traffic, &pair->slow->hierarchy.traffic, sizeof(struct traffic));
	assert_int_equal(pair->fast->branches, pair->slow->branches);
	assert_int_equal(pair->fast->mispredicted, pair->slow->mispredicted);
	assert_int_equal(pair->fast->unknown_branches, pair->slow->unknown_branches);
	assert_memory_equal(pair->fast->hierarchy.streams, pair->slow->hierarchy.streams,
			    sizeof(struct stream[STREAMS]));
	for (unsigned i = 0; i < BLOCKS; i++)
		assert_int_equal(pair->fast_blocks[i].block.total, pair->slow_blocks[i].block.total);
}

static void test_warm(void **state UNUSED)
{
	uint64_t *words = sim_allocate(TRACE_WORDS + ENTRY_WORDS + ACCESSES_AT_ONCE, sizeof(*words));
	struct pair pair = make_pair();
	unsigned rest = 0, all = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct warm_run run = { .entry = words };

		run.end = fill(words, pair.fast_blocks);
		rest += follow_fast(&pair, &run);
		all += follow_slow(&pair, words, &run);
		check_same(&pair);
	}
	/* Most went the quick way, and there was something to get wrong. */
	assert_in_range(rest, all / 200, all / 4);
	assert_in_range(pair.fast->hierarchy.traffic.data[LEVEL_DRAM], 1000, all);
	assert_in_range(pair.fast->hierarchy.traffic.code[LEVEL_L2], 1000, all);
	assert_in_range(pair.fast->hierarchy.traffic.tlb_misses[SIDE_DATA], 1000, all);
	assert_in_range(pair.fast->hierarchy.traffic.tlb_misses[SIDE_CODE], 100, all);
}

/* Addresses of more than 48 bits: 5-level paging, arm64's 52 bits, a tag in the first byte. */
static void test_addresses(void **state UNUSED)
{
	static const uint64_t addresses[] = { 0x400000, 0x7fffffffffc0, 0xfffffffffff80, 0xffffffffffff80,
					      0xb400007fffffff80 };

	for (unsigned i = 0; i < COUNT_OF(addresses); i++) {
		uint64_t entry = trace_word((const struct block *)(uintptr_t)addresses[i], 1 + i);

		assert_int_equal((uintptr_t)trace_block(&entry), addresses[i]);
		assert_ptr_equal(trace_next(&entry), &entry + 1 + i);
	}
}

/* Of one that says so itself, and of ones that are too long for that. */
static void test_lengths(void **state UNUSED)
{
	static const uint16_t accesses[] = { 0, 1, 61, 62, 63, 64, MOST_ACCESSES };
	_Alignas(HOST_LINE) struct block block = { .is_followed = true };

	for (unsigned i = 0; i < COUNT_OF(accesses); i++) {
		uint64_t entry;

		block.naccesses = accesses[i];
		entry = trace_word(&block, trace_words(&block));
		assert_ptr_equal(trace_block(&entry), &block);
		assert_ptr_equal(trace_next(&entry), &entry + 2 + accesses[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stamped),
		cmocka_unit_test(test_warm),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_lengths),
	};

	return cmocka_run_group_tests_name("simulator.trace", tests, NULL, NULL);
}
