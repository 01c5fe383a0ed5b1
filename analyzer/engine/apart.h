/* SPDX-License-Identifier: GPL-2.0-or-later */
/* apart.h - a measurement in a process of its own, on one CPU, so that two of them can run at once. */
#ifndef TOPDOWN_ENGINE_APART_H
#define TOPDOWN_ENGINE_APART_H

#include <stddef.h>
#include <sys/types.h>

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/measurement/counts.h"

struct apart {
	pid_t pid;
	int channel; /* what it measured comes from there */
};

/* What is done in that process. */
struct apart_work {
	int (*measure)(void *context, struct measurement *result, struct error *err);
	void *context;
	size_t cpu;
};

/* Starts it; then finish it. -1 where no process can be made. */
int apart_start(struct apart *apart, const struct apart_work *work, struct error *err) MUST_CHECK;

/* Waits for it. The result lives in arena. -1 and the error that it met. */
int apart_finish(struct measurement *result, const struct apart *apart, struct arena *arena,
		 struct error *err) MUST_CHECK;

#endif
