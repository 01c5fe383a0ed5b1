/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setting_test.c - settings of the kernel, in files that stand for them: changed while topdown lives, as before afterwards. */
#include "rows.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "collect/count/setting.h"
#include "common/base/macros.h"
#include "scratch.h"

#define WATCHDOG     "proc/sys/kernel/nmi_watchdog"
#define MUX_INTERVAL "sys/bus/event_source/devices/cpu_core/perf_event_mux_interval_ms"

struct machine_file {
	struct scratch scratch;
	char path[256];
};

static void file_init(struct machine_file *file, const char *name, const char *text)
{
	scratch_init(&file->scratch);
	scratch_write(&file->scratch, name, text, file->path);
}

/* The first line: unlike the kernel's, this file keeps the end of a longer text below a shorter one. */
static const char *file_text(const struct machine_file *file)
{
	static char text[32];
	FILE *stream = fopen(file->path, "r");
	size_t length;

	assert_non_null(stream);
	length = fread(text, 1, sizeof(text) - 2, stream);
	text[length] = '\0';
	text[strcspn(text, "\n") + 1] = '\0';
	fclose(stream);
	return text;
}

/* Gives the guard all the time that ctest gives the test. */
static void await_text(const struct machine_file *file, const char *text)
{
	const struct timespec moment = { .tv_nsec = 10000000 };

	while (strcmp(file_text(file), text) != 0)
		nanosleep(&moment, NULL);
}

/* The NMI watchdog. */

static void off_and_on_again(void **state UNUSED)
{
	struct error err = { .text = "" };
	struct machine_file file;
	struct setting watchdog;

	file_init(&file, WATCHDOG, "1\n");
	assert_int_equal(watchdog_switch_off(&watchdog, file.scratch.path, &err), 0);
	assert_string_equal(file_text(&file), "0\n");
	setting_restore(&watchdog);
	assert_string_equal(file_text(&file), "1\n");
	setting_restore(&watchdog); /* a second time does nothing */
	assert_string_equal(file_text(&file), "1\n");
	scratch_release(&file.scratch);
}

static void what_is_off_stays_off(void **state UNUSED)
{
	struct error err = { .text = "" };
	struct machine_file file;
	struct setting watchdog;

	file_init(&file, WATCHDOG, "0\n");
	assert_int_equal(watchdog_switch_off(&watchdog, file.scratch.path, &err), 0);
	assert_int_equal(watchdog.guard, 0);
	setting_restore(&watchdog);
	assert_string_equal(file_text(&file), "0\n");
	scratch_release(&file.scratch);
}

static void a_kernel_without_one(void **state UNUSED)
{
	struct error err = { .text = "" };
	struct scratch scratch;
	struct setting watchdog;

	scratch_init(&scratch);
	assert_int_equal(watchdog_switch_off(&watchdog, scratch.path, &err), 0);
	setting_restore(&watchdog);
	scratch_release(&scratch);
}

static void without_rights(void **state UNUSED)
{
	struct error err = { .text = "" };
	struct machine_file file;
	struct setting watchdog;

	/* root may write whatever the mode says, but nobody can write a directory */
	file_init(&file, WATCHDOG, "1\n");
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
	{ "killed", SIGKILL, false },	  { "killed with its group", SIGKILL, true },
	{ "terminated", SIGTERM, false }, { "interrupted", SIGINT, true },
	{ "hung up", SIGHUP, true },	  { "quit", SIGQUIT, true },
	{ "crashed", SIGSEGV, false },	  { "left without a word", 0, false },
};

static _Noreturn void end_like(const struct machine_file *file, const struct end *end)
{
	struct error err = { .text = "" };
	struct setting watchdog;

	setpgid(0, 0);
	if (watchdog_switch_off(&watchdog, file->scratch.path, &err) < 0 || strcmp(file_text(file), "0\n") != 0)
		_exit(9);
	signal(SIGSEGV, SIG_DFL); /* the sanitizers' handler would take long to report it */
	if (end->number)
		kill(end->is_for_all ? 0 : getpid(), end->number);
	_exit(0);
}

static void however_topdown_ends(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		struct machine_file file;
		int status = 0;
		pid_t pid;

		file_init(&file, WATCHDOG, "1\n");
		pid = fork();
		if (pid == 0)
			end_like(&file, &ends[i]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		row_expect(&rows, ends[i].name, ends[i].number ? WTERMSIG(status) == ends[i].number : status == 0,
			   "ended otherwise");
		print_message("%s\n", ends[i].name);
		await_text(&file, "1\n");
		scratch_release(&file.scratch);
	}
	rows_end(&rows);
}

/* A child that has inherited everything, and lives on, does not keep the guard from seeing the end. */
static void a_child_that_stays(void **state UNUSED)
{
	struct error err = { .text = "" };
	struct machine_file file;
	struct setting watchdog;
	pid_t pid;

	file_init(&file, WATCHDOG, "1\n");
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

/* The multiplexing interval. */

static int set_interval(struct setting *setting, const struct machine_file *file, const char *pmu, struct error *err)
{
	const struct mux_interval wanted = { .sysroot = file->scratch.path, .pmu = pmu, .ms = 25 };

	error_clear(err);
	return mux_interval_set(setting, &wanted, err);
}

static void an_interval_then_as_before(void **state UNUSED)
{
	struct machine_file file;
	struct setting setting;
	struct error err = { .text = "" };

	file_init(&file, MUX_INTERVAL, "4\n");
	assert_int_equal(set_interval(&setting, &file, "cpu_core", &err), 0);
	assert_string_equal(file_text(&file), "25\n");
	setting_restore(&setting);
	assert_string_equal(file_text(&file), "4\n");
	scratch_release(&file.scratch);
}

/* Two at once, as of a hybrid: each is restored, also when topdown is killed. */
static void killed_with_two_intervals(void **state UNUSED)
{
	struct machine_file files[2];
	struct setting settings[2];
	struct error err = { .text = "" };
	int status;
	pid_t pid;

	file_init(&files[0], MUX_INTERVAL, "4\n");
	file_init(&files[1], MUX_INTERVAL, "4\n");
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 2; i++)
			if (set_interval(&settings[i], &files[i], "cpu_core", &err) < 0 ||
			    strcmp(file_text(&files[i]), "25\n") != 0)
				_exit(9);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	for (int i = 0; i < 2; i++)
		await_text(&files[i], "4\n");
	scratch_release(&files[0].scratch);
	scratch_release(&files[1].scratch);
}

static void intervals_refused(void **state UNUSED)
{
	struct machine_file file;
	struct setting setting;
	struct error err = { .text = "" };

	file_init(&file, MUX_INTERVAL, "4\n");
	assert_int_equal(set_interval(&setting, &file, "cpu_atom", &err), -1);
	assert_non_null(strstr(err.text, "--mux-interval 25: it can't be changed on this kernel: there is no "));
	setting_restore(&setting);
	/* root may write whatever the mode says, but nobody can write a directory */
	assert_int_equal(remove(file.path), 0);
	assert_int_equal(mkdir(file.path, 0700), 0);
	assert_int_equal(set_interval(&setting, &file, "cpu_core", &err), -1);
	assert_non_null(strstr(err.text, "can't be changed"));
	assert_non_null(strstr(err.text, "as root"));
	setting_restore(&setting);
	scratch_release(&file.scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(off_and_on_again),	      cmocka_unit_test(what_is_off_stays_off),
		cmocka_unit_test(a_kernel_without_one),	      cmocka_unit_test(without_rights),
		cmocka_unit_test(however_topdown_ends),	      cmocka_unit_test(a_child_that_stays),
		cmocka_unit_test(an_interval_then_as_before), cmocka_unit_test(killed_with_two_intervals),
		cmocka_unit_test(intervals_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
