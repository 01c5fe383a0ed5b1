/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals.h - signals during a measurement: they are blocked and waited for. So no handler and no state outside of this
 * struct is needed, and none of them is lost between two runs.
 *
 * common/system/signal_table.h says what each of them does. SIGUSR2 starts counting where that is waited for, and
 * SIGCHLD collects processes that have ended.
 *
 * What topdown's caller ignores stays ignored, as by nohup. The program inherits what topdown has inherited.
 */
#ifndef TOPDOWN_COLLECT_COUNT_SIGNALS_H
#define TOPDOWN_COLLECT_COUNT_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "collect/count/descendants.h"
#include "common/base/error.h"

struct signals {
	sigset_t waited; /* those that are blocked now */
	sigset_t old_mask;
	struct sigaction old_child; /* of SIGCHLD: were it ignored, there would be no child to wait for */
	int fd;			    /* readable when one of them has come */
	bool is_sigusr2_awaited;
	bool is_simulated;   /* the program: of some signals its simulator would take notice itself */
	bool has_no_program; /* and so nothing to pass a signal on to: it ends the series */
	bool has_sigusr2;    /* SIGUSR2 came, where it is waited for */
	bool is_interrupted; /* one came that ends the series: no further run */
	bool has_to_end;     /* and the program is to end too, in ENDING_S: nobody typed it at a terminal */
	int number;	     /* the first of these; 0: none */
	int passed;	     /* the last that was passed on to the program that runs; 0: none */
	struct descendants descendants;
};

/* -1 and err when the kernel does not block them; then there is nothing to release. */
int signals_hold(struct signals *signals, struct error *err) MUST_CHECK;

/* SIGUSR2 starts counting. */
void signals_hold_sigusr2(struct signals *signals);

/*
 * Restores everything. Signals that came since the last program ended are dropped: they end the series, not the report.
 */
void signals_release(struct signals *signals);

/* In the child, before exec: what the caller of topdown had. -1 and errno when the kernel does not do it. */
int signals_restore(const struct signals *signals);

/*
 * Takes all that have come, and collects what has ended, but not the program. Those that end a program are passed on to
 * it (0: there is none) and its descendants, unless they have them already.
 */
void signals_take(struct signals *signals, pid_t program);

/* The program has ended with that status: where a signal that was passed on did it, that ends the series too. */
void signals_take_end(struct signals *signals, int status);

#endif
