/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * late_sampler.h - a companion of the counts whose sampler is made during the measurement, when it is known what it is
 * to sample. Until then nothing happens; then it hears what the companion hears.
 */
#ifndef TOPDOWN_ENGINE_LATE_SAMPLER_H
#define TOPDOWN_ENGINE_LATE_SAMPLER_H

#include "collect/sample/sample.h"
#include "engine/engine.h"

struct late_sampler {
	struct sampler *sampler;    /* NULL: none yet, and perhaps never */
	struct companion companion; /* for count_request; its runs are the owner's */
	int (*open)(void *owner, const struct companion_sites *sites, struct error *err);
	void *owner;
};

/*
 * open: of the owner, before each run; it makes the sampler where it is time, and calls late_sampler_open. Must not
 * move.
 */
void late_sampler_init(struct late_sampler *late,
		       int (*open)(void *owner, const struct companion_sites *sites, struct error *err), void *owner);

/* What the sampler's own open does; 0 where there is none. */
int late_sampler_open(const struct late_sampler *late, const struct companion_sites *sites,
		      struct error *err) MUST_CHECK;

/*
 * After the last run, where there is a sampler: completes the profile and names its functions; whose says in a remark
 * what has no names ("Functions", "Functions of the native run"). -1 where no event was ever sampled.
 */
int late_sampler_finish(const struct late_sampler *late, struct profile *profile, const char *whose,
			const struct request *request, struct error *err) MUST_CHECK;

/* The measurement has failed: releases the sampler. Always -1. */
int late_sampler_fail(const struct late_sampler *late);

#endif
