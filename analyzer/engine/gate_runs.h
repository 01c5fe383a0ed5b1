/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate_runs.h - how a gate measures: in the way of its baseline, or in turns with the program as it was. */
#ifndef TOPDOWN_ENGINE_GATE_RUNS_H
#define TOPDOWN_ENGINE_GATE_RUNS_H

#include "engine/engine.h"

/*
 * Completes what the setup leaves open. was: how the baseline was measured; PMU_AUTO: there is none, and this machine's
 * counters are used where one opens. Simulated: pinned, in five layouts, all levels. Counted: ten times. The question
 * gets functions where it has no places. setup->options then says so, in the arena. -1 and err where the setup
 * contradicts it.
 */
int gate_runs_choose(struct setup *setup, struct question *question, enum pmu_choice was, struct arena *arena,
		     struct error *err) MUST_CHECK;

struct gate_runs_request {
	const struct setup *setup;
	const struct question *question;
	const char *before; /* file of the program as it was, which gets the same arguments; NULL: no turns */
};

struct gate_runs {
	struct measurement before; /* with turns; else it has no parts */
	struct measurement now;
};

/*
 * The sink gets progress and notices; the measurements are in runs, have parts, and live in the arena. -1 and err as of
 * engine_measure and pairs_measure, or where nothing was measured.
 */
int gate_runs_measure(struct gate_runs *runs, const struct gate_runs_request *request, const struct sink *sink,
		      struct arena *arena, struct error *err) MUST_CHECK;

#endif
