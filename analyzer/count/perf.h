/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.h - the groups of a plan as descriptors: opened on a process, read after its end. No other file opens events. */
#ifndef TOPDOWN_PERF_H
#define TOPDOWN_PERF_H

#include <linux/perf_event.h>
#include <sys/types.h>

#include "evaluate/counts.h"
#include "identify/machine.h"
#include "plan/plan.h"

/* What is counted, and where. */
struct perf_target {
	pid_t pid;	       /* a process that has not called exec yet: counting starts with its exec */
	bool is_user_only;     /* nothing of the kernel, whatever the events say (is_scope_user_only) */
	const struct pmu *pmu; /* real */
	const struct machine *machine;
	const struct event *events; /* model->events.events */
	struct arena *arena;
};

struct perf_group {
	const struct plan_group *plan;
	struct count *items; /* one for each event of plan */
	int *fds;	     /* -1: refused, or nothing that the kernel counts */
	uint64_t *ids;	     /* PERF_EVENT_IOC_ID: which value of a group read is whose */
	int leader;	     /* descriptor of the first event that opened, or -1 */
	bool is_read_singly; /* an old kernel refuses PERF_FORMAT_GROUP together with inherit */
};

/* perf_event_open, tried again where that can help: interrupted, or at the soft limit of descriptors. fd or -errno. */
int perf_open(const struct perf_event_attr *attr, pid_t pid, int leader) MUST_CHECK;

/* attr of these terms on the PMU, neither enabled nor inherited; -1 and err as pmu_pack. */
int perf_attr_init(struct perf_event_attr *attr, const struct pmu *pmu, const struct pmu_term *terms, size_t count,
		   struct error *err) MUST_CHECK;

/*
 * Opens each event of plan and returns how many opened. An event that does not open is COUNT_REFUSED in items, with its
 * reason; the others are counted without it. Close the group in any case.
 */
size_t perf_group_open(struct perf_group *group, const struct perf_target *target, const struct plan_group *plan,
		       struct count *items);

/* Fills the items that opened. */
void perf_group_read(const struct perf_group *group, struct arena *arena);
void perf_group_close(struct perf_group *group);

/* Is it counted by the kernel? The others come from a clock. */
bool is_kernel_event(const struct event *event);

#endif
