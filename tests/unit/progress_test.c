/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress_test.c - what is written to a terminal while runs go on, and that nothing is written elsewhere. */
#include "rows.h"

#include <pty.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/macros.h"
#include "command/progress.h"

#define WIPE "\r\033[K"

/* The third of four runs, after two that took the given time, and the last one. */
static _Noreturn void make_runs(double seconds, bool is_quiet)
{
	struct progress progress = { .is_quiet = is_quiet };

	progress_show(&progress, 1, 4);
	progress.began_s -= 2 * seconds;
	progress_show(&progress, 3, 4);
	progress.began_s -= seconds;
	progress_show(&progress, 4, 4);
	progress_wipe(&progress);
	_exit(0);
}

static const char *said_on_terminal(double seconds, bool is_quiet)
{
	static char text[1000];
	size_t length = 0;
	ssize_t got;
	int terminal;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

	assert_true(pid >= 0);
	if (pid == 0)
		make_runs(seconds, is_quiet);
	while (length < sizeof(text) - 1 && (got = read(terminal, text + length, sizeof(text) - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	close(terminal);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return text;
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

/* Where a part is modelled already, a tenth of all may be more: then a sentence, once, without that advice. */
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
		assert_non_null(strstr(text, "100 times"));
		assert_int_equal(!strstr(text, "--sim-sample 0.1"), is_sampled);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_a_terminal),
		cmocka_unit_test(a_terminal_that_is_used),
		cmocka_unit_test(elsewhere),
		cmocka_unit_test(a_long_simulation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
