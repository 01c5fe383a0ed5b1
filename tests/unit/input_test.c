/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stdin from a pipe or a socket: each run is given all of it, whatever its length, and when it comes. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/count/input.h"
#include "count_fixture.h"
#include "rows.h"
#include "scratch.h"

#define RUNS 3

/* A byte at a place says where it is. */
static unsigned char byte_at(size_t place)
{
	return (unsigned char)(place * 31 + (place >> 8) * 7 + (place >> 16));
}

static const struct row {
	const char *name;
	size_t bytes, block;
	int pause_ms; /* before each block but the first */
	bool is_socket;
} sources[] = {
	/* clang-format off */
	{ "nothing",              0,       1,       0,   false },
	{ "one byte",             1,       1,       0,   false },
	{ "at once",              3000001, 3000001, 0,   false },
	{ "in small blocks",      100000,  100,     0,   false },
	{ "with breaks",          30000,   10000,   120, false },
	{ "a socket",             3000001, 50000,   0,   true },
	{ "a socket with breaks", 30000,   10000,   120, true },
	/* clang-format on */
};

static pid_t start_source(const struct row *row)
{
	int ends[2];
	pid_t pid;

	assert_int_equal(
		row->is_socket ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) : pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		unsigned char *data = malloc(row->bytes + 1);

		for (size_t i = 0; i < row->bytes; i++)
			data[i] = byte_at(i);
		for (size_t at = 0; at < row->bytes; at += row->block) {
			size_t left = row->bytes - at, some = left < row->block ? left : row->block;

			usleep(at ? (useconds_t)row->pause_ms * 1000 : 0);
			if (write(ends[1], data + at, some) != (ssize_t)some)
				_exit(1);
		}
		_exit(0);
	}
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	return pid;
}

/* Bytes until the end, or SIZE_MAX when one is wrong. */
static size_t read_all(int fd)
{
	unsigned char block[5000];
	size_t length = 0;
	ssize_t got;

	while ((got = read(fd, block, sizeof(block))) > 0)
		for (ssize_t i = 0; i < got; i++)
			if (block[i] != byte_at(length++))
				return SIZE_MAX;
	close(fd);
	return length;
}

static void source_rows(void **state UNUSED)
{
	struct rows rows = { 0 };
	int before = dup(STDIN_FILENO);

	for (size_t i = 0; i < COUNT_OF(sources); i++) {
		const struct row *row = &sources[i];
		struct error err = { .text = "" };
		pid_t pid = start_source(row);
		struct input input;

		input_init(&input, RUNS);
		for (size_t run = 0; run < RUNS; run++) {
			int fd = input_open(&input, run, &err);

			row_expect(&rows, row->name, fd >= 0 && read_all(fd) == row->bytes, "what a run was given");
			row_expect(&rows, row->name, fcntl(fd, F_GETPIPE_SZ) < 0, "left open");
			input_end_run(&input);
		}
		input_release(&input);
		waitpid(pid, NULL, 0);
	}
	dup2(before, STDIN_FILENO);
	close(before);
	rows_end(&rows);
}

/* Each run reads a file from where it stood before the first one, which has it itself. */
static void a_file_from_its_place(void **state UNUSED)
{
	struct error err = { .text = "" };
	int before = dup(STDIN_FILENO);
	struct scratch scratch;
	char path[300], text[16] = "";
	struct input input;

	scratch_init(&scratch);
	scratch_write(&scratch, "in", "head body", path);
	assert_int_equal(close(STDIN_FILENO), 0);
	assert_int_equal(open(path, O_RDONLY), STDIN_FILENO);
	assert_int_equal(lseek(STDIN_FILENO, 5, SEEK_SET), 5);
	input_init(&input, RUNS);
	for (size_t run = 0; run < RUNS; run++) {
		int fd = input_open(&input, run, &err);

		assert_int_equal(fd == INPUT_INHERITED, run == 0);
		assert_int_equal(read(run ? fd : STDIN_FILENO, text, sizeof(text)), 4);
		assert_memory_equal(text, "body", 4);
		if (run)
			close(fd);
		input_end_run(&input);
	}
	input_release(&input);
	dup2(before, STDIN_FILENO);
	close(before);
	scratch_release(&scratch);
}

/* What has no room in memory goes to a file that has no name. */
static void more_than_memory(void **state UNUSED)
{
	static const struct row row = { "long", 1000000, 1000000, 0, false };
	struct error err = { .text = "" };
	int before = dup(STDIN_FILENO), ends[2];
	pid_t pid = start_source(&row), reader;
	int status;
	off_t position = 0;
	struct input_copy kept;
	ssize_t taken;

	assert_int_equal(input_copy_open(&kept, 100001, &err), 0);
	while ((taken = input_copy_take(&kept, STDIN_FILENO)) > 0 || (taken < 0 && errno == EAGAIN))
		usleep(taken < 0 ? 1000 : 0);
	assert_int_equal(kept.length, row.bytes);
	assert_int_equal(kept.failure, 0);
	assert_true(kept.file >= 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	reader = fork();
	if (reader == 0) {
		close(ends[1]);
		_exit(read_all(ends[0]) != row.bytes);
	}
	while (position < kept.length)
		if (input_copy_give(&kept, &position, ends[1]) < 0)
			usleep(1000);
	close(ends[1]);
	close(ends[0]);
	waitpid(pid, NULL, 0);
	assert_int_equal(waitpid(reader, &status, 0), reader);
	assert_int_equal(status, 0);
	input_copy_close(&kept);
	dup2(before, STDIN_FILENO);
	close(before);
}

/* The first run is given all, and a remark says why there is no other. */
static void no_room_at_all(void **state UNUSED)
{
	static const struct test_plan two_runs = { { { 0, { TASK_CLOCK }, 1 }, { 1, { PAGE_FAULTS }, 1 } } };
	static const struct row row = { "long", 3000000, 3000000, 0, false };
	struct rlimit usual, small;
	struct fixture fixture;
	int before = dup(STDIN_FILENO);
	pid_t pid = start_source(&row);

	fixture_init(&fixture, &two_runs);
	getrlimit(RLIMIT_FSIZE, &usual);
	small = (struct rlimit){ .rlim_cur = 2 << 20, .rlim_max = usual.rlim_max };
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(fixture_shell(&fixture, "test $(wc -c) = 3000000"), 0);
	setrlimit(RLIMIT_FSIZE, &usual);
	assert_int_equal(fixture.counts.repeats[0].runs[0].status, 0);
	assert_int_equal(fixture.counts.repeats[0].nruns, 1);
	assert_int_equal(fixture.counts.repeats[0].nremarks, 1);
	assert_string_equal(fixture.counts.repeats[0].remarks[0],
			    "Run 2 of 2 failed: only the first 2 MiB of stdin could be kept (File too large): use a "
			    "file instead of a pipe, one run (--max-runs 1), or a TMPDIR with room.");
	fixture_release(&fixture);
	waitpid(pid, NULL, 0);
	dup2(before, STDIN_FILENO);
	close(before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(source_rows),
		cmocka_unit_test(a_file_from_its_place),
		cmocka_unit_test(more_than_memory),
		cmocka_unit_test(no_room_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
