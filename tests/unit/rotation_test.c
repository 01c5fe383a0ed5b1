/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rotation_test.c - how long groups keep the counters, in a file that stands for the kernel's: as wished, then as before. */
#include "rows.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "count/rotation.h"
#include "scratch.h"

#define SETTING "sys/bus/event_source/devices/cpu_core/perf_event_mux_interval_ms"

struct machine_file {
	struct scratch scratch;
	char path[256];
};

static void file_init(struct machine_file *file)
{
	scratch_init(&file->scratch);
	scratch_write(&file->scratch, SETTING, "4\n", file->path);
}

static unsigned file_number(const struct machine_file *file)
{
	FILE *stream = fopen(file->path, "r");
	unsigned number = 0;

	assert_non_null(stream);
	assert_int_equal(fscanf(stream, "%u", &number), 1);
	fclose(stream);
	return number;
}

static int set(struct setting *rotation, const struct machine_file *file, const char *pmu, struct error *err)
{
	const struct rotation_wish wish = { .sysroot = file->scratch.path, .pmu = pmu, .ms = 25 };

	error_clear(err);
	return rotation_set(rotation, &wish, err);
}

static void as_wished_then_as_before(void **state UNUSED)
{
	struct machine_file file;
	struct setting rotation;
	struct error err = { .text = "" };

	file_init(&file);
	assert_int_equal(set(&rotation, &file, "cpu_core", &err), 0);
	assert_int_equal(file_number(&file), 25);
	setting_restore(&rotation);
	assert_int_equal(file_number(&file), 4);
	scratch_release(&file.scratch);
}

/* Two at once, as of a hybrid: each is restored, also when topdown is killed. */
static void killed_with_two_of_them(void **state UNUSED)
{
	const struct timespec moment = { .tv_nsec = 10000000 };
	struct machine_file files[2];
	struct setting rotations[2];
	struct error err = { .text = "" };
	int status;
	pid_t pid;

	file_init(&files[0]);
	file_init(&files[1]);
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 2; i++)
			if (set(&rotations[i], &files[i], "cpu_core", &err) < 0 || file_number(&files[i]) != 25)
				_exit(9);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	for (int i = 0; i < 200 && (file_number(&files[0]) != 4 || file_number(&files[1]) != 4); i++)
		nanosleep(&moment, NULL);
	assert_int_equal(file_number(&files[0]), 4);
	assert_int_equal(file_number(&files[1]), 4);
	scratch_release(&files[0].scratch);
	scratch_release(&files[1].scratch);
}

static void refused(void **state UNUSED)
{
	struct machine_file file;
	struct setting rotation;
	struct error err = { .text = "" };

	file_init(&file);
	assert_int_equal(set(&rotation, &file, "cpu_atom", &err), -1);
	assert_non_null(strstr(err.text, "--mux-interval 25: the kernel lets nobody change it here: there is no "));
	setting_restore(&rotation);
	/* root may write whatever the mode says, but nobody can write a directory */
	assert_int_equal(remove(file.path), 0);
	assert_int_equal(mkdir(file.path, 0700), 0);
	assert_int_equal(set(&rotation, &file, "cpu_core", &err), -1);
	assert_non_null(strstr(err.text, "can't be changed"));
	assert_non_null(strstr(err.text, "as root"));
	setting_restore(&rotation);
	scratch_release(&file.scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_wished_then_as_before),
		cmocka_unit_test(killed_with_two_of_them),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
