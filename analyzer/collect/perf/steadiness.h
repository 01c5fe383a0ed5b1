/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steadiness.h - how steady this machine is now: the same small pieces of work, timed again and again for two seconds,
 * and what the kernel says of that time. Changes nothing, and opens a counter of cycles where that is allowed.
 */
#ifndef TOPDOWN_COLLECT_PERF_STEADINESS_H
#define TOPDOWN_COLLECT_PERF_STEADINESS_H

#include "common/base/arena.h"

/* Of many timings of the same work; NAN: it was not timed. */
struct spread_of {
	double median, low, high; /* low and high: a tenth of them is below, or above */
	size_t count;
};

/* (high - low) / median: what two runs of it may differ by. */
double spread_share(const struct spread_of *spread);

struct steadiness {
	double seconds;			/* that it took */
	struct spread_of kernel_s;	/* additions in registers, which nobody else's caches change */
	struct spread_of kernel_cycles; /* the same, counted by the PMU */
	struct spread_of clock_hz;
	struct spread_of cache_s;  /* a load that depends on the one before, in 4 MiB: the neighbours in L3 */
	struct spread_of memory_s; /* 4 MiB of 128 MiB, read once: the neighbours in memory */
	double on_cpu;		   /* share of the time in which this process had a CPU */
	double preemptions;	   /* a second */
	double running;		   /* tasks that ran or could, without this one, on average */
	double stolen;		   /* share of the machine's CPU time that its host gave to others */
	double interrupts;	   /* a second, of all CPUs */
	double quota;		   /* CPUs; INFINITY: any; NAN: unknown */
	double throttled;	   /* how often the quota made this cgroup wait meanwhile */
};

/* Takes two seconds and some 140 MiB. What is unknown is NAN. */
void steadiness_measure(struct steadiness *steadiness, struct arena *arena);

#endif
