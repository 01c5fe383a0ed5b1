/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usage_test.c - what /proc and cgroups say that was used, in files of a machine that is not there. */
#include "rows.h"

#include <math.h>
#include <unistd.h>

#include "common/base/macros.h"
#include "cpu/identify/usage.h"
#include "scratch.h"

struct world {
	struct scratch scratch;
	struct arena arena;
	struct sysfiles files;
};

static void world_init(struct world *world)
{
	static const struct {
		const char *name, *text;
	} files[] = {
		/* the name may hold blanks and parentheses; times are ticks */
		{ "proc/7/stat", "7 (a) b (c) S 1 7 7 0 -1 4194560 100 20 3 4 500 60 70 8 20 0 2 0 99 0 0\n" },
		{ "proc/7/io", "rchar: 9\nwchar: 9\nsyscr: 1\nsyscw: 1\nread_bytes: 4096\nwrite_bytes: 8192\n"
			       "cancelled_write_bytes: 77\n" },
		{ "proc/7/task/7/stat", "7 (a) S 1 7 7 0 -1 4194560 60 20 1 4 300 30 70 8 20 0 2 0 99 0 0\n" },
		{ "proc/7/task/7/io", "read_bytes: 1\nwrite_bytes: 2\n" },
		{ "proc/7/task/7/status", "Name:\ta\nvoluntary_ctxt_switches:\t11\nnonvoluntary_ctxt_switches:\t5\n" },
		{ "proc/7/task/7/schedstat", "1000000000 250000000 12\n" },
		{ "proc/7/task/7/children", "9 " },
		{ "proc/7/task/8/status", "Name:\ta\nvoluntary_ctxt_switches:\t3\nnonvoluntary_ctxt_switches:\t1\n" },
		{ "proc/9/stat", "9 (d) S 7 7 7 0 -1 4194560 1000 0 0 0 100 0 0 0 20 0 1 0 99 0 0\n" },
		{ "proc/9/io", "read_bytes: 10\nwrite_bytes: 20\n" },
		{ "proc/9/task/9/children", "" },
		{ "proc/11/stat", "11 (unreadable) S 1 7 7 0 -1 4194560 1 0 0 0 100 0 0 0 20 0 1 0 99 0 0\n" },
		{ "proc/12/stat", "12 (empty) S 1 7 7 0 -1 4194560 1 0 0 0 100 0 0 0 20 0 1 0 99 0 0\n" },
		{ "proc/12/io", "" },
		{ "proc/stat", "cpu  10 20 30 400 50 6 7 8 0 0\ncpu1 1 2 3 4 5 6 7 8 0 0\ncpu11 9 9 9 9 9 9 9 9 0 0\n"
			       "intr 12345 0 1\nctxt 99\nprocs_running 3\nprocs_blocked 0\n" },
		{ "proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1500000\n"
				       "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n" },
		{ "proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=20\n"
				      "full avg10=0.00 avg60=0.00 avg300=0.00 total=10\n" },
		{ "proc/self/cgroup", "4:memory:/old\n0::/a/b\n" },
		{ "sys/fs/cgroup/a/b/cgroup.controllers", "cpu io\n" },
		{ "sys/fs/cgroup/a/b/cpu.stat",
		  "usage_usec 3000000\nuser_usec 2000000\nsystem_usec 1000000\nnr_periods 9\n"
		  "nr_throttled 4\n" },
		{ "sys/fs/cgroup/a/b/io.stat", "8:0 rbytes=100 wbytes=200 rios=1 wios=1\n8:16 rbytes=1 wbytes=2\n" },
		{ "sys/fs/cgroup/a/b/cpu.max", "150000 100000\n" },
	};
	char path[512];

	scratch_init(&world->scratch);
	for (size_t i = 0; i < COUNT_OF(files); i++)
		scratch_write(&world->scratch, files[i].name, files[i].text, path);
	arena_init(&world->arena);
	world->files = sysfiles_below(world->scratch.path, &world->arena);
}

static void world_release(struct world *world)
{
	arena_release(&world->arena);
	scratch_release(&world->scratch);
}

static void is_near(double found, double wanted)
{
	assert_true(fabs(found - wanted) <= 1e-9 * (1 + fabs(wanted)));
}

/* A thread has its own, a process its threads' and waited-for children's, a tree those of what still runs too. */
static void tasks(void **state UNUSED)
{
	const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
	struct world world;
	struct usage usage;

	world_init(&world);
	assert_true(usage_of_task(&usage, &world.files, 7, USAGE_THREAD, USAGE_SWITCHES));
	is_near(usage.user_s, 300 * tick);
	is_near(usage.system_s, 30 * tick);
	is_near(usage.minor_faults, 60);
	is_near(usage.major_faults, 1);
	is_near(usage.switches, 16);
	is_near(usage.read_bytes, 1);
	assert_true(usage_of_task(&usage, &world.files, 7, USAGE_PROCESS, USAGE_SWITCHES));
	is_near(usage.user_s, 570 * tick);
	is_near(usage.system_s, 68 * tick);
	is_near(usage.minor_faults, 120);
	is_near(usage.major_faults, 7);
	is_near(usage.switches, 20);
	is_near(usage.read_bytes, 4096);
	is_near(usage.written_bytes, 8192);
	assert_true(usage_of_task(&usage, &world.files, 7, USAGE_TREE, USAGE_PLAIN));
	is_near(usage.user_s, 670 * tick);
	is_near(usage.minor_faults, 1120);
	is_near(usage.written_bytes, 8212);
	assert_true(isnan(usage.switches));
	assert_false(usage_of_task(&usage, &world.files, 10, USAGE_PROCESS, USAGE_PLAIN));
	for (pid_t pid = 11; pid <= 12; pid++) {
		assert_true(usage_of_task(&usage, &world.files, pid, USAGE_PROCESS, USAGE_PLAIN));
		assert_true(isnan(usage.read_bytes) && isnan(usage.written_bytes));
		assert_non_null(usage.no_bytes);
	}
	is_near(usage_run_delay(&world.files, 7), 0.25);
	assert_true(isnan(usage_run_delay(&world.files, 9)));
	world_release(&world);
}

static void threads_of_a_tree(void **state UNUSED)
{
	struct world world;
	pid_t *threads;

	world_init(&world);
	assert_int_equal(usage_threads(&threads, &world.files, 7, USAGE_PROCESS), 2);
	assert_int_equal(usage_threads(&threads, &world.files, 7, USAGE_TREE), 3);
	assert_int_equal(threads[2], 9);
	assert_int_equal(usage_threads(&threads, &world.files, 10, USAGE_TREE), 0);
	world_release(&world);
}

/* "cpu1" is not the beginning of "cpu11". */
static void cpus(void **state UNUSED)
{
	const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
	struct machine_load load;
	struct world world;
	struct usage usage;

	world_init(&world);
	assert_true(usage_of_cpu(&usage, &world.files, 1));
	is_near(usage.user_s, 3 * tick);
	is_near(usage.system_s, 16 * tick);
	assert_true(usage_of_cpu(&usage, &world.files, ALL_CPUS));
	is_near(usage.user_s, 30 * tick);
	assert_false(usage_of_cpu(&usage, &world.files, 2));
	machine_load_read(&load, &world.files);
	is_near(load.stolen_s, 8 * tick);
	is_near(load.all_s, 531 * tick);
	is_near(load.interrupts, 12345);
	is_near(load.running, 3);
	world_release(&world);
}

static void cgroups(void **state UNUSED)
{
	struct pressure pressure;
	struct world world;
	struct usage usage;
	double throttled;

	world_init(&world);
	assert_string_equal(own_cgroup(&world.files), "sys/fs/cgroup/a/b");
	assert_true(usage_of_cgroup(&usage, &world.files, "sys/fs/cgroup/a/b"));
	is_near(usage.user_s, 2);
	is_near(usage.system_s, 1);
	is_near(usage.read_bytes, 101);
	is_near(usage.written_bytes, 202);
	assert_false(usage_of_cgroup(&usage, &world.files, "sys/fs/cgroup/none"));
	assert_non_null(usage.no_bytes);
	is_near(cgroup_quota(&throttled, &world.files), 1.5);
	is_near(throttled, 4);
	assert_true(pressure_read(&pressure, &world.files, "proc/pressure"));
	is_near(pressure.cpu_s, 1.5);
	is_near(pressure.io_full_s, 10e-6);
	assert_true(isnan(pressure.memory_s));
	assert_false(pressure_read(&pressure, &world.files, "sys/fs/cgroup/a/b"));
	world_release(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(tasks), cmocka_unit_test(threads_of_a_tree),
					    cmocka_unit_test(cpus), cmocka_unit_test(cgroups) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
