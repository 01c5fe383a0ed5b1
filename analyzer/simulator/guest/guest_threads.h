/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_threads.h - a core for each thread, with its own caches, predictor and clock; they share the last-level cache.
 * Valgrind runs one thread at a time, so there is one current core.
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_GUEST_THREADS_H
#define TOPDOWN_SIMULATOR_GUEST_GUEST_THREADS_H

#include "simulator/guest/fast.h"
#include "simulator/guest/valgrind.h"
#include "simulator/model/calling_contexts.h"
#include "simulator/model/core.h"
#include "simulator/model/shadow_stack.h"
#include "simulator/model/trace.h"
#include "simulator/model/windows.h"

struct thread_share;
struct thread_shares; /* core_totals.h */

#define TASK_NAME 16 /* bytes, as the kernel's own names of threads */

/* A thread that call stacks begin in. */
struct task {
	Int tid;
	HChar name[TASK_NAME]; /* empty: unknown */
};

/* What a thread had counted when it left what is to be counted. */
struct gate_counts {
	struct traffic traffic;
	uint64_t branches, mispredicted, unknown_branches;
};

#define MOST_NESTED 16 /* regions; deeper ones belong to the last of these */

struct guest_thread {
	struct core core;
	struct sampler sampler;
	uint64_t running
		[ENTRY_WORDS]; /* while another thread has the trace: the entry of the block that has begun, or 0 */
	struct shadow_stack stack;
	Bool is_stale;		     /* the stack is as it was before something was skipped */
	const struct block *before;  /* that it completed last, but rounds of a repeated string instruction */
	struct placement *placement; /* of its last block that was charged, or NULL */
	uint64_t turn;		     /* cycle at which it came */
	UInt task;		     /* its number, from 1; 0: it has ended, or places are not wanted */
	uint32_t depth;		     /* frames of the call that is counted (gate.h); 0: there is none */
	struct gate_counts inside;
	struct thread_share *regions[MOST_NESTED]; /* that have begun (include/topdown.h) */
	UInt nregions;
	struct thread_share *share; /* its own counts; NULL: threads are not counted apart */
};

struct guest_threads {
	const struct parameters *parameters;
	struct sampling sampling;
	struct contexts *contexts; /* NULL: nobody asks where */
	struct task *tasks;	   /* 0 is not one */
	UInt ntasks, tasks_size;
	HChar own_name[TASK_NAME];  /* of a thread that has not got a name (thread_name) */
	struct attribution nowhere; /* of what is not accounted */
	struct moves *moves;	    /* NULL: lines between the levels are not followed */
	struct cache l3;
	struct trace *trace; /* of the current thread */
	struct warm warm;
	struct sharing *sharing;   /* of the cores' lines; NULL while there is one thread */
	struct guest_thread **all; /* by Valgrind's number of the thread; NULL: has not run yet */
	struct guest_thread *current;
	struct thread_shares *shares; /* NULL: threads are not counted apart */
	Bool has_toggle;	      /* only calls of one function are counted (gate.h), */
	ULong delay;		      /* and nothing of so many instructions more */
	ULong head;		      /* instructions until something is left out of the model */
	void (*on_head_end)(void); /* called once then, between two blocks; NULL: there is no such end, or it is over */
	struct fast fast;
	struct unknown_lines unknown; /* where anything is skipped */
	ULong unbegun;		      /* ends of regions in threads where none had begun */
	ULong passed;		      /* instructions that went through the model, for whoever shows progress */
};

/* sampling is copied; trace and parameters stay the caller's. */
void guest_threads_init(struct guest_threads *threads, struct trace *trace, const struct parameters *parameters,
			const struct sampling *sampling);

/* Before any thread begins: lines between the levels are counted, by row where there are contexts. */
void guest_threads_follow_lines(struct guest_threads *threads);

/* From here on it is this thread that runs. */
void guest_threads_switch(struct guest_threads *threads, ThreadId id);

/* A thread of this number is gone, or not there yet. */
void guest_threads_end(struct guest_threads *threads, ThreadId id);

/* A signal's handler begins in the current thread, and has ended. */
void guest_threads_signal(struct guest_threads *threads, ThreadId id);
void guest_threads_signal_end(struct guest_threads *threads, ThreadId id);

/* A region begins in the current thread, or ends: NULL. */
void guest_threads_region(struct guest_threads *threads, struct thread_share *region);

/* The blocks in the trace go through the model, but for the last one, which is not complete. */
void guest_threads_drain(struct guest_threads *threads);

/* The block that runs, in all threads, is accounted for. */
void guest_threads_finish(struct guest_threads *threads);

/* The counts so far are another process's: those of this one begin at 0. Caches and predictors stay as they are. */
void guest_threads_forget(struct guest_threads *threads);

/* What was counted so far is in the shares, and the threads have their names; they go on. */
void guest_threads_collect(struct guest_threads *threads);

/* After that: what follows counts from 0. */
void guest_threads_renew(struct guest_threads *threads);

/* After guest_threads_forget: other windows than in the process that this one was copied from. */
void guest_threads_restart(struct guest_threads *threads, ULong seed);

/* What the current thread has begun goes through the model too; next: where it goes on, or 0: unknown. */
void guest_threads_settle(struct guest_threads *threads, Addr next);

/*
 * A round of a repeated string instruction: is the first one the end of the block before, with which it is counted?
 * What comes to it by a jump begins there.
 */
Bool guest_threads_has_begun(const struct guest_thread *thread, const struct block *block);

/* Nothing is in the trace. */
void guest_threads_drop(struct guest_threads *threads);

/* ---- guest_parts.c: parts whose counts begin at 0 ---- */

/* The thread has ended: another one may get its number, and then its core. */
void guest_close_share(const struct guest_threads *threads, struct guest_thread *thread);

/* Threads as the kernel knows them. */

#define FIRST_TASKS 16

/* Calls were not followed for a while: which ones the current thread is in now. */
void guest_threads_find_stack(struct guest_threads *threads);

/* Its name so far, and the number that the kernel knows it by. */
void guest_name_task(struct guest_threads *threads, const struct guest_thread *thread);

/* It begins: nothing has been called in it. */
void guest_begin_task(struct guest_threads *threads, struct guest_thread *thread);

/* The only one of a new process. */
void guest_keep_task(struct guest_threads *threads);

#endif
