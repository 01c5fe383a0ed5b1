/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/threads.h"

#include "sim/instrument.h"
#include "sim/memory.h"
#include "sim/shares.h"

void threads_init(struct threads *threads, const struct parameters *parameters, const struct sampling *sampling)
{
	threads->parameters = parameters;
	threads->sampling = *sampling;
	threads->all = sim_allocate(VG_N_THREADS, sizeof(struct thread *));
	cache_init(&threads->l3, parameters->l3.kib * 16, parameters->l3.ways);
}

static struct thread *thread_new(struct threads *threads, ThreadId id)
{
	struct thread *thread = sim_allocate(1, sizeof(*thread));

	core_init(&thread->core, threads->parameters, &threads->l3);
	sampler_init(&thread->sampler, &threads->sampling, id);
	return thread;
}

/* The addresses of a block that another thread interrupts. */
static void keep_addresses(struct thread *thread)
{
	if (thread && thread->running)
		VG_(memcpy)(thread->addresses, instrument_addresses, thread->running->naccesses * sizeof(uint64_t));
}

/* Does it have a share where it is to have one? A thread that has ended has none any more. */
static Bool has_share(const struct threads *threads, const struct thread *thread)
{
	return !threads->shares || thread->share;
}

static void switch_shares(const struct threads *threads, struct thread *thread)
{
	struct thread *before = threads->current;

	if (!threads->shares)
		return;
	if (before && before->share)
		shares_take(threads->shares, before->share);
	if (!thread->share)
		thread->share = shares_add(threads->shares);
}

void threads_switch(struct threads *threads, ThreadId id)
{
	struct thread *thread = threads->all[id];

	if (thread && thread == threads->current && has_share(threads, thread))
		return;
	if (!thread)
		thread = threads->all[id] = thread_new(threads, id);
	switch_shares(threads, thread);
	keep_addresses(threads->current);
	if (thread->running)
		VG_(memcpy)(instrument_addresses, thread->addresses, thread->running->naccesses * sizeof(uint64_t));
	threads->current = thread;
}

/* Without times. */
static void follow(struct thread *thread, const struct execution *execution)
{
	core_warm(&thread->core, execution);
	if (sampler_is_trained(&thread->sampler))
		core_predict(&thread->core, execution);
	else
		thread->untrained += execution->block->branch != BRANCH_NONE;
}

static void complete(struct threads *threads, struct thread *thread, ULong next)
{
	struct block *block = thread->running;
	struct execution execution = { .block = block, .addresses = instrument_addresses, .next = next };
	/* Rounds of a repeated string instruction are one instruction, counted with the last. */
	Bool is_counted = !block->is_repeated || next != block->address;

	block->total += is_counted;
	block->detailed += is_counted && sampler_is_accounted(&thread->sampler);
	thread->core.attribution = sampler_is_accounted(&thread->sampler) ? &threads->attribution : &threads->nowhere;
	if (sampler_is_detailed(&thread->sampler))
		core_run(&thread->core, &execution);
	else
		follow(thread, &execution);
	sampler_step(&thread->sampler, &threads->sampling, &thread->core, block->ninsns);
}

void threads_block(struct threads *threads, struct block *block)
{
	struct thread *thread = threads->current;

	if (thread->running)
		complete(threads, thread, block->address);
	thread->running = block;
}

/* Its counts are another's: the next ones begin at 0. */
static void forget(struct thread *thread)
{
	sampler_forget(&thread->sampler, &thread->core);
	thread->core.hierarchy.traffic = (struct traffic){ 0 };
	thread->untrained = thread->core.branches = thread->core.mispredicted = thread->core.unknown_branches = 0;
}

/* Another thread may get its number, and then its core. */
static void close_share(const struct threads *threads, struct thread *thread)
{
	if (!thread->share)
		return;
	shares_close(threads->shares, thread->share, thread);
	thread->share = NULL;
	forget(thread);
}

void threads_end(struct threads *threads, ThreadId id)
{
	struct thread *thread = threads->all[id];

	if (!thread || !thread->running)
		return;
	threads_switch(threads, id);
	complete(threads, thread, 0);
	thread->running = NULL;
	close_share(threads, thread);
}

void threads_finish(struct threads *threads)
{
	for (UInt id = 0; id < VG_N_THREADS; id++)
		threads_end(threads, id);
}

void threads_forget(struct threads *threads)
{
	for (UInt id = 0; id < VG_N_THREADS; id++) {
		struct thread *thread = threads->all[id];

		if (!thread)
			continue;
		forget(thread);
		thread->share = NULL;
		if (thread != threads->current)
			thread->running = NULL; /* other threads are not copied by fork */
	}
	if (!threads->shares)
		return;
	shares_forget(threads->shares);
	if (threads->current)
		threads->current->share = shares_add(threads->shares);
}
