/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h - what a group of events has on this machine: which counters there are, found by opening events on this
 * process, and in a virtual machine by counting with them, because there a counter can open and never count.
 */
#ifndef TOPDOWN_COLLECT_PERF_PROBE_H
#define TOPDOWN_COLLECT_PERF_PROBE_H

#include <linux/perf_event.h>

#include "cpu/event/event.h"
#include "cpu/identify/machine.h"
#include "cpu/plan/plan.h"

struct ability_probe {
	const struct pmu *pmu; /* real */
	const struct machine *machine;
	const struct event_database *database;
	const struct event_row *general; /* an event that every general counter can count */
	const struct plan_limits *published;
};

/* What was found. limits.general and limits.fixed are those that a plan may use. */
struct found {
	struct plan_limits limits;
	unsigned opened;     /* general counters that one group can be opened with; at least limits.general */
	uint64_t idle_fixed; /* fixed counters whose event opens and never counts: FIXED_COUNTER bits */
	bool is_counted;     /* a group of them was counted; false: not tried, or none was ever put on a counter */
};

/*
 * Opens groups, and counts them where the machine is virtual and has one type of cores. Takes half a millisecond, and
 * a tenth of a second where counters are held by somebody. -1 and the refusal when not one event opens.
 */
int found_probe(struct found *found, const struct ability_probe *probe, struct arena *arena,
		struct error *err) MUST_CHECK;

/*
 * Do slots and the PERF_METRICS fields of level 1 count? In some virtual machines they are listed and open, and are 0
 * or all the same (PerfSpect looks for that on EC2). True as well where that can't be tried.
 */
bool has_live_metrics(const struct pmu *pmu, const struct machine *machine);

/* attr of an event by its name, for user mode, which needs the least permission. False: nothing knows it. */
bool probe_attr(struct perf_event_attr *attr, const struct ability_probe *probe, const char *name,
		struct arena *arena) MUST_CHECK;

/*
 * The number of general counters that one group can be opened with, by groups of growing size. row: an event that every
 * general counter can count; no more than it may be on are tried. 0 and err when not even one opens: the cause and the
 * remedy.
 */
unsigned abilities_probe_counters(const struct pmu *pmu, const struct event_row *row, const struct machine *machine,
				  struct error *err);

#endif
