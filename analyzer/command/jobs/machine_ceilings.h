/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine_ceilings.h - this machine's ceilings: those that are kept while they hold, else measured now and kept. */
#ifndef TOPDOWN_COMMAND_JOBS_MACHINE_CEILINGS_H
#define TOPDOWN_COMMAND_JOBS_MACHINE_CEILINGS_H

#include "analyse/ceilings/ceilings.h"
#include "common/measurement/roofs.h"
#include "common/request/request.h"

/* topdown roofline */
struct roofline_choice {
	bool is_fresh;	/* kept ceilings are measured again */
	double seconds; /* 0: not given */
};

/* Whose they are, beside the values. */
struct machine_ceilings {
	struct ceilings ceilings;
	const char *path;  /* of the file that keeps them; NULL: there is none */
	bool is_kept;	   /* they were measured before */
	const char *stale; /* kept, and what has changed since, where nothing can be measured; NULL: they hold */
};

/*
 * Progress is shown on a terminal, notices say why kept ones were measured again, or could
 * not be kept. -1 with err: of a sysroot nothing is kept, or measuring failed or was interrupted.
 */
int machine_ceilings_get(struct machine_ceilings *known, const struct roofline_choice *choice,
			 const struct request *request, struct error *err) MUST_CHECK;

/* What a session keeps of them, to place a program below. NULL: there are none. It borrows from known. */
const struct roofs *machine_ceilings_roofs(const struct machine_ceilings *known, struct arena *arena);

#endif
