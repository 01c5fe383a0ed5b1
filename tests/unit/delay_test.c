/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When counting begins and pauses: page faults of a program that chooses their number while it is counted, and while not. */
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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
#define DELAY_S	      0.6	      /* the pages should take no longer; where they do, it is tried with more */
#define TOO_LATE      75	      /* how the program ends then */
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

/* Fields of /proc/PID/stat behind the name: utime and stime are 14 and 15, the start is 22; all are clock ticks. */
static long stat_field(const char *pid, unsigned number)
{
	char path[64], text[1024] = "", *at;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	file = fopen(path, "r");
	if (!file || !fgets(text, sizeof(text), file) || !(at = strrchr(text, ')')))
		_exit(6);
	fclose(file);
	for (at += 2, number -= 3; number; number--)
		at = strchr(at, ' ') + 1;
	return strtol(at, NULL, 10);
}

/* Does nothing for a while; who counts has nothing to do then either: a third of that time would be a loop that spins. */
static void be_quiet(void)
{
	char parent[16];
	long ticks;

	snprintf(parent, sizeof(parent), "%d", (int)getppid());
	ticks = stat_field(parent, 14) + stat_field(parent, 15);
	usleep(300000);
	ticks = stat_field(parent, 14) + stat_field(parent, 15) - ticks;
	if ((double)ticks / (double)sysconf(_SC_CLK_TCK) > 0.1)
		_exit(4);
}

/* Until the test has been given intervals: as many bytes come from there. */
static void await_intervals(const char *fd, int intervals)
{
	char byte;

	for (; fd && intervals; intervals--)
		if (read(atoi(fd), &byte, 1) != 1)
			_exit(3);
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
		await_intervals(argv[4], 2);
		say(argv[2], "disable\n", answers);
		say(argv[2], "\ndisable\n", answers);
		touch(UNCOUNTED);
	}
	be_quiet();
	return 5;
}

/* Those of another run. */
static void forget_intervals(const char *fd)
{
	struct pollfd bell = { .fd = atoi(fd), .events = POLLIN };

	while (poll(&bell, 1, 0) > 0)
		await_intervals(fd, 1);
}

/* The delay begins when the program does, or later. */
static int run_late(char **argv)
{
	double start = (double)stat_field("self", 22) / (double)sysconf(_SC_CLK_TCK);
	struct timespec now;

	forget_intervals(argv[3]);
	touch(UNCOUNTED);
	clock_gettime(CLOCK_BOOTTIME, &now);
	if ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec >= start + strtod(argv[2], NULL))
		return TOO_LATE;
	await_intervals(argv[3], 1);
	touch(COUNTED);
	return 0;
}

/* The signal has no answer, but intervals begin with it. */
static int run_signalling(char **argv)
{
	touch(UNCOUNTED);
	kill(getppid(), SIGUSR2);
	kill(getppid(), SIGUSR2);
	await_intervals(argv[3], 1);
	touch(COUNTED);
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

/* The words after the program's name. */
static int count_self(struct fixture *fixture, char *how, char *first, char *second, char *third)
{
	static char self[] = "/proc/self/exe";
	char *argv[] = { self, how, first, second, third, NULL };

	return fixture_count(fixture, argv);
}

static int count_controlled(struct fixture *fixture, struct fifos *fifos, char *bell)
{
	static char how[] = "controlled";

	return count_self(fixture, how, fifos->words, fifos->answers, bell);
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

struct reported {
	double seconds;
	uint64_t raw;
	size_t count;
	int bell[2]; /* a pipe with a byte for each interval; the program has the end for reading */
	char fd[16]; /* its number */
};

static int note_interval(void *context, const struct measurement *interval, struct error *err UNUSED)
{
	struct reported *reported = context;

	assert_true(interval->from_s == 0 || fabs(interval->from_s - reported->seconds) < 1e-9);
	reported->seconds = interval->to_s;
	reported->raw += interval->parts[0].repeats[0].items[0].raw;
	reported->count++;
	assert_int_equal(write(reported->bell[1], "", 1), 1);
	return 0;
}

static void ask_for_intervals(struct fixture *fixture, struct reported *reported)
{
	*reported = (struct reported){ .count = 0 };
	assert_int_equal(pipe(reported->bell), 0);
	snprintf(reported->fd, sizeof(reported->fd), "%d", reported->bell[0]);
	fixture->request.timing.interval_s = INTERVAL_S;
	fixture->request.interval = note_interval;
	fixture->request.context = reported;
}

static void reported_release(const struct reported *reported)
{
	close(reported->bell[0]);
	close(reported->bell[1]);
}

/* Enabled twice, paused twice, by somebody who comes and goes. */
static void controlled(void **state UNUSED)
{
	struct fixture fixture;
	struct fifos fifos;

	fifos_init(&fifos);
	fixture_init(&fixture, &faults_only);
	fixture.request.timing = (struct timing){ .delay_s = WAIT_FOR_SIGUSR2, .control = fifos.both };
	assert_int_equal(count_controlled(&fixture, &fifos, NULL), 0);
	assert_int_equal(fixture.counts.repeats[0].runs[0].status, 5); /* a writer that has gone keeps nobody busy */
	expect_faults(&fixture, 2 * COUNTED, SLACK);
	assert_true(fixture.counts.repeats[0].runs[0].wall_s > 0.1);
	assert_true(has_remark(&fixture, "control got 'nonsense'"));
	assert_true(has_remark(&fixture, "before SIGUSR2"));
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
	assert_int_equal(count_controlled(&fixture, &fifos, NULL), 0);
	expect_faults(&fixture, UNCOUNTED + 2 * COUNTED, BEGIN_AND_END);
	fixture_release(&fixture);
	scratch_release(&fifos.scratch);
}

static void controlled_in_intervals(void **state UNUSED)
{
	struct fixture fixture;
	struct fifos fifos;
	struct reported reported;

	fifos_init(&fifos);
	fixture_init(&fixture, &faults_only);
	fixture.request.timing = (struct timing){ .delay_s = WAIT_FOR_SIGUSR2, .control = fifos.both };
	ask_for_intervals(&fixture, &reported);
	assert_int_equal(count_controlled(&fixture, &fifos, reported.fd), 0);
	assert_int_equal(fixture.counts.repeats[0].runs[0].status, 5);
	expect_faults(&fixture, 2 * COUNTED, SLACK);
	assert_true(reported.count >= 4);
	assert_int_equal(reported.raw, fixture_item(&fixture, PAGE_FAULTS)->raw);
	assert_true(fabs(reported.seconds - fixture.counts.repeats[0].runs[0].wall_s) < 1e-9);
	reported_release(&reported);
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
		  "control /no/such/fifo: No such file or directory; `mkfifo /no/such/fifo` makes it" },
		{ "/etc/passwd", "not a FIFO" },
		{ "", "control: which FIFO?" },
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
	assert_non_null(strstr(fixture.err.text, "control: which FIFO?"));
	scratch_release(&fifos.scratch);
	fixture_release(&fixture);
}

/* Faults until it is killed. */
static pid_t start_toucher(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
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

struct stopping {
	const char *words; /* the FIFO */
	size_t said;	   /* parts of the word */
};

/* A word may come in parts; the first one when something has been counted. */
static int say_stop(void *context, const struct measurement *interval, struct error *err UNUSED)
{
	static const char *const parts[] = { "sto", "p\n" };
	struct stopping *stopping = context;
	int fd;

	if (stopping->said == COUNT_OF(parts) || !interval->parts[0].repeats[0].items[0].raw)
		return 0;
	fd = open(stopping->words, O_WRONLY);
	assert_int_equal(write(fd, parts[stopping->said], strlen(parts[stopping->said])),
			 strlen(parts[stopping->said]));
	close(fd);
	stopping->said++;
	return 0;
}

/* Where there is no program, the word ends it; else it took forever. */
static void stopped_without_a_program(void **state UNUSED)
{
	struct fixture fixture;
	struct fifos fifos;
	struct stopping stopping = { .said = 0 };
	pid_t pid = start_toucher();

	fifos_init(&fifos);
	stopping.words = fifos.words;
	fixture_init(&fixture, &faults_only);
	fixture.request.subject = (struct subject){ .kind = SUBJECT_PROCESSES, .ids = &pid, .nids = 1, .name = "it" };
	fixture.request.timing = (struct timing){ .control = fifos.words, .interval_s = INTERVAL_S };
	fixture.request.interval = say_stop;
	fixture.request.context = &stopping;
	assert_int_equal(fixture_count(&fixture, NULL), 0);
	assert_int_equal(stopping.said, 2);
	assert_true(fixture_value(&fixture, PAGE_FAULTS) > 0);
	end_toucher(pid);
	fixture_release(&fixture);
	scratch_release(&fifos.scratch);
}

static void after_sigusr2(void **state UNUSED)
{
	static char how[] = "signalling", none[] = "";
	struct fixture fixture;
	struct reported reported;

	fixture_init(&fixture, &faults_only);
	fixture.request.timing.delay_s = WAIT_FOR_SIGUSR2;
	ask_for_intervals(&fixture, &reported);
	assert_int_equal(count_self(&fixture, how, none, reported.fd, NULL), 0);
	assert_int_equal(fixture.counts.repeats[0].runs[0].status, 0);
	expect_faults(&fixture, COUNTED, BEGIN_AND_END);
	reported_release(&reported);
	fixture_release(&fixture);
}

/* Was the host fast enough to touch the first pages within the delay? */
static bool count_late(struct fixture *fixture, struct reported *reported, double delay_s)
{
	static char how[] = "late";
	char seconds[32];

	snprintf(seconds, sizeof(seconds), "%.3f", delay_s);
	fixture_init(fixture, &two_runs);
	fixture->request.timing.delay_s = delay_s;
	ask_for_intervals(fixture, reported);
	assert_int_equal(count_self(fixture, how, seconds, reported->fd, NULL), 0);
	for (size_t i = 0; i < fixture->counts.repeats[0].nruns; i++)
		if (fixture->counts.repeats[0].runs[i].status == TOO_LATE)
			return false;
	return true;
}

/* Each run of the program begins with the part that is not counted. */
static void after_a_while(void **state UNUSED)
{
	double delay_s = DELAY_S;
	struct fixture fixture;
	struct reported reported;

	while (!count_late(&fixture, &reported, delay_s)) {
		delay_s *= 2;
		reported_release(&reported);
		fixture_release(&fixture);
	}
	assert_int_equal(fixture.counts.repeats[0].nruns, 2);
	expect_faults(&fixture, COUNTED, BEGIN_AND_END);
	assert_int_equal(fixture_item(&fixture, TASK_CLOCK)->state, COUNT_OK);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(fixture.counts.repeats[0].runs[i].status, 0);
	assert_true(
		has_remark(&fixture, arena_printf(&fixture.arena, "The first %g ms were not counted", 1e3 * delay_s)));
	reported_release(&reported);
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
static double count_duration(double limit_s)
{
	struct fixture fixture;
	pid_t pid = start_toucher();
	double faults;

	fixture_init(&fixture, &faults_only);
	fixture.request.subject = (struct subject){ .kind = SUBJECT_PROCESSES, .ids = &pid, .nids = 1, .name = "it" };
	fixture.request.timing = (struct timing){ .delay_s = 0.2, .limit_s = limit_s };
	assert_int_equal(fixture_count(&fixture, NULL), 0);
	assert_true(fixture.counts.repeats[0].runs[0].wall_s > 0.9 * limit_s);
	faults = fixture_item(&fixture, PAGE_FAULTS)->state == COUNT_OK ? fixture_value(&fixture, PAGE_FAULTS) : 0;
	end_toucher(pid);
	fixture_release(&fixture);
	return faults;
}

/* A busy host may let the process do nothing meanwhile: then for longer. */
static void a_duration_behind_a_delay(void **state UNUSED)
{
	for (double limit_s = 0.1; !(count_duration(limit_s) > 0);)
		limit_s *= 2;
}

static int run_as(char **argv)
{
	if (!strcmp(argv[1], "controlled"))
		return run_controlled(argv);
	return !strcmp(argv[1], "late") ? run_late(argv) : run_signalling(argv);
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
