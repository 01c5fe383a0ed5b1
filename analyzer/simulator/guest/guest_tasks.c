/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/core_totals.h"
#include "simulator/guest/guest_threads.h"
#include "simulator/model/host.h"

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
