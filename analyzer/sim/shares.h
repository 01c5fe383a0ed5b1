/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shares.h - each thread's part of the counts. A block's executions are counted for all threads together, so they are taken by the thread that
 * leaves whenever another one comes; what its core has counted follows at its end.
 */
#ifndef TOPDOWN_SIM_SHARES_H
#define TOPDOWN_SIM_SHARES_H

#include "sim/totals.h"

#define SHARE_NAME 16 /* bytes, as the kernel's own names of threads */

struct share {
	struct share *next;
	UInt number; /* in the order in which the process's threads began, from 1 */
	Int tid;
	HChar name[SHARE_NAME]; /* empty: unknown */
	struct totals totals;	/* not scaled */
};

struct shares {
	struct block *const *blocks; /* all that there are */
	struct share *first, *last;
	UInt count;
	HChar own_name[SHARE_NAME]; /* what the kernel calls a thread that has not got a name */
};

void shares_init(struct shares *shares, struct block *const *blocks);

/* The thread that runs has one from now on. */
struct share *shares_add(struct shares *shares);

/* It gets what was executed since the last time. */
void shares_take(struct shares *shares, struct share *share);

/* The thread has ended, or the process: its name, and what its core counted. */
void shares_close(struct shares *shares, struct share *share, const struct thread *thread);

/* There are none. */
void shares_forget(struct shares *shares);

#endif
