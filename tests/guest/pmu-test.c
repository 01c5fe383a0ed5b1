// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmu-test.c - does the synthetic PMU do what the other guest tests rely on? Runs in the guest, on the PMU that pmu-test.sh
 * describes; a line for each check, exit status 1 when one failed.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CYCLES	     0x3c
#define INSTRUCTIONS 0xc0
#define SLOTS	     0x400
#define METRIC_A     0x8000 /* 0.6 of the slots */
#define METRIC_B     0x8100 /* 0.4 */
#define KHZ	     1000000
#define MAX	     16
#define PAGES	     16

struct demand {
	uint64_t config, config1;
};

struct group {
	int fds[MAX];
	int count;
};

struct values {
	uint64_t count, enabled, running, value[MAX];
};

static int failures;

__attribute__((format(printf, 2, 3))) static void check(bool holds, const char *format, ...)
{
	va_list args;

	printf(holds ? "ok   " : "FAIL ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	failures += !holds;
}

static int event_open(struct perf_event_attr *attr, pid_t pid, int leader)
{
	attr->size = sizeof *attr;
	return (int)syscall(SYS_perf_event_open, attr, pid, -1, leader, 0);
}

static struct perf_event_attr attr_of(struct demand demand)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_RAW,
		.config = demand.config,
		.config1 = demand.config1,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

static void group_close(struct group *group)
{
	while (group->count)
		close(group->fds[--group->count]);
}

/* 0, or the errno of the first member that was refused. */
static int group_open(struct group *group, const struct demand *demands, int count, pid_t pid)
{
	group->count = 0;
	for (int i = 0; i < count; i++) {
		struct perf_event_attr attr = attr_of(demands[i]);
		int fd;

		attr.disabled = i == 0;
		attr.enable_on_exec = i == 0 && pid != 0;
		attr.inherit = pid != 0;
		fd = event_open(&attr, pid, i == 0 ? -1 : group->fds[0]);
		if (fd < 0) {
			int error = errno;

			group_close(group);
			return error;
		}
		group->fds[group->count++] = fd;
	}
	return 0;
}

static void check_open(int expected, const struct demand *demands, int count, const char *what)
{
	struct group group;
	int error = group_open(&group, demands, count, 0);

	group_close(&group);
	check(error == expected, "%s: %s", what, error ? strerror(error) : "opens");
}

#define CHECK_OPEN(expected, what, ...)                                                                                \
	check_open(expected, (struct demand[]){ __VA_ARGS__ },                                                         \
		   sizeof((struct demand[]){ __VA_ARGS__ }) / sizeof(struct demand), what)

static void work(void)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < 20000000u; i++)
		sum += i;
}

static void test_limits(void)
{
	CHECK_OPEN(0, "four events and four fixed ones on four counters", { SLOTS, 0 }, { CYCLES, 0 },
		   { INSTRUCTIONS, 0 }, { 0x300, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 }, { 4, 0 });
	CHECK_OPEN(EINVAL, "five events on four counters", { 1, 0 }, { 2, 0 }, { 3, 0 }, { 4, 0 }, { 5, 0 });
	CHECK_OPEN(0, "cycles twice: one on a general counter", { CYCLES, 0 }, { CYCLES, 0 });
	CHECK_OPEN(EINVAL, "slots twice: only on its fixed counter", { SLOTS, 0 }, { SLOTS, 0 });
	CHECK_OPEN(EINVAL, "an event that no counter can count", { 0x200, 0 });
	CHECK_OPEN(0, "an event of counters 0 and 1, one of counter 0", { 0xb0, 0 }, { 0xa4, 0 });
	CHECK_OPEN(0, "the same the other way round", { 0xa4, 0 }, { 0xb0, 0 });
	CHECK_OPEN(EINVAL, "three events on counters 0 and 1", { 0xb0, 0 }, { 0xb1, 0 }, { 0xa4, 0 });
	CHECK_OPEN(0, "events of counters 0 and 1, 0 and 1, 1 and 2", { 0xb0, 0 }, { 0xb1, 0 }, { 0xb2, 0 });
	CHECK_OPEN(EINVAL, "the same in an order in which one would have to move", { 0xb0, 0 }, { 0xb2, 0 },
		   { 0xb1, 0 });
	CHECK_OPEN(0, "three events, two values of the shared registers", { 0xb7, 1 }, { 0xbb, 2 }, { 0xb7, 2 });
	CHECK_OPEN(EINVAL, "three values of the shared registers", { 0xb7, 1 }, { 0xbb, 2 }, { 0xb7, 3 });
	CHECK_OPEN(EINVAL, "a metric alone", { METRIC_A, 0 });
	CHECK_OPEN(EINVAL, "a metric led by cycles", { CYCLES, 0 }, { METRIC_A, 0 });
	CHECK_OPEN(0, "metrics led by slots, and four events", { SLOTS, 0 }, { METRIC_A, 0 }, { METRIC_B, 0 }, { 1, 0 },
		   { 2, 0 }, { 3, 0 }, { 4, 0 });
}

static void test_generic(void)
{
	struct perf_event_attr cycles = { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES };
	struct perf_event_attr misses = { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CACHE_MISSES };
	struct perf_event_attr precise = {
		.type = PERF_TYPE_RAW, .config = CYCLES, .sample_period = 1000, .precise_ip = 2
	};

	check(event_open(&cycles, 0, -1) >= 0, "generic cycles open");
	check(event_open(&misses, 0, -1) < 0 && errno == ENOENT, "generic cache misses, which were not given: ENOENT");
	check(event_open(&precise, 0, -1) < 0 && errno == EOPNOTSUPP, "precise sampling: EOPNOTSUPP");
}

/* All of a group's counts come from one clock, so they differ from their ratio by rounding alone. */
static void test_proportions(void)
{
	static const struct demand demands[] = { { SLOTS, 0 },	      { METRIC_A, 0 }, { METRIC_B, 0 }, { CYCLES, 0 },
						 { INSTRUCTIONS, 0 }, { 1, 0 },	       { 9, 0 } };
	static const double per_cycle[] = { 4, 2.4, 1.6, 1, 1.5, 0.25, 0.001 };
	const int count = sizeof demands / sizeof *demands;
	struct values values;
	struct group group;

	check(group_open(&group, demands, count, 0) == 0, "a group of seven opens");
	ioctl(group.fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	work();
	check(read(group.fds[0], &values, sizeof values) > 0, "its leader reads while it counts");
	group_close(&group);
	check(values.count == (uint64_t)count && values.running == values.enabled, "it ran all the time");
	for (int i = 0; i < count; i++) {
		double expected = (double)values.value[3] * per_cycle[i];

		check(fabs((double)values.value[i] - expected) <= per_cycle[i] + 1, "config %llx: %llu, %.0f expected",
		      (unsigned long long)demands[i].config, (unsigned long long)values.value[i], expected);
	}
}

/* A group that opens: is it ever on the counters? */
static void check_runs(bool expected, const struct demand *demands, int count, const char *what)
{
	struct values values = { 0 };
	struct group group;

	check(group_open(&group, demands, count, 0) == 0, "%s: open", what);
	ioctl(group.fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	work();
	check(read(group.fds[0], &values, sizeof values) > 0 && values.enabled > 0, "and read");
	group_close(&group);
	check((values.running > 0) == expected, "and ran %llu of %llu ns, which is%s expected",
	      (unsigned long long)values.running, (unsigned long long)values.enabled,
	      (values.running > 0) == expected ? "" : " not");
}

#define CHECK_RUNS(expected, what, ...)                                                                                \
	check_runs(expected, (struct demand[]){ __VA_ARGS__ },                                                         \
		   sizeof((struct demand[]){ __VA_ARGS__ }) / sizeof(struct demand), what)

/* Exclusive events: half of the four counters, which nothing says when the group is opened. Paired ones: two each. */
static void test_rules(void)
{
	CHECK_RUNS(true, "two exclusive events and fixed ones", { 0x1d0, 0 }, { 0x2d1, 0 }, { CYCLES, 0 },
		   { INSTRUCTIONS, 0 });
	CHECK_RUNS(false, "an exclusive event and two others", { 0x1d0, 0 }, { 1, 0 }, { 2, 0 });
	CHECK_RUNS(true, "four others", { 1, 0 }, { 2, 0 }, { 3, 0 }, { 4, 0 });
	CHECK_OPEN(0, "a paired event and two others", { 0x70, 0 }, { 1, 0 }, { 2, 0 });
	CHECK_OPEN(EINVAL, "a paired event and three others", { 0x70, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 });
	CHECK_OPEN(0, "two paired events", { 0x70, 0 }, { 0x170, 0 });
	CHECK_OPEN(EINVAL, "two paired events and another", { 0x70, 0 }, { 0x170, 0 }, { 1, 0 });
}

/* Eight events take turns on four counters; their scaled counts stay right. */
static void test_multiplexing(void)
{
	struct group groups[8];
	struct values values;

	for (int i = 0; i < 8; i++) {
		group_open(&groups[i], &(struct demand){ 1, 0 }, 1, 0);
		ioctl(groups[i].fds[0], PERF_EVENT_IOC_ENABLE, 0);
	}
	for (int i = 0; i < 4; i++)
		work();
	for (int i = 0; i < 8; i++) {
		double share, per_ns;

		check(read(groups[i].fds[0], &values, sizeof values) > 0, "event %d of 8 reads", i);
		group_close(&groups[i]);
		share = (double)values.running / (double)values.enabled;
		per_ns = (double)values.value[0] / (double)values.running;
		check(share > 0.2 && share < 0.8, "it ran %.0f %% of the time", share * 100);
		check(fabs(per_ns - 0.25) < 0.0025, "and counted %.4f a ns while it ran, 0.25 expected", per_ns);
	}
}

/* enable_on_exec and inherit: a program's cycles are the CPU time of it and its children. */
static void test_inherit(const char *program)
{
	static const struct demand demands[] = { { CYCLES, 0 }, { INSTRUCTIONS, 0 } };
	struct values values = { 0 };
	struct group group;
	struct rusage usage;
	int go[2];
	pid_t child;
	double cpu_ns;

	if (pipe(go) || (child = fork()) < 0)
		exit(2);
	if (child == 0) {
		char byte;

		close(go[1]);
		if (read(go[0], &byte, 1) == 0)
			execl(program, program, "--fork", "3", (char *)NULL);
		_exit(127);
	}
	check(group_open(&group, demands, 2, child) == 0, "an inherited group opens on a child");
	close(go[1]);
	wait4(child, NULL, 0, &usage); /* of its children too */
	cpu_ns = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9 +
		 (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3;
	check(read(group.fds[0], &values, sizeof values) > 0, "it reads after the child's end");
	group_close(&group);
	/* Children that are left out would give a quarter. */
	check(fabs((double)values.value[0] / cpu_ns - KHZ / 1e6) < 0.4,
	      "%.3f cycles a ns of CPU time in four processes, %.3f expected", (double)values.value[0] / cpu_ns,
	      KHZ / 1e6);
	check(fabs((double)values.value[1] / (double)values.value[0] - 1.5) < 0.001, "instructions in proportion");
}

static void test_sampling(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_RAW,
					.config = CYCLES,
					.sample_period = KHZ * 1000 / 1000,
					.sample_type = PERF_SAMPLE_IP,
					.exclude_kernel = 1 };
	int fd = event_open(&attr, 0, -1);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *ring = mmap(NULL, (PAGES + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	check(fd >= 0 && ring != MAP_FAILED, "sampling cycles each ms opens");
	work();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	check(ring != MAP_FAILED && ring->data_head > 0, "there are samples");
	close(fd);
}

static void test_fewer_counters(void)
{
	FILE *file = fopen("/sys/module/synthetic_pmu/parameters/counters", "w");

	check(file && fprintf(file, "2") > 0 && fclose(file) == 0, "the number of counters can be changed");
	CHECK_OPEN(0, "two events on two counters", { 1, 0 }, { 2, 0 });
	CHECK_OPEN(EINVAL, "three events on two counters", { 1, 0 }, { 2, 0 }, { 3, 0 });
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	test_limits();
	test_generic();
	test_proportions();
	test_rules();
	test_multiplexing();
	test_inherit(argv[1]);
	test_sampling();
	test_fewer_counters();
	return failures != 0;
}
