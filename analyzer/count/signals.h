/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals.h - SIGINT, SIGTERM, SIGHUP and SIGCHLD while something is measured: blocked and waited for, so that no handler
 * and no state outside of this struct is needed, and none of them is lost between two runs.
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
	int fd;			    /* readable when one of them has come */
	bool has_sign;		    /* SIGUSR2 came, where it is waited for */
	bool is_interrupted;	    /* SIGINT, SIGTERM or SIGHUP came: no further run */
};

void signals_hold(struct signals *signals);

/* SIGUSR2 too: the sign to count. */
void signals_hold_sign(struct signals *signals);

/* Everything as it was. What came since the last program ended is forgotten: it ends the series, not the report. */
void signals_release(struct signals *signals);

/* In the child, before exec: as it was for the caller of topdown. */
void signals_restore(const struct signals *signals);

/* Takes all that have come, and passes those that end things on to the program (0: there is none) that needs them. */
void signals_take(struct signals *signals, pid_t program);

#endif
