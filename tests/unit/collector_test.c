/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What runs already, whole CPUs, parts, intervals and limits; on the kernel's software events. */
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "children.h"
#include "common/measurement/division.h"
#include "common/system/loop.h"
#include "count_fixture.h"
#include "rows.h"

#define LIMIT_S	  0.1
#define INTERVALS 4 /* that there are at least */
#define MOST_CPUS 2 /* of this machine; more would only take longer */

static const struct test_plan clock_only = { { { 0, { TASK_CLOCK }, 1 } } };
static const struct test_plan two_groups = { { { 0, { TASK_CLOCK, DURATION }, 2 }, { 0, { PAGE_FAULTS }, 1 } } };
static const struct test_plan two_runs = { { { 0, { TASK_CLOCK }, 1 }, { 1, { PAGE_FAULTS }, 1 } } };

static struct machine_cpu cpus[MOST_CPUS];

/* The machine has the CPUs 0 and, where there is one, 1, each a core and a socket. */
static void setup(struct fixture *fixture, const struct test_plan *shape)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	fixture_init(fixture, shape);
	fixture->machine.online_cpus = online < MOST_CPUS ? (unsigned)online : MOST_CPUS;
	fixture->machine.cores = fixture->machine.online_cpus;
	for (unsigned i = 0; i < MOST_CPUS; i++)
		cpus[i] = (struct machine_cpu){ .number = i, .core = i, .package = i };
	fixture->machine.cpus = cpus;
}

static void expect_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%g, expected %g +- %g", value, expected, tolerance);
}

/* On a busy machine longer than the limit as it likes, and shorter by what it took to begin. */
static void expect_limited(double wall_s)
{
	if (!(wall_s > 0.5 * LIMIT_S))
		fail_msg("%g s, expected %g", wall_s, LIMIT_S);
}

/* task-clock of a CPU is the time that passes there: half of the limit at least, and no more than passed around it. */
static void expect_time_of_cpus(double nanoseconds, double cpus_counted, double around_s)
{
	double seconds = nanoseconds * 1e-9 / cpus_counted;

	if (!(seconds >= 0.5 * LIMIT_S && seconds <= around_s))
		fail_msg("%g s a CPU, expected from %g to %g", seconds, 0.5 * LIMIT_S, around_s);
}

static void whole_cpus(void **state UNUSED)
{
	struct fixture fixture;
	double wall, began = clock_now();

	if (geteuid() != 0)
		skip(); /* others may not count whole CPUs */
	setup(&fixture, &clock_only);
	fixture.request.subject = (struct subject){ .kind = SUBJECT_CPUS, .name = "all CPUs" };
	fixture.request.timing.limit_s = LIMIT_S;
	assert_int_equal(fixture_count(&fixture, NULL), 0);
	assert_int_equal(fixture.measured.count, 1);
	assert_null(fixture.counts.origin.part);
	assert_string_equal(fixture.counts.origin.target, "all CPUs");
	wall = fixture.counts.repeats[0].runs[0].wall_s;
	expect_limited(wall);
	assert_true(isnan(fixture.counts.repeats[0].runs[0].cpu_s));
	expect_time_of_cpus(fixture_value(&fixture, TASK_CLOCK), fixture.machine.online_cpus, clock_now() - began);
	fixture_release(&fixture);
}

static void each_core_is_a_part(void **state UNUSED)
{
	struct measurement divided;
	struct fixture fixture;
	double began = clock_now(), around_s;

	if (geteuid() != 0)
		skip();
	setup(&fixture, &clock_only);
	fixture.request.subject = (struct subject){ .kind = SUBJECT_CPUS, .is_by_cpu = true, .name = "all CPUs" };
	fixture.request.timing.limit_s = LIMIT_S;
	assert_int_equal(fixture_count(&fixture, NULL), 0);
	around_s = clock_now() - began;
	measurement_divide(&divided, &fixture.measured, &(struct division){ .by_core = true }, &fixture.arena);
	assert_int_equal(divided.count, fixture.machine.online_cpus);
	for (size_t i = 0; i < divided.count; i++) {
		const struct counts *part = &divided.parts[i];

		assert_string_equal(part->origin.part, arena_printf(&fixture.arena, "core %zu (CPU %zu)", i, i));
		expect_time_of_cpus(part->repeats[0].items[0].value, 1, around_s);
	}
	fixture_release(&fixture);
}

/* A program on each CPU by itself: the parts are what it was there, and the kernel's enabled time is not theirs alone. */
static void a_program_by_socket(void **state UNUSED)
{
	struct measurement divided;
	struct fixture fixture;
	double sum = 0, cpu_s = 0;

	setup(&fixture, &clock_only);
	if (sysconf(_SC_NPROCESSORS_ONLN) > MOST_CPUS)
		skip();
	fixture.request.subject.is_by_cpu = true;
	assert_int_equal(fixture_shell(&fixture, "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"), 0);
	measurement_divide(&divided, &fixture.measured, &(struct division){ .by_socket = true }, &fixture.arena);
	assert_string_equal(divided.parts[0].origin.part, "socket 0");
	for (size_t i = 0; i < divided.count; i++) {
		const struct counts *part = &divided.parts[i];

		if (part->repeats[0].items[0].state != COUNT_OK)
			continue;
		assert_int_equal(part->repeats[0].items[0].enabled_ns, part->repeats[0].items[0].running_ns);
		sum += part->repeats[0].items[0].value;
		cpu_s += part->repeats[0].runs[0].cpu_s;
	}
	assert_true(sum > 0);
	expect_near(sum * 1e-9, cpu_s, 0.05 * cpu_s);
	fixture_release(&fixture);
}

/* On a busy machine a process may get nothing of so short a time: then for longer. */
static double count_spinner(double limit_s)
{
	struct fixture fixture;
	pid_t pid = start_spinner();
	double counted;

	setup(&fixture, &clock_only);
	fixture.request.subject = (struct subject){ .kind = SUBJECT_PROCESSES, .ids = &pid, .nids = 1, .name = "it" };
	fixture.request.timing.limit_s = limit_s;
	assert_int_equal(fixture_count(&fixture, NULL), 0);
	expect_limited(fixture.counts.repeats[0].runs[0].wall_s);
	counted = fixture_item(&fixture, TASK_CLOCK)->state == COUNT_OK ? fixture_value(&fixture, TASK_CLOCK) : 0;
	if (counted > 0)
		expect_near(fixture.counts.repeats[0].runs[0].cpu_s, counted * 1e-9, 0.01);
	fixture_release(&fixture);
	end_spinner(pid);
	return counted;
}

static void a_process_that_runs(void **state UNUSED)
{
	for (double limit_s = LIMIT_S; !(count_spinner(limit_s) > 0);)
		limit_s *= 2;
}

/* A byte once something was counted in an interval. */
static int note_first(void *context, const struct measurement *interval, struct error *err UNUSED)
{
	int *fd = context;

	if (*fd < 0 || !interval->parts[0].repeats[0].items[0].raw)
		return 0;
	assert_int_equal(write(*fd, "\n", 1), 1);
	close(*fd);
	*fd = -1;
	return 0;
}

/* The spinner's time, however small its share of a busy machine is: that of the shell was not counted. */
static void a_program_decides_how_long(void **state UNUSED)
{
	struct fixture fixture;
	pid_t pid = start_spinner();
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	setup(&fixture, &clock_only);
	fixture.request.subject = (struct subject){ .kind = SUBJECT_PROCESSES, .ids = &pid, .nids = 1, .name = "it" };
	fixture.request.timing.interval_s = 0.02;
	fixture.request.interval = note_first;
	fixture.request.context = &ends[1];
	assert_int_equal(fixture_shell(&fixture, arena_printf(&fixture.arena, "read a </dev/fd/%d; exit 3", ends[0])),
			 0);
	assert_int_equal(fixture.counts.repeats[0].runs[0].status, 3);
	assert_false(fixture.counts.repeats[0].runs[0].has_lost_target);
	assert_true(fixture_value(&fixture, TASK_CLOCK) > 0);
	close(ends[0]);
	fixture_release(&fixture);
	end_spinner(pid);
}

/* Ends the reader when counting has begun. */
static int end_reader(void *context, const struct measurement *interval UNUSED, struct error *err UNUSED)
{
	int *fd = context;

	if (*fd >= 0) {
		assert_int_equal(write(*fd, "", 1), 1);
		close(*fd);
		*fd = -1;
	}
	return 0;
}

/* A measurement of what ends in the middle of it. */
static void setup_ending(struct fixture *fixture, int *fd)
{
	setup(fixture, &clock_only);
	fixture->request.timing.interval_s = 0.05;
	fixture->request.interval = end_reader;
	fixture->request.context = fd;
}

/* Whether it has waited for the rest of the time, nobody knows then. A reader that ended late is tried once more. */
static bool has_lost(double limit_s)
{
	struct fixture fixture;
	pid_t both[2] = { start_spinner() };
	bool has_lost;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	both[1] = start_reader(ends);
	setup_ending(&fixture, &ends[1]);
	fixture.request.subject = (struct subject){ .kind = SUBJECT_PROCESSES, .ids = both, .nids = 2, .name = "it" };
	fixture.request.timing.limit_s = limit_s;
	assert_int_equal(fixture_count(&fixture, NULL), 0);
	has_lost = fixture.counts.repeats[0].runs[0].has_lost_target;
	fixture_release(&fixture);
	end_spinner(both[0]);
	assert_int_equal(waitpid(both[1], NULL, 0), both[1]);
	close(ends[0]);
	return has_lost;
}

static void a_process_that_ends_before(void **state UNUSED)
{
	for (double limit_s = 0.3; !has_lost(limit_s); limit_s *= 2)
		assert_true(limit_s < 30);
}

static void it_ends_with_the_process(void **state UNUSED)
{
	struct fixture fixture;
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = start_reader(ends);
	setup_ending(&fixture, &ends[1]);
	fixture.request.subject = (struct subject){ .kind = SUBJECT_THREADS, .ids = &pid, .nids = 1, .name = "it" };
	assert_int_equal(fixture_count(&fixture, NULL), 0); /* there is no limit: else it took forever */
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(fixture_count(&fixture, NULL), -1);
	assert_non_null(strstr(fixture.err.text, "it no longer exists"));
	close(ends[0]);
	fixture_release(&fixture);
}

#define MANY 5000 /* threads */

static void *end_at_once(void *unused UNUSED)
{
	return NULL;
}

/* Starts one after the other, each when the last one has ended, or all of them before the first one is waited for. */
static void run_threads(size_t count, bool is_at_once)
{
	static pthread_t threads[MANY];
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN);
	for (size_t i = 0; i < count; i++) {
		if (pthread_create(&threads[i], &attributes, end_at_once, NULL) != 0)
			_exit(9);
		if (!is_at_once)
			pthread_join(threads[i], NULL);
	}
	for (size_t i = 0; is_at_once && i < count; i++)
		pthread_join(threads[i], NULL);
}

static void a_program_of_many_threads(void **state UNUSED)
{
	static char self[] = "/proc/self/exe", word[] = "threads";
	char *argv[] = { self, word, NULL };
	struct fixture fixture;

	setup(&fixture, &two_groups);
	assert_int_equal(fixture_count(&fixture, argv), 0);
	assert_int_equal(fixture.counts.repeats[0].runs[0].status, 3);
	/* Each thread touches a page of its stack at least. */
	assert_true(fixture_value(&fixture, PAGE_FAULTS) >= MANY);
	fixture_release(&fixture);
}

static void *wait_for_end(void *fd)
{
	char c;

	if (read(*(int *)fd, &c, 1) < 0)
		_exit(9);
	return NULL;
}

/* Starts its threads, writes a byte, and ends when no process holds the pipe any more. */
static _Noreturn void hold_threads(int ready, int *end)
{
	pthread_t thread;
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN);
	for (int i = 1; i < MANY; i++)
		if (pthread_create(&thread, &attributes, wait_for_end, end) != 0)
			_exit(9);
	if (write(ready, "", 1) == 1)
		wait_for_end(end);
	_exit(0);
}

static void attaching_to_many_threads(void **state UNUSED)
{
	struct fixture fixture;
	int ready[2], end[2];
	pid_t pid;
	char c;

	if (geteuid() != 0)
		skip(); /* the usual hard limit allows fewer descriptors */
	assert_true(pipe(ready) == 0 && pipe(end) == 0);
	pid = fork_child();
	if (pid == 0) {
		close(end[1]);
		hold_threads(ready[1], &end[0]);
	}
	close(end[0]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	setup(&fixture, &clock_only);
	fixture.request.subject = (struct subject){
		.kind = SUBJECT_PROCESSES, .is_by_thread = true, .ids = &pid, .nids = 1, .name = "it"
	};
	fixture.request.timing.limit_s = LIMIT_S;
	assert_int_equal(fixture_count(&fixture, NULL), 0);
	assert_int_equal(fixture.measured.count, MANY);
	close(end[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(ready[0]);
	close(ready[1]);
	fixture_release(&fixture);
}

/* A process whose threads come and go faster than anybody can attach to them: none is counted twice, and it takes no longer. */
static void threads_that_come_and_go(void **state UNUSED)
{
	struct fixture fixture;
	double online = (double)sysconf(_SC_NPROCESSORS_ONLN), began;
	pid_t pid = fork_child();

	if (pid == 0)
		for (;;)
			run_threads(100, false);
	setup(&fixture, &two_groups);
	fixture.request.subject = (struct subject){ .kind = SUBJECT_PROCESSES, .ids = &pid, .nids = 1, .name = "it" };
	fixture.request.timing.limit_s = LIMIT_S;
	began = clock_now();
	assert_int_equal(fixture_count(&fixture, NULL), 0);
	/* COUNT_NEVER_RAN: all that could be attached to had ended */
	assert_true(fixture_item(&fixture, TASK_CLOCK)->state != COUNT_REFUSED);
	assert_false(fixture_value(&fixture, TASK_CLOCK) * 1e-9 > online * (clock_now() - began));
	assert_true(fixture_item(&fixture, PAGE_FAULTS)->state != COUNT_REFUSED);
	fixture_release(&fixture);
	end_spinner(pid);
}

/* What the intervals of a series said. */
struct reported {
	struct fixture *fixture;
	uint64_t raw[TEST_EVENTS];
	double seconds, last_s;
	size_t count, events;
	int result;
	int bell[2]; /* a byte for each of the first intervals, for which the program waits */
};

static int note_interval(void *context, const struct measurement *interval, struct error *err)
{
	struct reported *reported = context;
	const struct counts *counts = &interval->parts[0];

	assert_true(interval->from_s >= reported->last_s && interval->from_s <= reported->last_s);
	assert_true(interval->to_s > interval->from_s);
	reported->last_s = interval->to_s;
	reported->seconds += counts->repeats[0].runs[0].wall_s;
	reported->count++;
	reported->events = counts->repeats[0].count;
	for (size_t i = 0; i < counts->repeats[0].count; i++)
		for (size_t k = 0; k < TEST_EVENTS; k++)
			if (counts->repeats[0].items[i].event == reported->fixture->events[k].name)
				reported->raw[k] += counts->repeats[0].items[i].raw;
	if (reported->count <= INTERVALS)
		assert_int_equal(write(reported->bell[1], "\n", 1), 1);
	return reported->result < 0 ? error_set(err, "nobody listens") : 0;
}

#define WORK "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"

/* Reports intervals of a program that works, and has not ended before so many of them. */
static void count_intervals(struct fixture *fixture, struct reported *reported, bool is_multiplexed_by_interval)
{
	setup(fixture, &two_groups);
	*reported = (struct reported){ .fixture = fixture };
	assert_int_equal(pipe(reported->bell), 0);
	fixture->request.timing =
		(struct timing){ .interval_s = 0.02, .is_multiplexed_by_interval = is_multiplexed_by_interval };
	fixture->request.interval = note_interval;
	fixture->request.context = reported;
	assert_int_equal(fixture_shell(fixture, arena_printf(&fixture->arena,
							     "for n in 1 2 3 4; do " WORK "; read a </dev/fd/%d; done",
							     reported->bell[0])),
			 0);
	close(reported->bell[0]);
	close(reported->bell[1]);
	assert_true(reported->count >= INTERVALS);
}

static void intervals_sum_to_the_total(void **state UNUSED)
{
	struct fixture fixture;
	struct reported reported;

	count_intervals(&fixture, &reported, false);
	assert_int_equal(reported.events, 3);
	assert_int_equal(reported.raw[TASK_CLOCK], fixture_item(&fixture, TASK_CLOCK)->raw);
	assert_int_equal(reported.raw[PAGE_FAULTS], fixture_item(&fixture, PAGE_FAULTS)->raw);
	expect_near(reported.seconds, fixture.counts.repeats[0].runs[0].wall_s, 1e-9);
	fixture_release(&fixture);
}

static void a_group_for_each_interval(void **state UNUSED)
{
	struct fixture fixture;
	struct reported reported;
	const struct count *clock;

	count_intervals(&fixture, &reported, true);
	assert_true(reported.events < 3);
	clock = fixture_item(&fixture, TASK_CLOCK);
	assert_int_equal(reported.raw[TASK_CLOCK], clock->raw);
	assert_int_equal(reported.raw[PAGE_FAULTS], fixture_item(&fixture, PAGE_FAULTS)->raw);
	/* It had some of the intervals, and stands for all. */
	assert_true(clock->running_ns < clock->enabled_ns);
	expect_near(clock->value, (double)clock->raw * (double)clock->enabled_ns / (double)clock->running_ns, 1);
	fixture_release(&fixture);
}

static void an_interval_that_cannot_be_reported(void **state UNUSED)
{
	struct fixture fixture;
	struct reported reported = { .fixture = &fixture, .result = -1 };

	assert_int_equal(pipe(reported.bell), 0);
	setup(&fixture, &two_groups);
	fixture.request.timing.interval_s = 0.02;
	fixture.request.interval = note_interval;
	fixture.request.context = &reported;
	assert_int_equal(fixture_shell(&fixture, arena_printf(&fixture.arena, "read a </dev/fd/%d", reported.bell[0])),
			 -1);
	close(reported.bell[0]);
	close(reported.bell[1]);
	assert_string_equal(fixture.err.text, "nobody listens");
	assert_int_equal(reported.count, 1);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* the program was waited for */
	fixture_release(&fixture);
}

/* Two types on one PMU: each has its plan, its part and its runs, and both are counted at the same time. */
static void two_core_types(void **state UNUSED)
{
	struct fixture fixture, other;
	struct count_type types[2];
	const struct counts *parts;

	setup(&fixture, &two_runs);
	setup(&other, &clock_only);
	types[0] = fixture.type;
	types[1] = other.type;
	types[0].label = "cpu_core";
	types[1].label = "cpu_atom";
	fixture.request.types = types;
	fixture.request.ntypes = 2;
	assert_int_equal(fixture_shell(&fixture, WORK), 0);
	parts = fixture.measured.parts;
	assert_int_equal(fixture.measured.count, 2);
	assert_string_equal(parts[0].origin.part, "cpu_core");
	assert_string_equal(parts[1].origin.part, "cpu_atom");
	assert_int_equal(parts[0].repeats[0].nruns, 2);
	assert_int_equal(parts[0].repeats[0].count, 2);
	assert_int_equal(parts[1].repeats[0].nruns, 1);
	assert_int_equal(parts[1].repeats[0].count, 1);
	/* The same events in the same run, but for the nanoseconds between two groups of one task. */
	expect_near(parts[0].repeats[0].items[0].value, parts[1].repeats[0].items[0].value, 1e6);
	fixture_release(&fixture);
	fixture_release(&other);
}

static void a_limit_ends_each_run(void **state UNUSED)
{
	struct fixture fixture;

	setup(&fixture, &two_runs);
	fixture.request.timing.limit_s = LIMIT_S;
	assert_int_equal(fixture_shell(&fixture, "exec sleep 10"), 0);
	assert_int_equal(fixture.counts.repeats[0].nruns, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(fixture.counts.repeats[0].runs[i].status, 128 + SIGTERM);
		expect_limited(fixture.counts.repeats[0].runs[i].wall_s);
	}
	fixture_release(&fixture);
}

/* A program that takes its time to end is not counted meanwhile: its time is no more than what passed before it. */
static int end_slowly(double limit_s)
{
	struct fixture fixture;
	double began = clock_now(), wall_s;
	int status;

	setup(&fixture, &two_runs);
	fixture.request.timing.limit_s = limit_s;
	assert_int_equal(fixture_shell(&fixture, "trap 'sleep 0.5; exit 5' TERM; while :; do sleep 0.01; done"), 0);
	status = fixture.counts.repeats[0].runs[0].status;
	wall_s = fixture.counts.repeats[0].runs[0].wall_s;
	expect_limited(wall_s);
	if (status == 5)
		assert_true(wall_s + 0.5 <= clock_now() - began);
	fixture_release(&fixture);
	return status;
}

/* One that had no time to say how it ends is killed: then it gets more. */
static void a_slow_end_is_not_counted(void **state UNUSED)
{
	int status;

	for (double limit_s = LIMIT_S; (status = end_slowly(limit_s)) == 128 + SIGTERM;)
		limit_s *= 2;
	assert_int_equal(status, 5);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_cpus),
		cmocka_unit_test(each_core_is_a_part),
		cmocka_unit_test(a_program_by_socket),
		cmocka_unit_test(a_process_that_runs),
		cmocka_unit_test(a_program_decides_how_long),
		cmocka_unit_test(a_process_that_ends_before),
		cmocka_unit_test(it_ends_with_the_process),
		cmocka_unit_test(a_program_of_many_threads),
		cmocka_unit_test(attaching_to_many_threads),
		cmocka_unit_test(threads_that_come_and_go),
		cmocka_unit_test(intervals_sum_to_the_total),
		cmocka_unit_test(a_group_for_each_interval),
		cmocka_unit_test(an_interval_that_cannot_be_reported),
		cmocka_unit_test(two_core_types),
		cmocka_unit_test(a_limit_ends_each_run),
		cmocka_unit_test(a_slow_end_is_not_counted),
	};

	if (argc > 1 && !strcmp(argv[1], "threads")) {
		run_threads(MANY, true);
		return 3;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
