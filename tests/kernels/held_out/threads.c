/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads.c - two threads at one line, or each at its own. Natively the first one's time counts; simulated, the cycles
 * of both.
 */
#include "../frame/frame.h"

#include <pthread.h>
#include <sched.h>

struct work {
	struct kernel kernel;
	char *memory;
};

static void *other_thread(void *pointer)
{
	struct work *work = pointer;

	measured(&work->kernel, work->memory);
	return NULL;
}

static uint64_t beside(kernel_run *own, kernel_run *other, size_t rounds, char *memory)
{
	struct work work = { { .run = other, .rounds = rounds }, memory };
	pthread_t thread;
	uint64_t value;

	if (pthread_create(&thread, NULL, other_thread, &work))
		abort();
	value = own(rounds, memory);
	pthread_join(thread, NULL);
	return value;
}

static inline uint64_t add_atomically(size_t rounds, char *memory)
{
	for (size_t i = 0; i < rounds; i++)
		__atomic_fetch_add((uint64_t *)memory, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static uint64_t add_here(size_t rounds, char *memory)
{
	return add_atomically(rounds, memory);
}

static uint64_t add_in_another_line(size_t rounds, char *memory)
{
	return add_atomically(rounds, memory + 512);
}

static inline uint64_t add_plainly(size_t rounds, char *memory)
{
	for (size_t i = 0; i < rounds; i++)
		++*(uint64_t volatile *)memory;
	return 0;
}

static uint64_t count_here(size_t rounds, char *memory)
{
	return add_plainly(rounds, memory);
}

static uint64_t count_beside(size_t rounds, char *memory)
{
	return add_plainly(rounds, memory + 8);
}

static uint64_t count_far(size_t rounds, char *memory)
{
	return add_plainly(rounds, memory + 512);
}

/* A chain of loads of the word beside the one that the other thread counts in. */
static uint64_t read_beside(size_t rounds, char *memory)
{
	uint64_t at = 0;

	for (size_t i = 0; i < rounds; i++)
		at = *(uint64_t volatile *)(memory + 16 + at);
	return at;
}

/* 64 lines, which one thread writes and the other reads. */
static uint64_t write_rows(size_t rounds, char *memory)
{
	for (size_t i = 0; i < rounds; i++)
		*(uint64_t volatile *)(memory + i % 64 * 64) = 0;
	return 0;
}

static uint64_t read_rows(size_t rounds, char *memory)
{
	uint64_t at = 0;

	for (size_t i = 0; i < rounds; i++)
		at = *(uint64_t volatile *)(memory + i % 64 * 64 + at);
	return at;
}

static uint64_t lock_and_count(size_t rounds, char *memory)
{
	uint64_t *lock = (uint64_t *)memory;

	for (size_t i = 0; i < rounds; i++) {
		for (int tries = 0; __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE); tries++)
			if (tries > 100)
				sched_yield();
		++lock[1];
		__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
	}
	return lock[1];
}

static uint64_t shared_counter(size_t rounds, char *memory)
{
	return beside(add_here, add_here, rounds, memory);
}

static uint64_t own_counters(size_t rounds, char *memory)
{
	return beside(add_here, add_in_another_line, rounds, memory);
}

static uint64_t counters_in_a_line(size_t rounds, char *memory)
{
	return beside(count_here, count_beside, rounds, memory);
}

static uint64_t counters_apart(size_t rounds, char *memory)
{
	return beside(count_here, count_far, rounds, memory);
}

static uint64_t read_beside_counter(size_t rounds, char *memory)
{
	return beside(read_beside, count_here, rounds, memory);
}

static uint64_t read_what_is_written(size_t rounds, char *memory)
{
	return beside(read_rows, write_rows, rounds, memory);
}

static uint64_t both_read(size_t rounds, char *memory)
{
	return beside(read_rows, read_rows, rounds, memory);
}

static uint64_t spin_lock(size_t rounds, char *memory)
{
	return beside(lock_and_count, lock_and_count, rounds, memory);
}

const struct kernel thread_kernels[] = {
	{ "shared_counter", shared_counter, 800000, 0, NULL },
	{ "own_counters", own_counters, 800000, 0, NULL },
	{ "counters_in_a_line", counters_in_a_line, 1500000, 0, NULL },
	{ "counters_apart", counters_apart, 1500000, 0, NULL },
	{ "read_beside_counter", read_beside_counter, 1500000, 0, NULL },
	{ "read_what_is_written", read_what_is_written, 1000000, 0, NULL },
	{ "both_read", both_read, 1000000, 0, NULL },
	{ "spin_lock", spin_lock, 500000, 0, NULL },
	{ NULL, NULL, 0, 0, NULL },
};
