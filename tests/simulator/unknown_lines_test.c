/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unknown_lines_test.c - the reuse of a sample of lines, and what a cache has after a while that nobody followed. */
#include "rows.h"

#include "common/base/macros.h"

#include "simulator/model/host.h"
#include "simulator/model/unknown_lines.h"

#define LINE_BYTES 64
#define SETS	   4096
#define WAYS	   16
#define LINES	   (SETS * WAYS)

static uint32_t seed;

static uint32_t draw(uint32_t most)
{
	seed = seed * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)most * (seed >> 8) >> 24);
}

/* An address that the sample has is counted, as the program's code does it. */
static void use(struct reuse *reuse, uint64_t address, enum use use)
{
	if (reuse_chooses(address))
		reuse_count(reuse, address / LINE_BYTES, use);
}

static double share(const struct reuse *reuse, enum use use, uint64_t others)
{
	return (double)reuse_share(reuse, use, others) / (1 << REUSE_BITS);
}

/* Of a large piece of memory the sample has the part that it says, in rows. */
static void test_sample(void **state UNUSED)
{
	unsigned chosen = 0, in_rows = 0;

	for (uint64_t line = 0; line < 1 << 20; line++) {
		bool is_one = reuse_chooses(line * LINE_BYTES);

		chosen += is_one;
		in_rows += is_one && reuse_chooses((line ^ 1) * LINE_BYTES) && reuse_chooses((line ^ 3) * LINE_BYTES);
	}
	assert_int_equal(chosen, (1 << 20) / REUSE_SAMPLE);
	assert_int_equal(in_rows, chosen);
}

/* Random loads of so many lines: what a cache with LRU replacement and random sets finds of them. */
static void test_random(void **state UNUSED)
{
	static const struct {
		uint32_t lines;
		double least, most;
	} rows[] = {
		{ LINES / 4, 0.97, 1 },	   /* all fit; those of the first round were never there */
		{ LINES, 0.80, 0.95 },	   /* so do most */
		{ 2 * LINES, 0.42, 0.56 }, /* the last half that was used */
		{ 8 * LINES, 0.05, 0.2 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reuse reuse;
		double found;

		seed = 1;
		reuse_init(&reuse, SETS, WAYS);
		for (unsigned k = 0; k < 64 * rows[i].lines; k++)
			use(&reuse, (uint64_t)draw(rows[i].lines) * LINE_BYTES, USE_LOAD);
		found = share(&reuse, USE_LOAD, 0);
		if (found < rows[i].least || found > rows[i].most)
			fail_msg("of %u lines %.3f are there", rows[i].lines, found);
	}
}

/* What is read in a row is apart from what is not, and stores from loads. */
static void test_streams(void **state UNUSED)
{
	struct reuse reuse;

	seed = 1;
	reuse_init(&reuse, SETS, WAYS);
	for (uint64_t line = 0; line < 64 * LINES; line++) {
		use(&reuse, line * LINE_BYTES, USE_LOAD);
		use(&reuse, (UINT64_C(1) << 40) + (uint64_t)draw(LINES / 8) * LINE_BYTES, USE_LOAD);
		use(&reuse, (UINT64_C(1) << 41) + line * LINE_BYTES, USE_STORE);
	}
	assert_true(share(&reuse, USE_LOAD, 0) > 0.8);
	assert_true(share(&reuse, USE_STREAM, 0) < 0.05);
	assert_true(share(&reuse, USE_STORE, 0) < 0.05);
}

/* With uses that are far apart all the time, what is asked for long after a line was last used is not there. */
static void test_others(void **state UNUSED)
{
	struct reuse reuse;

	reuse_init(&reuse, SETS, WAYS);
	for (unsigned round = 0; round < 20; round++) {
		for (uint64_t line = 0; line < LINES / 2; line++)
			use(&reuse, line * 5 * LINE_BYTES, USE_LOAD);
		for (uint64_t line = 0; line < 2 * LINES; line++)
			use(&reuse, (UINT64_C(1) << 40) + line * 5 * LINE_BYTES, USE_LOAD);
	}
	assert_true(share(&reuse, USE_LOAD, 0) < 0.05);
}

/* ---- the cache ---- */

static struct cache make_cache(void)
{
	struct cache cache = { 0 };

	cache_init(&cache, LINES, WAYS);
	return cache;
}

/* The number of lines that the cache has when they are asked for, each once. */
static unsigned ask(struct unknown_lines *unknown, struct cache *cache, uint64_t first, unsigned lines)
{
	unsigned found = 0;

	for (uint64_t line = first; line < first + lines; line++) {
		unknown_lines_ask(unknown, cache, line, line * LINE_BYTES, USE_LOAD);
		found += cache_access(cache, line);
	}
	return found;
}

static void test_unknown(void **state UNUSED)
{
	struct cache cache = make_cache();
	struct unknown_lines unknown;

	unknown_lines_init(&unknown, &cache);
	/* While all is known, nothing is changed: the first round misses, the second hits. */
	assert_int_equal(ask(&unknown, &cache, 1 << 20, 1000), 0);
	assert_int_equal(ask(&unknown, &cache, 1 << 20, 1000), 1000);

	/* Meanwhile all that was used far apart was found: so is what is asked for, whether it was there or not. */
	unknown.reuse.again[USE_LOAD][100] = 1000000;
	unknown_lines_begin(&unknown);
	assert_true(ask(&unknown, &cache, 1 << 20, 1000) >= 990);
	assert_true(ask(&unknown, &cache, 1 << 21, 1000) >= 990);

	/* Nothing was; but what came since then is known. */
	unknown.reuse.again[USE_LOAD][100] = 0;
	unknown.reuse.late[USE_LOAD] = 1000000;
	unknown_lines_begin(&unknown);
	assert_true(ask(&unknown, &cache, 1 << 20, 1000) <= 10);
	assert_int_equal(ask(&unknown, &cache, 1 << 20, 1000), 1000);

	/* Where all sets are full of what is known, what else there may be does not matter. */
	unknown.reuse.late[USE_LOAD] = 0;
	unknown.reuse.again[USE_LOAD][100] = 1000000;
	unknown_lines_begin(&unknown);
	(void)ask(&unknown, &cache, 1 << 22, 2 * LINES);
	assert_int_equal(ask(&unknown, &cache, 1 << 23, 1000), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample), cmocka_unit_test(test_random),  cmocka_unit_test(test_streams),
		cmocka_unit_test(test_others), cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests_name("simulator.unknown_lines", tests, NULL, NULL);
}
