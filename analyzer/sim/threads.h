/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads.h - a core for each thread, with its own caches, predictor and clock; they share the last-level cache. Valgrind runs
 * one thread at a time, so there is one current core.
 */
#ifndef TOPDOWN_SIM_THREADS_H
#define TOPDOWN_SIM_THREADS_H

#include "sim/core.h"
#include "sim/sample.h"
#include "sim/valgrind.h"
#include "sim/warm.h"

struct share;
struct shares; /* shares.h */

struct thread {
	struct core core;
	struct sampler sampler;
	uint64_t untrained; /* branches that the predictor did not see (sample.h) */
	uint64_t running
		[ENTRY_WORDS]; /* while another thread has the trace: the entry of the block that has begun, or 0 */
	struct share *share;   /* what is told of it apart from the others; NULL: nothing */
};

struct threads {
	const struct parameters *parameters;
	struct sampling sampling;
	struct attribution attribution;
	struct attribution nowhere; /* of what is not accounted */
	struct cache l3;
	struct trace *trace; /* of the current thread */
	struct warm warm;
	struct thread **all; /* by Valgrind's number of the thread; NULL: has not run yet */
	struct thread *current;
	struct shares *shares; /* NULL: threads are not told apart */
};

/* sampling is copied; trace and parameters stay the caller's. */
void threads_init(struct threads *threads, struct trace *trace, const struct parameters *parameters,
		  const struct sampling *sampling);

/* From here on it is this thread that runs. */
void threads_switch(struct threads *threads, ThreadId id);

/* A thread of this number is gone, or not there yet. */
void threads_end(struct threads *threads, ThreadId id);

/* The blocks in the trace go through the model, but for the last one, which is not complete. */
void threads_drain(struct threads *threads);

/* The block that runs, in all threads, is accounted for. */
void threads_finish(struct threads *threads);

/* The counts so far are another process's: those of this one begin at 0. Caches and predictors stay as they are. */
void threads_forget(struct threads *threads);

/* After that: other windows than in the process that this one was copied from. */
void threads_restart(struct threads *threads, ULong seed);

#endif
