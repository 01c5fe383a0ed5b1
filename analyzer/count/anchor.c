/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/anchor.h"

#include <math.h>

#include "count/clock_rate.h"

static struct anchor missing(const char *reason)
{
	return (struct anchor){ .user_s = (double)NAN, .hz = (double)NAN, .reason = reason };
}

/* Why the program is not to be run again; NULL: it is. */
static const char *find_obstacle(const struct plain_run *run, const struct count_run *simulated, struct arena *arena)
{
	signals_take(run->signals, 0);
	if (run->signals->is_interrupted)
		return "topdown was interrupted, so the program was not run natively";
	if (simulated->status)
		return arena_printf(arena, "the program ended with status %d, so it was not run again",
				    simulated->status);
	return NULL;
}

void anchor_measure(struct anchor *anchor, const struct plain_run *run, const struct count_run *simulated,
		    struct arena *arena)
{
	struct error err = { .text = "" };
	struct count_run told;
	struct child child;

	*anchor = missing(find_obstacle(run, simulated, arena));
	if (anchor->reason)
		return;
	if (plain_run(&child, &told, run, &err) < 0)
		*anchor = missing(arena_strdup(arena, err.text));
	else if (run->signals->is_interrupted)
		*anchor = missing("topdown was interrupted while the program ran natively");
	else if (told.status != simulated->status)
		*anchor = missing(arena_printf(arena, "the native run ended with status %d, the simulated one with %d",
					       told.status, simulated->status));
	else
		*anchor = (struct anchor){ .user_s = child.user_s, .hz = clock_rate_measure() };
}
