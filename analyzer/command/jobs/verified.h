/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verified.h - measures the known kernels of `topdown verify`, each as a program of its own. */
#ifndef TOPDOWN_COMMAND_JOBS_VERIFIED_H
#define TOPDOWN_COMMAND_JOBS_VERIFIED_H

#include "analyse/verify/verification.h"
#include "command/options.h"

/*
 * Measures the kernels, with progress on a terminal, and fills level, times, seconds, results, count, and what the
 * first measurement says of model and scope. A kernel that can't be measured has the reason. -1 and err for an unknown
 * name.
 */
int verified_measure(struct verification *verification, const struct options *options, bool is_counted,
		     struct arena *arena, struct error *err) MUST_CHECK;

/* Does a kernel's work in this process. */
int verified_run_kernel(const struct options *options, struct arena *arena, struct error *err) MUST_CHECK;

#endif
