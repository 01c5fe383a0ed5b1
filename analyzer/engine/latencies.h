/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latencies.h - retire latencies (EVENT:retire_latency) by samples: the cycles that each sampled instruction waited
 * before it retired, since the one before it had. The mean of them stands in the place of the vendor's. They are
 * sampled in a run of their own behind those that count; with -I, where there is one run only, beside the counts.
 */
#ifndef TOPDOWN_ENGINE_LATENCIES_H
#define TOPDOWN_ENGINE_LATENCIES_H

#include "cpu/plan/plan.h"
#include "collect/sample/sample.h"
#include "engine/target.h"

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

/* Can they be sampled, with all that is asked for beside them? */
int latencies_check(const struct request *request, struct error *err) MUST_CHECK;

/*
 * Nothing is sampled yet. Must not move. After the last run its observer adds the means to the counts, and a remark on
 * where they are from.
 */
void latencies_init(struct latencies *latencies, const struct target_types *types, struct plan *const *plans,
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

#endif
