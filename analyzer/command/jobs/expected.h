/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * expected.h - how long a simulation is going to take: as long as the last measurement, where that was a simulation of
 * the same command, measured the same way. Of any other nothing is known.
 */
#ifndef TOPDOWN_COMMAND_JOBS_EXPECTED_H
#define TOPDOWN_COMMAND_JOBS_EXPECTED_H

#include "common/measurement/counts.h"
#include "common/request/setup.h"

struct expected {
	double instructions; /* of the whole simulation; 0: unknown */
	double seconds;
	bool is_sampled; /* it goes faster towards its end, so that instructions are no measure of time */
};

/* Reads the last measurement. */
void expected_find(struct expected *expected, const struct setup *setup, struct arena *arena);

/* What a measurement says of one that is begun with this command and these options. */
void expected_from(struct expected *expected, const struct measurement *last, const char *command, const char *options);

#endif
