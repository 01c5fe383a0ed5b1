/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler_test.c - real samples of the kernel's clock, of this program itself, which then burns time in ways that the
 * test has chosen. Where this user may not sample, the tests are skipped.
 */
#include "rows.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "count_fixture.h"
#include "sample/sample.h"

enum { THREADS = 300, FAST_NS = 50000, NOBODY = 65534 };

/*
 * The least part of the expected samples that must come: while the host runs others, the guest's time goes on, and of
 * the clock's expiries meanwhile only one is a sample.
 */
#define LEAST 0.2

/* Of a process that others keep from its CPUs: seconds to watch it, at first and at last. */
#define FIRST_LIMIT_S 0.25
#define LAST_LIMIT_S  5.0

/* ---- what is sampled ---- */

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#if __has_attribute(noclone)
#define KEPT __attribute__((noinline, noclone))
#else
#define KEPT __attribute__((noinline)) /* clang makes no clones */
#endif

/* Two functions of the same kind, each in a section of its own, of which the linker knows begin and end. */
#define BURN(name, step)                                                                                               \
	extern const char __start_in_##name[], __stop_in_##name[];                                                     \
	static KEPT __attribute__((section("in_" #name))) void name(double seconds)                                    \
	{                                                                                                              \
		volatile unsigned long sum = 0;                                                                        \
		double end = cpu_seconds() + seconds;                                                                  \
                                                                                                                       \
		while (cpu_seconds() < end)                                                                            \
			for (unsigned long i = 0; i < 200000; i++)                                                     \
				sum = sum + (step);                                                                    \
	}

BURN(burn_long, i)
BURN(burn_short, 3 * i + 1)

static void *burn_in_thread(void *unused UNUSED)
{
	burn_short(0.001);
	return NULL;
}

static void burn_in_threads(void)
{
	pthread_t threads[THREADS];
	size_t count = 0;

	while (count < THREADS && pthread_create(&threads[count], NULL, burn_in_thread, NULL) == 0)
		count++;
	while (count--)
		pthread_join(threads[count], NULL);
}

static int burn(const char *how, double seconds)
{
	if (!strcmp(how, "threads")) {
		burn_in_threads();
	} else if (!strcmp(how, "kill")) {
		burn_short(seconds);
		kill(getpid(), SIGKILL);
	} else {
		burn_long(2 * seconds / 3);
		burn_short(seconds / 3);
	}
	return 0;
}

/* ---- sampling it ---- */

/* A measurement without groups, sampled. */
struct sampling {
	struct fixture fixture;
	struct machine_cpu cpus[256];
	struct profile profile;
	struct sample_event event;
	struct sample_request request;
	struct error err;
};

static void sampling_init(struct sampling *sampling)
{
	static const struct test_plan nothing;
	struct machine *machine = &sampling->fixture.machine;

	fixture_init(&sampling->fixture, &nothing);
	sampling->fixture.type.model = NULL;
	machine->online_cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	for (unsigned i = 0; i < machine->online_cpus && i < COUNT_OF(sampling->cpus); i++)
		sampling->cpus[i] = (struct machine_cpu){ .number = i };
	machine->cpus = sampling->cpus;
	sampling->err = (struct error){ .status = 0 };
	profile_init(&sampling->profile, &sampling->fixture.arena);
	sampling->event = (struct sample_event){ .name = "cpu-clock", .source = SAMPLE_CPU_CLOCK, .frequency = 997 };
	sampling->request = (struct sample_request){
		.events = &sampling->event, .nevents = 1, .stacks = SAMPLE_STACKS_NONE, .machine = machine
	};
}

/* argv NULL: what the request's subject says. The test is skipped where nothing may be sampled. */
static void sampling_run(struct sampling *sampling, char *const *argv)
{
	struct sampler *sampler = sampler_new(&sampling->profile, &sampling->request);
	int status;

	sampling->fixture.request.companion = sampler_companion(sampler);
	status = fixture_count(&sampling->fixture, argv);
	if (sampler_finish(sampler, &sampling->err) < 0) {
		print_message("not sampled: %s\n", sampling->err.text);
		fixture_release(&sampling->fixture);
		skip();
	}
	assert_int_equal(status, 0);
}

static void sampling_burn(struct sampling *sampling, const char *how, const char *seconds)
{
	char self[] = "/proc/self/exe", word[] = "burn";
	char *argv[] = { self, word, arena_strdup(&sampling->fixture.arena, how),
			 arena_strdup(&sampling->fixture.arena, seconds), NULL };

	sampling_run(sampling, argv);
}

/* Samples in a section of this program, by the addresses in its file. */
static double samples_between(const struct profile *profile, const char *begin, const char *end)
{
	Dl_info info;
	uintptr_t base = dladdr(begin, &info) ? (uintptr_t)info.dli_fbase : 0;
	double samples = 0;

	for (uint32_t i = 0; i < profile->nrows; i++) {
		uint64_t address = profile->places[profile->stacks[profile->rows[i].stack].place].address;

		if (address >= (uintptr_t)begin - base && address < (uintptr_t)end - base)
			samples += (double)profile->rows[i].samples;
	}
	return samples;
}

static double samples_in_long(const struct sampling *sampling)
{
	return samples_between(&sampling->profile, __start_in_burn_long, __stop_in_burn_long);
}

static double samples_in_short(const struct sampling *sampling)
{
	return samples_between(&sampling->profile, __start_in_burn_short, __stop_in_burn_short);
}

static const struct profile_event *only_event(const struct sampling *sampling)
{
	assert_int_equal(sampling->profile.nevents, 1);
	return &sampling->profile.events[0];
}

static bool has_remark(const struct sampling *sampling, const char *part)
{
	for (size_t i = 0; i < sampling->profile.nremarks; i++)
		if (strstr(sampling->profile.remarks[i], part))
			return true;
	for (size_t i = 0; i < sampling->profile.nremarks; i++)
		print_message("remark: %s\n", sampling->profile.remarks[i]);
	return false;
}

/* ---- tests ---- */

/* burn_long has two thirds of the time, within 4.5 standard errors of so many samples. */
static void test_shares(void **state UNUSED)
{
	struct sampling sampling;
	double longer, shorter, all;

	sampling_init(&sampling);
	sampling_burn(&sampling, "both", "0.3");
	longer = samples_in_long(&sampling);
	shorter = samples_in_short(&sampling);
	all = longer + shorter;
	print_message("%g + %g of %llu samples\n", longer, shorter, (unsigned long long)only_event(&sampling)->samples);
	assert_true(all > 0.5 * (double)only_event(&sampling)->samples);
	assert_true(fabs(longer / all - 2.0 / 3) < 4.5 * sqrt(2.0 / 9 / all));
	assert_true(only_event(&sampling)->weight > 0.2e9 * LEAST && only_event(&sampling)->weight < 0.9e9);
	assert_true(sampling.profile.seconds > 0.25);
	assert_int_equal(sampling.fixture.counts.repeats[0].nruns, 1);
	assert_int_equal(sampling.profile.nremarks, 0);
	fixture_release(&sampling.fixture);
}

/* Of all that was counted between samples; both: those with both in burn_long. */
static double delta_sum(const struct sampling *sampling, size_t event, bool both)
{
	const struct profile *profile = &sampling->profile;
	Dl_info info;
	uintptr_t base = dladdr(__start_in_burn_long, &info) ? (uintptr_t)info.dli_fbase : 0;
	double sum = 0;

	for (uint32_t i = 0; i < profile->ndeltas; i++) {
		const struct profile_delta *delta = &profile->deltas[i];
		bool is_long = delta->from != PROFILE_NONE;

		for (size_t k = 0; k < 2 && is_long; k++) {
			uint64_t address = profile->places[k ? delta->to : delta->from].address + base;

			is_long =
				address >= (uintptr_t)__start_in_burn_long && address < (uintptr_t)__stop_in_burn_long;
		}
		sum += !both || is_long ? delta->values[event] : 0;
	}
	return sum;
}

/* A group of the kernel's events is read with each sample of the clock among them: the clock's part in burn_long. */
static void test_group(void **state UNUSED)
{
	struct sampling sampling;
	const struct event *members[2];
	double all;

	sampling_init(&sampling);
	members[0] = &sampling.fixture.events[PAGE_FAULTS];
	members[1] = &sampling.fixture.events[TASK_CLOCK];
	sampling.event = (struct sample_event){ .name = "task-clock",
						.source = SAMPLE_EVENT,
						.event = members[1],
						.frequency = 997,
						.members = members,
						.nmembers = 2 };
	sampling.fixture.type.model = &sampling.fixture.model;
	sampling_burn(&sampling, "both", "0.3");
	all = delta_sum(&sampling, 1, false);
	print_message("%g of %g ns, %g faults\n", delta_sum(&sampling, 1, true), all, delta_sum(&sampling, 0, false));
	assert_int_equal(sampling.profile.ngroups, 1);
	assert_string_equal(sampling.profile.groups[0].events[0], "page-faults");
	assert_true(all > 0.2e9 && all < 0.9e9);
	assert_true(delta_sum(&sampling, 1, true) > 0.4 * all && delta_sum(&sampling, 1, true) < 0.7 * all);
	assert_true(delta_sum(&sampling, 0, false) > 10);
	assert_true(delta_sum(&sampling, 0, true) < 0.5 * delta_sum(&sampling, 0, false));
	fixture_release(&sampling.fixture);
}

static void test_threads(void **state UNUSED)
{
	struct sampling sampling;

	sampling_init(&sampling);
	sampling.event.frequency = 0;
	sampling.event.period = FAST_NS;
	sampling_burn(&sampling, "threads", "0");
	assert_in_range(sampling.profile.ntasks, THREADS - 10, THREADS + 1);
	for (uint32_t i = 1; i < sampling.profile.ntasks; i++)
		assert_int_equal(sampling.profile.tasks[i].pid, sampling.profile.tasks[0].pid);
	fixture_release(&sampling.fixture);
}

/* What the program starts, by fork and exec, is sampled with its own mappings. */
static void test_children(void **state UNUSED)
{
	struct sampling sampling;
	char shell[] = "/bin/sh", option[] = "-c", self[4096] = "";
	char *argv[] = { shell, option, NULL, NULL };
	size_t burning = 0;

	sampling_init(&sampling);
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	argv[2] = arena_printf(&sampling.fixture.arena, "for i in 1 2 3 4; do (%s burn both 0.03; true); done", self);
	sampling_run(&sampling, argv);
	for (uint32_t i = 0; i < sampling.profile.ntasks; i++)
		burning += !strcmp(sampling.profile.tasks[i].program, "sampler_test");
	assert_int_equal(burning, 4);
	assert_true(samples_in_long(&sampling) + samples_in_short(&sampling) > LEAST * 4 * 30);
	fixture_release(&sampling.fixture);
}

/* While an interval is reported, nobody reads. */
static int dawdle(void *context UNUSED, const struct measurement *interval UNUSED, struct error *err UNUSED)
{
	static const struct timespec pause = { .tv_nsec = 20000000 };

	nanosleep(&pause, NULL);
	return 0;
}

/* Copies of stacks fill a tiny ring; what came and what was lost is all there was. */
static void test_lost(void **state UNUSED)
{
	struct sampling sampling;
	const struct profile_event *event;

	sampling_init(&sampling);
	sampling.event.frequency = 0;
	sampling.event.period = FAST_NS;
	sampling.request.stacks = SAMPLE_STACKS_CFI;
	sampling.request.buffer_bytes = 16384;
	sampling.fixture.request.timing.interval_s = 0.05;
	sampling.fixture.request.interval = dawdle;
	sampling_burn(&sampling, "both", "0.2");
	event = only_event(&sampling);
	print_message("%llu came, %llu lost\n", (unsigned long long)event->samples, (unsigned long long)event->lost);
	assert_true(event->lost > 0);
	assert_true(has_remark(&sampling, "were lost"));
	/* What was lost last nobody says: the kernel does so in front of the next sample that has room. */
	assert_in_range(event->samples + event->lost, 200000000 / FAST_NS / 20, 200000000 / FAST_NS * 2);
	fixture_release(&sampling.fixture);
}

static void test_kill(void **state UNUSED)
{
	struct sampling sampling;

	sampling_init(&sampling);
	sampling_burn(&sampling, "kill", "0.1");
	assert_true(samples_in_short(&sampling) > LEAST * 100);
	fixture_release(&sampling.fixture);
}

static bool sample_late(const char *seconds)
{
	struct sampling sampling;
	bool is_enough;

	sampling_init(&sampling);
	sampling.fixture.request.timing.delay_s = 0.15; /* of wall time, so no more than that of CPU time */
	sampling_burn(&sampling, "both", seconds);
	is_enough = only_event(&sampling)->weight > 0.1e9 * LEAST && samples_in_short(&sampling) > LEAST * 100 &&
		    sampling.profile.seconds > 0;
	fixture_release(&sampling.fixture);
	return is_enough;
}

/* On a busy host sampling may begin much later than that, even after the program's end: then a longer one. */
static void test_delay(void **state UNUSED)
{
	assert_true(sample_late("0.3") || sample_late("1.2") || sample_late("5"));
}

static pid_t start_burning(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		burn_short(60);
		_exit(0);
	}
	return pid;
}

static int drop_interval(void *context UNUSED, const struct measurement *interval UNUSED, struct error *err UNUSED)
{
	return 0;
}

/* Is that as many samples, over as many intervals, as a check needs? */
static bool attach(double limit_s)
{
	struct sampling sampling;
	pid_t pid = start_burning();
	bool is_enough;

	sampling_init(&sampling);
	sampling.fixture.request.subject =
		(struct subject){ .kind = SUBJECT_PROCESSES, .ids = &pid, .nids = 1, .name = "it" };
	sampling.fixture.request.timing.limit_s = limit_s;
	sampling.fixture.request.timing.interval_s = 0.05;
	sampling.fixture.request.interval = drop_interval;
	sampling_run(&sampling, NULL);
	assert_int_equal(kill(pid, 0), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	is_enough = sampling.profile.nrows && samples_in_short(&sampling) > 3 &&
		    sampling.profile.rows[sampling.profile.nrows - 1].interval >= 2;
	if (is_enough) {
		assert_int_equal(sampling.profile.ntasks, 1);
		assert_int_equal(sampling.profile.tasks[0].pid, pid);
		assert_string_equal(sampling.profile.tasks[0].name, "sampler_test");
		assert_true(samples_in_short(&sampling) > 0.2 * (double)only_event(&sampling)->samples);
	}
	fixture_release(&sampling.fixture);
	return is_enough;
}

/* A process that runs already, in intervals; it goes on afterwards. A busy host gives it little of the time. */
static void test_attach(void **state UNUSED)
{
	double limit_s = FIRST_LIMIT_S;

	while (!attach(limit_s)) {
		limit_s *= 4;
		assert_true(limit_s < LAST_LIMIT_S);
	}
}

static bool sample_cpus(double limit_s)
{
	struct sampling sampling;
	pid_t pid = start_burning();
	bool has_it = false, is_enough;

	sampling_init(&sampling);
	sampling.fixture.request.subject = (struct subject){ .kind = SUBJECT_CPUS, .name = "all CPUs" };
	sampling.fixture.request.timing.limit_s = limit_s;
	sampling_run(&sampling, NULL);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	for (uint32_t i = 0; i < sampling.profile.ntasks; i++) {
		has_it = has_it || sampling.profile.tasks[i].pid == (uint32_t)pid;
		assert_true(sampling.profile.tasks[i].pid != 0);
	}
	is_enough = has_it && samples_in_short(&sampling) > 10;
	fixture_release(&sampling.fixture);
	return is_enough;
}

/* All CPUs: the process that was there before is among them, and idle time is not. */
static void test_cpus(void **state UNUSED)
{
	double limit_s = FIRST_LIMIT_S;

	while (!sample_cpus(limit_s)) {
		limit_s *= 4;
		assert_true(limit_s < LAST_LIMIT_S);
	}
}

/* In a child that is an ordinary user: 0, or why not; 77: not even that is allowed. */
static int sample_as_nobody(void)
{
	char shell[] = "/bin/sh", option[] = "-c", script[] = "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done";
	char *argv[] = { shell, option, script, NULL };
	struct sampling sampling;
	struct sampler *sampler;

	/* One that has changed its user may not be watched by that user, unless it says so. */
	if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0 || prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
		return 77;
	sampling_init(&sampling);
	sampling.request.buffer_bytes = (size_t)256 << 20;
	sampler = sampler_new(&sampling.profile, &sampling.request);
	sampling.fixture.request.companion = sampler_companion(sampler);
	if (fixture_count(&sampling.fixture, argv) < 0 || sampler_finish(sampler, &sampling.err) < 0) {
		print_message("not sampled: %s%s\n", sampling.fixture.err.text, sampling.err.text);
		return 77;
	}
	if (!only_event(&sampling)->samples || !has_remark(&sampling, "KiB per CPU instead of 262144 KiB"))
		return 1;
	for (uint32_t i = 0; i < sampling.profile.nmodules; i++)
		if (sampling.profile.modules[i].kind == MODULE_KERNEL)
			return 2;
	return has_remark(&sampling, "perf_event_paranoid") ? 0 : 3;
}

static void test_small_buffer(void **state UNUSED)
{
	int status = 0, paranoid = 0;
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
	pid_t pid;

	if (file && fscanf(file, "%d", &paranoid) != 1)
		paranoid = 0;
	if (file)
		fclose(file);
	if (getuid() != 0 || paranoid != 2)
		skip();
	pid = fork();
	if (pid == 0)
		_exit(sample_as_nobody());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

/* The kernel's clock has no branch records. */
static void test_branches(void **state UNUSED)
{
	struct sampling sampling;

	sampling_init(&sampling);
	sampling.request.stacks = SAMPLE_STACKS_LBR;
	sampling_burn(&sampling, "both", "0.05");
	assert_true(samples_in_long(&sampling) > LEAST * 33);
	assert_true(has_remark(&sampling, "branch records"));
	assert_int_equal(sampling.profile.rows[0].method, STACK_FP);
	fixture_release(&sampling.fixture);
}

/* An event that no kernel has: the sentence says which one. */
static void test_refused(void **state UNUSED)
{
	struct sampling sampling;
	struct sampler *sampler;
	char program[] = "/bin/true";
	char *argv[] = { program, NULL };

	sampling_init(&sampling);
	sampling.fixture.type.model = &sampling.fixture.model;
	sampling.event = (struct sample_event){
		.name = "unknown", .source = SAMPLE_EVENT, .event = &sampling.fixture.events[UNKNOWN], .period = 1000
	};
	sampler = sampler_new(&sampling.profile, &sampling.request);
	sampling.fixture.request.companion = sampler_companion(sampler);
	assert_int_equal(fixture_count(&sampling.fixture, argv), -1);
	assert_int_equal(sampler_finish(sampler, &sampling.err), -1);
	assert_string_equal(sampling.err.text, sampling.fixture.err.text);
	assert_non_null(strstr(sampling.err.text, "unknown"));
	fixture_release(&sampling.fixture);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares),	     cmocka_unit_test(test_group),   cmocka_unit_test(test_threads),
		cmocka_unit_test(test_children),     cmocka_unit_test(test_lost),    cmocka_unit_test(test_kill),
		cmocka_unit_test(test_delay),	     cmocka_unit_test(test_attach),  cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_small_buffer), cmocka_unit_test(test_refused), cmocka_unit_test(test_branches),
	};

	if (argc == 4 && !strcmp(argv[1], "burn"))
		return burn(argv[2], strtod(argv[3], NULL));
	setenv("ASAN_OPTIONS", "detect_leaks=0", 0); /* else what is sampled has a process more at its end */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
