/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals.h - signals during a measurement: they are blocked and waited for. So no handler and no state outside of this
 * struct is needed, and none of them is lost between two runs.
 *
 *   SIGINT SIGTERM SIGHUP SIGQUIT SIGALRM  end the series: passed on to the program and all that it has started
 *   SIGUSR1 SIGUSR2                        passed on to the program; SIGUSR2 starts counting where that is waited for
 *   SIGPIPE SIGXFSZ                        dropped: what topdown writes fails with EPIPE and EFBIG instead
 *   SIGCHLD                                collects processes that have ended
 *
 * What topdown's caller ignores stays ignored, as by nohup. The program inherits what topdown has inherited.
 */
#ifndef TOPDOWN_COLLECT_COUNT_SIGNALS_H
#define TOPDOWN_COLLECT_COUNT_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "collect/count/descendants.h"

struct signals {
	sigset_t waited; /* those that are blocked now */
	sigset_t old_mask;
	struct sigaction old_child; /* of SIGCHLD: were it ignored, there would be no child to wait for */
	int fd;			    /* readable when one of them has come */
	bool is_sigusr2_awaited;
	bool has_sigusr2;    /* SIGUSR2 came, where it is waited for */
	bool is_interrupted; /* one came that ends the series: no further run */
	int number;	     /* the first of these; 0: none */
	struct descendants descendants;
};

void signals_hold(struct signals *signals);

/* SIGUSR2 starts counting. */
void signals_hold_sigusr2(struct signals *signals);

/*
 * Restores everything. Signals that came since the last program ended are dropped: they end the series, not the report.
 */
void signals_release(struct signals *signals);

/* In the child, before exec: what the caller of topdown had. */
void signals_restore(const struct signals *signals);

/* "SIGINT": of those above. */
const char *signal_name(int number);

/*
 * Takes all that have come, and collects what has ended, but not the program. Those that end a program are passed on to
 * it (0: there is none) and its descendants, unless they have them already.
 */
void signals_take(struct signals *signals, pid_t program);

#endif
