/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/count/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/macros.h"
#include "common/system/loop.h"

#define LOOK_NS 10000000 /* between two looks: children of children send no SIGCHLD */

/* "12 (name) S 1 ...": the name may hold anything, also parentheses. */
static bool parse_stat(struct process *process, const char *text)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	int parent, session;

	if (!open || !close || close < open ||
	    sscanf(close + 1, " %c %d %*d %d", &process->state, &parent, &session) != 3)
		return false;
	process->parent = parent;
	process->session = session;
	snprintf(process->name, sizeof(process->name), "%.*s", (int)(close - open - 1), open + 1);
	return true;
}

static bool read_process(struct process *process, const char *number)
{
	char path[64], text[512];
	ssize_t got;
	int fd;

	process->pid = (pid_t)strtol(number, NULL, 10);
	if (process->pid <= 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)process->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	return parse_stat(process, text);
}

static size_t list_all(struct process **list, struct arena *arena)
{
	DIR *directory = opendir("/proc");
	size_t count = 0, capacity = 0;
	struct dirent *entry;

	*list = NULL;
	while (directory && (entry = readdir(directory))) {
		struct process process;

		if (!read_process(&process, entry->d_name))
			continue;
		*list = arena_grow(arena, *list, count, &capacity, sizeof(**list));
		(*list)[count++] = process;
	}
	if (directory)
		closedir(directory);
	return count;
}

static bool descendants_is_known(const struct descendants *descendants, pid_t pid)
{
	for (size_t i = 0; i < descendants->nknown; i++)
		if (descendants->known[i] == pid)
			return true;
	return false;
}

/*
 * Moves those below topdown to the front of the list, generation by generation; a known one hides those below it. How
 * many they are.
 */
static size_t gather(const struct descendants *descendants, struct process *list, size_t count)
{
	size_t found = 0;

	for (size_t parent = 0; list && parent <= found; parent++) {
		pid_t pid = parent ? list[parent - 1].pid : getpid();

		for (size_t i = found; i < count; i++) {
			struct process process = list[i];

			if (process.parent != pid || descendants_is_known(descendants, process.pid))
				continue;
			list[i] = list[found];
			list[found++] = process;
		}
	}
	return found;
}

static bool is_reached(const struct process *process, enum reach reach)
{
	bool is_running = process->state != 'Z' && process->state != 'X';

	return is_running && (reach == REACH_ALL || process->session == getsid(0));
}

size_t descendants_list(struct process **list, const struct descendants *descendants, enum reach reach,
			struct arena *arena)
{
	size_t found = list_all(list, arena), kept = 0;

	found = gather(descendants, *list, found);
	for (size_t i = 0; *list && i < found; i++)
		if (is_reached(&(*list)[i], reach))
			(*list)[kept++] = (*list)[i];
	return kept;
}

size_t descendants_signal(const struct descendants *descendants, int number, enum reach reach)
{
	struct process *list;
	struct arena arena;
	size_t count;

	arena_init(&arena);
	count = descendants_list(&list, descendants, reach, &arena);
	for (size_t i = 0; i < count; i++)
		kill(list[i].pid, number);
	for (size_t i = 0; i < count; i++)
		if (list[i].state == 'T')
			kill(list[i].pid, SIGCONT);
	arena_release(&arena);
	return count;
}

void descendants_continue(const struct descendants *descendants)
{
	descendants_signal(descendants, 0, REACH_ALL); /* 0 is no signal */
}

static bool is_foreign(const struct descendants *descendants, pid_t pid)
{
	for (size_t i = 0; i < descendants->nforeign; i++)
		if (descendants->known[i] == pid)
			return true;
	return false;
}

/* The slow way, where a child that is not ours to collect hides the others from waitid. */
static void collect_listed(const struct descendants *descendants, pid_t program)
{
	struct process *list;
	struct arena arena;
	size_t count;

	arena_init(&arena);
	count = list_all(&list, &arena);
	for (size_t i = 0; i < count; i++)
		if (list[i].parent == getpid() && list[i].state == 'Z' && list[i].pid != program &&
		    !is_foreign(descendants, list[i].pid))
			waitpid(list[i].pid, NULL, WNOHANG);
	arena_release(&arena);
}

bool descendants_collect(const struct descendants *descendants, pid_t program)
{
	siginfo_t info;

	for (;;) {
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
			return false;
		if (info.si_pid == 0 || info.si_pid == program)
			return true;
		if (is_foreign(descendants, info.si_pid)) {
			collect_listed(descendants, program);
			return true;
		}
		waitpid(info.si_pid, NULL, WNOHANG);
	}
}

/* Is anybody left to wait for? */
static bool descendants_has_any(const struct descendants *descendants, enum reach reach)
{
	struct process *list;
	struct arena arena;
	size_t count;

	if (!descendants_collect(descendants, 0))
		return false;
	arena_init(&arena);
	count = descendants_list(&list, descendants, reach, &arena);
	arena_release(&arena);
	return count > 0;
}

bool descendants_wait(const struct descendants *descendants, enum reach reach, double seconds)
{
	const struct timespec moment = { .tv_nsec = LOOK_NS };
	double until = clock_now() + seconds;

	while (descendants_has_any(descendants, reach)) {
		if (clock_now() >= until)
			return false;
		nanosleep(&moment, NULL);
	}
	return true;
}

#define KILLED_S 1.0 /* for those that SIGKILL was sent to: the kernel may still be busy for them */

size_t descendants_end(const struct descendants *descendants, enum reach reach, double seconds)
{
	size_t killed;

	if (!descendants_collect(descendants, 0))
		return 0;
	descendants_signal(descendants, SIGTERM, reach);
	if (descendants_wait(descendants, reach, seconds))
		return 0;
	killed = descendants_signal(descendants, SIGKILL, reach);
	descendants_wait(descendants, reach, KILLED_S);
	return killed;
}

void descendants_keep(struct descendants *descendants)
{
	struct process *list;
	struct arena arena;
	size_t count;

	arena_init(&arena);
	count = list_all(&list, &arena);
	count = gather(descendants, list, count);
	for (size_t i = 0; list && i < count; i++) {
		descendants->known = arena_grow(&descendants->arena, descendants->known, descendants->nknown,
						&descendants->capacity, sizeof(*descendants->known));
		descendants->known[descendants->nknown++] = list[i].pid;
	}
	arena_release(&arena);
}

void descendants_adopt(struct descendants *descendants)
{
	*descendants = (struct descendants){ .was_reaper = 0 };
	arena_init(&descendants->arena);
	if (prctl(PR_GET_CHILD_SUBREAPER, &descendants->was_reaper) < 0)
		descendants->was_reaper = 0;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	descendants_keep(descendants);
	descendants->nforeign = descendants->nknown;
}

void descendants_release(struct descendants *descendants)
{
	prctl(PR_SET_CHILD_SUBREAPER, descendants->was_reaper);
	arena_release(&descendants->arena);
}

bool task_file_read(pid_t task, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)task, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, size - 1);
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got > 0;
}
