/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/gate.h"

static struct gate_counts counts_of(const struct guest_thread *thread)
{
	const struct core *core = &thread->core;

	return (struct gate_counts){ .traffic = core->hierarchy.traffic,
				     .branches = core->branches,
				     .mispredicted = core->mispredicted,
				     .unknown_branches = core->unknown_branches };
}

static void gate_leave(struct guest_thread *thread)
{
	sampler_leave(&thread->sampler, &thread->core);
	thread->inside = counts_of(thread);
	thread->depth = 0;
}

/* Caches and predictors are as they are. */
void gate_settle(struct guest_thread *thread)
{
	struct core *core = &thread->core;

	if (!sampler_is_outside(&thread->sampler))
		return;
	core->hierarchy.traffic = thread->inside.traffic;
	core->branches = thread->inside.branches;
	core->mispredicted = thread->inside.mispredicted;
	core->unknown_branches = thread->inside.unknown_branches;
}

static void enter(struct guest_thread *thread)
{
	gate_settle(thread);
	sampler_enter(&thread->sampler, &thread->core);
}

void gate_begin(const struct guest_threads *threads, struct guest_thread *thread)
{
	if (threads->has_toggle || threads->delay)
		gate_leave(thread);
}

void gate_pass(struct guest_threads *threads, uint64_t instructions)
{
	if (LIKELY(!threads->delay))
		return;
	threads->delay -= instructions < threads->delay ? instructions : threads->delay;
	for (UInt id = 0; id < VG_N_THREADS && !threads->delay && !threads->has_toggle; id++)
		if (threads->all[id])
			enter(threads->all[id]);
}

void gate_step(const struct guest_threads *threads, struct guest_thread *thread, const struct block *block)
{
	if (LIKELY(!threads->has_toggle))
		return;
	if (gate_is_due(thread))
		gate_leave(thread);
	if (!block->is_marked || threads->delay || !sampler_is_outside(&thread->sampler))
		return;
	enter(thread);
	thread->depth = thread->stack.count;
}

void gate_forget(struct guest_thread *thread)
{
	thread->inside = (struct gate_counts){ .branches = 0 };
}
