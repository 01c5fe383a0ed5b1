// SPDX-License-Identifier: GPL-2.0-or-later
/* counters.c - whether a set of events fits on the counters, in the way in which the kernel looks for it. */
#include <linux/bitops.h>

#include "synthetic.h"

/*
 * As perf_assign_events() in arch/x86/events/core.c: events with the fewest counters to choose from come first, each on its
 * fixed counter where that is free, or else on the first free general one, and none of them moves again. A cleverer search
 * would take groups that a real CPU's driver refuses. Arm's driver takes them in their order, which is the same there: only
 * cycles have a choice.
 */
struct assignment {
	u64 allowed[MAX_EVENTS]; /* counters that can count event n */
	u64 used;
};

static bool place(struct assignment *a, int event)
{
	u64 open = a->allowed[event] & ~a->used;
	u64 fixed = open & ~GENMASK_ULL(FIRST_FIXED - 1, 0);

	if (!open)
		return false;
	a->used |= BIT_ULL(__ffs64(fixed ? fixed : open));
	return true;
}

bool counters_suffice(const struct demand *demands, int n, u64 without)
{
	struct assignment a = { .used = 0 };
	int i, weight;

	for (i = 0; i < n; i++)
		a.allowed[i] = counters_for(demands[i].config) & ~without;
	for (weight = 0; weight <= MAX_COUNTERS; weight++)
		for (i = 0; i < n; i++)
			if (!is_metric(demands[i].config) && hweight64(a.allowed[i]) == weight && !place(&a, i))
				return false;
	return true;
}
