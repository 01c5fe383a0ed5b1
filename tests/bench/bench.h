/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench.h - the median time of something that is done again and again. */
#ifndef TOPDOWN_BENCH_H
#define TOPDOWN_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BENCH_ROUNDS 51

static inline double bench_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline int bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Seconds: in the middle, and the least, which a busy machine changes less. */
struct bench_times {
	double median, least;
};

static inline struct bench_times bench_measure(void (*work)(void *context), void *context)
{
	double times[BENCH_ROUNDS];

	for (size_t i = 0; i < BENCH_ROUNDS; i++) {
		double start = bench_now();

		work(context);
		times[i] = bench_now() - start;
	}
	qsort(times, BENCH_ROUNDS, sizeof(*times), bench_compare);
	return (struct bench_times){ times[BENCH_ROUNDS / 2], times[0] };
}

static inline double bench_median(void (*work)(void *context), void *context)
{
	return bench_measure(work, context).median;
}

#endif
