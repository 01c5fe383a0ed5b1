/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setting.h - settings of the kernel that are changed because the user asked for it. Each is restored however topdown
 * ends, by a process of its own, the guard, which sees topdown's end.
 */
#ifndef TOPDOWN_COLLECT_COUNT_SETTING_H
#define TOPDOWN_COLLECT_COUNT_SETTING_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/error.h"

struct setting {
	pid_t guard; /* the process that restores it; 0: nothing was changed */
	int alarm;   /* socket to the guard, which ends when topdown is gone */
};

/*
 * A guard that calls restore in its own process when setting_restore asks for it, or when topdown is gone, however it
 * ended. It has a copy of what is in memory now, and a session of its own: what ends topdown's group leaves it. -1 when
 * there can be no such process.
 */
typedef bool setting_restorer(const void *what);
int setting_guard(struct setting *setting, setting_restorer *restore, const void *what, struct error *err) MUST_CHECK;

/* Makes it what it was before, and returns when that is done. False: that failed. */
bool setting_restore(struct setting *setting);

/*
 * Writes 0 to proc/sys/kernel/nmi_watchdog below sysroot ("": this machine). A watchdog that is off
 * already, or that this kernel does not have, is left alone. -1 and err without the right to change it, or
 * when the kernel does not do it.
 */
int watchdog_switch_off(struct setting *setting, const char *sysroot, struct error *err) MUST_CHECK;

/* The multiplexing interval of a PMU: how long groups that share the counters keep them. */
struct mux_interval {
	const char *sysroot; /* "": this machine */
	const char *pmu;     /* its name below sys/bus/event_source/devices */
	unsigned ms;
};

/*
 * Writes the PMU's perf_event_mux_interval_ms. -1 and err without the right to, or where
 * the kernel has no such setting.
 */
int mux_interval_set(struct setting *setting, const struct mux_interval *wanted, struct error *err) MUST_CHECK;

#endif
