/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/identify/usage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/text.h"

#define MOST_TREE 4096 /* processes of a tree that are looked at; more would take longer than what is measured */

struct usage usage_unknown(void)
{
	return (struct usage){ .user_s = NOT_COUNTED,
			       .system_s = NOT_COUNTED,
			       .minor_faults = NOT_COUNTED,
			       .major_faults = NOT_COUNTED,
			       .switches = NOT_COUNTED,
			       .read_bytes = NOT_COUNTED,
			       .written_bytes = NOT_COUNTED };
}

void usage_add(struct usage *a, const struct usage *b)
{
	a->user_s += b->user_s;
	a->system_s += b->system_s;
	a->minor_faults += b->minor_faults;
	a->major_faults += b->major_faults;
	a->switches += b->switches;
	a->read_bytes += b->read_bytes;
	a->written_bytes += b->written_bytes;
	a->no_bytes = a->no_bytes ? a->no_bytes : b->no_bytes;
	a->no_cpu_time = a->no_cpu_time ? a->no_cpu_time : b->no_cpu_time;
}

static double ticks(unsigned long long count)
{
	return (double)count / (double)sysconf(_SC_CLK_TCK);
}

/* "NAME VALUE", "NAME: VALUE" or "NAME=VALUE" at the start of a line, or behind a blank; NAN: no such name. */
static double usage_value_of(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = text; at && (at = strstr(at, name)); at += length) {
		bool is_start = at == text || at[-1] == '\n' || at[-1] == ' ';

		if (is_start && strchr(": =\t", at[length]) && at[length])
			return strtod(at + length + strspn(at + length, ": =\t"), NULL);
	}
	return NOT_COUNTED;
}

/* The sum of a name's values over all lines, "8:0 rbytes=1 wbytes=2"; 0 without lines: nothing was moved. */
static double usage_sum_of(const char *text, const char *name)
{
	double sum = 0;
	size_t length = strlen(name);

	for (const char *at = text; at && (at = strstr(at, name)); at += length)
		if (at > text && at[-1] == ' ' && at[length] == '=')
			sum += strtod(at + length + 1, NULL);
	return sum;
}

/* ---- tasks ---- */

/* proc_pid_stat (fs/proc/array.c): the name before the last ")" may hold anything. */
static bool parse_stat(struct usage *usage, const char *text, enum usage_extent extent)
{
	const char *close = text ? strrchr(text, ')') : NULL;
	unsigned long long minor, child_minor, major, child_major, user, system, child_user, child_system;
	bool has_children = extent != USAGE_THREAD;

	if (!close || sscanf(close + 1, " %*c %*d %*d %*d %*d %*d %*u %llu %llu %llu %llu %llu %llu %llu %llu", &minor,
			     &child_minor, &major, &child_major, &user, &system, &child_user, &child_system) != 8)
		return false;
	usage->minor_faults = (double)(minor + (has_children ? child_minor : 0));
	usage->major_faults = (double)(major + (has_children ? child_major : 0));
	usage->user_s = ticks(user + (has_children ? child_user : 0));
	usage->system_s = ticks(system + (has_children ? child_system : 0));
	return true;
}

/* do_io_accounting (fs/proc/base.c): of a process with its ended threads and the children that it waited for. */
static void read_bytes(struct usage *usage, const struct sysfiles *files, const char *directory)
{
	const char *text = sysfile_read(files, "%s/io", directory);

	if (!text || !*text) {
		usage->no_bytes = "/proc/PID/io can't be read: it is another user's process, or the kernel lacks it";
		return;
	}
	usage->read_bytes = usage_value_of(text, "read_bytes");
	usage->written_bytes = usage_value_of(text, "write_bytes");
}

/* A thread's own file. */
static double read_switches(const struct sysfiles *files, const char *directory)
{
	const char *text = sysfile_read(files, "%s/status", directory);

	return usage_value_of(text, "voluntary_ctxt_switches") + usage_value_of(text, "nonvoluntary_ctxt_switches");
}

static double sum_switches(const struct sysfiles *files, const char *directory)
{
	const char **names;
	size_t count = sysfile_list(files, arena_printf(files->arena, "%s/task", directory), &names);
	double sum = count ? 0 : NOT_COUNTED;

	for (size_t i = 0; i < count; i++)
		sum += read_switches(files, arena_printf(files->arena, "%s/task/%s", directory, names[i]));
	return sum;
}

static bool read_task(struct usage *usage, const struct sysfiles *files, pid_t task, enum usage_extent extent,
		      enum usage_more more)
{
	const char *directory = extent == USAGE_THREAD
					? arena_printf(files->arena, "proc/%d/task/%d", (int)task, (int)task)
					: arena_printf(files->arena, "proc/%d", (int)task);

	*usage = usage_unknown();
	if (!parse_stat(usage, sysfile_read(files, "%s/stat", directory), extent))
		return false;
	read_bytes(usage, files, directory);
	if (more == USAGE_SWITCHES)
		usage->switches =
			extent == USAGE_THREAD ? read_switches(files, directory) : sum_switches(files, directory);
	return true;
}

/* A list of processes that grows while it is gone through. */
struct tree {
	pid_t *items;
	size_t count, capacity;
};

/* The kernel lists the children of each thread where it has CONFIG_PROC_CHILDREN. */
static void add_children(struct tree *tree, const struct sysfiles *files, pid_t process)
{
	const char **threads;
	size_t count = sysfile_list(files, arena_printf(files->arena, "proc/%d/task", (int)process), &threads);

	for (size_t i = 0; i < count; i++) {
		char *text = sysfile_read(files, "proc/%d/task/%s/children", (int)process, threads[i]), *end = text;

		for (long child; text && (child = strtol(text, &end, 10)) > 0 && tree->count < MOST_TREE; text = end) {
			tree->items = arena_grow(files->arena, tree->items, tree->count, &tree->capacity,
						 sizeof(*tree->items));
			tree->items[tree->count++] = (pid_t)child;
		}
	}
}

bool usage_of_task(struct usage *usage, const struct sysfiles *files, pid_t task, enum usage_extent extent,
		   enum usage_more more)
{
	struct tree tree = { .count = 0 };

	if (!read_task(usage, files, task, extent, more))
		return false;
	if (extent != USAGE_TREE)
		return true;
	add_children(&tree, files, task);
	for (size_t i = 0; i < tree.count; i++) {
		struct usage child;

		if (!read_task(&child, files, tree.items[i], USAGE_PROCESS, more))
			continue;
		usage_add(usage, &child);
		add_children(&tree, files, tree.items[i]);
	}
	return true;
}

static void add_threads(struct tree *threads, const struct sysfiles *files, pid_t process)
{
	const char **names;
	size_t count = sysfile_list(files, arena_printf(files->arena, "proc/%d/task", (int)process), &names);

	for (size_t i = 0; i < count; i++) {
		threads->items = arena_grow(files->arena, threads->items, threads->count, &threads->capacity,
					    sizeof(*threads->items));
		threads->items[threads->count++] = (pid_t)strtol(names[i], NULL, 10);
	}
}

size_t usage_threads(pid_t **threads, const struct sysfiles *files, pid_t task, enum usage_extent extent)
{
	struct tree tree = { .count = 0 }, found = { .count = 0 };

	if (extent == USAGE_THREAD) {
		*threads = arena_array(files->arena, 1, sizeof(**threads));
		**threads = task;
		return 1;
	}
	add_threads(&found, files, task);
	if (extent == USAGE_TREE)
		add_children(&tree, files, task);
	for (size_t i = 0; i < tree.count; i++) {
		add_threads(&found, files, tree.items[i]);
		add_children(&tree, files, tree.items[i]);
	}
	*threads = found.items;
	return found.count;
}

/* proc_pid_schedstat (fs/proc/base.c): time on a CPU, time in a run queue, both ns, and the number of time slices. */
double usage_run_delay(const struct sysfiles *files, pid_t thread)
{
	const char *text = sysfile_read(files, "proc/%d/task/%d/schedstat", (int)thread, (int)thread);
	double running, waiting;

	return text && sscanf(text, "%lf %lf", &running, &waiting) == 2 ? waiting * 1e-9 : NOT_COUNTED;
}

/* ---- CPUs and cgroups ---- */

bool usage_of_cpu(struct usage *usage, const struct sysfiles *files, unsigned cpu)
{
	const char *text = sysfile_read(files, "proc/stat"), *line;
	char name[32];
	unsigned long long user, nice, system, idle, iowait, irq, softirq;

	*usage = usage_unknown();
	if (cpu == ALL_CPUS)
		snprintf(name, sizeof(name), "cpu ");
	else
		snprintf(name, sizeof(name), "cpu%u ", cpu);
	line = text ? strstr(text, name) : NULL;
	if (!line || sscanf(line + strlen(name), "%llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle,
			    &iowait, &irq, &softirq) != 7)
		return false;
	usage->user_s = ticks(user + nice);
	usage->system_s = ticks(system + irq + softirq);
	return true;
}

void machine_load_read(struct machine_load *load, const struct sysfiles *files)
{
	const char *text = sysfile_read(files, "proc/stat"), *running = text ? strstr(text, "\nprocs_running ") : NULL;
	const char *interrupts = text ? strstr(text, "\nintr ") : NULL;
	unsigned long long t[8];

	*load = (struct machine_load){ NOT_COUNTED, NOT_COUNTED, NOT_COUNTED, NOT_COUNTED };
	if (running)
		load->running = strtod(running + strlen("\nprocs_running "), NULL);
	if (interrupts)
		load->interrupts = strtod(interrupts + strlen("\nintr "), NULL);
	if (!text || sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3], &t[4],
			    &t[5], &t[6], &t[7]) != 8)
		return;
	load->stolen_s = ticks(t[7]);
	load->all_s = 0;
	for (size_t i = 0; i < COUNT_OF(t); i++)
		load->all_s += ticks(t[i]);
}

/* "max 100000", or microseconds in a period (Documentation/admin-guide/cgroup-v2.rst); of version 1 two files. */
double cgroup_quota(double *throttled, const struct sysfiles *files)
{
	const char *own = own_cgroup(files), *text = own ? sysfile_read(files, "%s/cpu.max", own) : NULL;
	const char *old = sysfile_read(files, "sys/fs/cgroup/cpu/cpu.cfs_quota_us");
	const char *period_text = sysfile_read(files, "sys/fs/cgroup/cpu/cpu.cfs_period_us");
	double quota, period = period_text ? strtod(period_text, NULL) : NOT_COUNTED;

	*throttled = own ? usage_value_of(sysfile_read(files, "%s/cpu.stat", own), "nr_throttled") : NOT_COUNTED;
	if (text && !strncmp(text, "max", 3))
		return INFINITY;
	if (text && sscanf(text, "%lf %lf", &quota, &period) == 2 && period > 0)
		return quota / period;
	if (!old || !(period > 0))
		return NOT_COUNTED;
	quota = strtod(old, NULL);
	return quota < 0 ? INFINITY : quota / period;
}

bool usage_of_cgroup(struct usage *usage, const struct sysfiles *files, const char *directory)
{
	const char *cpu = sysfile_read(files, "%s/cpu.stat", directory);
	const char *io = sysfile_read(files, "%s/io.stat", directory);

	*usage = usage_unknown();
	usage->user_s = usage_value_of(cpu, "user_usec") * 1e-6;
	usage->system_s = usage_value_of(cpu, "system_usec") * 1e-6;
	usage->no_cpu_time = cpu ? NULL : "the cgroup has no cpu.stat of version 2";
	usage->read_bytes = io ? usage_sum_of(io, "rbytes") : NOT_COUNTED;
	usage->written_bytes = io ? usage_sum_of(io, "wbytes") : NOT_COUNTED;
	usage->no_bytes = io ? NULL : "the cgroup has no io.stat: the io controller of version 2 is not on in it";
	return cpu || io;
}

/* ---- pressure ---- */

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=12": microseconds (Documentation/accounting/psi.rst). */
static double stalled(const char *text, const char *kind)
{
	const char *line = text ? strstr(text, kind) : NULL, *total = line ? strstr(line, "total=") : NULL;

	return total ? strtod(total + strlen("total="), NULL) * 1e-6 : NOT_COUNTED;
}

static const char *pressure_file(const struct sysfiles *files, const char *directory, const char *resource)
{
	const char *text = sysfile_read(files, "%s/%s", directory, resource);

	return text ? text : sysfile_read(files, "%s/%s.pressure", directory, resource);
}

bool pressure_read(struct pressure *pressure, const struct sysfiles *files, const char *directory)
{
	const char *cpu = pressure_file(files, directory, "cpu"), *memory = pressure_file(files, directory, "memory");
	const char *io = pressure_file(files, directory, "io");

	*pressure = (struct pressure){ .cpu_s = stalled(cpu, "some"),
				       .memory_s = stalled(memory, "some"),
				       .memory_full_s = stalled(memory, "full"),
				       .io_s = stalled(io, "some"),
				       .io_full_s = stalled(io, "full") };
	return cpu || memory || io;
}

const char *own_cgroup(const struct sysfiles *files)
{
	static const char *const mounts[] = { "sys/fs/cgroup", "sys/fs/cgroup/unified" };
	const char *text = sysfile_read(files, "proc/self/cgroup"), *line = text ? strstr(text, "0::/") : NULL;

	if (!line || (line != text && line[-1] != '\n'))
		return NULL;
	line += strlen("0::");
	for (size_t i = 0; i < COUNT_OF(mounts); i++) {
		const char *path = arena_printf(files->arena, "%s%.*s", mounts[i], (int)strcspn(line, "\n"), line);

		if (sysfile_read(files, "%s/cgroup.controllers", path))
			return path;
	}
	return NULL;
}
