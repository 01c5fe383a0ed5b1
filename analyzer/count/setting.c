/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/setting.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_TEXT 32

/* What the file says, without the line's end; "" when it can't be read. From the beginning, as the kernel's files want it. */
static void read_setting(int file, char text[MOST_TEXT])
{
	ssize_t got = pread(file, text, MOST_TEXT - 1, 0);

	text[got > 0 ? got : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

static bool write_setting(int file, const char *text)
{
	char line[MOST_TEXT + 1];
	int length = snprintf(line, sizeof(line), "%s\n", text);

	return pwrite(file, line, (size_t)length, 0) == length;
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
	char byte;

	keep_away();
	while (read(alarm, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(write_setting(file, before) ? 0 : 1);
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

static int guard_start(struct setting *setting, int file, const char *before, struct error *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_set(err, "pipe: %s", strerror(errno));
	setting->guard = fork_deaf();
	if (setting->guard == 0) {
		close(ends[1]);
		guard_main(ends[0], file, before);
	}
	close(ends[0]);
	setting->alarm = ends[1];
	if (setting->guard > 0)
		return 0;
	setting->guard = 0;
	close(ends[1]);
	return error_set(err, "fork: %s", strerror(errno));
}

/* The guard first, so that there is no moment in which nobody would restore it. */
static int change(struct setting *setting, int file, const char *text, struct error *err)
{
	char before[MOST_TEXT], after[MOST_TEXT];

	read_setting(file, before);
	if (!*before)
		return error_set(err, "it can't be read");
	if (!strcmp(before, text))
		return 0;
	if (guard_start(setting, file, before, err) < 0)
		return -1;
	if (!write_setting(file, text))
		error_set(err, "the kernel refuses it: %s", strerror(errno));
	read_setting(file, after);
	if (!is_error(err) && strcmp(after, text) != 0)
		error_set(err, "the kernel keeps it at %s", after);
	if (!is_error(err))
		return 0;
	setting_restore(setting);
	return -1;
}

int setting_change(struct setting *setting, const char *path, const char *text, struct error *err)
{
	int file, result;

	*setting = (struct setting){ .guard = 0, .alarm = -1 };
	file = open(path, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return error_set(err, "%s can't be changed: %s", path, strerror(errno));
	result = change(setting, file, text, err);
	close(file);
	return result < 0 ? error_in(err, "%s", path) : 0;
}

void setting_restore(struct setting *setting)
{
	if (!setting->guard)
		return;
	/* A byte, because the pipe does not end while a process that was forked meanwhile has it too. */
	if (write(setting->alarm, "", 1) < 0)
		close(setting->alarm);
	while (waitpid(setting->guard, NULL, 0) < 0 && errno == EINTR)
		;
	close(setting->alarm);
	setting->guard = 0;
}
