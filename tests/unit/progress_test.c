/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress_test.c - what is written to a terminal while runs go on, and that nothing is written elsewhere. */
#include "common/system/loop.h"
#include "rows.h"

#include <pty.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/jobs/progress.h"
#include "common/base/macros.h"

#define WIPE "\r\033[K"

/* What is written last on a terminal of so many columns, without the wiping. */
static void last_on_terminal(char *text, size_t room, unsigned short columns, const struct simulated_so_far *so_far)
{
	const struct winsize size = { .ws_row = 24, .ws_col = columns };
	size_t length = 0;
	ssize_t got;
	int terminal;
	pid_t pid = forkpty(&terminal, NULL, NULL, &size);

	assert_true(pid >= 0);
	if (pid == 0) {
		struct progress progress = { .is_quiet = false };

		progress_show_simulation(&progress, so_far);
		_exit(0);
	}
	while (length < room - 1 && (got = read(terminal, text + length, room - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	close(terminal);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(!strncmp(text, WIPE, strlen(WIPE)));
	memmove(text, text + strlen(WIPE), length + 1 - strlen(WIPE));
}

/* A line never wraps, or it could not be wiped: first its advice gives way, then its end. */
static void narrow_terminals(void **state UNUSED)
{
	static const struct simulated_so_far so_far = { .instructions = 1.234e9, .seconds = 61 };
	static const struct {
		const char *name, *text;
		unsigned short columns;
	} table[] = {
		{ "just wide enough", "topdown: 1234 M instructions in 61 s (Ctrl-C: report; faster: a smaller input)",
		  79 },
		{ "one too few", "topdown: 1234 M instructions in 61 s", 78 },
		{ "room for the numbers", "topdown: 1234 M instructions in 61 s", 37 },
		{ "one fewer", "topdown: 1234 M instructions in 61 ", 36 },
		{ "20 columns", "topdown: 1234 M ins", 20 },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		char text[1000];

		last_on_terminal(text, sizeof(text), table[i].columns, &so_far);
		row_expect_text(&rows, table[i].name, text, table[i].text);
	}
	rows_end(&rows);
}

#define TOO_LATE 75 /* the host took so long that the text is about a second more */

/* The third of four runs, after two that took the given time, and the last one. */
static _Noreturn void make_runs(double seconds, bool is_quiet)
{
	struct progress progress = { .is_quiet = is_quiet };
	double began_s = clock_now();

	progress_show(&progress, 1, 4);
	progress.began_s -= 2 * seconds;
	progress_show(&progress, 3, 4);
	progress.began_s -= seconds;
	progress_show(&progress, 4, 4);
	progress_wipe(&progress);
	_exit(clock_now() - began_s > 0.4 ? TOO_LATE : 0);
}

static const char *said_on_terminal(double seconds, bool is_quiet)
{
	static char text[1000];
	size_t length = 0;
	ssize_t got;
	int terminal, status;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

	assert_true(pid >= 0);
	if (pid == 0)
		make_runs(seconds, is_quiet);
	while (length < sizeof(text) - 1 && (got = read(terminal, text + length, sizeof(text) - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	close(terminal);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == TOO_LATE ? said_on_terminal(seconds, is_quiet) : text;
}

/* Runs take as long as those before: two are left of four, then one. */
static void on_a_terminal(void **state UNUSED)
{
	static const struct {
		const char *name, *third, *last;
		double seconds;
	} table[] = {
		{ "seconds", "20 s", "10 s", 10 },
		{ "minutes", "10 min", "5 min", 300 },
		{ "hours", "20 h", "10 h", 36000 },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		char expected[200];

		snprintf(expected, sizeof(expected),
			 WIPE "topdown: run 3 of 4, %s left" WIPE "topdown: run 4 of 4, %s left" WIPE, table[i].third,
			 table[i].last);
		row_expect_text(&rows, table[i].name, said_on_terminal(table[i].seconds, false), expected);
	}
	rows_end(&rows);
}

/* The program prints in all runs: nothing of ours is written, and nothing wiped. */
static void a_terminal_that_is_used(void **state UNUSED)
{
	assert_string_equal(said_on_terminal(10, true), "");
}

static void elsewhere(void **state UNUSED)
{
	char text[10];
	int ends[2], status;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		make_runs(10, false);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], text, sizeof(text)), 0);
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* One sentence says what is faster. */
static void a_long_simulation(void **state UNUSED)
{
	for (int is_sampled = 0; is_sampled < 2; is_sampled++) {
		const struct simulated_so_far so_far = { .instructions = 3e8, .seconds = 11, .is_sampled = is_sampled };
		struct progress progress = { 0 };
		char text[1000] = "";
		int ends[2];
		pid_t pid;

		assert_int_equal(pipe(ends), 0);
		pid = fork();
		if (pid == 0) {
			dup2(ends[1], STDERR_FILENO);
			progress_show_simulation(&progress, &so_far);
			_exit(0);
		}
		close(ends[1]);
		for (ssize_t got = 0, length = 0; got >= 0; length += got)
			if ((got = read(ends[0], text + length, sizeof(text) - 1 - (size_t)length)) <= 0)
				break;
		close(ends[0]);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		assert_non_null(strstr(text, is_sampled ? "10 to 40 times" : "100 times"));
		assert_non_null(strstr(text, "topdown sample"));
	}
}

/* What the line is after a simulation of a G instructions in 40 s; then without one, or beyond it. */
static const struct share_row {
	const char *name;
	struct expected expected;
	struct simulated_so_far so_far;
	const char *text;
} share_rows[] = {
	{ "by instructions, at their pace",
	  { 1e9, 40, false },
	  { .instructions = 4e8, .seconds = 12 },
	  "simulated 40 % of about 30 s" },
	{ "too early for a pace",
	  { 1e9, 40, false },
	  { .instructions = 1e7, .seconds = 3 },
	  "simulated 1 % of about 40 s" },
	{ "minutes", { 1e9, 400, false }, { .instructions = 5e8, .seconds = 150 }, "simulated 50 % of about 5 min" },
	{ "a sampled one by time",
	  { 1e9, 40, true },
	  { .instructions = 1e8, .seconds = 10, .is_sampled = true },
	  "simulated 25 % of about 40 s" },
	{ "more than the last time",
	  { 1e9, 40, false },
	  { .instructions = 1.2e9, .seconds = 60 },
	  "1200 M instructions in 60 s (Ctrl-C: report; faster: a smaller input)" },
	{ "sampled, and longer",
	  { 1e9, 40, true },
	  { .instructions = 1e8, .seconds = 50, .is_sampled = true },
	  "100 M instructions in 50 s, 2.0 M/s" },
	{ "the first time",
	  { 0, 0, false },
	  { .instructions = 1e8, .seconds = 2 },
	  "100 M instructions in 2 s, 50.0 M/s" },
	{ "no hint yet",
	  { 0, 0, false },
	  { .instructions = 1e8, .seconds = 3.4 },
	  "100 M instructions in 3 s, 29.4 M/s" },
	{ "the hint, with the second that is shown",
	  { 0, 0, false },
	  { .instructions = 1e8, .seconds = 3.96 },
	  "100 M instructions in 4 s (Ctrl-C: report; faster: a smaller input)" },
};

static void a_share_of_the_last_time(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(share_rows); i++) {
		char text[1000] = "", expected[200];
		ssize_t got, length = 0;
		int terminal;
		pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

		assert_true(pid >= 0);
		if (pid == 0) {
			struct progress progress = { .expected = share_rows[i].expected };

			progress_show_simulation(&progress, &share_rows[i].so_far);
			_exit(0);
		}
		while ((got = read(terminal, text + length, sizeof(text) - 1 - (size_t)length)) > 0)
			length += got;
		close(terminal);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		snprintf(expected, sizeof(expected), WIPE "topdown: %s", share_rows[i].text);
		text[strlen(expected) < (size_t)length ? strlen(expected) : (size_t)length] = '\0'; /* without advice */
		row_expect_text(&rows, share_rows[i].name, text, expected);
	}
	rows_end(&rows);
}

/* Only of a whole simulation of the same command, measured the same way. */
static void what_is_known(void **state UNUSED)
{
	struct count items[] = { { .event = "inst.retired", .value = 5e8 },
				 { .event = "inst.modelled", .value = 5e8 } };
	struct count_run run = { .wall_s = 20 };
	struct repeat repeat = { .runs = &run, .nruns = 1, .items = items, .count = COUNT_OF(items) };
	struct counts counts = { .repeats = &repeat, .nrepeats = 1 };
	struct measurement last = { .parts = &counts, .count = 1 };
	struct expected expected;

	counts.origin.cpu = "sim";
	counts.origin.command = "./prog 7";
	expected_from(&expected, &last, "./prog 7", NULL);
	assert_true(expected.instructions == 5e8 && expected.seconds == 20 && !expected.is_sampled);
	expected_from(&expected, &last, "./prog 8", NULL);
	assert_true(expected.instructions == 0);
	expected_from(&expected, &last, "./prog 7", "--sim-sample 0.1");
	assert_true(expected.instructions == 0);
	items[1].value = 1e8;
	expected_from(&expected, &last, "./prog 7", NULL);
	assert_true(expected.is_sampled);
	run.is_cut = true;
	expected_from(&expected, &last, "./prog 7", NULL);
	assert_true(expected.instructions == 0);
	run.is_cut = false;
	counts.origin.cpu = "skylake";
	expected_from(&expected, &last, "./prog 7", NULL);
	assert_true(expected.instructions == 0);
	last.count = 0;
	expected_from(&expected, &last, "./prog 7", NULL);
	assert_true(expected.instructions == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_a_terminal),     cmocka_unit_test(a_terminal_that_is_used),
		cmocka_unit_test(elsewhere),	     cmocka_unit_test(narrow_terminals),
		cmocka_unit_test(a_long_simulation), cmocka_unit_test(a_share_of_the_last_time),
		cmocka_unit_test(what_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
