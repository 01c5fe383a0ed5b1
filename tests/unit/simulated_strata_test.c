/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulated_strata_test.c - what windows stand for, by instructions and by what slots follow from. */
#include <math.h>

#include "rows.h"

#include "common/base/macros.h"

#include "collect/simulate/simulated_counts.h"
#include "common/measurement/statistics.h"

/* A whole part in which a line of code lost 3 slots, and sampled ones of which a tenth was modelled. */
#define WHOLE "\ninst.retired 1000\ninst.modelled 1000\ninst.unsampled 1000\nlost.icache 600\ntriggers.code 200\n"
#define TENTH "\ninst.retired 9000\ninst.modelled 900\n"

static const struct strata_row {
	const char *name, *first, *second;
	double factor, unseen; /* of the cause, by hand */
	enum wire_count cause;
} rows[] = {
	{ "their share of the lines", TENTH "lost.icache 5000\ntriggers.code 1000\nmodelled.code 100\n", "", 1, 0,
	  WIRE_LOST_ICACHE },
	/* Each lost 5: all 400 lost 2000. */
	{ "too many of them", TENTH "lost.icache 5000\ntriggers.code 400\nmodelled.code 100\n", "", 0.4, 0,
	  WIRE_LOST_ICACHE },
	{ "none of them", TENTH "lost.icache 0\ntriggers.code 400\nmodelled.code 0\n", WHOLE, 1, 1200,
	  WIRE_LOST_ICACHE },
	{ "none, and nobody has seen one", TENTH "lost.icache 0\ntriggers.code 400\nmodelled.code 0\n", "", 1, 0,
	  WIRE_LOST_ICACHE },
	{ "a whole part beside them", TENTH "lost.icache 5000\ntriggers.code 1000\nmodelled.code 100\n", WHOLE, 1, 0,
	  WIRE_LOST_ICACHE },
	/* 4 where 100 were due: 6 of the whole part make them 10, which lost 20 and 18 slots. */
	{ "hardly any of them", TENTH "lost.icache 200\ntriggers.code 1000\nmodelled.code 4\n", WHOLE, 3800 / 200.0, 0,
	  WIRE_LOST_ICACHE },
	/* 300 of 1500, in a tenth of both: each file extrapolates its own. */
	{ "two of them", TENTH "lost.icache 5000\ntriggers.code 1000\nmodelled.code 100\n",
	  TENTH "lost.icache 10000\ntriggers.code 500\nmodelled.code 200\n", 0.5, 0, WIRE_LOST_ICACHE },
	{ "all of it was modelled", WHOLE, "", 1, 0, WIRE_LOST_ICACHE },
	/* 20 slots are lost for each slot of waiting, so most to lines asked for ahead; what is beyond its share is lost once. */
	{ "lines of memory, beside those asked for ahead",
	  TENTH "lost.dram 40000\ntriggers.dram 3000\nmodelled.dram 200\n", "", 41000 / 40000.0, 0, WIRE_LOST_DRAM },
	{ "lines of memory that overlap", TENTH "lost.dram 1000\ntriggers.dram 3000\nmodelled.dram 200\n", "", 1.5, 0,
	  WIRE_LOST_DRAM },
	{ "an older file", TENTH "lost.icache 5000\n", "", 1, 0, WIRE_LOST_ICACHE },
};

static void test_triggers(void **state UNUSED)
{
	struct rows failed = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct simulated_strata strata = { 0 };

		simulated_strata_add(&strata, rows[i].first);
		if (*rows[i].second)
			simulated_strata_add(&strata, rows[i].second);
		row_expect(&failed, rows[i].name,
			   fabs(simulated_strata_factor(&strata, 0, rows[i].cause) - rows[i].factor) < 1e-9,
			   "another factor");
		row_expect(&failed, rows[i].name,
			   fabs(simulated_strata_unseen(&strata, 0, rows[i].cause) - rows[i].unseen) < 1e-6,
			   "other slots that no window saw");
		row_expect(&failed, rows[i].name, !(fabs(simulated_strata_factor(&strata, 0, WIRE_LOST_PORTS) - 1) > 0),
			   "a cause that follows from nothing counted");
	}
	rows_end(&failed);
}

/* ---- windows that stand for more or less ---- */

/*
 * In units of the sums. A tenth of 1000 instructions in ten windows of 10, with 20 or 40 slots; a hundredth of 20000 in
 * four of 50, with 100 or 200. Squares are those of values that are half and half.
 */
#define FOLLOWED                                                                                                       \
	"\ninst.retired 64000\ninst.modelled 6400\nsample.windows 10\nsample.instructions 100\n"                       \
	"sample.instructions_squared 1000\nsample.slots 300\nsample.slots_squared 10000\n"                             \
	"sample.slots_instructions 3000\n"
#define BURSTS                                                                                                         \
	"\ncore.stratum 1\ninst.retired 1280000\ninst.modelled 12800\nsample.windows 4\nsample.instructions 200\n"     \
	"sample.instructions_squared 10000\nsample.slots 600\nsample.slots_squared 100000\n"                           \
	"sample.slots_instructions 30000\n"

/* The variance of the total of slots that one stratum's windows leave, by the textbook. */
static double variance_of(double n, double part, double sum, double squares)
{
	return n * (1 - part) / (part * part) * (squares - sum * sum / n) / (n - 1);
}

static void test_strata(void **state UNUSED)
{
	struct simulated_strata strata = { 0 };
	double part = (6400.0 + 12800) / (64000 + 1280000), n = 14, slots, squares, found, expected, df, first, second;

	simulated_strata_add(&strata, FOLLOWED);
	simulated_strata_add(&strata, BURSTS);
	simulated_strata_join(&strata);
	slots = simulated_strata_sum(&strata, WIRE_SAMPLE_SLOTS);
	squares = simulated_strata_sum(&strata, WIRE_SAMPLE_SLOTS_SQUARED);
	assert_true(fabs(simulated_strata_sum(&strata, WIRE_SAMPLE_WINDOWS) - n) < 1e-9);
	/* 300 in a tenth and 600 in a hundredth. */
	assert_true(fabs(slots / part - (3000 + 60000)) < 1e-6);
	/* The reader of the counts takes all windows for equal: its variance is that of both together. */
	first = variance_of(10, 0.1, 300, 10000);
	second = variance_of(4, 0.01, 600, 100000);
	df = (first + second) * (first + second) / (first * first / 9 + second * second / 3);
	expected = (first + second) * pow(student_t95((size_t)df) / student_t95(13), 2);
	found = variance_of(n, part, slots, squares);
	assert_true(fabs(found / expected - 1) < 1e-9);
	/* Instructions do not vary. */
	found = variance_of(n, part, simulated_strata_sum(&strata, WIRE_SAMPLE_INSTRUCTIONS),
			    simulated_strata_sum(&strata, WIRE_SAMPLE_INSTRUCTIONS_SQUARED));
	assert_true(fabs(found) < 1e-3 * expected);
	/* A file's counts of windows are worth what its stratum has. */
	assert_true(fabs(simulated_strata_weight(&strata, FOLLOWED) - 1) < 1e-9);
	assert_true(fabs(simulated_strata_weight(&strata, BURSTS) - 1) < 1e-9);
}

/* What ended before its first window is one with the stratum before. */
static void test_joined(void **state UNUSED)
{
	static const char unseen[] = "\ncore.stratum 1\ninst.retired 64000\ninst.modelled 0\n";
	struct simulated_strata strata = { 0 };

	simulated_strata_add(&strata, FOLLOWED);
	simulated_strata_add(&strata, unseen);
	simulated_strata_join(&strata);
	assert_true(fabs(simulated_strata_weight(&strata, FOLLOWED) - 2) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_triggers),
		cmocka_unit_test(test_strata),
		cmocka_unit_test(test_joined),
	};

	return cmocka_run_group_tests_name("simulated_strata", tests, NULL, NULL);
}
