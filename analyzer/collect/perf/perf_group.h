/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_group.h - counts a group of a plan: its events as descriptors, opened on a target,
 * switched on and off, and read.
 */
#ifndef TOPDOWN_COLLECT_PERF_PERF_GROUP_H
#define TOPDOWN_COLLECT_PERF_PERF_GROUP_H

#include "collect/perf/perf.h"
#include "common/measurement/counts.h"
#include "common/measurement/software.h"
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

/* ---- perf_unit.c ---- */

/*
 * Counts a group of events of PMUs beside the cores: in each of their units, on each CPU of the unit's cpumask,
 * for the whole machine.
 */

/* An event in one unit, on one CPU. */
struct perf_unit_place {
	int fd; /* -1: not open */
	unsigned cpu;
	double scale;				/* of the kernel's number, into what the formulas and the user mean */
	uint64_t value, enabled_ns, running_ns; /* as they were read last */
	uint64_t value_before, enabled_before, running_before; /* when the last interval ended */
};

struct perf_unit_event {
	size_t event; /* number of the model's */
	struct perf_unit_place *places;
	size_t nplaces;
	bool is_mean;	    /* what the units count is a time that passes for all of them alike */
	const char *reason; /* why it is not counted: all of it, because a sum of some units would be too small */
};

struct perf_unit {
	struct perf_unit_event *events;
	size_t count;
};

/* Opens the group, switched off. What one of its units refuses is closed, and has a reason. Close in any case. */
void perf_unit_open(struct perf_unit *unit, const struct plan_unit *plan, const struct event_set *set,
		    const struct machine *machine, struct arena *arena);
void perf_unit_switch(const struct perf_unit *unit, bool is_on);
void perf_unit_read(const struct perf_unit *unit);
/* What follows is counted since now. */
void perf_unit_remember(const struct perf_unit *unit);
/* What was counted, or since it was remembered last. Fills all but event, group and run. */
void perf_unit_count(struct count *count, const struct perf_unit_event *event, bool is_since);
void perf_unit_close(const struct perf_unit *unit);

/* ---- perf_software.c ---- */

/*
 * The kernel's own events of a target (context switches, page faults ...). They take no counter of the PMU, and are
 * there without one.
 */

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
