/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "evaluate/withhold.h"

#include <math.h>

bool is_time_too_short(double running_ns, double enabled_ns)
{
	return running_ns < LEAST_SHARE * enabled_ns && running_ns < LEAST_NS;
}

void count_withhold_short(struct count *count, double running_ns, double enabled_ns, struct arena *arena)
{
	count->state = COUNT_WITHHELD;
	count->value = (double)NAN;
	count->reason = arena_printf(arena, "it was on a counter for only %.2g %% of the time, %.2g ms",
				     100 * running_ns / enabled_ns, running_ns * 1e-6);
}
