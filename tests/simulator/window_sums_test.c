/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window_sums_test.c - the sums from which a sample's error follows, of windows whose variance is known by hand. */
#include <math.h>

#include "rows.h"

#include "common/base/macros.h"

#include "simulator/model/host.h"
#include "simulator/model/windows.h"

#define WINDOWS_HERE 40
#define INSTRUCTIONS 10000

/* What a window of a row has: slots that retired, and those lost to branches, lines of memory and units. */
static const struct sums_row {
	const char *name;
	unsigned phase;		    /* windows until another part of the program begins; 0: it is all the same */
	unsigned mispredicted;	    /* in every third window */
	unsigned cost;		    /* slots of each */
	unsigned lines, overlapped; /* slots that lines of memory take in every fifth window; the part of them lost */
	unsigned noise;		    /* slots lost to units in every second window */
	double variance;	    /* of slots among neighbours, in slots^2, by hand */
} rows[] = {
	{ .name = "all alike", .variance = 0 },
	/* 39 differences of 2000. */
	{ .name = "every second one waits for units", .noise = 2000, .variance = 2000.0 * 2000 / 2 },
	/* One difference of 40000, of 39. */
	{ .name = "two phases", .phase = 20, .variance = 40000.0 * 40000 / 2 / 39 },
	{ .name = "branches, all at the same cost", .mispredicted = 50, .cost = 20, .variance = 0 },
	{ .name = "lines of memory, waited for one by one", .lines = 5000, .overlapped = 5000, .variance = 0 },
	{ .name = "lines of memory, half of the time", .lines = 5000, .overlapped = 2500, .variance = 0 },
	/* What is beyond the lines' own time has other reasons: 16 differences of 10000 - 5000, two beside each. */
	{ .name = "more slots than the lines take",
	  .lines = 5000,
	  .overlapped = 10000,
	  .variance = 5000.0 * 5000 / 2 * 16 / 39 },
	{ .name = "branches in two phases",
	  .phase = 20,
	  .mispredicted = 50,
	  .cost = 20,
	  .variance = 40000.0 * 40000 / 2 / 39 },
};

static struct slot_counts window_of(const struct sums_row *row, unsigned number)
{
	struct slot_counts window = { .retired = INSTRUCTIONS };
	bool is_mispredicted = number % 3 == 1, is_of_memory = number % 5 == 1;

	window.lost[CAUSE_DEPENDENCY] = row->phase && number >= row->phase ? 40000 : 0;
	window.lost[CAUSE_PORTS] = number % 2 ? row->noise : 0;
	window.triggers[TRIGGER_MISPREDICTED] = is_mispredicted ? row->mispredicted : 0;
	window.lost[CAUSE_MISPREDICT] = is_mispredicted ? UINT64_C(1) * row->mispredicted * row->cost / 2 : 0;
	window.lost[CAUSE_RESTEER] = window.lost[CAUSE_MISPREDICT];
	window.triggers[TRIGGER_DRAM] = is_of_memory ? row->lines : 0;
	window.lost[CAUSE_DRAM] = is_of_memory ? row->overlapped : 0;
	return window;
}

static void add(struct slot_counts *all, const struct slot_counts *window)
{
	all->retired += window->retired;
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		all->lost[i] += window->lost[i];
	for (unsigned i = 0; i < TRIGGER_COUNT; i++)
		all->triggers[i] += window->triggers[i];
}

static double slots_of(const struct slot_counts *counts)
{
	uint64_t slots = counts->retired;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		slots += counts->lost[i];
	return (double)slots;
}

/* As the reader of the counts does it (analyse/evaluate/simulated_error.c). */
static double variance_of(double squares, double sum, double n)
{
	return (squares - sum * sum / n) / (n - 1) * SAMPLE_UNIT * SAMPLE_UNIT;
}

static bool is_near(double value, double expected)
{
	return fabs(value - expected) <= 1e-6 * fmax(expected, 1);
}

static void test_sums(void **state UNUSED)
{
	struct rows failed = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct window_moments moments = { 0 };
		struct slot_counts all = { 0 };
		struct sample_sums sums;
		double parts = 0;

		for (unsigned k = 0; k < WINDOWS_HERE; k++) {
			struct slot_counts window = window_of(&rows[i], k);

			window_moments_add(&moments, &window, INSTRUCTIONS);
			add(&all, &window);
		}
		sums = window_sums(&moments, &all);
		for (unsigned k = 0; k < PART_COUNT; k++)
			parts += sums.part[k];
		row_expect(&failed, rows[i].name, sums.windows == WINDOWS_HERE, "another number of windows");
		row_expect(&failed, rows[i].name,
			   is_near(sums.instructions * SAMPLE_UNIT, 1.0 * WINDOWS_HERE * INSTRUCTIONS),
			   "other instructions");
		row_expect(&failed, rows[i].name, is_near(sums.slots * SAMPLE_UNIT, slots_of(&all)), "other slots");
		row_expect(&failed, rows[i].name, is_near(parts, sums.slots), "the parts are not all slots");
		row_expect(&failed, rows[i].name,
			   is_near(variance_of(sums.slots_squared, sums.slots, WINDOWS_HERE), rows[i].variance),
			   "another variance of slots");
		row_expect(&failed, rows[i].name,
			   is_near(variance_of(sums.instructions_squared, sums.instructions, WINDOWS_HERE), 0),
			   "instructions vary");
	}
	rows_end(&failed);
}

/* What is lost to branches is divided between two parts, and each is as much less in the windows that have many. */
static void test_parts(void **state UNUSED)
{
	const struct sums_row *row = &rows[3];
	struct window_moments moments = { 0 };
	struct slot_counts all = { 0 };
	struct sample_sums sums;

	for (unsigned k = 0; k < WINDOWS_HERE; k++) {
		struct slot_counts window = window_of(row, k);

		window_moments_add(&moments, &window, INSTRUCTIONS);
		add(&all, &window);
	}
	sums = window_sums(&moments, &all);
	assert_true(is_near(sums.part[PART_SPECULATION] * SAMPLE_UNIT, (double)all.lost[CAUSE_MISPREDICT]));
	assert_true(is_near(sums.part[PART_FRONTEND] * SAMPLE_UNIT, (double)all.lost[CAUSE_RESTEER]));
	assert_true(is_near(sums.part[PART_RETIRING] * SAMPLE_UNIT, (double)all.retired));
	for (unsigned i = 0; i < PART_COUNT; i++) {
		assert_true(is_near(variance_of(sums.part_squared[i], sums.part[i], WINDOWS_HERE), 0));
		assert_true(is_near(sums.part_slots[i], sums.part[i] * sums.slots / WINDOWS_HERE));
	}
}

/* Where no window is over, there is nothing to divide by. */
static void test_none(void **state UNUSED)
{
	struct sample_sums sums = window_sums(&(struct window_moments){ 0 }, &(struct slot_counts){ 0 });

	assert_int_equal(sums.windows, 0);
	assert_true(is_near(sums.slots, 0) && is_near(sums.slots_squared, 0));
}

#define PERIOD 50000

/* Every period has one window, anywhere in it. */
static void test_periods(void **state UNUSED)
{
	struct sampling sampling = { .period = PERIOD, .seed = 7 };
	static struct core core;
	static const struct parameters parameters = { .width = 4 };
	struct sampler sampler;
	uint64_t begun = 0, first = PERIOD, last = 0;

	core.parameters = parameters;
	sampler_init(&sampler, &sampling, 1);
	for (uint64_t now = 0; now < 200 * PERIOD; now++) {
		bool was = sampler_is_accounted(&sampler);

		sampler_step(&sampler, &sampling, &core, 1);
		if (was || !sampler_is_accounted(&sampler))
			continue;
		assert_int_equal(now / PERIOD, begun);
		begun++;
		first = now % PERIOD < first ? now % PERIOD : first;
		last = now % PERIOD > last ? now % PERIOD : last;
	}
	assert_int_equal(begun, 200);
	assert_in_range(first, 0, PERIOD / 10);
	assert_in_range(last, PERIOD * 6 / 10, PERIOD - SAMPLE_WINDOW);
}

/*
 * Bursts of so many instructions, each of which retire a slot: every second one loses as many to units besides. A burst
 * is one of the sample, whatever its windows are.
 */
#define BURSTS	    20
#define BURST	    200000
#define BURST_EVERY (2 * (SAMPLE_WINDOW + SAMPLE_WARM_UP))

static void run_burst(struct sampler *sampler, const struct sampling *sampling, struct core *core, unsigned number)
{
	for (unsigned k = 0; k < BURST; k++) {
		core->retired++;
		core->lost[CAUSE_PORTS] += number % 2;
		sampler_step(sampler, sampling, core, 1);
	}
	sampler_close_burst(sampler, sampling, core);
}

static void test_bursts(void **state UNUSED)
{
	const struct sampling sampling = { .period = BURST_EVERY, .seed = 1, .has_bursts = true };
	struct core *core = sim_allocate(1, sizeof(*core));
	struct sample_sums sums;
	struct slot_counts all;
	struct sampler sampler;
	double mean;

	sampler_init(&sampler, &sampling, 1);
	for (unsigned i = 0; i < BURSTS; i++)
		run_burst(&sampler, &sampling, core, i);
	sums = sampler_sums(&sampler);
	all = sampler_counts(&sampler, core);
	assert_int_equal(sums.windows, BURSTS);
	assert_true(is_near(sums.slots * SAMPLE_UNIT, slots_of(&all)));
	/* About eight windows each, of which the number varies by one. */
	mean = sums.instructions * SAMPLE_UNIT / BURSTS;
	assert_in_range(mean, 7 * SAMPLE_WINDOW, 9 * SAMPLE_WINDOW);
	/* Neighbours differ by what one of them loses: 19 differences. */
	assert_in_range(variance_of(sums.slots_squared, sums.slots, BURSTS), mean * mean / 2 * 0.8,
			mean * mean / 2 * 1.2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),	cmocka_unit_test(test_parts),  cmocka_unit_test(test_none),
		cmocka_unit_test(test_periods), cmocka_unit_test(test_bursts),
	};

	return cmocka_run_group_tests_name("simulator.window_sums", tests, NULL, NULL);
}
