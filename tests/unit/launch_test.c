/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs: how they are found and started, what they are given, how they end, and which signals reach them. */
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/count/input.h"
#include "collect/count/launch.h"
#include "count_fixture.h"
#include "rows.h"

static const struct test_plan three_runs = { {
	{ 0, { TASK_CLOCK }, 1 },
	{ 1, { PAGE_FAULTS }, 1 },
	{ 2, { MINOR_FAULTS }, 1 },
} };

/* A directory for one test, with a program, a file without permission, one of no format, and a directory. */
struct place {
	struct fixture fixture;
	char directory[64];
	int saved[3]; /* stdin, stdout, stderr of the test */
};

static void write_file(const struct place *place, const char *name, const char *text, mode_t mode)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", place->directory, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	chmod(path, mode);
}

static const char *read_back(struct place *place, const char *name)
{
	char path[128], text[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", place->directory, name);
	file = fopen(path, "r");
	if (file) {
		text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
		fclose(file);
	}
	return arena_strdup(&place->fixture.arena, text);
}

static int setup(void **state)
{
	static struct place place;

	fixture_init(&place.fixture, &three_runs);
	strcpy(place.directory, "/tmp/topdown-launch-XXXXXX");
	if (!mkdtemp(place.directory) || chdir(place.directory) < 0)
		return -1;
	write_file(&place, "program", "#!/bin/sh\nexit 7\n", 0755);
	write_file(&place, "plain", "#!/bin/sh\n", 0644);
	write_file(&place, "garbage", "\1\2\3\4", 0755);
	write_file(&place, "orphan", "#!/nowhere/interpreter\n", 0755);
	mkdir("directory", 0755);
	for (int i = 0; i < 3; i++)
		place.saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
	*state = &place;
	return 0;
}

static int teardown(void **state)
{
	struct place *place = *state;
	char command[128];

	for (int i = 0; i < 3; i++) {
		dup2(place->saved[i], i);
		close(place->saved[i]);
	}
	snprintf(command, sizeof(command), "rm -rf %s", place->directory);
	fixture_release(&place->fixture);
	return chdir("/") < 0 || system(command) ? -1 : 0;
}

static const struct finding_row {
	const char *name, *search, *typed, *expected;
	int status;
} finding_table[] = {
	/* clang-format off */
	{ "in PATH",                            "/nowhere:.:/bin", "program",           "./program", 0 },
	{ "empty part is here",                 "/nowhere:",       "program",           "./program", 0 },
	{ "first empty part",                   ":/bin",           "program",           "./program", 0 },
	{ "second place",                       "directory:/bin",  "sh",                "/bin/sh",   0 },
	{ "not executable, then executable",    ".:/bin",          "true",              "/bin/true", 0 },
	{ "usual PATH",                         NULL,              "sh",                "/bin/sh",   0 },
	{ "with a slash, PATH does not matter", "/nowhere",        "./program",         "./program", 0 },
	{ "absolute",                           "/nowhere",        "/bin/sh",           "/bin/sh",   0 },
	{ "nowhere",                            "/nowhere:/bin",   "no-such-program",   NULL,        127 },
	{ "not here",                           "/bin",            "./no-such-program", NULL,        127 },
	{ "no permission in PATH",              ".",               "plain",             NULL,        126 },
	{ "no permission",                      "/bin",            "./plain",           NULL,        126 },
	{ "directory",                          "/bin",            "./directory",       NULL,        126 },
	{ "directory in PATH is no program",    ".",               "directory",         NULL,        127 },
	{ "file as directory",                  "/bin",            "./program/x",       NULL,        126 },
	{ "empty name",                         "/bin",            "",                  NULL,        127 },
	/* clang-format on */
};

static void finding_rows(void **state)
{
	struct place *place = *state;
	struct rows rows = { 0 };
	const char *usual = arena_strdup(&place->fixture.arena, getenv("PATH") ? getenv("PATH") : "/bin:/usr/bin");

	write_file(place, "true", "", 0644);
	for (size_t i = 0; i < COUNT_OF(finding_table); i++) {
		const struct finding_row *row = &finding_table[i];
		struct error err = { .status = 0 };
		const char *path = NULL;
		int found;

		if (row->search)
			setenv("PATH", row->search, 1);
		else
			unsetenv("PATH");
		found = program_find(&path, row->typed, &place->fixture.arena, &err);
		row_expect(&rows, row->name, found == (row->status ? -1 : 0), "result");
		row_expect(&rows, row->name, err.status == row->status, "status");
		row_expect(&rows, row->name, is_error(&err) == (row->status != 0), "message");
		row_expect_text(&rows, row->name, path, row->expected);
	}
	setenv("PATH", usual, 1);
	rows_end(&rows);
}

static void ending_rows(void **state)
{
	static const struct row {
		const char *script;
		int status;
		size_t runs; /* of three */
	} table[] = {
		/* clang-format off */
		{ "exit 0",                                                             0,   3 },
		{ "exit 7",                                                             7,   1 },
		{ "exit 200",                                                           200, 1 },
		{ "kill -TERM $$",                                                      143, 1 },
		{ "kill -KILL $$",                                                      137, 1 },
		{ "trap 'exit 9' TERM; kill -TERM $PPID; while :; do sleep 0.05; done", 9,   1 },
		{ "trap 'exit 8' INT; kill -INT $PPID; while :; do sleep 0.05; done",   8,   1 },
		{ "kill -TERM $PPID; while :; do sleep 0.05; done",                     143, 1 },
		/* clang-format on */
	};
	struct place *place = *state;
	struct rows rows = { 0 };

	signal(SIGINT, SIG_DFL);
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		const struct row *row = &table[i];

		row_expect(&rows, row->script, fixture_shell(&place->fixture, row->script) == 0,
			   place->fixture.err.text);
		row_expect(&rows, row->script, place->fixture.counts.repeats[0].nruns == row->runs, "runs");
		row_expect(&rows, row->script, place->fixture.counts.repeats[0].runs[0].status == row->status,
			   "status");
		row_expect(&rows, row->script, place->fixture.counts.repeats[0].count == row->runs, "items");
		row_expect(&rows, row->script, place->fixture.counts.repeats[0].items[0].state == COUNT_OK,
			   "not counted");
	}
	rows_end(&rows);
}

static void failing_rows(void **state)
{
	static const struct row {
		const char *program;
		int status;
		const char *text;
	} table[] = {
		/* clang-format off */
		{ "./garbage",   126, "not a program for this machine" },
		{ "./plain",     126, "chmod +x" },
		{ "./orphan",    126, "interpreter" },
		{ "./directory", 126, "permission" },
		{ "./missing",   127, "No such file" },
		/* clang-format on */
	};
	struct place *place = *state;
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		const struct row *row = &table[i];
		char *argv[] = { arena_strdup(&place->fixture.arena, row->program), NULL };

		place->fixture.err.status = 0;
		row_expect(&rows, row->program, fixture_count(&place->fixture, argv) == -1, "result");
		row_expect(&rows, row->program, place->fixture.err.status == row->status, "status");
		row_expect(&rows, row->program, strstr(place->fixture.err.text, row->text), place->fixture.err.text);
		row_expect(&rows, row->program, waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "a child is left");
	}
	rows_end(&rows);
}

static void put_stdin(int fd)
{
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	close(fd);
}

static void a_file_is_read_from_the_same_place_each_time(void **state)
{
	struct place *place = *state;

	write_file(place, "in", "head\nbody\n", 0644);
	put_stdin(open("in", O_RDONLY));
	assert_int_equal(lseek(STDIN_FILENO, 5, SEEK_SET), 5);
	assert_int_equal(fixture_shell(&place->fixture, "cat >>out"), 0);
	assert_string_equal(read_back(place, "out"), "body\nbody\nbody\n");
	/* And whoever comes next goes on where the first run ended. */
	assert_int_equal(lseek(STDIN_FILENO, 0, SEEK_CUR), 10);
}

static void a_pipe_is_given_to_each_run(void **state)
{
	struct place *place = *state;
	int ends[2];

	for (int i = 0; i < 2; i++) {
		unlink("out");
		assert_int_equal(i ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe2(ends, O_CLOEXEC), 0);
		assert_int_equal(write(ends[1], "abc\n", 4), 4);
		close(ends[1]);
		put_stdin(ends[0]);
		assert_int_equal(fixture_shell(&place->fixture, "cat >>out"), 0);
		assert_string_equal(read_back(place, "out"), "abc\nabc\nabc\n");
	}
}

static void a_long_pipe_is_given_whole(void **state)
{
	struct place *place = *state;
	FILE *numbers = popen("seq 1 300000", "r");

	assert_non_null(numbers);
	assert_int_equal(dup2(fileno(numbers), STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(fixture_shell(&place->fixture, "tail -n 1 >>out"), 0);
	assert_string_equal(read_back(place, "out"), "300000\n300000\n300000\n");
	/* The shell of popen held the other end of the pipe only. */
	assert_int_equal(pclose(numbers), 0);
}

static void an_open_pipe_keeps_nobody_waiting(void **state)
{
	struct place *place = *state;
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(write(ends[1], "abc\ndef\n", 8), 8);
	put_stdin(ends[0]);
	assert_int_equal(fixture_shell(&place->fixture, "read a; echo $a >>out"), 0);
	close(ends[1]);
	assert_string_equal(read_back(place, "out"), "abc\nabc\nabc\n");
}

static void an_endless_pipe_ends_with_its_reader(void **state)
{
	struct place *place = *state;
	FILE *endless = popen("exec yes", "r");

	assert_non_null(endless);
	assert_int_equal(dup2(fileno(endless), STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(fixture_shell(&place->fixture, "head -n 1 >>out"), 0);
	assert_string_equal(read_back(place, "out"), "y\ny\ny\n");
	dup2(place->saved[0], STDIN_FILENO);
	pclose(endless);
}

static void a_closed_stdin_stays_closed(void **state)
{
	struct place *place = *state;

	close(STDIN_FILENO);
	assert_int_equal(fixture_shell(&place->fixture, "test -e /proc/$$/fd/0 || echo closed >>out"), 0);
	assert_string_equal(read_back(place, "out"), "closed\nclosed\nclosed\n");
}

static void only_the_first_run_prints(void **state)
{
	struct place *place = *state;
	int out = open("printed", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), status;

	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	status = fixture_shell(&place->fixture, "echo out; echo err >&2; echo run >>out");
	dup2(place->saved[1], STDOUT_FILENO);
	dup2(place->saved[2], STDERR_FILENO);
	close(out);
	assert_int_equal(status, 0);
	assert_string_equal(read_back(place, "printed"), "out\nerr\n");
	assert_string_equal(read_back(place, "out"), "run\nrun\nrun\n");
}

/* Why there is no further run reaches the report: a script that removes itself in one of its runs. */
static void a_later_run_that_fails(void **state)
{
	static const struct row {
		const char *name, *script, *remark;
		size_t repeats, runs;
	} table[] = {
		{ "second run", "#!/bin/sh\nrm -- \"$0\"\n",
		  "Run 2 of 3 failed: ./fleeting can't be executed: No such file or directory.", 1, 1 },
		{ "first run of the second repeat", "#!/bin/sh\necho >>n\ntest $(wc -l <n) != 3 || rm -- \"$0\"\n",
		  "Run 4 of 6 failed: ./fleeting can't be executed: No such file or directory.", 2, 3 },
	};
	char path[] = "./fleeting";
	char *argv[] = { path, NULL };
	struct place *place = *state;
	struct fixture *fixture = &place->fixture;
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		const struct row *row = &table[i];
		const struct counts *counts = &fixture->counts;

		write_file(place, "fleeting", row->script, 0755);
		fixture->request.repeats = row->repeats;
		assert_int_equal(fixture_count(fixture, argv), 0);
		row_expect(&rows, row->name, counts->repeats[0].nruns == row->runs, "runs");
		row_expect_text(&rows, row->name, counts->repeats[0].nremarks ? counts->repeats[0].remarks[0] : NULL,
				row->remark);
	}
	rows_end(&rows);
}

static void signals_are_as_before(void **state)
{
	struct place *place = *state;
	sigset_t before, after;
	struct sigaction child;

	/* A caller that ignores SIGCHLD must not cost the status, and the program inherits what the caller had. */
	signal(SIGCHLD, SIG_IGN);
	sigprocmask(SIG_SETMASK, NULL, &before);
	assert_int_equal(fixture_shell(&place->fixture, "grep SigBlk /proc/self/status >>out; exit 3"), 0);
	sigprocmask(SIG_SETMASK, NULL, &after);
	sigaction(SIGCHLD, NULL, &child);
	signal(SIGCHLD, SIG_DFL);
	assert_int_equal(place->fixture.counts.repeats[0].runs[0].status, 3);
	for (int number = 1; number < SIGRTMIN; number++)
		assert_int_equal(sigismember(&before, number), sigismember(&after, number));
	assert_true(child.sa_handler == SIG_IGN);
	assert_non_null(strstr(read_back(place, "out"), "0000000000000000\n"));
}

static void note_progress(void *context, size_t run, size_t runs)
{
	size_t *sum = context;

	*sum = *sum * 100 + run * 10 + runs;
}

static void progress_is_reported(void **state)
{
	struct place *place = *state;
	struct fixture *fixture = &place->fixture;
	char path[] = "/bin/true";
	char *argv[] = { path, NULL };
	size_t reported = 0;

	fixture->request.progress = note_progress;
	fixture->request.context = &reported;
	assert_int_equal(fixture_count(fixture, argv), 0);
	assert_int_equal(reported, 132333);
}

/*
 * In a session of its own, whose terminal the test holds; exits with the program's status, plus 100 for a second run. A second
 * signal has a moment to come.
 */
static _Noreturn void count_on_terminal(struct fixture *fixture)
{
	int status = fixture_shell(fixture, "n=0; trap 'n=$((n+1))' INT; echo ready; while [ $n = 0 ]; do "
					    "sleep 0.05; done; sleep 0.2; exit $n");

	_exit(status < 0
		      ? 99
		      : fixture->counts.repeats[0].runs[0].status + (fixture->counts.repeats[0].nruns > 1 ? 100 : 0));
}

static void ctrl_c_reaches_the_program_once(void **state)
{
	struct place *place = *state;
	char text[64];
	int terminal, status;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

	assert_true(pid >= 0);
	if (pid == 0)
		count_on_terminal(&place->fixture);
	assert_true(read(terminal, text, sizeof(text)) > 0);
	assert_int_equal(write(terminal, "\3", 1), 1);
	while (read(terminal, text, sizeof(text)) > 0)
		;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(terminal);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
}

/* Starts a corked program, writes its pid, and dies. */
static _Noreturn void die_before_release(const char *path, int output)
{
	char *argv[] = { NULL };
	const struct program program = { .argv = argv, .path = path };
	struct signals signals;
	struct child_setup child_setup = { .program = &program, .signals = &signals, .input = INPUT_INHERITED };
	struct error err = { .status = 0 };
	struct child child;

	if (signals_hold(&signals, &err) < 0)
		_exit(1);
	if (child_start(&child, &child_setup, &err) == 0 && write(output, &child.pid, sizeof(child.pid)) < 0)
		_exit(1);
	_exit(0);
}

static void a_corked_program_dies_with_topdown(void **state)
{
	pid_t pid, program = 0;
	int ends[2], status;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0)
		die_before_release("./program", ends[1]);
	assert_int_equal(read(ends[0], &program, sizeof(program)), sizeof(program));
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	/* The orphan is ours now. It did not become the program, which would exit with 7. */
	assert_int_equal(waitpid(program, &status, 0), program);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_PLACE(finding_rows),
		IN_PLACE(ending_rows),
		IN_PLACE(failing_rows),
		IN_PLACE(a_file_is_read_from_the_same_place_each_time),
		IN_PLACE(a_pipe_is_given_to_each_run),
		IN_PLACE(a_long_pipe_is_given_whole),
		IN_PLACE(an_open_pipe_keeps_nobody_waiting),
		IN_PLACE(an_endless_pipe_ends_with_its_reader),
		IN_PLACE(a_closed_stdin_stays_closed),
		IN_PLACE(only_the_first_run_prints),
		IN_PLACE(a_later_run_that_fails),
		IN_PLACE(signals_are_as_before),
		IN_PLACE(progress_is_reported),
		IN_PLACE(ctrl_c_reaches_the_program_once),
		IN_PLACE(a_corked_program_dies_with_topdown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
