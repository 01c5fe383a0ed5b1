/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/ceilings/crew.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyse/ceilings/kernels.h"

#define NS_IN_S	     1000000000ull
#define MEET_NS	     20000000 /* how long members wait for each other to get their CPUs */
#define CLOCK_ROUNDS 5000     /* of kernel_cycles: 100000 cycles */
#define CLOCK_PIECES 2	      /* the faster one counts, for the other may have been interrupted */

struct member {
	struct crew *crew;
	pthread_t thread;
	unsigned cpu;
	bool is_started, is_pinned;
	bool is_called; /* to this window */
	uint64_t begin_ns, end_ns, cpu_ns, chunks;
	double clock_hz;
};

struct crew {
	struct member *members;
	size_t count;
	pthread_mutex_t lock;
	pthread_cond_t called, done;
	uint64_t windows; /* a new number wakes those who are called */
	size_t working;
	bool is_over;
	const struct crew_work *work;
	size_t called_count;
	_Atomic size_t met; /* members that have their CPUs */
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now = { 0 };

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_IN_S + (uint64_t)now.tv_nsec;
}

static double measure_clock(void)
{
	double best = 0;

	for (int i = 0; i < CLOCK_PIECES; i++) {
		uint64_t begin = now_ns(CLOCK_MONOTONIC), cycles = kernel_cycles(CLOCK_ROUNDS);

		best = fmax(best, (double)cycles * (double)NS_IN_S / (double)(now_ns(CLOCK_MONOTONIC) - begin + 1));
	}
	return best;
}

/* On a busy machine their CPUs are free at different times. */
static void meet(struct crew *crew)
{
	uint64_t end = now_ns(CLOCK_MONOTONIC) + MEET_NS;

	atomic_fetch_add(&crew->met, 1);
	while (atomic_load(&crew->met) < crew->called_count && now_ns(CLOCK_MONOTONIC) < end)
		;
}

static void work_in(struct member *member, size_t place)
{
	const struct crew_work *work = member->crew->work;
	uint64_t end, cpu;

	meet(member->crew);
	member->chunks = 0;
	cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);
	member->begin_ns = now_ns(CLOCK_MONOTONIC);
	end = member->begin_ns + work->window_ns;
	do {
		work->chunk(work->context, place);
		member->chunks++;
		member->end_ns = now_ns(CLOCK_MONOTONIC);
	} while (member->end_ns < end);
	member->cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	member->clock_hz = measure_clock();
}

static bool pin(unsigned cpu)
{
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	bool is_done;

	if (!set)
		return false;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	is_done = sched_setaffinity(0, size, set) == 0;
	CPU_FREE(set);
	return is_done;
}

static void *live(void *what)
{
	struct member *member = what;
	struct crew *crew = member->crew;
	uint64_t seen = 0;

	member->is_pinned = pin(member->cpu);
	pthread_mutex_lock(&crew->lock);
	crew->working--;
	pthread_cond_signal(&crew->done);
	while (!crew->is_over) {
		if (crew->windows == seen) {
			pthread_cond_wait(&crew->called, &crew->lock);
			continue;
		}
		seen = crew->windows;
		if (!member->is_called)
			continue;
		pthread_mutex_unlock(&crew->lock);
		work_in(member, (size_t)(member - crew->members));
		pthread_mutex_lock(&crew->lock);
		crew->working--;
		pthread_cond_signal(&crew->done);
	}
	pthread_mutex_unlock(&crew->lock);
	return NULL;
}

static void wait_for_all(struct crew *crew)
{
	while (crew->working)
		pthread_cond_wait(&crew->done, &crew->lock);
}

/* Signals are for the thread that has made the crew. */
static int crew_start(struct crew *crew, struct error *err)
{
	sigset_t all, before;
	bool is_masked;
	int cause = 0;

	sigfillset(&all);
	is_masked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
	pthread_mutex_lock(&crew->lock);
	for (size_t i = 0; i < crew->count && !cause; i++) {
		cause = pthread_create(&crew->members[i].thread, NULL, live, &crew->members[i]);
		crew->members[i].is_started = !cause;
		crew->working += !cause;
	}
	wait_for_all(crew);
	pthread_mutex_unlock(&crew->lock);
	if (is_masked)
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	return cause ? error_set(err, "a thread can't be created: %s", strerror(cause)) : 0;
}

struct crew *crew_new(const unsigned *cpus, size_t count, struct error *err)
{
	struct crew *crew = calloc(1, sizeof(*crew));
	struct member *members = calloc(count, sizeof(*members));

	if (!crew || !members) {
		free(crew);
		free(members);
		error_set(err, "no memory left");
		return NULL;
	}
	crew->members = members;
	crew->count = count;
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->called, NULL);
	pthread_cond_init(&crew->done, NULL);
	for (size_t i = 0; i < count; i++)
		members[i] = (struct member){ .crew = crew, .cpu = cpus[i] };
	if (crew_start(crew, err) == 0)
		return crew;
	crew_free(crew);
	return NULL;
}

void crew_free(struct crew *crew)
{
	if (!crew)
		return;
	pthread_mutex_lock(&crew->lock);
	crew->is_over = true;
	pthread_cond_broadcast(&crew->called);
	pthread_mutex_unlock(&crew->lock);
	for (size_t i = 0; i < crew->count; i++)
		if (crew->members[i].is_started)
			pthread_join(crew->members[i].thread, NULL);
	pthread_cond_destroy(&crew->called);
	pthread_cond_destroy(&crew->done);
	pthread_mutex_destroy(&crew->lock);
	free(crew->members);
	free(crew);
}

bool crew_floats(const struct crew *crew)
{
	for (size_t i = 0; i < crew->count; i++)
		if (!crew->members[i].is_pinned)
			return true;
	return false;
}

static void sum_up(struct crew_window *window, const struct crew *crew, const struct team *team)
{
	uint64_t begin = UINT64_MAX, end = 0;
	double wall = 0, cpu = 0, clock = 0;

	window->chunks = 0;
	for (size_t i = 0; i < team->count; i++) {
		const struct member *member = &crew->members[team->members[i]];

		begin = member->begin_ns < begin ? member->begin_ns : begin;
		end = member->end_ns > end ? member->end_ns : end;
		wall += (double)(member->end_ns - member->begin_ns);
		cpu += (double)member->cpu_ns;
		clock += member->clock_hz;
		window->chunks += member->chunks;
	}
	window->seconds = (double)(end - begin) / (double)NS_IN_S;
	window->waited = wall > 0 ? fmax(1 - cpu / wall, 0) : 0;
	window->clock_hz = clock / (double)team->count;
}

void crew_run(struct crew *crew, const struct team *team, const struct crew_work *work, struct crew_window *window)
{
	pthread_mutex_lock(&crew->lock);
	for (size_t i = 0; i < crew->count; i++)
		crew->members[i].is_called = false;
	for (size_t i = 0; i < team->count; i++)
		crew->members[team->members[i]].is_called = true;
	crew->work = work;
	crew->called_count = team->count;
	atomic_store(&crew->met, 0);
	crew->working = team->count;
	crew->windows++;
	pthread_cond_broadcast(&crew->called);
	wait_for_all(crew);
	pthread_mutex_unlock(&crew->lock);
	sum_up(window, crew, team);
}
