/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int compare(const void *a, const void *b)
{
	pid_t one = *(const pid_t *)a, other = *(const pid_t *)b;

	return (one > other) - (one < other);
}

size_t threads_list(pid_t process, pid_t **threads, struct arena *arena)
{
	char path[48];
	size_t count = 0, capacity = 0;
	struct dirent *entry;
	DIR *directory;

	*threads = NULL;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)process);
	directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		long number = strtol(entry->d_name, NULL, 10);

		if (number <= 0)
			continue;
		*threads = arena_grow(arena, *threads, count, &capacity, sizeof(**threads));
		(*threads)[count++] = (pid_t)number;
	}
	if (directory)
		closedir(directory);
	if (count)
		qsort(*threads, count, sizeof(**threads), compare);
	return count;
}

/* Reads a file of /proc/TASK into text, terminated; false when there is none. */
static bool read_file(pid_t task, const char *name, char *text, size_t size)
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

const char *thread_name(pid_t thread, struct arena *arena)
{
	char name[64];

	if (!read_file(thread, "comm", name, sizeof(name)))
		return "?";
	name[strcspn(name, "\n")] = '\0';
	return arena_strdup(arena, name);
}

bool is_task_running(pid_t task)
{
	char text[512];
	const char *state;

	if (!read_file(task, "stat", text, sizeof(text)))
		return false;
	state = strrchr(text, ')'); /* the name before it may hold anything */
	return state && state[1] && state[2] != 'Z' && state[2] != 'X';
}
