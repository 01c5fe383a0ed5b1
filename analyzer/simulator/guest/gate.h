/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate.h - which part of the program is counted: behind the first N instructions, and inside calls of one function. A
 * thread is inside from a block that is marked until its call has returned, or was left otherwise. Outside, caches and
 * predictors follow, and nothing is counted.
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_GATE_H
#define TOPDOWN_SIMULATOR_GUEST_GATE_H

#include "simulator/guest/guest_threads.h"

/* A thread begins: outside, where only a part is counted. */
void gate_begin(const struct guest_threads *threads, struct guest_thread *thread);

/* The thread is outside from here on; all are inside, whatever delay was left. */
void gate_leave(struct guest_thread *thread);
void gate_open(struct guest_threads *threads);

/* So many instructions of any thread have passed, of which the delay has fewer left then. */
void gate_pass(struct guest_threads *threads, uint64_t instructions);

/* Before the thread's next block. */
void gate_step(const struct guest_threads *threads, struct guest_thread *thread, const struct block *block);

/* Has the call ended that was counted? Then the next block is the first one outside. */
static inline bool gate_is_due(const struct guest_thread *thread)
{
	return thread->stack.count < thread->depth;
}

/* Does a function begin at the address that is called so? C++ names may be given without their parameters. */
Bool gate_is_at(Addr address, const HChar *wanted);

/* The thread's counts are read: those of outside are gone. */
void gate_settle(struct guest_thread *thread);

/* What it has counted so far counts no more. */
void gate_forget(struct guest_thread *thread);

#endif
