/* SPDX-License-Identifier: GPL-2.0-or-later */
/* abilities.h - what the kernel lets this process count here, found by trying: made by count, read by diagnose. */
#ifndef TOPDOWN_ABILITIES_H
#define TOPDOWN_ABILITIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A plan, of which each group was opened on this process and counted for a moment. */
struct trial {
	size_t groups, runs;
	size_t counted;	     /* groups of which each event was opened and put on a counter */
	size_t descriptors;  /* the most that one run needs */
	const char *failure; /* the first event that was not, and why; NULL: none */
};

struct abilities {
	const char *
		refusal; /* why no counter can be used, or NULL; then all below is unknown but is_user_only, files and the simulator */
	bool is_user_only;		 /* the kernel's share may not be counted */
	bool has_all_cpus;		 /* other processes' share of a CPU may be counted */
	unsigned general;		 /* general counters */
	uint64_t fixed;			 /* fixed counters: bit n is fixed counter n */
	bool has_slots, has_metrics;	 /* the slots event, and the fields of PERF_METRICS behind it */
	unsigned precise;		 /* the most precise sampling (perf_event_attr.precise_ip) of cycles; 0: none */
	bool has_branches;		 /* branch stacks (LBR, BRS) can be sampled */
	uint64_t files_soft, files_hard; /* RLIMIT_NOFILE */
	const char *simulated_core;	 /* that would stand for this CPU; NULL: nothing can be simulated, and */
	const char *no_simulator;	 /* the reason */
	struct trial trial;		 /* of the plan that diagnose is asked about */
};

#endif
