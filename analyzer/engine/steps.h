/* SPDX-License-Identifier: GPL-2.0-or-later */
/* steps.h - the steps of engine_measure that no other caller needs; measure.c puts them together. */
#ifndef TOPDOWN_ENGINE_STEPS_H
#define TOPDOWN_ENGINE_STEPS_H

#include "collect/count/count.h"
#include "collect/count/setting.h"
#include "collect/perf/probe.h"
#include "common/measurement/counts.h"
#include "common/request/setup.h"
#include "cpu/plan/plan.h"
#include "engine/steady_run.h"
#include "engine/target.h"

/* ---- subject.c: whose work, when, in which mode ---- */

/* Of -p, --tid, -a, -C, --cgroup, --per-*. -1 where they name what is not there. */
int subject_find(struct subject *subject, const struct request *request, const struct machine *machine,
		 struct error *err) MUST_CHECK;

/* Of --duration, --timeout, -I, -D and --control. */
void timing_find(struct timing *timing, const struct setup *setup);

/*
 * Of a plan; 0: no limit. A program is run again for each run. What runs already is counted once; CPUs and cgroups for
 * as long again where --max-runs allows it.
 */
size_t subject_max_runs(const struct subject *subject, const struct timing *timing, const struct setup *setup);

/* Of the runs of a plan this rank's own is left, where somebody asked for that. -1: it is no rank of a job. */
int subject_spread(struct plan *plan, const struct packing_choice *packing, struct error *err) MUST_CHECK;

enum scope scope_of(const struct setup *setup);

/* Are all threads of each counted core counted, whoever runs there? */
bool is_core_wide(const struct subject *subject, const struct machine *machine);

/* ---- simulation.c: a simulated core instead of the machine's ---- */

/* What is the matter, without the details and remedies behind it, which `topdown doctor` has. */
const char *first_clause(const char *reason, struct arena *arena);

/* Why what is asked for can't be simulated, as a clause; NULL: it can, as far as is known before it runs. */
const char *simulation_obstacle(const struct request *request, struct arena *arena);

/*
 * Why the program is simulated, as a notice for the user: no counter of this machine can be opened. NULL: it isn't, and
 * never where the user asked for one of them. -1 when nothing can be simulated either: err has both reasons.
 */
int simulation_decide(const char **why, const struct target *target, const struct request *request,
		      struct error *err) MUST_CHECK;

/* -1 where a core or a cause to leave out is not known, before anything runs. */
int simulation_check(const struct target *target, const struct request *request, struct error *err) MUST_CHECK;

/* The simulator's events and model, for this machine. */
int simulation_target(struct target *target, const struct request *request, struct error *err) MUST_CHECK;

struct native_answer; /* simulation_parts.h */

struct simulated_job {
	const struct target *target;
	const struct steady_run *steady_run;
	struct native_answer *native; /* it runs natively first, where that can be watched; NULL: it does not */
};

/*
 * Runs the program; fills the part that measured has with what was counted, and on which core, or divides it into
 * threads.
 */
int simulation_count(struct measurement *measured, const struct simulated_job *job, const struct request *request,
		     struct error *err) MUST_CHECK;

/* Of simulation_count: the program has run natively and was not simulated; native has the measurement, and why. */
#define COUNTED_NATIVELY 1

/* ---- counts_head.c: what is known of counts before they are there ---- */

/* Where they come from, and what was asked: down to a level of the tree. */
struct counts *describe(const struct target *target, unsigned level, bool is_simulated,
			const struct request *request) MUST_CHECK;

/* How the counters were found, and how they are to be shared, as remarks of the first repeat. */
void counts_head_remark(struct counts *counts, const struct plan *plan, const struct found *found,
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

/*
 * Appends the next step to the plans, with a notice. False at the end, of which a notice says why, and where nothing
 * was initialised.
 */
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

/* ---- saved_cpus.c: whose counts, and of which variant of a model, from elsewhere ---- */

/*
 * A model has variants, Intel's two forms, SMT on or off, whole cores or not: which are counts from elsewhere made
 * for?
 */

/*
 * Compiles the target's model in the variant of which these counts give the most of level 1, as far as neither the
 * setup nor the counts say which it is. Where they give nothing of level 1, stalls stand in (cpu/load/stalls.c).
 * counts->origin learns what was assumed. -1 when the model can't be read again.
 */
int target_suit(struct target *target, struct counts *counts, const struct request *request,
		struct error *err) MUST_CHECK;

/* The CPUs of counts that do not name theirs: what perf stat printed has no more than names of events. */

/*
 * The CPU that --cpu names, else this machine's; of a hybrid CPU the cores whose PMU the events name. The counts get
 * its name and the facts that are known of it. -1 when neither is known, or when this machine's CPU has none of the
 * events: err then names the CPUs that have most of them.
 */
int saved_cpus_find(struct target *target, struct counts *counts, const struct request *request,
		    struct error *err) MUST_CHECK;

/*
 * Leaves out the parts of types of cores that --cpu does not name ("alderlake:core"), or that nothing is known of (with
 * a warning). -1 when no part is left, or when the CPU has one type of cores and the counts are of several.
 */
int saved_cpus_choose(struct measurement *measured, const struct request *request, struct error *err) MUST_CHECK;

/* The files that a program is given, by size and digest, so that another input is noticed. */

/*
 * Fills origin->inputs with the regular files that the words behind the program name ("FILE", "--input=FILE"), and
 * with standard input where it is one: of more than 16 MiB, or what can't be read, only the size. In the arena. The
 * offset of standard input stays.
 */
void input_files_find(struct origin *origin, const struct program_choice *program, struct arena *arena);

#endif
