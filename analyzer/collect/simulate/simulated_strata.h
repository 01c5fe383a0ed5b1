/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simulated_strata.h - what the windows of sampled processes stand for, by the files of counts that these left
 * (simulator/wire.h).
 */
#ifndef TOPDOWN_COLLECT_SIMULATE_SIMULATED_STRATA_H
#define TOPDOWN_COLLECT_SIMULATE_SIMULATED_STRATA_H

#include <stdbool.h>

#include "simulator/wire.h"

/*
 * Causes whose slots follow from something that is counted in the whole program, and not in windows only: mispredicted
 * branches, those that fetch does not know, lines and pages.
 */
#define SIMULATED_TRIGGERED 9

/* One of those, and what it follows from. */
struct simulated_triggered {
	double whole_lost, whole_triggers; /* where nothing was left out of the model */
	double lost, modelled;		   /* in windows, */
	double triggers;		   /* and in all that they stand for */
};

/*
 * Instructions: of files in which nothing was left out of the model; of those that were sampled; and of these the
 * modelled ones.
 */
struct simulated_strata {
	double whole, sampled, modelled;
	struct simulated_triggered triggered[SIMULATED_TRIGGERED];
};

/* A count of all of the file; 0: it is not there. */
double simulated_number(const char *text, enum wire_count count);

/* Was a part of the file's program left out of the model? */
bool simulated_is_sampled(const char *text);

void simulated_strata_add(struct simulated_strata *strata, const char *text);

/*
 * What a file's counts of windows are multiplied by, when all files were added. Each file has been extrapolated by
 * itself, as if it were all; a window stands for as much of what was sampled in each of them. Where no window fell into
 * that, the rest stands for it.
 */
double simulated_strata_weight(const struct simulated_strata *strata, const char *text);

/*
 * What the slots that a cause lost in windows are multiplied by besides: there are as many as of all mispredictions,
 * and so on, where windows may have met more or less than their share. What one takes is what it took in the windows;
 * where these met hardly any, what it took in the parts that were modelled in full. 1: of any other count.
 */
double simulated_strata_factor(const struct simulated_strata *strata, enum wire_count cause);

/* The slots that a cause lost of which windows saw nothing; 0: they did, or none are known. */
double simulated_strata_unseen(const struct simulated_strata *strata, enum wire_count cause);

#endif
