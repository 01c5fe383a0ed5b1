/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * anchor_samples.h - the native run that a simulation is compared with is sampled by time, into the simulation's own
 * profile: so each function has modelled cycles and measured time side by side. Call stacks are left out: the run's CPU
 * time is what the simulation is compared with, and is to stay what it was.
 */
#ifndef TOPDOWN_ENGINE_ANCHOR_SAMPLES_H
#define TOPDOWN_ENGINE_ANCHOR_SAMPLES_H

#include "collect/sample/sample.h"
#include "engine/engine.h"

struct anchor_samples {
	/* First: it is the context of its functions. For anchor_wish (simulate.h); no sampler: no run was made. */
	struct sampler_observer late;
	const struct request *request;
	const struct machine *machine;
	const struct measurement *measured; /* whose profile is there when the run begins */
	struct sample_event event;
	struct profile before; /* what the sampler takes for its own */
};

/* Must not move; borrows the rest. */
void anchor_samples_init(struct anchor_samples *samples, const struct measurement *measured,
			 const struct machine *machine, const struct request *request);

/* Names the samples. Where the kernel allows none, the profile has a remark instead. */
void anchor_samples_finish(struct anchor_samples *samples);

#endif
