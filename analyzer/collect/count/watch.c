/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch.c - a run from its start to its end: what happens meanwhile, and when. */
#include <math.h>
#include <signal.h>

#include "collect/count/collector.h"
#include "common/system/loop.h"

#define METRICS_S    1.0  /* how often PERF_METRICS are read: 8 bits for each share since the last time */
#define FIRST_TURN_S 0.01 /* from when counting begins */
#define LOOK_S	     0.1  /* how often tasks are polled that are no children, and signals that found no descriptor */

struct watch {
	struct collector *c;
	struct child *child; /* NULL: there is no program, or it has ended */
	struct loop loop;
	struct loop_descriptor signals, control;
	struct loop_alarm start, interval, metrics, limit, look, force, turn;
	double reported_s; /* counted seconds at the end of the last interval */
	size_t intervals;  /* that have ended */
	size_t oldest;	   /* first of the subject's tasks that may still run */
	bool has_tasks;	   /* which are no children, so that only /proc says when they end */
	bool has_turns;	   /* of groups that share the counters */
	bool has_counted;
	bool is_at_limit; /* the program and its descendants were sent SIGTERM */
	bool is_waiting;  /* counting is over: only the program's end is waited for */
};

static double counted_seconds(const struct stopwatch *stopwatch, double at)
{
	return stopwatch->seconds + (stopwatch->is_on ? at - stopwatch->since : 0);
}

/*
 * What takes its time, place by place in the same order, happens on average in its middle: so the places' own times are
 * on average those between two middles.
 */
static double middle_since(double began)
{
	return (began + clock_now()) / 2;
}

static void stopwatch_switch(struct stopwatch *stopwatch, bool is_on, double at)
{
	stopwatch->seconds = counted_seconds(stopwatch, at);
	stopwatch->since = at;
	stopwatch->is_on = is_on;
}

/*
 * The first place that was switched on is the first to be switched off, so each has counted for as long as was asked.
 * Where switching takes longer than that, the last has half of it at least.
 */
static void set_limit(struct watch *watch, double began)
{
	double limit_s = watch->c->request->timing.limit_s;

	if (limit_s > 0)
		loop_set(&watch->loop, &watch->limit, fmax(began + limit_s, clock_now() + limit_s / 2));
}

/* The first time enable_on_exec may do it. */
static void start_counting(struct watch *watch)
{
	const struct count_request *request = watch->c->request;
	double began = clock_now();

	loop_cancel(&watch->loop, &watch->start);
	if (watch->c->stopwatch.is_on || watch->is_at_limit)
		return;
	if (watch->c->start == PERF_START_LATER || watch->has_counted)
		groups_switch(watch->c, true);
	beside_switch(watch->c, true);
	stopwatch_switch(&watch->c->stopwatch, true, middle_since(began));
	if (request->timing.interval_s > 0)
		loop_set(&watch->loop, &watch->interval, clock_now() + request->timing.interval_s);
	if (watch->has_turns)
		loop_set(&watch->loop, &watch->turn, clock_now() + FIRST_TURN_S);
	if (!watch->has_counted && !request->program.argv)
		set_limit(watch, began);
	watch->has_counted = true;
}

/* What was counted until now stays, and more may be added. */
static void stop_counting(struct watch *watch)
{
	double began = clock_now();

	loop_cancel(&watch->loop, &watch->start);
	loop_cancel(&watch->loop, &watch->interval);
	loop_cancel(&watch->loop, &watch->turn);
	if (!watch->c->stopwatch.is_on)
		return;
	turns_pause(watch->c);
	groups_switch(watch->c, false);
	beside_switch(watch->c, false);
	stopwatch_switch(&watch->c->stopwatch, false, middle_since(began));
}

static int report_interval(struct watch *watch, struct error *err)
{
	struct collector *c = watch->c;
	double began = clock_now(), now_s;

	if (counted_seconds(&c->stopwatch, began) <= watch->reported_s)
		return 0;
	if (is_multiplexed_by_interval(c))
		groups_switch(c, false);
	groups_read(c);
	observers_read(c->request->observers);
	now_s = counted_seconds(&c->stopwatch, middle_since(began));
	totals_make_interval(c, watch->reported_s, now_s);
	if (is_multiplexed_by_interval(c)) {
		c->ninterval++;
		if (c->stopwatch.is_on)
			groups_switch(c, true);
	}
	watch->reported_s = now_s;
	observers_interval(c->request->observers, ++watch->intervals);
	return c->request->interval(c->request->context, &c->interval, err);
}

/* An interval has no hole: what was counted before a pause is reported by itself. */
static int pause_counting(struct watch *watch, struct error *err)
{
	stop_counting(watch);
	return watch->c->request->timing.interval_s > 0 ? report_interval(watch, err) : 0;
}

/* The program and its descendants; without /proc only the program is found. */
static size_t signal_program(struct watch *watch, int number)
{
	size_t reached = descendants_signal(&watch->c->signals.descendants, number, REACH_ALL);

	return reached || kill(watch->child->pid, number) < 0 ? reached : 1;
}

static void end_program(struct watch *watch)
{
	watch->is_at_limit = true;
	signal_program(watch, SIGTERM);
	loop_set(&watch->loop, &watch->force, clock_now() + ending_s(watch->c));
}

/* A program that a signal was to end does not go on for ever. */
static void force_later(struct watch *watch)
{
	if (watch->child && watch->c->signals.has_to_end && !watch->force.is_set)
		loop_set(&watch->loop, &watch->force, clock_now() + ending_s(watch->c));
}

static void end_at_limit(struct watch *watch)
{
	loop_cancel(&watch->loop, &watch->limit);
	stop_counting(watch);
	if (watch->child && !watch->is_at_limit)
		end_program(watch);
	else if (!watch->child)
		loop_stop(&watch->loop);
	watch->is_at_limit = true;
}

/* The callbacks: of descriptors, then of alarms. */

static int take_signals(void *context, struct error *err UNUSED)
{
	struct watch *watch = context;
	struct signals *signals = &watch->c->signals;

	signals_take(signals, watch->child ? watch->child->pid : 0);
	if (watch->child && child_has_ended(watch->child)) {
		signals_take_end(signals, watch->child->status);
		watch->child = NULL;
		loop_stop(&watch->loop);
	} else if (!watch->c->request->program.argv && signals->is_interrupted) {
		loop_stop(&watch->loop);
	} else if (signals->has_sigusr2 && !watch->is_waiting) {
		signals->has_sigusr2 = false;
		start_counting(watch);
	}
	force_later(watch);
	return 0;
}

static int take_control(void *context, struct error *err)
{
	struct watch *watch = context;
	struct control *control = &watch->c->control;
	enum control_word word;
	int status = 0;

	while (status == 0 && !watch->loop.is_stopped && (word = control_next(control)) != CONTROL_NONE) {
		if (word == CONTROL_ENABLE)
			start_counting(watch);
		else if (word == CONTROL_DISABLE)
			status = pause_counting(watch, err);
		else
			end_at_limit(watch);
		control_done(control);
	}
	return status;
}

static int start_is_due(void *context, struct error *err UNUSED)
{
	start_counting(context);
	return 0;
}

static int interval_is_due(void *context, struct error *err)
{
	struct watch *watch = context;
	double before_s = watch->reported_s;
	int status = report_interval(watch, err);

	pace_add(&watch->c->pace, watch->reported_s - before_s, watch->c->request->timing.interval_s);
	return status;
}

static int metrics_are_due(void *context, struct error *err UNUSED)
{
	struct watch *watch = context;

	groups_read_metrics(watch->c);
	return 0;
}

static int turn_is_due(void *context, struct error *err UNUSED)
{
	struct watch *watch = context;
	double pause_s = turns_next(watch->c);

	loop_set(&watch->loop, &watch->turn, clock_now() + pause_s);
	return 0;
}

static int limit_is_due(void *context, struct error *err UNUSED)
{
	struct watch *watch = context;

	watch->c->nlimited += watch->child && !watch->is_at_limit;
	end_at_limit(watch);
	return 0;
}

static int force_is_due(void *context, struct error *err UNUSED)
{
	struct watch *watch = context;

	if (watch->child)
		watch->c->nforced += signal_program(watch, SIGKILL);
	return 0;
}

/* The first of the subject's tasks that is still there; they end in any order, but all have to end. */
static int look_is_due(void *context, struct error *err)
{
	struct watch *watch = context;
	const struct subject *subject = &watch->c->request->subject;

	if (watch->c->signals.fd < 0 && take_signals(watch, err) < 0)
		return -1;
	if (!watch->child && is_cgroup_removed(&watch->c->sites))
		loop_stop(&watch->loop);
	if (!watch->has_tasks)
		return 0;
	while (watch->oldest < subject->nids && !is_task_running(subject->ids[watch->oldest]))
		watch->oldest++;
	if (watch->oldest == subject->nids)
		loop_stop(&watch->loop);
	return 0;
}

static void watch_init(struct watch *watch, struct collector *c, struct child *child)
{
	enum subject_kind kind = c->request->subject.kind;

	*watch = (struct watch){
		.c = c,
		.child = child,
		.signals = { .fd = c->signals.fd, .events = POLLIN, .call = take_signals, .context = watch },
		.control = { .fd = c->control.words, .events = POLLIN, .call = take_control, .context = watch },
		.start = { .call = start_is_due, .context = watch },
		.interval = { .call = interval_is_due, .context = watch, .period_s = c->request->timing.interval_s },
		.metrics = { .call = metrics_are_due, .context = watch, .period_s = METRICS_S },
		.limit = { .call = limit_is_due, .context = watch },
		.force = { .call = force_is_due, .context = watch },
		.turn = { .call = turn_is_due, .context = watch },
		.look = { .call = look_is_due, .context = watch, .period_s = LOOK_S },
		.has_tasks = !child && (kind == SUBJECT_PROCESSES || kind == SUBJECT_THREADS),
	};
	loop_init(&watch->loop, c->arena);
}

/* What ends a run: signals, or what is polled. */
static void wait_for_end(struct watch *watch)
{
	if (watch->signals.fd >= 0)
		loop_add(&watch->loop, &watch->signals);
	if (watch->signals.fd < 0 || watch->has_tasks || watch->c->sites.cgroup >= 0)
		loop_set(&watch->loop, &watch->look, clock_now());
}

static void attach(const struct collector *c, struct loop *loop)
{
	if (c->request->attach)
		c->request->attach(c->request->context, loop);
}

/* The program runs now. */
static void wait_for_all(struct watch *watch)
{
	const struct timing *timing = &watch->c->request->timing;
	double now = clock_now();

	wait_for_end(watch);
	observers_attach(watch->c->request->observers, &watch->loop);
	attach(watch->c, &watch->loop);
	if (watch->control.fd >= 0)
		loop_add(&watch->loop, &watch->control);
	if (timing->delay_s > 0)
		loop_set(&watch->loop, &watch->start, now + timing->delay_s);
	if (watch->child)
		set_limit(watch, now);
	if (has_metric_groups(watch->c) && !(timing->interval_s > 0 && timing->interval_s <= METRICS_S))
		loop_set(&watch->loop, &watch->metrics, now + METRICS_S);
}

/*
 * A program that outlives the measurement, because an interval could not be reported, is waited for; where that is
 * because nobody reads any more, it ends as it would if it wrote there itself.
 */
static void wait_for_child(struct watch *watch, const struct error *first)
{
	struct error second = { 0 }; /* there was one already, which is the one to report */
	bool has_limit = watch->limit.is_set;

	watch->is_waiting = true;
	loop_init(&watch->loop, watch->c->arena);
	watch->look.is_set = watch->force.is_set = watch->limit.is_set = false;
	wait_for_end(watch);
	force_later(watch);
	if (has_limit)
		loop_set(&watch->loop, &watch->limit, watch->limit.due_s);
	if (first->status == STATUS_UNREAD)
		end_program(watch);
	if (loop_run(&watch->loop, &second) < 0)
		watch->child = NULL;
}

/* The one that decides how long counting takes ends with it. */
static bool has_lost_target(const struct collector *c, const struct child *child)
{
	const struct subject *subject = &c->request->subject;
	bool is_of_tasks = subject->kind == SUBJECT_PROCESSES || subject->kind == SUBJECT_THREADS;

	for (size_t i = 0; is_of_tasks && (child || subject->nids > 1) && i < subject->nids; i++)
		if (!is_task_running(subject->ids[i]))
			return true;
	return false;
}

static struct count_run describe_run(const struct collector *c, const struct child *child)
{
	const struct count_request *request = c->request;
	struct count_run run = { .wall_s = c->stopwatch.seconds,
				 .cpu_s = NOT_COUNTED,
				 .has_lost_target = has_lost_target(c, child) };

	if (!child)
		return run;
	run.status = child->status;
	if (request->subject.kind == SUBJECT_PROGRAM && c->start == PERF_START_WITH_EXEC &&
	    request->timing.limit_s <= 0 && !request->timing.control)
		run.cpu_s = child->cpu_s;
	run.preemptions = child->preemptions > 0 ? child->preemptions : 0;
	run.waited_s = child->used.run_delay_s > 0 ? child->used.run_delay_s : 0;
	return run;
}

/*
 * A program that failed in its first run would fail in the next ones too, or do something
 * else: neither is worth counting.
 */
static void judge_end(struct collector *c, const struct child *child, bool is_at_limit)
{
	c->is_killed = child->is_killed && !is_at_limit;
	if (c->starts == 1)
		c->has_failed = child->status != 0 && !is_at_limit;
	if (c->starts == 1 && child->is_untraced)
		parts_remark(c, REMARK_UNTRACED);
}

static enum ending ending_of(const struct watch *watch)
{
	if (watch->is_at_limit)
		return ENDING_LIMIT;
	return watch->c->signals.is_interrupted ? ENDING_INTERRUPTED : ENDING_OWN;
}

int watch_run(struct collector *c, struct child *child, struct count_run *run, struct error *err)
{
	struct watch watch;
	int status;

	watch_init(&watch, c, child);
	c->stopwatch = (struct stopwatch){ .seconds = 0 };
	watch.has_turns = turns_begin(c);
	if (is_counted_at_once(c->request))
		start_counting(&watch);
	if (child && child_release(child, &c->request->program, err) < 0)
		return -1;
	wait_for_all(&watch);
	if (c->request->timing.delay_s < 0 && c->request->waiting)
		c->request->waiting(c->request->context);
	status = loop_run(&watch.loop, err);
	attach(c, NULL);
	if (watch.child)
		wait_for_child(&watch, err);
	stop_counting(&watch);
	if (status == 0 && c->request->timing.interval_s > 0)
		status = report_interval(&watch, err);
	groups_read(c);
	observers_read(c->request->observers);
	turns_take(c);
	*run = describe_run(c, child);
	c->is_uncounted = !watch.has_counted;
	c->is_cut = c->signals.is_interrupted;
	if (child) {
		run->is_cut = watch.is_at_limit || c->is_cut;
		judge_end(c, child, watch.is_at_limit);
		/* What goes on was counted, and is not in the program's own time. */
		if (leftovers_clear(c, ending_of(&watch)))
			run->cpu_s = NOT_COUNTED;
	}
	return status;
}
