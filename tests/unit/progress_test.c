/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress_test.c - what is written to a terminal while runs go on, and that nothing is written elsewhere. */
#include "rows.h"

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/macros.h"
#include "command/progress.h"

#define WIPE "\r\033[K"

/* The third of four runs, after two that took as long as told, and the last one. */
static _Noreturn void make_runs(double seconds, bool is_quiet)
{
	struct progress progress = { .is_quiet = is_quiet };

	progress_show(&progress, 1, 4);
	progress.began_s -= 2 * seconds;
	progress_show(&progress, 3, 4);
	progress.began_s -= seconds;
	progress_show(&progress, 4, 4);
	progress_wipe();
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

/* The program prints in all runs: there is no line of its own for anybody else. */
static void a_terminal_that_is_used(void **state UNUSED)
{
	assert_string_equal(said_on_terminal(10, true), WIPE);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_a_terminal),
		cmocka_unit_test(a_terminal_that_is_used),
		cmocka_unit_test(elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
