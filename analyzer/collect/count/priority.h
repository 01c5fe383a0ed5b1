/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * priority.h - topdown's own priority while it counts what runs already: beside hundreds of busy tasks it would get so
 * little of the CPUs that switching their counters on takes longer than the measurement.
 */
#ifndef TOPDOWN_COLLECT_COUNT_PRIORITY_H
#define TOPDOWN_COLLECT_COUNT_PRIORITY_H

#include <stdbool.h>

struct priority {
	int nice; /* as it was before */
	bool is_raised;
};

/* To the best of those that share the CPUs (nice -20), where this process has the right to. */
void priority_raise(struct priority *priority);

/*
 * Before all others that share the CPUs, for the moments in which counters are opened and switched: even at nice -20 a
 * process waits for its turn beside hundreds of busy ones (SCHED_FIFO, sched(7); sched_rt_runtime_us leaves the others
 * a share). Nothing happens where the priority could not be raised.
 */
void priority_hurry(const struct priority *priority);

/* Back to what priority_raise made of it. */
void priority_relax(const struct priority *priority);

/* As it was, of this process or of one that it has started since. */
void priority_restore(const struct priority *priority);

#endif
