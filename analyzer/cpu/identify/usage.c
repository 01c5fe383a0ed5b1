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

double tick_seconds(double count)
{
	return count / (double)sysconf(_SC_CLK_TCK);
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
	usage->user_s = tick_seconds((double)(user + (has_children ? child_user : 0)));
	usage->system_s = tick_seconds((double)(system + (has_children ? child_system : 0)));
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
	usage->read_bytes = sysfile_value(text, "read_bytes");
	usage->written_bytes = sysfile_value(text, "write_bytes");
}

/* A thread's own file. */
static double read_switches(const struct sysfiles *files, const char *directory)
{
	const char *text = sysfile_read(files, "%s/status", directory);

	return sysfile_value(text, "voluntary_ctxt_switches") + sysfile_value(text, "nonvoluntary_ctxt_switches");
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

/* show_stat (fs/proc/stat.c): user, nice, system, idle, iowait, irq, softirq, steal; guests' time is in user. */
bool cpu_spent_parse(struct cpu_spent *times, const char *text, const char *name)
{
	const char *line = text ? strstr(text, name) : NULL;
	double t[8] = { [7] = NOT_COUNTED };
	size_t count = 0;

	if (!line || line[strlen(name)] != ' ')
		return false;
	for (const char *at = line + strlen(name); count < COUNT_OF(t); count++) {
		at += strspn(at, " ");
		if (!text_double_prefix(at, &at, &t[count]))
			break;
	}
	*times = (struct cpu_spent){ .user_s = tick_seconds(t[0] + t[1]),
				     .system_s = tick_seconds(t[2]),
				     .interrupt_s = tick_seconds(t[5] + t[6]),
				     .idle_s = tick_seconds(t[3]),
				     .iowait_s = tick_seconds(t[4]),
				     .stolen_s = tick_seconds(t[7]) };
	times->busy_s = tick_seconds(t[0] + t[1] + t[2] + t[5] + t[6] + (count > 7 ? t[7] : 0));
	times->all_s = times->busy_s + times->idle_s + times->iowait_s;
	return count >= 7;
}

bool usage_of_cpu(struct usage *usage, const struct sysfiles *files, unsigned cpu)
{
	const char *name = cpu == ALL_CPUS ? "cpu" : arena_printf(files->arena, "cpu%u", cpu);
	struct cpu_spent times;

	*usage = usage_unknown();
	if (!cpu_spent_parse(&times, sysfile_read(files, "proc/stat"), name))
		return false;
	usage->user_s = times.user_s;
	usage->system_s = times.system_s + times.interrupt_s;
	return true;
}

void machine_load_read(struct machine_load *load, const struct sysfiles *files)
{
	const char *text = sysfile_read(files, "proc/stat");
	struct cpu_spent t;

	*load = (struct machine_load){ .all_s = NOT_COUNTED,
				       .stolen_s = NOT_COUNTED,
				       .interrupts = sysfile_value(text, "intr"),
				       .running = sysfile_value(text, "procs_running") };
	if (!cpu_spent_parse(&t, text, "cpu") || isnan(t.stolen_s))
		return;
	load->stolen_s = t.stolen_s;
	load->all_s = t.all_s;
}

/* "max 100000", or microseconds in a period (Documentation/admin-guide/cgroup-v2.rst); of version 1 two files. */
double cgroup_quota(double *throttled, const struct sysfiles *files)
{
	const char *own = own_cgroup(files), *text = own ? sysfile_read(files, "%s/cpu.max", own) : NULL;
	const char *old = sysfile_read(files, "sys/fs/cgroup/cpu/cpu.cfs_quota_us");
	const char *period_text = sysfile_read(files, "sys/fs/cgroup/cpu/cpu.cfs_period_us");
	double quota, period = period_text ? strtod(period_text, NULL) : NOT_COUNTED;

	*throttled = own ? sysfile_value(sysfile_read(files, "%s/cpu.stat", own), "nr_throttled") : NOT_COUNTED;
	if (text && !strncmp(text, "max", 3))
		return INFINITY;
	if (text && sscanf(text, "%lf %lf", &quota, &period) == 2 && period > 0)
		return quota / period;
	if (!old || !(period > 0))
		return NOT_COUNTED;
	quota = strtod(old, NULL);
	return quota < 0 ? INFINITY : quota / period;
}

double cgroup_throttled_s(const struct sysfiles *files)
{
	const char *own = own_cgroup(files);
	double micro = own ? sysfile_value(sysfile_read(files, "%s/cpu.stat", own), "throttled_usec") : NOT_COUNTED;

	if (!isnan(micro))
		return micro * 1e-6;
	return sysfile_value(sysfile_read(files, "sys/fs/cgroup/cpu/cpu.stat"), "throttled_time") * 1e-9;
}

bool usage_of_cgroup(struct usage *usage, const struct sysfiles *files, const char *directory)
{
	const char *cpu = sysfile_read(files, "%s/cpu.stat", directory);
	const char *io = sysfile_read(files, "%s/io.stat", directory);

	*usage = usage_unknown();
	usage->user_s = sysfile_value(cpu, "user_usec") * 1e-6;
	usage->system_s = sysfile_value(cpu, "system_usec") * 1e-6;
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
