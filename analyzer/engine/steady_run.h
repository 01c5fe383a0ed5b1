/* SPDX-License-Identifier: GPL-2.0-or-later */
/* steady_run.h - --steady: what makes runs alike is done before anything is identified, and undone at the end. */
#ifndef TOPDOWN_ENGINE_STEADY_RUN_H
#define TOPDOWN_ENGINE_STEADY_RUN_H

#include "collect/count/count.h"
#include "collect/count/steady.h"
#include "engine/engine.h"

struct steady_run {
	struct steady_wish wish;
	struct steady steady;
	unsigned cpu; /* that the program is pinned to, once steady_run_place() has chosen it */
};

/*
 * Restores what a killed topdown has left, then changes what --steady asks for and says so. -1 and err where it can't;
 * end it in any case.
 */
int steady_run_begin(struct steady_run *steady_run, const struct request *request, struct error *err) MUST_CHECK;

/* Chooses the program's CPU among those of the machine, and says which and why. */
int steady_run_place(struct steady_run *steady_run, const struct machine *machine, const struct request *request,
		     struct error *err) MUST_CHECK;

/* Where and how the program starts. */
void steady_run_program(struct program *program, const struct steady_run *steady_run);

/* Undoes it all; what can't be undone is a warning, with what to do. */
void steady_run_end(struct steady_run *steady_run, const struct request *request);

#endif
