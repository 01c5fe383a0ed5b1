// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * groups.c - counts each group of a plan on itself, and counts the further events that the group has room for. On standard input is
 * what `topdown plan --format csv` prints; a line for each group goes to standard output:
 *
 *   group 1 events 9: opened 9, enabled 2100000 running 2100000; more 3, enabled 2000000 running 2000000, then errno 22
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX  64
#define LINE 4096
/* Events 0xf0 with different umasks: the machines of this folder let any general counter count them, and plans don't have them. */
#define MORE	    0xf0
#define MORE_UMASKS 0x11

struct group {
	int number;
	struct perf_event_attr events[MAX];
	int count;
};

struct opened {
	int fds[MAX];
	int count;
};

struct times {
	uint64_t events, enabled, running, values[MAX];
};

static bool read_file(char *text, size_t size, const char *pmu, const char *file)
{
	char path[256];
	FILE *in;
	bool has_text;

	snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/%s", pmu, file);
	in = fopen(path, "r");
	has_text = in && fgets(text, (int)size, in);
	if (in)
		fclose(in);
	return has_text;
}

/* Spreads the value over the bits of a format such as "config:0-7,32-35". */
static bool deposit(struct perf_event_attr *attr, const char *format, uint64_t value)
{
	__u64 *config = strncmp(format, "config1:", 8) == 0 ? &attr->config1 : (__u64 *)&attr->config;
	const char *at = strchr(format, ':');
	char *end;

	if (strncmp(format, "config", 6) != 0)
		return false;
	while (at && (*at == ':' || *at == ',')) {
		unsigned long first = strtoul(at + 1, &end, 10),
			      last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		for (unsigned long bit = first; bit <= last; bit++, value >>= 1)
			*config |= (value & 1) << bit;
		at = end;
	}
	return value == 0;
}

/* "event=0xc0,umask=0x1": by the PMU's own format files. */
static bool add_terms(struct perf_event_attr *attr, const char *pmu, char *terms)
{
	char file[128], format[128], *next = terms, *term;

	while ((term = strsep(&next, ","))) {
		char *value = strchr(term, '=');

		if (value)
			*value++ = '\0';
		snprintf(file, sizeof file, "format/%s", term);
		if (!read_file(format, sizeof format, pmu, file) ||
		    !deposit(attr, format, value ? strtoull(value, NULL, 0) : 1))
			return false;
	}
	return true;
}

/* The event of a line: its fourth field is perf's spelling, `cpu/event=0xc0/`, in quotation marks where it has commas. */
static bool parse_event(struct perf_event_attr *attr, char *line)
{
	char *terms = strchr(line, '/'), *pmu = terms, *end, type[32];

	if (!terms)
		return false;
	while (pmu > line && pmu[-1] != ',' && pmu[-1] != '"')
		pmu--;
	*terms++ = '\0';
	end = strchr(terms, '/');
	if (!end || !read_file(type, sizeof type, pmu, "type"))
		return false;
	*end++ = '\0';
	*attr = (struct perf_event_attr){ .size = sizeof *attr,
					  .type = (uint32_t)strtoul(type, NULL, 10),
					  .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
							 PERF_FORMAT_TOTAL_TIME_RUNNING };
	attr->exclude_kernel = *end == 'u';
	attr->exclude_user = *end == 'k';
	return add_terms(attr, pmu, terms);
}

static int open_more(struct opened *opened, struct perf_event_attr *attr)
{
	int fd;

	attr->disabled = opened->count == 0;
	fd = (int)syscall(SYS_perf_event_open, attr, 0, -1, opened->count ? opened->fds[0] : -1, 0);
	if (fd >= 0)
		opened->fds[opened->count++] = fd;
	return fd;
}

/*
 * Counts until the group's own clock has advanced by a millisecond. The number of attempts is the end of it.
 */
static void print_times(const struct opened *opened)
{
	enum { SPINS = 300000, ATTEMPTS = 100, ENOUGH_NS = 1000000 };
	struct times before = { 0 }, after = { 0 };

	if (read(opened->fds[0], &before, sizeof before) < 0)
		return;
	ioctl(opened->fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	for (int attempt = 0; attempt < ATTEMPTS && after.enabled < before.enabled + ENOUGH_NS; attempt++) {
		for (volatile unsigned i = 0; i < SPINS; i++)
			;
		if (read(opened->fds[0], &after, sizeof after) < 0)
			return;
	}
	ioctl(opened->fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	if (read(opened->fds[0], &after, sizeof after) < 0)
		return;
	printf(", enabled %llu running %llu", (unsigned long long)(after.enabled - before.enabled),
	       (unsigned long long)(after.running - before.running));
}

static void try_group(struct group *group)
{
	struct opened opened = { .count = 0 };
	struct perf_event_attr more = { .size = sizeof more, .type = group->events[0].type };
	int error;

	for (int i = 0; i < group->count; i++)
		if (open_more(&opened, &group->events[i]) < 0)
			break;
	printf("group %d events %d: opened %d", group->number, group->count, opened.count);
	if (opened.count)
		print_times(&opened);
	more.read_format = group->events[0].read_format;
	do
		more.config = MORE | (uint64_t)(MORE_UMASKS + opened.count) << 8;
	while (opened.count < MAX && open_more(&opened, &more) >= 0);
	error = errno;
	printf("; more %d", opened.count - group->count);
	if (opened.count)
		print_times(&opened);
	printf(", then errno %d\n", error);
	for (int i = opened.count; i > 0; i--)
		close(opened.fds[i - 1]);
}

int main(void)
{
	static struct group group;
	char line[LINE], number[LINE];

	while (fgets(line, sizeof line, stdin)) {
		if (sscanf(line, "%*[^,],%4095[^,],", number) != 1)
			return 2;
		if (strcmp(number, "group") == 0) /* the heads of the columns */
			continue;
		if (group.count && group.number != atoi(number)) {
			try_group(&group);
			group.count = 0;
		}
		group.number = atoi(number);
		if (group.count == MAX || !parse_event(&group.events[group.count++], line)) {
			fprintf(stderr, "groups: what is this? %s\n", line);
			return 2;
		}
	}
	if (group.count)
		try_group(&group);
	return 0;
}
