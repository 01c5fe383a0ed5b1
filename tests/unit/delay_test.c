/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When counting begins and pauses: page faults of a program that chooses their number while it is counted, and while not. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "count_fixture.h"
#include "rows.h"
#include "scratch.h"

#define COUNTED	      500	      /* pages, each time */
#define UNCOUNTED     20000	      /* pages */
#define SLACK	      200	      /* pages that the program touches besides: of its stack, the library ... */
#define BEGIN_AND_END (UNCOUNTED / 2) /* more than exec, the loader and the end take, sanitizers included */
#define DELAY_S	      0.6	      /* much longer than the pages take on a busy machine */
#define INTERVAL_S    0.02

static const struct test_plan faults_only = { { { 0, { PAGE_FAULTS }, 1 } } };
static const struct test_plan two_runs = { { { 0, { PAGE_FAULTS }, 1 }, { 1, { TASK_CLOCK }, 1 } } };

/* The program. */

static void touch(size_t pages)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *area =
		mmap(NULL, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (area == MAP_FAILED)
		_exit(9);
	madvise((void *)area, pages * size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		area[i * size] = 1;
	munmap((void *)area, pages * size);
}

/* Writes the word as somebody else would, who is gone then, and waits for the answer. */
static void say(const char *fifo, const char *word, int answers)
{
	char answer[100];
	ssize_t got;
	int fd = open(fifo, O_WRONLY);

	if (fd < 0 || write(fd, word, strlen(word)) < 0)
		_exit(8);
	close(fd);
	got = read(answers, answer, sizeof(answer));
	if (got < 4 || (memcmp(answer, "ack\n", 4) != 0) != !strcmp(word, "nonsense\n"))
		_exit(7);
}

static int run_controlled(char **argv)
{
	int answers = open(argv[3], O_RDWR);

	touch(UNCOUNTED);
	for (int i = 0; i < 2; i++) {
		say(argv[2], "enable\n", answers);
		say(argv[2], "enable\n", answers); /* does nothing */
		touch(COUNTED);
		say(argv[2], "nonsense\n", answers);
		usleep(50000);
		say(argv[2], "disable\n", answers);
		say(argv[2], "\ndisable\n", answers);
		touch(UNCOUNTED);
	}
	usleep(300000);
	return 5;
}

static int run_late(void)
{
	touch(UNCOUNTED);
	usleep((unsigned)(2e6 * DELAY_S));
	touch(COUNTED);
	return 0;
}

/* The signal has no answer: counting begins within a second, or the pages are missed. */
static int run_signalling(void)
{
	touch(UNCOUNTED);
	kill(getppid(), SIGUSR2);
	kill(getppid(), SIGUSR2);
	for (int i = 0; i < 20; i++) {
		usleep(50000);
		touch(COUNTED / 20);
	}
	return 0;
}

/* The tests. */

struct fifos {
	struct scratch scratch;
	char words[256], answers[256], both[600];
};

static void fifos_init(struct fifos *fifos)
{
	scratch_init(&fifos->scratch);
	snprintf(fifos->words, sizeof(fifos->words), "%s/words", fifos->scratch.path);
	snprintf(fifos->answers, sizeof(fifos->answers), "%s/answers", fifos->scratch.path);
	snprintf(fifos->both, sizeof(fifos->both), "%s,%s", fifos->words, fifos->answers);
	assert_int_equal(mkfifo(fifos->words, 0600), 0);
	assert_int_equal(mkfifo(fifos->answers, 0600), 0);
}

static int count_self(struct fixture *fixture, const char *how, struct fifos *fifos)
{
	static char self[] = "/proc/self/exe";
	char *argv[] = { self, arena_strdup(&fixture->arena, how), fifos ? fifos->words : NULL,
			 fifos ? fifos->answers : NULL, NULL };

	return fixture_count(fixture, argv);
}

static void expect_faults(const struct fixture *fixture, double pages, double besides)
{
	double faults = fixture_value(fixture, PAGE_FAULTS);

	if (!(faults >= pages && faults <= pages + besides))
		fail_msg("%g page faults, expected %g and some", faults, pages);
}

static bool has_remark(const struct fixture *fixture, const char *text)
{
	for (size_t i = 0; i < fixture->counts.repeats[0].nremarks; i++)
		if (strstr(fixture->counts.repeats[0].remarks[i], text))
			return true;
	return false;
}

static double cpu_s(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

struct reported {
	double seconds;
	uint64_t raw;
	size_t count;
};

static int note_interval(void *context, const struct measurement *interval, struct error *err UNUSED)
{
	struct reported *reported = context;

	assert_true(fabs(interval->from_s - reported->seconds) < 1e-9);
	reported->seconds = interval->to_s;
	reported->raw += interval->parts[0].repeats[0].items[0].raw;
	reported->count++;
	return 0;
}

/* Enabled twice, paused twice, by somebody who comes and goes. */
static void controlled(void **state UNUSED)
{
	struct fixture fixture;
	struct fifos fifos;
	double cpu = cpu_s();

	fifos_init(&fifos);
	fixture_init(&fixture, &faults_only);
	fixture.request.timing = (struct timing){ .delay_s = WAIT_FOR_SIGUSR2, .control = fifos.both };
	assert_int_equal(count_self(&fixture, "controlled", &fifos), 0);
	assert_int_equal(fixture.counts.repeats[0].runs[0].status, 5);
	expect_faults(&fixture, 2 * COUNTED, SLACK);
	assert_true(fixture.counts.repeats[0].runs[0].wall_s > 0.1);
	assert_true(has_remark(&fixture, "--control got 'nonsense'"));
	assert_true(has_remark(&fixture, "before SIGUSR2"));
	assert_true(cpu_s() - cpu < 0.3); /* a writer that has gone keeps nobody busy */
	fixture_release(&fixture);
	scratch_release(&fifos.scratch);
}

/* Without a delay all is counted until it is paused. */
static void controlled_from_the_start(void **state UNUSED)
{
	struct fixture fixture;
	struct fifos fifos;

	fifos_init(&fifos);
	fixture_init(&fixture, &faults_only);
	fixture.request.timing.control = fifos.both;
	assert_int_equal(count_self(&fixture, "controlled", &fifos), 0);
	expect_faults(&fixture, UNCOUNTED + 2 * COUNTED, BEGIN_AND_END);
	assert_true(isnan(fixture.counts.repeats[0].runs[0].cpu_s) || fixture.counts.repeats[0].runs[0].cpu_s < 10);
	fixture_release(&fixture);
	scratch_release(&fifos.scratch);
}

static void controlled_in_intervals(void **state UNUSED)
{
	struct fixture fixture;
	struct fifos fifos;
	struct reported reported = { .count = 0 };

	fifos_init(&fifos);
	fixture_init(&fixture, &faults_only);
	fixture.request.timing =
		(struct timing){ .delay_s = WAIT_FOR_SIGUSR2, .control = fifos.both, .interval_s = INTERVAL_S };
	fixture.request.interval = note_interval;
	fixture.request.context = &reported;
	assert_int_equal(count_self(&fixture, "controlled", &fifos), 0);
	expect_faults(&fixture, 2 * COUNTED, SLACK);
	assert_true(reported.count >= 4);
	assert_int_equal(reported.raw, fixture_item(&fixture, PAGE_FAULTS)->raw);
	assert_true(fabs(reported.seconds - fixture.counts.repeats[0].runs[0].wall_s) < 1e-9);
	fixture_release(&fixture);
	scratch_release(&fifos.scratch);
}

static void stopped(void **state UNUSED)
{
	struct fixture fixture;
	struct fifos fifos;

	fifos_init(&fifos);
	fixture_init(&fixture, &faults_only);
	fixture.request.timing.control = fifos.words;
	assert_int_equal(fixture_shell(&fixture, arena_printf(&fixture.arena,
							      "trap 'exit 6' TERM; echo stop >%s; while :; do :; done",
							      fifos.words)),
			 0);
	assert_int_equal(fixture.counts.repeats[0].runs[0].status, 6);
	assert_int_equal(fixture_item(&fixture, PAGE_FAULTS)->state, COUNT_OK);
	fixture_release(&fixture);
	scratch_release(&fifos.scratch);
}

static void bad_fifos(void **state UNUSED)
{
	static const struct {
		const char *paths, *said;
	} rows[] = {
		{ "/no/such/fifo",
		  "--control /no/such/fifo: No such file or directory; `mkfifo /no/such/fifo` makes it" },
		{ "/etc/passwd", "not a FIFO" },
		{ "", "--control: which FIFO?" },
	};
	struct fixture fixture;
	struct fifos fifos;

	fixture_init(&fixture, &faults_only);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		fixture.request.timing.control = rows[i].paths;
		assert_int_equal(fixture_shell(&fixture, "exit 0"), -1);
		assert_non_null(strstr(fixture.err.text, rows[i].said));
	}
	fifos_init(&fifos);
	fixture.request.timing.control = arena_printf(&fixture.arena, "%s,%s", fifos.words, fifos.words);
	assert_int_equal(fixture_shell(&fixture, "exit 0"), -1);
	assert_non_null(strstr(fixture.err.text, "the answers need a FIFO of their own"));
	fixture.request.timing.control = arena_printf(&fixture.arena, "%s,", fifos.words);
	assert_int_equal(fixture_shell(&fixture, "exit 0"), -1);
	assert_non_null(strstr(fixture.err.text, "--control: which FIFO?"));
	scratch_release(&fifos.scratch);
	fixture_release(&fixture);
}

/* Faults until it is killed. */
static pid_t start_toucher(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		alarm(20);
		for (;;)
			touch(10);
	}
	return pid;
}

static void end_toucher(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Where there is no program, the word ends it. */
static void stopped_without_a_program(void **state UNUSED)
{
	struct fixture fixture;
	struct fifos fifos;
	pid_t pid = start_toucher(), other;

	fifos_init(&fifos);
	other = fork();
	if (other == 0) {
		int fd = open(fifos.words, O_WRONLY);

		usleep(200000);
		_exit(write(fd, "sto", 3) != 3 || write(fd, "p\n", 2) != 2); /* a word may come in parts */
	}
	fixture_init(&fixture, &faults_only);
	fixture.request.subject = (struct subject){ .kind = SUBJECT_PROCESSES, .ids = &pid, .nids = 1, .name = "it" };
	fixture.request.timing = (struct timing){ .control = fifos.words, .limit_s = 15 };
	assert_int_equal(fixture_count(&fixture, NULL), 0);
	assert_true(fixture.counts.repeats[0].runs[0].wall_s < 10);
	assert_true(fixture_value(&fixture, PAGE_FAULTS) > 0);
	assert_int_equal(waitpid(other, NULL, 0), other);
	end_toucher(pid);
	fixture_release(&fixture);
	scratch_release(&fifos.scratch);
}

static void after_sigusr2(void **state UNUSED)
{
	struct fixture fixture;

	fixture_init(&fixture, &faults_only);
	fixture.request.timing.delay_s = WAIT_FOR_SIGUSR2;
	assert_int_equal(count_self(&fixture, "signalling", NULL), 0);
	assert_true(fixture_value(&fixture, PAGE_FAULTS) > 0);
	assert_true(fixture_value(&fixture, PAGE_FAULTS) <= COUNTED + BEGIN_AND_END);
	assert_true(fixture.counts.repeats[0].runs[0].wall_s > 0.1);
	fixture_release(&fixture);
}

/* Each run of the program begins with the part that is not counted. */
static void after_a_while(void **state UNUSED)
{
	struct fixture fixture;

	fixture_init(&fixture, &two_runs);
	fixture.request.timing.delay_s = DELAY_S;
	assert_int_equal(count_self(&fixture, "late", NULL), 0);
	assert_int_equal(fixture.counts.repeats[0].nruns, 2);
	expect_faults(&fixture, COUNTED, BEGIN_AND_END);
	assert_int_equal(fixture_item(&fixture, TASK_CLOCK)->state, COUNT_OK);
	for (size_t i = 0; i < 2; i++)
		assert_true(fixture.counts.repeats[0].runs[i].wall_s > 0.5 * DELAY_S &&
			    fixture.counts.repeats[0].runs[i].wall_s < 10);
	assert_true(has_remark(&fixture, "The first 600 ms were not counted"));
	fixture_release(&fixture);
}

static void over_before_the_delay(void **state UNUSED)
{
	static const double delays[] = { 100, WAIT_FOR_SIGUSR2 };
	static const char *const said[] = { "before the delay of 100000 ms", "before SIGUSR2" };
	struct fixture fixture;

	for (size_t i = 0; i < COUNT_OF(delays); i++) {
		fixture_init(&fixture, &two_runs);
		fixture.request.timing.delay_s = delays[i];
		assert_int_equal(fixture_shell(&fixture, "exit 0"), 0);
		assert_int_equal(fixture_item(&fixture, PAGE_FAULTS)->state, COUNT_NEVER_RAN);
		assert_int_equal(fixture.counts.repeats[0].nruns, 1); /* the next one would be no better */
		assert_true(has_remark(&fixture, said[i]));
		assert_int_equal(fixture.counts.repeats[0].nremarks, 1);
		fixture_release(&fixture);
	}
}

/* The time that was asked for is counted, however late it begins. */
static void a_duration_behind_a_delay(void **state UNUSED)
{
	struct fixture fixture;
	pid_t pid = start_toucher();

	fixture_init(&fixture, &faults_only);
	fixture.request.subject = (struct subject){ .kind = SUBJECT_PROCESSES, .ids = &pid, .nids = 1, .name = "it" };
	fixture.request.timing = (struct timing){ .delay_s = 0.2, .limit_s = 0.1 };
	assert_int_equal(fixture_count(&fixture, NULL), 0);
	assert_true(fixture.counts.repeats[0].runs[0].wall_s > 0.09);
	assert_true(fixture_value(&fixture, PAGE_FAULTS) > 0);
	end_toucher(pid);
	fixture_release(&fixture);
}

static int run_as(char **argv)
{
	if (!strcmp(argv[1], "controlled"))
		return run_controlled(argv);
	return !strcmp(argv[1], "late") ? run_late() : run_signalling();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(controlled),
		cmocka_unit_test(controlled_from_the_start),
		cmocka_unit_test(controlled_in_intervals),
		cmocka_unit_test(stopped),
		cmocka_unit_test(stopped_without_a_program),
		cmocka_unit_test(bad_fifos),
		cmocka_unit_test(after_sigusr2),
		cmocka_unit_test(after_a_while),
		cmocka_unit_test(over_before_the_delay),
		cmocka_unit_test(a_duration_behind_a_delay),
	};

	if (argc > 1)
		return run_as(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
