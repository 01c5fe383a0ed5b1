/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runs.c - the runs of a measurement: one after the other, each with its part of the plans. */
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "count/collector.h"

bool is_repeated(const struct subject *subject, const struct timing *timing)
{
	return subject->kind == SUBJECT_PROGRAM && timing->interval_s <= 0 && timing->delay_s >= 0 && !timing->control;
}

/* The groups of the run are open, and the program, if there is one, waits: count from here to the end. */
static int count_run(struct collector *c, struct child *child, struct error *err)
{
	struct count_run told;

	if (c->run == 0) {
		parts_make(c->measured, c);
		parts_make(&c->interval, c);
	}
	if (watch_run(c, child, &told, err) < 0)
		return -1;
	totals_add_run(c, &told);
	return 0;
}

static int start_child(struct collector *c, struct child *child, struct error *err)
{
	struct child_setup setup = {
		.program = &c->request->program,
		.signals = &c->signals,
		.descriptors = c->descriptors,
		.is_quiet = c->starts > 0 && !c->request->program.is_heard,
	};
	int status;

	setup.input = input_open(&c->input, c->starts++, err);
	if (setup.input == -1)
		return -1;
	status = child_start(child, &setup, err);
	if (setup.input != INPUT_INHERITED)
		close(setup.input);
	return status;
}

static int run_program(struct collector *c, struct error *err)
{
	bool is_subject = c->request->subject.kind == SUBJECT_PROGRAM;
	struct child child;
	int status;

	if (start_child(c, &child, err) < 0)
		return -1;
	status = groups_open(c, is_subject ? child.pid : 0, err);
	if (status < 0)
		child_abandon(&child);
	else
		status = count_run(c, &child, err);
	groups_close(c);
	return status;
}

static int run_without_program(struct collector *c, struct error *err)
{
	int status = groups_open(c, 0, err);

	if (status == 0)
		status = count_run(c, NULL, err);
	groups_close(c);
	return status;
}

static size_t repeats_of(const struct collector *c)
{
	return c->request->repeats ? c->request->repeats : 1;
}

static int run_once(struct collector *c, struct error *err)
{
	size_t runs = c->nruns * repeats_of(c);
	int status;

	if (c->request->progress && runs > 1)
		c->request->progress(c->request->context, c->repeat * c->nruns + c->run + 1, runs);
	status = c->request->program.argv ? run_program(c, err) : run_without_program(c, err);
	input_end_run(&c->input);
	return status;
}

static bool is_ended(struct collector *c)
{
	signals_take(&c->signals, 0);
	return c->signals.is_interrupted || c->is_killed || c->has_failed || c->is_uncounted;
}

static size_t most_runs(const struct count_request *request)
{
	size_t most = 0;

	for (size_t i = 0; i < request->ntypes; i++)
		if (request->types[i].plan->nruns > most)
			most = request->types[i].plan->nruns;
	return most;
}

/* Have the plans got something to count that was not there before? */
static bool is_extended(struct collector *c)
{
	const struct count_request *request = c->request;

	if (c->repeat || !request->further || !request->further(request->context, c->measured, c->nruns))
		return false;
	c->nruns = most_runs(request);
	parts_grow(c->measured, c);
	return true;
}

/* What fails after the first run costs the rest of the plan, not what was counted. */
static int run_all(struct collector *c, struct error *err)
{
	struct error later = { 0 };

	c->run = 0;
	if (run_once(c, err) < 0)
		return -1;
	for (c->run = 1; !is_ended(c) && (c->run < c->nruns || is_extended(c)); c->run++)
		if (run_once(c, &later) < 0)
			break;
	return 0;
}

/* What the first measurement has counted stays, whatever happens in those that follow. */
static void run_again(struct collector *c)
{
	struct measurement *first = c->measured, *last = first;
	struct error later = { 0 };

	for (c->repeat = 1; c->repeat < repeats_of(c) && !is_ended(c); c->repeat++) {
		c->measured = arena_alloc(c->arena, sizeof(*c->measured));
		if (run_all(c, &later) < 0 || c->run < c->nruns)
			break;
		for (size_t i = 0; i < last->count; i++) /* the places, and so the parts, stay what they are */
			last->parts[i].again = &c->measured->parts[i];
		last = c->measured;
	}
	c->measured = first;
	for (size_t i = 0; i < first->count; i++)
		first->parts[i].planned_repeats = c->request->repeats;
}

static enum scope choose_scope(enum scope wanted)
{
	return wanted == SCOPE_ALL && is_scope_user_only() ? SCOPE_USER : wanted;
}

/* enable_on_exec is exact, but only for a program that shall be counted from its exec on. */
static enum perf_start start_of(const struct count_request *request)
{
	return request->subject.kind == SUBJECT_PROGRAM && is_counted_at_once(request) ? PERF_START_WITH_EXEC
										       : PERF_START_LATER;
}

static int begin(struct collector *c, struct error *err)
{
	const struct count_request *request = c->request;

	c->nruns = most_runs(request);
	if (c->nruns == 0)
		return error_set(err, "the plan has no event to count");
	if (places_find(&c->places, request, c->arena, err) < 0 ||
	    control_open(&c->control, request->timing.control, err) < 0)
		return -1;
	c->scope = choose_scope(request->scope);
	c->start = start_of(request);
	arena_init(&c->interval_arena);
	input_init(&c->input, request->further ? SIZE_MAX : c->nruns * repeats_of(c));
	getrlimit(RLIMIT_NOFILE, &c->descriptors);
	signals_hold(&c->signals);
	if (request->timing.delay_s < 0)
		signals_hold_sign(&c->signals);
	return 0;
}

static void end(struct collector *c)
{
	input_release(&c->input);
	setrlimit(RLIMIT_NOFILE, &c->descriptors);
	signals_release(&c->signals);
	arena_release(&c->interval_arena);
}

int count_measure(struct measurement *measured, const struct count_request *request, struct arena *arena,
		  struct error *err)
{
	struct collector c = {
		.request = request, .measured = measured, .arena = arena, .control = CONTROL_CLOSED, .places.cgroup = -1
	};
	int status;

	for (size_t i = 0; i < request->ntypes; i++)
		if (!request->types[i].model->events.pmu->is_real)
			return refusal(err, ENOENT, request->machine, NULL);
	status = begin(&c, err);
	if (status == 0) {
		status = run_all(&c, err);
		if (status == 0)
			run_again(&c);
		end(&c);
	}
	control_close(&c.control);
	places_release(&c.places);
	return status;
}
