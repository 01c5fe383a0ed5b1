/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sharing_test.c - lines that several cores come to: which touches cost a transfer, of which kind, and how much. */
#include <stdlib.h>
#include <string.h>

#include "common/base/macros.h"
#include "rows.h"
#include "simulator/model/host.h"
#include "simulator/model/sharing.h"

#define LATENCY 100
#define TURN	100000 /* cycles */

/* Two cores, or three, whose turns each have a touch in so many cycles. */
static const struct {
	const char *what;
	unsigned cores, gap;
	uint64_t bytes[3];
	bool is_store[3], is_atomic;
	enum transfer kind;	       /* of the second turns' */
	unsigned least, most, latency; /* transfers in 100 touches; cycles of each */
} rows[] = {
	{ "one core", 1, 10, { 1 }, { true }, false, TRANSFER_NONE, 0, 0, 0 },
	{ "readers", 2, 10, { 1, 1 }, { false, false }, false, TRANSFER_NONE, 0, 0, 0 },
	{ "writers of one word", 2, 200, { 255, 255 }, { true, true }, false, TRANSFER_CONTESTED, 45, 100, LATENCY },
	{ "of two words", 2, 200, { 255, 255 << 8 }, { true, true }, false, TRANSFER_FALSE, 45, 100, LATENCY },
	{ "a writer and a reader", 2, 200, { 255, 255 }, { true, false }, false, TRANSFER_SHARED, 45, 100, LATENCY },
	{ "a reader of another word",
	  2,
	  200,
	  { 255, 255 << 8 },
	  { true, false },
	  false,
	  TRANSFER_FALSE,
	  45,
	  100,
	  LATENCY },
	/* A store finds the line still there that the one before has waited for. */
	{ "ten stores while the line comes",
	  2,
	  10,
	  { 255, 255 },
	  { true, true },
	  false,
	  TRANSFER_CONTESTED,
	  8,
	  12,
	  LATENCY },
	{ "atomic ones", 2, 10, { 255, 255 }, { true, true }, true, TRANSFER_CONTESTED, 100, 100, LATENCY },
	{ "three cores", 3, 500, { 1, 2, 4 }, { true, true, true }, false, TRANSFER_FALSE, 45, 100, 2 * LATENCY },
	{ "seldom", 2, 20000, { 1, 1 }, { true, true }, false, TRANSFER_CONTESTED, 1, 1, LATENCY },
};

/* Transfers of one core's turn, all of the row's kind and length. */
static unsigned run_turn(struct sharing *sharing, unsigned row, unsigned core, unsigned round)
{
	unsigned transfers = 0;

	for (unsigned i = 0; i < TURN / rows[row].gap; i++) {
		struct touch touch = { .line = 77,
				       .bytes = rows[row].bytes[core],
				       .time = (uint64_t)round * TURN + (uint64_t)i * rows[row].gap,
				       .core = core + 1,
				       .is_store = rows[row].is_store[core],
				       .is_atomic = rows[row].is_atomic };
		uint64_t cycles = 0;
		enum transfer kind = sharing_touch(sharing, &touch, &cycles);

		transfers += kind != TRANSFER_NONE;
		if (round < 2 || kind == TRANSFER_NONE)
			continue;
		assert_int_equal(kind, rows[row].kind);
		assert_int_equal(cycles, rows[row].latency);
	}
	sharing_turn(sharing, core + 1, TURN);
	return transfers;
}

static void test_rows(void **state UNUSED)
{
	for (unsigned row = 0; row < COUNT_OF(rows); row++) {
		struct sharing *sharing = sharing_new(LATENCY);
		struct stamped near[3];
		unsigned touches = TURN / rows[row].gap, transfers = 0;

		print_message("%s\n", rows[row].what);
		for (unsigned core = 0; core < rows[row].cores; core++) {
			stamped_init(&near[core], 64, 8);
			sharing_join(sharing, core + 1, &near[core]);
		}
		for (unsigned round = 0; round < 4; round++)
			for (unsigned core = 0; core < rows[row].cores; core++) {
				transfers = run_turn(sharing, row, core, round);
				if (round == 3)
					assert_in_range(transfers, rows[row].least * touches / 100,
							(rows[row].most * touches + 99) / 100);
			}
	}
}

/* A line that L1 found by itself is asked for again, once another core has come to it. */
static void test_watched(void **state UNUSED)
{
	struct sharing *sharing = sharing_new(LATENCY);
	struct touch touch = { .line = 5, .bytes = 1, .core = 1, .is_store = true };
	struct stamped near[2];
	uint64_t cycles;

	for (unsigned core = 0; core < 2; core++) {
		stamped_init(&near[core], 64, 8);
		sharing_join(sharing, core + 1, &near[core]);
	}
	assert_false(stamped_access(&near[0], 5));
	(void)sharing_touch(sharing, &touch, &cycles);
	assert_true(stamped_hits(&near[0], 5));
	assert_false(sharing_is_watched(sharing, 5, 1));
	touch.core = 2;
	(void)sharing_touch(sharing, &touch, &cycles);
	assert_false(stamped_hits(&near[0], 5));
	assert_true(stamped_access(&near[0], 5));
	assert_true(sharing_is_watched(sharing, 5, 1));
}

/* The row that comes to the same bytes is the partner, also where another one of that core came to the line since. */
static void test_pairs(void **state UNUSED)
{
	static const struct touch touches[] = {
		{ .line = 5, .bytes = 15, .core = 1, .row = 11, .is_store = true },
		{ .line = 5, .bytes = 15, .core = 2, .row = 21, .is_store = true, .time = TURN },
		{ .line = 5, .bytes = 240, .core = 2, .row = 22, .is_store = true, .time = TURN + 10000 },
		{ .line = 5, .bytes = 15, .core = 1, .row = 11, .is_store = true, .time = 2 * TURN },
	};
	struct sharing *sharing = sharing_new(LATENCY);
	struct stamped near[2];
	const struct sharing_pair *pairs;
	uint32_t count, found = 0;
	uint64_t cycles;

	for (unsigned core = 0; core < 2; core++) {
		stamped_init(&near[core], 64, 8);
		sharing_join(sharing, core + 1, &near[core]);
	}
	for (unsigned i = 0; i < COUNT_OF(touches); i++) {
		if (i && touches[i].core != touches[i - 1].core)
			sharing_turn(sharing, touches[i - 1].core, TURN);
		(void)sharing_touch(sharing, &touches[i], &cycles);
	}
	pairs = sharing_pairs(sharing, &count);
	for (uint32_t i = 0; i < count; i++) {
		const struct sharing_pair *pair = &pairs[i];

		if (!pair->transfers)
			continue;
		found++;
		assert_int_equal(pair->kind, TRANSFER_CONTESTED);
		assert_true((pair->row == 21 && pair->partner == 11) || (pair->row == 11 && pair->partner == 21));
	}
	assert_int_equal(found, 2);
	sharing_forget_pairs(sharing);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(pairs[i].transfers, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_watched),
		cmocka_unit_test(test_pairs),
	};

	return cmocka_run_group_tests_name("sharing", tests, NULL, NULL);
}
