/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate.h - measuring without a PMU: the target is a simulated core (--pmu sim, or where no PMU can be opened). */
#ifndef TOPDOWN_COMMAND_SIMULATE_H
#define TOPDOWN_COMMAND_SIMULATE_H

#include "command/target.h"

/*
 * 1 when no counter of this machine can be opened, but the simulator is here, and the user did not ask for one of them: says
 * so on stderr, with the reason. -1 when it is not here either: err has both reasons.
 */
int simulation_is_needed(const struct target *target, const struct options *options, struct arena *arena,
			 struct error *err) MUST_CHECK;

/* The simulator's events and model, for this machine. */
int simulation_target(struct target *target, const struct options *options, struct arena *arena,
		      struct error *err) MUST_CHECK;

/* Runs the program; fills the part that measured has with what was counted, and on which core, or divides it into threads. */
int simulation_count(struct measurement *measured, const struct target *target, const struct options *options,
		     struct arena *arena, struct error *err) MUST_CHECK;

#endif
