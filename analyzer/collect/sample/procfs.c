/* SPDX-License-Identifier: GPL-2.0-or-later */
/* procfs.c - processes that were there before the first record, as /proc has them now. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/sample/processes.h"
#include "collect/sample/sampler.h"
#include "common/system/loop.h"

#define LINE_ROOM 4608 /* of maps: a path, and what stands before it */

static bool read_comm(char name[NAME_BYTES], const char *path)
{
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(name, 1, NAME_BYTES - 1, file) : 0;

	if (file)
		fclose(file);
	name[length] = '\0';
	name[strcspn(name, "\n")] = '\0';
	return length > 0;
}

/* "7f12-7f34 r-xp 00001000 fe:00 1234   /usr/lib/libc.so.6": what can be executed. False: no such line. */
static bool parse_line(struct record_mapping *mapping, char *line)
{
	unsigned long long begin, end, offset, inode;
	char access[8];
	unsigned major, minor;
	int length = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu%n", &begin, &end, access, &offset, &major, &minor, &inode,
		   &length) < 7 ||
	    !strchr(access, 'x') || end <= begin)
		return false;
	while (line[length] == ' ')
		length++;
	mapping->address = begin;
	mapping->length = end - begin;
	mapping->offset = offset;
	mapping->major = major;
	mapping->minor = minor;
	mapping->inode = inode;
	mapping->has_inode = true;
	mapping->path = line[length] ? line + length : "//anon";
	return true;
}

static void read_mappings(struct processes *processes, struct process *process)
{
	char path[64], line[LINE_ROOM];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%u/maps", process->pid);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		struct record_mapping mapping = { .pid = process->pid, .tid = process->pid };

		if (parse_line(&mapping, line))
			process_map(processes, process, &mapping);
	}
	if (maps)
		fclose(maps);
}

void thread_read_name(char name[NAME_BYTES], uint32_t pid, uint32_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", pid, tid);
	if (!read_comm(name, path))
		*name = '\0';
}

static void read_thread(struct processes *processes, uint32_t pid, uint32_t tid)
{
	char name[NAME_BYTES];

	thread_read_name(name, pid, tid);
	if (*name)
		thread_set_name(thread_find(processes, pid, tid), name);
}

static void read_threads(struct processes *processes, uint32_t pid)
{
	char path[64];
	struct dirent *entry;
	DIR *directory;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	directory = opendir(path);
	while (directory && (entry = readdir(directory)))
		if (isdigit((unsigned char)*entry->d_name))
			read_thread(processes, pid, (uint32_t)strtoul(entry->d_name, NULL, 10));
	if (directory)
		closedir(directory);
}

/* Are all processes numbered here? The first namespace's file has a fixed number (Linux: include/linux/proc_ns.h). */
static bool is_first_namespace(void)
{
	char text[32] = "";

	return readlink("/proc/self/ns/pid", text, sizeof(text) - 1) < 0 || !strcmp(text, "pid:[4026531836]");
}

/* Number 0: the CPU's idle task, and in a container all processes outside it. */
static void name_unnumbered(struct processes *processes, struct process *process)
{
	static const char idle[NAME_BYTES] = "swapper", outside[NAME_BYTES] = "outside";

	processes->has_outside = !is_first_namespace();
	memcpy(process->program, processes->has_outside ? outside : idle, sizeof(idle));
}

void process_read(struct processes *processes, struct process *process)
{
	char path[64];

	if (process->pid == 0) {
		name_unnumbered(processes, process);
		return;
	}
	snprintf(path, sizeof(path), "/proc/%u/comm", process->pid);
	if (!read_comm(process->program, path))
		return;
	read_mappings(processes, process);
	read_threads(processes, process->pid);
}

uint32_t process_of_thread(uint32_t tid)
{
	char path[64], line[256];
	unsigned pid = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "Tgid: %u", &pid) == 1)
			break;
	if (status)
		fclose(status);
	return pid;
}

void processes_read_all(struct processes *processes, double seconds)
{
	double end = clock_now() + seconds;
	DIR *directory = opendir("/proc");
	struct dirent *entry;

	while (directory && (entry = readdir(directory)) && clock_now() < end)
		if (isdigit((unsigned char)*entry->d_name))
			process_find(processes, (uint32_t)strtoul(entry->d_name, NULL, 10));
	if (directory)
		closedir(directory);
}

unsigned sysctl_number(const char *path)
{
	char name[96];
	unsigned number = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/sys/%s", path);
	file = fopen(name, "re");
	if (file && fscanf(file, "%u", &number) != 1)
		number = 0;
	if (file)
		fclose(file);
	return number;
}
