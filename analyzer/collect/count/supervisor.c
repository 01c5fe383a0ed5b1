/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/count/supervisor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/macros.h"
#include "common/system/output_file.h"
#include "simulator/call_kinds.h"
#include "simulator/wire.h"

/* ---- the filter: which calls wait to be judged ---- */

#define MOST_STEPS 1024

struct filter {
	struct sock_filter steps[MOST_STEPS];
	unsigned short count;
};

#define ASK   SECCOMP_RET_USER_NOTIF
#define ALLOW SECCOMP_RET_ALLOW

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define OWN_ARCHITECTURE 0
#endif

static void filter_step(struct filter *filter, uint16_t code, uint32_t value, uint8_t if_so, uint8_t if_not)
{
	if (filter->count < MOST_STEPS)
		filter->steps[filter->count++] = (struct sock_filter){ code, if_so, if_not, value };
}

static void filter_load(struct filter *filter, size_t offset)
{
	filter_step(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void filter_end(struct filter *filter, uint32_t verdict)
{
	filter_step(filter, BPF_RET | BPF_K, verdict, 0, 0);
}

/* The lower half: descriptors, flags and signals have no more, and a pointer with a lower half of 0 is nearly none. */
static void filter_load_argument(struct filter *filter, unsigned argument)
{
	filter_load(filter, offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t));
}

/* What follows is for this call alone, and ends: so many steps. */
static void filter_begin(struct filter *filter, size_t number, unsigned steps)
{
	filter_step(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, (uint8_t)steps);
}

static void filter_allow(struct filter *filter, size_t number)
{
	filter_begin(filter, number, 1);
	filter_end(filter, ALLOW);
}

/* One verdict where an argument has that value, or one of these bits, and the other one where it has not. */
struct choice {
	uint16_t test; /* BPF_JEQ, BPF_JSET */
	uint32_t value, if_so;
};

static void filter_choose(struct filter *filter, size_t number, unsigned argument, const struct choice *choice)
{
	filter_begin(filter, number, 4);
	filter_load_argument(filter, argument);
	filter_step(filter, BPF_JMP | choice->test | BPF_K, choice->value, 0, 1);
	filter_end(filter, choice->if_so);
	filter_end(filter, choice->if_so == ASK ? ALLOW : ASK);
}

/*
 * Descriptors that are not to be used twice, from the first one on: a call waits where so many of its arguments are one
 * of them.
 */
struct given_filter {
	const int *given;
	unsigned count, arguments;
};

static void filter_given(struct filter *filter, size_t number, const struct call *call, const struct given_filter *wait)
{
	const unsigned count = wait->count;

	if (!count) {
		filter_allow(filter, number);
		return;
	}
	filter_begin(filter, number, wait->arguments * (count + 1) + 2);
	for (unsigned i = 0; i < wait->arguments; i++) {
		filter_load_argument(filter, i ? call->second : call->first);
		for (unsigned k = 0; k < count; k++) {
			unsigned behind = (wait->arguments - 1 - i) * (count + 1) + count - 1 - k;

			filter_step(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)wait->given[k], (uint8_t)(behind + 1),
				    0);
		}
	}
	filter_end(filter, ALLOW);
	filter_end(filter, ASK);
}

/* For itself, or a mere question: both arguments may be 0. */
static void filter_limits(struct filter *filter, size_t number, const struct call *call)
{
	filter_begin(filter, number, 6);
	filter_load_argument(filter, call->first);
	filter_step(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 2, 0);
	filter_load_argument(filter, call->second);
	filter_step(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
	filter_end(filter, ALLOW);
	filter_end(filter, ASK);
}

/* Questions about a terminal or a file, and flags of the descriptor. */
static void filter_control(struct filter *filter, size_t number, unsigned argument)
{
	static const uint32_t harmless[] = { TCGETS, TIOCGPGRP, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX };
	const unsigned count = COUNT_OF(harmless);

	filter_begin(filter, number, count + 3);
	filter_load_argument(filter, argument);
	for (unsigned i = 0; i < count; i++)
		filter_step(filter, BPF_JMP | BPF_JEQ | BPF_K, harmless[i], (uint8_t)(count - i), 0);
	filter_end(filter, ASK);
	filter_end(filter, ALLOW);
}

static void filter_add(struct filter *filter, size_t number, const struct call *call,
		       const struct supervisor *supervisor)
{
	const struct given_filter used = { supervisor->given, supervisor->ngiven, call->kind == CALL_MOVES ? 2 : 1 };
	/* Another descriptor of the same: of stdin a shell keeps one while it reads something else. */
	const unsigned first = supervisor->is_input_once;
	const struct given_filter shared = { supervisor->given + first, supervisor->ngiven - first, 1 };
	static const struct choice changes = { BPF_JSET, O_ACCMODE | O_CREAT | O_TRUNC, ASK };
	static const struct choice is_none = { BPF_JEQ, 0, ALLOW };

	if (supervisor_is_copy((unsigned)number)) {
		filter_given(filter, number, call, &shared);
		return;
	}
	switch (call->kind) {
	case CALL_READS:
	case CALL_WRITES:
	case CALL_MOVES:
	case CALL_SEEKS:
	case CALL_LOCKS: filter_given(filter, number, call, &used); return;
	case CALL_FCNTL: filter_given(filter, number, call, &shared); return;
	case CALL_OPENS: filter_choose(filter, number, call->second, &changes); return;
	case CALL_CONTROL: filter_control(filter, number, call->second); return;
	case CALL_OWN: filter_choose(filter, number, call->first, &is_none); return;
	case CALL_LIMITS: filter_limits(filter, number, call); return;
	case CALL_SIGNALS: filter_choose(filter, number, call->second, &is_none); return;
	case CALL_HARMLESS:
	case CALL_MAPS: filter_allow(filter, number); return;
	default: return;
	}
}

static bool is_exec(size_t number)
{
	return number == __NR_execve || number == __NR_execveat;
}

/* Is it allowed whatever its arguments are? */
static bool is_last(size_t number)
{
	return calls[number].kind == CALL_HARMLESS && !supervisor_is_copy((unsigned)number);
}

/* The kernel remembers which calls are allowed whatever their arguments are; the others come first. */
static void filter_make(struct filter *filter, const struct supervisor *supervisor)
{
	filter->count = 0;
	filter_load(filter, offsetof(struct seccomp_data, arch));
	filter_step(filter, BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
	filter_end(filter, ASK);
	filter_load(filter, offsetof(struct seccomp_data, nr));
	for (unsigned round = 0; round < 2; round++)
		for (size_t i = 0; i < COUNT_OF(calls); i++)
			if (is_last(i) == round && !is_exec(i))
				filter_add(filter, i, &calls[i], supervisor);
	for (size_t i = 0; i < COUNT_OF(dispensable_calls); i++)
		filter_allow(filter, dispensable_calls[i]);
	filter_end(filter, ASK);
}

/* Of the calling thread, and of what it forks. A descriptor where its calls wait, or -1 with errno. */
static int filter_install(struct filter *filter, bool *has_rights)
{
	const unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
	struct sock_fprog program = { .len = filter->count, .filter = filter->steps };
	int listener = (int)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);

	*has_rights = listener >= 0;
	if (listener >= 0 || errno != EACCES || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return listener;
	return (int)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

/* ---- can it be? ---- */

static bool is_new_enough(void)
{
	struct utsname name;
	char *end;
	unsigned long major, minor;

	if (uname(&name) < 0)
		return false;
	major = strtoul(name.release, &end, 10);
	minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
	return major > 5 || (major == 5 && minor >= 9);
}

/* It stays open over an exec, and is neither a directory nor a device without a memory. */
static bool is_passed_on(int fd)
{
	struct stat file;
	int flags = fcntl(fd, F_GETFD);

	return flags >= 0 && !(flags & FD_CLOEXEC) && fstat(fd, &file) == 0 && !S_ISDIR(file.st_mode) &&
	       !(S_ISCHR(file.st_mode) && major(file.st_rdev) == 1);
}

/* False: there are too many, or nobody knows. */
static bool find_given(struct supervisor *supervisor)
{
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;
	bool has_room = folder != NULL;

	supervisor->ngiven = 0;
	if (supervisor->is_input_once)
		supervisor->given[supervisor->ngiven++] = STDIN_FILENO;
	while (folder && (entry = readdir(folder)) != NULL) {
		int fd = (int)strtol(entry->d_name, NULL, 10);

		if (fd <= STDERR_FILENO || !is_passed_on(fd))
			continue;
		has_room = has_room && supervisor->ngiven < SUPERVISOR_GIVEN;
		if (has_room)
			supervisor->given[supervisor->ngiven++] = fd;
	}
	if (folder)
		closedir(folder);
	return has_room;
}

bool supervisor_is_possible(void)
{
	const uint32_t action = ASK;
	struct supervisor unused = { .is_input_once = true };

	return OWN_ARCHITECTURE && is_new_enough() &&
	       syscall(__NR_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0 && find_given(&unused);
}

/* ---- scratch ---- */

bool supervisor_add_scratch(struct supervisor *supervisor, const char *path)
{
	size_t room = supervisor->scratch_room ? 2 * supervisor->scratch_room : 16;
	char **grown = supervisor->scratch, *copy = strdup(path);

	if (copy && supervisor->nscratch == supervisor->scratch_room) {
		grown = realloc(supervisor->scratch, room * sizeof(char *));
		if (grown) {
			supervisor->scratch = grown;
			supervisor->scratch_room = room;
		}
	}
	if (!copy || !grown) {
		free(copy);
		return false;
	}
	supervisor->scratch[supervisor->nscratch++] = copy;
	return true;
}

/* What a program leaves was no scratch, but a result: an effect that it had early, as far as is known. */
static void judge_scratch(struct supervisor *supervisor)
{
	struct stat file;

	for (size_t i = 0; i < supervisor->nscratch && !supervisor->has_effect; i++) {
		if (lstat(supervisor->scratch[i], &file) < 0)
			continue;
		supervisor->has_effect = supervisor->has_left_scratch = true;
		snprintf(supervisor->call, sizeof(supervisor->call), S_ISDIR(file.st_mode) ? "mkdir" : "open");
		snprintf(supervisor->what, sizeof(supervisor->what), "%s", supervisor->scratch[i]);
	}
}

#define MOST_OPEN 16 /* folders */

static int remove_one(const char *path, const struct stat *file UNUSED, int kind, struct FTW *place UNUSED)
{
	if (kind == FTW_DP)
		rmdir(path);
	else
		unlink(path);
	return 0;
}

/* Folders stand before what is in them. */
static void release_scratch(struct supervisor *supervisor)
{
	for (size_t i = supervisor->nscratch; i-- > 0;) {
		if (supervisor->mode == SUPERVISE_REPEAT || atomic_load(&supervisor->is_held))
			nftw(supervisor->scratch[i], remove_one, MOST_OPEN, FTW_DEPTH | FTW_PHYS);
		free(supervisor->scratch[i]);
	}
	free(supervisor->scratch);
	supervisor->scratch = NULL;
	supervisor->nscratch = supervisor->scratch_room = 0;
}

/* ---- who judges ---- */

static void answer(const struct supervisor *supervisor, uint64_t id, int error)
{
	struct seccomp_notif_resp response = { .id = id };

	response.error = -error;
	response.flags = error ? 0 : (uint32_t)SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	ioctl(supervisor->listener, SECCOMP_IOCTL_NOTIF_SEND, &response); /* who has ended meanwhile needs none */
}

static void hold(struct supervisor *supervisor)
{
	const uint64_t one = 1;

	atomic_store(&supervisor->is_held, true);
	if (write(supervisor->news, &one, sizeof(one)) < 0)
		return; /* an eventfd takes it */
}

static void keep_first(struct supervisor *supervisor, const struct held_call *asked, const char *call, const char *what)
{
	supervisor->has_effect = true;
	memcpy(supervisor->call, call, sizeof(supervisor->call));
	memcpy(supervisor->what, what, sizeof(supervisor->what));
	supervisor->has_shown = supervisor_has_shown(supervisor->program, asked->thread, &supervisor->cpu_s);
}

static void make_stop(const char *path)
{
	struct error ignored = { .text = "" };

	if (output_file_write(path, "", &ignored) < 0)
		error_clear(&ignored); /* then the process that was refused ends alone */
}

/* False: nothing is to be judged any more. */
static bool judge(struct supervisor *supervisor, const struct seccomp_notif *notice)
{
	struct held_call asked = { .thread = (pid_t)notice->pid, .number = (unsigned)notice->data.nr };
	char call[SUPERVISOR_CALL] = "", what[SUPERVISOR_WHAT] = "";
	bool is_server = false;

	for (size_t i = 0; i < COUNT_OF(asked.arguments); i++)
		asked.arguments[i] = notice->data.args[i];
	if (notice->data.arch != OWN_ARCHITECTURE)
		asked.number = UINT32_MAX;
	if ((supervisor->mode == SUPERVISE_FIRST && supervisor->has_effect) ||
	    !supervisor_judge(supervisor, &asked, call, what, &is_server)) {
		answer(supervisor, notice->id, 0);
		return true;
	}
	if (!supervisor->has_effect)
		keep_first(supervisor, &asked, call, what);
	supervisor->is_server |= is_server;
	if (supervisor->stop)
		make_stop(supervisor->stop);
	if (supervisor->mode == SUPERVISE_FIRST && !is_server && !supervisor->has_shown &&
	    supervisor->cpu_s < SUPERVISOR_YOUNG_S) {
		hold(supervisor);
		return false;
	}
	answer(supervisor, notice->id, supervisor->mode == SUPERVISE_REPEAT ? WIRE_STOPS : 0);
	return true;
}

static bool wait_for_call(int listener, int quit)
{
	struct pollfd polled[] = { { .fd = listener, .events = POLLIN }, { .fd = quit, .events = POLLIN } };

	while (poll(polled, COUNT_OF(polled), -1) < 0)
		if (errno != EINTR)
			return false;
	return polled[0].revents & POLLIN && !polled[1].revents;
}

/* The kernel wants it to be zero at first. */
static bool take_call(int listener, struct seccomp_notif *notice)
{
	memset(notice, 0, sizeof(*notice));
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, notice) == 0;
}

static void *judge_all(void *context)
{
	struct supervisor *supervisor = context;
	struct seccomp_notif notice;

	while (wait_for_call(supervisor->listener, supervisor->quit))
		if (take_call(supervisor->listener, &notice) && !judge(supervisor, &notice))
			break;
	return NULL;
}

#define CALL_CLOSE_RANGE 436 /* the same on all architectures, and in Linux since 5.9 */

/* ---- the process ---- */

struct forking {
	struct supervisor *supervisor;
	void (*child)(void *context);
	void *context;
	struct filter filter;
	pid_t pid;
	int failure; /* errno */
};

/* A filter is a thread's: this one has it, forks, and is gone. */
static void *fork_watched(void *context)
{
	struct forking *forking = context;
	struct supervisor *supervisor = forking->supervisor;

	supervisor->listener = filter_install(&forking->filter, &supervisor->has_rights);
	forking->pid = supervisor->listener < 0 ? -1 : fork();
	forking->failure = errno;
	if (forking->pid == 0) {
		forking->child(forking->context);
		_exit(127);
	}
	return NULL;
}

/* No signal of topdown's is for such a thread. With errno. */
static bool start_thread(pthread_t *thread, void *(*main)(void *), void *context)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	errno = pthread_create(thread, NULL, main, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return errno == 0;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_all(struct supervisor *supervisor)
{
	close_end(&supervisor->listener);
	close_end(&supervisor->news);
	close_end(&supervisor->quit);
}

/* The forking thread's signals are blocked, as topdown's own are: the child restores what its caller had. */
static pid_t fork_by_thread(struct forking *forking)
{
	pthread_t thread;

	if (!start_thread(&thread, fork_watched, forking))
		return -1;
	pthread_join(thread, NULL);
	errno = forking->failure;
	return forking->pid;
}

pid_t supervisor_fork(struct supervisor *supervisor, void (*child)(void *context), void *context)
{
	struct forking forking = { .supervisor = supervisor, .child = child, .context = context };
	int failure;

	supervisor->listener = -1;
	supervisor->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	supervisor->quit = eventfd(0, EFD_CLOEXEC);
	find_given(supervisor);
	filter_make(&forking.filter, supervisor);
	supervisor->program = supervisor->news < 0 || supervisor->quit < 0 ? -1 : fork_by_thread(&forking);
	failure = errno;
	if (supervisor->program > 0 && !start_thread(&supervisor->thread, judge_all, supervisor)) {
		failure = errno;
		kill(supervisor->program, SIGKILL);
		supervisor->program = -1;
	}
	supervisor->is_running = supervisor->program > 0;
	if (supervisor->program < 0)
		close_all(supervisor);
	errno = failure;
	return supervisor->program;
}

/* A process of its own answers what is left running, for as long as that runs: without an answer its calls fail. */
static void answer_leftovers(const struct supervisor *supervisor)
{
	struct pollfd polled = { .fd = supervisor->listener, .events = POLLIN };
	struct supervisor left = *supervisor;
	struct seccomp_notif notice;

	if (poll(&polled, 1, 0) > 0 && polled.revents & POLLHUP)
		return;
	if (fork() != 0)
		return;
	setsid();
	if (dup2(supervisor->listener, STDIN_FILENO) < 0)
		_exit(1);
	syscall(CALL_CLOSE_RANGE, STDIN_FILENO + 1, UINT32_MAX, 0); /* what others wait for the end of */
	left.listener = STDIN_FILENO;
	while (wait_for_call(left.listener, -1))
		if (take_call(left.listener, &notice))
			answer(&left, notice.id, 0);
	_exit(0);
}

void supervisor_close(struct supervisor *supervisor)
{
	const uint64_t one = 1;

	if (!supervisor->is_running)
		return;
	if (write(supervisor->quit, &one, sizeof(one)) == sizeof(one))
		pthread_join(supervisor->thread, NULL);
	supervisor->is_running = false;
	if (supervisor->mode == SUPERVISE_FIRST && !atomic_load(&supervisor->is_held))
		answer_leftovers(supervisor);
	if (supervisor->mode == SUPERVISE_FIRST && !atomic_load(&supervisor->is_held))
		judge_scratch(supervisor);
	release_scratch(supervisor);
	close_all(supervisor);
}
