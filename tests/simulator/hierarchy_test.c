/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hierarchy_test.c - caches, TLBs, page walks and fetch of the simulator, whose times follow from the parameters. */
#include <stdlib.h>
#include <string.h>

#include "common/base/macros.h"
#include "rows.h"
#include "simulator/model/hierarchy.h"
#include "simulator/model/host.h"

#define L1     5
#define L2     14
#define L3     50
#define DRAM   200
#define STLB   7
#define WALK   10
#define PAGE   UINT64_C(4096)
#define LATER  100000 /* cycles, after which nothing is on its way any more */
#define MEMORY UINT64_C(0x10000000)

static struct parameters parameters(void)
{
	return (struct parameters){ .l1i = { .kib = 4, .ways = 4, .latency = 1 },
				    .l1d = { .kib = 4, .ways = 4, .latency = L1 },
				    .l2 = { .kib = 256, .ways = 8, .latency = L2 },
				    .l3 = { .kib = 1024, .ways = 16, .latency = L3 },
				    .itlb = { .entries = 4, .ways = 4 },
				    .dtlb = { .entries = 4, .ways = 4 },
				    .stlb = { .entries = 1024, .ways = 8 },
				    .code_stlb = { .ways = 1 },
				    .stlb_latency = STLB,
				    .walk_latency = WALK,
				    .page_walkers = 2,
				    .page_kib = 4,
				    .dram_latency = DRAM,
				    .dram_line_cycles = 1,
				    .l2_bytes = 256,
				    .l3_bytes = 256,
				    .fill_buffers = 32,
				    .fetch_buffers = 8,
				    .fetch_line_cycles = 4 };
}

static struct hierarchy *hierarchy_new(const struct parameters *p)
{
	struct hierarchy *h = sim_allocate(1, sizeof(*h));
	struct parameters *own = sim_allocate(1, sizeof(*own));
	struct cache *l3 = sim_allocate(1, sizeof(*l3));

	*own = *p;
	cache_init(l3, p->l3.kib * 16, p->l3.ways);
	hierarchy_init(h, own, l3);
	return h;
}

/* Cycles until the address is translated. */
static uint32_t translation(struct hierarchy *h, uint64_t address, uint64_t time)
{
	return hierarchy_load(h, address, time).translation;
}

/* One level of page tables: the entries of eight pages are a line. */
static void test_walk(void **state UNUSED)
{
	struct parameters p = parameters();
	struct hierarchy *h = hierarchy_new(&p);
	struct supply first = hierarchy_load(h, MEMORY, LATER), store;

	assert_int_equal(first.translation, STLB + WALK + DRAM);
	assert_int_equal(first.time, LATER + STLB + WALK + DRAM + DRAM);
	assert_int_equal(first.level, LEVEL_DRAM);
	assert_true(first.is_translated);
	/* The neighbour's entry came with it; of a store too. */
	store = hierarchy_store(h, MEMORY + PAGE + 64, 2 * LATER);
	assert_int_equal(store.translation, STLB + WALK + L2);
	assert_int_equal(store.time, 2 * LATER + STLB + WALK + L2 + DRAM);
	assert_false(store.is_translated);
	/* The ninth page's entry is in the next line. */
	assert_int_equal(translation(h, MEMORY + 8 * PAGE, 3 * LATER), STLB + WALK + DRAM);
	/* Known to the first level, then only to the second one. */
	assert_int_equal(translation(h, MEMORY + 128, 4 * LATER), 0);
	for (unsigned i = 1; i <= 4; i++)
		(void)hierarchy_load(h, MEMORY + i * 16 * PAGE, 5 * LATER);
	assert_int_equal(translation(h, MEMORY + 192, 6 * LATER), STLB);
	assert_int_equal(h->traffic.walks[SIDE_DATA], 7);
	assert_int_equal(h->traffic.tlb_misses[SIDE_DATA], 8);
}

/* In a virtual machine the hypervisor's entry is loaded too, after the guest's. Of its entries two lie together. */
static void test_nested_walk(void **state UNUSED)
{
	struct parameters p = parameters();
	struct hierarchy *h;

	p.nested_pages = 1;
	h = hierarchy_new(&p);
	assert_int_equal(translation(h, MEMORY, LATER), STLB + WALK + DRAM + WALK + DRAM);
	assert_int_equal(translation(h, MEMORY + PAGE, 2 * LATER), STLB + WALK + L2 + WALK + L2);
	assert_int_equal(translation(h, MEMORY + 2 * PAGE, 3 * LATER), STLB + WALK + L2 + WALK + DRAM);
}

/*
 * Of 4096 pages, those whose hypervisor's entry comes from memory. Small ones have two entries a line, so each second page does; of them
 * every eighth page is left out, whose own entry comes from there too. Of large ones all entries are in 512 lines at most.
 */
static void test_host_pages(void **state UNUSED)
{
	static const struct {
		uint32_t kib;
		unsigned least, most;
	} rows[] = { { 4, 4096 * 3 / 8, 4096 * 3 / 8 }, { 2048, 1, 512 } };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct parameters p = parameters();
		struct hierarchy *h;
		unsigned far = 0;

		p.nested_pages = 1;
		p.host_page_kib = rows[i].kib;
		h = hierarchy_new(&p);
		for (unsigned page = 0; page < 4096; page++) {
			uint32_t cycles = translation(h, MEMORY + page * PAGE, (page + 1) * UINT64_C(1000));

			far += page % 8 && cycles >= DRAM;
		}
		assert_in_range(far, rows[i].least, rows[i].most);
	}
}

/* Who comes to a page whose walk is on its way waits for the rest of it. */
static void test_walk_on_its_way(void **state UNUSED)
{
	struct parameters p = parameters();
	struct hierarchy *h = hierarchy_new(&p);

	(void)hierarchy_load(h, MEMORY, LATER);
	assert_int_equal(translation(h, MEMORY + 64, LATER + 10), STLB + WALK + DRAM - 10);
	assert_int_equal(hierarchy_load(h, MEMORY + 64, LATER + 20).time, LATER + STLB + WALK + DRAM + DRAM);
	assert_int_equal(translation(h, MEMORY + 128, LATER + STLB + WALK + DRAM), 0);
}

/* More walks at once than there are walkers take their turns, to within a window of the accounts. */
static void test_walkers(void **state UNUSED)
{
	const unsigned walks = 40, length = WALK + DRAM;
	struct parameters p = parameters();

	for (p.page_walkers = 1; p.page_walkers <= 4; p.page_walkers *= 2) {
		struct hierarchy *h = hierarchy_new(&p);
		uint32_t longest = 0;

		for (unsigned i = 0; i < walks; i++) {
			uint32_t cycles = translation(h, MEMORY + i * 8 * PAGE, LATER);

			longest = cycles > longest ? cycles : longest;
			assert_true(i >= p.page_walkers || cycles == STLB + length);
		}
		assert_in_range(longest, walks * length / p.page_walkers - 128, walks * length / p.page_walkers + 128);
	}
}

/* A second-level TLB for both sides, or one for each. */
static void test_code_stlb(void **state UNUSED)
{
	struct parameters p = parameters();
	struct hierarchy *shared = hierarchy_new(&p), *split;

	p.code_stlb = (struct tlb_size){ .entries = 64, .ways = 8 };
	split = hierarchy_new(&p);
	(void)hierarchy_fetch(shared, MEMORY >> 6, LATER);
	(void)hierarchy_fetch(split, MEMORY >> 6, LATER);
	assert_int_equal(translation(shared, MEMORY + 1024, 2 * LATER), STLB);
	assert_int_equal(translation(split, MEMORY + 1024, 2 * LATER), STLB + WALK + L2);
	assert_int_equal(split->traffic.walks[SIDE_CODE], 1);
}

/* Brings lines of code into L2, and a page's others into L1I, so that these are there no more. */
static void fill_code(struct hierarchy *h, uint64_t line)
{
	for (unsigned i = 0; i < 16; i++)
		(void)hierarchy_fetch(h, line + i, LATER);
	for (unsigned i = 0; i < 256; i++)
		(void)hierarchy_fetch(h, line + 1024 + i, 2 * LATER);
	(void)hierarchy_fetch(h, line + 32, 3 * LATER); /* the page is the first-level TLB's again */
}

/* Lines asked for at once: L2 sends one in four cycles; each takes a buffer, and so does the one behind it. */
static void test_fetch(void **state UNUSED)
{
	struct parameters p = parameters();
	struct hierarchy *h = hierarchy_new(&p);
	uint64_t line = MEMORY >> 6;

	fill_code(h, line);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(hierarchy_fetch(h, line + i, 4 * LATER).time, 4 * LATER + L2 + 4 * i);
	p.fetch_buffers = 2;
	h = hierarchy_new(&p);
	fill_code(h, line);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(hierarchy_fetch(h, line + i, 4 * LATER).time,
				 4 * LATER + (i / 2 + 1) * L2 + (i % 2) * 4);
}

/* A stream's next page is translated before it comes there. */
static void test_ahead(void **state UNUSED)
{
	struct parameters p = parameters();
	struct hierarchy *h;
	uint64_t time = LATER;

	p.prefetch_lines = 16;
	h = hierarchy_new(&p);
	for (unsigned i = 0; i < 100 * PAGE / 64; i++, time += 100)
		(void)hierarchy_load(h, MEMORY + i * 64, time);
	assert_int_equal(h->traffic.tlb_misses[SIDE_DATA], 100);
	assert_int_equal(h->traffic.walks[SIDE_DATA], 1);
	assert_true(h->traffic.data[LEVEL_DRAM] < 16);
}

/* Accesses at a distance, repeated: the number of the last round's that come from L2. */
static uint64_t l2_hits(uint64_t count, uint64_t distance)
{
	struct parameters p = parameters();
	struct hierarchy *h = hierarchy_new(&p);

	for (unsigned round = 0; round < 3; round++) {
		memset(&h->traffic, 0, sizeof(h->traffic));
		for (uint64_t i = 0; i < count; i++)
			(void)hierarchy_load(h, MEMORY + i * distance, LATER * (round + 1));
	}
	return h->traffic.data[LEVEL_L2];
}

/* What is contiguous has room in L2 up to its size; what is a power of two apart does not meet in one set, since pages are scattered. */
static void test_places(void **state UNUSED)
{
	assert_int_equal(l2_hits(192 * 16, 64), 192 * 16);
	assert_true(l2_hits(32, 32 * PAGE) > 24); /* of 8 sets of 8 ways, that a line at a page's begin can be in */
}

/* Lines asked for at once come as fast as L2, L3 and memory can send them, to within a window. */
static void test_bandwidth(void **state UNUSED)
{
	const unsigned lines = 2048;
	struct parameters p = parameters();
	struct hierarchy *h;
	uint64_t last[3] = { 0 };

	p.l2_bytes = 32; /* half a line a cycle */
	p.l3_bytes = 16;
	p.dram_line_cycles = 8;
	p.fill_buffers = 64;
	h = hierarchy_new(&p);
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < lines; i++) {
			uint64_t time = hierarchy_load(h, MEMORY + i * 64, LATER * (round + 1)).time;

			last[round] = time > last[round] ? time : last[round];
		}
	assert_in_range(last[0], LATER + lines * 8, LATER + lines * 8 + 1024);
	assert_in_range(last[1], 2 * LATER + lines * 2 - 512, 2 * LATER + lines * 2 + 512);
	/* 512 KiB are more than L2 has. */
	last[0] = last[1] = 0;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 4 * lines; i++) {
			uint64_t time = hierarchy_load(h, MEMORY + 64 * PAGE + i * 64, LATER * (round + 10)).time;

			last[round] = time > last[round] ? time : last[round];
		}
	assert_in_range(last[1], 11 * LATER + 4 * lines * 4 - 512, 11 * LATER + 4 * lines * 4 + 1024);
}

/*
 * What a store asks for goes back some time: memory takes as long for half as many of them, or for two thirds where
 * one in two goes back beside others.
 */
static void test_stored_bandwidth(void **state UNUSED)
{
	const unsigned lines = 2048;

	for (unsigned beside = 0; beside <= 100; beside += 50) {
		struct parameters p = parameters();
		uint64_t last = 0, turns = lines * (200 - beside) / 100;
		struct hierarchy *h;

		p.dram_line_cycles = 8;
		p.fill_buffers = 64;
		p.store_lines_beside = beside;
		h = hierarchy_new(&p);
		for (unsigned i = 0; i < lines; i++) {
			uint64_t time = hierarchy_store(h, MEMORY + i * 64, LATER).time;

			last = time > last ? time : last;
		}
		assert_in_range(last, LATER + turns * 8, LATER + turns * 8 + 1024);
	}
}

/* The third load at a distance finds its line on its way, and later ones find it there; without the prefetcher none. */
static void test_strides(void **state UNUSED)
{
	static const int64_t distances[] = { 64, 320, -192, 1088 };
	struct parameters p = parameters();

	p.near_pages = 1;
	for (unsigned i = 0; i < COUNT_OF(distances); i++)
		for (p.near_strides = 0; p.near_strides <= 4; p.near_strides += 4) {
			struct hierarchy *h = hierarchy_new(&p);
			uint64_t hits = 0, loads = 3 * PAGE / (uint64_t)llabs(distances[i]);

			for (uint64_t n = 0; n < loads; n++) {
				uint64_t address = MEMORY + 16 * PAGE + n * (uint64_t)distances[i];
				struct supply supply = hierarchy_load(h, address, LATER + n * 500);

				hits += supply.time - LATER - n * 500 - supply.translation == L1;
			}
			assert_in_range(hits, p.near_strides ? loads - 4 : 0, p.near_strides ? loads : 0);
		}
}

/* A store past the caches leaves none of them the line. */
static void test_stream(void **state UNUSED)
{
	struct parameters p = parameters();
	struct hierarchy *h = hierarchy_new(&p);

	(void)hierarchy_load(h, MEMORY, LATER);
	assert_int_equal(hierarchy_load(h, MEMORY, 2 * LATER).level, LEVEL_L1);
	assert_int_equal(hierarchy_stream(h, MEMORY, 3 * LATER).time, 3 * LATER);
	assert_int_equal(hierarchy_stream(h, MEMORY + 32, 3 * LATER).time, 3 * LATER);
	assert_int_equal(hierarchy_load(h, MEMORY, 4 * LATER).level, LEVEL_DRAM);
}

static struct parameters busy_parameters(void)
{
	struct parameters p = parameters();

	p.prefetch_lines = 8;
	p.near_strides = 3;
	p.near_pages = 1;
	p.nested_pages = 1;
	p.code_stlb = (struct tlb_size){ .entries = 64, .ways = 8 };
	return p;
}

/* The same code, loads and stores, with times and without. */
static void drive(struct hierarchy *timed, struct hierarchy *warm)
{
	uint64_t random = 1, time = LATER;

	for (unsigned i = 0; i < 80000; i++, time += 3) {
		uint64_t address;

		random = random * 6364136223846793005u + 1442695040888963407u;
		address = MEMORY + (i % 3 ? i * 24 : random >> 40 & 0xffffff);
		if (i % 5 == 0) {
			(void)hierarchy_fetch(timed, address >> 9, time);
			hierarchy_warm_code(warm, address >> 9);
		} else if (i % 5 == 1) {
			(void)hierarchy_store(timed, address, time);
			hierarchy_warm_data(warm, address, true);
		} else {
			(void)hierarchy_load(timed, address, time);
			hierarchy_warm_data(warm, address, false);
		}
	}
}

/* Without times, the same lines and pages are in the same places. */
static void test_warm(void **state UNUSED)
{
	struct parameters p = busy_parameters();
	struct hierarchy *timed = hierarchy_new(&p), *warm = hierarchy_new(&p);

	drive(timed, warm);
	assert_memory_equal(timed->l2.tags, warm->l2.tags, 256 * 16 * sizeof(uint32_t));
	assert_memory_equal(timed->l3->tags, warm->l3->tags, 1024 * 16 * sizeof(uint32_t));
	assert_memory_equal(timed->stlb.tags, warm->stlb.tags, 1024 * sizeof(uint32_t));
	assert_memory_equal(timed->code_stlb.tags, warm->code_stlb.tags, 64 * sizeof(uint32_t));
	assert_memory_equal(timed->traffic.walks, warm->traffic.walks, sizeof(warm->traffic.walks));
	assert_true(warm->traffic.walks[SIDE_DATA] > 1000 && warm->traffic.walks[SIDE_CODE] > 1000);
}

/* What an ideal cache never lacks is lacking neither in windows nor between them: a sample sets one against the other. */
static void test_warm_ideal(void **state UNUSED)
{
	static const enum ideal kinds[] = { IDEAL_L1, IDEAL_CODE };

	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		struct parameters p = busy_parameters();
		struct hierarchy *both[2];

		p.ideal[kinds[i]] = 1;
		both[0] = hierarchy_new(&p);
		both[1] = hierarchy_new(&p);
		drive(both[0], both[1]);
		for (size_t k = 0; k < COUNT_OF(both); k++) {
			const struct traffic *traffic = &both[k]->traffic;
			uint64_t found =
				traffic->found[LEVEL_L2] + traffic->found[LEVEL_L3] + traffic->found[LEVEL_DRAM];

			assert_true((found == 0) == (kinds[i] == IDEAL_L1));
			assert_true((traffic->code_cycles == 0) == (kinds[i] == IDEAL_CODE));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_nested_walk),
		cmocka_unit_test(test_host_pages),
		cmocka_unit_test(test_walk_on_its_way),
		cmocka_unit_test(test_walkers),
		cmocka_unit_test(test_code_stlb),
		cmocka_unit_test(test_fetch),
		cmocka_unit_test(test_ahead),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_bandwidth),
		cmocka_unit_test(test_stored_bandwidth),
		cmocka_unit_test(test_strides),
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_warm),
		cmocka_unit_test(test_warm_ideal),
	};

	return cmocka_run_group_tests_name("hierarchy", tests, NULL, NULL);
}
