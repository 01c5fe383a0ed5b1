/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/count/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/system/loop.h"

#define MOMENT_MS    50
#define LONGEST_S    1.0
#define SOCKET_BLOCK 65536 /* what a pipe takes at once, however small the kernel keeps it */

/* One that sshd or a shell made in place of a pipe; a peer with an address expects answers, which no pipe takes. */
static bool is_nameless_socket(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNSPEC };
	socklen_t length = sizeof(address), other = sizeof(address);

	return getsockname(STDIN_FILENO, (struct sockaddr *)&address, &length) == 0 && address.sun_family == AF_UNIX &&
	       length == sizeof(address.sun_family) &&
	       getpeername(STDIN_FILENO, (struct sockaddr *)&address, &other) == 0 &&
	       other == sizeof(address.sun_family);
}

static enum input_kind kind_of_stdin(void)
{
	struct stat stat;

	if (fstat(STDIN_FILENO, &stat) < 0)
		return INPUT_SHARED;
	if (S_ISREG(stat.st_mode))
		return INPUT_FILE;
	if (S_ISFIFO(stat.st_mode) || (S_ISSOCK(stat.st_mode) && is_nameless_socket()))
		return INPUT_PIPE;
	return isatty(STDIN_FILENO) ? INPUT_TERMINAL : INPUT_SHARED;
}

void input_init(struct input *input, size_t runs)
{
	*input = (struct input){ .kind = runs > 1 ? kind_of_stdin() : INPUT_SHARED,
				 .kept = { .memory = -1, .file = -1 },
				 .pump = { .stop = -1, .program = -1, .source = -1, .refill = -1 } };
	if (input->kind == INPUT_FILE)
		input->start = lseek(STDIN_FILENO, 0, SEEK_CUR);
}

/* An open file of its own: a run must not see the position of another one, nor change that of topdown's caller. */
static int reopen(int fd, off_t start, struct error *err)
{
	char path[32];
	int fresh;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fresh = open(path, O_RDONLY | O_CLOEXEC);
	if (fresh >= 0 && lseek(fresh, start, SEEK_SET) == start)
		return fresh;
	error_set(err, "stdin can't be read again for the next run: %s", strerror(errno));
	if (fresh >= 0)
		close(fresh);
	return -1;
}

/* ---- the thread that moves what comes through a pipe ---- */

/* False: the run has ended, or the program reads no more. */
static bool wait_for(const struct pump *pump, int fd, short events)
{
	struct pollfd polled[] = {
		{ .fd = fd, .events = events },
		{ .fd = pump->program },
		{ .fd = pump->stop, .events = POLLIN },
	};

	while (poll(polled, COUNT_OF(polled), -1) < 0)
		if (errno != EINTR)
			return false;
	return !polled[1].revents && !polled[2].revents;
}

/* Of a socket: one block to the pipe, which is empty. False at its end. */
static bool refill(const struct pump *pump)
{
	char block[SOCKET_BLOCK];
	ssize_t got = read(STDIN_FILENO, block, sizeof(block));

	if (got < 0)
		return errno == EAGAIN || errno == EINTR;
	return got > 0 && write(pump->refill, block, (size_t)got) == got;
}

static bool has_some(int fd, int timeout_ms)
{
	struct pollfd polled = { .fd = fd, .events = POLLIN };

	return poll(&polled, 1, timeout_ms) > 0;
}

/* Waits for stdin. False: there is nothing to wait for any more. */
static bool await_more(const struct pump *pump)
{
	if (pump->refill < 0)
		return wait_for(pump, pump->source, POLLIN);
	return has_some(pump->source, 0) || (wait_for(pump, STDIN_FILENO, POLLIN) && refill(pump));
}

static bool is_retried(ssize_t moved)
{
	return moved > 0 || (moved < 0 && (errno == EAGAIN || errno == EINTR));
}

/* What can't be kept is at least given to the first run. */
static bool pass_on(const struct pump *pump)
{
	return await_more(pump) && wait_for(pump, pump->program, POLLOUT) &&
	       is_retried(splice(pump->source, NULL, pump->program, NULL, KEPT_BLOCK, SPLICE_F_NONBLOCK));
}

/* One block. False: that was all. */
static bool move(struct input *input)
{
	struct pump *pump = &input->pump;

	if (pump->position < input->kept.length)
		return wait_for(pump, pump->program, POLLOUT) &&
		       is_retried(input_copy_give(&input->kept, &pump->position, pump->program));
	if (pump->has_ended)
		return false;
	if (input->kept.failure)
		return pass_on(pump);
	if (!await_more(pump))
		return false;
	return is_retried(input_copy_take(&input->kept, pump->source)) || input->kept.failure;
}

static void *pump_main(void *context)
{
	struct input *input = context;

	while (move(input))
		;
	close(input->pump.program);
	return NULL;
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* All signals are for topdown's own thread. A write to a program that has ended fails with EPIPE then. */
static int pump_start(struct input *input)
{
	sigset_t all, before;
	bool is_masked;
	int status;

	sigfillset(&all);
	is_masked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
	status = pthread_create(&input->pump.thread, NULL, pump_main, input);
	if (is_masked)
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	input->pump.is_running = status == 0;
	errno = status;
	return status ? -1 : 0;
}

/* Capacity, which only speed depends on: the kernel may refuse it. */
static void input_widen(int pipe_end)
{
	if (fcntl(pipe_end, F_GETPIPE_SZ) < KEPT_BLOCK)
		fcntl(pipe_end, F_SETPIPE_SZ, KEPT_BLOCK);
}

static int open_source(struct pump *pump)
{
	int ends[2];

	if (pump->source >= 0)
		return 0;
	if (fcntl(STDIN_FILENO, F_GETPIPE_SZ) >= 0) {
		pump->source = STDIN_FILENO;
		input_widen(STDIN_FILENO);
		return 0;
	}
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	pump->source = ends[0];
	pump->refill = ends[1];
	return 0;
}

/* The end that the program reads from. */
static int open_pipe(struct input *input, struct error *err)
{
	struct pump *pump = &input->pump;
	int ends[2] = { -1, -1 };

	pump->position = 0;
	pump->stop = eventfd(0, EFD_CLOEXEC);
	if (pump->stop >= 0 && pipe2(ends, O_CLOEXEC) == 0) {
		input_widen(ends[1]);
		pump->program = ends[1];
		if (pump_start(input) == 0)
			return ends[0];
	}
	error_set(err, "stdin can't be kept for the next runs: %s", strerror(errno));
	close_one(&pump->stop);
	close_one(&ends[0]);
	close_one(&ends[1]);
	return -1;
}

/*
 * What comes before the first run costs it nothing: all of an input that ends soon. It begins when nothing comes for a
 * moment, when memory is full, or after a second.
 */
static void keep_first(struct input *input)
{
	struct pump *pump = &input->pump;
	double until = clock_now() + LONGEST_S;
	ssize_t taken = 1;

	while (is_retried(taken) && input->kept.length < input->kept.room && clock_now() < until) {
		if (!has_some(STDIN_FILENO, MOMENT_MS))
			return;
		if (pump->refill >= 0 && !has_some(pump->source, 0) && !refill(pump))
			break;
		taken = input_copy_take(&input->kept, pump->source);
	}
	pump->has_ended = !is_retried(taken) && !input->kept.failure;
}

/* Once more from its start, for a run that was ended before it did anything. */
static int open_again(struct input *input, struct error *err)
{
	return input->kind == INPUT_PIPE ? open_pipe(input, err) : INPUT_INHERITED;
}

static int open_first(struct input *input, struct error *err)
{
	if (input_copy_open(&input->kept, input_copy_usual_room(), err) < 0)
		return -1;
	if (open_source(&input->pump) < 0)
		return error_set(err, "stdin can't be kept for the next runs: %s", strerror(errno));
	keep_first(input);
	return open_pipe(input, err);
}

static int open_next(struct input *input, struct error *err)
{
	input->pump.has_ended = true;
	if (!input->kept.failure)
		return open_pipe(input, err);
	return error_set(err,
			 "only the first %lld MiB of stdin could be kept (%s): use a file instead of a pipe, one run "
			 "({max-runs} 1), or a TMPDIR with room",
			 (long long)input->kept.length >> 20, strerror(input->kept.failure));
}

static int open_null(struct error *err)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	return fd >= 0 ? fd : error_set(err, "/dev/null: %s", strerror(errno));
}

int input_open(struct input *input, size_t run, struct error *err)
{
	if (!run && input->has_begun) {
		if (input->kind == INPUT_FILE && lseek(STDIN_FILENO, input->start, SEEK_SET) < 0)
			return error_set(err, "stdin can't be read again: %s", strerror(errno));
		return open_again(input, err);
	}
	input->has_begun = true;
	switch (input->kind) {
	case INPUT_FILE: return run ? reopen(STDIN_FILENO, input->start, err) : INPUT_INHERITED;
	case INPUT_PIPE: return run ? open_next(input, err) : open_first(input, err);
	case INPUT_TERMINAL: return run ? open_null(err) : INPUT_INHERITED;
	case INPUT_SHARED: break;
	}
	return INPUT_INHERITED;
}

void input_end_run(struct input *input)
{
	struct pump *pump = &input->pump;
	const uint64_t one = 1;

	if (!pump->is_running)
		return;
	if (write(pump->stop, &one, sizeof(one)) != sizeof(one))
		return; /* an eventfd takes it */
	pthread_join(pump->thread, NULL);
	pump->is_running = false;
	close_one(&pump->stop);
}

void input_release(struct input *input)
{
	input_end_run(input);
	if (input->pump.refill >= 0) {
		close_one(&input->pump.source);
		close_one(&input->pump.refill);
	}
	input_copy_close(&input->kept);
}
