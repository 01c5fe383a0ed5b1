/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_software.h - the kernel's own events of a target (context switches, page faults ...). They take no counter of
 * the PMU, and are there without one.
 */
#ifndef TOPDOWN_COLLECT_PERF_PERF_SOFTWARE_H
#define TOPDOWN_COLLECT_PERF_PERF_SOFTWARE_H

#include "collect/perf/perf.h"
#include "common/measurement/software.h"

struct perf_software {
	int fds[SOFTWARE_KINDS];	     /* -1: perf does not count the kind here */
	const char *reasons[SOFTWARE_KINDS]; /* why not; NULL: it does, or perf has no such event */
	int leader;			     /* of fds, or -1 */
	bool is_gone;			     /* the task had ended, or the CPU was offline */
};

/*
 * Opens what the kernel allows, for user mode and kernel alike; of what it refuses there, the kinds that a program
 * causes in user mode only are opened for that. Close in any case.
 */
void perf_software_open(struct perf_software *software, const struct perf_target *target);

/* Nothing is open, which perf_software_close takes too. */
void perf_software_none(struct perf_software *software);

void perf_software_switch(const struct perf_software *software, bool is_on);

/* Of the kinds that perf has: their values since it was opened, or why there are none. The others stay as they are. */
void perf_software_read(struct software *values, const struct perf_software *software);
void perf_software_close(struct perf_software *software);

#endif
