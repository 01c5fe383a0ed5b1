/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count/input.h"

/* What exec's errno means to the user of the program. */
static const struct exec_failure {
	int error_number;
	const char *text;
} exec_failures[] = {
	{ ENOEXEC, "it is no program of this machine: a script needs a first line such as #!/bin/sh (or `sh FILE`)" },
	{ ENOENT, "it is there, but the interpreter or the dynamic loader that it names is not" },
	{ EACCES, "permission denied: `chmod +x` makes it executable, unless its file system is mounted noexec" },
	{ E2BIG, "its arguments and environment are too long" },
};

static ssize_t read_whole(int fd, void *data, size_t size)
{
	ssize_t got;

	do
		got = read(fd, data, size);
	while (got < 0 && errno == EINTR);
	return got;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_ends(struct child *child)
{
	for (size_t i = 0; i < 2; i++) {
		close_end(&child->cork[i]);
		close_end(&child->failure[i]);
	}
}

/* dup2 leaves a descriptor that is in place already as it is: to be closed by exec. */
static int put_at(int fd, int place)
{
	return fd == place ? fcntl(fd, F_SETFD, 0) : dup2(fd, place);
}

static int take_files(const struct child_setup *setup)
{
	int null;

	if (setup->input != INPUT_INHERITED && put_at(setup->input, STDIN_FILENO) < 0)
		return -1;
	if (!setup->is_quiet)
		return 0;
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null < 0 || put_at(null, STDOUT_FILENO) < 0 || put_at(null, STDERR_FILENO) < 0)
		return -1;
	return 0;
}

static _Noreturn void child_main(struct child *child, const struct child_setup *setup)
{
	const struct program *program = setup->program;
	char go;

	close_end(&child->cork[1]); /* else it would not end with topdown */
	if (read_whole(child->cork[0], &go, 1) != 1)
		_exit(1);
	if (take_files(setup) == 0) {
		setrlimit(RLIMIT_NOFILE, &setup->descriptors);
		signals_restore(setup->signals);
		execv(program->path, program->argv);
	}
	if (write(child->failure[1], &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(127);
}

int child_start(struct child *child, const struct child_setup *setup, struct error *err)
{
	*child = (struct child){ .cork = { -1, -1 }, .failure = { -1, -1 } };
	if (pipe2(child->cork, O_CLOEXEC) < 0 || pipe2(child->failure, O_CLOEXEC) < 0) {
		error_set(err, "pipe: %s", strerror(errno));
		close_ends(child);
		return -1;
	}
	child->pid = fork();
	if (child->pid == 0)
		child_main(child, setup);
	if (child->pid < 0) {
		error_set(err, "fork: %s", strerror(errno));
		close_ends(child);
		return -1;
	}
	close_end(&child->failure[1]);
	return 0;
}

static void reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void child_abandon(struct child *child)
{
	close_ends(child);
	reap(child->pid);
}

int exec_failed(const char *path, int error_number, struct error *err)
{
	const char *text = strerror(error_number);
	bool is_missing = error_number == ENOENT && access(path, F_OK) < 0;

	for (size_t i = 0; i < COUNT_OF(exec_failures) && !is_missing; i++)
		if (exec_failures[i].error_number == error_number)
			text = exec_failures[i].text;
	err->status = is_missing ? 127 : 126;
	return error_set(err, "%s can't be executed: %s", path, text);
}

int child_release(struct child *child, const struct program *program, struct error *err)
{
	ssize_t got;
	int error_number;

	/* The read end is open here too, so a child that was killed meanwhile costs no SIGPIPE. */
	if (write(child->cork[1], "", 1) != 1) {
		error_set(err, "%s can't be started: %s", program->path, strerror(errno));
		child_abandon(child);
		return -1;
	}
	got = read_whole(child->failure[0], &error_number, sizeof(error_number));
	close_ends(child);
	if (got != (ssize_t)sizeof(error_number))
		return 0;
	reap(child->pid);
	return exec_failed(program->path, error_number, err);
}

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec * 1e-6;
}

bool child_has_ended(struct child *child)
{
	struct rusage usage;
	int status = 0;
	pid_t ended = wait4(child->pid, &status, WNOHANG, &usage);

	if (ended == 0)
		return false;
	child->user_s = ended > 0 ? seconds(&usage.ru_utime) : (double)NAN;
	child->cpu_s = ended > 0 ? child->user_s + seconds(&usage.ru_stime) : (double)NAN;
	child->is_killed = WIFSIGNALED(status);
	child->status = child->is_killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return true;
}
