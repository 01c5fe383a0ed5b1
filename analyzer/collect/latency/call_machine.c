/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/latency/latency_parts.h"

#include <stdlib.h>

#define MOST_DEPTH 4096 /* of calls in each other: the outermost ones are forgotten */
#define MOST_ROWS  1024 /* of threads, and of callers: others share the last one */

struct open_call {
	uint64_t begin, stack, losses;
	struct call_row *caller;
};

void call_machine_init(struct call_machine *machine, struct call_times *times, struct arena *arena)
{
	*machine = (struct call_machine){ .arena = arena, .times = times };
}

/* ---- rows ---- */

static struct call_row *row_new(struct call_row ***rows, size_t *count, size_t *room, struct arena *arena)
{
	if (*count == MOST_ROWS)
		return (*rows)[MOST_ROWS - 1];
	*rows = arena_grow(arena, *rows, *count, room, sizeof(struct call_row *));
	(*rows)[*count] = arena_alloc(arena, sizeof(struct call_row));
	if (*count == MOST_ROWS - 1)
		(*rows)[*count]->name = "others";
	return (*rows)[(*count)++];
}

struct calling_thread *call_machine_thread(struct call_machine *machine, uint32_t thread)
{
	struct calling_thread *found = number_table_get(&machine->threads, thread);
	struct call_times *times = machine->times;

	if (found)
		return found;
	found = arena_alloc(machine->arena, sizeof(*found));
	found->row = row_new(&times->threads, &times->nthreads, &machine->threads_room, machine->arena);
	found->row->tid = thread;
	number_table_set(&machine->threads, thread, found);
	return found;
}

static struct call_row *caller_row(struct call_machine *machine, uint32_t caller)
{
	struct call_row *row = number_table_get(&machine->callers, caller);
	struct call_times *times = machine->times;

	if (row)
		return row;
	row = row_new(&times->callers, &times->ncallers, &machine->callers_room, machine->arena);
	number_table_set(&machine->callers, caller, row);
	return row;
}

struct call_row *call_machine_caller(const struct call_machine *machine, uint32_t caller)
{
	return number_table_get(&machine->callers, caller);
}

/* ---- calls ---- */

/* A frame that a later one lies over, or beyond which a return comes out, is over: longjmp and exceptions. */
static void drop_below(struct call_machine *machine, struct calling_thread *thread, uint64_t stack, bool keeps_equal)
{
	while (thread->count) {
		uint64_t last = thread->calls[thread->count - 1].stack;

		if (last > stack || (last == stack && keeps_equal))
			return;
		thread->count--;
		machine->times->unreturned++;
	}
}

static void forget_outermost(struct call_machine *machine, struct calling_thread *thread)
{
	for (size_t i = 1; i < thread->count; i++)
		thread->calls[i - 1] = thread->calls[i];
	thread->count--;
	machine->times->unreturned++;
}

void call_machine_begin(struct call_machine *machine, const struct call_event *event)
{
	struct calling_thread *thread = call_machine_thread(machine, event->thread);

	drop_below(machine, thread, event->stack, event->is_chained);
	if (thread->count == MOST_DEPTH)
		forget_outermost(machine, thread);
	thread->calls = arena_grow(machine->arena, thread->calls, thread->count, &thread->room, sizeof(*thread->calls));
	thread->calls[thread->count++] =
		(struct open_call){ event->time, event->stack, machine->losses, caller_row(machine, event->caller) };
	if (thread->count > machine->times->deepest)
		machine->times->deepest = thread->count;
}

static void add_time(struct call_row *row, uint64_t time, bool is_outer)
{
	log_histogram_add(&row->times, time);
	row->outer += is_outer ? time : 0;
}

void call_machine_end(struct call_machine *machine, const struct call_event *event)
{
	struct calling_thread *thread = call_machine_thread(machine, event->thread);
	struct call_times *times = machine->times;
	const struct open_call *call;
	uint64_t time;

	drop_below(machine, thread, event->stack, true);
	call = thread->count ? &thread->calls[thread->count - 1] : NULL;
	if (!call || call->stack != event->stack) {
		times->begun_before++;
		return;
	}
	thread->count--;
	if (call->losses != machine->losses) {
		times->doubtful++;
		return;
	}
	time = event->time > call->begin ? event->time - call->begin : 0;
	log_histogram_add(&times->all, time);
	times->outer += thread->count ? 0 : time;
	add_time(thread->row, time, !thread->count);
	add_time(call->caller, time, !thread->count);
}

void call_machine_leave(struct call_machine *machine, uint32_t number, bool is_gone)
{
	struct calling_thread *thread = number_table_get(&machine->threads, number);

	if (!thread)
		return;
	machine->times->unreturned += thread->count;
	thread->count = 0;
	if (is_gone)
		number_table_remove(&machine->threads, number);
}

void call_machine_lose(struct call_machine *machine, uint64_t count)
{
	machine->times->lost += count;
	machine->losses++;
}

/* ---- the end ---- */

static int call_machine_compare(const void *left, const void *right)
{
	const struct call_row *a = *(const struct call_row *const *)left, *b = *(const struct call_row *const *)right;

	if (a->times.sum != b->times.sum)
		return a->times.sum < b->times.sum ? 1 : -1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

/* Without those of which no call has returned. */
static size_t sort_rows(struct call_row **rows, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (rows[i]->times.count)
			rows[kept++] = rows[i];
	if (kept)
		qsort(rows, kept, sizeof(struct call_row *), call_machine_compare);
	return kept;
}

void call_machine_finish(struct call_machine *machine)
{
	struct call_times *times = machine->times;

	for (size_t i = 0; i < machine->threads.capacity; i++)
		if (machine->threads.entries[i].value)
			call_machine_leave(machine, machine->threads.entries[i].number, false);
	times->nthreads = sort_rows(times->threads, times->nthreads);
	times->ncallers = sort_rows(times->callers, times->ncallers);
	number_table_release(&machine->threads);
	number_table_release(&machine->callers);
}
