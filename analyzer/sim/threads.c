/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/threads.h"

#include "sim/memory.h"
#include "sim/shares.h"

void threads_init(struct threads *threads, struct trace *trace, const struct parameters *parameters,
		  const struct sampling *sampling)
{
	threads->parameters = parameters;
	threads->sampling = *sampling;
	threads->all = sim_allocate(VG_N_THREADS, sizeof(struct thread *));
	cache_init(&threads->l3, parameters->l3.kib * 16, parameters->l3.ways);
	threads->trace = trace;
	trace->end = trace->words;
}

static struct thread *thread_new(struct threads *threads, ThreadId id)
{
	struct thread *thread = sim_allocate(1, sizeof(*thread));

	core_init(&thread->core, threads->parameters, &threads->l3);
	sampler_init(&thread->sampler, &threads->sampling, id);
	return thread;
}

/* Where the slots of what comes next are lost. */
static void attribute(struct threads *threads)
{
	struct thread *thread = threads->current;

	thread->core.attribution = sampler_is_accounted(&thread->sampler) ? &threads->attribution : &threads->nowhere;
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

/* One block, of any kind, after which the sampler may want something else. */
static void complete(struct threads *threads, const uint64_t *entry, ULong next)
{
	struct thread *thread = threads->current;
	struct block *block = trace_block(entry);
	struct execution execution = { .block = block, .addresses = entry + 1, .next = next };
	/* Rounds of a repeated string instruction are one instruction, counted with the last. */
	Bool is_counted = !block->is_repeated || next != block->address;

	block->total += is_counted;
	block->detailed += is_counted && sampler_is_accounted(&thread->sampler);
	attribute(threads);
	if (sampler_is_detailed(&thread->sampler))
		core_run(&thread->core, &execution);
	else
		follow(thread, &execution);
	sampler_step(&thread->sampler, &threads->sampling, &thread->core, block->ninsns);
}

/* Nothing but the first words stays. */
static void cut(struct trace *trace, SizeT words)
{
	uint64_t *end = trace->words + words;

	VG_(memset)(end, 0, (SizeT)(trace->end - end) * sizeof(uint64_t));
	trace->end = end;
}

/* Between windows: as far as it goes. */
static const uint64_t *warm(struct threads *threads, const uint64_t *entry)
{
	struct thread *thread = threads->current;
	struct sampler *sampler = &thread->sampler;
	struct warm_run run = { .entry = entry,
				.end = threads->trace->end,
				.left = sampler->left,
				.is_trained = sampler_is_trained(sampler) };

	warm_follow(&threads->warm, &thread->core, &run);
	sampler->left = run.left;
	thread->untrained += run.untrained;
	return run.entry;
}

/* In windows: as far as it goes. */
static const uint64_t *run(struct threads *threads, const uint64_t *entry)
{
	struct thread *thread = threads->current;
	const uint64_t *end = threads->trace->end, *next;
	uint64_t left = thread->sampler.left, accounted = sampler_is_accounted(&thread->sampler);

	attribute(threads);
	for (; (next = trace_next(entry)) < end; entry = next) {
		struct block *block = trace_block(entry);
		struct execution execution = { .block = block,
					       .addresses = entry + 1,
					       .next = trace_block(next)->address };

		if (block->ninsns >= left || block->is_repeated)
			break;
		block->total++;
		block->detailed += accounted;
		left -= block->ninsns;
		core_run(&thread->core, &execution);
	}
	thread->sampler.left = left;
	return entry;
}

void threads_drain(struct threads *threads)
{
	struct trace *trace = threads->trace;
	const uint64_t *entry = trace->words, *next;

	if (trace->end == trace->words)
		return;
	for (;; entry = next) {
		entry = sampler_is_detailed(&threads->current->sampler) ? run(threads, entry) : warm(threads, entry);
		next = trace_next(entry);
		if (next == trace->end)
			break;
		complete(threads, entry, trace_block(next)->address);
	}
	VG_(memmove)(trace->words, entry, (SizeT)(next - entry) * sizeof(uint64_t));
	cut(trace, (SizeT)(next - entry));
}

/* The trace becomes another thread's; what this one has begun is kept. */
static void put_aside(struct threads *threads)
{
	struct trace *trace = threads->trace;

	threads_drain(threads);
	VG_(memcpy)(threads->current->running, trace->words, (SizeT)(trace->end - trace->words) * sizeof(uint64_t));
	cut(trace, 0);
}

static void take_up(struct threads *threads, struct thread *thread)
{
	struct trace *trace = threads->trace;

	threads->current = thread;
	if (!thread->running[0])
		return;
	trace->end = trace->words + 1 + trace_accesses(thread->running);
	VG_(memcpy)(trace->words, thread->running, (SizeT)(trace->end - trace->words) * sizeof(uint64_t));
	thread->running[0] = 0;
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
	if (threads->current)
		put_aside(threads);
	switch_shares(threads, thread);
	take_up(threads, thread);
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

/* Has it begun a block that is not accounted for? */
static Bool is_running(const struct threads *threads, const struct thread *thread)
{
	return thread == threads->current ? threads->trace->end > threads->trace->words : thread->running[0] != 0;
}

void threads_end(struct threads *threads, ThreadId id)
{
	if (!threads->all[id] || !is_running(threads, threads->all[id]))
		return;
	threads_switch(threads, id);
	threads_drain(threads);
	complete(threads, threads->trace->words, 0);
	cut(threads->trace, 0);
	close_share(threads, threads->current);
}

void threads_finish(struct threads *threads)
{
	for (UInt id = 0; id < VG_N_THREADS; id++)
		threads_end(threads, id);
}

void threads_forget(struct threads *threads)
{
	threads_drain(threads);
	for (UInt id = 0; id < VG_N_THREADS; id++) {
		struct thread *thread = threads->all[id];

		if (!thread)
			continue;
		forget(thread);
		thread->share = NULL;
		thread->running[0] = 0; /* other threads are not copied by fork */
	}
	if (!threads->shares)
		return;
	shares_forget(threads->shares);
	if (threads->current)
		threads->current->share = shares_add(threads->shares);
}

void threads_restart(struct threads *threads, ULong seed)
{
	threads->sampling.seed = seed;
	for (UInt id = 0; id < VG_N_THREADS; id++)
		if (threads->all[id])
			sampler_restart(&threads->all[id]->sampler, &threads->sampling, id);
}
