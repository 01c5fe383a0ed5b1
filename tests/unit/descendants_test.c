/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program starts, and signals to topdown: whom they reach, who is still there afterwards, what is reported. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/count/descendants.h"
#include "common/system/loop.h"
#include "count_fixture.h"
#include "rows.h"
#include "scratch.h"

static const struct test_plan one_run = { { { 0, { TASK_CLOCK }, 1 } } };
static const struct test_plan two_runs = { { { 0, { TASK_CLOCK }, 1 }, { 1, { PAGE_FAULTS }, 1 } } };

/* The scripts write the numbers of processes here: one for each run and process. */
#define NOTE " echo $! >>$D/pids; "

/* Until what was started last has become sleep, and ignores what it was to ignore. */
#define ASLEEP " until grep -q sleep /proc/$!/comm; do sleep 0.01; done; "

/* The number of noted processes that are there; they are ended then. */
static size_t end_noted(const struct scratch *scratch, size_t *noted)
{
	char path[128];
	size_t there = 0;
	FILE *file;
	int pid;

	*noted = 0;
	snprintf(path, sizeof(path), "%s/pids", scratch->path);
	file = fopen(path, "r");
	for (; file && fscanf(file, "%d", &pid) == 1; ++*noted) {
		there += kill(pid, 0) == 0;
		kill(pid, SIGKILL);
	}
	if (file)
		fclose(file);
	return there;
}

static const char *remarks_of(struct fixture *fixture)
{
	const struct repeat *repeat = &fixture->counts.repeats[0];
	const char *text = "";

	for (size_t i = 0; i < repeat->nremarks; i++)
		text = arena_printf(&fixture->arena, "%s%s%s", text, i ? " " : "", repeat->remarks[i]);
	return text;
}

static const struct leaving_row {
	const char *name, *script;
	double limit_s, ending_s;
	size_t noted, there; /* processes of both runs */
	int status;
	const char *remark; /* part of; NULL: there is none */
} leavings[] = {
	/* clang-format off */
	{ "a limit ends all",               "sleep 30 &" NOTE "setsid sleep 30 &" NOTE "(sleep 30 &" NOTE ") ; sleep 30; true", 0.2, 0, 6, 0, 143, "The limit of 0.2 s (timeout) ended the program in 2 of 2 runs." },
	{ "a limit ends what is stopped",   "kill -STOP $$; sleep 30",                     0.2, 0,   0, 0, 143, "The limit of 0.2 s" },
	{ "and what ignores SIGTERM",       "trap '' TERM; sleep 30 &" NOTE "sleep 30",    0.2, 0.2, 2, 0, 137, "still ran 0.2 s after SIGTERM" },
	{ "and what it leaves behind",      "trap 'exit 0' TERM; (trap '' TERM; exec sleep 30) &" ASLEEP NOTE "wait", 0.2, 0.2, 2, 0, 0, "2 processes still ran 0.2 s after SIGTERM and were ended with SIGKILL." },
	{ "a daemon goes on",               "setsid sleep 30 &" NOTE ASLEEP,               0,   0,   2, 2, 0,
	  "2 processes outlived the program: sleep. What they did from then on is not counted, and may have slowed the runs that followed." },
	{ "what ends at once is no daemon", "sleep 0.01 &" NOTE,                           0,   0,   2, 0, 0,   NULL },
	{ "SIGTERM to topdown ends all",    "sleep 30 &" NOTE "setsid sleep 30 &" NOTE "kill -TERM $PPID; sleep 30; true", 0, 0, 2, 0, 143, "got SIGTERM in run 1 of 2" },
	{ "also what ignores it",           "trap '' TERM; sleep 30 &" NOTE "kill -TERM $PPID; sleep 30; true", 0, 0.2, 1, 0, 137, "still ran 0.2 s after SIGTERM" },
	{ "also what is stopped",           "(sleep 0.2; kill -TERM $PPID) & kill -STOP $$; sleep 30", 0, 0, 0, 0, 143, "got SIGTERM in run 1 of 2" },
	{ "what ignores SIGINT too",        "(trap '' INT; exec sleep 30) &" NOTE "(trap '' INT; exec setsid sh -c ': >$D/ready; exec sleep 30') &" NOTE
	  "until [ -e $D/ready ]; do sleep 0.01; done;" ASLEEP "kill -INT $PPID; wait", 0, 0, 2, 1, 130, "1 process outlived the program: sleep. What it did from then on is not counted." },
	/* clang-format on */
};

#define MOST_TIMES 256

static size_t noted_lines(const struct scratch *scratch)
{
	char path[128];
	size_t lines = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/pids", scratch->path);
	file = fopen(path, "r");
	for (int c; file && (c = fgetc(file)) != EOF;)
		lines += c == '\n';
	if (file)
		fclose(file);
	return lines;
}

/*
 * Did the host take too long for it? A program that was cut before it had started all, or killed before it could end as it
 * wanted to, or that waited for what ended at once.
 */
static bool is_late(struct fixture *fixture, const struct scratch *scratch, const struct leaving_row *row)
{
	const struct count_run *run = &fixture->counts.repeats[0].runs[0];

	return noted_lines(scratch) < row->noted || (run->status == 128 + SIGKILL && row->status != run->status) ||
	       (!row->remark && *remarks_of(fixture));
}

/* With limits so many times as long, and more of them where the host was late. Returns by which factor they were longer. */
static double count_leaving(struct fixture *fixture, struct scratch *scratch, const struct leaving_row *row,
			    struct rows *rows)
{
	size_t noted;

	for (double times = 1;; times *= 2) {
		scratch_init(scratch);
		setenv("D", scratch->path, 1);
		fixture_init(fixture, &two_runs);
		fixture->request.timing.limit_s = times * row->limit_s;
		fixture->request.timing.ending_s = times * row->ending_s;
		row_expect(rows, row->name, fixture_shell(fixture, row->script) == 0, fixture->err.text);
		if (!is_late(fixture, scratch, row) || times >= MOST_TIMES)
			return times;
		end_noted(scratch, &noted);
		fixture_release(fixture);
		scratch_release(scratch);
	}
}

/* As the row has it, where its times are those that were set: all of them are 0.2 s. */
static const char *remark_after(const char *remark, double times, struct arena *arena)
{
	const char *at = strstr(remark, "0.2 s");

	return at ? arena_printf(arena, "%.*s%g s%s", (int)(at - remark), remark, 0.2 * times, at + strlen("0.2 s"))
		  : remark;
}

static void leaving_rows(void **state UNUSED)
{
	struct rows rows = { 0 };

	signal(SIGINT, SIG_DFL);
	for (size_t i = 0; i < COUNT_OF(leavings); i++) {
		const struct leaving_row *row = &leavings[i];
		struct fixture fixture;
		struct scratch scratch;
		size_t noted, there;
		int reaper = -1;
		bool is_cut = row->limit_s > 0 || strstr(row->script, "$PPID");
		double times = count_leaving(&fixture, &scratch, row, &rows);

		there = end_noted(&scratch, &noted);
		row_expect(&rows, row->name, noted == row->noted, "noted processes");
		row_expect(&rows, row->name, there == row->there, "processes are there");
		row_expect(&rows, row->name, fixture.counts.repeats[0].runs[0].status == row->status, "status");
		row_expect(&rows, row->name, fixture.counts.repeats[0].runs[0].is_cut == is_cut, "is_cut");
		if (row->remark)
			row_expect(&rows, row->name,
				   strstr(remarks_of(&fixture), remark_after(row->remark, times, &fixture.arena)),
				   remarks_of(&fixture));
		else
			row_expect_text(&rows, row->name, remarks_of(&fixture), "");
		prctl(PR_GET_CHILD_SUBREAPER, &reaper);
		row_expect(&rows, row->name, reaper == 0, "still a reaper");
		fixture_release(&fixture);
		scratch_release(&scratch);
	}
	rows_end(&rows);
}

/* Its cycles are counted until the program's end, so its time is too: divided by the program's alone they were no rate. */
static void what_is_left_used_time(void **state UNUSED)
{
	struct fixture fixture;
	struct scratch scratch;
	double counted, cpu_s;
	size_t noted;

	scratch_init(&scratch);
	setenv("D", scratch.path, 1);
	fixture_init(&fixture, &one_run);
	/* until it has used 0.1 s, however busy the host is: field 14 is its time in ticks of 10 ms */
	assert_int_equal(fixture_shell(&fixture,
				       "(while :; do :; done) &" NOTE
				       "until [ $(cut -d' ' -f14 /proc/$!/stat) -ge 10 ]; do sleep 0.05; done"),
			 0);
	assert_int_equal(end_noted(&scratch, &noted), 1);
	counted = fixture_value(&fixture, TASK_CLOCK) * 1e-9;
	cpu_s = fixture.counts.repeats[0].runs[0].cpu_s;
	assert_true(counted > 0.05);
	assert_true(fabs(cpu_s - counted) < 0.02 * counted);
	fixture_release(&fixture);
	scratch_release(&scratch);
}

/* To topdown alone; a program that nothing shall reach ends itself after a while, others wait for their signal. */
static void signal_rows(void **state UNUSED)
{
	static const struct row {
		const char *name;
		int status, cut_by;
	} table[] = {
		{ "INT", 130, SIGINT },	  { "TERM", 143, SIGTERM }, { "HUP", 129, SIGHUP },   { "QUIT", 131, SIGQUIT },
		{ "ALRM", 142, SIGALRM }, { "USR1", 138, SIGUSR1 }, { "USR2", 140, SIGUSR2 }, { "PROF", 155, SIGPROF },
		{ "PIPE", 9, 0 },	  { "XFSZ", 9, 0 },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		const struct row *row = &table[i];
		const char *then = row->status == 9 ? "sleep 0.2; exit 9" : "while :; do sleep 0.05; done";
		struct fixture fixture;

		fixture_init(&fixture, &two_runs);
		row_expect(&rows, row->name,
			   fixture_shell(&fixture, arena_printf(&fixture.arena, "ulimit -c 0; kill -%s $PPID; %s",
								row->name, then)) == 0,
			   fixture.err.text);
		row_expect(&rows, row->name, fixture.counts.repeats[0].runs[0].status == row->status, "status");
		row_expect(&rows, row->name, fixture.measured.cut_by == row->cut_by, "what cut it");
		fixture_release(&fixture);
	}
	rows_end(&rows);
}

/* A program that catches the signal and ends with 0 does not hide that its run was cut; another status is its own. */
static void single_runs(void **state UNUSED)
{
	static const struct row {
		const char *script;
		int status, cut_by;
	} table[] = {
		{ "trap 'exit 0' TERM; kill -TERM $PPID; while :; do sleep 0.05; done", 0, SIGTERM },
		{ "trap 'exit 3' TERM; kill -TERM $PPID; while :; do sleep 0.05; done", 3, 0 },
		{ "exit 0", 0, 0 },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct fixture fixture;

		fixture_init(&fixture, &one_run);
		row_expect_number(&rows, table[i].script, fixture_shell(&fixture, table[i].script), 0);
		row_expect_number(&rows, table[i].script, fixture.counts.repeats[0].runs[0].status, table[i].status);
		row_expect_number(&rows, table[i].script, fixture.measured.cut_by, table[i].cut_by);
		fixture_release(&fixture);
	}
	rows_end(&rows);
}

struct refusal {
	int status;
	const char *file; /* that is there afterwards */
};

static int refuse_interval(void *context, const struct measurement *interval UNUSED, struct error *err)
{
	const struct refusal *refusal = context;

	close(open(refusal->file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	err->status = refusal->status;
	return error_set(err, "broken");
}

/* Nobody reads the intervals: the program ends with all that it has started. Where there is no room, it goes on. */
static void unwritten_intervals(void **state UNUSED)
{
	static const struct row {
		const char *name;
		int status;
		size_t there;
		const char *then; /* what the program does when it has started another one */
	} table[] = { { "unread", STATUS_UNREAD, 0, "while :; do sleep 0.05; done; echo >$D/end" },
		      { "no room", 0, 1, "until [ -e $D/refused ]; do sleep 0.01; done; echo >$D/end" } };
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		const struct row *row = &table[i];
		struct fixture fixture;
		struct scratch scratch;
		struct refusal refusal = { .status = row->status };
		size_t noted;

		scratch_init(&scratch);
		setenv("D", scratch.path, 1);
		fixture_init(&fixture, &one_run);
		refusal.file = arena_printf(&fixture.arena, "%s/refused", scratch.path);
		fixture.request.timing.interval_s = 0.1;
		fixture.request.interval = refuse_interval;
		fixture.request.context = &refusal;
		row_expect(&rows, row->name,
			   fixture_shell(&fixture,
					 arena_printf(&fixture.arena, "setsid sleep 30 &" NOTE "%s", row->then)) == -1,
			   "result");
		row_expect(&rows, row->name, end_noted(&scratch, &noted) == row->there, "what it has started");
		row_expect(&rows, row->name,
			   (access(arena_printf(&fixture.arena, "%s/end", scratch.path), F_OK) == 0) ==
				   (row->there == 1),
			   "its end");
		fixture_release(&fixture);
		scratch_release(&scratch);
	}
	rows_end(&rows);
}

/* Asks its parent, which is topdown, to trace it: a stop is not the end, and signals do what they did. */
static void a_program_that_wants_a_tracer(void **state UNUSED)
{
	static const struct row {
		const char *name;
		int status;
	} table[] = { { "traced-usr1", 128 + SIGUSR1 }, { "traced-exec", 7 } };
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		char self[] = "/proc/self/exe";
		char *argv[] = { self, NULL, NULL };
		struct fixture fixture;

		fixture_init(&fixture, &one_run);
		argv[1] = arena_strdup(&fixture.arena, table[i].name);
		row_expect(&rows, table[i].name, fixture_count(&fixture, argv) == 0, fixture.err.text);
		row_expect(&rows, table[i].name, fixture.counts.repeats[0].runs[0].status == table[i].status, "status");
		fixture_release(&fixture);
	}
	rows_end(&rows);
}

/* What runs as the program of that test. */
static int run_traced(const char *name)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	if (!strcmp(name, "traced-usr1"))
		raise(SIGUSR1);
	else
		execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
	return 3;
}

/* Children of whoever counts are not collected with the program's. */
static void other_children_are_left_alone(void **state UNUSED)
{
	struct fixture fixture;
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(5);
	fixture_init(&fixture, &one_run);
	assert_int_equal(fixture_shell(&fixture, "(sleep 0.02 &); sleep 0.01"), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 5);
	fixture_release(&fixture);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaving_rows),
		cmocka_unit_test(what_is_left_used_time),
		cmocka_unit_test(signal_rows),
		cmocka_unit_test(single_runs),
		cmocka_unit_test(unwritten_intervals),
		cmocka_unit_test(a_program_that_wants_a_tracer),
		cmocka_unit_test(other_children_are_left_alone),
	};

	if (argc > 1)
		return run_traced(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
