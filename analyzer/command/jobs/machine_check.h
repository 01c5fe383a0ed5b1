/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine_check.h - what can be measured on this machine: found out for `topdown doctor` and `topdown verify`. */
#ifndef TOPDOWN_COMMAND_JOBS_MACHINE_CHECK_H
#define TOPDOWN_COMMAND_JOBS_MACHINE_CHECK_H

#include "analyse/diagnose/diagnosis.h"
#include "engine/target.h"

/* This machine, or the one below --sysroot. -1 and err where topdown's own files can't be read. */
int machine_check_target(struct target *target, const struct request *request, struct error *err) MUST_CHECK;

/*
 * Looks at it, and changes nothing. Of level 3 where the question names none. The diagnosis lives in the request's
 * arena, and borrows from target.
 */
void examine(struct diagnosis *diagnosis, struct target *target, const struct request *request);

#endif
