/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampling.h - what is sampled: time, the events that were asked for, or those that locate nodes, each on the PMU of
 * its core type, in as few runs as the counters allow; and the sampler beside the counts of those runs.
 *
 *   sampling_init → sampling_choose, sampling_choose_beside, or sampling_choose_nodes during a measurement →
 *   sampling_begin → count_measure with sampling->late.observer → sampling_finish
 */
#ifndef TOPDOWN_ENGINE_SAMPLING_SAMPLING_H
#define TOPDOWN_ENGINE_SAMPLING_SAMPLING_H

#include "collect/sample/sample.h"
#include "cpu/plan/plan.h"
#include "engine/limits.h"
#include "engine/steps.h"
#include "engine/target.h"

#define USUAL_FREQUENCY 997 /* a prime: no loop of the program keeps step with it */

/* A core type whose events can be sampled. */
struct sampled_type {
	const struct target *target;
	struct event_set set; /* of its sampled events; none where the type has no model */
	struct plan_limits limits;
	bool has_limits;
};

struct sampling {
	struct sampler_observer
		late; /* first: it is the context of its functions; no runs before something was chosen */
	const struct request *request;
	const struct machine *machine;
	struct sampled_type *types;
	size_t ntypes;
	struct sample_event *events;
	size_t *numbers; /* of each in its type's set; TABLE_NONE: it takes no counter, or its own */
	size_t nevents, capacity;
	bool is_beside;	  /* in the run whose groups are counted: of each interval (-I) */
	size_t nruns;	  /* that sampling takes */
	size_t first_run; /* those before are not sampled */
	struct profile profile;
};

/* The types are those of the count request; their limits are asked for when they matter. */
void sampling_init(struct sampling *sampling, const struct target_types *types, const struct machine *machine,
		   const struct request *request);

/* What a type's counters are, where that is known already. */
void sampling_limit(struct sampling *sampling, size_t type, const struct plan_limits *limits);

/*
 * For topdown sample: -e and --nodes, else time, by cycles where these types count them. -1 where an event is unknown,
 * or nothing can be sampled.
 */
int sampling_choose(struct sampling *sampling, struct error *err) MUST_CHECK;

/*
 * For the run in which groups are counted (is_beside, which it sets): the events that locate the nodes of --nodes, and
 * cycles. -1 where nothing can be sampled. Then sampling_begin, with first_run 0.
 */
int sampling_choose_beside(struct sampling *sampling, struct error *err) MUST_CHECK;

/* The kernel's clock, which takes no counter. */
void sampling_choose_clock(struct sampling *sampling);

/* After sampling_begin: what is sampled beside the groups of the type holds counters of theirs. */
void sampling_hold(struct plan_limits *limits, const struct sampling *sampling, size_t type);

/*
 * The events that locate these nodes of a type, and cycles beside them, from the given run on. One that can't be
 * sampled is left out with a notice.
 */
int sampling_choose_nodes(struct sampling *sampling, size_t type, const struct metric *const *nodes, size_t count,
			  struct error *err) MUST_CHECK;

/*
 * For --per-function: the groups of the type's plan, each read with samples of its cycles, in a run of its own. One
 * that has none is read in parts that hold cycles too. What no counters hold beside cycles is left out with a notice.
 */
void sampling_choose_groups(struct sampling *sampling, size_t type, const struct plan *plan);

/* The number of these groups. */
size_t sampling_count_groups(const struct sampling *sampling, size_t type, const struct plan *plan);

/* After all were chosen: divides them among runs, of which the first is run number first_run. */
int sampling_begin(struct sampling *sampling, size_t first_run, struct error *err) MUST_CHECK;

/* After the last run: the profile with its names becomes the measurement's. -1 where no event was ever sampled. */
int sampling_finish(struct sampling *sampling, struct measurement *measured, struct error *err) MUST_CHECK;

/* ---- sampling_steps.c ---- */

/* What topdown sample needs: core types with their events, or the machine alone where it samples by time. */
int sampling_load(struct target_types *types, const struct target_facts *facts, const struct request *request,
		  struct error *err) MUST_CHECK;

/* What is measured instead, as `topdown sample` would. */
struct sampled_instead {
	struct setup setup;
	struct question question;
};

/*
 * No counters, and what is asked for can't be simulated either (what runs already, -I, a program with others' rights):
 * time is sampled, and nothing counted. A notice says so. False: it can be counted or simulated, or samples are no
 * answer to what was asked.
 */
/* What is asked of samples, where they stand in for a tree. */
void sampled_instead_make(struct sampled_instead *instead, const struct request *request);

bool sampling_is_instead(struct sampled_instead *instead, const struct target *identified,
			 const struct request *request);

/*
 * sampling_choose_nodes, sampling_choose_groups and sampling_begin for the worst nodes of what was counted so far, or
 * those that the question names, and for the trees per function.
 */
struct counted {
	const struct target_types *types;
	struct plan *const *plans; /* of each type */
	const struct measurement *so_far;
	size_t runs; /* that were made */
};
int sampling_locate(struct sampling *sampling, const struct counted *counted, struct error *err) MUST_CHECK;

/* Runs that sampling any node down to the level, and the plans' groups, may take, at most. */
size_t sampling_most_runs(const struct sampling *sampling, struct plan *const *plans, unsigned level,
			  struct arena *arena);

/* A clock of the kernel's: "cpu-clock", "task-clock"? */
bool is_clock_name(const char *name);

/* Is there anything but clocks in a list of -e? rest: without them, in arena; NULL: nothing is left. */
bool has_counter_events(const char **rest, const char *list, struct arena *arena);

/* ---- any sampler of the engine ---- */

/*
 * After the last run: completes the profile and names its functions; whose says in a remark what has no names
 * ("Functions", "Functions of the native run"). Nothing where sampler is NULL. -1 where no event was ever sampled.
 */
int sampled_finish(struct sampler *sampler, struct profile *profile, const char *whose, const struct request *request,
		   struct error *err) MUST_CHECK;

/* The measurement has failed: releases the sampler. Always -1. */
int sampled_fail(struct sampler *sampler);

/* ---- latencies.c ---- */

/*
 * Retire latencies (EVENT:retire_latency) by samples: the cycles that each sampled instruction waited before it
 * retired, since the one before it had. The mean of them stands in the place of the vendor's. They are sampled in
 * a run of their own behind those that count; with -I, where there is one run only, beside the counts.
 */

struct latencies {
	struct sampler_observer late; /* first: it is the context of its functions */
	const struct request *request;
	const struct target_types *types;
	struct plan *const *plans;
	struct profile profile;
	struct sample_event *events;
	size_t nevents, first_run;
	bool is_beside; /* in the run that counts */
};

/*
 * False where the setup doesn't ask for them: all zero, they are none. Nothing is sampled yet. Must not move. After
 * the last run its observer adds the means to the counts, and a remark on where they are from.
 */
bool latencies_init(struct latencies *latencies, const struct target_types *types, struct plan *const *plans,
		    const struct request *request);

/*
 * Samples what the formulas read that the plans want now, in the run with that number: the first one of -I, else behind
 * all that count. False: it has begun before, or there is nothing to sample.
 */
bool latencies_begin(struct latencies *latencies, size_t first_run);

/*
 * The interval's counts, with the means of all samples so far, in arena. An event that no sample has come of is not
 * among them: the vendor's mean then stands in.
 */
struct measurement latencies_so_far(const struct latencies *latencies, const struct measurement *interval,
				    struct arena *arena);

/* ---- sampling_runs.c ---- */

/* Which events are sampled together: as few runs as the counters allow. Pure. */

#define NO_RUN		SIZE_MAX
#define MOST_EXACT_RUNS 12 /* events up to which no smaller number of runs is possible; beyond it is a good one */

/*
 * runs[i] becomes the run, from 0, in which the event with the number events[i] of the set is sampled, or NO_RUN where
 * no counter can hold it. Those of one run fit the counters at the same time; the first event is in the first run.
 * Returns the number of runs.
 */
size_t sampling_runs(size_t *runs, const struct plan_limits *limits, const struct event_set *set, const size_t *events,
		     size_t count);

#endif
