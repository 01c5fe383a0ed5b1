/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/identify/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LONGEST_MS 2000

/* Takes no lock, and starts no program that the repository names as its monitor. */
static _Noreturn void run_git(const char *directory, int output)
{
	const char *arguments[] = { "git",
				    "-C",
				    directory && *directory ? directory : ".",
				    "--no-optional-locks",
				    "-c",
				    "core.fsmonitor=false",
				    "status",
				    "--porcelain",
				    "--untracked-files=no",
				    NULL };
	int nothing = open("/dev/null", O_RDWR);

	dup2(nothing, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(nothing, STDERR_FILENO);
	execvp(arguments[0], (char *const *)arguments);
	_exit(127);
}

/* 1: there is one, and so a changed file; 0: none until its end; -1: neither in time. */
static int read_byte(int output)
{
	struct pollfd wanted = { .fd = output, .events = POLLIN };
	char byte;

	if (poll(&wanted, 1, LONGEST_MS) <= 0)
		return -1;
	return (int)read(output, &byte, 1);
}

static bool has_succeeded(pid_t git)
{
	int status;

	while (waitpid(git, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

enum uncommitted uncommitted_find(const char *directory)
{
	int ends[2], found;
	pid_t git;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return UNCOMMITTED_UNKNOWN;
	git = fork();
	if (git == 0)
		run_git(directory, ends[1]);
	close(ends[1]);
	found = git > 0 ? read_byte(ends[0]) : -1;
	close(ends[0]);
	if (found && git > 0)
		kill(git, SIGKILL);
	if (git < 0 || (!has_succeeded(git) && found <= 0) || found < 0)
		return UNCOMMITTED_UNKNOWN;
	return found > 0 ? UNCOMMITTED_SOME : UNCOMMITTED_NONE;
}
