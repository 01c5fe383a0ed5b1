/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verify_run.h - measures the known kernels of `topdown verify`, each as a program of its own. */
#ifndef TOPDOWN_COMMAND_JOBS_VERIFY_RUN_H
#define TOPDOWN_COMMAND_JOBS_VERIFY_RUN_H

#include "analyse/verify/verification.h"
#include "common/request/request.h"

/* topdown verify. NULL and 0: not given. */
struct verify_choice {
	const char *work; /* the kernel whose work is done, and nothing measured */
	const char *only; /* kernels that are measured, separated by commas */
	unsigned times;	  /* that their work is done */
	double seconds;	  /* after which no further kernel is measured */
};

/*
 * Measures the kernels, with progress on a terminal, and fills level, times, seconds, results, count, and what the
 * first measurement says of model and scope. A kernel that can't be measured has the reason. -1 and err for an unknown
 * name.
 */
int verify_run_measure(struct verification *verification, const struct verify_choice *choice, bool is_counted,
		       const struct request *request, struct error *err) MUST_CHECK;

/* Does a kernel's work in this process. */
int verify_run_kernel(const struct verify_choice *choice, struct arena *arena, struct error *err) MUST_CHECK;

#endif
