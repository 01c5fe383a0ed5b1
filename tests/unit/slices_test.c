/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slices_test.c - groups that share the counters, while the program's mix of work changes: simulated here as the kernel
 * does it, with phases of chosen length. The intervals cover the averages that are known, and turns that are in step
 * with the phases do no harm. One seed: what is counted here is the same each time.
 */
#include "rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/macros.h"
#include "common/measurement/slices.h"
#include "evaluate_fixture.h"

#define STEP_MS	    0.25
#define TURN_MS	    4.0
#define MOST_STEPS  8000
#define MOST_GROUPS 14
#define MOST_SLICES 64
#define ROUNDING    0.05 /* of a point: nobody sees less */
#define COVERED	    0.9

/* What the program does in each of its phases, in a random order or in turn. */
struct program {
	const char *name;
	size_t kinds;
	double ipc[3], share[3]; /* instructions a cycle; the node, percent */
	bool is_random;		 /* length and order */
};

static const struct program programs[] = {
	{ "two mixes in turn", 2, { 2.2, 0.6 }, { 7, 70 }, false },
	{ "three mixes in turn", 3, { 2.2, 0.6, 1.5 }, { 7, 70, 60 }, false },
	{ "two mixes at random", 2, { 2.2, 0.6 }, { 7, 70 }, true },
	{ "three mixes at random", 3, { 2.0, 0.6, 1.0 }, { 10, 70, 20 }, true },
};

static const double lengths[] = { 0.5, 4, 12, 14, 16, 50, 200, 1000 };

struct world {
	uint64_t chance;
	size_t steps, groups, slices;
	unsigned char phase[MOST_STEPS], active[MOST_STEPS], slice[MOST_STEPS];
	size_t queue[MOST_GROUPS], off, shifted;
};

static double chance(struct world *world)
{
	world->chance ^= world->chance << 13;
	world->chance ^= world->chance >> 7;
	world->chance ^= world->chance << 17;
	return (double)(world->chance >> 11) / 9007199254740992.0;
}

static void make_phases(struct world *world, const struct program *program, double length_ms)
{
	double at = chance(world) * (double)program->kinds * length_ms;
	size_t kind = (size_t)(chance(world) * (double)program->kinds), left = 0;

	for (size_t i = 0; i < world->steps; i++) {
		if (program->is_random && left-- == 0) {
			left = (size_t)(-log(1 - chance(world)) * length_ms / STEP_MS);
			kind = (kind + 1 + (size_t)(chance(world) * (double)(program->kinds - 1))) % program->kinds;
		}
		if (!program->is_random)
			kind = (size_t)((at + ((double)i + 0.5) * STEP_MS) / length_ms) % program->kinds;
		world->phase[i] = (unsigned char)kind;
	}
}

/* The first in the queue that is not off has the counters. */
static size_t active_of(const struct world *world)
{
	size_t i = 0;

	while (i + 1 < world->groups && world->queue[i] == world->off)
		i++;
	return i;
}

/* The kernel's turns: the active group goes to the end of the queue, at each tick of a clock. */
static void rotate(struct world *world)
{
	size_t place = active_of(world), group = world->queue[place];

	memmove(&world->queue[place], &world->queue[place + 1], (world->groups - 1 - place) * sizeof(size_t));
	world->queue[world->groups - 1] = group;
}

/* Slices end at random; with jitter a group sits out for about a round behind each. */
static void make_turns(struct world *world, bool has_jitter)
{
	double round = TURN_MS * (double)world->groups, end = round, back = 0, turn = chance(world) * TURN_MS;

	world->slices = 0;
	world->off = MOST_GROUPS;
	for (size_t i = 0; i < world->groups; i++)
		world->queue[i] = (i + world->shifted) % world->groups;
	for (size_t i = 0; i < world->steps; i++) {
		double now = (double)i * STEP_MS;

		if (now >= turn) {
			rotate(world);
			turn += TURN_MS;
		}
		if (now >= back)
			world->off = MOST_GROUPS;
		if (now >= end && world->slices + 1 < MOST_SLICES) {
			world->slices++;
			end = now + 1.5 * round * (0.5 + chance(world));
			back = now + round * (0.5 + chance(world));
			world->off =
				has_jitter ? 1 + (size_t)(chance(world) * (double)(world->groups - 1)) : MOST_GROUPS;
		}
		world->active[i] = (unsigned char)world->queue[active_of(world)];
		world->slice[i] = (unsigned char)world->slices;
	}
	world->slices++;
}

struct sums {
	double cycles[MOST_SLICES], instructions[MOST_SLICES], events[MOST_SLICES];
	size_t count; /* of slices in which the group was on a counter */
	double ipc, truth, running;
};

static void count_group(struct sums *sums, const struct world *world, const struct program *program, size_t group)
{
	size_t kept = 0, ran = 0;

	*sums = (struct sums){ .ipc = 0 };
	for (size_t i = 0; i < world->steps; i++) {
		size_t kind = world->phase[i], slice = world->slice[i];

		sums->ipc += program->ipc[kind] / (double)world->steps;
		sums->truth += program->share[kind] / (double)world->steps;
		if (world->active[i] != group)
			continue;
		ran++;
		sums->cycles[slice] += 1;
		sums->instructions[slice] += program->ipc[kind];
		sums->events[slice] += program->share[kind];
	}
	for (size_t i = 0; i < world->slices; i++) {
		if (!(sums->cycles[i] > 0))
			continue;
		sums->cycles[kept] = sums->cycles[i];
		sums->instructions[kept] = sums->instructions[i];
		sums->events[kept++] = sums->events[i];
	}
	sums->count = kept;
	sums->running = (double)ran / (double)world->steps;
}

struct score {
	size_t values, covered;
	double squares, plain_squares, width;
};

static void score_group(struct score *score, const struct sums *sums, size_t group)
{
	struct group_slices slices = { sums->cycles, sums->instructions, sums->count, sums->ipc, group };
	double replicates[REPLICATES], value = slices_rate(&slices, sums->events, SLICES_EQUAL), ci95;
	double plain = slices_rate(&slices, sums->events, SLICES_AS_THEY_ARE);

	for (int i = 0; i < REPLICATES; i++)
		replicates[i] = slices_rate(&slices, sums->events, i);
	ci95 = slices_ci95(replicates, value, plain, sums->running, sums->count);
	score->values++;
	score->covered += fabs(value - sums->truth) <= ci95 + ROUNDING ? 1 : 0;
	score->squares += (value - sums->truth) * (value - sums->truth);
	score->plain_squares += (plain - sums->truth) * (plain - sums->truth);
	score->width += ci95;
}

static struct score score_length(struct world *world, const struct program *program, double length_ms, bool has_jitter)
{
	struct score score = { .values = 0 };
	struct sums sums;

	for (size_t i = 0; i < 10; i++) {
		world->shifted = i;
		make_turns(world, has_jitter);
		make_phases(world, program, length_ms);
		for (size_t group = 0; group < world->groups; group++) {
			count_group(&sums, world, program, group);
			score_group(&score, &sums, group);
		}
	}
	return score;
}

/* 95 % intervals need not cover 95 % of phases of any kind, but nine of ten of each length. */
static void intervals_cover(void **state)
{
	static struct world world = { .chance = 88172645463325252ull, .steps = MOST_STEPS };
	static const size_t groups[] = { 3, 7, 14 };
	struct rows rows = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(programs) * COUNT_OF(lengths) * COUNT_OF(groups); i++) {
		const struct program *program = &programs[i % COUNT_OF(programs)];
		double length_ms = lengths[i / COUNT_OF(programs) % COUNT_OF(lengths)];
		struct score score;
		char name[96];

		world.groups = groups[i / COUNT_OF(programs) / COUNT_OF(lengths)];
		score = score_length(&world, program, length_ms, true);
		snprintf(name, sizeof(name), "%s of %g ms, %zu groups: %.0f %% covered, error %.2f, plain %.2f, +-%.2f",
			 program->name, length_ms, world.groups, 100.0 * (double)score.covered / (double)score.values,
			 sqrt(score.squares / (double)score.values), sqrt(score.plain_squares / (double)score.values),
			 score.width / (double)score.values);
		if (getenv("SHOW"))
			puts(name);
		row_expect(&rows, name, (double)score.covered >= COVERED * (double)score.values, "covered");
		row_expect(&rows, name, score.width <= 12 * (double)score.values, "narrow enough to say something");
	}
	rows_end(&rows);
}

/* Phases as long as a round: without jitter each group sees its own part of them for ever. */
static void resonance_vanishes(void **state)
{
	static struct world world = { .chance = 88172645463325252ull, .steps = MOST_STEPS, .groups = 7 };
	struct score regular = score_length(&world, &programs[0], 14, false);
	struct score jitter = score_length(&world, &programs[0], 14, true);

	(void)state;
	assert_true(sqrt(regular.squares / (double)regular.values) > 10);
	assert_true(sqrt(jitter.squares / (double)jitter.values) < 0.5);
}

static void few_slices_say_nothing(void **state)
{
	double replicates[REPLICATES] = { 0 };

	(void)state;
	assert_true(isnan(slices_ci95(replicates, 1, 1, 0.5, LEAST_SLICES - 1)));
	assert_true(!isnan(slices_ci95(replicates, 1, 1, 0.5, LEAST_SLICES)));
}

/*
 * By hand: two groups that share the counters, eight slices each. The first was on a counter mostly while the program
 * was frontend bound (75 % at IPC 1; else 25 % at IPC 3), the second had the rest. IPC of both is 2, so FRONT is 50 %.
 */
static void counts_are_corrected(void **state)
{
	static const uint64_t cycles[2][8] = { { 100, 100, 100, 100, 100, 100, 100, 100 },
					       { 100, 100, 100, 100, 100, 100, 100, 100 } };
	static const uint64_t instructions[2][8] = { { 100, 100, 100, 300, 100, 100, 100, 300 },
						     { 300, 300, 300, 100, 300, 300, 300, 100 } };
	static const uint64_t front[8] = { 300, 300, 300, 100, 300, 300, 300, 100 };
	struct evaluated e;

	(void)state;
	evaluated_init(&e, &(struct evaluate_request){ .counts = "share=0.5 CYCLES=1600 INSTRUCTIONS=2400 FRONT=4000;"
								 "share=0.5 CYCLES=1600 INSTRUCTIONS=4000" });
	e.items[0].slices = cycles[0];
	e.items[1].slices = instructions[0];
	e.items[2].slices = front;
	e.items[3].slices = cycles[1];
	e.items[4].slices = instructions[1];
	for (size_t i = 0; i < 5; i++)
		e.items[i].nslices = 8;
	assert_float_equal(evaluated_row(&e, "Frontend_Bound")->value, 62.5, 1e-3); /* 4000 of 4 * 1600 slots */
	assert_int_equal(evaluate(&e.report, &e.loaded.model, &e.counts, &e.loaded.arena, &e.loaded.err), 0);
	assert_float_equal(evaluated_row(&e, "Frontend_Bound")->value, 50, 0.01);
	/* no noise is left, and half of the correction is the interval */
	assert_float_equal(evaluated_row(&e, "Frontend_Bound")->spread.ci95, 6.25, 0.01);
	assert_true(e.report.summary.has_intervals);
	evaluated_release(&e);
}

/*
 * Three groups that share the counters, without slices. Level 1 in two of them: FRONT is 40 and 60 % of the slots, so
 * stddev is 14.1, and 12.706 * 14.1 * sqrt(1 + 1/2) is more than a share can have. IPC decides where level 1 does not:
 * of 1.0, 1.1 and 1.2 it is 0.1, and 4.303 * 0.1 * sqrt(1 + 1/3) / 1.1 is 45.2 %. Groups that agree leave the least.
 */
static void groups_disagree(void **state)
{
	static const struct {
		const char *counts;
		double ci95;
	} table[] = {
		{ "share=0.3 CYCLES=1000 FRONT=1600; share=0.3 CYCLES=1000 FRONT=2400", 100 },
		{ "share=0.3 CYCLES=1000 FRONT=1600 INSTRUCTIONS=1000; share=0.3 CYCLES=1000 INSTRUCTIONS=1100; "
		  "share=0.3 CYCLES=1000 INSTRUCTIONS=1200",
		  45.2 },
		{ "share=0.3 CYCLES=1000 FRONT=1600; share=0.3 CYCLES=1000 FRONT=1600", 0.2 },
		{ "share=0.3 CYCLES=1000 FRONT=1600", NAN },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct evaluated e;
		double ci95;

		evaluated_init(&e, &(struct evaluate_request){ .counts = table[i].counts });
		ci95 = evaluated_row(&e, "Frontend_Bound")->spread.ci95;
		if (isnan(table[i].ci95))
			assert_true(isnan(ci95));
		else
			assert_float_equal(ci95, table[i].ci95, 0.1);
		evaluated_release(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_cover),	  cmocka_unit_test(resonance_vanishes),
		cmocka_unit_test(few_slices_say_nothing), cmocka_unit_test(counts_are_corrected),
		cmocka_unit_test(groups_disagree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
