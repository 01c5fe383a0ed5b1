/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/tick_rate.h"

#include "base/loop.h"
#include "base/macros.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define LEAST_S 0.001 /* reading both clocks takes less than a ten-thousandth of it */

static uint64_t ticks_now(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#else
	return 0;
#endif
}

struct tick_rate tick_rate_begin(void)
{
	return (struct tick_rate){ ticks_now(), clock_now() };
}

double tick_rate_hz(const struct tick_rate *begin)
{
	uint64_t ticks = ticks_now() - begin->ticks;
	double seconds = clock_now() - begin->at_s;

	return ticks && seconds >= LEAST_S ? (double)ticks / seconds : NOT_COUNTED;
}
