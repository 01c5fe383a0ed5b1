/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/scope.h"

#include <errno.h>
#include <unistd.h>

#include "count/perf.h"

/* The kernel checks permission before it looks for a PMU, so an event that needs none gives the answer. 0 or -errno. */
static int try_dummy(bool is_user_only)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.exclude_kernel = is_user_only,
		.exclude_hv = is_user_only,
	};
	int fd = perf_open(&attr, 0, -1);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

bool is_scope_user_only(void)
{
	int answer = try_dummy(false);

	/* Where both are refused the widest scope stays, and opening the events will tell why. */
	return (answer == -EACCES || answer == -EPERM) && try_dummy(true) == 0;
}

const char *scope_name(enum scope scope)
{
	static const char *const names[] = {
		[SCOPE_ALL] = "user+kernel", [SCOPE_USER] = "user", [SCOPE_KERNEL] = "kernel"
	};

	return names[scope];
}
