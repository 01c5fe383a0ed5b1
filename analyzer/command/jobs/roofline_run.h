/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roofline_run.h - topdown roofline PROGRAM: measures it, and holds it against the machine's ceilings. */
#ifndef TOPDOWN_COMMAND_JOBS_ROOFLINE_RUN_H
#define TOPDOWN_COMMAND_JOBS_ROOFLINE_RUN_H

#include "analyse/ceilings/ceilings.h"
#include "command/options.h"

/* Without a program nothing is measured that options for one could be about. -1 with err where there are some. */
int roofline_check_alone(const struct options *options, struct arena *arena, struct error *err) MUST_CHECK;

/* Is the program there? Before the ceilings are measured, which takes seconds. */
int roofline_check(const struct options *options, struct arena *arena, struct error *err) MUST_CHECK;

/* ceilings NULL: there are none. The exit status is the program's; -1 with err. */
int roofline_run(const struct options *options, const struct ceilings *ceilings, struct arena *arena,
		 struct error *err) MUST_CHECK;

#endif
