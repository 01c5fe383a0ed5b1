/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/waits/wait_parts.h"
#include "common/base/text.h"
#include "cpu/identify/tracepoint.h"

#define MOST_PATH 4096
#define LINE_ROOM 512

static const struct {
	const char *call;
	enum wait_kind kind; /* of SHOWN_BY_FIRST_FD and SHOWN_BY_SECOND_FD where the descriptor says nothing */
	enum shown_by by;
} calls[] = {
	{ "futex", WAIT_LOCK, SHOWN_BY_LOCK },
	{ "futex_wait", WAIT_LOCK, SHOWN_BY_LOCK },
	{ "futex_waitv", WAIT_LOCK, SHOWN_BY_CALL },
	{ "semop", WAIT_LOCK, SHOWN_BY_CALL },
	{ "semtimedop", WAIT_LOCK, SHOWN_BY_CALL },
	{ "flock", WAIT_LOCK, SHOWN_BY_CALL },
	{ "fcntl", WAIT_LOCK, SHOWN_BY_CALL },
	{ "poll", WAIT_PIPE, SHOWN_BY_CALL },
	{ "ppoll", WAIT_PIPE, SHOWN_BY_CALL },
	{ "select", WAIT_PIPE, SHOWN_BY_CALL },
	{ "pselect6", WAIT_PIPE, SHOWN_BY_CALL },
	{ "epoll_wait", WAIT_PIPE, SHOWN_BY_CALL },
	{ "epoll_pwait", WAIT_PIPE, SHOWN_BY_CALL },
	{ "epoll_pwait2", WAIT_PIPE, SHOWN_BY_CALL },
	{ "msgrcv", WAIT_PIPE, SHOWN_BY_CALL },
	{ "msgsnd", WAIT_PIPE, SHOWN_BY_CALL },
	{ "mq_timedreceive", WAIT_PIPE, SHOWN_BY_CALL },
	{ "mq_timedsend", WAIT_PIPE, SHOWN_BY_CALL },
	{ "nanosleep", WAIT_TIMER, SHOWN_BY_CALL },
	{ "clock_nanosleep", WAIT_TIMER, SHOWN_BY_CALL },
	{ "wait4", WAIT_CHILD, SHOWN_BY_CALL },
	{ "waitid", WAIT_CHILD, SHOWN_BY_CALL },
	{ "vfork", WAIT_CHILD, SHOWN_BY_CALL },
	{ "clone", WAIT_CHILD, SHOWN_BY_CALL },
	{ "clone3", WAIT_CHILD, SHOWN_BY_CALL },
	{ "read", WAIT_DISK, SHOWN_BY_FIRST_FD },
	{ "readv", WAIT_DISK, SHOWN_BY_FIRST_FD },
	{ "pread64", WAIT_DISK, SHOWN_BY_FIRST_FD },
	{ "preadv", WAIT_DISK, SHOWN_BY_FIRST_FD },
	{ "preadv2", WAIT_DISK, SHOWN_BY_FIRST_FD },
	{ "write", WAIT_DISK, SHOWN_BY_FIRST_FD },
	{ "writev", WAIT_DISK, SHOWN_BY_FIRST_FD },
	{ "pwrite64", WAIT_DISK, SHOWN_BY_FIRST_FD },
	{ "pwritev", WAIT_DISK, SHOWN_BY_FIRST_FD },
	{ "pwritev2", WAIT_DISK, SHOWN_BY_FIRST_FD },
	{ "fsync", WAIT_DISK, SHOWN_BY_FIRST_FD },
	{ "fdatasync", WAIT_DISK, SHOWN_BY_FIRST_FD },
	{ "sync_file_range", WAIT_DISK, SHOWN_BY_FIRST_FD },
	{ "ftruncate", WAIT_DISK, SHOWN_BY_FIRST_FD },
	{ "fallocate", WAIT_DISK, SHOWN_BY_FIRST_FD },
	{ "getdents64", WAIT_DISK, SHOWN_BY_FIRST_FD },
	{ "sendfile", WAIT_DISK, SHOWN_BY_SECOND_FD },
	{ "copy_file_range", WAIT_DISK, SHOWN_BY_FIRST_FD },
	{ "splice", WAIT_PIPE, SHOWN_BY_FIRST_FD },
	{ "tee", WAIT_PIPE, SHOWN_BY_FIRST_FD },
	{ "accept", WAIT_NETWORK, SHOWN_BY_FIRST_FD },
	{ "accept4", WAIT_NETWORK, SHOWN_BY_FIRST_FD },
	{ "connect", WAIT_NETWORK, SHOWN_BY_FIRST_FD },
	{ "sendto", WAIT_NETWORK, SHOWN_BY_FIRST_FD },
	{ "sendmsg", WAIT_NETWORK, SHOWN_BY_FIRST_FD },
	{ "sendmmsg", WAIT_NETWORK, SHOWN_BY_FIRST_FD },
	{ "recvfrom", WAIT_NETWORK, SHOWN_BY_FIRST_FD },
	{ "recvmsg", WAIT_NETWORK, SHOWN_BY_FIRST_FD },
	{ "recvmmsg", WAIT_NETWORK, SHOWN_BY_FIRST_FD },
	{ "sync", WAIT_DISK, SHOWN_BY_CALL },
	{ "syncfs", WAIT_DISK, SHOWN_BY_CALL },
	{ "msync", WAIT_DISK, SHOWN_BY_CALL },
	{ "open", WAIT_DISK, SHOWN_BY_CALL },
	{ "openat", WAIT_DISK, SHOWN_BY_CALL },
	{ "openat2", WAIT_DISK, SHOWN_BY_CALL },
	{ "close", WAIT_DISK, SHOWN_BY_CALL },
	{ "stat", WAIT_DISK, SHOWN_BY_CALL },
	{ "lstat", WAIT_DISK, SHOWN_BY_CALL },
	{ "newfstatat", WAIT_DISK, SHOWN_BY_CALL },
	{ "statx", WAIT_DISK, SHOWN_BY_CALL },
	{ "rename", WAIT_DISK, SHOWN_BY_CALL },
	{ "renameat", WAIT_DISK, SHOWN_BY_CALL },
	{ "renameat2", WAIT_DISK, SHOWN_BY_CALL },
	{ "unlink", WAIT_DISK, SHOWN_BY_CALL },
	{ "unlinkat", WAIT_DISK, SHOWN_BY_CALL },
	{ "mkdir", WAIT_DISK, SHOWN_BY_CALL },
	{ "mkdirat", WAIT_DISK, SHOWN_BY_CALL },
	{ "execve", WAIT_DISK, SHOWN_BY_CALL },
	{ "io_getevents", WAIT_DISK, SHOWN_BY_CALL },
	{ "io_pgetevents", WAIT_DISK, SHOWN_BY_CALL },
	{ "io_uring_enter", WAIT_DISK, SHOWN_BY_CALL },
};

/* ---- what a descriptor is ---- */

/* A line of /proc/PID/net/tcp or udp: "0: 0100007F:1538 0200007F:A3C2 01 ... inode". */
static const char *find_peer(const char *path, unsigned long inode, struct arena *arena)
{
	FILE *file = fopen(path, "re");
	const char *peer = NULL;
	char line[LINE_ROOM];

	while (file && !peer && fgets(line, sizeof(line), file)) {
		unsigned long found;
		char address[40];
		unsigned own, port;

		if (sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %32[0-9A-Fa-f]:%x %*x %*s %*s %*s %*d %*d %lu", &own, address,
			   &port, &found) != 4 ||
		    found != inode)
			continue;
		if (!port) { /* nobody yet: it listens, or takes what comes from anywhere */
			peer = arena_printf(arena, "own port %u", own);
		} else if (strlen(address) == 8) {
			unsigned a = 0, b = 0, c = 0, d = 0;

			sscanf(address, "%2x%2x%2x%2x", &d, &c, &b, &a);
			peer = arena_printf(arena, "%u.%u.%u.%u:%u", a, b, c, d, port);
		} else {
			peer = arena_printf(arena, "port %u", port);
		}
	}
	if (file)
		fclose(file);
	return peer;
}

static void take_socket(struct wait_found *found, const char *call, uint32_t pid, const char *target,
			struct arena *arena)
{
	static const char *const tables[] = { "tcp", "tcp6", "udp", "udp6" };
	unsigned long inode = 0;
	const char *peer = NULL;

	sscanf(target, "socket:[%lu]", &inode);
	for (size_t i = 0; i < COUNT_OF(tables) && !peer; i++)
		peer = find_peer(arena_printf(arena, "/proc/%u/net/%s", pid, tables[i]), inode, arena);
	found->kind = peer ? WAIT_NETWORK : WAIT_PIPE;
	found->name = peer ? arena_printf(arena, "%s, %s", call, peer) : arena_printf(arena, "%s, local socket", call);
}

/* /proc says what a descriptor leads to: "pipe:[12]", "socket:[12]", "/tmp/file", "anon_inode:[eventfd]". */
static void take_descriptor(struct wait_found *found, const char *call, uint32_t pid, unsigned fd, struct arena *arena)
{
	const char *path = arena_printf(arena, "/proc/%u/fd/%u", pid, fd);
	char target[MOST_PATH];
	ssize_t length = readlink(path, target, sizeof(target) - 1);

	if (length <= 0)
		return;
	target[length] = '\0';
	if (has_name_prefix(target, "socket:")) {
		take_socket(found, call, pid, target, arena);
		return;
	}
	found->kind = *target != '/' || has_name_prefix(target, "/dev/") ? WAIT_PIPE : WAIT_DISK;
	found->name = has_name_prefix(target, "pipe:") ? arena_printf(arena, "%s, pipe", call)
						       : arena_printf(arena, "%s, %s", call, target);
}

/* ---- what a call waits for ---- */

/* Its row of calls; COUNT_OF(calls): it has none. */
static size_t row_of(const char *call)
{
	size_t i = 0;

	while (i < COUNT_OF(calls) && (!call || strcmp(calls[i].call, call) != 0))
		i++;
	return i;
}

enum shown_by wait_shown_by(uint64_t number)
{
	size_t row = row_of(system_call_name(number));

	return row < COUNT_OF(calls) ? calls[row].by : SHOWN_BY_CALL;
}

unsigned wait_arguments(uint64_t number)
{
	static const unsigned counts[] = {
		[SHOWN_BY_CALL] = 0, [SHOWN_BY_LOCK] = 2, [SHOWN_BY_FIRST_FD] = 1, [SHOWN_BY_SECOND_FD] = 2
	};

	return counts[wait_shown_by(number)];
}

static uint64_t object_of(uint32_t task, unsigned fd)
{
	char path[64];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/%u/fd/%u", task, fd);
	return stat(path, &status) == 0 ? status.st_ino : 0;
}

uint64_t wait_object(const struct waiting_call *call)
{
	unsigned fd = (unsigned)call->arguments[0];
	uint64_t object;

	if (!wait_arguments(call->number))
		return 0;
	object = object_of(call->pid, fd);
	return object || call->tid == call->pid ? object : object_of(call->tid, fd);
}

uint32_t task_with_memory(uint32_t pid, uint32_t tid)
{
	char path[64], target[2];

	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	return pid == tid || readlink(path, target, sizeof(target)) >= 0 ? pid : tid;
}

/*
 * The kernel wakes at a thread's own number when it ends (CLONE_CHILD_CLEARTID), not as it wakes private futexes;
 * a C library has that number beside the thread's stack. Locks of several processes are elsewhere.
 */
static bool is_join(const struct waiting_call *in, const char *call, const char *name)
{
	return !strcmp(call, "futex") && !(in->arguments[1] & FUTEX_PRIVATE_FLAG) && has_name_prefix(name, "futex 0x");
}

/*
 * A thread of Go without a goroutine parks until a note's key is no longer 0 (runtime/lock_futex.go, notesleep). A
 * mutex of its runtime waits while the key is 2; what C libraries wait for has other operations.
 */
static bool is_parked(const struct waiting_call *in, const char *call, struct lock_names *locks)
{
	return !strcmp(call, "futex") && ((uint32_t)in->arguments[1] & (uint32_t)FUTEX_CMD_MASK) == FUTEX_WAIT &&
	       !(uint32_t)in->arguments[2] && lock_names_is_go(locks, in);
}

static void take_lock(struct wait_found *found, const struct waiting_call *in, struct lock_names *locks)
{
	if (is_parked(in, found->call, locks)) {
		found->kind = WAIT_PIPE;
		found->name = "Go, nothing to run";
		return;
	}
	found->name = lock_name(locks, in);
	if (is_join(in, found->call, found->name))
		found->name = "a thread's end";
}

void wait_of_call(struct wait_found *found, const struct waiting_call *in, struct lock_names *locks,
		  struct arena *arena)
{
	const char *call = system_call_name(in->number);
	size_t i = row_of(call);
	uint32_t task;

	*found = (struct wait_found){ .kind = WAIT_OTHER, .name = call, .call = call };
	if (i == COUNT_OF(calls))
		return;
	found->kind = calls[i].kind;
	task = calls[i].by == SHOWN_BY_CALL ? in->pid : task_with_memory(in->pid, in->tid);
	switch (calls[i].by) {
	case SHOWN_BY_CALL: break;
	case SHOWN_BY_LOCK: take_lock(found, in, locks); break;
	case SHOWN_BY_FIRST_FD: take_descriptor(found, call, task, (unsigned)in->arguments[0], arena); break;
	case SHOWN_BY_SECOND_FD: take_descriptor(found, call, task, (unsigned)in->arguments[1], arena); break;
	}
}

static bool read_line(char line[LINE_ROOM], const char *path)
{
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(line, 1, LINE_ROOM - 1, file) : 0;

	line[length] = '\0';
	if (file)
		fclose(file);
	return length > 0;
}

/* In no call: it waits for a page, or is stopped. */
static enum look_result take_state(struct wait_found *found, uint32_t pid, uint32_t tid)
{
	char path[64], line[LINE_ROOM], *state;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", pid, tid);
	state = read_line(line, path) ? strrchr(line, ')') : NULL;
	if (!state || state[1] != ' ' || !strchr("DtT", state[2]))
		return LOOK_RUNS;
	*found = state[2] == 'D' ? (struct wait_found){ .kind = WAIT_FAULT, .name = "page fault" }
				 : (struct wait_found){ .kind = WAIT_OTHER, .name = "stopped" };
	return LOOK_FOUND;
}

/* "202 0x4040a0 0x80 ... 0x7ffc 0x7f12", "-1 0x7ffc 0x7f12" or "running" (fs/proc/base.c, proc_pid_syscall). */
enum look_result wait_look(struct wait_found *found, const struct waiting_thread *thread, struct lock_names *locks,
			   struct wait_calls *known, struct arena *arena)
{
	struct waiting_call in = { .pid = thread->pid, .tid = thread->tid };
	char path[64], line[LINE_ROOM], *place;
	long long number;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/syscall", thread->pid, thread->tid);
	errno = 0;
	if (!read_line(line, path))
		return errno == EACCES || errno == EPERM ? LOOK_REFUSED : LOOK_RUNS;
	if (sscanf(line, "%lld 0x%llx 0x%llx 0x%llx", &number, &in.arguments[0], &in.arguments[1], &in.arguments[2]) <
	    1)
		return LOOK_RUNS;
	if (number < 0)
		return take_state(found, thread->pid, thread->tid);
	in.number = (uint64_t)number;
	place = strrchr(line, ' ');
	if (known && place)
		wait_calls_learn(known, &in, strtoull(place, NULL, 16));
	wait_of_call(found, &in, locks, arena);
	return LOOK_FOUND;
}

uint64_t thread_delay(uint32_t pid, uint32_t tid)
{
	unsigned long long delay = 0;
	char path[64], line[LINE_ROOM];

	snprintf(path, sizeof(path), "/proc/%u/task/%u/schedstat", pid, tid);
	return read_line(line, path) && sscanf(line, "%*u %llu", &delay) == 1 ? delay : 0;
}

/* ---- the cgroup's quota ---- */

/* "throttled_usec 12" of version 2, "throttled_time 12000" of version 1 (Documentation/scheduler/sched-bwc.rst). */
static uint64_t read_throttled(const char *path)
{
	unsigned long long value, found = 0;
	FILE *file = fopen(path, "re");
	char line[LINE_ROOM];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "throttled_usec %llu", &value) == 1)
			found = value * 1000;
		else if (sscanf(line, "throttled_time %llu", &value) == 1)
			found = value;
	}
	if (file)
		fclose(file);
	return found;
}

/* "4:cpu,cpuacct:/a/b" of version 1, "0::/a/b" of version 2. */
uint64_t process_throttled(uint32_t pid)
{
	char path[64], line[LINE_ROOM], stat[2 * LINE_ROOM];
	uint64_t found = 0;
	FILE *groups;

	snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	groups = fopen(path, "re");
	while (groups && !found && fgets(line, sizeof(line), groups)) {
		const char *kinds = strchr(line, ':'), *own = kinds ? strchr(kinds + 1, ':') : NULL;

		line[strcspn(line, "\n")] = '\0';
		if (!own ||
		    (own != kinds + 1 && !has_name_prefix(kinds + 1, "cpu:") && !has_name_prefix(kinds + 1, "cpu,")))
			continue;
		snprintf(stat, sizeof(stat), "/sys/fs/cgroup%s%s/cpu.stat", own == kinds + 1 ? "" : "/cpu", own + 1);
		found = read_throttled(stat);
	}
	if (groups)
		fclose(groups);
	return found;
}
