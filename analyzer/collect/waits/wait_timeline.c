/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_timeline.c - what each thread did when. A thread has spans, one behind the other. What is shorter than the grain
 * is joined to a neighbour that is, and so is the same to the same; where all spans become too many, the grain doubles.
 * So a long wait keeps its ends, however short what is around it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collect/waits/wait_machine.h"

#define NS	   1e-9
#define FIRST	   ((uint64_t)100000) /* ns: the grain at first */
#define MOST_SPANS 32768	      /* before they grow coarser */
#define SPANS_EACH 8		      /* and so many more for each thread */
#define MOST_SEEN  1000		      /* parts of the whole that a picture can show */
#define ALIKE	   0.02		      /* of a span: neighbours that differ by less are one */

/* What a thread does: PART_KINDS and a kind: it waits for that. PART_UNSEEN: shortly, for what nobody has looked at. */
enum { PART_RUNNING, PART_READY, PART_UNSEEN, PART_KINDS, PARTS = PART_KINDS + WAIT_KINDS };

struct timeline_span {
	uint64_t from, to; /* ns of what was measured */
	uint64_t parts[PARTS];
	uint64_t ended; /* waits whose last part may be time in the run queue */
	int only;	/* the part that all of it is; -1: it has several */
};

static uint64_t span_length(const struct timeline_span *span)
{
	return span->to - span->from;
}

static uint64_t span_waited(const struct timeline_span *span)
{
	return span_length(span) - span->parts[PART_RUNNING] - span->parts[PART_READY];
}

/* ---- while it grows ---- */

static void span_join(struct timeline_span *span, const struct timeline_span *next)
{
	span->to = next->to;
	for (unsigned i = 0; i < PARTS; i++)
		span->parts[i] += next->parts[i];
	span->ended += next->ended;
	span->only = span->only == next->only ? span->only : -1;
}

static bool are_joined(const struct timeline_span *span, const struct timeline_span *next, uint64_t grain)
{
	return (span->only >= 0 && span->only == next->only) ||
	       (span_length(span) < grain && span_length(next) < grain);
}

static bool are_alike(const struct timeline_span *span, const struct timeline_span *next, uint64_t grain);

/* Joins neighbours in their place. */
static void join_spans(struct machine_thread *thread, uint64_t grain,
		       bool (*is_one)(const struct timeline_span *, const struct timeline_span *, uint64_t))
{
	size_t count = 0;

	for (size_t i = 0; i < thread->nspans; i++) {
		const struct timeline_span span = thread->spans[i];

		if (count && is_one(&thread->spans[count - 1], &span, grain))
			span_join(&thread->spans[count - 1], &span);
		else
			thread->spans[count++] = span;
	}
	thread->nspans = count;
}

/* Until half of the limit is free. Each thread adds to it, so that many that have ended blur nothing. */
static void coarsen(struct wait_machine *machine)
{
	struct timeline_grain *grain = &machine->grain;

	grain->limit = MOST_SPANS + SPANS_EACH * machine->count;
	while (grain->count > grain->limit / 2) {
		grain->length *= 2;
		grain->count = 0;
		for (struct machine_thread *thread = machine->threads; thread; thread = thread->next) {
			join_spans(thread, grain->length, are_joined);
			grain->count += thread->nspans;
		}
	}
}

static int part_of(const struct machine_thread *thread, const struct turn *turn)
{
	if (turn->state != THREAD_WAITS)
		return turn->state == THREAD_RUNS ? PART_RUNNING : PART_READY;
	if (turn->cause != SIZE_MAX)
		return PART_KINDS + (int)thread->causes[turn->cause].found.kind;
	return (double)(turn->to - turn->from) < WAIT_LONG_S / NS ? PART_UNSEEN : PART_KINDS + (int)WAIT_UNKNOWN;
}

/* Those before it, in which the thread did nothing yet, are empty. */
static struct timeline_span *interval_at(struct wait_machine *machine, struct machine_thread *thread, size_t number)
{
	while (thread->nintervals <= number) {
		thread->intervals = arena_grow(machine->arena, thread->intervals, thread->nintervals,
					       &thread->intervals_room, sizeof(*thread->intervals));
		thread->intervals[thread->nintervals++] = (struct timeline_span){ .only = -1 };
	}
	return &thread->intervals[number];
}

/* Of all threads until it is known which one is the main thread. */
static void intervals_keep(struct wait_machine *machine, struct machine_thread *thread,
			   const struct timeline_span *span)
{
	const uint64_t length = machine->interval;
	uint64_t to;

	if (!length || (machine->main && machine->main != thread))
		return;
	for (uint64_t from = span->from; from < span->to; from = to) {
		const uint64_t number = from / length;
		const bool is_rest = number >= MOST_WALL_INTERVALS - 1;
		struct timeline_span *interval =
			interval_at(machine, thread, is_rest ? MOST_WALL_INTERVALS - 1 : (size_t)number);

		to = is_rest || (number + 1) * length > span->to ? span->to : (number + 1) * length;
		interval->parts[span->only] += to - from;
		interval->from = interval->to ? interval->from : from;
		interval->to = to;
		if (to == span->to)
			interval->ended += span->ended;
	}
}

void timeline_keep(struct wait_machine *machine, struct machine_thread *thread, const struct turn *turn)
{
	struct timeline_grain *grain = &machine->grain;
	struct timeline_span span = { .ended = turn->state == THREAD_WAITS && thread->woken != turn->to };
	struct timeline_span *last = thread->nspans ? &thread->spans[thread->nspans - 1] : NULL;

	if (turn->to <= turn->from)
		return;
	span.to = machine->measured - (machine->now - turn->to);
	span.from = span.to - (turn->to - turn->from);
	span.only = part_of(thread, turn);
	span.parts[span.only] = turn->to - turn->from;
	intervals_keep(machine, thread, &span);
	if (!grain->length)
		*grain = (struct timeline_grain){ .length = FIRST, .limit = MOST_SPANS };
	if (last && are_joined(last, &span, grain->length)) {
		span_join(last, &span);
		return;
	}
	thread->spans =
		arena_grow(machine->arena, thread->spans, thread->nspans, &thread->spans_room, sizeof(*thread->spans));
	thread->spans[thread->nspans++] = span;
	if (++grain->count >= grain->limit)
		coarsen(machine);
}

/* ---- the end ---- */

/* What most of the waiting was, as far as somebody has looked. */
static enum wait_kind span_kind(const struct timeline_span *span)
{
	unsigned most = WAIT_UNKNOWN;

	for (unsigned i = 0; i < WAIT_KINDS; i++)
		if (span->parts[PART_KINDS + i] > span->parts[PART_KINDS + most])
			most = i;
	return most;
}

static bool are_alike(const struct timeline_span *span, const struct timeline_span *next, uint64_t grain UNUSED)
{
	static const int parts[] = { PART_RUNNING, PART_READY };
	const double lengths[] = { (double)span_length(span), (double)span_length(next) };

	for (size_t i = 0; i < COUNT_OF(parts); i++)
		if (fabs((double)span->parts[parts[i]] / lengths[0] - (double)next->parts[parts[i]] / lengths[1]) >
		    ALIKE)
			return false;
	return !span_waited(span) == !span_waited(next) && span_kind(span) == span_kind(next);
}

/* The main thread is the first of all, and those that did nothing come last. */
static int compare_busy_threads(const void *first, const void *second)
{
	const struct machine_thread *a = *(struct machine_thread *const *)first;
	const struct machine_thread *b = *(struct machine_thread *const *)second;
	const bool mains[] = { !a->next, !b->next }, idle[] = { thread_is_idle(&a->own), thread_is_idle(&b->own) };

	if (mains[0] != mains[1])
		return mains[1] - mains[0];
	if (idle[0] != idle[1])
		return idle[0] - idle[1];
	if (a->running != b->running)
		return a->running < b->running ? 1 : -1;
	return (a->own.tid > b->own.tid) - (a->own.tid < b->own.tid);
}

/* Joins until those of all threads have room; then each thread has one at worst. */
static void fit(struct machine_thread *const *threads, size_t count, uint64_t grain)
{
	size_t all = 0;

	for (size_t i = 0; i < count; i++) {
		join_spans(threads[i], grain, are_joined);
		join_spans(threads[i], grain, are_alike);
		all += threads[i]->nspans;
	}
	if (all > MOST_WAIT_SEGMENTS)
		fit(threads, count, 2 * grain);
}

/* Of its waiting, up to so much was time in the run queue. Returns what there is less. */
static double take_ready(struct wait_segment *segment, double queued_s)
{
	double taken = fmin(fmax(queued_s, 0), segment->waiting_s);

	segment->ready_s += taken;
	segment->waiting_s -= taken;
	return queued_s - taken;
}

/*
 * The run queue's part of waits, as the kernel's accounts have it: each wait has had the same. What short ones have no
 * room for is a part of all waiting.
 */
static void take_queued(struct wait_segment *segments, const struct timeline_span *spans, size_t count, double queued_s)
{
	double waits = 0, left_s = 0, rest_s = 0, part;

	for (size_t i = 0; i < count; i++)
		waits += (double)spans[i].ended;
	for (size_t i = 0; i < count; i++) {
		part = waits > 0 ? (double)spans[i].ended / waits : 0;
		left_s += take_ready(&segments[i], part * queued_s);
		rest_s += segments[i].waiting_s;
	}
	part = waits > 0 && rest_s > 0 ? left_s / rest_s : 0;
	for (size_t i = 0; part > 0 && i < count; i++)
		take_ready(&segments[i], part * segments[i].waiting_s);
}

/* Of a thread whose times are known. */
static struct wait_segment *segments_of(const struct machine_thread *thread, const struct timeline_span *spans,
					size_t count, struct arena *arena)
{
	struct wait_segment *segments = arena_array(arena, count + 1, sizeof(*segments));

	for (size_t i = 0; i < count; i++)
		segments[i] = (struct wait_segment){ .from_s = (double)spans[i].from * NS,
						     .to_s = (double)spans[i].to * NS,
						     .running_s = (double)spans[i].parts[PART_RUNNING] * NS,
						     .ready_s = (double)spans[i].parts[PART_READY] * NS,
						     .waiting_s = (double)span_waited(&spans[i]) * NS,
						     .kind = span_kind(&spans[i]) };
	take_queued(segments, spans, count, thread->own.queued_s - (double)thread->queued * NS);
	return segments;
}

/* Looks divide short waits, in each interval as in the whole. */
static void find_kinds(double kinds[WAIT_KINDS], const struct machine_thread *thread, const struct timeline_span *span)
{
	uint64_t hits = 0;

	for (unsigned i = 0; i < WAIT_KINDS; i++)
		kinds[i] = (double)span->parts[PART_KINDS + i] * NS;
	for (size_t i = 0; i < thread->ncauses; i++)
		hits += thread->causes[i].hits;
	if (!hits)
		kinds[WAIT_UNKNOWN] += (double)span->parts[PART_UNSEEN] * NS;
	for (size_t i = 0; hits && i < thread->ncauses; i++)
		kinds[thread->causes[i].found.kind] +=
			(double)span->parts[PART_UNSEEN] * NS * (double)thread->causes[i].hits / (double)hits;
}

/* Those before the thread began are none of its. */
static void make_intervals(struct waits *waits, const struct machine_thread *thread, struct arena *arena)
{
	const struct wait_segment *segments = segments_of(thread, thread->intervals, thread->nintervals, arena);

	waits->intervals = arena_array(arena, thread->nintervals + 1, sizeof(*waits->intervals));
	for (size_t i = 0; i < thread->nintervals; i++) {
		const struct timeline_span *span = &thread->intervals[i];
		struct wall_interval *interval = &waits->intervals[waits->nintervals];
		const double waited = (double)span_waited(span) * NS;

		if (!span->to)
			continue;
		waits->nintervals++;
		find_kinds(&interval->parts[WALL_WAITS], thread, span);
		for (unsigned k = 0; k < WAIT_KINDS && waited > 0; k++)
			interval->parts[WALL_WAITS + k] *= segments[i].waiting_s / waited;
		interval->parts[WALL_RUNNING] = segments[i].running_s;
		interval->parts[WALL_READY] = segments[i].ready_s;
		interval->from_s = segments[i].from_s;
		interval->to_s = segments[i].to_s;
	}
}

void timelines_finish(struct waits *waits, struct wait_machine *machine)
{
	struct machine_thread **threads =
		arena_array(machine->arena, machine->count + 1, sizeof(struct machine_thread *));
	const uint64_t shortest = machine->measured / MOST_SEEN + 1;
	size_t count = 0;

	for (struct machine_thread *thread = machine->threads; thread; thread = thread->next)
		threads[count++] = thread;
	if (count > 1)
		qsort(threads, count, sizeof(struct machine_thread *), compare_busy_threads);
	count = count < MOST_TIMELINES ? count : MOST_TIMELINES;
	fit(threads, count, machine->grain.length > shortest ? machine->grain.length : shortest);
	for (size_t i = 0; i < count; i++) {
		threads[i]->own.segments =
			segments_of(threads[i], threads[i]->spans, threads[i]->nspans, machine->arena);
		threads[i]->own.nsegments = threads[i]->nspans;
	}
	if (machine->main)
		make_intervals(waits, machine->main, machine->arena);
}
