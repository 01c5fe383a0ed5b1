/* SPDX-License-Identifier: GPL-2.0-or-later */
/* steps.h - the steps of engine_measure that no other caller needs; measure.c puts them together. */
#ifndef TOPDOWN_ENGINE_STEPS_H
#define TOPDOWN_ENGINE_STEPS_H

#include "collect/count/count.h"
#include "collect/count/setting.h"
#include "collect/perf/probe.h"
#include "common/measurement/counts.h"
#include "cpu/plan/plan.h"
#include "engine/calm.h"
#include "engine/target.h"

/* ---- subject.c: whose work, when, in which mode, and what contradicts itself ---- */

/* Of -p, --tid, -a, -C, --cgroup, --per-*. -1 where they contradict each other, or name what is not there. */
int subject_find(struct subject *subject, const struct request *request, const struct machine *machine,
		 struct error *err) MUST_CHECK;

/*
 * Of --duration, --timeout, -I, -D and --control. -1 where they contradict each other, or
 * that there is a program or none.
 */
int timing_find(struct timing *timing, const struct setup *setup, struct error *err) MUST_CHECK;

/*
 * Of a plan; 0: no limit. A program is run again for each run. What runs already is counted once; CPUs and cgroups for
 * as long again where --max-runs allows it.
 */
size_t subject_max_runs(const struct subject *subject, const struct timing *timing, const struct setup *setup);

int scope_find(enum scope *scope, const struct setup *setup, struct error *err) MUST_CHECK;

/* Are all threads of each counted core counted, whoever runs there? */
bool is_core_wide(const struct subject *subject, const struct machine *machine);

/* What goes with no PMU, before anything is known of it. */
int check_setup(const struct request *request, const struct subject *subject, const struct timing *timing,
		struct error *err) MUST_CHECK;

/* What only a simulation can do, where a PMU counts. */
int check_counted(const struct request *request, const struct subject *subject, struct error *err) MUST_CHECK;

/* ---- simulation.c: a simulated core instead of the machine's ---- */

/*
 * Is the program simulated because no counter of this machine can be opened? Then a notice says so, with the reason.
 * Never where the user asked for one of them. -1 when nothing can be simulated either: err has both reasons.
 */
int simulation_decide(bool *is_simulated, const struct target *target, const struct request *request,
		      struct error *err) MUST_CHECK;

/* What only a simulated program can have is not asked of one that is counted. */
int simulation_check_counted(const struct setup *setup, struct error *err) MUST_CHECK;

/* The simulator's events and model, for this machine. */
int simulation_target(struct target *target, const struct request *request, struct error *err) MUST_CHECK;

/*
 * Runs the program; fills the part that measured has with what was counted, and on which
 * core, or divides it into threads.
 */
int simulation_count(struct measurement *measured, const struct target *target, const struct calm *calm,
		     const struct request *request, struct error *err) MUST_CHECK;

/* ---- described.c: what is known of counts before they are there ---- */

/* Where they come from, and what was asked: down to a level of the tree. */
struct counts *describe(const struct target *target, unsigned level, bool is_simulated,
			const struct request *request) MUST_CHECK;

/* How the counters were found, and how they are to be shared, as remarks of the first repeat. */
void described_remark(struct counts *counts, const struct plan *plan, const struct found *found,
		      const struct target *target, const struct request *request);

/* ---- drilldown.c: --drilldown measures level 1 first, then what is below the bottlenecks, a level at a time ---- */

struct drilldown {
	const struct target_types *types;
	struct plan **plans; /* of each type: they grow */
	bool **taken;	     /* of each type, [model->count]: planned already */
	unsigned deepest;    /* level */
	size_t max_runs;     /* of each step, 0: no limit */
	size_t step;
	const struct request *request;
};

/* plans are those of the first step. */
void drilldown_init(struct drilldown *drilldown, struct plan **plans, const struct target_types *types,
		    const struct request *request);

/* Appends the next step to the plans, with a notice. False at the end; a notice then says why. */
bool drilldown_extend(struct drilldown *drilldown, const struct measurement *so_far, size_t runs);

/* ---- announce.c ---- */

/* Of the program, in one repeat. */
struct run_numbers {
	size_t counted, sampled;
	bool is_shared;	 /* groups share the counters of a run */
	bool is_located; /* what is sampled is known when it was counted: at most so many runs */
};

/* Says before the first run that there will be several. */
void announce_runs(const struct request *request, const struct run_numbers *numbers);

/* Says what begins the counting; control: the FIFO of --control with what else it says, NULL: none. */
void announce_waiting(const struct request *request, const char *control);

/* ---- limits.c: what is changed on the machine while it counts, because the setup asks for it ---- */

struct settings {
	struct setting *items;
	size_t count;
};

/*
 * Of --nmi-watchdog and --mux-interval, the latter for each core type's PMU. -1: nothing is changed. Undo in the end.
 */
int settings_change(struct settings *settings, const struct target_types *types, const struct request *request,
		    struct error *err) MUST_CHECK;

/* All of it as it was before. */
void settings_restore(struct settings *settings);

#endif
