/* SPDX-License-Identifier: GPL-2.0-or-later */
/* abilities.h - what this process may count here. It is found by opening events on itself, as a measurement would. */
#ifndef TOPDOWN_COLLECT_PERF_ABILITIES_H
#define TOPDOWN_COLLECT_PERF_ABILITIES_H

#include "collect/perf/probe.h"
#include "common/base/arena.h"
#include "cpu/identify/machine.h"

/* A plan, of which each group was opened on this process and counted for a moment. */
struct trial {
	size_t groups, runs;
	size_t counted;	     /* groups of which each event was opened and put on a counter */
	size_t descriptors;  /* the most that one run needs */
	const char *failure; /* the first event that was not, and why; NULL: none */
};

struct abilities {
	/* why no counter can be used, or NULL; then all below is unknown but is_user_only, files and the simulator */
	const char *refusal;
	bool is_user_only;		 /* the kernel's share may not be counted */
	struct found found;		 /* counters */
	bool has_slots, has_metrics;	 /* the slots event, and the fields of PERF_METRICS behind it */
	unsigned precise;		 /* the most precise sampling (perf_event_attr.precise_ip) of cycles; 0: none */
	bool has_branches;		 /* branch stacks (LBR, BRS) can be sampled */
	uint64_t files_soft, files_hard; /* RLIMIT_NOFILE */
	const char *simulated_core;	 /* that would stand for this CPU; NULL: nothing can be simulated, and */
	const char *no_simulator;	 /* the reason */
	struct trial trial;		 /* of the plan that diagnose is asked about */
};

/* True: this user may count user mode, but not kernel mode (perf_event_paranoid 2 and no CAP_PERFMON). */
bool is_scope_user_only(void);

/* Fills all but refusal, found, trial and the simulator. */
void abilities_probe(struct abilities *abilities, const struct ability_probe *probe, struct arena *arena);

/* Descriptors and scope, which need no PMU. */
void abilities_probe_process(struct abilities *abilities);

/* Counts each group of the plan for a moment: an event can open and yet never be put on a counter. */
void abilities_try(struct trial *trial, const struct plan *plan, const struct model *model,
		   const struct machine *machine, struct arena *arena);

/*
 * Counts each group in the same way. False: all were counted. Events that can't even be counted alone get their reason
 * in absent and lose their counters. is_too_large: a group's events can be counted one by one, and not together.
 */
bool abilities_find_uncountable(bool *is_too_large, const struct plan *plan, struct model *model,
				const struct machine *machine, struct arena *arena) MUST_CHECK;

/* Do slots and the fields of PERF_METRICS open as a group? Unknown where nothing may be opened at all. */
enum answer abilities_probe_metrics(const struct pmu *pmu, const struct event_database *database,
				    const struct machine *machine, struct arena *arena);

/* ---- steadiness.c ---- */

/*
 * How steady this machine is now: the same small pieces of work, timed again and again for two seconds, and what
 * the kernel says of that time. Changes nothing, and opens a counter of cycles where that is allowed.
 */

/* Of many timings of the same work; NAN: it was not timed. */
struct spread_of {
	double median, low, high; /* low and high: a tenth of them is below, or above */
	size_t count;
};

/* (high - low) / median: what two runs of it may differ by. */
double spread_share(const struct spread_of *spread);

struct steadiness {
	double seconds;			/* that it took */
	struct spread_of kernel_s;	/* additions in registers, which nobody else's caches change */
	struct spread_of kernel_cycles; /* the same, counted by the PMU */
	struct spread_of clock_hz;
	struct spread_of cache_s;  /* a load that depends on the one before, in 4 MiB: the neighbours in L3 */
	struct spread_of memory_s; /* 4 MiB of 128 MiB, read once: the neighbours in memory */
	double on_cpu;		   /* share of the time in which this process had a CPU */
	double preemptions;	   /* a second */
	double running;		   /* tasks that ran or could, without this one, on average */
	double stolen;		   /* share of the machine's CPU time that its host gave to others */
	double interrupts;	   /* a second, of all CPUs */
	double quota;		   /* CPUs; INFINITY: any; NAN: unknown */
	double throttled;	   /* how often the quota made this cgroup wait meanwhile */
};

/* Takes two seconds and some 140 MiB. What is unknown is NAN. */
void steadiness_measure(struct steadiness *steadiness, struct arena *arena);

#endif
