/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels that this one is not, by wrapped system calls: one before 4.13, which refuses PERF_FORMAT_GROUP together with inherit
 * (kernel/events/core.c there: perf_event_alloc), and one that takes long to enable events, as on a machine with very many CPUs.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "count_fixture.h"
#include "rows.h"

#define ARGUMENTS 5 /* of perf_event_open, the only call that topdown makes in this way */

#define SLOW_S 0.05

static bool is_old, is_slow;
static unsigned nrefused, nenabled;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* Like the C library's, it takes as many arguments as any call has, more than most callers pass. */
__attribute__((no_sanitize("address"))) long __wrap_syscall(long number, ...)
{
	long arguments[ARGUMENTS];
	va_list list;

	va_start(list, number);
	for (size_t i = 0; i < ARGUMENTS; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_perf_event_open && is_old) {
		const struct perf_event_attr *attr = (const struct perf_event_attr *)(uintptr_t)arguments[0];

		if (attr->inherit && attr->read_format & PERF_FORMAT_GROUP) {
			nrefused++;
			errno = EINVAL;
			return -1;
		}
	}
	return __real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]);
}

int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list list;
	long argument;

	va_start(list, request);
	argument = va_arg(list, long);
	va_end(list);
	if (is_slow && request == PERF_EVENT_IOC_ENABLE) {
		nenabled++;
		usleep((useconds_t)(SLOW_S * 1e6));
	}
	return __real_ioctl(fd, request, argument);
}

static const struct test_plan faults = { { { 0, { PAGE_FAULTS, MINOR_FAULTS, MAJOR_FAULTS }, 3 } } };

/* A shell and what it starts: each fault is a minor or a major one. */
static void count_faults(struct fixture *fixture)
{
	double sum;

	fixture_init(fixture, &faults);
	assert_int_equal(fixture_shell(fixture, "/bin/true; /bin/true; :"), 0);
	sum = fixture_value(fixture, MINOR_FAULTS) + fixture_value(fixture, MAJOR_FAULTS);
	assert_true(sum > 100);
	assert_true(fixture_value(fixture, PAGE_FAULTS) == sum);
}

static bool has_remark(const struct fixture *fixture, const char *words)
{
	for (size_t i = 0; i < fixture->counts.repeats[0].nremarks; i++)
		if (strstr(fixture->counts.repeats[0].remarks[i], words))
			return true;
	return false;
}

/* The numbers are right, and a remark says how they were read. */
static void read_one_by_one(void **state UNUSED)
{
	struct fixture fixture;

	is_old = true;
	nrefused = 0;
	count_faults(&fixture);
	is_old = false;
	assert_int_equal(nrefused, 1); /* the leader's; its siblings are opened the other way at once */
	assert_true(has_remark(&fixture, "read one by one"));
	fixture_release(&fixture);
}

static void read_together(void **state UNUSED)
{
	struct fixture fixture;

	count_faults(&fixture);
	assert_false(has_remark(&fixture, "read one by one"));
	fixture_release(&fixture);
}

/* Whole CPUs, one enabled long after the other: which is no reason to say that it was offline meanwhile. */
static void enabled_slowly(void **state UNUSED)
{
	static const struct test_plan clock_only = { { { 0, { TASK_CLOCK }, 1 } } };
	struct machine_cpu cpus[2] = { { .number = 0 }, { .number = 1, .core = 1 } };
	struct fixture fixture;

	if (geteuid() != 0 || sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip(); /* others may not count whole CPUs */
	fixture_init(&fixture, &clock_only);
	fixture.machine.online_cpus = fixture.machine.cores = 2;
	fixture.machine.cpus = cpus;
	fixture.request.subject = (struct subject){ .kind = SUBJECT_CPUS, .name = "all CPUs" };
	fixture.request.timing.limit_s = 2 * SLOW_S;
	is_slow = true;
	assert_int_equal(fixture_count(&fixture, NULL), 0);
	is_slow = false;
	assert_int_equal(nenabled, 2); /* on each the group */
	assert_false(has_remark(&fixture, "offline"));
	fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(read_one_by_one), cmocka_unit_test(read_together),
					    cmocka_unit_test(enabled_slowly) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
