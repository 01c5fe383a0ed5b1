/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/guest_threads.h"

#include "simulator/guest/core_totals.h"
#include "simulator/guest/gate.h"
#include "simulator/model/host.h"
#include "simulator/wire.h"

void guest_threads_init(struct guest_threads *threads, struct trace *trace, const struct parameters *parameters,
			const struct sampling *sampling)
{
	threads->parameters = parameters;
	threads->sampling = *sampling;
	threads->all = sim_allocate(VG_N_THREADS, sizeof(struct guest_thread *));
	cache_init(&threads->l3, parameters->l3.kib * 16, parameters->l3.ways);
	threads->ntasks = 1;
	threads->tasks_size = FIRST_TASKS;
	threads->tasks = sim_allocate(FIRST_TASKS, sizeof(*threads->tasks));
	thread_name(threads->own_name, VG_(gettid)(), NULL);
	threads->trace = trace;
	trace->end = trace->words;
}

void guest_threads_follow_lines(struct guest_threads *threads)
{
	threads->moves = moves_new();
	if (threads->contexts)
		threads->contexts->has_moved = true;
}

/* A second thread has come: from now on it matters who has which lines. */
static void begin_sharing(struct guest_threads *threads)
{
	threads->sharing = sharing_new(threads->parameters->transfer_latency);
	for (UInt id = 0; id < VG_N_THREADS; id++) {
		struct guest_thread *thread = threads->all[id];

		if (!thread)
			continue;
		thread->core.hierarchy.sharing = threads->sharing;
		sharing_join(threads->sharing, id, &thread->core.hierarchy.l1d);
	}
}

static void end_turn(struct guest_threads *threads)
{
	const struct guest_thread *thread = threads->current;

	if (threads->sharing)
		sharing_turn(threads->sharing, thread->core.hierarchy.number, thread->core.cycle - thread->turn);
}

static struct guest_thread *thread_new(struct guest_threads *threads, ThreadId id)
{
	struct guest_thread *thread = sim_allocate(1, sizeof(*thread));

	core_init(&thread->core, threads->parameters, &threads->l3);
	thread->core.hierarchy.number = id;
	thread->core.hierarchy.moves = threads->moves;
	thread->core.hierarchy.unknown = threads->fast.begin ? &threads->unknown : NULL;
	sampler_init(&thread->sampler, &threads->sampling, id);
	if (threads->sharing) {
		thread->core.hierarchy.sharing = threads->sharing;
		sharing_join(threads->sharing, id, &thread->core.hierarchy.l1d);
	}
	gate_begin(threads, thread);
	return thread;
}

/* Where the slots of what comes next are lost. */
static void attribute(struct guest_threads *threads)
{
	struct guest_thread *thread = threads->current;
	bool is_somewhere = threads->contexts && sampler_is_accounted(&thread->sampler);

	thread->core.attribution = is_somewhere ? &threads->contexts->attribution : &threads->nowhere;
	if (threads->moves)
		threads->moves->rows = is_somewhere ? &threads->contexts->moved : NULL;
}

/* The block in the context in which the thread comes to it: usually where it went from the last one before. */
static ALWAYS_INLINE struct placement *find_placement(struct contexts *contexts, struct guest_thread *thread,
						      struct block *block)
{
	struct placement **follower, *placement = thread->placement;
	uint32_t context = thread->stack.context;

	if (UNLIKELY(!placement))
		return contexts_place(contexts, context, block);
	follower = placement_follower(placement, block);
	if (LIKELY(*follower && (*follower)->block == block && (*follower)->context == context))
		return block->placement = *follower;
	return *follower = contexts_place(contexts, context, block);
}

/* The slots that the block loses are those of its rows in this context. */
static ALWAYS_INLINE void charge(struct contexts *contexts, struct guest_thread *thread, struct block *block,
				 uint64_t times)
{
	struct placement *placement = block->placement;

	if (!contexts)
		return;
	if (!placement || placement->context != thread->stack.context)
		placement = find_placement(contexts, thread, block);
	placement->detailed += times;
	thread->core.base = placement->base;
	thread->placement = placement;
}

/* Without times. */
static void follow(struct guest_thread *thread, const struct execution *execution)
{
	core_warm(&thread->core, execution);
	core_predict(&thread->core, execution);
}

static inline void guest_threads_pass(struct guest_threads *threads, uint64_t instructions)
{
	threads->passed += instructions;
	if (UNLIKELY(sampler_is_outside(&threads->current->sampler))) {
		gate_pass(threads, instructions);
		return;
	}
	threads->head -= instructions < threads->head ? instructions : threads->head;
	fast_count(&threads->fast, instructions);
}

/* A round of a repeated string instruction that did something: with none left it only ends. */
static bool has_accesses(const struct execution *execution)
{
	return execution->block->is_repeated && execution->block->naccesses && execution->addresses[0];
}

Bool guest_threads_has_begun(const struct guest_thread *thread, const struct block *block)
{
	const struct block *before = thread->before;

	return block->is_repeated && before && before->ninsns > 1 && before->end == block->end &&
	       before->insns[before->ninsns - 1].flags & INSN_REPEATED;
}

/* One block, of any kind, after which the sampler may want something else. */
static void complete(struct guest_threads *threads, const uint64_t *entry, ULong next)
{
	struct guest_thread *thread = threads->current;
	struct block *block = trace_block(entry);
	struct execution execution = { .block = block, .addresses = entry + 1, .next = next };
	/* Rounds of a repeated string instruction are one instruction, counted with the last. */
	Bool is_over = !block->is_repeated || next != block->address, is_counted, is_accounted;
	Bool is_first = is_over && !guest_threads_has_begun(thread, block);

	gate_step(threads, thread, block);
	is_counted = is_first && !sampler_is_outside(&thread->sampler);
	is_accounted = is_counted && sampler_is_accounted(&thread->sampler);
	if (!is_over)
		sampler_count_rounds(&thread->sampler, block->ninsns);

	block->total += is_counted;
	block->rounds += !sampler_is_outside(&thread->sampler) && has_accesses(&execution);
	block->detailed += is_accounted;
	attribute(threads);
	charge(threads->contexts, thread, block, is_accounted);
	if (sampler_is_detailed(&thread->sampler))
		core_run(&thread->core, &execution);
	else
		follow(thread, &execution);
	if (block->is_followed)
		shadow_follow(&thread->stack, threads->contexts, entry, next);
	sampler_step(&thread->sampler, &threads->sampling, &thread->core, block->ninsns);
	guest_threads_pass(threads, is_first ? block->ninsns : 0);
	if (is_over)
		thread->before = block;
}

/* The same: what retires in the rounds of a repeated string instruction, of which the last counts, is known later. */
static void complete_charged(struct guest_threads *threads, const uint64_t *entry, ULong next)
{
	struct guest_thread *thread = threads->current;
	struct block *block = trace_block(entry);
	Bool is_accounted = sampler_is_accounted(&thread->sampler);
	uint64_t detailed, retired = thread->core.retired;
	struct placement *placement;

	if (!threads->contexts || !block->is_repeated || !is_accounted) {
		complete(threads, entry, next);
		return;
	}
	placement = contexts_place(threads->contexts, thread->stack.context, block);
	detailed = placement->detailed;
	complete(threads, entry, next);
	placement->rounds += has_accesses(&(struct execution){ .block = block, .addresses = entry + 1 });
	placement->more_slots +=
		(int64_t)(thread->core.retired - retired - (placement->detailed - detailed) * block->slots);
}

/*
 * Rounds of a repeated string instruction but the last ones: as complete_charged, without what only the end of an
 * instruction or of a stretch of the sample needs.
 */
static const uint64_t *run_rounds(struct guest_threads *threads, const uint64_t *entry)
{
	struct guest_thread *thread = threads->current;
	struct sampler *sampler = &thread->sampler;
	struct block *block = trace_block(entry);
	uint64_t retired = thread->core.retired, left = sampler->left, rounds = 0;
	const uint64_t *end = threads->trace->end, *next;

	attribute(threads);
	charge(threads->contexts, thread, block, 0);
	for (; (next = trace_next(entry)) < end && trace_block(next) == block; entry = next) {
		struct execution execution = { .block = block, .addresses = entry + 1, .next = block->address };

		if (sampler->left <= block->ninsns)
			break;
		if (sampler_is_detailed(sampler))
			core_run(&thread->core, &execution);
		else
			follow(thread, &execution);
		sampler->left -= block->ninsns;
		rounds++;
	}
	block->rounds += rounds;
	sampler_count_rounds(sampler, left - sampler->left);
	if (threads->contexts && sampler_is_accounted(sampler)) {
		block->placement->more_slots += (int64_t)(thread->core.retired - retired);
		block->placement->rounds += rounds;
	}
	return entry;
}

static bool has_rounds(const struct guest_threads *threads, const uint64_t *entry)
{
	return trace_block(entry)->is_repeated && !trace_block(entry)->is_followed &&
	       !sampler_is_outside(&threads->current->sampler) && !gate_is_due(threads->current);
}

/* Whole lines at once where the host has an instruction for that; Valgrind's memset takes a word at a time. */
static void clear(uint64_t *word, const uint64_t *end)
{
#if defined(__x86_64__)
	uint64_t count = (uint64_t)(end - word);

	__asm__ volatile("rep stosq" : "+D"(word), "+c"(count) : "a"(UINT64_C(0)) : "memory");
#else
	while (word < end)
		*word++ = 0;
#endif
}

/* Nothing but the first words stays. */
static void cut(struct trace *trace, SizeT words)
{
	uint64_t *end = trace->words + words;
	const uint64_t *last = trace->end;

	clear(end, last);
	trace->end = end;
}

/* Between windows: as far as it goes. */
static const uint64_t *warm(struct guest_threads *threads, const uint64_t *entry)
{
	struct guest_thread *thread = threads->current;
	struct sampler *sampler = &thread->sampler;
	struct warm_run run = { .entry = entry,
				.end = threads->trace->end,
				.contexts = threads->contexts,
				.stack = &thread->stack,
				.is_outside = sampler_is_outside(sampler),
				.depth = thread->depth };
	uint64_t most = threads->delay && threads->delay < sampler->left ? threads->delay : sampler->left;

	run.left = most;

	warm_follow(&threads->warm, &thread->core, &run);
	sampler->left -= most - run.left;
	guest_threads_pass(threads, most - run.left);
	thread->before = run.last ? run.last : thread->before;
	return run.entry;
}

/* Has the call that is counted returned with this block? */
static bool is_call_over(struct guest_threads *threads, const uint64_t *entry, const struct execution *execution)
{
	struct guest_thread *thread = threads->current;

	if (!execution->block->is_followed)
		return false;
	shadow_follow(&thread->stack, threads->contexts, entry, execution->next);
	return UNLIKELY(thread->stack.count < thread->depth);
}

/* In windows: as far as it goes. */
static const uint64_t *run(struct guest_threads *threads, const uint64_t *entry)
{
	struct guest_thread *thread = threads->current;
	const uint64_t *end = threads->trace->end, *next, *ahead = trace_ahead(entry);
	uint64_t most =
		threads->on_head_end && threads->head < thread->sampler.left ? threads->head : thread->sampler.left;
	uint64_t left = most, accounted = sampler_is_accounted(&thread->sampler);

	attribute(threads);
	for (; (next = trace_next(entry)) < end; entry = next) {
		struct block *block = trace_block(entry);
		struct execution execution = { .block = block,
					       .addresses = entry + 1,
					       .next = trace_block(next)->address };

		trace_expect(next, &ahead);
		if (block->ninsns >= left || block->is_repeated)
			break;
		block->total++;
		block->detailed += accounted;
		left -= block->ninsns;
		charge(threads->contexts, thread, block, accounted);
		core_run(&thread->core, &execution);
		thread->before = block;
		if (is_call_over(threads, entry, &execution)) {
			entry = next;
			break;
		}
	}
	thread->sampler.left -= most - left;
	guest_threads_pass(threads, most - left);
	return entry;
}

/* Is it over now? */
static void check_head(struct guest_threads *threads)
{
	void (*on_head_end)(void) = threads->on_head_end;

	if (LIKELY(!on_head_end || threads->head))
		return;
	threads->on_head_end = NULL;
	on_head_end();
}

void guest_threads_drain(struct guest_threads *threads)
{
	struct trace *trace = threads->trace;
	const uint64_t *entry = trace->words, *next;

	if (trace->end == trace->words || threads->fast.state == FAST_SKIPS)
		return;
	for (;; entry = next) {
		check_head(threads);
		if (!gate_is_due(threads->current))
			entry = sampler_is_detailed(&threads->current->sampler) ? run(threads, entry)
										: warm(threads, entry);
		if (has_rounds(threads, entry))
			entry = run_rounds(threads, entry);
		next = trace_next(entry);
		if (next == trace->end)
			break;
		complete_charged(threads, entry, trace_block(next)->address);
	}
	VG_(memmove)(trace->words, entry, (SizeT)(next - entry) * sizeof(uint64_t));
	cut(trace, (SizeT)(next - entry));
}

/* The trace becomes another thread's; what this one has begun is kept. */
static void put_aside(struct guest_threads *threads)
{
	struct trace *trace = threads->trace;

	if (threads->fast.state == FAST_SKIPS)
		return;
	guest_threads_drain(threads);
	VG_(memcpy)(threads->current->running, trace->words, (SizeT)(trace->end - trace->words) * sizeof(uint64_t));
	cut(trace, 0);
}

static void take_up(struct guest_threads *threads, struct guest_thread *thread)
{
	struct trace *trace = threads->trace;

	threads->current = thread;
	if (thread->is_stale && threads->fast.state != FAST_SKIPS)
		guest_threads_find_stack(threads);
	if (!thread->running[0])
		return;
	trace->end = trace->words + (trace_next(thread->running) - thread->running);
	VG_(memcpy)(trace->words, thread->running, (SizeT)(trace->end - trace->words) * sizeof(uint64_t));
	thread->running[0] = 0;
}

/* ---- where it runs ---- */

/* Its trace is empty, and so is what runs there. */
static void complete_running(struct guest_threads *threads, Addr next)
{
	if (threads->trace->end == threads->trace->words || threads->fast.state == FAST_SKIPS)
		return;
	guest_threads_drain(threads);
	complete_charged(threads, threads->trace->words, next);
}

void guest_threads_drop(struct guest_threads *threads)
{
	cut(threads->trace, 0);
}

void guest_threads_settle(struct guest_threads *threads, Addr next)
{
	complete_running(threads, next);
	cut(threads->trace, 0);
}

void guest_threads_signal(struct guest_threads *threads, ThreadId id)
{
	struct trace *trace = threads->trace;
	struct guest_thread *thread = threads->current;

	if (!threads->contexts || !thread || thread != threads->all[id] || threads->fast.state == FAST_SKIPS)
		return;
	complete_running(threads, 0);
	if (trace->end > trace->words)
		shadow_signal(&thread->stack, threads->contexts, trace_block(trace->words), VG_(get_SP)(id));
	cut(trace, 0);
}

void guest_threads_signal_end(struct guest_threads *threads, ThreadId id)
{
	if (!threads->contexts || !threads->current || threads->current != threads->all[id] ||
	    threads->fast.state == FAST_SKIPS)
		return;
	guest_threads_settle(threads, 0);
	shadow_signal_end(&threads->current->stack);
}

/* ---- which one runs ---- */

/* Does it have a share where it is to have one? A thread that has ended has none any more. */
static Bool has_share(const struct guest_threads *threads, const struct guest_thread *thread)
{
	return (!threads->shares || thread->share) && (!threads->contexts || thread->task);
}

static void switch_shares(const struct guest_threads *threads, struct guest_thread *thread)
{
	struct guest_thread *before = threads->current;

	if (!threads->shares)
		return;
	if (before && before->share)
		thread_shares_take(threads->shares, before->share);
	if (!thread->share && threads->shares->are_regions)
		thread->share = threads->shares->first;
	if (!thread->share)
		thread->share = thread_shares_add(threads->shares);
}

void guest_threads_switch(struct guest_threads *threads, ThreadId id)
{
	struct guest_thread *thread = threads->all[id];

	if (thread && thread == threads->current && has_share(threads, thread))
		return;
	if (!thread)
		thread = threads->all[id] = thread_new(threads, id);
	if (threads->current) {
		put_aside(threads);
		if (!threads->sharing)
			begin_sharing(threads);
		end_turn(threads);
	}
	thread->turn = thread->core.cycle;
	switch_shares(threads, thread);
	guest_begin_task(threads, thread);
	take_up(threads, thread);
}

/* Has it begun a block that is not accounted for? */
static Bool is_running(const struct guest_threads *threads, const struct guest_thread *thread)
{
	if (threads->fast.state == FAST_SKIPS)
		return False;
	return thread == threads->current ? threads->trace->end > threads->trace->words : thread->running[0] != 0;
}

static void guest_threads_finish_one(struct guest_threads *threads, ThreadId id)
{
	if (!threads->all[id] || !is_running(threads, threads->all[id]))
		return;
	guest_threads_switch(threads, id);
	guest_threads_drain(threads);
	complete_charged(threads, threads->trace->words, 0);
	cut(threads->trace, 0);
	guest_name_task(threads, threads->current);
	guest_close_share(threads, threads->current);
}

void guest_threads_end(struct guest_threads *threads, ThreadId id)
{
	guest_threads_finish_one(threads, id);
	if (threads->all[id])
		threads->all[id]->task = 0;
}

void guest_threads_finish(struct guest_threads *threads)
{
	for (UInt id = 0; id < VG_N_THREADS; id++) {
		guest_threads_finish_one(threads, id);
		if (threads->all[id])
			gate_settle(threads->all[id]);
	}
}
