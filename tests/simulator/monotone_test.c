/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * monotone_test.c - a better part makes no core slower: each word of --what-if, sizes and latencies, on each core of
 * events/sim, for 45 loops that are drawn by their numbers (drawn_loops.h). Of these each pair has TOPDOWN_LOOPS (9), turn
 * about.
 */
#include <stdlib.h>
#include <string.h>

#include "collect/simulate/what_if.h"
#include "common/base/macros.h"
#include "drawn_loops.h"
#include "rows.h"

/* Traits of loops, turn about. */
static const unsigned mixtures[] = {
	0,
	0,
	0,
	LOOP_TURNS,
	LOOP_FAR,
	LOOP_FAR | LOOP_TURNS,
	LOOP_WAITS,
	LOOP_MICROCODE,
	LOOP_SCATTERED,
	LOOP_SCATTERED | LOOP_TURNS,
	LOOP_SCATTERED,
	LOOP_SHARED,
	LOOP_NARROW,
	LOOP_NARROW | LOOP_MICROCODE,
	LOOP_NARROW,
};

#define KERNELS (3 * COUNT_OF(mixtures))

/* Of words of --what-if, what is no slower than what; "": the core as it is. The test asks that each word is here. */
static const struct order {
	const char *better, *worse;
} orders[] = {
	{ "branches", "" },
	{ "targets", "" },
	{ "icache", "" },
	{ "itlb", "" },
	{ "microcode", "" },
	{ "decode", "" },
	{ "uop-cache", "" },
	{ "fetch", "" },
	{ "l1-latency", "" },
	{ "dtlb", "" },
	{ "l1", "" },
	{ "l2", "" },
	{ "l3", "" },
	{ "dram", "" },
	{ "bandwidth", "" },
	{ "sharing", "" },
	{ "stores", "" },
	{ "memory", "" },
	{ "divider", "" },
	{ "fences", "" },
	{ "ports", "" },
	{ "dependencies", "" },
	{ "core", "" },
	{ "backend", "" },
	{ "window", "" },
	{ "l1=double", "" },
	{ "l2=double", "" },
	{ "l3=double", "" },
	{ "l2=8M", "" },
	{ "dram=half", "" },
	{ "", "l1=half" },
	{ "", "l2=half" },
	{ "", "l3=half" },
	{ "", "dram=double" },
	{ "l3=4M", "l3=1M" },
	{ "l2", "l3" },
	{ "l1+icache+itlb+dtlb", "l2+itlb+dtlb" },
	{ "fetch", "branches" },
	{ "fetch", "icache" },
	{ "fetch", "microcode" },
	{ "memory", "l1" },
	{ "memory", "dtlb" },
	{ "memory", "stores" },
	{ "core", "divider" },
	{ "core", "fences" },
	{ "core", "ports" },
	{ "core", "dependencies" },
	{ "backend", "memory" },
	{ "backend", "core" },
};

/*
 * By how much a better part may be slower. Micro-ops and lines take units, buffers and turns as they come, so what is
 * ready earlier may take one from what others wait for longer (Graham, Bounds on Multiprocessing Timing Anomalies, 1969).
 */
#define ALLOWED 0.03

/* What is allowed more, as its reason is known; the first row that fits. */
static const struct exception {
	const char *word; /* begins one of the two; "": any */
	unsigned traits;  /* that the loop has */
	double allowed;
} exceptions[] = {
	/* Threads that are faster come for each other's lines more often; without a latency of transfers it is gone. */
	{ "window", LOOP_SHARED, 0.10 },
	{ "", LOOP_SHARED, 0.06 },
	/* L2's prefetcher sees what L1 misses, and a smaller L1 shows it more; without prefetchers it is gone. */
	{ "l1=", 0, 0.09 },
};

static double allowed_of(const struct order *order, unsigned traits)
{
	for (size_t i = 0; i < COUNT_OF(exceptions); i++) {
		const struct exception *e = &exceptions[i];
		size_t length = strlen(e->word);

		if ((traits & e->traits) == e->traits &&
		    (!strncmp(order->better, e->word, length) || !strncmp(order->worse, e->word, length)))
			return e->allowed;
	}
	return ALLOWED;
}

/* Cycles of the loops on one core, as a list of words makes it. */
struct timed {
	const char *words;
	struct parameters parameters;
	double cycles[KERNELS]; /* 0: not timed yet */
};

struct trial {
	const struct sim_core *core;
	struct timed timed[2 * COUNT_OF(orders)];
	size_t ntimed;
	double *gains; /* of each order, the most of all cores */
	unsigned nloops;
	struct arena *arena;
	struct rows *rows;
};

static struct timed *timed_of(struct trial *trial, const char *words)
{
	struct sim_trials *trials = arena_alloc(trial->arena, sizeof(*trials));
	struct timed *timed = &trial->timed[trial->ntimed];
	struct error err = { .text = "" };

	for (size_t i = 0; i < trial->ntimed; i++)
		if (!strcmp(trial->timed[i].words, words))
			return &trial->timed[i];
	if (*words)
		assert_int_equal(what_if_parse(trials, words, trial->core, trial->arena, &err), 0);
	*timed = (struct timed){ .words = words,
				 .parameters = loop_core(*words ? &trials->items[0].core : trial->core, trial->arena) };
	trial->ntimed++;
	return timed;
}

static double time_kernel(struct timed *timed, unsigned kernel)
{
	if (timed->cycles[kernel] == 0)
		timed->cycles[kernel] = loop_cycles(&timed->parameters, kernel, mixtures[kernel % COUNT_OF(mixtures)]);
	return timed->cycles[kernel];
}

static void try_order(struct trial *trial, size_t number, unsigned first)
{
	const struct order *order = &orders[number];
	struct timed *better = timed_of(trial, order->better), *worse = timed_of(trial, order->worse);

	for (unsigned i = 0; i < trial->nloops; i++) {
		unsigned kernel = (first + i) % KERNELS;
		double gain = time_kernel(worse, kernel) / time_kernel(better, kernel);
		char text[160];

		snprintf(text, sizeof(text), "loop %u takes %.0f cycles with '%s', and %.0f with '%s'", kernel,
			 better->cycles[kernel], order->better, worse->cycles[kernel], order->worse);
		row_expect(trial->rows, trial->core->name,
			   gain >= 1 - allowed_of(order, mixtures[kernel % COUNT_OF(mixtures)]), text);
		if (gain > trial->gains[number])
			trial->gains[number] = gain;
	}
}

#define LEAST_GAIN 1.02

/* A test of what no loop notices would be none. L3 is larger than what the loops come to; l3=4M has less of it. */
static void check_gains(const double *gains, struct rows *rows)
{
	for (size_t i = 0; i < COUNT_OF(orders); i++)
		if (strcmp(orders[i].better, "l3=double") != 0)
			row_expect(rows, *orders[i].better ? orders[i].better : orders[i].worse, gains[i] >= LEAST_GAIN,
				   "no loop gains by it");
}

static void test_orders(void **state UNUSED)
{
	const char *wanted = getenv("TOPDOWN_LOOPS");
	unsigned count = wanted ? (unsigned)strtoul(wanted, NULL, 10) : 9, first = 0;
	double gains[COUNT_OF(orders)] = { 0 };
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
		struct trial *trial = arena_alloc(&arena, sizeof(*trial));

		assert_int_equal(sim_core_load(&core, &database, names[i], &arena, &err), 0);
		*trial = (struct trial){
			.core = &core, .gains = gains, .nloops = count, .arena = &arena, .rows = &rows
		};
		for (size_t k = 0; k < COUNT_OF(orders); k++, first += count)
			try_order(trial, k, first);
	}
	if (count >= KERNELS)
		check_gains(gains, &rows);
	arena_release(&arena);
	rows_end(&rows);
}

/* Each word makes the core better by itself. */
static void test_words(void **state UNUSED)
{
	struct rows rows = { 0 };
	const char *word, *what;

	for (size_t i = 0; (word = what_if_word(i, &what)); i++) {
		bool is_there = false;

		for (size_t k = 0; k < COUNT_OF(orders); k++)
			is_there = is_there || (!strcmp(orders[k].better, word) && !*orders[k].worse);
		row_expect(&rows, word, is_there, "it is not among the orders");
	}
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_words), cmocka_unit_test(test_orders) };

	return cmocka_run_group_tests_name("simulator.monotone", tests, NULL, NULL);
}
