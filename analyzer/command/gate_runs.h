/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate_runs.h - what a gate judges: its baseline, from a file or a program, and the measurement of now. */
#ifndef TOPDOWN_COMMAND_GATE_RUNS_H
#define TOPDOWN_COMMAND_GATE_RUNS_H

#include "command/commands.h"
#include "measurement/counts.h"

struct gate_baseline {
	const char *path;    /* NULL: there is none */
	const char *program; /* the path is a program's, which is measured in turns with that of now; else NULL */
	struct measurement *measured; /* of a file; NULL: none, or not yet */
	const char *label;
	bool is_of_history; /* its last accepted run; path is NULL */
};

/* What --baseline names, else --history, else topdown-baseline.json.gz (.json), else TOPDOWN_HISTORY. */
int gate_find_baseline(struct gate_baseline *baseline, const struct options *options, struct arena *arena,
		       struct error *err) MUST_CHECK;

/* Where --update writes it. */
const char *gate_baseline_path(const struct gate_baseline *baseline);

/* Is the measurement a simulated one? */
bool is_simulated_measurement(const struct measurement *measured);

/*
 * How it is measured, unless the options say more: as the baseline was; without one on this machine's counters where
 * they can be opened. Simulated: pinned, in five layouts. Counted: ten times.
 */
int gate_choose_setup(struct options *own, const struct gate_baseline *baseline, struct arena *arena,
		      struct error *err) MUST_CHECK;

/* Measures the program, and the baseline's if it is one, whose measurement that then is. */
int gate_measure(struct measurement *measured, struct gate_baseline *baseline, const struct options *own,
		 struct arena *arena, struct error *err) MUST_CHECK;

/* Did a signal or --timeout end a run, or the series of them? */
bool is_cut_short(const struct measurement *measured);

/* Why numbers can't be compared, whatever they are: a clause; NULL: they can. */
const char *gate_doubt(const struct measurement *before, const struct measurement *after, struct arena *arena);

#endif
