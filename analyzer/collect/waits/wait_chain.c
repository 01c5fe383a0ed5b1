/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wait_chain.c - what the threads did that the main thread waited for: wakers are followed, where they are known. */
#include <stdlib.h>

#include "collect/waits/wait_machine.h"
#include "common/base/text.h"

#define NS 1e-9

/* ---- what a thread did last ---- */

/* The ring is as long as it has to be, at most MOST_TURNS; then the oldest makes room. */
void turn_keep(struct machine_thread *thread, const struct turn *turn, struct arena *arena)
{
	if (turn->to <= turn->from)
		return;
	if (thread->nturns < MOST_TURNS)
		thread->turns =
			arena_grow(arena, thread->turns, thread->nturns, &thread->turns_room, sizeof(*thread->turns));
	thread->turns[thread->nturns++ % MOST_TURNS] = *turn;
}

/* ---- links ---- */

static void add(struct wait_machine *machine, const struct machine_link *link)
{
	size_t i = 0;

	while (i < machine->nlinks && (machine->links[i].thread != link->thread ||
				       machine->links[i].what != link->what || machine->links[i].cause != link->cause))
		i++;
	if (i == machine->nlinks) {
		machine->links = arena_grow(machine->arena, machine->links, i, &machine->links_room, sizeof(*link));
		machine->links[machine->nlinks++] = *link;
		return;
	}
	machine->links[i].time += link->time;
	if (link->depth < machine->links[i].depth)
		machine->links[i].depth = link->depth;
}

/* To be followed. They don't overlap on a level, so there are never more than turns. */
static void stretch_push(struct wait_machine *machine, const struct stretch *stretch)
{
	machine->stretches = arena_grow(machine->arena, machine->stretches, machine->nstretches,
					&machine->stretches_room, sizeof(*stretch));
	machine->stretches[machine->nstretches++] = *stretch;
}

static const enum link_kind kinds[] = {
	[THREAD_RUNS] = LINK_RUNS, [THREAD_READY] = LINK_READY, [THREAD_WAITS] = LINK_WAITS
};

/* Its part of the stretch; what it waited for another thread is that one's. */
static void take_turn(struct wait_machine *machine, const struct stretch *of, const struct turn *turn)
{
	uint64_t from = turn->from > of->from ? turn->from : of->from, to = turn->to < of->to ? turn->to : of->to;

	if (to <= from)
		return;
	if (turn->state == THREAD_WAITS && turn->waker && of->depth < MOST_DEPTH) {
		stretch_push(machine, &(struct stretch){ turn->waker, from, to, of->depth + 1 });
		return;
	}
	add(machine, &(struct machine_link){ of->thread, kinds[turn->state], turn->cause, to - from, of->depth });
}

/* Back from what it does now. Returns the time from which on it is known. */
static uint64_t take_turns(struct wait_machine *machine, const struct stretch *of)
{
	const struct machine_thread *thread = of->thread;
	const struct turn now = { thread->since, machine->now, thread->state, thread->current, thread->waker };
	uint64_t known = of->to;

	if (!thread->is_dead) {
		take_turn(machine, of, &now);
		known = thread->since < known ? thread->since : known;
	}
	for (size_t i = 0; i < thread->nturns && i < MOST_TURNS && known > of->from; i++) {
		const struct turn *turn = &thread->turns[(thread->nturns - 1 - i) % MOST_TURNS];

		take_turn(machine, of, turn);
		known = turn->from < known ? turn->from : known;
	}
	return known;
}

/* Before its first turn that is known it was to be started, or has done what is forgotten. */
static void take_before(struct wait_machine *machine, const struct stretch *of, uint64_t known)
{
	struct machine_thread *parent = of->thread->parent;
	bool is_born = of->thread->nturns < MOST_TURNS;

	if (is_born && parent && parent != machine->main && of->depth < MOST_DEPTH)
		stretch_push(machine, &(struct stretch){ parent, of->from, known, of->depth + 1 });
	else
		add(machine, &(struct machine_link){ of->thread, LINK_UNKNOWN, SIZE_MAX, known - of->from, of->depth });
}

void links_add(struct wait_machine *machine, struct machine_thread *waker, uint64_t from, uint64_t to)
{
	stretch_push(machine, &(struct stretch){ waker, from, to, 1 });
	while (machine->nstretches) {
		const struct stretch of = machine->stretches[--machine->nstretches];
		uint64_t known = take_turns(machine, &of);

		if (known > of.from)
			take_before(machine, &of, known);
	}
}

static int compare_links(const void *first, const void *second)
{
	const struct wait_link *a = first, *b = second;
	int order = (a->time_s < b->time_s) - (a->time_s > b->time_s);

	return order ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

void links_finish(struct waits *waits, const struct wait_machine *machine)
{
	waits->links = arena_array(machine->arena, machine->nlinks + 1, sizeof(*waits->links));
	waits->nlinks = machine->nlinks;
	for (size_t i = 0; i < machine->nlinks; i++) {
		const struct machine_link *link = &machine->links[i];

		waits->links[i] = (struct wait_link){
			.tid = link->thread->own.tid,
			.thread = link->thread->own.name,
			.what = link->what,
			.cause = link->cause != SIZE_MAX ? link->thread->causes[link->cause].found.name : NULL,
			.time_s = (double)link->time * NS,
			.depth = link->depth,
		};
	}
	if (waits->nlinks)
		qsort(waits->links, waits->nlinks, sizeof(*waits->links), compare_links);
}
