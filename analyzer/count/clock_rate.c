/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/clock_rate.h"

#include <math.h>
#include <stdint.h>

#include "count/collector.h"

#define TRIES  12    /* the fastest counts: whatever interrupts one makes it slower */
#define ROUNDS 16384 /* 0.3 ms at 3.5 GHz, shorter than a time slice */

/* A block that the compiler leaves as it is; 0: not on this architecture. */
#if defined(__x86_64__)
#define CHAIN 64
#define ADD   ".rept 64\n\tadd %1, %0\n\t.endr"
#elif defined(__aarch64__)
#define CHAIN 64
#define ADD   ".rept 64\n\tadd %0, %0, %1\n\t.endr"
#else
#define CHAIN 0
#define ADD   ""
#endif

static double try_once(void)
{
	uint64_t sum = 0, one = 1;
	double start = clock_now();

	for (unsigned i = 0; i < ROUNDS; i++)
		__asm__ volatile(ADD : "+r"(sum) : "r"(one) : "cc");
	return (double)CHAIN * ROUNDS / (clock_now() - start);
}

double clock_rate_measure(void)
{
	double fastest = 0;

	for (unsigned i = 0; i < TRIES; i++)
		fastest = fmax(fastest, try_once());
	return fastest > 0 && isfinite(fastest) ? fastest : (double)NAN;
}
