/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/sample/sampler.h"

#include <string.h>

#include "common/base/finder.h"

/* Counters and what they had at their last sample: of one thread, or of a CPU. */
struct stream {
	uint32_t counters, owner; /* owner: the thread; 0: the CPU's */
	uint32_t tid, place;	  /* of the last sample */
	uint64_t epoch;		  /* of the last sample; 0: there was none */
	uint64_t *values;
};

/* In which stream a thread was seen last: one that has moved to another CPU was not in its own all the time. */
struct seen_thread {
	uint32_t tid, stream; /* PROFILE_NONE: nowhere, or it has ended */
};

struct deltas {
	struct profile *profile;
	struct stream *streams;
	struct seen_thread *threads;
	uint32_t nstreams, nthreads;
	size_t stream_room, thread_room;
	struct finder by_owner, by_tid;
	uint64_t epoch;	  /* grows when samples are lost; from 1 */
	uint64_t *turns;  /* of each group, for batches */
	uint32_t ngroups; /* that have turns */
};

struct deltas *deltas_new(struct profile *profile)
{
	struct deltas *deltas = arena_alloc(profile->arena, sizeof(*deltas));

	*deltas = (struct deltas){ .profile = profile, .epoch = 1 };
	return deltas;
}

static bool is_same_stream(const void *owner, uint32_t number, const void *key)
{
	const struct stream *a = &((const struct deltas *)owner)->streams[number], *b = key;

	return a->counters == b->counters && a->owner == b->owner;
}

static uint32_t take_stream(struct deltas *deltas, const struct delta_sample *sample)
{
	const struct stream wanted = { .counters = sample->counters, .owner = sample->is_of_thread ? sample->tid : 0 };
	const uint64_t numbers[] = { wanted.counters, wanted.owner };
	const struct finder_key key = { hash_numbers(numbers, COUNT_OF(numbers)), is_same_stream, deltas, &wanted };
	struct arena *arena = deltas->profile->arena;
	bool is_new;
	uint32_t number = finder_take(&deltas->by_owner, &key, &deltas->nstreams, &is_new, arena);

	if (!is_new)
		return number;
	deltas->streams = arena_grow(arena, deltas->streams, number, &deltas->stream_room, sizeof(wanted));
	deltas->streams[number] = wanted;
	deltas->streams[number].values =
		arena_array(arena, deltas->profile->groups[sample->group].nevents + 1, sizeof(uint64_t));
	return number;
}

static bool is_same_thread(const void *owner, uint32_t number, const void *key)
{
	return ((const struct deltas *)owner)->threads[number].tid == *(const uint32_t *)key;
}

static struct finder_key thread_key(const struct deltas *deltas, const uint32_t *tid)
{
	return (struct finder_key){ hash_numbers((const uint64_t[]){ *tid }, 1), is_same_thread, deltas, tid };
}

static struct seen_thread *take_thread(struct deltas *deltas, uint32_t tid)
{
	const struct finder_key key = thread_key(deltas, &tid);
	struct arena *arena = deltas->profile->arena;
	bool is_new;
	uint32_t number = finder_take(&deltas->by_tid, &key, &deltas->nthreads, &is_new, arena);

	if (is_new) {
		deltas->threads =
			arena_grow(arena, deltas->threads, number, &deltas->thread_room, sizeof(*deltas->threads));
		deltas->threads[number] = (struct seen_thread){ tid, PROFILE_NONE };
	}
	return &deltas->threads[number];
}

/* Places of different modules are in different functions, whatever these are called. */
static bool can_be_one_function(const struct profile *profile, uint32_t from, uint32_t to)
{
	return from < profile->nplaces && to < profile->nplaces &&
	       profile->places[from].module == profile->places[to].module;
}

static uint32_t next_batch(struct deltas *deltas, uint32_t group)
{
	if (deltas->ngroups <= group) {
		uint64_t *turns = arena_array(deltas->profile->arena, group + 1u, sizeof(*turns));

		for (uint32_t i = 0; i < deltas->ngroups; i++)
			turns[i] = deltas->turns[i];
		deltas->turns = turns;
		deltas->ngroups = group + 1;
	}
	return (uint32_t)(deltas->turns[group]++ % PROFILE_BATCHES);
}

/* From 0 where the counters are other ones than before: those of a new thread with an old number. */
static void deltas_add_values(struct profile_delta *delta, const struct stream *stream, const uint64_t *values,
			      size_t count)
{
	bool is_anew = false;

	for (size_t i = 0; i < count; i++)
		is_anew = is_anew || values[i] < stream->values[i];
	for (size_t i = 0; i < count; i++)
		delta->values[i] += (double)(values[i] - (is_anew ? 0 : stream->values[i]));
}

void deltas_take(struct deltas *deltas, const struct delta_sample *sample)
{
	struct profile *profile = deltas->profile;
	const size_t nevents = profile->groups[sample->group].nevents;
	uint32_t number = take_stream(deltas, sample);
	struct stream *stream = &deltas->streams[number];
	struct seen_thread *thread = take_thread(deltas, sample->tid);
	struct profile_delta like = { .from = stream->place, .to = sample->place, .group = sample->group }, *delta;

	if (stream->epoch != deltas->epoch || stream->tid != sample->tid || thread->stream != number ||
	    !can_be_one_function(profile, like.from, like.to))
		like.from = like.to = PROFILE_NONE;
	like.batch = next_batch(deltas, sample->group);
	delta = profile_delta(profile, &like);
	delta->pairs++;
	deltas_add_values(delta, stream, sample->values, nevents);
	memcpy(stream->values, sample->values, nevents * sizeof(*stream->values));
	stream->tid = sample->tid;
	stream->place = sample->place;
	stream->epoch = deltas->epoch;
	thread->stream = number;
}

void deltas_end_thread(struct deltas *deltas, uint32_t tid)
{
	const struct finder_key key = thread_key(deltas, &tid);
	uint32_t number = finder_find(&deltas->by_tid, &key);

	if (number != FINDER_NONE)
		deltas->threads[number].stream = PROFILE_NONE;
}

void deltas_interrupt(struct deltas *deltas)
{
	deltas->epoch++;
}
