/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tick_rate.h - how fast an x86 CPU's time stamp counter runs, measured while something is counted: for machines on
 * which neither CPUID nor sysfs says so, virtual ones mostly.
 */
#ifndef TOPDOWN_COUNT_TICK_RATE_H
#define TOPDOWN_COUNT_TICK_RATE_H

#include <stdint.h>

struct tick_rate {
	uint64_t ticks;
	double at_s;
};

struct tick_rate tick_rate_begin(void);

/* Ticks a second since then; NAN on a CPU without such a counter, and where no time has passed. */
double tick_rate_hz(const struct tick_rate *begin);

#endif
