/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock_rate.h - how fast this CPU's clock runs now, by additions that each need the one before: one takes one cycle on every core
 * that topdown knows. What the system tells is another number: /proc/cpuinfo has the rate of the time stamp counter in a virtual
 * machine (2.6 GHz where the core ran at 3.7), and cpufreq that of some other moment.
 */
#ifndef TOPDOWN_CLOCK_RATE_H
#define TOPDOWN_CLOCK_RATE_H

/* Cycles per second of the CPU that the caller runs on; takes some 5 ms. NAN on architectures without such a loop. */
double clock_rate_measure(void);

#endif
