/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_group.h - counts a group of a plan: its events as descriptors, opened on a target,
 * switched on and off, and read.
 */
#ifndef TOPDOWN_COLLECT_PERF_PERF_GROUP_H
#define TOPDOWN_COLLECT_PERF_PERF_GROUP_H

#include "collect/perf/perf.h"
#include "common/measurement/counts.h"
#include "cpu/plan/plan.h"

struct perf_group {
	const struct plan_group *plan;
	struct count *items; /* one for each event of plan */
	int *fds;	     /* -1: refused, or nothing that the kernel counts */
	uint64_t *ids;	     /* PERF_EVENT_IOC_ID: which value of a group read is whose */
	uint64_t *words;     /* what the kernel answers */
	int leader;	     /* descriptor of the first event that opened, or -1 */
	bool is_read_singly; /* an old kernel refuses PERF_FORMAT_GROUP together with inherit */
	bool is_gone;	     /* the task had ended, or the CPU was offline, when the group was opened */
	bool has_metrics;    /* PERF_METRICS fields: to be read every second, see perf_group_open */
};

/*
 * Opens each event of plan and returns their number. An event that does not open is COUNT_REFUSED in items, with its
 * reason; the others are counted without it. Close the group in any case.
 *
 * PERF_METRICS has 8 bits for each share of the slots since it was reset, which the kernel does when it is read
 * (arch/x86/events/intel/core.c, intel_update_topdown_event): the more often, the finer their sum.
 */
size_t perf_group_open(struct perf_group *group, const struct perf_target *target, const struct plan_group *plan,
		       struct count *items);

/* Fills the items that opened with what was counted since then. */
void perf_group_read(const struct perf_group *group);

/* Counting goes on or pauses, in all tasks that inherited the group too. */
void perf_group_switch(const struct perf_group *group, bool is_on);
void perf_group_close(struct perf_group *group);

#endif
