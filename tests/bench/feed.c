/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * feed.c - preloaded into topdown, it stands for a machine with more CPUs than there are: perf_event_open of a CPU that is not
 * there counts on one that is. With FEED=counts nothing is counted at all, and what topdown reads is made up: what is left is the
 * time that topdown takes itself. The values of a group grow alike.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MOST_FDS     65536
#define MOST_MEMBERS 32
#define GHZ	     3

/* Of a leader's descriptor. */
static struct fed {
	int members[MOST_MEMBERS];
	uint64_t count;
} groups[MOST_FDS];

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static int is_fed(void)
{
	const char *feed = getenv("FEED");

	return feed && !strcmp(feed, "counts");
}

static int join_group(int leader)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fd >= MOST_FDS)
		return fd;
	if (leader < 0) {
		leader = fd;
		groups[fd].count = 0;
	}
	if (groups[leader].count < MOST_MEMBERS)
		groups[leader].members[groups[leader].count++] = fd;
	return fd;
}

static long open_event(const struct perf_event_attr *attr, const long *words)
{
	static long (*real)(long, ...);
	long cpu = (int)words[2];

	if (!real)
		*(void **)&real = next("syscall");
	if (cpu >= 0 && is_fed())
		return join_group((int)words[3]);
	if (cpu >= 0)
		cpu %= sysconf(_SC_NPROCESSORS_ONLN);
	return real(SYS_perf_event_open, attr, words[1], cpu, words[3], words[4]);
}

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	long words[6];
	va_list list;

	if (!real)
		*(void **)&real = next("syscall");
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		words[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_perf_event_open)
		return open_event((const struct perf_event_attr *)words[0], words);
	return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

static int is_member(int fd)
{
	return fd >= 0 && fd < MOST_FDS && is_fed() && groups[fd].count && groups[fd].members[0] == fd;
}

int ioctl(int fd, unsigned long request, ...)
{
	static int (*real)(int, unsigned long, ...);
	void *argument;
	va_list list;

	if (!real)
		*(void **)&real = next("ioctl");
	va_start(list, request);
	argument = va_arg(list, void *);
	va_end(list);
	if (request == PERF_EVENT_IOC_ID && is_fed()) {
		*(uint64_t *)argument = (uint64_t)fd;
		return 0;
	}
	return is_member(fd) ? 0 : real(fd, request, argument);
}

/* PERF_FORMAT_GROUP with ids and times, as topdown reads all groups. */
static ssize_t feed(int fd, uint64_t *words)
{
	const struct fed *group = &groups[fd];
	struct timespec now;
	uint64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	words[0] = group->count;
	words[1] = words[2] = ns;
	for (uint64_t i = 0; i < group->count; i++) {
		words[3 + 2 * i] = ns * GHZ / (i + 1);
		words[4 + 2 * i] = (uint64_t)group->members[i];
	}
	return (ssize_t)(24 + 16 * group->count);
}

ssize_t read(int fd, void *data, size_t size)
{
	static ssize_t (*real)(int, void *, size_t);

	if (!real)
		*(void **)&real = next("read");
	return is_member(fd) && size >= 24 + 16 * groups[fd].count ? feed(fd, data) : real(fd, data, size);
}
