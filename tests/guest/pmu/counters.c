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
	u64 width[MAX_EVENTS];	 /* 1, or 3 for a counter and the one behind it */
	u64 used;
	int general, most; /* general ones in use, and the most that may be */
};

static bool place(struct assignment *a, int event)
{
	u64 width = a->width[event];
	u64 open = a->allowed[event] & ~a->used & ~(width > 1 ? a->used >> 1 : 0);
	u64 fixed = open & ~GENMASK_ULL(FIRST_FIXED - 1, 0);

	if (!open || (!fixed && a->general++ >= a->most))
		return false;
	a->used |= width << __ffs64(fixed ? fixed : open);
	return true;
}

bool counters_suffice(const struct demand *demands, int n, u64 without, int most)
{
	struct assignment a = { .used = 0, .most = most };
	int i, weight;

	for (i = 0; i < n; i++) {
		bool paired = is_paired(demands[i].config);

		a.allowed[i] = counters_for(demands[i].config) & ~without;
		a.width[i] = paired ? 3 : 1;
		a.most -= paired;
	}
	for (weight = 0; weight <= MAX_COUNTERS; weight++)
		for (i = 0; i < n; i++)
			if (!is_metric(demands[i].config) && hweight64(a.allowed[i]) == weight && !place(&a, i))
				return false;
	return true;
}
