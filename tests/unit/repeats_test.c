/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repeats_test.c - the same measured several times: what is run, what is kept, and what the values then are. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "count_fixture.h"
#include "evaluate_fixture.h"
#include "scratch.h"

static const struct test_plan two_runs = { { { 0, { TASK_CLOCK }, 1 }, { 1, { MINOR_FAULTS }, 1 } } };

static char *file_text(const struct scratch *scratch, const char *name)
{
	static char text[256];
	char path[300];
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", scratch->path, name);
	file = fopen(path, "r");
	assert_non_null(file);
	length = fread(text, 1, sizeof(text) - 1, file);
	text[length] = '\0';
	fclose(file);
	return text;
}

/* Runs the script, which finds the scratch directory in $D, three times two runs. */
static int run_script(struct fixture *fixture, const struct scratch *scratch, const char *script)
{
	setenv("D", scratch->path, 1);
	fixture->request.repeats = 3;
	return fixture_shell(fixture, script);
}

static void each_repeat_is_whole(void **state)
{
	struct fixture fixture;
	struct scratch scratch;

	(void)state;
	scratch_init(&scratch);
	fixture_init(&fixture, &two_runs);
	assert_int_equal(run_script(&fixture, &scratch, "echo x >>$D/runs"), 0);
	assert_string_equal(file_text(&scratch, "runs"), "x\nx\nx\nx\nx\nx\n");
	assert_int_equal(fixture.counts.nrepeats, 3);
	assert_int_equal(fixture.counts.planned_repeats, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct repeat *repeat = &fixture.counts.repeats[i];

		assert_int_equal(repeat->nruns, 2);
		assert_int_equal(repeat->ngroups, 2);
		assert_int_equal(repeat->count, 2);
		assert_int_equal(repeat->items[0].state, COUNT_OK);
		assert_int_equal(repeat->items[1].run, 1);
	}
	fixture_release(&fixture);
	scratch_release(&scratch);
}

/* What comes through a pipe is there for the last run as for the first. */
static void the_same_stdin(void **state)
{
	int ends[2], before = dup(STDIN_FILENO);
	struct fixture fixture;
	struct scratch scratch;

	(void)state;
	scratch_init(&scratch);
	fixture_init(&fixture, &two_runs);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "word\n", 5), 5);
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	assert_int_equal(run_script(&fixture, &scratch, "cat >>$D/in"), 0);
	dup2(before, STDIN_FILENO);
	close(before);
	assert_string_equal(file_text(&scratch, "in"), "word\nword\nword\nword\nword\nword\n");
	fixture_release(&fixture);
	scratch_release(&scratch);
}

/* Stdout of the first run only, or of all of them. */
static size_t lines_shown(bool is_output_shown)
{
	static char echo[] = "/bin/echo", word[] = "word";
	char *argv[] = { echo, word, NULL };
	struct fixture fixture;
	struct scratch scratch;
	char path[256];
	int before = dup(STDOUT_FILENO), file;
	size_t length;

	scratch_init(&scratch);
	scratch_write(&scratch, "out", "", path);
	fixture_init(&fixture, &two_runs);
	fixture.request.repeats = 2;
	fixture.request.program = (struct program){ .argv = argv, .path = echo, .is_output_shown = is_output_shown };
	fflush(stdout);
	file = open(path, O_WRONLY);
	dup2(file, STDOUT_FILENO);
	close(file);
	assert_int_equal(count_measure(&fixture.measured, &fixture.request, &fixture.arena, &fixture.err), 0);
	dup2(before, STDOUT_FILENO);
	close(before);
	length = strlen(file_text(&scratch, "out"));
	fixture_release(&fixture);
	scratch_release(&scratch);
	return length / strlen("word\n");
}

static void output_of_which_runs(void **state)
{
	(void)state;
	assert_int_equal(lines_shown(false), 1);
	assert_int_equal(lines_shown(true), 4);
}

static const struct row {
	const char *name, *script;
	size_t runs, repeats, starts;
	int cut_by;
} endings[] = {
	/* clang-format off */
	{ "it fails at once",                          "exit 3",                         1, 1, 1, 0 },
	{ "it fails later",                            "! nth 2",                        2, 3, 6, 0 },
	{ "it is killed at once",                      "kill -KILL $$",                  1, 1, 1, 0 },
	{ "it is killed in the second repeat",         "! nth 3 || kill -KILL $$",       2, 1, 3, 0 },
	{ "it is killed in the very last run",         "! nth 6 || kill -KILL $$",       2, 2, 6, 0 },
	{ "topdown is interrupted in the last run",    "! nth 6 || kill -TERM $PPID",    2, 2, 6, SIGTERM },
	{ "topdown is interrupted in the last repeat", "! nth 5 || kill -QUIT $PPID",    2, 2, 5, SIGQUIT },
	{ "topdown is interrupted in the first run",   "! nth 1 || kill -TERM $PPID",    1, 1, 1, SIGTERM },
	{ "it is interrupted, and ends with 0",        "trap 'exit 0' TERM; ! nth 2 || kill -TERM $PPID; :", 2, 1, 2, SIGTERM },
	/* clang-format on */
};

/* A repeat that is not finished is no repeat, but the first one is all there is. */
static void what_ends_early(void **state)
{
	struct rows rows = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(endings); i++) {
		const struct row *row = &endings[i];
		struct fixture fixture;
		struct scratch scratch;

		scratch_init(&scratch);
		fixture_init(&fixture, &two_runs);
		row_expect(
			&rows, row->name,
			run_script(&fixture, &scratch,
				   arena_printf(&fixture.arena, "echo >>$D/n; nth() { test $(wc -l <$D/n) = $1; }; %s",
						row->script)) == 0,
			fixture.err.text);
		row_expect(&rows, row->name, fixture.counts.repeats[0].nruns == row->runs, "runs");
		row_expect(&rows, row->name, fixture.counts.nrepeats == row->repeats, "repeats");
		row_expect(&rows, row->name, strlen(file_text(&scratch, "n")) == row->starts, "starts");
		row_expect(&rows, row->name, fixture.measured.cut_by == row->cut_by, "what cut it");
		fixture_release(&fixture);
		scratch_release(&scratch);
	}
	rows_end(&rows);
}

/* Level 1 of 4000 slots: 10, 12 and 14 % frontend bound, whose deviation is 2, and its interval 4.3026527 * 2 / sqrt(3). */
#define FIRST  "wall=1 cpu=1 CYCLES=1000 FRONT=400 ISSUED=2800 DONE=2400 BACK=800"
#define SECOND "wall=2 cpu=1 CYCLES=1000 FRONT=480 ISSUED=2800 DONE=2400 BACK=720"
#define THIRD  "wall=3 cpu=1 CYCLES=1000 FRONT=560 ISSUED=2800 DONE=2400 BACK=640"

static const struct result *find_node(const struct report *report, const char *title)
{
	for (size_t i = 0; i < report->nnodes; i++)
		if (!strcmp(report->nodes[i].metric->title, title))
			return &report->nodes[i];
	fail_msg("no node %s", title);
	return NULL;
}

static void evaluate_three(struct report *report, struct evaluated repeats[3], const char *const counts[3])
{
	struct repeat *all;

	for (size_t i = 0; i < 3; i++)
		evaluated_init(&repeats[i],
			       &(struct evaluate_request){ .counts = counts[i], .level = 1, .asked = "BACK" });
	all = arena_array(&repeats[0].loaded.arena, 3, sizeof(*all));
	for (size_t i = 0; i < 3; i++)
		all[i] = repeats[i].repeat;
	repeats[0].counts.repeats = all;
	repeats[0].counts.nrepeats = 3;
	assert_int_equal(evaluate(report, &repeats[0].loaded.model, &repeats[0].counts, &repeats[0].loaded.arena,
				  &repeats[0].loaded.err),
			 0);
}

static void release_three(struct evaluated repeats[3])
{
	for (size_t i = 0; i < 3; i++)
		evaluated_release(&repeats[i]);
}

/* Each value in the order of the repeats. */
static void expect_values(struct rows *rows, const char *name, const struct statistics *found, const double expected[3])
{
	row_expect(rows, name, found->count == 3, "values");
	for (size_t i = 0; i < found->count && i < 3; i++)
		if (isnan(expected[i]))
			row_expect(rows, name, isnan(found->values[i]), "a value that was not measured");
		else
			row_expect_number(rows, name, round(found->values[i] * 1e6), round(expected[i] * 1e6));
}

static void expect_spread(struct rows *rows, const char *name, const struct statistics *found,
			  const struct statistics *expected)
{
	row_expect(rows, name, found->n == expected->n, "n");
	row_expect_number(rows, name, round(found->mean * 1e6), round(expected->mean * 1e6));
	row_expect_number(rows, name, round(found->stddev * 1e6), round(expected->stddev * 1e6));
	row_expect_number(rows, name, round(found->ci95 * 1e6), round(expected->ci95 * 1e6));
}

static void means_of_values(void **state)
{
	static const char *const counts[] = { FIRST, SECOND, THIRD };
	struct evaluated repeats[3];
	struct rows rows = { 0 };
	struct report report;

	(void)state;
	evaluate_three(&report, repeats, counts);
	expect_spread(&rows, "frontend", &find_node(&report, "Frontend_Bound")->spread,
		      &(struct statistics){ .n = 3, .mean = 12, .stddev = 2, .ci95 = 4.968275 });
	row_expect_number(&rows, "value", round(find_node(&report, "Frontend_Bound")->value * 1e6), 12e6);
	expect_values(&rows, "frontend", &find_node(&report, "Frontend_Bound")->spread, (double[]){ 10, 12, 14 });
	expect_values(&rows, "wall time", &report.summary.spread[FIGURE_WALL], (double[]){ 1, 2, 3 });
	expect_values(&rows, "asked event", &report.events[0].spread, (double[]){ 800, 720, 640 });
	expect_spread(&rows, "retiring", &find_node(&report, "Retiring")->spread,
		      &(struct statistics){ .n = 3, .mean = 60, .stddev = 0, .ci95 = 0 });
	expect_spread(&rows, "wall time", &report.summary.spread[FIGURE_WALL],
		      &(struct statistics){ .n = 3, .mean = 2, .stddev = 1, .ci95 = 2.484138 });
	row_expect_number(&rows, "wall time", report.summary.wall_s, 2);
	expect_spread(&rows, "asked event", &report.events[0].spread,
		      &(struct statistics){ .n = 3, .mean = 720, .stddev = 80, .ci95 = 198.731017 });
	row_expect(&rows, "repeats", report.summary.repeats == 3, "number");
	row_expect(&rows, "runs", report.nruns == 3 && report.runs[2].repeat == 2, "of all repeats");
	release_three(repeats);
	rows_end(&rows);
}

/* 14, 14 and 18 % are over the threshold of 15 % on average, though most of them are not. */
static void thresholds_judge_the_mean(void **state)
{
	static const char *const counts[] = { "CYCLES=1000 FRONT=560", "CYCLES=1000 FRONT=560",
					      "CYCLES=1000 FRONT=720" };
	struct evaluated repeats[3];
	struct report report;

	(void)state;
	evaluate_three(&report, repeats, counts);
	assert_true(find_node(&report, "Frontend_Bound")->over_threshold);
	release_three(repeats);
}

static void not_measured_in_each(void **state)
{
	static const char *const counts[] = { "CYCLES=1000 FRONT=400", "CYCLES=1000 FRONT=never",
					      "share=0.5 CYCLES=1000 FRONT=800" };
	const struct result *node;
	struct evaluated repeats[3];
	struct rows rows = { 0 };
	struct report report;

	(void)state;
	evaluate_three(&report, repeats, counts);
	node = find_node(&report, "Frontend_Bound");
	/* 10 and 20 %: sqrt(50), and 12.7062047 * sqrt(50) / sqrt(2) */
	expect_spread(&rows, "twice", &node->spread,
		      &(struct statistics){ .n = 2, .mean = 15, .stddev = 7.071068, .ci95 = 63.531024 });
	expect_values(&rows, "twice", &node->spread, (double[]){ 10, (double)NAN, 20 });
	row_expect(&rows, "quality", node->quality == QUALITY_SCALED, "that of the worse one");
	row_expect_number(&rows, "running", node->running, 0.5);
	row_expect(&rows, "never", find_node(&report, "Retiring")->quality == QUALITY_NONE, "a value of nothing");
	row_expect(&rows, "never", find_node(&report, "Retiring")->reason, "no reason");
	release_three(repeats);
	rows_end(&rows);
}

static void a_single_measurement(void **state)
{
	struct evaluated e;
	const struct result *node;

	(void)state;
	evaluated_init(&e, &(struct evaluate_request){ .counts = FIRST, .level = 1 });
	node = find_node(&e.report, "Frontend_Bound");
	assert_int_equal(e.report.summary.repeats, 1);
	assert_int_equal(node->spread.n, 1);
	assert_true(isnan(node->spread.ci95) && node->spread.mean == node->value);
	evaluated_release(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_repeat_is_whole), cmocka_unit_test(the_same_stdin),
		cmocka_unit_test(output_of_which_runs), cmocka_unit_test(what_ends_early),
		cmocka_unit_test(means_of_values),	cmocka_unit_test(thresholds_judge_the_mean),
		cmocka_unit_test(not_measured_in_each), cmocka_unit_test(a_single_measurement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
