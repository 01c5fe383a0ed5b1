/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_unit.h - counts a group of events of PMUs beside the cores: in each of their units, on each CPU of the unit's
 * cpumask, for the whole machine.
 */
#ifndef TOPDOWN_COLLECT_PERF_PERF_UNIT_H
#define TOPDOWN_COLLECT_PERF_PERF_UNIT_H

#include "collect/perf/perf.h"
#include "common/measurement/counts.h"
#include "cpu/plan/plan.h"

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

#endif
