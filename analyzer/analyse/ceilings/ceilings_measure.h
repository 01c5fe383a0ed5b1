/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ceilings_measure.h - runs the kernels on this machine: best of many short windows, until they agree. */
#ifndef TOPDOWN_ANALYSE_CEILINGS_CEILINGS_MEASURE_H
#define TOPDOWN_ANALYSE_CEILINGS_CEILINGS_MEASURE_H

#include "analyse/ceilings/ceilings.h"
#include "cpu/identify/machine.h"
#include "cpu/identify/resources.h"

/* Where it is measured. */
struct ceilings_machine {
	const struct machine *machine;
	const struct resources *resources;
	const char *governors; /* struct surroundings; NULL: unknown */
	const char *sysroot;
};

/* How long it may take. */
struct ceilings_effort {
	double seconds; /* about, at most; a calm machine takes less */
	/* Asked before each window, part from 0 to 1; false ends it. NULL: nobody asks. */
	bool (*go_on)(void *context, double part);
	void *context;
};

#define CEILINGS_SECONDS 9.0 /* what an effort usually has */

/* What is known of the machine without running anything: the key by which kept ceilings are stale or not. */
struct ceiling_conditions ceilings_conditions(const struct ceilings_machine *here, struct arena *arena);

/*
 * The result borrows from arena. -1 with err where threads or memory can't be had, or with "interrupted" where go_on
 * said so.
 */
int ceilings_measure(struct ceilings *ceilings, const struct ceilings_machine *here,
		     const struct ceilings_effort *effort, struct arena *arena, struct error *err) MUST_CHECK;

#endif
