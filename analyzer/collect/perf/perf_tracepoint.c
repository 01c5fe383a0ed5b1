/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_tracepoint.c - how often a tracepoint of the kernel is passed. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "collect/perf/perf.h"

/* What excludes the kernel excludes all of them, which are in it. */
int perf_tracepoint_open(const struct perf_target *target, uint64_t number, const char *filter)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = number,
		.disabled = 1,
		.inherit = perf_target_is_task(target),
		.enable_on_exec = target->start == PERF_START_WITH_EXEC && perf_target_is_task(target),
	};
	int fd = perf_open_at(&attr, target, -1), failure;

	if (fd < 0 || !filter || ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) == 0)
		return fd;
	failure = errno;
	close(fd);
	return -failure;
}

void perf_tracepoint_switch(int fd, bool is_on)
{
	ioctl(fd, is_on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

bool perf_tracepoint_close(int fd, uint64_t *count)
{
	bool is_read = read(fd, count, sizeof(*count)) == (ssize_t)sizeof(*count);

	close(fd);
	return is_read;
}
