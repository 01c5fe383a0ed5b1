/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attach.c PROCESSES GROUPS - counting so many busy processes, with groups of five software events each: seconds for
 * opening the groups, switching them on and off, and closing them. Three lines: as any process, at nice -20, and as topdown.
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "collect/count/count.h"

#define EVENTS 5

struct attached {
	pid_t *pids;
	size_t npids, ngroups;
	int *fds;
};

static void start(struct attached *a)
{
	for (size_t i = 0; i < a->npids; i++) {
		a->pids[i] = fork();
		if (a->pids[i] == 0)
			for (;;)
				;
	}
}

static void end(struct attached *a)
{
	for (size_t i = 0; i < a->npids; i++)
		kill(a->pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
}

static void open_all(struct attached *a)
{
	for (size_t i = 0; i < a->npids * a->ngroups * EVENTS; i++) {
		struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr) };
		int leader = i % EVENTS ? a->fds[i - i % EVENTS] : -1;

		attr.config = PERF_COUNT_SW_TASK_CLOCK + i % EVENTS;
		attr.disabled = leader < 0;
		attr.inherit = 1;
		a->fds[i] = (int)syscall(SYS_perf_event_open, &attr, a->pids[i / EVENTS / a->ngroups], -1, leader,
					 PERF_FLAG_FD_CLOEXEC);
		if (a->fds[i] < 0) {
			perror("attach");
			end(a);
			exit(1);
		}
	}
}

static void switch_all(struct attached *a, unsigned long request)
{
	for (size_t i = 0; i < a->npids * a->ngroups * EVENTS; i += EVENTS)
		ioctl(a->fds[i], request, 0);
}

static double seconds_of(struct attached *a)
{
	double before = bench_now();

	open_all(a);
	switch_all(a, PERF_EVENT_IOC_ENABLE);
	switch_all(a, PERF_EVENT_IOC_DISABLE);
	for (size_t i = a->npids * a->ngroups * EVENTS; i > 0; i--)
		close(a->fds[i - 1]);
	return bench_now() - before;
}

int main(int argc, char **argv)
{
	struct attached a = { .npids = argc > 1 ? strtoul(argv[1], NULL, 10) : 50,
			      .ngroups = argc > 2 ? strtoul(argv[2], NULL, 10) : 10 };
	struct priority priority;
	struct rlimit limit;

	a.pids = calloc(a.npids, sizeof(*a.pids));
	a.fds = calloc(a.npids * a.ngroups * EVENTS, sizeof(*a.fds));
	if (!a.pids || !a.fds || getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 1;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	start(&a);
	printf("%.3f\n", seconds_of(&a));
	priority_raise(&priority);
	printf("%.3f\n", seconds_of(&a));
	priority_hurry(&priority);
	printf("%.3f\n", seconds_of(&a));
	priority_relax(&priority);
	end(&a);
	free(a.pids);
	free(a.fds);
	return 0;
}
