/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate_history.h - a history as the source of baselines: its last accepted run of the same program and machine. */
#ifndef TOPDOWN_COMMAND_JOBS_GATE_HISTORY_H
#define TOPDOWN_COMMAND_JOBS_GATE_HISTORY_H

#include "command/jobs/gate_baseline.h"

/* Simulated runs before those of this machine, unless --pmu says which. A history without one leaves it as it is. */
int gate_history_baseline(struct gate_baseline *baseline, const struct history_choice *choice,
			  const struct request *request, struct error *err) MUST_CHECK;

/* Adds the run. */
int gate_history_add(const struct measurement *measured, const struct history_choice *choice,
		     const struct request *request, struct error *err) MUST_CHECK;

#endif
