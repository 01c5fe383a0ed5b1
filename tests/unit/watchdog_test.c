/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watchdog_test.c - the NMI watchdog's setting, in a file that stands for it: off while topdown lives, as before afterwards. */
#include "rows.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/macros.h"
#include "count/watchdog.h"
#include "scratch.h"

#define SETTING "proc/sys/kernel/nmi_watchdog"

struct machine_file {
	struct scratch scratch;
	char path[256];
};

static void file_init(struct machine_file *file, const char *text)
{
	scratch_init(&file->scratch);
	scratch_write(&file->scratch, SETTING, text, file->path);
}

static const char *file_text(const struct machine_file *file)
{
	static char text[32];
	FILE *stream = fopen(file->path, "r");
	size_t length;

	assert_non_null(stream);
	length = fread(text, 1, sizeof(text) - 1, stream);
	text[length] = '\0';
	fclose(stream);
	return text;
}

/* Gives the guard two seconds. */
static bool becomes(const struct machine_file *file, const char *text)
{
	const struct timespec moment = { .tv_nsec = 10000000 };

	for (int i = 0; i < 200 && strcmp(file_text(file), text) != 0; i++)
		nanosleep(&moment, NULL);
	return !strcmp(file_text(file), text);
}

static void off_and_on_again(void **state)
{
	struct error err = { .text = "" };
	struct machine_file file;
	struct setting watchdog;

	(void)state;
	file_init(&file, "1\n");
	assert_int_equal(watchdog_switch_off(&watchdog, file.scratch.path, &err), 0);
	assert_string_equal(file_text(&file), "0\n");
	setting_restore(&watchdog);
	assert_string_equal(file_text(&file), "1\n");
	setting_restore(&watchdog); /* a second time does nothing */
	assert_string_equal(file_text(&file), "1\n");
	scratch_release(&file.scratch);
}

static void what_is_off_stays_off(void **state)
{
	struct error err = { .text = "" };
	struct machine_file file;
	struct setting watchdog;

	(void)state;
	file_init(&file, "0\n");
	assert_int_equal(watchdog_switch_off(&watchdog, file.scratch.path, &err), 0);
	assert_int_equal(watchdog.guard, 0);
	setting_restore(&watchdog);
	assert_string_equal(file_text(&file), "0\n");
	scratch_release(&file.scratch);
}

static void a_kernel_without_one(void **state)
{
	struct error err = { .text = "" };
	struct scratch scratch;
	struct setting watchdog;

	(void)state;
	scratch_init(&scratch);
	assert_int_equal(watchdog_switch_off(&watchdog, scratch.path, &err), 0);
	setting_restore(&watchdog);
	scratch_release(&scratch);
}

static void without_rights(void **state)
{
	struct error err = { .text = "" };
	struct machine_file file;
	struct setting watchdog;

	(void)state;
	/* root may write whatever the mode says, but nobody can write a directory */
	file_init(&file, "1\n");
	assert_int_equal(remove(file.path), 0);
	assert_int_equal(mkdir(file.path, 0700), 0);
	assert_int_equal(watchdog_switch_off(&watchdog, file.scratch.path, &err), -1);
	assert_non_null(strstr(err.text, "--nmi-watchdog off"));
	assert_non_null(strstr(err.text, "as root"));
	setting_restore(&watchdog);
	scratch_release(&file.scratch);
}

/* Ends like that once it is off; SIGINT goes to all processes of the terminal, so to the guard too. */
static const struct end {
	const char *name;
	int number;
	bool is_for_all;
} ends[] = {
	{ "killed", SIGKILL, false },	     { "terminated", SIGTERM, false }, { "interrupted", SIGINT, true },
	{ "hung up", SIGHUP, true },	     { "quit", SIGQUIT, true },	       { "crashed", SIGSEGV, false },
	{ "left without a word", 0, false },
};

static _Noreturn void end_like(const struct machine_file *file, const struct end *end)
{
	struct error err = { .text = "" };
	struct setting watchdog;

	setpgid(0, 0);
	if (watchdog_switch_off(&watchdog, file->scratch.path, &err) < 0 || strcmp(file_text(file), "0\n") != 0)
		_exit(9);
	signal(SIGSEGV, SIG_DFL); /* the sanitizers' handler would take its time to tell */
	if (end->number)
		kill(end->is_for_all ? 0 : getpid(), end->number);
	_exit(0);
}

static void however_topdown_ends(void **state)
{
	struct rows rows = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		struct machine_file file;
		int status = 0;
		pid_t pid;

		file_init(&file, "1\n");
		pid = fork();
		if (pid == 0)
			end_like(&file, &ends[i]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		row_expect(&rows, ends[i].name, ends[i].number ? WTERMSIG(status) == ends[i].number : status == 0,
			   "ended otherwise");
		row_expect(&rows, ends[i].name, becomes(&file, "1\n"), "not restored");
		scratch_release(&file.scratch);
	}
	rows_end(&rows);
}

/* A child that has inherited everything, and lives on, does not keep the guard from seeing the end. */
static void a_child_that_stays(void **state)
{
	struct error err = { .text = "" };
	struct machine_file file;
	struct setting watchdog;
	pid_t pid;

	(void)state;
	file_init(&file, "1\n");
	assert_int_equal(watchdog_switch_off(&watchdog, file.scratch.path, &err), 0);
	pid = fork();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	setting_restore(&watchdog);
	assert_string_equal(file_text(&file), "1\n");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	scratch_release(&file.scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(off_and_on_again),	cmocka_unit_test(what_is_off_stays_off),
		cmocka_unit_test(a_kernel_without_one), cmocka_unit_test(without_rights),
		cmocka_unit_test(however_topdown_ends), cmocka_unit_test(a_child_that_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
