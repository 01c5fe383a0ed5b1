/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pairs_test.c - two programs in turns, and how a gate measures, without a command line. Each program leaves a letter. */
#include "engine/pairs.h"

#include <fcntl.h>

#include "common/system/file.h"
#include "faults_machine.h"
#include "rows.h"

struct world {
	struct scratch scratch;
	struct faults_machine machine;
	struct arena arena;
	struct error err;
	struct setup setup;
	struct question question;
	struct sink sink;
	char *words[2][4], letters[256]; /* the letters' file */
	size_t shown, planned, notices;
	char notice[500];
};

static void on_progress(void *context, size_t run, size_t runs)
{
	struct world *world = context;

	assert_int_equal(run, ++world->shown);
	world->planned = runs;
}

static void on_notice(void *context, enum severity severity UNUSED, const char *sentence)
{
	struct world *world = context;

	if (!world->notices++)
		snprintf(world->notice, sizeof(world->notice), "%s", sentence);
}

static void world_init(struct world *world)
{
	*world = (struct world){ .question = { .nodes = "minor" } };
	arena_init(&world->arena);
	scratch_init(&world->scratch);
	faults_machine_make(&world->machine, &world->scratch);
	scratch_write(&world->scratch, "letters", "", world->letters);
	for (size_t i = 0; i < 2; i++) {
		world->words[i][0] = arena_strdup(&world->arena, "/bin/sh");
		world->words[i][1] = arena_strdup(&world->arena, "-c");
		world->words[i][2] = arena_printf(&world->arena, "printf %c >>%s", "ba"[i], world -> letters);
	}
	world->setup.machine.sysroot = world->machine.sysroot;
	world->setup.machine.database = world->machine.database;
	world->sink = (struct sink){ .context = world, .progress = on_progress, .notice = on_notice };
}

static void world_release(struct world *world)
{
	arena_release(&world->arena);
	scratch_release(&world->scratch);
}

static int measure(struct pairs *pairs, struct world *world)
{
	const struct pair_request request = {
		.setup = &world->setup,
		.question = &world->question,
		.commands = { { "before", { world->words[0], 3 } }, { "after", { world->words[1], 3 } } },
	};

	return pairs_measure(pairs, &request, &world->sink, &world->arena, &world->err);
}

static void read_letters(const struct world *world, char *text, size_t size)
{
	FILE *file = fopen(world->letters, "re");

	assert_non_null(file);
	text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
}

#define PAIRS 4

/* In each pair both, and in the next one the other way round; then those that are sampled. */
static void check_turns(const struct world *world, const char *sampled)
{
	char text[64];

	read_letters(world, text, sizeof(text));
	assert_int_equal(strlen(text), 2 * PAIRS + strlen(sampled));
	for (size_t i = 0; i < PAIRS; i++)
		assert_int_equal(text[2 * i] + text[2 * i + 1], 'a' + 'b');
	for (size_t i = 0; i < PAIRS; i += 2)
		assert_int_equal(text[2 * i] + text[2 * i + 2], 'a' + 'b');
	assert_string_equal(text + 2 * PAIRS, sampled);
}

static void turns(void **state UNUSED)
{
	static const struct {
		const char *name, *notice, *sampled;
		bool has_pmu;
		enum pair_way way;
	} table[] = {
		/* The made-up CPU has no cycles that could be sampled. */
		{ "counted", "no functions of before: this CPU's counters do not know cycles", "", true,
		  PAIRS_COUNTED },
		{ "timed", "no counter can be opened here, so times are compared", "ba", false, PAIRS_TIMED },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct world world;
		struct pairs pairs;
		char path[300];

		world_init(&world);
		world.setup.packing.repeats = PAIRS;
		snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices/cpu/type", world.machine.sysroot);
		if (!table[i].has_pmu)
			assert_int_equal(unlink(path), 0);
		row_expect_number(&rows, table[i].name, measure(&pairs, &world), 0);
		row_expect_text(&rows, table[i].name, world.err.text, "");
		row_expect_number(&rows, table[i].name, (double)pairs.way, (double)table[i].way);
		row_expect_number(&rows, table[i].name, (double)pairs.count, PAIRS);
		row_expect_number(&rows, table[i].name, pairs.cut_by, 0);
		row_expect_number(&rows, table[i].name, (double)world.shown, 2 * PAIRS);
		row_expect_number(&rows, table[i].name, (double)world.planned, 2 * PAIRS);
		world.notice[strlen(table[i].notice)] = '\0';
		row_expect_text(&rows, table[i].name, world.notice, table[i].notice);
		check_turns(&world, table[i].sampled);
		for (size_t side = 0; side < 2; side++) {
			const struct counts *counts = &pairs.sides[side].parts[0];

			row_expect_number(&rows, table[i].name, (double)counts->nrepeats, PAIRS);
			for (size_t k = 0; k < counts->nrepeats; k++) {
				row_expect_number(&rows, table[i].name, counts->repeats[k].runs[0].wall_s > 0, true);
				row_expect_number(&rows, table[i].name, counts->repeats[k].count > 0, table[i].has_pmu);
			}
		}
		world_release(&world);
	}
	rows_end(&rows);
}

/* Nothing runs where one of the two is missing. */
static void a_program_that_is_missing(void **state UNUSED)
{
	struct world world;
	struct pairs pairs;
	char text[64];

	world_init(&world);
	world.words[1][0] = arena_strdup(&world.arena, "/no/such/program");
	assert_int_equal(measure(&pairs, &world), -1);
	assert_int_equal(world.err.status, 127);
	read_letters(&world, text, sizeof(text));
	assert_string_equal(text, "");
	world_release(&world);
}

static void nothing_listens(void **state UNUSED)
{
	struct world world;
	struct pairs pairs;

	world_init(&world);
	world.setup.packing.repeats = 1;
	world.sink = (struct sink){ .context = NULL };
	assert_int_equal(measure(&pairs, &world), 0);
	assert_int_equal(pairs.count, 1);
	world_release(&world);
}

/* ---- a gate ---- */

static void how_a_gate_measures(void **state UNUSED)
{
	static const struct {
		const char *name;
		enum pmu_choice wish, was;
		bool is_pinned;
		unsigned layouts, repeats;
		enum pmu_choice pmu; /* what comes of it, */
		unsigned all_layouts, all_repeats;
		const char *said; /* or the error */
	} table[] = {
		{ "counters, no baseline", PMU_AUTO, PMU_AUTO, false, 0, 0, PMU_AUTO, 0, 10, "" },
		{ "repeats that were given", PMU_AUTO, PMU_AUTO, false, 0, 3, PMU_AUTO, 0, 3, "" },
		{ "as the baseline: simulated", PMU_AUTO, PMU_SIM, false, 0, 0, PMU_SIM, 5, 0, "" },
		{ "as the baseline: counted", PMU_AUTO, PMU_CPU, false, 0, 0, PMU_AUTO, 0, 10, "" },
		{ "--pmu says more", PMU_SIM, PMU_CPU, false, 0, 0, PMU_SIM, 5, 0, "" },
		{ "--layouts means simulated", PMU_AUTO, PMU_AUTO, false, 3, 0, PMU_SIM, 3, 0, "" },
		{ "one layout", PMU_SIM, PMU_AUTO, false, 1, 0, PMU_SIM, 1, 0, "" },
		{ "--pinned, counted", PMU_AUTO, PMU_CPU, true, 0, 0, PMU_AUTO, 0, 0,
		  "gate: the baseline was counted: --pinned needs --pmu sim: " },
		{ "--layouts, counted", PMU_AUTO, PMU_CPU, false, 5, 0, PMU_AUTO, 0, 0,
		  "gate: the baseline was counted: --layouts needs --pmu sim: " },
		{ "-r, simulated", PMU_SIM, PMU_AUTO, false, 0, 10, PMU_SIM, 0, 0,
		  "gate: --repeat and --pmu sim exclude each other: " },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct world world;
		int expected = *table[i].said ? -1 : 0;

		world_init(&world);
		world.setup.machine.pmu = table[i].wish;
		world.setup.simulation.is_pinned = table[i].is_pinned;
		world.setup.simulation.layouts = table[i].layouts;
		world.setup.packing.repeats = table[i].repeats;
		row_expect_number(
			&rows, table[i].name,
			gate_runs_choose(&world.setup, &world.question, table[i].was, &world.arena, &world.err),
			expected);
		world.err.text[strlen(table[i].said)] = '\0';
		row_expect_text(&rows, table[i].name, world.err.text, table[i].said);
		if (expected == 0) {
			row_expect_number(&rows, table[i].name, (double)world.setup.machine.pmu, (double)table[i].pmu);
			row_expect_number(&rows, table[i].name, world.setup.simulation.layouts, table[i].all_layouts);
			row_expect_number(&rows, table[i].name, world.setup.packing.repeats, table[i].all_repeats);
			row_expect_number(&rows, table[i].name, world.question.wants_functions, true);
		}
		world_release(&world);
	}
	rows_end(&rows);
}

/* The program as it was gets the same arguments; here it is a copy of the shell. */
static void a_gate_in_turns(void **state UNUSED)
{
	struct world world;
	struct gate_runs runs;
	char before[300], text[64];

	world_init(&world);
	snprintf(before, sizeof(before), "%s/before", world.scratch.path);
	assert_int_equal(symlink("/bin/sh", before), 0);
	world.setup.program = (struct program_choice){ .words = world.words[1], .nwords = 3 };
	world.setup.packing.repeats = 2;
	const struct gate_runs_request request = { &world.setup, &world.question, before };

	assert_int_equal(gate_runs_measure(&runs, &request, &world.sink, &world.arena, &world.err), 0);
	assert_int_equal(runs.before.parts[0].nrepeats, 2);
	assert_int_equal(runs.now.parts[0].nrepeats, 2);
	assert_non_null(strstr(runs.before.parts[0].origin.command, before));
	assert_non_null(strstr(runs.now.parts[0].origin.command, "/bin/sh -c"));
	read_letters(&world, text, sizeof(text));
	assert_string_equal(text, "aaaa");
	world_release(&world);
}

static void a_gate_alone(void **state UNUSED)
{
	struct world world;
	struct gate_runs runs;

	world_init(&world);
	world.setup.program = (struct program_choice){ .words = world.words[1], .nwords = 3 };
	world.setup.packing.repeats = 3;
	const struct gate_runs_request request = { &world.setup, &world.question, NULL };

	assert_int_equal(gate_runs_measure(&runs, &request, &world.sink, &world.arena, &world.err), 0);
	assert_int_equal(runs.before.count, 0);
	assert_int_equal(runs.now.parts[0].nrepeats, 3);
	assert_int_equal(world.planned, 3);
	world_release(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns),	   cmocka_unit_test(a_program_that_is_missing),
		cmocka_unit_test(nothing_listens), cmocka_unit_test(how_a_gate_measures),
		cmocka_unit_test(a_gate_in_turns), cmocka_unit_test(a_gate_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
