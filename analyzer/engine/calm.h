/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calm.h - --steady: what makes runs alike is done before anything is identified, and undone when all is measured. */
#ifndef TOPDOWN_ENGINE_CALM_H
#define TOPDOWN_ENGINE_CALM_H

#include "collect/count/count.h"
#include "collect/count/steady.h"
#include "engine/engine.h"

struct calm {
	struct steady_wish wish;
	struct steady steady;
	unsigned cpu; /* that the program is pinned to, once calm_place() has chosen it */
};

/*
 * Restores what a killed topdown has left, then changes what --steady asks for and says so. -1 and err where it can't;
 * end it in any case.
 */
int calm_begin(struct calm *calm, const struct request *request, struct error *err) MUST_CHECK;

/* Chooses the program's CPU among those of the machine, and says which and why. */
int calm_place(struct calm *calm, const struct machine *machine, const struct request *request,
	       struct error *err) MUST_CHECK;

/* Where and how the program starts. */
void calm_program(struct program *program, const struct calm *calm);

/* Undoes it all; what can't be undone is a warning, with what to do. */
void calm_end(struct calm *calm, const struct request *request);

#endif
