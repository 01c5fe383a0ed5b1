/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch.c - a run from its start to its end: what happens meanwhile, and when. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "count/collector.h"
#include "count/threads.h"

#define METRICS_S 1.0  /* how often PERF_METRICS are read: 8 bits for each share since the last time */
#define LOOK_S	  0.1  /* how often is looked whether tasks are still there, where nobody tells */
#define OVERTIME  1e-9 /* an alarm is due when it is nearer than this */

enum alarm { ALARM_START, ALARM_INTERVAL, ALARM_METRICS, ALARM_LIMIT, ALARM_LOOK, ALARMS };

struct run {
	struct collector *c;
	struct child *child;   /* NULL: there is no program, or it has ended */
	double alarms[ALARMS]; /* when they are due; INFINITY: never */
	double told_s;	       /* counted seconds at the end of the last interval */
	size_t oldest;	       /* first of the subject's tasks that may still run */
	bool has_counted;
	bool is_over;
	bool is_at_limit; /* the program was told to end */
	struct error *err;
	int status;
};

double clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double counted_seconds(const struct stopwatch *watch)
{
	return watch->seconds + (watch->is_on ? clock_now() - watch->since : 0);
}

static void stopwatch_switch(struct stopwatch *watch, bool is_on)
{
	watch->seconds = counted_seconds(watch);
	watch->since = clock_now();
	watch->is_on = is_on;
}

static void set_limit(struct run *run)
{
	double limit_s = run->c->request->timing.limit_s;

	if (limit_s > 0)
		run->alarms[ALARM_LIMIT] = clock_now() + limit_s;
}

/* The first time enable_on_exec may do it. */
static void start_counting(struct run *run)
{
	const struct count_request *request = run->c->request;

	run->alarms[ALARM_START] = INFINITY;
	if (run->c->watch.is_on || run->is_at_limit)
		return;
	stopwatch_switch(&run->c->watch, true);
	if (run->c->start == PERF_START_LATER || run->has_counted)
		groups_switch(run->c, true);
	if (request->timing.interval_s > 0)
		run->alarms[ALARM_INTERVAL] = clock_now() + request->timing.interval_s;
	if (!run->has_counted && !request->program.argv)
		set_limit(run);
	run->has_counted = true;
}

/* What was counted until now stays, and more may be added. */
static void stop_counting(struct run *run)
{
	run->alarms[ALARM_START] = run->alarms[ALARM_INTERVAL] = INFINITY;
	if (!run->c->watch.is_on)
		return;
	stopwatch_switch(&run->c->watch, false);
	groups_switch(run->c, false);
}

static void tell_interval(struct run *run)
{
	struct collector *c = run->c;
	double now_s = counted_seconds(&c->watch);

	if (now_s <= run->told_s)
		return;
	if (is_rotating(c))
		groups_switch(c, false);
	groups_read(c);
	totals_make_interval(c, run->told_s, now_s);
	if (is_rotating(c)) {
		c->turn++;
		if (c->watch.is_on)
			groups_switch(c, true);
	}
	run->told_s = now_s;
	if (c->request->interval(c->request->context, &c->interval, run->err) < 0) {
		run->status = -1;
		run->is_over = true;
	}
}

/* An interval has no hole: what was counted before a pause is told by itself. */
static void pause_counting(struct run *run)
{
	stop_counting(run);
	if (run->c->request->timing.interval_s > 0)
		tell_interval(run);
}

/* The next one is due at a multiple of the interval, however late this one was. */
static void interval_is_due(struct run *run)
{
	double interval = run->c->request->timing.interval_s, now = clock_now();
	double *due = &run->alarms[ALARM_INTERVAL];

	*due += interval * (1 + floor(fmax(now - *due, 0) / interval));
	tell_interval(run);
}

static void metrics_are_due(struct run *run)
{
	run->alarms[ALARM_METRICS] = clock_now() + METRICS_S;
	groups_read_metrics(run->c);
}

static void limit_is_reached(struct run *run)
{
	run->alarms[ALARM_LIMIT] = INFINITY;
	run->is_at_limit = true;
	stop_counting(run);
	if (run->child)
		kill(run->child->pid, SIGTERM);
	else
		run->is_over = true;
}

/* The first of the subject's tasks that is still there; they end in any order, but all have to end. */
static void look_after_tasks(struct run *run)
{
	const struct subject *subject = &run->c->request->subject;

	run->alarms[ALARM_LOOK] = clock_now() + LOOK_S;
	while (run->oldest < subject->nids && !is_task_running(subject->ids[run->oldest]))
		run->oldest++;
	run->is_over = run->oldest == subject->nids;
}

static void (*const due[ALARMS])(struct run *run) = {
	[ALARM_START] = start_counting,	  [ALARM_INTERVAL] = interval_is_due, [ALARM_METRICS] = metrics_are_due,
	[ALARM_LIMIT] = limit_is_reached, [ALARM_LOOK] = look_after_tasks,
};

static void set_alarms(struct run *run)
{
	const struct timing *timing = &run->c->request->timing;
	enum subject_kind kind = run->c->request->subject.kind;
	double now = clock_now();

	if (timing->delay_s > 0)
		run->alarms[ALARM_START] = now + timing->delay_s;
	if (run->child)
		set_limit(run);
	if (has_metric_groups(run->c) && !(timing->interval_s > 0 && timing->interval_s <= METRICS_S))
		run->alarms[ALARM_METRICS] = now + METRICS_S;
	if (!run->child && (kind == SUBJECT_PROCESSES || kind == SUBJECT_THREADS))
		run->alarms[ALARM_LOOK] = now;
}

static double next_alarm(const struct run *run)
{
	double next = INFINITY;

	for (size_t i = 0; i < ALARMS; i++)
		next = fmin(next, run->alarms[i]);
	return next;
}

/* Where no descriptor was left to be woken by signals, somebody has to look. */
static double longest_sleep(const struct run *run)
{
	return run->c->signals.fd < 0 ? LOOK_S : 3600;
}

/* Until a signal or a word comes, or an alarm is due. */
static void sleep_until_something(const struct run *run)
{
	struct pollfd waits[] = { { .fd = run->c->signals.fd, .events = POLLIN },
				  { .fd = run->c->control.words, .events = POLLIN } };
	double seconds = fmax(fmin(next_alarm(run) - clock_now(), longest_sleep(run)), 0);
	struct timespec timeout = { .tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - floor(seconds)) * 1e9) };

	ppoll(waits, COUNT_OF(waits), &timeout, NULL);
}

static void take_signs(struct run *run)
{
	enum control_word word;

	if (run->c->signals.has_sign)
		start_counting(run);
	run->c->signals.has_sign = false;
	while (!run->is_over && (word = control_next(&run->c->control)) != CONTROL_NONE) {
		if (word == CONTROL_ENABLE)
			start_counting(run);
		else if (word == CONTROL_DISABLE)
			pause_counting(run);
		else
			limit_is_reached(run);
		control_done(&run->c->control);
	}
}

static void take_signals(struct run *run)
{
	struct collector *c = run->c;

	signals_take(&c->signals, run->child ? run->child->pid : 0);
	if (run->child && child_has_ended(run->child)) {
		run->child = NULL;
		run->is_over = true;
	}
	if (!c->request->program.argv && c->signals.is_interrupted)
		run->is_over = true;
}

static void ring(struct run *run)
{
	for (size_t i = 0; i < ALARMS && !run->is_over; i++)
		if (run->alarms[i] <= clock_now() + OVERTIME)
			due[i](run);
}

/* A program that outlives the measurement, because the limit was reached or an interval could not be told, is waited for. */
static void wait_for_child(struct run *run)
{
	while (run->child) {
		struct pollfd wait = { .fd = run->c->signals.fd, .events = POLLIN };

		take_signals(run);
		if (run->child)
			poll(&wait, 1, (int)(longest_sleep(run) * 1000));
	}
}

static void finish(struct run *run, struct count_run *told, const struct child *child)
{
	struct collector *c = run->c;

	stop_counting(run);
	if (c->request->timing.interval_s > 0 && run->status == 0)
		tell_interval(run);
	groups_read(c);
	*told = (struct count_run){ .wall_s = c->watch.seconds, .cpu_s = (double)NAN };
	if (!child)
		return;
	told->status = child->status;
	if (c->request->subject.kind == SUBJECT_PROGRAM && c->start == PERF_START_WITH_EXEC &&
	    c->request->timing.limit_s <= 0 && !c->request->timing.control)
		told->cpu_s = child->cpu_s;
}

/* A program that failed when it was run first would do so again, or do something else: neither is worth counting. */
static void judge_end(struct collector *c, const struct child *child, bool is_at_limit)
{
	c->is_killed = child->is_killed && !is_at_limit;
	if (c->starts == 1)
		c->has_failed = child->status != 0 && !is_at_limit;
}

int watch_run(struct collector *c, struct child *child, struct count_run *told, struct error *err)
{
	struct run run = { .c = c, .child = child, .err = err };

	c->watch = (struct stopwatch){ .seconds = 0 };
	for (size_t i = 0; i < ALARMS; i++)
		run.alarms[i] = INFINITY;
	if (is_counted_at_once(c->request))
		start_counting(&run);
	if (child && child_release(child, &c->request->program, err) < 0)
		return -1;
	set_alarms(&run);
	if (c->request->timing.delay_s < 0 && c->request->waiting)
		c->request->waiting(c->request->context);
	while (!run.is_over) {
		sleep_until_something(&run);
		take_signals(&run);
		if (!run.is_over)
			take_signs(&run);
		if (!run.is_over)
			ring(&run);
	}
	wait_for_child(&run);
	finish(&run, told, child);
	c->is_uncounted = !run.has_counted;
	if (child)
		judge_end(c, child, run.is_at_limit);
	return run.status;
}
