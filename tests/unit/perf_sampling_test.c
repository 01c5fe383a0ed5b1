/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_sampling_test.c - what is lowered until a kernel takes an event for sampling, on kernels and PMUs that this machine
 * need not have: wrapped system calls play them, by the rules of arch/x86/events/{core,intel/core,amd/ibs}.c.
 */
#include "rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/perf/perf_sampling.h"
#include "count_fixture.h"

enum { IBS_TYPE = 11, MOST_CALLS = 32, LATENCY = TASK_CLOCK };

/* A kernel: what it takes. */
static struct kernel {
	unsigned most_precise;
	bool has_ibs, has_lost, refuses_all;
	bool reads_alone; /* before Linux 6.12: no PERF_SAMPLE_READ of what is inherited */
} kernel;

static struct perf_event_attr calls[MOST_CALLS]; /* that it was asked for */
static int leaders[MOST_CALLS];
static size_t ncalls;

static int answer(const struct perf_event_attr *attr)
{
	if (kernel.refuses_all)
		return EACCES;
	if (kernel.reads_alone && attr->inherit && attr->sample_type & PERF_SAMPLE_READ)
		return EINVAL;
	if (attr->read_format & (1u << 4) && !kernel.has_lost)
		return EINVAL;
	if (attr->type == IBS_TYPE)
		return attr->sample_period % 16 ? EINVAL : 0;
	return attr->precise_ip > kernel.most_precise ? EOPNOTSUPP : 0;
}

long __wrap_syscall(long number, ...);

/* Of perf_event_open alone, which is all that is called in this way here. */
long __wrap_syscall(long number UNUSED, ...)
{
	const struct perf_event_attr *attr;
	va_list list;
	int leader;

	va_start(list, number);
	attr = va_arg(list, const struct perf_event_attr *);
	(void)va_arg(list, pid_t);
	(void)va_arg(list, int);
	leader = va_arg(list, int);
	va_end(list);
	assert_true(ncalls < MOST_CALLS);
	calls[ncalls] = *attr;
	leaders[ncalls++] = leader;
	errno = answer(attr);
	return errno ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_ioctl(int fd UNUSED, unsigned long request, ...)
{
	va_list list;

	va_start(list, request);
	if (request == PERF_EVENT_IOC_ID)
		*va_arg(list, uint64_t *) = 42;
	va_end(list);
	return 0;
}

uint32_t __wrap_machine_pmu_type(const char *name, struct arena *arena);

uint32_t __wrap_machine_pmu_type(const char *name, struct arena *arena UNUSED)
{
	return kernel.has_ibs && !strcmp(name, "ibs_op") ? IBS_TYPE : 0;
}

static struct perf_target target_of(struct fixture *fixture)
{
	ncalls = 0;
	return (struct perf_target){ .pid = getpid(),
				     .pmu = &fixture->pmu,
				     .machine = &fixture->machine,
				     .events = fixture->events,
				     .start = PERF_START_WITH_EXEC,
				     .arena = &fixture->arena };
}

static const struct test_plan nothing;
static const struct perf_sampling cycles = {
	.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .name = "cycles", .period = 1000003
};

static void test_fallbacks(void **state UNUSED)
{
	static const struct {
		const char *label;
		struct kernel kernel;
		unsigned wanted, precise;
		bool is_by_ibs, has_lost;
		size_t calls;
	} rows[] = {
		{ "taken at once", { 3, false, true, false, false }, 3, 3, false, true, 1 },
		{ "PEBS without the third step", { 2, false, true, false, false }, 3, 2, false, true, 3 },
		{ "no PEBS", { 0, false, true, false, false }, 2, 0, false, true, 5 },
		{ "not wanted", { 3, false, true, false, false }, 0, 0, false, true, 1 },
		{ "before Linux 6.0", { 3, false, false, false, false }, 1, 1, false, false, 2 },
		{ "AMD: the kernel takes cycles:pp for IBS", { 2, true, true, false, false }, 2, 2, false, true, 1 },
		{ "AMD: IBS by its own PMU", { 0, true, true, false, false }, 2, 1, true, true, 5 },
		{ "AMD: not wanted", { 0, true, true, false, false }, 0, 0, false, true, 1 },
	};
	struct rows result = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct perf_sampling how = cycles;
		struct perf_sampled sampled;
		struct perf_target target;
		struct fixture fixture;

		fixture_init(&fixture, &nothing);
		target = target_of(&fixture);
		kernel = rows[i].kernel;
		how.precise = rows[i].wanted;
		row_expect(&result, rows[i].label, perf_sampled_open(&sampled, &target, &how, &fixture.err) == 0,
			   "opens");
		row_expect(&result, rows[i].label, sampled.precise == rows[i].precise, "precise_ip");
		row_expect(&result, rows[i].label, sampled.is_by_ibs == rows[i].is_by_ibs, "whether IBS stands for it");
		row_expect(&result, rows[i].label, sampled.has_lost == rows[i].has_lost, "whether losses are counted");
		row_expect(&result, rows[i].label, sampled.id == 42, "its id");
		row_expect(&result, rows[i].label, ncalls <= rows[i].calls, "no more calls than needed");
		perf_sampled_close(&sampled);
		fixture_release(&fixture);
	}
	rows_end(&result);
}

/* IBS has periods of its own; nothing else of the attr changes. */
static void test_ibs(void **state UNUSED)
{
	struct perf_sampling how = cycles;
	struct perf_sampled sampled;
	struct perf_target target;
	struct fixture fixture;
	const struct perf_event_attr *last;

	fixture_init(&fixture, &nothing);
	target = target_of(&fixture);
	kernel = (struct kernel){ .has_ibs = true, .has_lost = true };
	how.precise = 1;
	assert_int_equal(perf_sampled_open(&sampled, &target, &how, &fixture.err), 0);
	last = &calls[ncalls - 1];
	assert_int_equal(last->type, IBS_TYPE);
	assert_int_equal(last->config, 0);
	assert_int_equal(last->precise_ip, 0);
	assert_int_equal(last->sample_period, 1000000);
	assert_int_equal(last->sample_type, calls[0].sample_type);
	assert_true(last->enable_on_exec && last->disabled && last->inherit && last->sample_id_all);
	perf_sampled_close(&sampled);
	fixture_release(&fixture);
}

/* Load latency needs the auxiliary event as its leader, which is what starts with exec then. */
static void test_load_latency(void **state UNUSED)
{
	struct pmu_entry auxiliary = { "mem-loads-aux", "event=0x8203" };
	struct perf_sampling how = { .name = "latency", .period = 1009, .precise = 2 };
	struct perf_sampled sampled;
	struct perf_target target;
	struct fixture fixture;

	fixture_init(&fixture, &nothing);
	fixture.pmu.events = &auxiliary;
	fixture.pmu.nevents = 1;
	fixture.events[LATENCY].msr = 0x3f6;
	target = target_of(&fixture);
	how.event = &fixture.events[LATENCY];
	kernel = (struct kernel){ .most_precise = 3, .has_lost = true };
	assert_int_equal(perf_sampled_open(&sampled, &target, &how, &fixture.err), 0);
	assert_int_equal(ncalls, 2);
	assert_int_equal(calls[0].config, 0x8203);
	assert_int_equal(calls[0].sample_period, 0);
	assert_int_equal(leaders[0], -1);
	assert_true(calls[0].enable_on_exec && calls[0].disabled && calls[0].inherit);
	assert_int_equal(leaders[1], sampled.leader);
	assert_int_equal(calls[1].precise_ip, 2);
	assert_false(calls[1].disabled || calls[1].enable_on_exec);
	perf_sampled_close(&sampled);
	fixture_release(&fixture);
}

static void test_refused(void **state UNUSED)
{
	struct perf_sampled sampled;
	struct perf_target target;
	struct fixture fixture;

	fixture_init(&fixture, &nothing);
	target = target_of(&fixture);
	kernel = (struct kernel){ .refuses_all = true };
	assert_int_equal(perf_sampled_open(&sampled, &target, &cycles, &fixture.err), -1);
	assert_int_equal(ncalls > 0 && calls[0].sample_period == 1000003, true);
	assert_true(*fixture.err.text != '\0');
	perf_sampled_close(&sampled);
	fixture_release(&fixture);
}

/* Slots lead a group and can't be sampled then; all of it is read by the sampled event, of each thread by itself. */
static void test_group(void **state UNUSED)
{
	struct fixture fixture;
	struct perf_target target;
	const struct event *members[] = { &fixture.events[PAGE_FAULTS], &fixture.events[TASK_CLOCK] };
	const struct perf_sampling how = {
		.event = members[1], .name = "task-clock", .frequency = 997, .members = members, .nmembers = 2
	};

	for (size_t reads_alone = 0; reads_alone < 2; reads_alone++) {
		struct perf_sampled sampled;

		fixture_init(&fixture, &nothing);
		target = target_of(&fixture);
		kernel = (struct kernel){ .most_precise = 3, .has_lost = true, .reads_alone = reads_alone };
		assert_int_equal(perf_sampled_open(&sampled, &target, &how, &fixture.err), 0);
		assert_int_equal(sampled.is_alone, reads_alone);
		assert_int_equal(ncalls, 2 + reads_alone);
		for (size_t i = 0; i < 2; i++) {
			const struct perf_event_attr *attr = &calls[reads_alone + i];

			assert_true(attr->sample_type & PERF_SAMPLE_READ && attr->sample_type & PERF_SAMPLE_TID);
			assert_int_equal(attr->read_format, SAMPLED_GROUP_FORMAT);
			assert_true(attr->use_clockid && attr->inherit == !reads_alone);
			assert_true(attr->disabled == (i == 0) && attr->enable_on_exec == (i == 0));
			assert_true((attr->sample_freq == 997) == (i == 1));
		}
		assert_int_equal(leaders[reads_alone], -1);
		assert_int_equal(leaders[reads_alone + 1], sampled.leader);
		assert_int_equal(sampled.nmembers, 2);
		assert_true(sampled.leader == sampled.fds[0] && sampled.fd == sampled.fds[1]);
		perf_sampled_close(&sampled);
		fixture_release(&fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fallbacks), cmocka_unit_test(test_ibs),	  cmocka_unit_test(test_load_latency),
		cmocka_unit_test(test_group),	  cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
