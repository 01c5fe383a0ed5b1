/* SPDX-License-Identifier: GPL-2.0-or-later */
/* passes.h - between the files of simulate: one run of the program on one core, of which a simulation has several. */
#ifndef TOPDOWN_COLLECT_SIMULATE_PASSES_H
#define TOPDOWN_COLLECT_SIMULATE_PASSES_H

#include "collect/simulate/native.h"
#include "collect/simulate/simulate.h"
#include "collect/simulate/simulated_counts.h"
#include "collect/simulate/unsimulated.h"

/* What comes of it. */
struct outcome {
	struct counts *counts;
	struct simulated_processes processes;
};

/*
 * Runs the program once, the run's number being that of its layout where there are several. -1 when it could not be
 * run, or left no counts.
 */
int simulate_pass(struct outcome *outcome, const struct simulation *simulation, struct plain_run run,
		  struct arena *arena, struct error *err) MUST_CHECK;

/* Of the first repeat; 0: it has no such event. */
double count_of(const struct counts *counts, const char *event);

/* One more sentence about the first repeat's counts. */
void add_remark(struct counts *counts, const char *remark, struct arena *arena);

/* What is not among the counts. */
struct unsimulated find_unsimulated(const struct outcome *outcome, const struct simulation *simulation);

#endif
