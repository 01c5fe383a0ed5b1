/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * anchor_test.c - modelled cycles against a native run's time, with times that the test chooses; and which programs run
 * a second time.
 */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "rows.h"

#include "analyse/evaluate/evaluate.h"
#include "collect/count/input.h"
#include "collect/count/launch.h"
#include "collect/simulate/anchor.h"
#include "collect/simulate/native.h"
#include "scratch.h"

static const struct row {
	const char *name;
	double user_s, hz, modelled;
	const char *untimed; /* why the native run has no time */
	double ratio;	     /* NAN: can't be compared, and reason has the text */
	bool is_far;
	const char *reason;
} rows[] = {
	{ "the same", 1, 3e9, 3e9, NULL, 1, false, NULL },
	{ "a quarter more is not far", 2, 2e9, 5e9, NULL, 1.25, false, NULL },
	{ "a little more is", 2, 2e9, 5.01e9, NULL, 1.2525, true, NULL },
	{ "a quarter less is not far", 2, 2e9, 3e9, NULL, 0.75, false, NULL },
	{ "a little less is", 2, 2e9, 2.99e9, NULL, 0.7475, true, NULL },
	{ "twice", 0.5, 4e9, 4e9, NULL, 2, true, NULL },
	{ "just long enough", 0.010, 1e9, 1e7, NULL, 1, false, NULL },
	{ "too short", 0.0094, 1e9, 1e7, NULL, (double)NAN, false, "under 10 ms of user time, too short to compare" },
	{ "no time at all", 0, 1e9, 1e7, NULL, (double)NAN, false, "too short" },
	{ "nobody knows the time", (double)NAN, 1e9, 1e7, NULL, (double)NAN, false, "user time is not known" },
	{ "nobody knows the rate", 1, (double)NAN, 1e7, NULL, (double)NAN, false, "clock rate" },
	{ "not run", (double)NAN, (double)NAN, 1e7, "it failed", (double)NAN, false, "it failed" },
	{ "no cycles", 1, 1e9, (double)NAN, NULL, (double)NAN, false, "no cycles were modelled" },
};

/* As of sessions that do not say it. */
static const struct anchored_work no_work = {
	.vector = (double)NAN, .x87 = (double)NAN, .crypto = (double)NAN, .gathers = (double)NAN, .strings = (double)NAN
};

static bool is_close(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) < 1e-9;
}

static bool check_row(const struct row *row, struct arena *arena)
{
	const struct anchor anchor = { .user_s = row->user_s, .hz = row->hz, .reason = row->untimed };
	const struct anchoring judged = anchor_judge(&anchor, row->modelled, &no_work, arena);

	if (!is_close(judged.ratio, row->ratio) || judged.is_far != row->is_far)
		return false;
	if (!row->reason != !judged.reason)
		return false;
	return !row->reason || strstr(judged.reason, row->reason);
}

/*
 * Of 4 ms ticks: with a share p of n ticks in user mode the user time is known to 4 ms * (1 + 2 * sqrt(n p (1 - p))),
 * and it is no more than the CPU time. Modelled are 1e9 cycles for each second of the CPU time, at 1 GHz.
 */
static const struct ticks_row {
	const char *name;
	struct anchor anchor;
	double modelled, ratio, low, high;
	bool is_far;
	const char *cause; /* in the remark; NULL: none */
} ticks_rows[] = {
	{ "all in user mode: a tick",
	  { .user_s = 0.1, .cpu_s = 0.1, .tick_s = 0.004, .hz = 1e9 },
	  1e8,
	  1,
	  1,
	  1 / 0.96,
	  false,
	  NULL },
	{ "half of 100 ticks",
	  { .user_s = 0.2, .cpu_s = 0.4, .tick_s = 0.004, .hz = 1e9 },
	  2e8,
	  1,
	  0.2 / 0.244,
	  0.2 / 0.156,
	  false,
	  NULL },
	{ "three ticks can't say that it is far",
	  { .user_s = 0.010, .cpu_s = 0.014, .tick_s = 0.004, .hz = 3.7e9 },
	  13.4e6,
	  0.36216,
	  13.4e6 / (0.014 * 3.7e9),
	  (double)INFINITY,
	  false,
	  NULL },
	{ "far even where all of it was user time",
	  { .user_s = 0.8, .cpu_s = 0.85, .tick_s = 0.004, .hz = 1e9, .preemptions = 2 },
	  4e8,
	  0.5,
	  0.4 / (0.804 + 0.008 * 3.4300),
	  0.4 / (0.796 - 0.008 * 3.4300),
	  true,
	  "by a factor of 2.0 (other load on this machine, or something that is not modelled)" },
	{ "others used the core: half as long is their work",
	  { .user_s = 0.8, .cpu_s = 0.8, .hz = 1e9, .additions = 16, .additions_alone = 8 },
	  4e8,
	  0.5,
	  0.5,
	  0.5,
	  false,
	  NULL },
	{ "but not a tenth",
	  { .user_s = 0.8, .cpu_s = 0.8, .hz = 1e9, .additions = 16, .additions_alone = 8 },
	  8e7,
	  0.1,
	  0.1,
	  0.1,
	  true,
	  "natively it did far more: a program that works for a set time" },
	{ "the ticks of four runs together",
	  { .user_s = 0.1, .cpu_s = 0.2, .tick_s = 0.004, .hz = 1e9, .runs = 4 },
	  1e8,
	  1,
	  0.1 / 0.115142,
	  0.1 / 0.084858,
	  false,
	  NULL },
	{ "neighbours on the core are not the model's",
	  { .user_s = 2, .cpu_s = 2, .hz = 1e9, .additions = 2.4, .additions_alone = 2 },
	  1e9,
	  0.5,
	  0.5,
	  0.5,
	  false,
	  NULL },
	{ "they make nothing faster",
	  { .user_s = 2, .cpu_s = 2, .hz = 1e9, .additions = 2.4, .additions_alone = 2 },
	  4e9,
	  2,
	  2,
	  2,
	  true,
	  "by a factor of 2.0 (something is modelled as slower than it is here)" },
	{ "a calm core",
	  { .user_s = 2, .cpu_s = 2, .hz = 1e9, .additions = 2.1, .additions_alone = 2 },
	  1e9,
	  0.5,
	  0.5,
	  0.5,
	  true,
	  "something that is not modelled" },
	{ "other programs had the CPU",
	  { .user_s = 2, .cpu_s = 2, .hz = 1e9, .preemptions = 400 },
	  1e9,
	  0.5,
	  0.5,
	  0.5,
	  true,
	  "other programs had its CPU meanwhile, 400 times" },
	{ "the kernel's part",
	  { .user_s = 2, .cpu_s = 4, .hz = 1e9, .faults = 90000 },
	  1e9,
	  0.5,
	  0.5,
	  0.5,
	  true,
	  "50 % of its CPU time was the kernel's, with 90000 page faults" },
	{ "load makes nothing faster",
	  { .user_s = 2, .cpu_s = 4, .hz = 1e9, .faults = 90000, .preemptions = 4000 },
	  24e9,
	  12,
	  12,
	  12,
	  true,
	  "by a factor of 12 (something is modelled as slower than it is here)" },
};

static bool is_near(double a, double b)
{
	return a == b || fabs(a - b) < 1e-3;
}

static void test_ticks(void **state UNUSED)
{
	struct arena arena;
	size_t failed = 0;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(ticks_rows); i++) {
		const struct ticks_row *row = &ticks_rows[i];
		const struct anchoring judged = anchor_judge(&row->anchor, row->modelled, &no_work, &arena);

		if (!judged.reason && is_near(judged.ratio, row->ratio) && is_near(judged.ratio_low, row->low) &&
		    is_near(judged.ratio_high, row->high) && judged.is_far == row->is_far &&
		    !judged.remark == !row->cause && (!row->cause || strstr(judged.remark, row->cause)))
			continue;
		print_error("row '%s': %s %f %f %f %s\n", row->name, judged.reason, judged.ratio, judged.ratio_low,
			    judged.ratio_high, judged.remark);
		failed++;
	}
	arena_release(&arena);
	assert_int_equal(failed, 0);
}

/* The likeliest cause, by what the program executes; modelled are 1e9 cycles, at 1 GHz. */
static const struct cause_row {
	const char *name;
	struct anchor anchor;
	struct anchored_work work;
	const char *cause;
} cause_rows[] = {
	{ "hidden code",
	  { .user_s = 0.2, .hidden = "AVX-512 and SHA", .hidden_code = "90 % of its work is in libx" },
	  { .vector = 0.6 },
	  "disagree by a factor of 5.0 (90 % of its work is in libx). Take" },
	{ "hidden code, and no native run",
	  { .reason = "too short", .hidden = "SHA", .hidden_code = "90 % of its work is in libx" },
	  { .vector = 0.6 },
	  "90 % of its work is in libx." },
	{ "vectors",
	  { .user_s = 0.2, .hidden = "AVX-512 and SHA" },
	  { .vector = 0.34 },
	  "(34 % of its instructions use vector registers, and Valgrind hides this CPU's AVX-512 and SHA," },
	{ "vectors that nothing hides",
	  { .user_s = 0.2, .hidden = "SHA" },
	  { .vector = 0.34 },
	  "(something is modelled as slower than it is here)" },
	{ "x87, slower", { .user_s = 0.2 }, { .x87 = 0.4, .gathers = 0.02 }, "(40 % of its instructions are x87's" },
	{ "x87, faster", { .user_s = 5 }, { .x87 = 0.4 }, "(40 % of its instructions are x87's" },
	{ "gathers", { .user_s = 5 }, { .x87 = 0.06, .gathers = 0.02 }, "(2 % of its instructions gather a vector" },
	{ "strings", { .user_s = 5 }, { .strings = 0.3 }, "(30 % of its instructions are rounds of repeated string" },
	{ "ciphers", { .user_s = 5 }, { .crypto = 0.5 }, "(50 % of its instructions are rounds of AES" },
	{ "hidden code is no reason to be slower",
	  { .user_s = 5, .hidden = "AVX-512", .hidden_code = "its work is hidden" },
	  { .vector = 0.9 },
	  "(other load on this machine, or something that is not modelled)" },
	{ "other programs first",
	  { .user_s = 5, .cpu_s = 5, .preemptions = 5000 },
	  { .x87 = 0.9 },
	  "(other programs had" },
	{ "another clock",
	  { .user_s = 5, .hz_low = 0.6e9 },
	  { .x87 = 0.9 },
	  "(the clock changed meanwhile, from 0.60 to 1.00 GHz)" },
	{ "the same clock", { .user_s = 5, .hz_low = 0.9e9 }, { .x87 = 0.9 }, "x87" },
};

static void test_causes(void **state UNUSED)
{
	struct arena arena;
	size_t failed = 0;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(cause_rows); i++) {
		struct anchor anchor = cause_rows[i].anchor;
		struct anchoring judged;

		anchor.hz = 1e9;
		judged = anchor_judge(&anchor, 1e9, &cause_rows[i].work, &arena);
		if (judged.remark && strstr(judged.remark, cause_rows[i].cause))
			continue;
		print_error("row '%s': %s\n", cause_rows[i].name, judged.remark);
		failed++;
	}
	arena_release(&arena);
	assert_int_equal(failed, 0);
}

/* Without a native run vectors say nothing: most programs use some, and few ask the CPU for more. */
static void test_silent(void **state UNUSED)
{
	const struct anchor anchors[] = {
		{ .reason = "too short", .hidden = "AVX-512 and SHA" },
		{ .user_s = 1, .hz = 1e9, .hidden = "SHA", .hidden_code = "its work is hidden" },
	};
	const struct anchored_work work = { .vector = 0.9 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(anchors); i++)
		assert_null(anchor_judge(&anchors[i], 1e9, &work, &arena).remark);
	arena_release(&arena);
}

#define AUTO   (1U << ANCHOR_AUTO)
#define ALWAYS (1U << ANCHOR_ALWAYS)

static const struct obstacle_row {
	const char *name;
	int status;
	struct simulated_effects effects;
	const char *more;
	unsigned forbidden; /* AUTO, ALWAYS */
	const char *text;   /* in what is said; NULL: it runs */
} obstacle_rows[] = {
	{ .name = "it only computed" },
	{ .name = "a file",
	  .effects = { .call = "open", .what = "/tmp/x" },
	  .forbidden = AUTO,
	  .text = "it opened /tmp/x for writing; --anchor always runs it once more" },
	{ .name = "a path with a percent sign",
	  .effects = { .call = "unlink", .what = "a%sb" },
	  .forbidden = AUTO,
	  .text = "it removed a%sb;" },
	{ .name = "a path that is unknown",
	  .effects = { .call = "chmod" },
	  .forbidden = AUTO,
	  .text = "it changed the rights of a file;" },
	{ .name = "a call without words",
	  .effects = { .call = "mount", .what = "/mnt" },
	  .forbidden = AUTO,
	  .text = "it made the system call mount on /mnt;" },
	{ .name = "a call without a name",
	  .effects = { .call = "", .what = "321" },
	  .forbidden = AUTO,
	  .text = "it made system call 321," },
	{ .name = "a call that Valgrind refuses",
	  .effects = { .call = "unknown", .what = "437" },
	  .forbidden = AUTO,
	  .text = "it made system call 437, which the simulator does not know;" },
	{ .name = "a connection",
	  .effects = { .call = "connect" },
	  .forbidden = AUTO,
	  .text = "it opened a connection;" },
	{ .name = "it failed", .status = 3, .forbidden = AUTO, .text = "it ended with status 3;" },
	{ .name = "a signal ended it", .status = 143, .forbidden = AUTO | ALWAYS, .text = "it ended with status 143" },
	{ .name = "it caught a signal",
	  .effects = { .stop_signal = 15 },
	  .forbidden = AUTO | ALWAYS,
	  .text = "it was asked to end (SIGTERM)" },
	{ .name = "a server",
	  .effects = { .call = "open", .what = "/tmp/log", .has_listened = true },
	  .forbidden = AUTO | ALWAYS,
	  .text = "it is a server" },
	{ .name = "cycles that are not modelled",
	  .more = "a part is missing",
	  .forbidden = AUTO | ALWAYS,
	  .text = "a part is missing" },
};

static bool check_obstacle(const struct obstacle_row *row, enum anchor_choice choice, struct arena *arena)
{
	const struct simulated_end_of_run end = { .status = row->status, .effects = &row->effects, .more = row->more };
	const char *text = native_obstacle(&end, choice, arena);

	if (row->forbidden & 1U << choice)
		return text && strstr(text, row->text) == text;
	return !text;
}

static void test_obstacles(void **state UNUSED)
{
	struct arena arena;
	size_t failed = 0;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(obstacle_rows); i++) {
		if (check_obstacle(&obstacle_rows[i], ANCHOR_AUTO, &arena) &&
		    check_obstacle(&obstacle_rows[i], ANCHOR_ALWAYS, &arena))
			continue;
		print_error("row '%s'\n", obstacle_rows[i].name);
		failed++;
	}
	arena_release(&arena);
	assert_int_equal(failed, 0);
}

static void test_rows(void **state UNUSED)
{
	struct arena arena;
	size_t failed = 0;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (check_row(&rows[i], &arena))
			continue;
		print_error("row '%s'\n", rows[i].name);
		failed++;
	}
	arena_release(&arena);
	assert_int_equal(failed, 0);
}

static size_t count_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	size_t count = 0;

	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

/* Each run's input is closed again, whether it was opened for it or topdown's own. */
static void test_runs(void **state UNUSED)
{
	char path[] = "/bin/true", *argv[] = { path, NULL };
	const struct program program = { .argv = argv, .path = path, .is_output_hidden = true };
	int before = dup(STDIN_FILENO);
	struct error err = { .text = "" };
	struct scratch scratch;
	struct signals signals;
	struct input input;
	char file[300];
	size_t open_files;

	scratch_init(&scratch);
	scratch_write(&scratch, "in", "text", file);
	close(STDIN_FILENO);
	assert_int_equal(open(file, O_RDONLY), STDIN_FILENO);
	assert_int_equal(signals_hold(&signals, &err), 0);
	input_init(&input, 3);
	open_files = count_descriptors();
	for (size_t number = 0; number < 3; number++) {
		const struct plain_run run = {
			.program = &program, .signals = &signals, .input = &input, .number = number
		};
		struct child child = { .pid = 0 };
		struct count_run ended;

		assert_int_equal(plain_run(&child, &ended, &run, &err), 0);
		assert_int_equal(ended.status, 0);
		assert_int_equal(count_descriptors(), open_files);
	}
	input_release(&input);
	signals_release(&signals);
	dup2(before, STDIN_FILENO);
	close(before);
	scratch_release(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows),      cmocka_unit_test(test_ticks),
					    cmocka_unit_test(test_causes),    cmocka_unit_test(test_silent),
					    cmocka_unit_test(test_obstacles), cmocka_unit_test(test_runs) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
