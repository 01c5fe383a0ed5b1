/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SETTING	    "proc/sys/kernel/nmi_watchdog"
#define REMEDY	    "run topdown as root, or `sudo sysctl kernel.nmi_watchdog=0` before it"
#define MOST_DIGITS 32

/* What the file says; "" when it can't be read. From the beginning, as the kernel's sysctl files want it. */
static void read_setting(int file, char text[MOST_DIGITS])
{
	ssize_t got = pread(file, text, MOST_DIGITS - 1, 0);

	text[got > 0 ? got : 0] = '\0';
}

static bool is_off(const char *text)
{
	return text[0] == '0' || !text[0];
}

/* Ctrl-C and its like are for topdown and the program. */
static sigset_t ending_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		sigaddset(&set, numbers[i]);
	return set;
}

/* Out of the terminal's reach, and with nothing open that somebody might wait for the end of. */
static void keep_away(void)
{
	setsid();
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
}

static _Noreturn void guard_main(int alarm, int file, const char *before)
{
	size_t length = strlen(before);
	char byte;

	keep_away();
	while (read(alarm, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(pwrite(file, before, length, 0) == (ssize_t)length ? 0 : 1);
}

/* The guard never takes the signals that end topdown: they are blocked already when it comes to life. */
static pid_t fork_deaf(void)
{
	sigset_t deaf = ending_signals(), before;
	pid_t pid;

	sigprocmask(SIG_BLOCK, &deaf, &before);
	pid = fork();
	if (pid != 0)
		sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

static int guard_start(struct watchdog *watchdog, int file, const char *before, struct error *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_set(err, "--nmi-watchdog off: pipe: %s", strerror(errno));
	watchdog->guard = fork_deaf();
	if (watchdog->guard == 0) {
		close(ends[1]);
		guard_main(ends[0], file, before);
	}
	close(ends[0]);
	watchdog->alarm = ends[1];
	if (watchdog->guard > 0)
		return 0;
	watchdog->guard = 0;
	close(ends[1]);
	return error_set(err, "--nmi-watchdog off: fork: %s", strerror(errno));
}

/* The guard first, so that there is no moment in which nobody would restore it. */
static int switch_off(struct watchdog *watchdog, int file, struct error *err)
{
	char before[MOST_DIGITS], after[MOST_DIGITS];

	read_setting(file, before);
	if (is_off(before))
		return 0;
	if (guard_start(watchdog, file, before, err) < 0)
		return -1;
	if (pwrite(file, "0\n", 2, 0) < 0)
		error_set(err, "--nmi-watchdog off: the kernel refuses it: %s; " REMEDY, strerror(errno));
	read_setting(file, after);
	if (!is_error(err) && !is_off(after))
		error_set(err, "--nmi-watchdog off: the kernel keeps it on");
	if (!is_error(err))
		return 0;
	watchdog_restore(watchdog);
	return -1;
}

int watchdog_switch_off(struct watchdog *watchdog, const char *sysroot, struct error *err)
{
	char path[4096];
	int file, result;

	*watchdog = (struct watchdog){ .guard = 0, .alarm = -1 };
	snprintf(path, sizeof(path), "%s/" SETTING, sysroot);
	file = open(path, O_RDWR | O_CLOEXEC);
	if (file < 0 && errno == ENOENT)
		return 0;
	if (file < 0)
		return error_set(err, "--nmi-watchdog off: %s can't be changed: %s; " REMEDY, path, strerror(errno));
	result = switch_off(watchdog, file, err);
	close(file);
	return result;
}

void watchdog_restore(struct watchdog *watchdog)
{
	if (!watchdog->guard)
		return;
	/* A byte, because the pipe does not end while a process that was forked meanwhile has it too. */
	if (write(watchdog->alarm, "", 1) < 0)
		close(watchdog->alarm);
	while (waitpid(watchdog->guard, NULL, 0) < 0 && errno == EINTR)
		;
	close(watchdog->alarm);
	watchdog->guard = 0;
}
