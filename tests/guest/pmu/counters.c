// SPDX-License-Identifier: GPL-2.0-or-later
/* counters.c - whether a set of events fits on the counters: a matching of events and counters. */
#include <linux/bitops.h>

#include "synthetic.h"

struct matching {
	u64 allowed[MAX_EVENTS]; /* counters that can count event n */
	s8 owner[MAX_COUNTERS];	 /* event on counter n, -1 for none */
	u64 tried;		 /* counters seen while placing one event */
};

/*
 * Find a counter for the event, moving others aside where that helps (Kuhn's algorithm). Every
 * call takes a counter into tried, so the recursion ends after at most MAX_COUNTERS of them.
 */
static bool place(struct matching *m, int event)
{
	u64 open;

	while ((open = m->allowed[event] & ~m->tried)) {
		int counter = __ffs64(open);

		m->tried |= BIT_ULL(counter);
		if (m->owner[counter] < 0 || place(m, m->owner[counter])) {
			m->owner[counter] = event;
			return true;
		}
	}
	return false;
}

bool counters_suffice(const struct demand *demands, int n, u64 without)
{
	struct matching m;
	int i;

	for (i = 0; i < MAX_COUNTERS; i++)
		m.owner[i] = -1;
	for (i = 0; i < n; i++) {
		if (is_metric(demands[i].config))
			continue;
		m.allowed[i] = counters_for(demands[i].config) & ~without;
		m.tried = 0;
		if (!place(&m, i))
			return false;
	}
	return true;
}
