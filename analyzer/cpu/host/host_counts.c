/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_counts.c - the numbers of the machine as a whole, each from a line of a file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
#include "common/system/loop.h"
#include "cpu/host/host_parts.h"

/* "NAME VALUE", lines of which a file has one for each count. */
static const struct {
	enum host_count count;
	const char *file, *name;
} lines[] = {
	{ HOST_MEMORY, "proc/meminfo", "MemTotal" },	    { HOST_AVAILABLE, "proc/meminfo", "MemAvailable" },
	{ HOST_SWAPPED_IN, "proc/vmstat", "pswpin" },	    { HOST_SWAPPED_OUT, "proc/vmstat", "pswpout" },
	{ HOST_MAJOR_FAULTS, "proc/vmstat", "pgmajfault" }, { HOST_OOM_KILLS, "proc/vmstat", "oom_kill" },
};

/* A line of names and one of values, both behind "TCP:" (net/ipv4/proc.c). */
static const struct {
	enum host_count count;
	const char *file, *group, *name;
} pairs[] = {
	{ HOST_SENT, "proc/net/snmp", "Tcp:", "OutSegs" },
	{ HOST_RESENT, "proc/net/snmp", "Tcp:", "RetransSegs" },
	{ HOST_LISTEN_OVERFLOWS, "proc/net/netstat", "TcpExt:", "ListenOverflows" },
};

/* Adds to a sum that is NAN until there is something in it. */
static void sum_up(double *sum, double more)
{
	if (!isnan(more))
		*sum = (isnan(*sum) ? 0 : *sum) + more;
}

const char *host_line(const char **text)
{
	const char *line = *text;

	if (!line || !*line)
		return NULL;
	*text = line + strcspn(line, "\n");
	*text += **text == '\n';
	return line;
}

size_t host_numbers(const char *text, double *numbers, size_t count)
{
	size_t found = 0;

	while (found < count) {
		text += strspn(text, " \t");
		if (!text_double_prefix(text, &text, &numbers[found]))
			break;
		found++;
	}
	return found;
}

static double paired(const char *text, const char *group, const char *name)
{
	const char *names = NULL, *values = NULL, *line, *word;
	size_t column = 0, length;

	while ((line = host_line(&text)))
		if (!strncmp(line, group, strlen(group))) {
			names = values;
			values = line;
		}
	for (; names && (length = text_next(&names, " ", &word)) > 0 && *word != '\n'; column++) {
		double value;

		if (length < strlen(name) || strncmp(word, name, strlen(name)) != 0 ||
		    !strchr(" \n", word[strlen(name)]))
			continue;
		while (column-- > 0)
			values += strcspn(values, " \n"), values += *values == ' ';
		return text_double_prefix(values, &values, &value) ? value : NOT_COUNTED;
	}
	return NOT_COUNTED;
}

/* "allocstall_normal 3": a line for each zone. */
static double reclaims(const char *text)
{
	double sum = NOT_COUNTED;
	const char *line;

	while ((line = host_line(&text))) {
		double value;

		if (!strncmp(line, "allocstall", strlen("allocstall")) &&
		    host_numbers(line + strcspn(line, " \n"), &value, 1) == 1)
			sum_up(&sum, value);
	}
	return sum;
}

/* softnet_seq_show (net/core/net-procfs.c): a line for each CPU; packets, dropped and squeezed in hexadecimal. */
static void read_softnet(double *counts, const char *text)
{
	const char *line;

	while ((line = host_line(&text))) {
		unsigned packets, dropped, squeezed;

		if (sscanf(line, "%8x %8x %8x", &packets, &dropped, &squeezed) != 3)
			continue;
		sum_up(&counts[HOST_BACKLOG_DROPS], dropped);
		sum_up(&counts[HOST_SQUEEZES], squeezed);
	}
}

/* show_schedstat (kernel/sched/stats.c): "cpuN", six counts, ns that its threads ran, ns that they waited, slices. */
static double run_delay(const char *text)
{
	double sum = NOT_COUNTED, numbers[8];
	const char *line;

	while ((line = host_line(&text)))
		if (!strncmp(line, "cpu", 3) &&
		    host_numbers(line + strcspn(line, " \n"), numbers, COUNT_OF(numbers)) == 8)
			sum_up(&sum, numbers[7] * 1e-9);
	return sum;
}

static void read_memory_errors(double *counts, const struct sysfiles *files)
{
	const char **names;
	size_t count = sysfile_list(files, "sys/devices/system/edac/mc", &names);
	uint64_t value;

	for (size_t i = 0; i < count; i++) {
		if (sysfile_u64(files, &value, "sys/devices/system/edac/mc/%s/ce_count", names[i]))
			sum_up(&counts[HOST_CORRECTED], (double)value);
		if (sysfile_u64(files, &value, "sys/devices/system/edac/mc/%s/ue_count", names[i]))
			sum_up(&counts[HOST_UNCORRECTED], (double)value);
	}
}

static void read_pressure(double *counts, const struct sysfiles *files)
{
	struct pressure pressure;

	pressure_read(&pressure, files, "proc/pressure");
	counts[HOST_PRESSURE_CPU] = pressure.cpu_s;
	counts[HOST_PRESSURE_MEMORY] = pressure.memory_s;
	counts[HOST_PRESSURE_IO] = pressure.io_s;
	counts[HOST_STALLED_MEMORY] = pressure.memory_full_s;
	counts[HOST_STALLED_IO] = pressure.io_full_s;
}

static void read_cpus(struct host_snapshot *snapshot, const struct sysfiles *files)
{
	const char *text = sysfile_read(files, "proc/stat"), *line;
	size_t capacity = 0;

	if (!cpu_spent_parse(&snapshot->all, text, "cpu"))
		snapshot->all = (struct cpu_spent){ NOT_COUNTED, NOT_COUNTED, NOT_COUNTED, NOT_COUNTED,
						    NOT_COUNTED, NOT_COUNTED, NOT_COUNTED, NOT_COUNTED };
	while ((line = host_line(&text))) {
		struct host_cpu cpu;

		if (sscanf(line, "cpu%u ", &cpu.number) != 1 ||
		    !cpu_spent_parse(&cpu.times, line, arena_printf(files->arena, "cpu%u", cpu.number)))
			continue;
		snapshot->cpus =
			arena_grow(files->arena, snapshot->cpus, snapshot->ncpus, &capacity, sizeof(*snapshot->cpus));
		snapshot->cpus[snapshot->ncpus++] = cpu;
	}
}

double host_clock(const struct sysfiles *files)
{
	const char *text = sysfile_read(files, "proc/uptime");
	double seconds;

	if (is_live(files))
		return clock_now();
	return text && text_double_prefix(text, &text, &seconds) ? seconds : NOT_COUNTED;
}

void host_snapshot_read(struct host_snapshot *snapshot, const struct sysfiles *files)
{
	const char *load = sysfile_read(files, "proc/loadavg");
	double *counts = snapshot->counts;

	*snapshot = (struct host_snapshot){ .at_s = host_clock(files) };
	for (size_t i = 0; i < HOST_COUNTS; i++)
		counts[i] = NOT_COUNTED;
	for (size_t i = 0; i < COUNT_OF(lines); i++)
		counts[lines[i].count] = sysfile_value(sysfile_read(files, "%s", lines[i].file), lines[i].name);
	for (size_t i = 0; i < COUNT_OF(pairs); i++)
		counts[pairs[i].count] =
			paired(sysfile_read(files, "%s", pairs[i].file), pairs[i].group, pairs[i].name);
	if (load)
		host_numbers(load, &counts[HOST_LOAD_1], 1);
	counts[HOST_RUN_DELAY] = run_delay(sysfile_read(files, "proc/schedstat"));
	counts[HOST_THROTTLED] = cgroup_throttled_s(files);
	counts[HOST_RECLAIMS] = reclaims(sysfile_read(files, "proc/vmstat"));
	read_softnet(counts, sysfile_read(files, "proc/net/softnet_stat"));
	read_memory_errors(counts, files);
	read_pressure(counts, files);
	read_cpus(snapshot, files);
	host_read_disks(snapshot, files);
	host_read_links(snapshot, files);
}
