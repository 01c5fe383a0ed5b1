/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h - what stands on stderr while something is measured: "run 3 of 12, 41 s left" on one line of a terminal,
 * wiped before anything else is written there, and notices. The first run has the terminal for itself, but for a
 * simulated program that has written nothing yet.
 */
#ifndef TOPDOWN_COMMAND_JOBS_PROGRESS_H
#define TOPDOWN_COMMAND_JOBS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/measurement/counts.h"
#include "common/request/setup.h"
#include "engine/engine.h"

/*
 * How long a simulation is going to take: as long as the last measurement, where that was a simulation of the same
 * command, measured the same way. Of any other nothing is known.
 */

struct expected {
	double instructions; /* of the whole simulation; 0: unknown */
	double seconds;
	bool is_sampled; /* it goes faster towards its end, so that instructions are no measure of time */
};

/* Reads the last measurement. */
void expected_find(struct expected *expected, const struct setup *setup, struct arena *arena);

/* What a measurement says of one that is begun with this command and these options. */
void expected_from(struct expected *expected, const struct measurement *last, const char *command, const char *options);

struct progress {
	bool is_quiet;		  /* the program has the terminal in all runs */
	bool are_two;		  /* programs: the first run of both has it */
	bool is_shown;		  /* the line stands there */
	bool is_repeated;	  /* what is simulated has run natively, and takes a known time at most */
	bool is_told;		  /* without a terminal: that it takes long */
	double began_s;		  /* CLOCK_MONOTONIC, of the first run */
	struct expected expected; /* of a simulation */
	bool is_expected;	  /* it was looked for */
};

/* Before each run, which counts from 1. */
void progress_show(struct progress *progress, size_t run, size_t runs);
/* While a program is simulated: how far it is, and how it would be there sooner; without a terminal one sentence. */
void progress_show_simulation(struct progress *progress, const struct simulated_so_far *so_far);
/* Is standard error a terminal? */
bool progress_has_place(void);
void progress_wipe(struct progress *progress);

/* Shows progress, and notices but those of what is done next. The sink borrows progress. */
struct sink progress_sink(struct progress *progress);

/* For struct sink: "topdown: warning: SENTENCE" on stderr, safe as common/base/cells.h has it. */
void notice_print(void *context, enum severity severity, const char *sentence);

#endif
