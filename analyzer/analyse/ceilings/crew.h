/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crew.h - threads, each pinned to a CPU, that run the same work in the same window of time.
 */
#ifndef TOPDOWN_ANALYSE_CEILINGS_CREW_H
#define TOPDOWN_ANALYSE_CEILINGS_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/error.h"

struct crew;

/* Which of them work: their places in the crew. */
struct team {
	const size_t *members;
	size_t count;
};

/* Done again and again by each member until the window is over: some 50 us at most, so that all end at about once. */
struct crew_work {
	void (*chunk)(void *context, size_t member);
	void *context;
	uint64_t window_ns;
};

/* What happened in a window. */
struct crew_window {
	uint64_t chunks; /* of all members */
	double seconds;	 /* from the first member's begin to the last one's end */
	double waited;	 /* share of the members' time in which they had no CPU */
	double clock_hz; /* mean of the members' clocks, just behind the window; NAN: not measured */
};

/*
 * A thread for each CPU, which waits for work. Those that can't be pinned float: see crew_floats. NULL with err when a
 * thread can't be made. crew_free ends them; NULL is allowed.
 */
struct crew *crew_new(const unsigned *cpus, size_t count, struct error *err) MUST_CHECK;
void crew_free(struct crew *crew);

/* Could any of them not be pinned? */
bool crew_floats(const struct crew *crew);

/* Runs work on the team's members; returns when all have ended. */
void crew_run(struct crew *crew, const struct team *team, const struct crew_work *work, struct crew_window *window);

#endif
