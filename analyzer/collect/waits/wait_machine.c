/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/waits/wait_machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"

#define NS	  1e-9
#define LONG_WAIT ((uint64_t)(WAIT_LONG_S * 1e9))

void wait_machine_init(struct wait_machine *machine, struct arena *arena)
{
	*machine = (struct wait_machine){ .arena = arena };
}

void wait_machine_release(struct wait_machine *machine)
{
	number_table_release(&machine->by_tid);
}

/* ---- times ---- */

/* A wait ends: of it this much was measured. is_exact: without the time behind its end. */
static void end_wait(struct machine_thread *thread, uint64_t length, bool is_exact)
{
	struct machine_cause *cause = thread->current != SIZE_MAX ? &thread->causes[thread->current] : NULL;
	bool is_chance = length < LONG_WAIT && !thread->is_recorded; /* that somebody has looked */
	struct waits_of *waits = is_chance ? &thread->short_waits : cause ? &cause->waits : &thread->unseen;

	waits->time += length;
	waits->ended += length > 0 && !is_exact;
	if (!cause)
		return;
	cause->hits += is_chance;
	cause->recorded += thread->is_recorded && length > 0;
	if (!is_chance && length > cause->longest)
		cause->longest = length;
}

/* Boyer and Moore, "MJRTY" (1981): whoever has the majority is left. */
static void vote(struct machine_cause *cause, struct machine_thread *by, uint64_t length)
{
	if (cause->by == by) {
		cause->by_more += length;
	} else if (cause->by_more >= length) {
		cause->by_more -= length;
	} else {
		cause->by = by;
		cause->by_more = length - cause->by_more;
	}
}

/* It had no CPU for so long. */
static void take_ready(struct wait_machine *machine, struct machine_thread *thread, uint64_t length)
{
	if (!machine->is_on || !length)
		return;
	if (!machine->ready)
		machine->ready = arena_alloc(machine->arena, sizeof(*machine->ready));
	log_histogram_add(machine->ready, length);
	if (length > thread->longest_ready)
		thread->longest_ready = length;
}

static void account_wait(struct wait_machine *machine, struct machine_thread *thread, uint64_t at)
{
	const bool is_exact = thread->woken > thread->since && thread->woken <= at;
	const uint64_t end = is_exact ? thread->woken : at;
	const struct turn waited = { thread->since, end, THREAD_WAITS, thread->current,
				     is_exact ? thread->waker : NULL };
	const struct turn queued = { end, at, THREAD_READY, SIZE_MAX, NULL };

	if (is_exact && machine->is_on && thread->current != SIZE_MAX)
		vote(&thread->causes[thread->current], thread->waker, end - thread->since);
	if (is_exact)
		take_ready(machine, thread, at - end);
	end_wait(thread, machine->is_on ? end - thread->since : 0, is_exact);
	if (machine->is_on) {
		thread->queued += at - end;
		turn_keep(thread, &waited, machine->arena);
		turn_keep(thread, &queued, machine->arena);
		timeline_keep(machine, thread, &waited);
		timeline_keep(machine, thread, &queued);
	}
	thread->current = SIZE_MAX;
	thread->is_recorded = thread->is_vague = false;
	thread->woken = 0;
	thread->waker = NULL;
}

/* What its state was until now goes into its times. */
static void account(struct wait_machine *machine, struct machine_thread *thread, uint64_t at)
{
	const struct turn turn = { thread->since, at, thread->state, SIZE_MAX, NULL };
	uint64_t length = machine->is_on ? at - thread->since : 0;

	if (at <= thread->since)
		return;
	if (thread->state == THREAD_WAITS) {
		account_wait(machine, thread, at);
	} else {
		*(thread->state == THREAD_RUNS ? &thread->running : &thread->preempted) += length;
		if (length) {
			turn_keep(thread, &turn, machine->arena);
			timeline_keep(machine, thread, &turn);
		}
	}
	thread->since = at;
}

static void account_all(struct wait_machine *machine, uint64_t at)
{
	for (struct machine_thread *thread = machine->threads; thread; thread = thread->next)
		if (!thread->is_dead)
			account(machine, thread, at);
}

/* Time does not go back, whatever the records say. */
static uint64_t advance(struct wait_machine *machine, uint64_t at)
{
	if (at > machine->now) {
		machine->measured += machine->is_on ? at - machine->now : 0;
		machine->now = at;
	}
	return machine->now;
}

void wait_machine_switch(struct wait_machine *machine, bool is_on, uint64_t at)
{
	account_all(machine, advance(machine, at));
	machine->is_on = is_on;
}

/* ---- threads ---- */

static struct machine_thread *find(const struct wait_machine *machine, uint32_t tid)
{
	return number_table_get(&machine->by_tid, tid);
}

/* Whose waits are followed: the first one that is called so, or of all. */
static void note_main(struct wait_machine *machine, struct machine_thread *thread)
{
	if (!machine->main && (!machine->wanted || is_thread_called(&thread->own, machine->wanted)))
		machine->main = thread;
}

struct machine_thread *wait_machine_add(struct wait_machine *machine, const struct new_thread *added, uint64_t at)
{
	struct machine_thread *thread = find(machine, added->tid), *like = find(machine, added->parent);

	if (thread)
		return thread;
	thread = arena_alloc(machine->arena, sizeof(*thread));
	at = advance(machine, at);
	*thread = (struct machine_thread){
		.next = machine->threads,
		.parent = like,
		.own = { .pid = added->pid, .tid = added->tid, .name = like ? like->own.name : NULL },
		.state = added->state,
		.begin = machine->measured,
		.since = at,
		.current = SIZE_MAX
	};
	machine->threads = thread;
	machine->count++;
	number_table_set(&machine->by_tid, added->tid, thread);
	note_main(machine, thread);
	return thread;
}

void wait_machine_rename(struct wait_machine *machine, uint32_t tid, const char *name)
{
	struct machine_thread *thread = find(machine, tid);

	if (!thread)
		return;
	if (compare_texts(thread->own.name, name))
		thread->own.name = arena_strdup(machine->arena, name);
	note_main(machine, thread);
}

void wait_machine_remove(struct wait_machine *machine, uint32_t tid, uint64_t at)
{
	struct machine_thread *thread = find(machine, tid);

	at = advance(machine, at);
	if (!thread)
		return;
	account(machine, thread, at);
	thread->is_dead = true;
	machine->exited = thread;
	machine->exited_at = at;
	number_table_remove(&machine->by_tid, tid);
}

static void wake(struct wait_machine *machine, struct machine_thread *thread, struct machine_thread *waker, uint64_t at)
{
	thread->woken = at;
	thread->waker = waker;
	if (machine->is_on && waker && thread == machine->main)
		links_add(machine, waker, thread->since, at);
}

/* Whoever was woken before it had left its CPU does not wait. */
void wait_machine_wake(struct wait_machine *machine, uint32_t tid, uint32_t waker, uint64_t at)
{
	struct machine_thread *thread = find(machine, tid);

	at = advance(machine, at);
	if (thread && thread->state == THREAD_WAITS && !thread->woken && at > thread->since)
		wake(machine, thread, waker ? find(machine, waker) : NULL, at);
}

/*
 * The kernel takes an exiting thread's events away before that wakes who waits for its end (kernel/exit.c, do_exit). So
 * a wait for a lock or for a child that nobody has ended, as far as is known, was ended by the last exit in it.
 */
static void wake_by_exit(struct wait_machine *machine, struct machine_thread *thread)
{
	const struct machine_cause *cause = thread->current != SIZE_MAX ? &thread->causes[thread->current] : NULL;

	if (machine->has_wakes && !thread->woken && cause && machine->exited != thread &&
	    (cause->found.kind == WAIT_LOCK || cause->found.kind == WAIT_CHILD) && machine->exited_at > thread->since)
		wake(machine, thread, machine->exited, machine->exited_at);
}

static void take_cpu(struct machine_thread *thread, uint32_t cpu)
{
	thread->own.migrations += thread->cpu && thread->cpu != cpu + 1;
	thread->cpu = cpu + 1;
}

/* Its state becomes another one. */
static void turn_to(struct wait_machine *machine, struct machine_thread *thread, enum thread_state state, uint64_t at)
{
	if (thread->state == THREAD_WAITS)
		wake_by_exit(machine, thread);
	if (thread->state == THREAD_READY && at > thread->since)
		take_ready(machine, thread, at - thread->since);
	account(machine, thread, at);
	if (thread->state == THREAD_RUNS && state != THREAD_RUNS && machine->is_on) {
		thread->own.waits += state == THREAD_WAITS;
		thread->own.preemptions += state == THREAD_READY;
	}
	thread->state = state;
}

void wait_machine_move(struct wait_machine *machine, const struct thread_turn *turn, uint64_t at)
{
	struct machine_thread *thread = find(machine, turn->tid);

	at = advance(machine, at);
	if (!thread) {
		thread = wait_machine_add(machine, &(struct new_thread){ turn->pid, turn->tid, turn->pid, turn->state },
					  at);
		take_cpu(thread, turn->cpu);
		return;
	}
	/* It is off its CPU already, as said before: the first word counts. */
	if (turn->state != THREAD_RUNS && thread->state != THREAD_RUNS)
		return;
	turn_to(machine, thread, turn->state, at);
	take_cpu(thread, turn->cpu);
}

static bool is_found(const struct machine_cause *cause, const struct wait_found *found)
{
	return cause->found.kind == found->kind && compare_texts(cause->found.name, found->name) == 0;
}

#define MOST_CAUSES 1024 /* of a thread, with names; further ones have their kind alone */

void wait_machine_look(struct wait_machine *machine, uint32_t tid, const struct wait_found *found)
{
	struct machine_thread *thread = find(machine, tid);
	size_t i = 0;

	if (!thread || thread->state != THREAD_WAITS || (thread->current != SIZE_MAX && !thread->is_vague))
		return;
	while (i < thread->ncauses && !is_found(&thread->causes[i], found))
		i++;
	if (i == MOST_CAUSES && found->name) {
		wait_machine_look(machine, tid,
				  &(struct wait_found){ .kind = found->kind,
							.call = found->call,
							.is_recorded = found->is_recorded });
		return;
	}
	if (i == thread->ncauses) {
		thread->causes = arena_grow(machine->arena, thread->causes, i, &thread->room, sizeof(*thread->causes));
		thread->causes[thread->ncauses++] = (struct machine_cause){
			.found = { .kind = found->kind,
				   .name = found->name ? arena_strdup(machine->arena, found->name) : NULL,
				   .call = found->call,
				   .is_vague = found->is_vague }
		};
	}
	thread->causes[i].looks += !found->is_recorded;
	thread->current = i;
	thread->is_recorded = thread->is_recorded || found->is_recorded;
	thread->is_vague = found->is_vague;
	machine->looks += !found->is_recorded;
}

static void take_part(struct waits_of *waits, double each)
{
	waits->queued = fmin(waits->queued + each * (double)waits->ended, (double)waits->time);
	waits->ended = 0;
}

void wait_machine_delay(struct machine_thread *thread, uint64_t delay)
{
	uint64_t more = delay > thread->delay ? delay - thread->delay : 0;
	uint64_t known = thread->preempted + thread->queued - thread->was_preempted;
	uint64_t ended = thread->short_waits.ended + thread->unseen.ended;
	double each;

	for (size_t i = 0; i < thread->ncauses; i++)
		ended += thread->causes[i].waits.ended;
	if (!ended)
		return;
	each = more > known ? (double)(more - known) / (double)ended : 0;
	take_part(&thread->short_waits, each);
	take_part(&thread->unseen, each);
	for (size_t i = 0; i < thread->ncauses; i++)
		take_part(&thread->causes[i].waits, each);
	thread->delay = delay;
	thread->was_preempted = thread->preempted + thread->queued;
}

/* ---- the end ---- */

static double waited(const struct waits_of *waits)
{
	return (double)waits->time - waits->queued;
}

/* Is one of them what a look has found of vague waits: the same call, "read", with its file, "read, /tmp/a"? */
static bool is_file_of(const struct machine_cause *cause, const struct machine_cause *vague)
{
	size_t length = strlen(vague->found.name);

	return cause != vague && cause->looks && cause->found.name && cause->found.kind == vague->found.kind &&
	       !strncmp(cause->found.name, vague->found.name, length) && cause->found.name[length] == ',';
}

static void give_cause(struct machine_cause *to, struct machine_cause *from)
{
	to->waits.time += from->waits.time;
	to->waits.queued += from->waits.queued;
	to->recorded += from->recorded;
	to->looks += from->looks;
	to->longest = from->longest > to->longest ? from->longest : to->longest;
	from->waits = (struct waits_of){ .time = 0 };
	from->looks = from->recorded = from->longest = 0;
}

#define NEARLY_ALL 0.9
#define SOME_LOOKS 5

/* Where nearly all looks found one file, it has all of these waits; else short ones have no file. */
static void settle_vague(struct machine_thread *thread, struct machine_cause *vague)
{
	struct machine_cause *most = NULL;
	uint64_t looks = 0;

	for (size_t i = 0; i < thread->ncauses; i++) {
		struct machine_cause *cause = &thread->causes[i];

		if (!is_file_of(cause, vague))
			continue;
		looks += cause->looks;
		most = !most || cause->looks > most->looks ? cause : most;
	}
	if (looks >= SOME_LOOKS && (double)most->looks >= NEARLY_ALL * (double)looks) {
		give_cause(most, vague);
		return;
	}
	for (size_t i = 0; i < thread->ncauses; i++)
		if (is_file_of(&thread->causes[i], vague) && thread->causes[i].longest < LONG_WAIT)
			give_cause(vague, &thread->causes[i]);
}

/* What nobody has looked at, and short waits of which nobody has seen one, are unknown. */
static void finish_causes(struct machine_thread *thread, struct arena *arena)
{
	struct waiting_thread *own = &thread->own;
	double unknown = waited(&thread->unseen), queued;
	uint64_t hits = 0;

	queued = (double)thread->queued + thread->unseen.queued + thread->short_waits.queued;
	own->causes = arena_array(arena, thread->ncauses + 1, sizeof(*own->causes));
	for (size_t i = 0; i < thread->ncauses; i++)
		if (thread->causes[i].found.is_vague)
			settle_vague(thread, &thread->causes[i]);
	for (size_t i = 0; i < thread->ncauses; i++)
		hits += thread->causes[i].hits;
	for (size_t i = 0; i < thread->ncauses; i++) {
		const struct machine_cause *cause = &thread->causes[i];
		double part = hits ? waited(&thread->short_waits) * (double)cause->hits / (double)hits : 0;

		queued += cause->waits.queued;
		if (!cause->waits.time && !cause->hits)
			continue; /* it was over before measuring began */
		own->causes[own->ncauses++] = (struct wait_cause){ .kind = cause->found.kind,
								   .name = cause->found.name,
								   .call = cause->found.call,
								   .time_s = (waited(&cause->waits) + part) * NS,
								   .longest_s = (double)cause->longest * NS,
								   .waits = cause->recorded,
								   .looks = cause->looks,
								   .by = cause->by ? cause->by->own.tid : 0,
								   .by_name = cause->by ? cause->by->own.name : NULL };
	}
	if (!hits)
		unknown += waited(&thread->short_waits);
	if (unknown > 0)
		own->causes[own->ncauses++] = (struct wait_cause){ .kind = WAIT_UNKNOWN, .time_s = unknown * NS };
	own->queued_s = queued * NS;
	waits_sort_causes(own);
}

struct waits *wait_machine_finish(struct wait_machine *machine, uint64_t at)
{
	struct waits *waits = arena_alloc(machine->arena, sizeof(*waits));
	size_t next = machine->count;

	at = advance(machine, at);
	account_all(machine, at);
	waits->threads = arena_array(machine->arena, machine->count + 1, sizeof(*waits->threads));
	waits->count = machine->count;
	waits->lost = machine->lost;
	waits->looks = machine->looks;
	waits->ready = machine->ready;
	links_finish(waits, machine);
	waits->length_s = (double)machine->measured * NS;
	for (struct machine_thread *thread = machine->threads; thread; thread = thread->next) {
		struct waiting_thread *own = &thread->own;

		own->running_s = (double)thread->running * NS;
		own->preempted_s = (double)thread->preempted * NS;
		own->from_s = (double)thread->begin * NS;
		own->ready_longest_s = (double)thread->longest_ready * NS;
		waits->short_s += (double)thread->short_waits.time * NS;
		finish_causes(thread, machine->arena);
		own->to_s = own->from_s + own->running_s + own->preempted_s + own->queued_s +
			    thread_waited(own, WAIT_KINDS);
	}
	timelines_finish(waits, machine);
	for (struct machine_thread *thread = machine->threads; thread; thread = thread->next)
		waits->threads[--next] = thread->own;
	if (machine->wanted && machine->main)
		waits_lead(waits, machine->main->own.tid);
	waits_sort_threads(waits);
	return waits;
}

void waits_throttle(struct waits *waits, uint64_t throttled)
{
	double preempted_s = 0, part;

	for (size_t i = 0; i < waits->count; i++)
		preempted_s += waits->threads[i].preempted_s;
	part = preempted_s > 0 ? fmin((double)throttled * NS / preempted_s, 1) : 0;
	for (size_t i = 0; i < waits->count; i++)
		waits->threads[i].throttled_s = part * waits->threads[i].preempted_s;
}
