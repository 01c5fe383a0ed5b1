/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rotation.h - how long groups that share the counters keep them: the kernel's setting, changed because the user asked for it. */
#ifndef TOPDOWN_ROTATION_H
#define TOPDOWN_ROTATION_H

#include "count/setting.h"

struct rotation_wish {
	const char *sysroot; /* "": this machine */
	const char *pmu;     /* its name below sys/bus/event_source/devices */
	unsigned ms;
};

/*
 * Writes the PMU's perf_event_mux_interval_ms. -1 and err without the right to change it, or where the kernel has no such
 * setting. setting_restore makes it what it was.
 */
int rotation_set(struct setting *rotation, const struct rotation_wish *wish, struct error *err) MUST_CHECK;

#endif
