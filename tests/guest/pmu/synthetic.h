/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * synthetic.h - what the three parts of the synthetic PMU share: the description that the module
 * parameters give (description.c), who may count where (counters.c) and the PMU itself (pmu.c).
 */
#ifndef SYNTHETIC_H
#define SYNTHETIC_H

#include <linux/percpu-defs.h>
#include <linux/sysfs.h>
#include <linux/types.h>

/* Bits 0..31 of a set of counters are the general ones, the fixed ones follow. */
#define FIRST_FIXED  32
#define MAX_COUNTERS 64
/* More events than any group, or any task of a test, has at one time. */
#define MAX_EVENTS 64

/* Branch records of a sample. */
#define MAX_BRANCHES 8

/* What one event asks of the PMU: perf_event_attr's config and config1. */
struct demand {
	u64 config;
	u64 config1;
};

/* The time that all events of a CPU read. */
struct synthetic_clock {
	u64 held_at; /* local_clock() while it is held */
	int held;    /* depth */
};
DECLARE_PER_CPU(struct synthetic_clock, synthetic_clock); /* of the first module */

/* The slots event, which leads a group with metrics, and those metrics (Intel's perf-metrics register). */
bool is_slots(u64 config);
bool is_metric(u64 config);

/* Whether only a task with CAP_PERFMON may count it: the kernel asks for that where an event counts other tasks too. */
bool is_privileged(u64 config);

/* Counts per million cycles. */
u64 rate_of(u64 config);

/* The same in the second phase; and the ns from 0 to that time of the clock that are in it. */
u64 second_rate_of(u64 config);
u64 in_second_phase(u64 ns);

/* Counts per thousand that an event still has when it leaves out what the kernel does, or what user space does. */
u64 share_of(bool without_kernel, bool without_user);

/* Cycles per millisecond. */
u64 clock_khz(void);

/* The set of counters that can count the event; a metric needs none. */
u64 counters_for(u64 config);

/* Faults: the negative errno of opening it, or 0; whether it never gets a counter; whether it counts nothing on one. */
int refusal_of(u64 config);
bool is_unscheduled(u64 config);
bool is_silent(u64 config);

/* Cycles that a sampled instruction of the event took to retire. */
u16 latency_of(u64 config);

/* The CPUs that have this PMU. */
bool counts_on(int cpu);

/*
 * Sampling: the highest precise_ip that is taken; whether every sample is precise (IBS); whether another PMU takes what
 * is precise (of AMD's cores IBS).
 */
unsigned int precise_level(void);
bool is_always_exact(void);
bool is_precise_elsewhere(void);

/* Where samples are, though the CPU is elsewhere in the code: precise ones at the spot. The address as it is: no spot. */
unsigned long address_of(unsigned long address, bool is_exact);

/* The branch records of a sample at an address, the last one first: pairs of from and to. Their number. */
int branches_at(unsigned long address, const unsigned long **pairs);
bool has_branches(void);

/* The config of a PERF_TYPE_HARDWARE event, 0 when this PMU has none. */
u64 generic_config(u64 id);

/* The name in /sys/bus/event_source/devices, and the files below it. */
extern char *pmu_name;
extern const struct attribute_group *sysfs_groups[];
void sysfs_release(void);

/* Whether the registers that events share through config1 are enough for all of them at once. */
bool registers_suffice(const struct demand *demands, int n);

/* Whether the event takes an even counter and the odd one behind it (AMD's FLOPs). */
bool is_paired(u64 config);

/* General counters that the kernel gives a group; half of them where it has an exclusive event (Intel until Haswell, with SMT). */
int general_counters_of(const struct demand *demands, int n);
int all_general_counters(void);

/* Counters that nobody asks about when an event is opened, and that are not free when it shall count. */
u64 held_counters(void);

/*
 * Whether each of the events can have a counter of its own, none of those in without, all at once, and at most so many general
 * ones.
 */
bool counters_suffice(const struct demand *demands, int n, u64 without, int most);

#endif
