/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals.h - SIGINT, SIGTERM and SIGCHLD while programs are measured: blocked and waited for, so that no handler and
 * no state outside of this struct is needed, and none of them is lost between two runs.
 */
#ifndef TOPDOWN_SIGNALS_H
#define TOPDOWN_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct signals {
	sigset_t waited; /* those that are blocked now */
	sigset_t old_mask;
	struct sigaction old_child; /* of SIGCHLD: ignored, there would be nothing to wait for */
	bool is_interrupted;	    /* SIGINT or SIGTERM came: no further run */
};

void signals_hold(struct signals *signals);

/* Everything as it was. What came since the last program ended is forgotten: it ends the series, not the report. */
void signals_release(struct signals *signals);

/* In the child, before exec: as it was for the caller of topdown. */
void signals_restore(const struct signals *signals);

/* Sleeps until one comes, and passes it on to the program that needs it. */
void signals_wait(struct signals *signals, pid_t program);

/* Notes what came while no program was running. */
void signals_poll(struct signals *signals);

#endif
