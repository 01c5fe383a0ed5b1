/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/resource.h"

#include <stddef.h>

#define POOL_CYCLES 64 /* of a pool's window */

/* NULL when the ring has no room for a window, because it has a later one. */
static struct window *window_of(struct window *ring, uint64_t number)
{
	struct window *window = &ring[number % WINDOWS];

	if (window->number < number)
		*window = (struct window){ .number = number };
	return window->number == number ? window : NULL;
}

static const struct window *free_window(struct pool *pool, uint64_t number)
{
	const struct window *window = window_of(pool->windows, number);

	return window && window->used < pool->units * POOL_CYCLES ? window : NULL;
}

uint64_t pool_start(struct pool *pool, uint64_t time)
{
	for (uint64_t number = time / POOL_CYCLES;; number++) {
		const struct window *window = free_window(pool, number);
		uint64_t free = number * POOL_CYCLES;

		/* What is taken lasts into the next window too. */
		if (!window || !free_window(pool, number + 1))
			continue;
		free += number > time / POOL_CYCLES ? window->used / pool->units : 0;
		return free > time ? free : time;
	}
}

void pool_take(struct pool *pool, uint64_t start, uint64_t end)
{
	while (start < end) {
		uint64_t number = start / POOL_CYCLES, next = (number + 1) * POOL_CYCLES;
		struct window *window = window_of(pool->windows, number);

		next = next < end ? next : end;
		if (window)
			window->used += (uint32_t)(next - start);
		start = next;
	}
}

void rate_init(struct rate *rate, uint32_t cycles)
{
	rate->most = RATE_CYCLES / cycles;
	rate->most = rate->most ? rate->most : 1;
}

uint64_t rate_take(struct rate *rate, uint64_t time)
{
	for (uint64_t number = time / RATE_CYCLES;; number++) {
		struct window *window = window_of(rate->windows, number);

		if (!window || window->used >= rate->most)
			continue;
		window->used++;
		return number * RATE_CYCLES > time ? number * RATE_CYCLES : time;
	}
}
