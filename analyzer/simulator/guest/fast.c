/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/fast.h"

#include "simulator/guest/gate.h"
#include "simulator/guest/guest_threads.h"
#include "simulator/guest/plain.h"
#include "simulator/model/unknown_lines.h"
#include "simulator/wire.h"

/* The end of the trace while something is skipped: the first block that is followed finds it full. */
static uint64_t *full(struct trace *trace)
{
	return trace->words + TRACE_WORDS;
}

/*
 * What a burst has of its stretch, as 4 M and 2 M instructions of 50 M: after 4 M predictors, TLBs and caches but L3
 * are nearly as if all had been followed. The windows in it are 64, as far as they have room.
 */
#define WARM_UP(stretch) ((stretch)*8 / 100)
#define COUNTED(stretch) ((stretch)*4 / 100)
#define PERIOD		 60000
#define SHORTEST_PERIOD	 (2 * WIRE_WINDOW)

static ULong at_most(ULong number, ULong most)
{
	return number < most ? number : most;
}

/* The next of some numbers, which commas divide. */
static ULong take_number(const HChar **text)
{
	HChar *end;
	ULong number = VG_(strtoull10)(*text, &end);

	*text = *end == ',' ? end + 1 : end;
	return number;
}

void fast_init(struct guest_threads *threads, const HChar *sizes, ULong seed, ULong head)
{
	struct fast *fast = &threads->fast;
	ULong begin = take_number(&sizes), stretch = take_number(&sizes), bursts = take_number(&sizes);

	if (!begin || COUNTED(stretch) < SHORTEST_PERIOD || bursts < 2)
		return;
	fast->begin = fast->left = begin > head ? begin : head;
	fast->stretch = stretch;
	fast->warm_up = WARM_UP(stretch);
	fast->counted = COUNTED(stretch);
	fast->period = at_most(fast->counted / 64, PERIOD);
	fast->period = fast->period > SHORTEST_PERIOD ? fast->period : SHORTEST_PERIOD;
	fast->bursts = (UInt)bursts;
	fast->random = (UInt)(seed >> 32);
	unknown_lines_init(&threads->unknown, &threads->l3);
}

ULong fast_unfollowed(const struct fast *fast)
{
	return fast->unfollowed + fast->skipped;
}

/* A number below most. */
static ULong fast_draw(struct fast *fast, ULong most)
{
	fast->random = fast->random * 1664525u + 1013904223u;
	return (most >> 16) * (fast->random >> 16);
}

/* To the next burst, which is anywhere in its stretch. */
static ULong distance(struct fast *fast)
{
	ULong stretch = fast->stretch, room, place, way;

	if (fast->done == fast->bursts) {
		fast->done = 0;
		fast->next++;
	}
	for (UInt i = 1; i < fast->next; i++)
		stretch *= 2;
	room = stretch - fast->warm_up - fast->counted;
	place = fast_draw(fast, room);
	way = fast->behind + place;
	fast->behind = room - place;
	return way + 1;
}

/* What another thread has begun is not counted by its block. */
static void drop_begun(struct fast *fast, struct guest_thread *thread)
{
	if (!thread->running[0])
		return;
	fast->skipped += trace_block(thread->running)->ninsns;
	VG_(memset)(thread->running, 0, sizeof(thread->running));
}

static void leave_all(struct guest_threads *threads)
{
	for (UInt id = 0; id < VG_N_THREADS; id++) {
		struct guest_thread *thread = threads->all[id];

		if (!thread)
			continue;
		drop_begun(&threads->fast, thread);
		if (threads->fast.stratum)
			sampler_close_burst(&thread->sampler, &threads->sampling, &thread->core);
		gate_leave(thread);
		thread->is_stale = True;
	}
}

/*
 * Is the block a round of a repeated string instruction that goes on, and is counted already? It is with the block that
 * has its first round.
 */
static Bool is_counted_round(const struct guest_thread *thread, const struct block *block, Addr next)
{
	const struct insn *last = &block->insns[block->ninsns - 1];

	if (!(last->flags & INSN_REPEATED) || last->address != next)
		return False;
	return block->ninsns > 1 || guest_threads_has_begun(thread, block);
}

/* The plain translation counts what goes on at its end. */
static void settle(struct guest_threads *threads)
{
	ThreadId id = threads->current->core.hierarchy.number;
	const struct trace *trace = threads->trace;
	Addr next = plain_address(id);

	guest_threads_drain(threads);
	if (trace->end > trace->words && is_counted_round(threads->current, trace_block(trace->words), next))
		threads->fast.skipped--;
	guest_threads_settle(threads, next);
}

static void skip(struct guest_threads *threads)
{
	struct fast *fast = &threads->fast;

	settle(threads);
	if (!fast->next)
		fast->next = 1;
	leave_all(threads);
	reuse_age(&threads->unknown.reuse);
	threads->delay = ~0ull;
	fast->state = FAST_SKIPS;
	plain_budget = fast->given = (Long)distance(fast);
	threads->trace->end = full(threads->trace);
}

/* The block at whose beginning the skipping began is in the trace alone: nobody has counted it. */
static ULong instructions_left_over(struct trace *trace)
{
	const uint64_t *entry = full(trace);
	const struct block *block;

	if (trace->end == entry)
		return 0;
	trace->end = full(trace);
	block = trace_block(entry);
	if (block->insns[block->ninsns - 1].flags & INSN_REPEATED && block->naccesses && entry[block->naccesses])
		return block->ninsns - 1u; /* it goes on */
	return block->ninsns;
}

static void use_lines(struct guest_threads *threads)
{
	for (const Addr *address = plain_addresses; address < plain_end; address++)
		reuse_count(&threads->unknown.reuse, *address >> LINE_SHIFT, (enum use)(*address & PLAIN_USE));
	plain_end = plain_addresses;
}

/* What was skipped so far. */
static void count_skipped(struct guest_threads *threads)
{
	struct fast *fast = &threads->fast;

	use_lines(threads);
	threads->passed += (ULong)(fast->given - plain_budget);
	fast->skipped += (ULong)(fast->given - plain_budget) + instructions_left_over(threads->trace);
	fast->given = plain_budget;
}

/* What comes is followed again: nothing is in the trace, nothing is known of L3, and the calls are found anew. */
static void stop_skipping(struct guest_threads *threads)
{
	count_skipped(threads);
	plain_budget = threads->fast.given = 0;
	threads->trace->end += ENTRY_WORDS; /* what may be behind it */
	guest_threads_drop(threads);
	unknown_lines_begin(&threads->unknown);
	for (UInt id = 0; id < VG_N_THREADS; id++)
		if (threads->all[id])
			threads->all[id]->before = NULL;
	guest_threads_find_stack(threads);
}

/* The stratum that the bursts belong to from here on. */
static void enter_stratum(struct fast *fast, UInt stratum, void (*on_stratum)(UInt stratum))
{
	if (stratum != fast->stratum) {
		ULong skipped = fast->skipped;

		fast->skipped = 0;
		on_stratum(stratum);
		fast->stratum = stratum;
		fast->unfollowed = 0;
		fast->skipped = skipped;
	}
	fast->unfollowed += fast->skipped;
	fast->skipped = 0;
}

void fast_resume(struct guest_threads *threads)
{
	struct fast *fast = &threads->fast;

	if (plain_is_full()) {
		count_skipped(threads);
		return;
	}
	stop_skipping(threads);
	fast->left = fast->warm_up;
	fast->state = FAST_WARMS_UP;
}

static void begin_burst(struct guest_threads *threads, void (*on_stratum)(UInt stratum))
{
	struct fast *fast = &threads->fast;

	enter_stratum(fast, fast->next, on_stratum);
	gate_open(threads);
	fast->done++;
	fast->left = fast->counted;
	fast->state = FAST_BURSTS;
}

void fast_step(struct guest_threads *threads, void (*on_stratum)(UInt stratum))
{
	if (threads->fast.state == FAST_WARMS_UP)
		begin_burst(threads, on_stratum);
	else
		skip(threads);
}

void fast_finish(struct guest_threads *threads)
{
	struct fast *fast = &threads->fast;

	if (fast->state == FAST_SKIPS)
		count_skipped(threads);
	for (UInt id = 0; id < VG_N_THREADS && fast->state == FAST_BURSTS; id++)
		if (threads->all[id] && !sampler_is_outside(&threads->all[id]->sampler))
			sampler_close_burst(&threads->all[id]->sampler, &threads->sampling, &threads->all[id]->core);
}

void fast_forget(struct guest_threads *threads)
{
	struct fast *fast = &threads->fast;

	if (fast->state == FAST_SKIPS)
		stop_skipping(threads);
	if (fast->state != FAST_FOLLOWS)
		gate_open(threads);
	fast->state = FAST_FOLLOWS;
	fast->stratum = fast->next = fast->done = 0;
	fast->unfollowed = fast->skipped = fast->behind = 0;
	fast->left = fast->begin;
}

void fast_end(struct guest_threads *threads, void (*on_stratum)(UInt stratum))
{
	struct fast *fast = &threads->fast;

	fast->begin = 0;
	if (fast->state == FAST_FOLLOWS)
		return;
	if (fast->state == FAST_SKIPS)
		stop_skipping(threads);
	guest_threads_settle(threads, 0);
	fast->state = FAST_FOLLOWS;
	on_stratum(0);
	fast->stratum = 0;
	fast->unfollowed = fast->skipped = 0;
	gate_open(threads);
}
