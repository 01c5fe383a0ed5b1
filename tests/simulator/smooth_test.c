/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smooth_test.c - a core of which one parameter is one more or one less takes another time for a loop, but not by more
 * than the parameter is another number. What jumps is the end of a queue that somebody got wrong. 100 loops, drawn by
 * their numbers; each parameter of each core of events/sim gets TOPDOWN_LOOPS (4) of them, turn about.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/macros.h"
#include "drawn_loops.h"
#include "rows.h"

/*
 * Loops may change by any amount: with other sets each line has another place in a cache, and what is delivered until a
 * taken branch is rounded up to cycles.
 */
static bool is_in_steps(const char *name)
{
	static const char *const ends[] = { "_kib", "_ways", "_lines", "_entries", "branch_targets", "_width" };

	for (size_t i = 0; i < COUNT_OF(ends); i++)
		if (strlen(name) >= strlen(ends[i]) && !strcmp(name + strlen(name) - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

/* Is there such a neighbour? What is 0 is another way of working, not another size. */
static bool is_neighbour(const struct sim_parameter *parameter, uint64_t near)
{
	uint32_t least, most;

	return parameter->value && near && !is_in_steps(parameter->name) &&
	       parameters_limits(parameter->name, strlen(parameter->name), &least, &most) && near >= least &&
	       near <= most;
}

#define NOTICED 0.05 /* of a loop's time: as much as the order in which things happen to come changes */

struct trial {
	const struct sim_core *core;
	double cycles[LOOPS]; /* of the core as it is; 0: not timed yet */
	unsigned noticed, jumped;
	char text[128]; /* the last one that jumped */
	struct arena *arena;
};

static void try_loop(struct trial *t, const struct sim_parameter *parameter, const struct sim_core *near,
		     unsigned number)
{
	struct parameters parameters = loop_core(t->core, t->arena);
	double value = (double)sim_core_get(near, parameter->name), cycles, change, allowed;

	if (t->cycles[number] == 0)
		t->cycles[number] = loop_cycles(&parameters, number, 0);
	parameters = loop_core(near, t->arena);
	cycles = loop_cycles(&parameters, number, 0);
	change = fabs(log(cycles / t->cycles[number]));
	allowed = fabs(log(value / (double)parameter->value)) + NOTICED;
	t->noticed += change > NOTICED;
	if (change <= allowed)
		return;
	t->jumped++;
	snprintf(t->text, sizeof(t->text), "%s %.0f instead of %.0f: loop %u takes %.0f cycles instead of %.0f",
		 parameter->name, value, (double)parameter->value, number, cycles, t->cycles[number]);
}

/* Some loops jump where two of their rhythms meet; by a fault most of those do that notice the parameter, and many. */
static void try_parameter(struct trial *t, const struct sim_parameter *parameter, unsigned first, unsigned count,
			  struct rows *rows)
{
	t->noticed = t->jumped = 0;
	for (uint64_t near = parameter->value - 1; near <= parameter->value + 1; near += 2) {
		struct sim_core changed = sim_core_copy(t->core, 0, t->arena);

		if (!is_neighbour(parameter, near))
			continue;
		sim_core_set(&changed, parameter->name, near);
		for (unsigned i = 0; i < count; i++)
			try_loop(t, parameter, &changed, (first + i) % LOOPS);
	}
	row_expect(rows, t->core->name, t->jumped < 2 + count / 20 || t->jumped * 2 <= t->noticed, t->text);
}

static void test_neighbours(void **state UNUSED)
{
	const char *wanted = getenv("TOPDOWN_LOOPS");
	unsigned count = wanted ? (unsigned)strtoul(wanted, NULL, 10) : 4, first = 0;
	struct rows rows = { 0 };
	struct database database;
	struct arena arena;
	struct error err = { .text = "" };
	const char **names;
	size_t ncores;

	arena_init(&arena);
	assert_int_equal(database_open(&database, NULL, &arena, &err), 0);
	names = sim_core_names(&database, &ncores, &arena);
	for (size_t i = 0; i < ncores; i++) {
		struct sim_core core;
		struct trial trial = { .core = &core, .arena = &arena };

		assert_int_equal(sim_core_load(&core, &database, names[i], &arena, &err), 0);
		for (size_t k = 0; k < core.count; k++, first += count)
			try_parameter(&trial, &core.parameters[k], first, count, &rows);
	}
	arena_release(&arena);
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_neighbours) };

	return cmocka_run_group_tests_name("simulator.smooth", tests, NULL, NULL);
}
