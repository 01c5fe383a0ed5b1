/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/count/setting.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/system/shortage.h"

#define MOST_TEXT 32
#define WATCHDOG  "proc/sys/kernel/nmi_watchdog"
#define DEVICES	  "sys/bus/event_source/devices"

/*
 * The file's text without the line's end; "" when it can't be read. The kernel's files have to be read from position 0.
 */
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

/* Leaves the terminal, and closes what others may wait for the end of. */
static void keep_away(void)
{
	setsid();
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
}

/* It writes a byte once signals to the group of topdown no longer reach it. */
static _Noreturn void guard_main(int alarm, setting_restorer *restore, const void *what)
{
	char byte = 0;

	keep_away();
	if (write(alarm, &byte, 1) != 1)
		_exit(1);
	while (read(alarm, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(restore(what) ? 0 : 1);
}

/* All signals are blocked before the guard exists, so that none that ends topdown can end it. */
static pid_t fork_blocked(void)
{
	sigset_t blocked, before;
	bool is_blocked;
	pid_t pid;

	sigfillset(&blocked);
	is_blocked = sigprocmask(SIG_BLOCK, &blocked, &before) == 0;
	pid = fork();
	if (pid != 0 && is_blocked)
		sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

static bool is_away(int alarm)
{
	char byte;
	ssize_t got;

	while ((got = read(alarm, &byte, 1)) < 0 && errno == EINTR)
		;
	return got == 1;
}

int setting_guard(struct setting *setting, setting_restorer *restore, const void *what, struct error *err)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return shortage(err, "no process can watch over it", errno);
	setting->guard = fork_blocked();
	if (setting->guard == 0) {
		close(ends[1]);
		guard_main(ends[0], restore, what);
	}
	close(ends[0]);
	setting->alarm = ends[1];
	if (setting->guard > 0 && is_away(ends[1]))
		return 0;
	close(ends[1]);
	if (setting->guard > 0) {
		waitpid(setting->guard, NULL, 0);
		errno = ECHILD;
	}
	setting->guard = 0;
	return shortage(err, "no process can watch over it", errno);
}

/* A file and what it said. */
struct file_before {
	int file;
	const char *text;
};

static bool restore_file(const void *what)
{
	const struct file_before *before = what;

	return write_setting(before->file, before->text);
}

/* The guard is started first, so that the setting is never changed without a process that restores it. */
static int change(struct setting *setting, int file, const char *text, struct error *err)
{
	char before[MOST_TEXT], after[MOST_TEXT];
	const struct file_before was = { .file = file, .text = before };

	read_setting(file, before);
	if (!*before)
		return error_set(err, "it can't be read");
	if (!strcmp(before, text))
		return 0;
	if (setting_guard(setting, restore_file, &was, err) < 0)
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

/*
 * Writes text, one short word, to the file, unless it says that already. -1 and err without the right to change it,
 * or when the kernel does not do it.
 */
static int setting_change(struct setting *setting, const char *path, const char *text, struct error *err)
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

bool setting_restore(struct setting *setting)
{
	int status = 0;

	if (!setting->guard)
		return true;
	/* A byte, because the socket does not end while a process that was forked meanwhile has it open too. */
	if (write(setting->alarm, "", 1) < 0)
		close(setting->alarm);
	while (waitpid(setting->guard, &status, 0) < 0 && errno == EINTR)
		;
	close(setting->alarm);
	setting->guard = 0;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int watchdog_switch_off(struct setting *setting, const char *sysroot, struct error *err)
{
	char path[4096];
	struct error refused = { .text = "" };

	*setting = (struct setting){ .guard = 0 };
	snprintf(path, sizeof(path), "%s/" WATCHDOG, sysroot);
	if (access(path, F_OK) < 0 || setting_change(setting, path, "0", &refused) == 0)
		return 0;
	return error_set(
		err, "{nmi-watchdog} off: %s; run topdown as root, or `sudo sysctl kernel.nmi_watchdog=0` before it",
		refused.text);
}

int mux_interval_set(struct setting *setting, const struct mux_interval *wanted, struct error *err)
{
	char path[4096], text[16];
	struct error refused = { .text = "" };

	*setting = (struct setting){ .guard = 0 };
	snprintf(path, sizeof(path), "%s/" DEVICES "/%s/perf_event_mux_interval_ms", wanted->sysroot, wanted->pmu);
	snprintf(text, sizeof(text), "%u", wanted->ms);
	if (access(path, F_OK) < 0)
		return error_set(err, "{mux-interval} %u: it can't be changed on this kernel: there is no %s",
				 wanted->ms, path);
	if (setting_change(setting, path, text, &refused) == 0)
		return 0;
	return error_set(err, "{mux-interval} %u: %s; run topdown as root", wanted->ms, refused.text);
}
