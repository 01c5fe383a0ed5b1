/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call_machine_test.c - times of calls from made-up begins and ends: by hand, for any order, and beside a sort. */
#include "rows.h"

#include <math.h>
#include <stdlib.h>

#include "collect/latency/latency_parts.h"

enum { DRAWS = 1000000, THREADS = 6, VALUES = 20000 };

struct playing {
	struct arena arena;
	struct call_machine machine;
	struct call_times times;
};

/* xorshift64: the same in each run. */
static uint64_t drawn_below(uint64_t end)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % end;
}

static struct playing *begin(void)
{
	static struct playing playing;

	playing.times = (struct call_times){ .length_s = 0 };
	arena_init(&playing.arena);
	call_machine_init(&playing.machine, &playing.times, &playing.arena);
	return &playing;
}

static void end(struct playing *p)
{
	call_machine_finish(&p->machine);
	arena_release(&p->arena);
}

/* ---- what happens, a row an event ---- */

enum what { BEGINS = 1, JUMPS, ENDS, LEAVES, LOSES };

struct step {
	enum what what;
	uint64_t time, stack;
};

static const struct matching_row {
	const char *name;
	struct step steps[8];
	uint64_t calls, sum, outer, unreturned, begun_before, doubtful;
} matching_rows[] = {
	{ "one call", { { BEGINS, 10, 100 }, { ENDS, 25, 100 } }, 1, 15, 15, 0, 0, 0 },
	{ "recursion",
	  { { BEGINS, 10, 100 }, { BEGINS, 12, 80 }, { ENDS, 15, 80 }, { ENDS, 20, 100 } },
	  2,
	  13,
	  10,
	  0,
	  0,
	  0 },
	{ "an end without a begin", { { ENDS, 5, 100 }, { BEGINS, 10, 100 }, { ENDS, 11, 100 } }, 1, 1, 1, 0, 1, 0 },
	{ "no end", { { BEGINS, 10, 100 } }, 0, 0, 0, 1, 0, 0 },
	{ "a longjmp out of two calls, and another call from where it came to",
	  { { BEGINS, 10, 100 },
	    { BEGINS, 11, 80 },
	    { BEGINS, 12, 60 },
	    { BEGINS, 20, 80 },
	    { ENDS, 23, 80 },
	    { ENDS, 30, 100 } },
	  2,
	  23,
	  20,
	  2,
	  0,
	  0 },
	{ "a longjmp into the caller, whose end comes next",
	  { { BEGINS, 10, 100 }, { BEGINS, 11, 80 }, { ENDS, 30, 100 } },
	  1,
	  20,
	  20,
	  1,
	  0,
	  0 },
	{ "the same frame again after a longjmp",
	  { { BEGINS, 10, 100 }, { BEGINS, 50, 100 }, { ENDS, 51, 100 } },
	  1,
	  1,
	  1,
	  1,
	  0,
	  0 },
	{ "a jump from a call to itself: both end at once",
	  { { BEGINS, 10, 100 }, { JUMPS, 12, 100 }, { ENDS, 15, 100 }, { ENDS, 15, 100 } },
	  2,
	  8,
	  5,
	  0,
	  0,
	  0 },
	{ "an end from above the frame", { { BEGINS, 10, 80 }, { ENDS, 12, 100 } }, 0, 0, 0, 1, 1, 0 },
	{ "an end from below the frame",
	  { { BEGINS, 10, 100 }, { ENDS, 12, 60 }, { ENDS, 15, 100 } },
	  1,
	  5,
	  5,
	  0,
	  1,
	  0 },
	{ "records are lost meanwhile", { { BEGINS, 10, 100 }, { LOSES, 0, 7 }, { ENDS, 30, 100 } }, 0, 0, 0, 0, 0, 1 },
	{ "records were lost before", { { LOSES, 0, 7 }, { BEGINS, 10, 100 }, { ENDS, 30, 100 } }, 1, 20, 20, 0, 0, 0 },
	{ "the thread ends", { { BEGINS, 10, 100 }, { LEAVES, 0, 0 }, { ENDS, 30, 100 } }, 0, 0, 0, 1, 1, 0 },
	{ "a clock that goes back", { { BEGINS, 10, 100 }, { ENDS, 8, 100 } }, 1, 0, 0, 0, 0, 0 },
	{ "what has no stack does not nest",
	  { { BEGINS, 10, 0 }, { BEGINS, 20, 0 }, { ENDS, 21, 0 }, { ENDS, 22, 0 } },
	  1,
	  1,
	  1,
	  1,
	  1,
	  0 },
};

static void play(struct call_machine *machine, const struct step *step, uint32_t thread)
{
	const struct call_event event = { .time = step->time,
					  .stack = step->stack,
					  .thread = thread,
					  .caller = 1,
					  .is_chained = step->what == JUMPS };

	switch (step->what) {
	case BEGINS:
	case JUMPS: call_machine_begin(machine, &event); break;
	case ENDS: call_machine_end(machine, &event); break;
	case LEAVES: call_machine_leave(machine, thread, step->stack > 0); break;
	case LOSES: call_machine_lose(machine, step->stack); break;
	}
}

static void test_matching(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(matching_rows); i++) {
		const struct matching_row *row = &matching_rows[i];
		struct playing *p = begin();
		const struct call_times *times = &p->times;

		for (size_t k = 0; k < COUNT_OF(row->steps) && row->steps[k].what; k++)
			play(&p->machine, &row->steps[k], 7);
		call_machine_finish(&p->machine);
		row_expect_number(&rows, row->name, (double)times->all.count, (double)row->calls);
		row_expect_number(&rows, row->name, (double)times->all.sum, (double)row->sum);
		row_expect_number(&rows, row->name, (double)times->outer, (double)row->outer);
		row_expect_number(&rows, row->name, (double)times->unreturned, (double)row->unreturned);
		row_expect_number(&rows, row->name, (double)times->begun_before, (double)row->begun_before);
		row_expect_number(&rows, row->name, (double)times->doubtful, (double)row->doubtful);
		end(p);
	}
	rows_end(&rows);
}

/* Whatever comes: each begin and each end has one fate, and rows sum to the whole. */
static void test_anything(void **state UNUSED)
{
	struct playing *p = begin();
	const struct call_times *times = &p->times;
	uint64_t begins = 0, ends = 0, sums[4] = { 0 };

	for (unsigned i = 0; i < DRAWS; i++) {
		const enum what what =
			drawn_below(500) ? (enum what)(BEGINS + drawn_below(3)) : (enum what)(LEAVES + drawn_below(2));
		const struct step step = { what, (uint64_t)i * 10 + drawn_below(100), 8 * drawn_below(40) };

		begins += what == BEGINS || what == JUMPS;
		ends += what == ENDS;
		play(&p->machine, &step, 1 + (uint32_t)drawn_below(THREADS));
	}
	call_machine_finish(&p->machine);
	assert_true(times->all.count > 1000);
	assert_int_equal(begins, times->all.count + times->doubtful + times->unreturned);
	assert_int_equal(ends, times->all.count + times->doubtful + times->begun_before);
	assert_true(times->outer <= times->all.sum && times->all.most < (uint64_t)DRAWS * 10 + 100);
	for (size_t i = 0; i < times->nthreads; i++) {
		sums[0] += times->threads[i]->times.count;
		sums[1] += times->threads[i]->times.sum;
	}
	for (size_t i = 0; i < times->ncallers; i++) {
		sums[2] += times->callers[i]->times.count;
		sums[3] += times->callers[i]->times.sum;
	}
	assert_int_equal(sums[0], times->all.count);
	assert_int_equal(sums[1], times->all.sum);
	assert_int_equal(sums[2], times->all.count);
	assert_int_equal(sums[3], times->all.sum);
	end(p);
}

/* More threads than have rows: the last row is all others'. */
static void test_many_threads(void **state UNUSED)
{
	struct playing *p = begin();
	uint64_t count = 0;

	for (uint32_t thread = 1; thread <= 3000; thread++) {
		play(&p->machine, &(struct step){ BEGINS, 10, 100 }, thread);
		play(&p->machine, &(struct step){ ENDS, 10 + thread, 100 }, thread);
		play(&p->machine, &(struct step){ LEAVES, 0, 1 }, thread);
	}
	call_machine_finish(&p->machine);
	assert_true(p->times.nthreads < 3000);
	assert_string_equal(p->times.threads[0]->name, "others");
	for (size_t i = 0; i < p->times.nthreads; i++)
		count += p->times.threads[i]->times.count;
	assert_int_equal(count, 3000);
	end(p);
}

/* ---- the histogram ---- */

static int compare_values(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Of every size: as many bits as are drawn. */
static uint64_t draw_value(void)
{
	uint64_t value = drawn_below((uint64_t)1 << 62);

	return value >> drawn_below(62);
}

/* Percentiles are within 1/64 of those of sorted values. */
static void test_percentiles(void **state UNUSED)
{
	static const double shares[] = { 0, 0.001, 0.1, 0.25, 0.5, 0.9, 0.99, 0.999, 1 };
	static uint64_t values[VALUES];
	static struct log_histogram histogram, halves[2];
	uint64_t sum = 0, rows = 0;

	for (size_t i = 0; i < VALUES; i++) {
		values[i] = draw_value();
		sum += values[i];
		log_histogram_add(&histogram, values[i]);
		log_histogram_add(&halves[i % 2], values[i]);
	}
	qsort(values, VALUES, sizeof(*values), compare_values);
	for (size_t i = 0; i < COUNT_OF(shares); i++) {
		double rank = shares[i] * VALUES;
		uint64_t exact = values[rank < 1 ? 0 : (size_t)ceil(rank) - 1];
		uint64_t found = log_histogram_at(&histogram, shares[i]);
		uint64_t off = found > exact ? found - exact : exact - found;

		assert_true(off <= exact / 64 + 1);
	}
	assert_int_equal(histogram.count, VALUES);
	assert_int_equal(histogram.sum, sum);
	assert_int_equal(histogram.least, values[0]);
	assert_int_equal(histogram.most, values[VALUES - 1]);
	for (unsigned power = 0; power < 64; power++) {
		uint64_t low = power ? (uint64_t)1 << power : 0, count = 0;

		for (size_t i = 0; i < VALUES; i++)
			count += values[i] >= low && (power == 63 || values[i] < (uint64_t)2 << power);
		assert_int_equal(log_histogram_power(&histogram, power), count);
		rows += count;
	}
	assert_int_equal(rows, VALUES);
	log_histogram_join(&halves[0], &halves[1]);
	assert_memory_equal(&halves[0], &histogram, sizeof(histogram));
}

static void test_ends_of_range(void **state UNUSED)
{
	static struct log_histogram histogram;

	assert_int_equal(log_histogram_at(&histogram, 0.5), 0);
	log_histogram_add(&histogram, UINT64_MAX);
	assert_true(log_histogram_at(&histogram, 0.5) == UINT64_MAX);
	assert_int_equal(log_histogram_power(&histogram, 63), 1);
	log_histogram_add(&histogram, 0);
	assert_int_equal(log_histogram_at(&histogram, 0.5), 0);
	assert_int_equal(log_histogram_power(&histogram, 0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matching),      cmocka_unit_test(test_anything),
		cmocka_unit_test(test_many_threads),  cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_ends_of_range),
	};

	return cmocka_run_group_tests_name("call_machine", tests, NULL, NULL);
}
