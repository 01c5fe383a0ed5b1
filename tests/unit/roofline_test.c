/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roofline_test.c - functions below the ceilings, of groups that were read with samples: rates that the test has chosen,
 * events that no sample was taken of, and intervals by another formula.
 */
#include "evaluate_fixture.h"
#include "where_fixture.h"

#include "analyse/hotspots/functions.h"
#include "analyse/roofline/roofline.h"

#define EVENTS "A,B,LOADS,C,D,E,F"
#define COUNTS                                                                                                         \
	"CYCLES=200000 FRONT=400 ISSUED=1200 DONE=800 BACK=2400 A=1 B=2 LOADS=3 C=4 D=5 E=6 F=7; wall=2 CYCLES=200000"

/* A is a scalar operation, B a vector of four; L2's lines are LOADS. E counts memory for the whole machine, C does not. */
static struct roofline_event flops[] = { { "A", 1, ROOFLINE_F64, 64 }, { "B", 4, ROOFLINE_F64, 256 } };
static struct roofline_event l2[] = { { "LOADS", 64, ROOFLINE_ANY_TYPE, 0 } };
static struct roofline_event l3[] = { { "D", 64, ROOFLINE_ANY_TYPE, 0 } };
static struct roofline_event memory[] = { { "E", 64, ROOFLINE_ANY_TYPE, 0 } };
static struct roofline_event misses[] = { { "C", 64, ROOFLINE_ANY_TYPE, 0 } };
static struct roofline_set sets[] = {
	{ ROOFLINE_FLOPS, "operations", NULL, false, flops, 2 },
	{ ROOFLINE_L2, "lines", NULL, false, l2, 1 },
	{ ROOFLINE_L3, "lines", NULL, false, l3, 1 },
	{ ROOFLINE_DRAM, "all", NULL, true, memory, 1 },
	{ ROOFLINE_DRAM, "lines", "reads alone", false, misses, 1 },
};
static const struct roofline_sets all_sets = { sets, COUNT_OF(sets) };

enum { FIRST, SECOND }; /* groups: operations and L2's lines; memory's */
static const char *first_events[] = { "CYCLES", "A", "B", "LOADS" }, *second_events[] = { "CYCLES", "C" };

struct made {
	struct evaluated e;
	struct profile profile;
	struct measurement measured;
	struct report_set set;
	struct model model;
	const struct roofline *placed;
};

static void make(struct made *m)
{
	evaluated_init(&m->e, &(struct evaluate_request){ .counts = COUNTS, .level = 1, .asked = EVENTS });
	m->e.counts.question.wants_roofline = true;
	m->e.counts.question.nper_function = 3;
	m->model = m->e.loaded.model;
	m->model.roofline = &all_sets;
	m->e.report.model = &m->model;
	profile_init(&m->profile, &m->e.loaded.arena);
	for (uint32_t i = 0; i < 2; i++)
		(void)profile_event(&m->profile, &(struct profile_event){ .event = "CYCLES", .run = i });
	(void)profile_group(&m->profile, &(struct profile_group){ .event = 0, .events = first_events, .nevents = 4 });
	(void)profile_group(&m->profile, &(struct profile_group){ .event = 1, .events = second_events, .nevents = 2 });
}

/* So many pairs of samples in each batch; values: of each pair. place NULL: of no function. */
struct delta_row {
	const char *place;
	uint32_t group, batches;
	uint64_t pairs;
	double values[4];
};

static void add(struct made *m, const struct delta_row *row)
{
	uint32_t place = row->place ? drawn_place(&m->profile, row->place) : PROFILE_NONE;

	for (uint32_t batch = 0; batch < row->batches; batch++) {
		struct profile_delta *delta = profile_delta(
			&m->profile,
			&(struct profile_delta){ .from = place, .to = place, .group = row->group, .batch = batch });

		delta->pairs += row->pairs;
		for (size_t k = 0; k < m->profile.groups[row->group].nevents; k++)
			delta->values[k] += (double)row->pairs * row->values[k];
	}
}

static void place(struct made *m)
{
	profile_condense(&m->profile);
	m->measured = (struct measurement){
		.parts = &m->e.counts, .count = 1, .from_s = (double)NAN, .to_s = (double)NAN, .profile = &m->profile
	};
	m->set = (struct report_set){ .parts = &m->e.report, .count = 1 };
	m->placed = roofline_of(&m->set, &m->measured, &m->e.loaded.arena);
}

static const struct roofline_point *point_of(const struct made *m, const char *name)
{
	for (size_t i = m->placed->nwhole; i < m->placed->count; i++)
		if (!strcmp(m->placed->points[i].name, name))
			return &m->placed->points[i];
	fail_msg("no point %s", name);
	return NULL;
}

static bool says(const struct roofline *placed, const char *words)
{
	for (size_t i = 0; i < placed->nnotes; i++)
		if (strstr(placed->notes[i], words))
			return true;
	return false;
}

static void assert_near(double found, double expected)
{
	if (!(fabs(found - expected) <= 1e-9 * fabs(expected)))
		fail_msg("%.17g, expected %.17g", found, expected);
}

/* A place of the function, at an address of its own, in that loop. */
static uint32_t place_in(struct made *m, uint64_t address, uint32_t loop)
{
	uint32_t like = drawn_place(&m->profile, "f"), at;

	at = profile_place(&m->profile, m->profile.places[like].module, address);
	m->profile.places[at].frames = m->profile.places[like].frames;
	m->profile.places[at].nframes = m->profile.places[like].nframes;
	m->profile.places[at].loop = loop;
	return at;
}

/* So many pairs from one place to the other in each batch, with as many cycles and A each. */
static void add_pairs(struct made *m, const uint32_t ends[2], uint64_t pairs, const double each[2])
{
	for (uint32_t batch = 0; batch < PROFILE_BATCHES; batch++) {
		struct profile_delta *delta = profile_delta(
			&m->profile,
			&(struct profile_delta){ .from = ends[0], .to = ends[1], .group = FIRST, .batch = batch });

		delta->pairs += pairs;
		delta->values[0] += (double)pairs * each[0];
		delta->values[1] += (double)pairs * each[1];
	}
}

/*
 * f has three loops. 40 of its pairs lie in the first, at two places; 30 in the second; 10 go from one to the other, and
 * 20 are in none. The third has 9 pairs, which are too few. g has 20 pairs; a pair of 1000 cycles has so many operations.
 */
static void make_loops(struct made *m)
{
	static struct profile_loop loops[] = { { 0x40, NULL, "/src/a.c", 12, 14 },
					       { 0x80, "int inner<double*>(double*)", "/src/a.c", 20, 20 },
					       { 0xc0, NULL, NULL, 0, 0 } };
	uint32_t none, first, second, third, other;

	make(m);
	none = place_in(m, 0x1000, 0);
	first = place_in(m, 0x1040, 1);
	other = place_in(m, 0x1044, 1);
	second = place_in(m, 0x1080, 2);
	third = place_in(m, 0x10c0, 3);
	m->profile.loops = loops;
	m->profile.nloops = COUNT_OF(loops);
	add_pairs(m, (uint32_t[]){ first, first }, 1, (double[]){ 1000, 100 });
	add_pairs(m, (uint32_t[]){ first, other }, 3, (double[]){ 1000, 100 });
	add_pairs(m, (uint32_t[]){ second, second }, 3, (double[]){ 1000, 400 });
	add_pairs(m, (uint32_t[]){ second, first }, 1, (double[]){ 1000, 50 });
	add_pairs(m, (uint32_t[]){ none, none }, 1, (double[]){ 1000, 0 });
	add_pairs(m, (uint32_t[]){ none, first }, 1, (double[]){ 1000, 0 });
	for (uint32_t batch = 0; batch < 9; batch++)
		profile_delta(&m->profile, &(struct profile_delta){ .from = third, .to = third, .batch = batch })
			->pairs += 1;
	for (uint32_t batch = 0; batch < 9; batch++)
		profile_delta(&m->profile, &(struct profile_delta){ .from = third, .to = third, .batch = batch })
			->values[0] += 2000;
	add(m, &(struct delta_row){ "g", FIRST, 10, 2, { 1000, 7, 0, 0 } });
	m->profile.no_loops = "objdump is not here";
	place(m);
}

/* f: 10 batches of 10 pairs and 9 pairs of twice the cycles, 118,000 of all 138,000; 200,000 cycles were counted. */
static void test_loops(void **state UNUSED)
{
	struct made m;
	const struct roofline_point *f, *first, *second;

	make_loops(&m);
	assert_int_equal(m.placed->count, 1 + 2 + 2);
	f = &m.placed->points[1];
	first = &m.placed->points[2];
	second = &m.placed->points[3];
	assert_string_equal(f->name, "f");
	assert_null(f->loop);
	assert_null(f->function);
	assert_near(f->time_share, 118 / 138.0);
	assert_near(f->flops, 200000 * (118 / 138.0) * (40 * 100 + 30 * 400 + 10 * 50) / 118000.0);
	assert_string_equal(first->name, "loop at a.c:12-14");
	assert_string_equal(first->function, "f");
	assert_near(first->time_share, 40 / 138.0);
	assert_near(first->flops, 200000 * (40 / 138.0) * 100 / 1000);
	assert_int_equal(first->samples, 40);
	assert_string_equal(second->name, "loop of inner at a.c:20");
	assert_near(second->performance, 400 / 1000.0 * 100000);
	assert_int_equal(second->samples, 30);
	assert_string_equal(m.placed->points[4].name, "g");
	assert_true(says(m.placed, "Not all loops are distinguished from their functions: objdump is not here."));
	evaluated_release(&m.e);
}

/* A function has the same with loops and without them. */
static void test_without_loops(void **state UNUSED)
{
	struct made with, without;
	struct roofline_point f;

	make_loops(&with);
	f = with.placed->points[1];
	make(&without);
	without.profile = with.profile;
	without.profile.nloops = 0;
	for (uint32_t i = 0; i < without.profile.ndeltas; i++)
		without.profile.deltas[i].loop = 0;
	place(&without);
	assert_int_equal(without.placed->count, 1 + 2);
	assert_near(without.placed->points[1].flops, f.flops);
	assert_near(without.placed->points[1].time_share, f.time_share);
	assert_near(without.placed->points[1].performance_within.low, f.performance_within.low);
	assert_int_equal(without.placed->points[1].samples, f.samples);
	evaluated_release(&without.e);
	evaluated_release(&with.e);
}

/*
 * Of 100 pairs of the first group, with 1000 cycles each, f has 40 and g 30; h has 5, and 25 lie between functions. The
 * second group has the same shares, of 1000 pairs. f and g compute and move what the test says, in each pair.
 */
static void make_three(struct made *m)
{
	make(m);
	add(m, &(struct delta_row){ "f", FIRST, 10, 4, { 1000, 100, 50, 10 } });
	add(m, &(struct delta_row){ "g", FIRST, 10, 3, { 1000, 20, 0, 40 } });
	add(m, &(struct delta_row){ "h", FIRST, 5, 1, { 1000, 7, 7, 7 } });
	add(m, &(struct delta_row){ NULL, FIRST, 5, 5, { 1000, 50, 50, 50 } });
	add(m, &(struct delta_row){ "f", SECOND, 10, 40, { 1000, 2 } });
	add(m, &(struct delta_row){ "g", SECOND, 10, 30, { 1000, 8 } });
	add(m, &(struct delta_row){ "h", SECOND, 10, 5, { 1000, 4 } });
	add(m, &(struct delta_row){ NULL, SECOND, 10, 25, { 1000, 50 } });
	place(m);
}

/* The program took 2 s for 200,000 cycles; f has 40 % of both. */
static void test_values(void **state UNUSED)
{
	struct made m;
	const struct roofline_point *f, *g;

	make_three(&m);
	assert_int_equal(m.placed->nwhole, 1);
	assert_int_equal(m.placed->count, 4);
	f = point_of(&m, "f");
	assert_true(f->is_sampled && !m.placed->points[0].is_sampled);
	assert_near(f->time_share, 0.4);
	assert_near(f->seconds, 0.8);
	assert_near(f->flops, 80000 * (100 + 4 * 50) / 1000.0);
	assert_near(f->performance, 80000 * 0.3 / 0.8);
	assert_near(f->vector_share, 200 / 300.0);
	assert_near(f->levels[ROOFLINE_L2].bytes, 80000 * 64 * 10 / 1000.0);
	assert_near(f->levels[ROOFLINE_L2].intensity, 300 / 640.0);
	assert_near(f->levels[ROOFLINE_DRAM].intensity, 300 / 128.0);
	assert_int_equal(f->samples, 40);
	assert_int_equal(f->time_samples, 440);
	assert_int_equal(f->levels[ROOFLINE_L2].samples, 40);
	assert_int_equal(f->levels[ROOFLINE_DRAM].samples, 400);
	/* All pairs of f are the same, so nothing is uncertain but its share of the time. */
	assert_near(f->performance_within.low, f->performance);
	assert_near(f->levels[ROOFLINE_L2].intensity_within.high, f->levels[ROOFLINE_L2].intensity);
	assert_true(f->time_within.low < 0.39 && f->time_within.high > 0.41);
	g = point_of(&m, "g");
	assert_near(g->vector_share, 0);
	assert_near(g->performance, 60000 * 0.02 / 0.6);
	assert_near(g->levels[ROOFLINE_L2].intensity, 20 / (64 * 40.0));
	assert_near(g->levels[ROOFLINE_DRAM].intensity, 20 / (64 * 8.0));
	assert_near(m.placed->mixed, 0.25);
	assert_true(says(m.placed, "25.0 % of the cycles lie between samples of different functions"));
	evaluated_release(&m.e);
}

/* 5 samples of its operations are too few; 50 of its misses are not. What can't be sampled is named. */
static void test_withheld(void **state UNUSED)
{
	struct made m;
	const struct roofline_point *h, *f;

	make_three(&m);
	h = point_of(&m, "h");
	assert_int_equal(h->samples, 5);
	assert_true(isnan(h->flops) && isnan(h->performance) && isnan(h->vector_share) && !h->nwidths);
	assert_true(isnan(h->levels[ROOFLINE_L2].bytes) && isnan(h->levels[ROOFLINE_L2].intensity));
	assert_near(h->levels[ROOFLINE_DRAM].bytes, 0.05 * 200000 * 64 * 4 / 1000);
	assert_true(isnan(h->levels[ROOFLINE_DRAM].intensity));
	assert_non_null(strstr(h->verdict, "5 samples"));
	f = point_of(&m, "f");
	assert_true(isnan(f->levels[ROOFLINE_L3].bytes) && f->levels[ROOFLINE_L3].samples == 0);
	assert_string_equal(f->sources->missing[ROOFLINE_L3], "not read with samples: D");
	assert_true(says(m.placed, "Functions have no bytes of L3: not read with samples: D."));
	assert_ptr_equal(m.placed->points[0].sources->sets[ROOFLINE_DRAM], &sets[3]);
	assert_ptr_equal(f->sources->sets[ROOFLINE_DRAM], &sets[4]);
	assert_true(says(m.placed, "Of functions, bytes of DRAM: reads alone."));
	assert_false(says(m.placed, "no bytes of L1"));
	evaluated_release(&m.e);
}

/* Without the second group, nothing but the whole machine's event is left for memory. */
static void test_machine(void **state UNUSED)
{
	struct made m;

	make(&m);
	add(&m, &(struct delta_row){ "f", FIRST, 10, 4, { 1000, 100, 50, 10 } });
	place(&m);
	assert_true(isnan(point_of(&m, "f")->levels[ROOFLINE_DRAM].bytes));
	assert_true(says(m.placed, "bytes of DRAM: E counts for the whole machine"));
	evaluated_release(&m.e);
}

/* No samples at all: no point, and a sentence. */
static void test_none(void **state UNUSED)
{
	struct made m;

	make(&m);
	place(&m);
	assert_int_equal(m.placed->count, 1);
	assert_true(says(m.placed, "Functions are not placed"));
	evaluated_release(&m.e);
}

#define STUDENT_9 2.2621571628 /* the 97.5 % quantile of Student's t with 9 degrees of freedom */

/* Where all batches have as many cycles, the rate is their mean, and the interval is the mean's. */
static void test_interval(void **state UNUSED)
{
	static const double counted[PROFILE_BATCHES] = { 90, 110, 97, 103, 120, 80, 100, 101, 99, 100 };
	double sum = 0, squares = 0, half;
	const struct roofline_point *f;
	struct made m;

	make(&m);
	for (uint32_t batch = 0; batch < PROFILE_BATCHES; batch++) {
		uint32_t at = drawn_place(&m.profile, "f");
		struct profile_delta *delta = profile_delta(
			&m.profile, &(struct profile_delta){ .from = at, .to = at, .group = FIRST, .batch = batch });

		delta->pairs = 1;
		delta->values[0] = 1000;
		delta->values[1] = counted[batch];
		delta->values[3] = 1;
		sum += counted[batch];
	}
	for (size_t i = 0; i < PROFILE_BATCHES; i++)
		squares += pow(counted[i] - sum / PROFILE_BATCHES, 2);
	half = STUDENT_9 * sqrt(squares / (PROFILE_BATCHES - 1) / PROFILE_BATCHES);
	place(&m);
	f = point_of(&m, "f");
	assert_near(f->levels[ROOFLINE_L2].intensity, sum / PROFILE_BATCHES / 64);
	assert_true(fabs(f->levels[ROOFLINE_L2].intensity_within.high - (sum / PROFILE_BATCHES + half) / 64) < 1e-4);
	assert_true(fabs(f->levels[ROOFLINE_L2].intensity_within.low - (sum / PROFILE_BATCHES - half) / 64) < 1e-4);
	/* 100 operations in 1000 cycles, 200,000 cycles in 2 s */
	assert_near(f->performance, 1e4);
	assert_true(fabs(f->performance_within.high - 100 * (sum / PROFILE_BATCHES + half)) < 1);
	evaluated_release(&m.e);
}

/* What stands in the name of a loop. */
static void test_plain_names(void **state UNUSED)
{
	static const char *rows[][2] = {
		{ "inner", "inner" },
		{ "int D<8>::go<int>(int)", "D<8>::go" },
		{ "poly<std::vector<double> >", "poly" },
		{ "main::{lambda(double, double)#1}::operator()", "main::{lambda(double, double)#1}::operator()" },
		{ "operator<", "operator<" },
	};
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_string_equal(function_plain_name(rows[i][0], &arena), rows[i][1]);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_values),	  cmocka_unit_test(test_withheld),
					    cmocka_unit_test(test_machine),	  cmocka_unit_test(test_none),
					    cmocka_unit_test(test_interval),	  cmocka_unit_test(test_loops),
					    cmocka_unit_test(test_without_loops), cmocka_unit_test(test_plain_names) };

	return cmocka_run_group_tests_name("placed", tests, NULL, NULL);
}
