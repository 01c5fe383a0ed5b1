/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop.h - an event loop: callbacks for descriptors that are ready and for alarms that are due. The caller owns the
 * structs and keeps them until they are removed or cancelled, or until the loop has ended.
 *
 * It uses ppoll: that needs no descriptor of its own, which a measurement may have left none for,
 * and waits to the nanosecond.
 */
#ifndef TOPDOWN_COMMON_SYSTEM_LOOP_H
#define TOPDOWN_COMMON_SYSTEM_LOOP_H

#include <poll.h>

#include "common/base/arena.h"
#include "common/base/error.h"

/* -1 with err ends the loop. It may add, remove, set, cancel and stop whatever it likes, itself included. */
typedef int loop_callback(void *context, struct error *err);

struct loop_descriptor {
	int fd;
	short events; /* of poll: POLLIN, POLLOUT */
	loop_callback *call;
	void *context;
	bool has_hung_up; /* set before the last call: there is nothing left to read, and the loop has removed it */
	size_t slot;	  /* the loop's own */
};

struct loop_alarm {
	loop_callback *call;
	void *context;
	double period_s; /* of an alarm that repeats; 0: it is due once */
	double due_s;	 /* of CLOCK_MONOTONIC; the loop's own, as is_set is */
	bool is_set;
};

/* Another clock than the machine's: of a test, whose order no load of the host shall change. */
struct loop_clock {
	double (*now)(void *context);
	void *context;
};

struct loop {
	struct arena *arena;
	const struct loop_clock *clock;	      /* NULL: clock_now() */
	struct loop_descriptor **descriptors; /* NULL: removed since the last round */
	struct pollfd *polled;		      /* the same, for the kernel */
	size_t count, capacity, polled_capacity;
	struct loop_alarm **alarms; /* that are set, in the order in which that was done */
	size_t nalarms, alarms_capacity;
	bool is_stopped;
};

void loop_init(struct loop *loop, struct arena *arena);

void loop_add(struct loop *loop, struct loop_descriptor *descriptor);

/* One that is not in the loop is left alone. Remove it before closing it. */
void loop_remove(struct loop *loop, struct loop_descriptor *descriptor);

/*
 * The alarm is due at that time of clock_now(), never earlier; at once if that has passed. An alarm with a
 * period is then due at multiples of it, without drift: periods that passed meanwhile are left out.
 * Setting it a second time moves it.
 */
void loop_set(struct loop *loop, struct loop_alarm *alarm, double due_s);
void loop_cancel(struct loop *loop, struct loop_alarm *alarm);

/*
 * Runs until it is stopped or has nothing left to wait for: 0; or until a callback fails: -1. Descriptors are called in
 * the order in which they were added, and of the alarms that are due the earliest, in each round.
 */
int loop_run(struct loop *loop, struct error *err) MUST_CHECK;

/* No further callback is made; the loop may be run once more. */
void loop_stop(struct loop *loop);

/* Seconds of CLOCK_MONOTONIC. */
double clock_now(void);

#endif
