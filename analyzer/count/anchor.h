/* SPDX-License-Identifier: GPL-2.0-or-later */
/* anchor.h - the program once more, on the machine's own cores: its user time is what modelled cycles are held against. */
#ifndef TOPDOWN_ANCHOR_H
#define TOPDOWN_ANCHOR_H

#include "count/plain_run.h"

/*
 * Runs it, unless it failed when it was simulated or topdown was interrupted. anchor says why where there is no time to compare
 * with; nothing that goes wrong here costs the simulated counts.
 */
void anchor_measure(struct anchor *anchor, const struct plain_run *run, const struct count_run *simulated,
		    struct arena *arena);

#endif
