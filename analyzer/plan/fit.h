/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fit.h - which counters there are, and which of them an event may use; whether a group fits is plan_fits. */
#ifndef TOPDOWN_FIT_H
#define TOPDOWN_FIT_H

#include "plan/plan.h"

/* The counters that the limits leave, as bits of a counter mask. */
uint64_t fit_existing(const struct plan_limits *limits);

/* Those of them that may count the event; 0 for PERF_METRICS fields and for an event that none can count. */
uint64_t fit_counters(const struct plan_limits *limits, const struct event *event);

/* Those that the NMI watchdog may sit on: it counts cycles (kernel/watchdog_perf.c), on their own counter or a general one. */
uint64_t fit_watchdog(const struct plan_limits *limits, const struct event_set *set);

#endif
