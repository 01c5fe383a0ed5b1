/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/count/count.h"

#include <sched.h>
#include <sys/resource.h>

#define BEST (-20)

/* A kernel that refuses leaves the priority that there is. */
static void schedule(int policy, int level)
{
	const struct sched_param param = { .sched_priority = level };

	(void)sched_setscheduler(0, policy, &param);
}

void priority_raise(struct priority *priority)
{
	priority->nice = getpriority(PRIO_PROCESS, 0);
	priority->is_raised = setpriority(PRIO_PROCESS, 0, BEST) == 0;
}

void priority_hurry(const struct priority *priority)
{
	if (priority->is_raised)
		schedule(SCHED_FIFO | SCHED_RESET_ON_FORK, sched_get_priority_min(SCHED_FIFO));
}

void priority_relax(const struct priority *priority)
{
	if (priority->is_raised)
		schedule(SCHED_OTHER, 0);
}

void priority_restore(const struct priority *priority)
{
	if (priority->is_raised)
		setpriority(PRIO_PROCESS, 0, priority->nice);
}
