/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.h - the groups of a plan as descriptors: opened on a process, read after its end. No other file opens events. */
#ifndef TOPDOWN_PERF_H
#define TOPDOWN_PERF_H

#include <linux/perf_event.h>
#include <sys/types.h>

#include "count/scope.h"
#include "evaluate/counts.h"
#include "identify/machine.h"
#include "plan/plan.h"

/* How leaders start; their siblings go with them. */
enum perf_start {
	PERF_START_WITH_EXEC, /* of the task, by themselves */
	PERF_START_LATER,     /* with perf_group_switch */
};

/* What is counted, and where. */
struct perf_target {
	pid_t pid;	     /* process or thread; -1: all on the CPU; with is_cgroup the descriptor of its directory */
	const unsigned *cpu; /* NULL: any */
	bool is_cgroup;
	bool is_attached; /* a process that somebody else has started */
	enum perf_start start;
	enum scope scope;      /* whatever the events say, but for their own modifiers */
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
	uint64_t *words;     /* what the kernel answers */
	int leader;	     /* descriptor of the first event that opened, or -1 */
	bool is_read_singly; /* an old kernel refuses PERF_FORMAT_GROUP together with inherit */
	bool is_gone;	     /* the task had ended, or the CPU was offline, when the group was opened */
	bool has_metrics;    /* PERF_METRICS fields: to be read every second, see perf_group_open */
};

/* perf_event_open, tried again where that can help: interrupted, or at the soft limit of descriptors. fd or -errno. */
int perf_open(const struct perf_event_attr *attr, pid_t pid, int leader) MUST_CHECK;

/* attr of these terms on the PMU, neither enabled nor inherited; -1 and err as pmu_pack. */
int perf_attr_init(struct perf_event_attr *attr, const struct pmu *pmu, const struct pmu_term *terms, size_t count,
		   struct error *err) MUST_CHECK;

/*
 * Opens each event of plan and returns how many opened. An event that does not open is COUNT_REFUSED in items, with its
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

/* Is it counted by the kernel? The others come from a clock. */
bool is_kernel_event(const struct event *event);

#endif
