/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h - "run 3 of 12, 41 s left" on one line of stderr's terminal, wiped before anything else is written there. The
 * first run has the terminal for itself.
 */
#ifndef TOPDOWN_PROGRESS_H
#define TOPDOWN_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
	bool is_quiet;	/* the program has the terminal in all runs */
	double began_s; /* CLOCK_MONOTONIC, of the first run */
};

/* Before each run, which counts from 1. */
void progress_show(struct progress *progress, size_t run, size_t runs);
void progress_wipe(void);

#endif
