/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler_test.c - real samples of the kernel's clock, of this program itself, which then burns time in ways that the
 * test has chosen. Where this user may not sample, the tests are skipped.
 */
#include "rows.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "burning.h"
#include "collect/sample/sample.h"
#include "count_fixture.h"
#include "scratch.h"

enum { FAST_NS = 50000, NOBODY = 65534 };

/*
 * The least part of the expected samples that must come: the clock is the guest's, whose expiries are not all samples where its
 * host is busy. Work is chosen so that it takes as long on a CPU of its own, and longer where others have it too.
 */
#define LEAST 0.2

/* ---- sampling it ---- */

/* A measurement without groups, sampled. */
struct sampling {
	struct fixture fixture;
	struct machine_cpu cpus[256];
	struct profile profile;
	struct sample_event event;
	struct sample_request request;
	struct error err;
	struct sampler_observer place;
	struct observer *observers[2];
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

static void sampling_observe(struct sampling *sampling, struct sampler *sampler)
{
	sampler_observer_init(&sampling->place);
	sampling->place.sampler = sampler;
	sampling->place.observer.runs = sampler_runs(sampler);
	sampling->observers[0] = &sampling->place.observer;
	sampling->observers[1] = NULL;
	sampling->fixture.request.observers = sampling->observers;
}

/* argv NULL: what the request's subject says. The test is skipped where nothing may be sampled. */
static void sampling_run(struct sampling *sampling, char *const *argv)
{
	struct sampler *sampler = sampler_new(&sampling->profile, &sampling->request);
	int status;

	sampling_observe(sampling, sampler);
	status = fixture_count(&sampling->fixture, argv);
	if (sampler_finish(sampler, &sampling->err) < 0) {
		print_message("not sampled: %s\n", sampling->err.text);
		fixture_release(&sampling->fixture);
		skip();
	}
	assert_int_equal(status, 0);
}

/* Pipes to a program that burns: it begins with a byte of the first and ends with one to the second. */
struct signs {
	int go[2], done[2];
	char go_fd[16], done_fd[16];
	bool is_gone;
};

static void signs_init(struct signs *signs)
{
	*signs = (struct signs){ .is_gone = false };
	assert_true(pipe(signs->go) == 0 && pipe(signs->done) == 0);
	snprintf(signs->go_fd, sizeof(signs->go_fd), "%d", signs->go[0]);
	snprintf(signs->done_fd, sizeof(signs->done_fd), "%d", signs->done[1]);
}

static void signs_release(const struct signs *signs)
{
	for (size_t i = 0; i < 2; i++) {
		close(signs->go[i]);
		close(signs->done[i]);
	}
}

/* signs may be NULL. */
static void sampling_burn(struct sampling *sampling, const char *how, const char *seconds, struct signs *signs)
{
	char self[] = "/proc/self/exe", word[] = "burn";
	char *argv[] = { self,
			 word,
			 arena_strdup(&sampling->fixture.arena, how),
			 arena_strdup(&sampling->fixture.arena, seconds),
			 signs ? signs->go_fd : NULL,
			 signs ? signs->done_fd : NULL,
			 NULL };

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
	sampling_burn(&sampling, "turns", "0.3", NULL);
	longer = samples_in_long(&sampling);
	shorter = samples_in_short(&sampling);
	all = longer + shorter;
	print_message("%g + %g of %llu samples\n", longer, shorter, (unsigned long long)only_event(&sampling)->samples);
	assert_true(all > 0.5 * (double)only_event(&sampling)->samples);
	assert_true(fabs(longer / all - 2.0 / 3) < 4.5 * sqrt(2.0 / 9 / all));
	assert_true(only_event(&sampling)->weight > 0.2e9 * LEAST);
	assert_true(only_event(&sampling)->weight < 1.1e9 * sampling.fixture.counts.repeats[0].runs[0].cpu_s + 1e7);
	assert_true(sampling.profile.seconds > 0);
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
	sampling_burn(&sampling, "clock", "0.3", NULL);
	all = delta_sum(&sampling, 1, false);
	print_message("%g of %g ns, %g faults\n", delta_sum(&sampling, 1, true), all, delta_sum(&sampling, 0, false));
	assert_int_equal(sampling.profile.ngroups, 1);
	assert_string_equal(sampling.profile.groups[0].events[0], "page-faults");
	assert_true(all > 0.2e9);
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
	sampling_burn(&sampling, "threads", "0", NULL);
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

/* While an interval is reported, nobody reads: the program burns its time then. */
static int look_away(void *context, const struct measurement *interval UNUSED, struct error *err UNUSED)
{
	struct signs *signs = context;
	char byte;

	if (!signs->is_gone) {
		signs->is_gone = true;
		assert_int_equal(write(signs->go[1], "", 1), 1);
		assert_int_equal(read(signs->done[0], &byte, 1), 1);
	}
	return 0;
}

/* Copies of stacks fill a tiny ring; what came and what was lost is all there was. */
static void test_lost(void **state UNUSED)
{
	struct sampling sampling;
	const struct profile_event *event;
	struct signs signs;

	sampling_init(&sampling);
	signs_init(&signs);
	sampling.event.frequency = 0;
	sampling.event.period = FAST_NS;
	sampling.request.stacks = SAMPLE_STACKS_CFI;
	sampling.request.buffer_bytes = 16384;
	sampling.fixture.request.timing.interval_s = 0.05;
	sampling.fixture.request.interval = look_away;
	sampling.fixture.request.context = &signs;
	sampling_burn(&sampling, "both", "0.2", &signs);
	event = only_event(&sampling);
	print_message("%llu came, %llu lost\n", (unsigned long long)event->samples, (unsigned long long)event->lost);
	assert_true(event->lost > 0);
	assert_true(has_remark(&sampling, "were lost"));
	/* What was lost last nobody says: the kernel does so in front of the next sample that has room. */
	assert_true(event->samples + event->lost > 200000000 / FAST_NS / 20);
	signs_release(&signs);
	fixture_release(&sampling.fixture);
}

static void test_kill(void **state UNUSED)
{
	struct sampling sampling;

	sampling_init(&sampling);
	sampling_burn(&sampling, "kill", "0.1", NULL);
	assert_true(samples_in_short(&sampling) > LEAST * 100);
	fixture_release(&sampling.fixture);
}

/* An interval ends when sampling has begun: then the program does. */
static int let_go(void *context, const struct measurement *interval UNUSED, struct error *err UNUSED)
{
	struct signs *signs = context;

	if (!signs->is_gone)
		assert_int_equal(write(signs->go[1], "", 1), 1);
	signs->is_gone = true;
	return 0;
}

static void test_delay(void **state UNUSED)
{
	struct sampling sampling;
	struct signs signs;

	sampling_init(&sampling);
	signs_init(&signs);
	sampling.fixture.request.timing = (struct timing){ .delay_s = 0.15, .interval_s = 0.05 };
	sampling.fixture.request.interval = let_go;
	sampling.fixture.request.context = &signs;
	sampling_burn(&sampling, "both", "0.3", &signs);
	assert_true(only_event(&sampling)->weight > 0.1e9 * LEAST);
	assert_true(samples_in_short(&sampling) > LEAST * 100);
	assert_true(sampling.profile.seconds > 0);
	signs_release(&signs);
	fixture_release(&sampling.fixture);
}

/* Until it is killed. */
static pid_t start_burning(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			burn_short(BLOCKS);
	}
	return pid;
}

/* A measurement that goes on until it has what a test needs: however little of the time a busy host gives it. */
struct patience {
	const struct sampling *sampling;
	double samples; /* in burn_short */
	size_t intervals;
	struct scratch scratch;
	char words[300]; /* the FIFO whose word ends the measurement */
	bool is_over;
};

static int look_whether_enough(void *context, const struct measurement *interval UNUSED, struct error *err UNUSED)
{
	struct patience *patience = context;
	const struct profile *profile = &patience->sampling->profile;
	int fd;

	if (patience->is_over || !profile->nrows || samples_in_short(patience->sampling) <= patience->samples ||
	    profile->rows[profile->nrows - 1].interval < patience->intervals)
		return 0;
	fd = open(patience->words, O_WRONLY);
	assert_int_equal(write(fd, "stop\n", 5), 5);
	close(fd);
	patience->is_over = true;
	return 0;
}

static void sampling_wait(struct sampling *sampling, struct patience *patience)
{
	patience->sampling = sampling;
	patience->is_over = false;
	scratch_init(&patience->scratch);
	snprintf(patience->words, sizeof(patience->words), "%s/words", patience->scratch.path);
	assert_int_equal(mkfifo(patience->words, 0600), 0);
	sampling->fixture.request.timing = (struct timing){ .interval_s = 0.05, .control = patience->words };
	sampling->fixture.request.interval = look_whether_enough;
	sampling->fixture.request.context = patience;
	sampling_run(sampling, NULL);
	scratch_release(&patience->scratch);
}

/* A process that runs already, in intervals; it goes on afterwards. */
static void test_attach(void **state UNUSED)
{
	struct patience patience = { .samples = 10, .intervals = 2 };
	struct sampling sampling;
	pid_t pid = start_burning();

	sampling_init(&sampling);
	sampling.fixture.request.subject =
		(struct subject){ .kind = SUBJECT_PROCESSES, .ids = &pid, .nids = 1, .name = "it" };
	sampling_wait(&sampling, &patience);
	assert_int_equal(kill(pid, 0), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(sampling.profile.ntasks, 1);
	assert_int_equal(sampling.profile.tasks[0].pid, pid);
	assert_string_equal(sampling.profile.tasks[0].name, "sampler_test");
	assert_true(samples_in_short(&sampling) > 0.2 * (double)only_event(&sampling)->samples);
	fixture_release(&sampling.fixture);
}

/* All CPUs: the process that was there before is among them, and idle time is not; processes outside a container are. */
static void test_cpus(void **state UNUSED)
{
	struct patience patience = { .samples = 10 };
	struct sampling sampling;
	pid_t pid = start_burning();
	bool has_it = false;

	sampling_init(&sampling);
	sampling.fixture.request.subject = (struct subject){ .kind = SUBJECT_CPUS, .name = "all CPUs" };
	sampling_wait(&sampling, &patience);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	for (uint32_t i = 0; i < sampling.profile.ntasks; i++) {
		has_it = has_it || sampling.profile.tasks[i].pid == (uint32_t)pid;
		assert_true(sampling.profile.tasks[i].pid || !strcmp(sampling.profile.tasks[i].name, "outside"));
	}
	assert_true(has_it);
	fixture_release(&sampling.fixture);
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
	sampling_observe(&sampling, sampler);
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
	sampling_burn(&sampling, "both", "0.05", NULL);
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
	sampling_observe(&sampling, sampler);
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

	if (argc >= 4 && !strcmp(argv[1], "burn"))
		return burn(&argv[2]);
	setenv("ASAN_OPTIONS", "detect_leaks=0", 0); /* else what is sampled has a process more at its end */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
