/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * native.h - the native run that a simulation is compared with: whether there may be one, and its times. A program is
 * not run a second time unasked unless that repeats nothing, as its system calls in the simulation show.
 */
#ifndef TOPDOWN_COLLECT_SIMULATE_NATIVE_H
#define TOPDOWN_COLLECT_SIMULATE_NATIVE_H

#include "collect/simulate/anchor.h"
#include "collect/simulate/simulate.h"
#include "collect/simulate/simulated_counts.h"

/* What is known of the simulated run when it has ended. */
struct simulated_end_of_run {
	int status;    /* its exit status */
	double wall_s; /* that the simulation took */
	double cycles; /* modelled */
	const struct simulated_effects *effects;
	const char *more; /* which cycles a native run would have that nobody has modelled; NULL: none */
};

/*
 * Why the program is not to run again, as a clause about it, "it removed out.txt ..."; NULL: it may. Server programs
 * and what was asked to end are never started again, whatever the choice is.
 */
const char *native_obstacle(const struct simulated_end_of_run *simulated, enum anchor_choice choice,
			    struct arena *arena);

/* ---- the native run that comes first ---- */

struct native_first {
	struct anchor anchor;		  /* with the times of this run, or of a repetition */
	struct count_run run;		  /* this run */
	struct simulated_effects effects; /* what was the first effect, and whether it serves */
	bool has_left_scratch;		  /* temporary files, as they seemed */
	double effect_cpu_s;		  /* CPU time until then */
	bool is_interrupted;
	bool is_held; /* it stood before that effect, and was ended: nothing has happened that anybody sees */
};

/*
 * The program's first run, with its terminal, watched for effects (collect/count/supervisor.h). -1 when it could not be
 * run.
 */
int native_run_first(struct native_first *first, const struct anchor_wish *wish, struct plain_run *run,
		     struct arena *arena, struct error *err) MUST_CHECK;

/* A short program without effects runs again in silence, for its times; run's number goes on. */
void native_repeat_first(struct native_first *first, const struct anchor_wish *wish, struct plain_run *run,
			 struct arena *arena);

/* "it removed out.txt"; NULL: it has had no effect. */
const char *native_effect(const struct simulated_effects *effects, struct arena *arena);

/* ---- after a simulation ---- */

/*
 * Announces the run and makes it, where it may be, and topdown was not interrupted. The run has a time limit; beyond it
 * it is ended with all that it has started. anchor says why where there is no time to compare with; nothing that goes
 * wrong here costs the simulated counts.
 */
void anchor_measure(struct anchor *anchor, const struct simulated_end_of_run *simulated, const struct anchor_wish *wish,
		    const struct plain_run *run, struct arena *arena);

#endif
