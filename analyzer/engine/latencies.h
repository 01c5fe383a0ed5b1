/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latencies.h - retire latencies (EVENT:retire_latency) by samples, in a run of its own behind those that count: how
 * many cycles each sampled instruction waited before it retired, since the one before it had. The mean of them stands
 * in the place of the vendor's.
 */
#ifndef TOPDOWN_ENGINE_LATENCIES_H
#define TOPDOWN_ENGINE_LATENCIES_H

#include "engine/late_sampler.h"
#include "engine/target.h"
#include "plan/plan.h"

struct latencies {
	const struct engine *engine;
	const struct target_types *types;
	struct plan *const *plans;
	struct late_sampler late; /* its companion is for count_request */
	struct profile profile;
	struct sample_event *events;
	size_t nevents, first_run;
};

/* Can they be sampled, with all that is asked for beside them? */
int latencies_check(const struct engine *engine, struct error *err) MUST_CHECK;

/* Which ones the formulas read that are wanted. first_run: behind all runs that count. Must not move. */
void latencies_init(struct latencies *latencies, const struct target_types *types, struct plan *const *plans,
		    size_t first_run, const struct engine *engine);

/* After the last run: adds the means to the counts, and a remark on where they are from. */
void latencies_finish(struct latencies *latencies, struct measurement *measured);

/* The measurement has failed. */
void latencies_fail(struct latencies *latencies);

#endif
