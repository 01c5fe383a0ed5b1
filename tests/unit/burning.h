/* SPDX-License-Identifier: GPL-2.0-or-later */
/* burning.h - a program that burns its time in functions, for so long and in the order that a test chooses. */
#ifndef TOPDOWN_TEST_BURNING_H
#define TOPDOWN_TEST_BURNING_H

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/macros.h"

enum { THREADS = 300 };

/* Blocks of work, of which the fastest says how long one takes where nobody interferes. */
#define BLOCK  200000
#define BLOCKS 12

static inline double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#if __has_attribute(noclone)
#define KEPT __attribute__((noinline, noclone, aligned(64)))
#else
#define KEPT __attribute__((noinline, aligned(64))) /* clang makes no clones */
#endif

/*
 * Functions of the same instructions but for a constant, so that a block takes as long in each on any CPU; each in a
 * section of its own, of which the linker knows begin and end.
 */
#define BURN(name, constant)                                                                                           \
	extern const char __start_in_##name[], __stop_in_##name[];                                                     \
	static KEPT __attribute__((section("in_" #name))) void name(size_t blocks)                                     \
	{                                                                                                              \
		volatile unsigned long sum = 0;                                                                        \
                                                                                                                       \
		for (; blocks; blocks--)                                                                               \
			for (unsigned long i = 0; i < BLOCK; i++)                                                      \
				sum = sum + (i ^ (constant));                                                          \
	}

BURN(burn_long, 5)
BURN(burn_short, 6)
BURN(burn_first, 7)

/* Blocks that take so many seconds of a CPU of their own. Its time on a CPU would have what the host takes from this machine. */
static inline size_t blocks_of(double seconds)
{
	double fastest = INFINITY;

	for (size_t i = 0; i < BLOCKS; i++) {
		double begin = cpu_seconds();

		burn_first(1);
		fastest = fmin(fastest, cpu_seconds() - begin);
	}
	return (size_t)ceil(seconds / fastest);
}

static inline void *burn_in_thread(void *blocks)
{
	burn_short(*(const size_t *)blocks);
	return NULL;
}

static inline void burn_in_threads(void)
{
	pthread_t threads[THREADS];
	size_t count = 0, blocks = blocks_of(0.001);

	while (count < THREADS && pthread_create(&threads[count], NULL, burn_in_thread, &blocks) == 0)
		count++;
	while (count--)
		pthread_join(threads[count], NULL);
}

/* In turns that no clock's period divides, so that a CPU that gets slower meanwhile is so for both. */
static inline void burn_in_turns(size_t blocks)
{
	for (size_t turn = 7; blocks > 3; turn = turn % 19 + 5) {
		size_t some = turn < blocks / 3 ? turn : blocks / 3;

		burn_long(2 * some);
		burn_short(some);
		blocks -= 3 * some;
	}
}

/* By the clock that the samples' own counts are compared with, whatever it has in it. */
static inline void burn_by_clock(double seconds)
{
	double begin = cpu_seconds();

	while (cpu_seconds() < begin + 2 * seconds / 3)
		burn_long(1);
	while (cpu_seconds() < begin + seconds)
		burn_short(1);
}

/* Until the test says so. */
static inline void await(const char *fd)
{
	char byte;

	if (read(atoi(fd), &byte, 1) != 1)
		exit(9);
}

/* What a program does that is sampled; words follow. */
static inline int burn(char **words)
{
	const char *how = words[0];
	double seconds = strtod(words[1], NULL);
	size_t blocks = strcmp(how, "clock") != 0 ? blocks_of(seconds) : 0;

	if (!strcmp(how, "clock")) {
		burn_by_clock(seconds);
	} else if (!strcmp(how, "threads")) {
		burn_in_threads();
	} else if (!strcmp(how, "kill")) {
		burn_short(blocks);
		kill(getpid(), SIGKILL);
	} else if (!strcmp(how, "turns")) {
		burn_in_turns(blocks);
	} else {
		if (words[2])
			await(words[2]);
		burn_long(2 * blocks / 3);
		burn_short(blocks / 3);
		if (words[2] && words[3] && write(atoi(words[3]), "", 1) != 1)
			return 8;
	}
	return 0;
}

#endif
