/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trials.h - what --what-if simulates: the words that were given, and the causes of the nodes that turn out worst. */
#ifndef TOPDOWN_ENGINE_TRIALS_H
#define TOPDOWN_ENGINE_TRIALS_H

#include "collect/simulate/what_if.h"
#include "engine/engine.h"
#include "engine/target.h"

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
