/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulation_parts.h - the steps of a simulation that simulation.c calls. */
#ifndef TOPDOWN_ENGINE_SIMULATION_PARTS_H
#define TOPDOWN_ENGINE_SIMULATION_PARTS_H

#include "collect/sample/sample.h"
#include "collect/simulate/what_if.h"
#include "common/measurement/counts.h"
#include "common/measurement/profile.h"
#include "engine/engine.h"
#include "engine/sampling/sampling.h"
#include "engine/target.h"

/* ---- simulated_names.c ---- */

/*
 * Names of a simulated profile's places, as those of samples are found: the simulator knows a line of a function,
 * and not the functions that are inlined there.
 */

struct simulated_wish {
	const char *sysroot;
	double *weights; /* of each place, to find the loops of the functions with the most; NULL: of none */
	size_t most;	 /* such functions */
};

/*
 * Gives each simulated place the frames of an instruction that is there; where nothing is found, what the simulator
 * said stays, demangled. Of the lines of the counts the functions' names alone.
 */
void simulated_names_find(struct profile *profile, struct counts *counts, const struct simulated_wish *wish,
			  struct arena *arena);

/* ---- anchor_samples.c ---- */

/*
 * The native run that a simulation is compared with is sampled by time, into the simulation's own profile: so each
 * function has modelled cycles and measured time side by side. Call stacks are left out: the run's CPU time is
 * what the simulation is compared with, and is to stay what it was.
 */

struct anchor_samples {
	/* First: it is the context of its functions. For anchor_wish (simulate.h); no sampler: no run was made. */
	struct sampler_observer late;
	const struct request *request;
	const struct machine *machine;
	const struct measurement *measured; /* whose profile is there when the run begins */
	struct sample_event event;
	bool is_first; /* the native run comes before the simulation, which has no profile yet */
	bool is_finished;
	struct profile before;	 /* what the sampler takes for its own */
	struct profile own;	 /* of a run that comes first */
	struct profile *profile; /* that it samples into; NULL: it has not begun */
};

/* Must not move; borrows the rest. */
void anchor_samples_init(struct anchor_samples *samples, const struct measurement *measured,
			 const struct machine *machine, const struct request *request);

/* Names the samples, once. Where the kernel allows none, the profile has a remark instead. */
void anchor_samples_finish(struct anchor_samples *samples);

/* Those of a run that came first, into the profile of the simulation. */
void anchor_samples_move(struct anchor_samples *samples);

/* ---- sampling/native_answer.c ---- */

/* The program ran natively first: what its samples say, and whether a simulation follows. */

struct native_first; /* collect/simulate/native.h */

struct native_answer {
	const struct request *request;
	const struct target *target; /* the simulated core, with the machine that it is about */
	struct anchor_samples *samples;
	double budget_s;
	struct sampled_instead instead; /* what is asked of the samples, if they are all there is */
	struct measurement measured;	/* the native run alone */
	const char *why;		/* nothing is simulated: a notice; NULL: it is */
};

/* For struct native_wish: shows the first answer, where a simulation follows. */
bool native_answer_give(void *answer, const struct native_first *first);

/* Does the program run natively before it is simulated, where nobody asked for a simulation? */
bool native_is_first(const struct request *request);

/* Seconds that the simulation may take then. */
double native_budget(const struct request *request);

/* ---- trials.c ---- */

/* What --what-if simulates: the words that were given, and the causes of the nodes that turn out worst. */

struct trial_choice {
	const struct request *request;
	const struct target *target;
	struct sim_core core; /* as it is */
	struct sim_trials trials;
};

/* Reads the words that were given. -1 where one means nothing; no simulation has begun then. */
int trials_read_words(struct trial_choice *choice, const struct sim_core *core, const struct target *target,
		      const struct request *request, struct error *err) MUST_CHECK;

/* With `worst` among them: adds the causes of what the first run, whose counts these are, lost most to. */
const struct sim_trials *trials_find(void *choice, const struct counts *counts);

#endif
