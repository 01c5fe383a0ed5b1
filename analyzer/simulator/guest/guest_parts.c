/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_parts.c - parts of a program whose counts begin at 0: regions, what follows the head, a new process; threads as
 * the kernel knows them, and what they have called.
 */
#include "simulator/guest/core_totals.h"
#include "simulator/guest/gate.h"
#include "simulator/guest/guest_threads.h"
#include "simulator/model/host.h"
#include "simulator/wire.h"

/* Its counts are another's: the next ones begin at 0. */
static void forget(struct guest_thread *thread)
{
	thread->core.hierarchy.traffic = (struct traffic){ 0 };
	thread->core.branches = thread->core.mispredicted = thread->core.unknown_branches = 0;
	sampler_forget(&thread->sampler, &thread->core);
	gate_forget(thread);
}

/* Another thread may get its number, and then its core. */
void guest_close_share(const struct guest_threads *threads, struct guest_thread *thread)
{
	if (!thread->share)
		return;
	thread_shares_close(threads->shares, thread->share, thread);
	thread->share = NULL;
	forget(thread);
}

/* What it has counted since the last time is the region's that it leaves. It counts as a thread at its end. */
static void change_share(const struct guest_threads *threads, struct guest_thread *thread, struct thread_share *share)
{
	bool is_outside = sampler_is_outside(&thread->sampler);

	gate_settle(thread);
	thread_shares_take(threads->shares, thread->share);
	totals_add_thread(&thread->share->totals, thread);
	thread->share->totals.threads--;
	forget(thread);
	if (is_outside)
		gate_forget(thread);
	thread->share = share;
}

void guest_threads_region(struct guest_threads *threads, struct thread_share *region)
{
	struct guest_thread *thread = threads->current;

	guest_threads_settle(threads, 0);
	if (!thread->share)
		thread->share = threads->shares->first;
	if (region && thread->nregions++ < MOST_NESTED)
		thread->regions[thread->nregions - 1] = region;
	else if (!region && thread->nregions)
		thread->nregions--;
	else if (!region)
		threads->unbegun++;
	if (thread->nregions <= MOST_NESTED)
		change_share(threads, thread,
			     thread->nregions ? thread->regions[thread->nregions - 1] : threads->shares->first);
}

/* The current thread's blocks go first: the others' are in their shares already. */
void guest_threads_collect(struct guest_threads *threads)
{
	if (threads->current)
		gate_settle(threads->current);
	if (threads->current && threads->current->share)
		thread_shares_close(threads->shares, threads->current->share, threads->current);
	for (UInt id = 0; id < VG_N_THREADS; id++) {
		struct guest_thread *thread = threads->all[id];

		if (!thread)
			continue;
		guest_name_task(threads, thread);
		gate_settle(thread);
		if (thread->share && thread != threads->current)
			thread_shares_close(threads->shares, thread->share, thread);
	}
}

void guest_threads_renew(struct guest_threads *threads)
{
	for (UInt id = 0; id < VG_N_THREADS; id++) {
		if (!threads->all[id])
			continue;
		forget(threads->all[id]);
		core_thin(&threads->all[id]->core, WIRE_WINDOW, threads->sampling.period);
	}
	if (threads->shares)
		thread_shares_restart(threads->shares);
	guest_threads_restart(threads, threads->sampling.seed);
}

void guest_threads_forget(struct guest_threads *threads)
{
	guest_threads_drain(threads);
	for (UInt id = 0; id < VG_N_THREADS; id++) {
		struct guest_thread *thread = threads->all[id];

		if (!thread)
			continue;
		forget(thread);
		if (thread != threads->current || !threads->shares || !threads->shares->are_regions)
			thread->share = NULL;
		thread->running[0] = 0; /* other threads are not copied by fork */
	}
	guest_keep_task(threads);
	if (!threads->shares)
		return;
	if (threads->shares->are_regions) {
		thread_shares_restart(threads->shares);
		return;
	}
	thread_shares_forget(threads->shares);
	if (threads->current)
		threads->current->share = thread_shares_add(threads->shares);
}

void guest_threads_restart(struct guest_threads *threads, ULong seed)
{
	threads->sampling.seed = seed;
	for (UInt id = 0; id < VG_N_THREADS; id++)
		if (threads->all[id])
			sampler_restart(&threads->all[id]->sampler, &threads->sampling, id);
}

/* ---- threads as the kernel knows them ---- */

/* Its name so far, and the number that the kernel knows it by. */
void guest_name_task(struct guest_threads *threads, const struct guest_thread *thread)
{
	struct task *task = &threads->tasks[thread->task];

	if (thread->task)
		thread_name(task->name, task->tid, threads->own_name);
}

/* It begins: nothing has been called in it. */
void guest_begin_task(struct guest_threads *threads, struct guest_thread *thread)
{
	UInt before = threads->tasks_size;

	if (!threads->contexts || thread->task)
		return;
	if (threads->ntasks == before) {
		threads->tasks_size = 2 * before;
		threads->tasks = sim_grow(threads->tasks, before * sizeof(*threads->tasks),
					  threads->tasks_size * sizeof(*threads->tasks));
	}
	thread->task = threads->ntasks++;
	threads->tasks[thread->task].tid = VG_(gettid)();
	shadow_begin(&thread->stack, contexts_root(threads->contexts, thread->task));
}

/* The only one of a new process. */
void guest_keep_task(struct guest_threads *threads)
{
	struct guest_thread *thread = threads->current;

	if (thread && thread->task)
		threads->tasks[thread->task].tid = VG_(gettid)();
}

/* ---- what it has called ---- */

#define MOST_UNWOUND 500

/* What a return takes off the stack, as in shadow_stack.c. */
#if defined(VGA_amd64)
#define BACK_BYTES 8u
#else
#define BACK_BYTES 0u
#endif

/* Valgrind gives an address within each call, and the stack pointer behind its return. */
static UInt find_calls(const struct fast *fast, ThreadId id, struct shadow_call calls[MOST_UNWOUND])
{
	static Addr at[MOST_UNWOUND], pointers[MOST_UNWOUND]; /* too large for Valgrind's stack */
	UInt count = VG_(get_StackTrace)(id, at, MOST_UNWOUND, pointers, NULL, 0);

	for (UInt i = 1; i < count; i++)
		calls[i - 1] = (struct shadow_call){ .pointer = pointers[i] - BACK_BYTES,
						     .back = at[i] + 1,
						     .site = fast->row_of(at[i]) };
	return count ? count - 1 : 0;
}

void guest_threads_find_stack(struct guest_threads *threads)
{
	static struct shadow_call calls[MOST_UNWOUND];
	struct guest_thread *thread = threads->current;
	ThreadId id = thread->core.hierarchy.number;

	thread->is_stale = False;
	if (threads->fast.row_of)
		shadow_find(&thread->stack, threads->contexts, calls, find_calls(&threads->fast, id, calls),
			    VG_(get_SP)(id));
}
