/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resource.h - what accesses use up. They come in program order, but their times do not rise with it, so each resource has an account for
 * each window of time. Times are cycles.
 */
#ifndef TOPDOWN_SIM_RESOURCE_H
#define TOPDOWN_SIM_RESOURCE_H

#include <stdint.h>

#define WINDOWS 256

/* A stretch of time, and how much is used in it. */
struct window {
	uint64_t number;
	uint32_t used;
};

/* Units of which each is taken for a while: fill buffers, page walkers. */
struct pool {
	struct window windows[WINDOWS];
	uint32_t units;
};

/* So many in a window of RATE_CYCLES: lines that memory takes or gives. */
#define RATE_CYCLES 256
struct rate {
	struct window windows[WINDOWS];
	uint32_t most;
};

/* When the first unit is free that is asked for at a time, and stays so for a while. */
uint64_t pool_start(struct pool *pool, uint64_t time);

/* It is taken from start to end. */
void pool_take(struct pool *pool, uint64_t start, uint64_t end);

/* One each so many cycles. */
void rate_init(struct rate *rate, uint32_t cycles);

/* Takes one, at a time or as soon after as there is one: when. */
uint64_t rate_take(struct rate *rate, uint64_t time);

#endif
