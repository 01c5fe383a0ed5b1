/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/count/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "collect/count/input.h"
#include "common/base/text.h"
#include "common/system/shortage.h"
#include "cpu/identify/usage.h"

#define DEFAULT_PATH "/bin:/usr/bin" /* as execvp without PATH */

/* 0, or why path can't be executed. */
static int check(const char *path)
{
	struct stat stat_of;

	if (stat(path, &stat_of) < 0)
		return errno;
	if (S_ISDIR(stat_of.st_mode))
		return EISDIR;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0 ? errno : 0;
}

/*
 * A name that is no program, as a program that is one with arguments behind it: "./prog 6" was typed with quotes. NULL:
 * it is not that.
 */
static const char *without_quotes(const char *name, struct arena *arena)
{
	size_t length = strcspn(name, " ");
	struct error unused = { .text = "" };
	const char *first, *path, *here = "";

	if (!length || !name[length])
		return NULL;
	first = arena_strndup(arena, name, length);
	if (program_find(&path, first, arena, &unused) < 0) {
		if (strchr(first, '/') || check(first) != 0)
			return NULL;
		here = "./";
	}
	return arena_printf(arena,
			    "the quotes make this one word, the name of a program; without them it is %s%s and "
			    "its arguments",
			    here, first);
}

static int not_executable(const char *path, int error_number, struct arena *arena, struct error *err)
{
	const char *hint = error_number == ENOENT ? without_quotes(path, arena) : NULL;

	err->status = error_number == ENOENT ? 127 : 126;
	if (hint)
		return error_set(err, "%s: %s", path, hint);
	if (error_number == EISDIR)
		return error_set(err, "%s can't be executed: it is a directory; name the program in it", path);
	if (error_number == EACCES)
		return error_set(err, "%s can't be executed: permission denied; `chmod +x` makes a file executable",
				 path);
	return error_set(err, "%s can't be executed: %s", path, strerror(error_number));
}

/* An empty part of PATH is the current directory. */
static char *candidate(const char *directory, size_t length, const char *name, struct arena *arena)
{
	if (length == 0)
		return arena_printf(arena, "./%s", name);
	return arena_printf(arena, "%.*s/%s", (int)length, directory, name);
}

static int search(const char **path, const char *name, struct arena *arena, struct error *err)
{
	const char *part = getenv("PATH"), *unusable = NULL, *hint;
	int why = 0;

	for (part = part ? part : DEFAULT_PATH;; part++) {
		size_t length = strcspn(part, ":");
		const char *tried = candidate(part, length, name, arena);
		int error_number = check(tried);

		if (error_number == 0) {
			*path = tried;
			return 0;
		}
		if (error_number == EACCES && !unusable) {
			unusable = tried;
			why = error_number;
		}
		part += length;
		if (!*part)
			break;
	}
	if (unusable)
		return not_executable(unusable, why, arena, err);
	hint = without_quotes(name, arena);
	err->status = 127;
	if (check(name) == EISDIR)
		return error_set(err, "%s is a directory; name the program in it", name);
	if (hint)
		return error_set(err, "%s: %s", name, hint);
	if (check(name) == EISDIR)
		return error_set(err, "%s: it is a directory, and no such program is in PATH", name);
	return error_set(err, "%s: no such program in PATH; a program elsewhere needs its directory, as in ./%s", name,
			 name);
}

int program_find(const char **path, const char *name, struct arena *arena, struct error *err)
{
	int error_number;

	if (!strchr(name, '/') && *name)
		return search(path, name, arena, err);
	error_number = check(name);
	if (error_number)
		return not_executable(*name ? name : "''", error_number, arena, err);
	*path = arena_strdup(arena, name);
	return 0;
}

/* What exec's errno means to the user of the program. */
static const struct exec_failure {
	int error_number;
	const char *text;
} exec_failures[] = {
	{ ENOEXEC,
	  "it is not a program for this machine; a script needs a first line such as #!/bin/sh (or `sh FILE`)" },
	{ ENOENT, "it exists, but the interpreter or dynamic loader that it names does not" },
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

/* dup2 onto itself would leave the descriptor one that exec closes. */
static int put_at(int fd, int wanted)
{
	return fd == wanted ? fcntl(fd, F_SETFD, 0) : dup2(fd, wanted);
}

/* ---- output that nobody sees ---- */

/*
 * A program that finds /dev/null as its output may do less: grep ends at the first match, tar reads no file. So what
 * was a terminal is a terminal, and all else is a pipe; a thread reads both to their ends.
 */
struct quiet {
	int null, pipe[2], terminal[2]; /* of the two ends the second is the program's; -1: not there */
};

#define QUIET_NONE                                                                                                     \
	{                                                                                                              \
		.null = -1, .pipe = { -1, -1 }, .terminal = { -1, -1 }                                                 \
	}

static bool is_null(int fd)
{
	struct stat file, null;

	return fstat(fd, &file) == 0 && stat("/dev/null", &null) == 0 && file.st_rdev == null.st_rdev &&
	       S_ISCHR(file.st_mode);
}

static int open_terminal(int ends[2], int like)
{
	char name[64];
	struct termios settings;
	struct winsize size;

	ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (ends[0] < 0 || grantpt(ends[0]) < 0 || unlockpt(ends[0]) < 0 || ptsname_r(ends[0], name, sizeof(name)) != 0)
		return -1;
	ends[1] = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (ends[1] < 0)
		return -1;
	if (tcgetattr(like, &settings) == 0)
		tcsetattr(ends[1], TCSANOW, &settings);
	if (ioctl(like, TIOCGWINSZ, &size) == 0)
		ioctl(ends[1], TIOCSWINSZ, &size);
	return 0;
}

static void quiet_open(struct quiet *quiet)
{
	quiet->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		bool is_first = quiet->terminal[1] < 0;

		if (isatty(fd) && is_first && open_terminal(quiet->terminal, fd) < 0)
			close_end(&quiet->terminal[1]);
	}
	if (pipe2(quiet->pipe, O_CLOEXEC) < 0)
		quiet->pipe[0] = quiet->pipe[1] = -1;
}

/* In the child. */
static int quiet_take(const struct quiet *quiet)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		int instead = quiet->pipe[1];

		if (isatty(fd) && quiet->terminal[1] >= 0)
			instead = quiet->terminal[1];
		if (is_null(fd) || instead < 0)
			instead = quiet->null;
		if (instead < 0 || put_at(instead, fd) < 0)
			return -1;
	}
	return 0;
}

/* A terminal whose last writer has closed it fails. */
static void *drop_all(void *context)
{
	char dropped[65536];
	int fd = (int)(intptr_t)context;
	ssize_t length;

	do
		length = read(fd, dropped, sizeof(dropped));
	while (length > 0 || (length < 0 && errno == EINTR));
	close(fd);
	return NULL;
}

static void drop(struct child *child, int *fd)
{
	pthread_t thread;
	sigset_t all, before;

	if (*fd < 0)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the descriptor itself */
	if (pthread_create(&thread, NULL, drop_all, (void *)(intptr_t)*fd) == 0)
		child->droppers[child->ndroppers++] = thread;
	else
		close(*fd); /* the program gets EPIPE, and what it writes is lost either way */
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	*fd = -1;
}

/* After the fork, in topdown. */
static void quiet_begin(struct quiet *quiet, struct child *child)
{
	close_end(&quiet->null);
	close_end(&quiet->pipe[1]);
	close_end(&quiet->terminal[1]);
	drop(child, &quiet->pipe[0]);
	drop(child, &quiet->terminal[0]);
}

#define LEFT_OVER_S 0.1 /* from the program's end, after which somebody else still has its output */

/* What the program has left running goes on, and is read until its end. */
static void quiet_end(struct child *child)
{
	struct timespec until;

	for (unsigned i = 0; i < child->ndroppers; i++) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += (long)(LEFT_OVER_S * 1e9);
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (pthread_timedjoin_np(child->droppers[i], NULL, &until) != 0)
			pthread_detach(child->droppers[i]);
	}
	child->ndroppers = 0;
}

/* ---- the process ---- */

/* What is no terminal is the program's as ever. */
static int leave_terminal(int instead)
{
	int null;

	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (isatty(fd) && put_at(instead, fd) < 0)
			return -1;
	if (!isatty(STDIN_FILENO))
		return 0;
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return null < 0 || put_at(null, STDIN_FILENO) < 0 ? -1 : 0;
}

static int take_files(const struct child_setup *setup, const struct quiet *quiet)
{
	if (setup->input != INPUT_INHERITED && put_at(setup->input, STDIN_FILENO) < 0)
		return -1;
	if (setup->program->no_terminal && leave_terminal(setup->program->no_terminal) < 0)
		return -1;
	return setup->is_quiet ? quiet_take(quiet) : 0;
}

/* What the kernel does not do was tried before (engine/steady_run.c), and is no reason not to run. */
static void make_steady(const struct program *program)
{
	cpu_set_t one;

	if (program->cpu) {
		CPU_ZERO(&one);
		CPU_SET(*program->cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
	}
	if (program->has_fixed_addresses)
		personality(ADDR_NO_RANDOMIZE);
}

/* What a process that is about to be the program needs. */
struct becoming {
	struct child *child;
	const struct child_setup *setup;
	struct quiet quiet;
};

static void child_main(void *context)
{
	struct becoming *becoming = context;
	struct child *child = becoming->child;
	const struct child_setup *setup = becoming->setup;
	const struct program *program = setup->program;
	char go;

	close_end(&child->cork[1]); /* else the pipe would not end with topdown */
	if (read_whole(child->cork[0], &go, 1) != 1)
		_exit(1);
	if (take_files(setup, &becoming->quiet) == 0 && signals_restore(setup->signals) == 0) {
		setrlimit(RLIMIT_NOFILE, &setup->descriptors);
		priority_restore(&setup->priority);
		if (setup->is_confined)
			confine();
		make_steady(program);
		execv(program->path, program->argv);
	}
	if (write(child->failure[1], &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(127);
}

static pid_t fork_child(struct becoming *becoming)
{
	pid_t pid;

	if (becoming->setup->supervisor)
		return supervisor_fork(becoming->setup->supervisor, child_main, becoming);
	pid = fork();
	if (pid == 0)
		child_main(becoming);
	return pid;
}

int child_start(struct child *child, const struct child_setup *setup, struct error *err)
{
	struct becoming becoming = { .child = child, .setup = setup, .quiet = QUIET_NONE };

	*child = (struct child){ .cork = { -1, -1 }, .failure = { -1, -1 } };
	if (pipe2(child->cork, O_CLOEXEC) < 0 || pipe2(child->failure, O_CLOEXEC) < 0) {
		shortage(err, "the program can't be started", errno);
		close_ends(child);
		return -1;
	}
	if (setup->is_quiet)
		quiet_open(&becoming.quiet);
	child->pid = fork_child(&becoming);
	quiet_begin(&becoming.quiet, child);
	if (child->pid < 0) {
		shortage(err, "the program can't be started", errno);
		quiet_end(child);
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
	quiet_end(child);
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
	quiet_end(child);
	return exec_failed(program->path, error_number, err);
}

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec * 1e-6;
}

/*
 * A program that asked to be traced by its parent stops at each signal and waits for a tracer: it goes on untraced, and
 * gets the signal. SIGTRAP is what a tracer gets at an exec, and SIGSTOP is what the program waits for it with.
 * False: it did not ask.
 */
static bool let_go(pid_t pid, int signal_number)
{
	bool is_tracers = signal_number == SIGTRAP || signal_number == SIGSTOP;

	return ptrace(PTRACE_DETACH, pid, NULL, is_tracers ? 0L : (long)signal_number) == 0;
}

/* A shell with job control has started topdown. It learns when topdown stops, and nothing of what topdown starts. */
static bool is_job(void)
{
	pid_t parent = getppid();

	return getsid(parent) == getsid(0) && getpgid(parent) != getpgrp();
}

static void follow_stop(pid_t pid)
{
	sigset_t blocked;

	if (getpgid(pid) != getpgrp() || !is_job())
		return;
	/* Who draws on the terminal waits for this signal, and leaves it first. */
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	if (sigismember(&blocked, SIGTSTP)) {
		kill(getpid(), SIGTSTP);
		return;
	}
	raise(SIGSTOP);
	kill(pid, SIGCONT); /* `fg` has sent it to all, `kill` to topdown alone */
}

static void take_stop(struct child *child, int signal_number)
{
	if (let_go(child->pid, signal_number))
		child->is_untraced = true;
	else
		follow_stop(child->pid);
}

#define NOTHING_USED                                                                                                   \
	{                                                                                                              \
		.minor_faults = NOT_COUNTED, .major_faults = NOT_COUNTED, .switches = NOT_COUNTED,                     \
		.read_bytes = NOT_COUNTED, .written_bytes = NOT_COUNTED, .run_delay_s = NOT_COUNTED                    \
	}

/* Before it is collected: its bytes are gone afterwards. */
static void read_zombie(struct child_usage *used, pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };
	struct arena arena;
	struct sysfiles files;
	struct usage usage;

	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || !info.si_pid)
		return;
	arena_init(&arena);
	files = sysfiles_below("", &arena);
	if (usage_of_task(&usage, &files, pid, USAGE_PROCESS, USAGE_PLAIN)) {
		used->read_bytes = usage.read_bytes;
		used->written_bytes = usage.written_bytes;
	}
	used->run_delay_s = usage_run_delay(&files, pid);
	arena_release(&arena);
}

bool child_has_ended(struct child *child)
{
	struct rusage usage;
	int status = 0;
	struct child_usage used = NOTHING_USED;
	pid_t ended;

	read_zombie(&used, child->pid);
	ended = wait4(child->pid, &status, WNOHANG | WUNTRACED, &usage);
	if (ended > 0 && WIFSTOPPED(status))
		take_stop(child, WSTOPSIG(status));
	if (ended == 0 || (ended > 0 && WIFSTOPPED(status)))
		return false;
	child->user_s = ended > 0 ? seconds(&usage.ru_utime) : NOT_COUNTED;
	child->cpu_s = ended > 0 ? child->user_s + seconds(&usage.ru_stime) : NOT_COUNTED;
	child->faults = ended > 0 ? (double)(usage.ru_minflt + usage.ru_majflt) : NOT_COUNTED;
	child->preemptions = ended > 0 ? (double)usage.ru_nivcsw : NOT_COUNTED;
	if (ended > 0) {
		used.minor_faults = (double)usage.ru_minflt;
		used.major_faults = (double)usage.ru_majflt;
		used.switches = (double)usage.ru_nvcsw + (double)usage.ru_nivcsw;
	}
	child->used = used;
	child->has_ended = true;
	quiet_end(child);
	child->is_killed = WIFSIGNALED(status);
	child->status = child->is_killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return true;
}
