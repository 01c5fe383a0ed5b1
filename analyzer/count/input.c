/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PUMP_BLOCK 4096

static enum input_kind kind_of_stdin(void)
{
	struct stat stat;

	if (fstat(STDIN_FILENO, &stat) < 0)
		return INPUT_SHARED;
	if (S_ISREG(stat.st_mode))
		return INPUT_FILE;
	if (S_ISFIFO(stat.st_mode) || S_ISSOCK(stat.st_mode))
		return INPUT_PIPE;
	return isatty(STDIN_FILENO) ? INPUT_TERMINAL : INPUT_SHARED;
}

void input_init(struct input *input, size_t runs)
{
	*input = (struct input){ .kind = runs > 1 ? kind_of_stdin() : INPUT_SHARED, .kept = -1 };
	if (input->kind == INPUT_FILE)
		input->start = lseek(STDIN_FILENO, 0, SEEK_CUR);
}

/* An open file of its own, so that neither a run nor whoever comes after topdown sees another's position. */
static int open_again(int fd, off_t start, struct error *err)
{
	char path[32];
	int again;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDONLY | O_CLOEXEC);
	if (again >= 0 && lseek(again, start, SEEK_SET) == start)
		return again;
	error_set(err, "stdin can't be read again for the next run: %s", strerror(errno));
	if (again >= 0)
		close(again);
	return -1;
}

static bool write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t written = write(fd, data, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return false;
		data += written;
		size -= (size_t)written;
	}
	return true;
}

/* Like read, but also when somebody else has made stdin non-blocking. */
static ssize_t read_stdin(char *block, size_t size)
{
	struct pollfd wait = { .fd = STDIN_FILENO, .events = POLLIN };
	ssize_t got;

	do {
		poll(&wait, 1, -1);
		got = read(STDIN_FILENO, block, size);
	} while (got < 0 && (errno == EINTR || errno == EAGAIN));
	return got;
}

/* Until stdin ends or the program has closed its side. SIGINT and SIGTERM stay blocked: they are for the program. */
static void pump_main(int kept, int program, pid_t parent)
{
	char block[PUMP_BLOCK];
	ssize_t got;

	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	while ((got = read_stdin(block, sizeof(block))) > 0)
		if (!write_all(kept, block, (size_t)got) || !write_all(program, block, (size_t)got))
			break;
	_exit(0);
}

static int pump_fork(struct input *input, const int ends[2])
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		return -1;
	if (pid == 0) {
		close(ends[0]);
		pump_main(input->kept, ends[1], parent);
	}
	input->pump = pid;
	return 0;
}

/* A pipe as short as can be, so that little more is taken from stdin than the program reads. */
static int pump_start(struct input *input, struct error *err)
{
	int ends[2];

	input->kept = memfd_create("topdown-stdin", MFD_CLOEXEC);
	if (input->kept < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return error_set(err, "stdin can't be kept for the next runs: %s", strerror(errno));
	fcntl(ends[1], F_SETPIPE_SZ, PUMP_BLOCK);
	if (pump_fork(input, ends) < 0) {
		error_set(err, "stdin can't be kept for the next runs: %s", strerror(errno));
		close(ends[0]);
		ends[0] = -1;
	}
	close(ends[1]);
	return ends[0];
}

static int open_null(struct error *err)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	return fd >= 0 ? fd : error_set(err, "/dev/null: %s", strerror(errno));
}

int input_open(struct input *input, size_t run, struct error *err)
{
	switch (input->kind) {
	case INPUT_FILE: return run ? open_again(STDIN_FILENO, input->start, err) : INPUT_INHERITED;
	case INPUT_PIPE: return run ? open_again(input->kept, 0, err) : pump_start(input, err);
	case INPUT_TERMINAL: return run ? open_null(err) : INPUT_INHERITED;
	case INPUT_SHARED: break;
	}
	return INPUT_INHERITED;
}

void input_end_run(struct input *input)
{
	if (!input->pump)
		return;
	kill(input->pump, SIGKILL);
	while (waitpid(input->pump, NULL, 0) < 0 && errno == EINTR)
		;
	input->pump = 0;
}

void input_release(struct input *input)
{
	input_end_run(input);
	if (input->kept >= 0)
		close(input->kept);
	input->kept = -1;
}
