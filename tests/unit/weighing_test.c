/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * weighing_test.c - what rows weigh: by samples, with an interval that holds the truth as often as it says; and exactly,
 * by nodes whose parts can be worked out by hand.
 */
#include "evaluate_fixture.h"
#include "where_fixture.h"

#include "analyse/hotspots/hotspots.h"

/* ---- intervals ---- */

/* Wilson's bounds are where the score test is at its limit: (p - q)^2 = z^2 q (1 - q) / n. Bisection needs no formula. */
static double bound(double p, double n, bool is_high)
{
	double inside = p, outside = is_high ? 1 : 0;

	for (int i = 0; i < 200; i++) {
		double q = (inside + outside) / 2;

		if ((p - q) * (p - q) <= 1.959963984540054 * 1.959963984540054 * q * (1 - q) / n)
			inside = q;
		else
			outside = q;
	}
	return 100 * inside;
}

static void test_bounds(void **state UNUSED)
{
	for (uint64_t n = 1; n <= 10000; n = n * 3 + 1)
		for (uint64_t part = 0; part <= n; part += n / 7 + 1) {
			const struct share share = share_of_samples(part, n);
			double p = (double)part / (double)n;

			assert_true(fabs(share.percent - 100 * p) < 1e-9);
			assert_true(fabs(share.low - bound(p, (double)n, false)) < 1e-6);
			assert_true(fabs(share.high - bound(p, (double)n, true)) < 1e-6);
			assert_int_equal(share.samples, part);
			assert_int_equal(share.is_rough, part < 30);
		}
	assert_true(isnan(share_of_samples(0, 0).percent));
}

#define DRAWS 10000

/* splitmix64 */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Of 10,000 functions with shares from 0.5 % to 90 % and 100 to 2,000 samples, which part of the intervals holds the true share? */
static void test_coverage(void **state UNUSED)
{
	uint64_t seed = 15;
	int held = 0;

	for (int i = 0; i < DRAWS; i++) {
		double truth = 0.005 + 0.895 * (double)(draw(&seed) >> 11) * 0x1p-53;
		uint64_t samples = 100 + draw(&seed) % 1901, found = 0;
		struct share share;

		for (uint64_t k = 0; k < samples; k++)
			found += (double)(draw(&seed) >> 11) * 0x1p-53 < truth;
		share = share_of_samples(found, samples);
		held += share.low <= 100 * truth && 100 * truth <= share.high;
	}
	assert_true(held >= DRAWS * 94 / 100);
	assert_true(held <= DRAWS * 97 / 100);
}

/* ---- events ---- */

static void test_events(void **state UNUSED)
{
	static const struct drawn_row drawn[] = { DRAWN("f", 3, 1, .event = 0), DRAWN("g", 1, 1, .event = 0),
						  DRAWN("g", 5, 1, .event = 1) };
	struct arena arena;
	struct profile profile;
	struct weighings all;

	arena_init(&arena);
	drawn_profile(&profile, drawn, COUNT_OF(drawn), &arena);
	(void)profile_event(&profile, &(struct profile_event){ .event = "cpu-clock" });
	(void)profile_row(&profile, &(struct profile_row){ .event = 2 });
	profile.rows[3].samples = 4; /* of a period that nobody knows */
	all = weighings_of_events(&profile, &arena);
	assert_int_equal(all.count, 3);
	assert_true(fabs(all.items[0].total - 400) < 1e-9 && all.items[0].samples == 4);
	assert_true(fabs(all.items[0].weights[0] - 300) < 1e-9 && fabs(all.items[0].weights[2]) < 1e-9);
	assert_string_equal(all.items[0].unit, "cycles");
	assert_string_equal(all.items[1].unit, "events");
	assert_string_equal(all.items[1].node, "tma_dram_bound");
	assert_string_equal(all.items[2].title, "time");
	assert_string_equal(all.items[2].unit, "samples");
	assert_true(fabs(all.items[2].weights[3] - 4) < 1e-9);
	arena_release(&arena);
}

/* ---- exact counts ---- */

/* 4000 slots: Backend_Bound 60 %, and DRAM_Bound below it, 300 of 1000 cycles. */
#define COUNTS "CYCLES=1000 FRONT=400 ISSUED=1200 DONE=800 BACK=2400 MEMORY=500 DRAM=300 L1=300"
enum { ITEM_CYCLES, FRONT, ISSUED, DONE, BACK, MEMORY, DRAM };

#define LIST(...)                                                                                                      \
	.counts = (struct source_count[]){ __VA_ARGS__ }, .ncounts = COUNT_OF(((struct source_count[]){ __VA_ARGS__ }))

/* Two callers of a slow function, one of them with three times the cycles of the other. */
static const struct drawn_row exact[] = {
	{ "main;a;slow", .event = PROFILE_NONE, LIST({ BACK, 1200 }, { DRAM, 180 }) },
	{ "main;b;slow", .event = PROFILE_NONE, LIST({ BACK, 400 }, { DRAM, 60 }) },
	{ "main", .event = PROFILE_NONE, LIST({ FRONT, 400 }, { DONE, 800 }, { ISSUED, 1200 }) },
};

static const struct result *node_of(const struct report *report, const char *title)
{
	for (size_t i = 0; i < report->nnodes; i++)
		if (!strcmp(report->nodes[i].metric->title, title))
			return &report->nodes[i];
	fail_msg("there is no %s", title);
	return NULL;
}

static void test_nodes(void **state UNUSED)
{
	const struct profile_filter all = { .by = BY_NOTHING };
	struct error err = { .text = "" };
	struct evaluated e;
	struct profile profile;
	struct weighing weighing;
	struct where where;
	struct exact_rows rows = { .profile = &profile };
	size_t dram;

	evaluated_init(&e, &(struct evaluate_request){ .counts = COUNTS, .level = 3 });
	drawn_profile(&profile, exact, COUNT_OF(exact), &e.loaded.arena);
	rows.counts = &e.counts;
	rows.model = &e.loaded.model;
	dram = (size_t)(node_of(&e.report, "DRAM_Bound")->metric - rows.model->metrics);
	assert_true(weighing_of_node(&weighing, &rows, dram, &e.loaded.arena));
	assert_string_equal(weighing.title, "DRAM_Bound");
	assert_true(fabs(weighing.total / weighing.whole - 0.8) < 1e-9); /* 240 of 300 */
	assert_true(fabs(weighing.weights[0] / weighing.weights[1] - 3) < 1e-9);
	assert_int_equal(where_fill(&where, &profile, &(struct where_request){ &weighing, NULL, &all, "slow" },
				    &e.loaded.arena, &err),
			 0);
	assert_string_equal(rows_text(&where.functions, &e.loaded.arena), "slow 80/80 main 0/80 a 0/60 b 0/20");
	assert_string_equal(rows_text(&where.calls.callers, &e.loaded.arena), "a 60 b 20");
	assert_true(fabs(where.nowhere.percent - 20) < 1e-9);
	evaluated_release(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_bounds), cmocka_unit_test(test_coverage),
					    cmocka_unit_test(test_events), cmocka_unit_test(test_nodes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
