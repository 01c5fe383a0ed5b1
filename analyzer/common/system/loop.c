/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/system/loop.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#define LONGEST_S 3600.0 /* a sleep; far below what struct timespec can hold */

double clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double time_of(const struct loop *loop)
{
	return loop->clock ? loop->clock->now(loop->clock->context) : clock_now();
}

void loop_init(struct loop *loop, struct arena *arena)
{
	*loop = (struct loop){ .arena = arena };
}

void loop_add(struct loop *loop, struct loop_descriptor *descriptor)
{
	loop->descriptors = arena_grow(loop->arena, loop->descriptors, loop->count, &loop->capacity,
				       sizeof(struct loop_descriptor *));
	loop->polled =
		arena_grow(loop->arena, loop->polled, loop->count, &loop->polled_capacity, sizeof(*loop->polled));
	descriptor->has_hung_up = false;
	descriptor->slot = loop->count;
	loop->polled[loop->count] = (struct pollfd){ .fd = descriptor->fd, .events = descriptor->events };
	loop->descriptors[loop->count++] = descriptor;
}

/* The slots behind it stay where they are until the round is over, because dispatch is walking over them. */
void loop_remove(struct loop *loop, struct loop_descriptor *descriptor)
{
	if (descriptor->slot < loop->count && loop->descriptors[descriptor->slot] == descriptor)
		loop->descriptors[descriptor->slot] = NULL;
}

static void close_gaps(struct loop *loop)
{
	size_t kept = 0;

	for (size_t i = 0; i < loop->count; i++) {
		if (!loop->descriptors[i])
			continue;
		loop->descriptors[kept] = loop->descriptors[i];
		loop->descriptors[kept]->slot = kept;
		loop->polled[kept++] = loop->polled[i];
	}
	loop->count = kept;
}

void loop_set(struct loop *loop, struct loop_alarm *alarm, double due_s)
{
	loop_cancel(loop, alarm);
	loop->alarms = arena_grow(loop->arena, loop->alarms, loop->nalarms, &loop->alarms_capacity,
				  sizeof(struct loop_alarm *));
	loop->alarms[loop->nalarms++] = alarm;
	alarm->due_s = due_s;
	alarm->is_set = true;
}

void loop_cancel(struct loop *loop, struct loop_alarm *alarm)
{
	size_t kept = 0;

	if (!alarm->is_set)
		return;
	alarm->is_set = false;
	for (size_t i = 0; i < loop->nalarms; i++)
		if (loop->alarms[i] != alarm)
			loop->alarms[kept++] = loop->alarms[i];
	loop->nalarms = kept;
}

static struct loop_alarm *earliest(const struct loop *loop)
{
	struct loop_alarm *first = NULL;

	for (size_t i = 0; i < loop->nalarms; i++)
		if (!first || loop->alarms[i]->due_s < first->due_s)
			first = loop->alarms[i];
	return first;
}

/* Until the earliest alarm; rounded up, so that it is due after it. */
static struct timespec time_left(const struct loop *loop)
{
	const struct loop_alarm *alarm = earliest(loop);
	double seconds = alarm ? fmin(fmax(alarm->due_s - time_of(loop), 0), LONGEST_S) : LONGEST_S;
	long long nanoseconds = (long long)ceil(seconds * 1e9);

	return (struct timespec){ .tv_sec = (time_t)(nanoseconds / 1000000000),
				  .tv_nsec = (long)(nanoseconds % 1000000000) };
}

static int wait_for_something(struct loop *loop, struct error *err)
{
	struct timespec timeout = time_left(loop);

	if (ppoll(loop->polled, loop->count, &timeout, NULL) >= 0)
		return 0;
	for (size_t i = 0; i < loop->count; i++)
		loop->polled[i].revents = 0;
	return errno == EINTR ? 0 : error_set(err, "poll: %s", strerror(errno));
}

/* What its callbacks add is behind the last one that was polled, and waits for the next round. */
static int call_descriptors(struct loop *loop, struct error *err)
{
	size_t polled = loop->count;

	for (size_t i = 0; i < polled && !loop->is_stopped; i++) {
		struct loop_descriptor *descriptor = loop->descriptors[i];
		short ready = loop->polled[i].revents;

		if (!descriptor || !ready)
			continue;
		/* What was asked for comes first: a pipe whose writer is gone may have something left to read. */
		if (!(ready & descriptor->events)) {
			descriptor->has_hung_up = true;
			loop_remove(loop, descriptor);
		}
		if (descriptor->call(descriptor->context, err) < 0)
			return -1;
	}
	return 0;
}

/* One in a round, so that alarms that are always late don't keep the descriptors waiting. */
static int call_alarm(struct loop *loop, struct error *err)
{
	struct loop_alarm *alarm = earliest(loop);
	double now = time_of(loop);

	if (loop->is_stopped || !alarm || alarm->due_s > now)
		return 0;
	if (alarm->period_s > 0)
		alarm->due_s += alarm->period_s * (1 + floor((now - alarm->due_s) / alarm->period_s));
	else
		loop_cancel(loop, alarm);
	return alarm->call(alarm->context, err);
}

int loop_run(struct loop *loop, struct error *err)
{
	int status = 0;

	while (status == 0 && !loop->is_stopped) {
		close_gaps(loop);
		if (loop->count == 0 && loop->nalarms == 0)
			break;
		status = wait_for_something(loop, err);
		if (status == 0)
			status = call_descriptors(loop, err);
		if (status == 0)
			status = call_alarm(loop, err);
	}
	loop->is_stopped = false;
	return status;
}

void loop_stop(struct loop *loop)
{
	loop->is_stopped = true;
}
