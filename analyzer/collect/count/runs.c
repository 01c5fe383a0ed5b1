/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runs.c - the runs of a measurement: one after the other, each with its part of the plans. */
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "collect/count/collector.h"
#include "collect/perf/abilities.h"
#include "collect/perf/refusals.h"
#include "common/base/text.h"
#include "common/system/signal_table.h"

bool is_repeated(const struct subject *subject, const struct timing *timing)
{
	return subject->kind == SUBJECT_PROGRAM && timing->interval_s <= 0 && timing->delay_s >= 0 && !timing->control;
}

/* The groups of the run are open, and the program, if there is one, waits: count from here to the end. */
static int count_run(struct collector *c, struct child *child, struct error *err)
{
	struct count_run run;

	if (c->run == 0 && c->repeat > 0)
		parts_repeat(c->measured, c);
	else if (c->run == 0) {
		parts_make(c->measured, c);
		parts_make(&c->interval, c);
	}
	if (watch_run(c, child, &run, err) < 0)
		return -1;
	totals_add_run(c, &run);
	return c->run == 0 && c->repeat == 0 ? check_held(c, &run, err) : 0;
}

static int start_child(struct collector *c, struct child *child, struct error *err)
{
	struct child_setup setup = {
		.program = &c->request->program,
		.signals = &c->signals,
		.descriptors = c->descriptors,
		.priority = c->request->priority,
		.is_quiet =
			c->request->program.is_output_hidden || (c->starts > 0 && !c->request->program.is_output_shown),
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
	c->program = is_subject ? &child : NULL;
	status = groups_open(c, err);
	if (status < 0)
		child_abandon(&child);
	else
		status = count_run(c, &child, err);
	groups_close(c);
	return status;
}

static int run_without_program(struct collector *c, struct error *err)
{
	int status = groups_open(c, err);

	if (status == 0)
		status = count_run(c, NULL, err);
	groups_close(c);
	return status;
}

size_t repeats_of(const struct collector *c)
{
	return c->request->repeats ? c->request->repeats : 1;
}

static int run_once(struct collector *c, struct error *err)
{
	size_t runs = c->nruns * repeats_of(c), number = c->repeat * c->nruns + c->run + 1;
	int status;

	if (c->request->progress && runs > 1)
		c->request->progress(c->request->context, number, runs);
	status = c->request->program.argv ? run_program(c, err) : run_without_program(c, err);
	input_end_run(&c->input);
	return status < 0 && number > 1 ? error_in(err, "Run %zu of %zu failed", number, runs) : status;
}

static bool is_ended(struct collector *c)
{
	signals_take(&c->signals, 0);
	return c->signals.is_interrupted || c->is_killed || c->has_failed || c->is_uncounted || is_error(&c->later);
}

static size_t most_runs(const struct collector *c)
{
	const struct count_request *request = c->request;
	size_t most = observers_runs(request->observers);

	for (size_t i = 0; i < request->ntypes; i++)
		if (request->types[i].plan->nruns > most)
			most = request->types[i].plan->nruns;
	return most;
}

/* May append runs to the plans. */
static bool is_extended(struct collector *c)
{
	const struct count_request *request = c->request;

	if (c->repeat || !request->extend_plan || !request->extend_plan(request->context, c->measured, c->nruns))
		return false;
	c->nruns = most_runs(c);
	parts_grow(c->measured, c);
	return true;
}

/* What fails after the first run costs the rest of the plan, not what was counted. */
static int run_all(struct collector *c, struct error *err)
{
	c->run = 0;
	if (run_once(c, err) < 0)
		return -1;
	for (c->run = 1; !is_ended(c) && (c->run < c->nruns || is_extended(c)); c->run++)
		if (run_once(c, &c->later) < 0)
			break;
	return 0;
}

/* What was counted stays, whatever happens in the repeats that follow; one that did not end by itself is no repeat. */
static void run_repeats(struct collector *c)
{
	for (c->repeat = 1; c->repeat < repeats_of(c) && !is_ended(c); c->repeat++) {
		if (run_all(c, &c->later) < 0 || c->run < c->nruns || c->is_cut || c->is_killed)
			break;
		for (size_t i = 0; i < c->measured->count; i++)
			c->measured->parts[i].nrepeats++;
	}
	for (size_t i = 0; i < c->measured->count; i++)
		c->measured->parts[i].planned_repeats = c->request->repeats;
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

static int runs_begin(struct collector *c, struct error *err)
{
	const struct count_request *request = c->request;

	c->nruns = most_runs(c);
	if (c->nruns == 0)
		return error_set(err, "the plan has no event to count");
	if (sites_find(&c->sites, request, c->arena, err) < 0 ||
	    control_open(&c->control, request->timing.control, err) < 0)
		return -1;
	c->scope = choose_scope(request->scope);
	c->start = start_of(request);
	arena_init(&c->interval_arena);
	input_init(&c->input, request->extend_plan ? SIZE_MAX : c->nruns * repeats_of(c));
	getrlimit(RLIMIT_NOFILE, &c->descriptors);
	if (signals_hold(&c->signals, err) < 0)
		return -1;
	c->signals.has_no_program = !request->program.argv;
	if (request->timing.delay_s < 0)
		signals_hold_sigusr2(&c->signals);
	return 0;
}

static void end(struct collector *c)
{
	input_release(&c->input);
	setrlimit(RLIMIT_NOFILE, &c->descriptors);
	signals_release(&c->signals);
	arena_release(&c->interval_arena);
}

/*
 * A single run's program that caught the signal and ended with 0 would hide that it was cut, as does one that ignored
 * it and was killed; other statuses show it.
 */
static bool is_hidden(const struct collector *c)
{
	const struct repeat *first = &c->measured->parts[0].repeats[0];

	return c->starts && c->is_cut && first->nruns &&
	       (first->runs[0].status == 0 || (c->nforced && first->runs[0].status == STATUS_OF_SIGNAL + SIGKILL));
}

/* The signal that kept the runs from being whole; 0: none. */
static int find_cut(const struct collector *c)
{
	const struct measurement *measured = c->measured;
	bool is_series = c->request->extend_plan || c->nruns * repeats_of(c) > 1;
	bool has_all = c->run >= c->nruns && measured->parts[0].nrepeats >= repeats_of(c);

	if (!is_series)
		return is_hidden(c) ? c->signals.number : 0;
	return c->signals.is_interrupted && (c->is_cut || !has_all) ? c->signals.number : 0;
}

/* The status is that of a program that somebody else has ended. */
static void remark_limit(struct collector *c)
{
	double limit_s = c->request->timing.limit_s;

	if (c->nlimited && c->starts == 1)
		parts_remark(c, arena_worded(c->arena, "The limit of %g s ({timeout}) ended the program.", limit_s));
	else if (c->nlimited)
		parts_remark(c, arena_worded(c->arena,
					     "The limit of %g s ({timeout}) ended the program in %zu of %zu runs.",
					     limit_s, c->nlimited, c->starts));
}

/* And what the numbers of runs and repeats in the report don't say of it. */
static void runs_finish(struct collector *c)
{
	size_t runs = c->nruns * repeats_of(c);
	bool is_left_out =
		c->is_killed && repeats_of(c) > 1 && c->repeat && c->measured->parts[0].nrepeats <= c->repeat;

	c->measured->cut_by = find_cut(c);
	c->measured->interrupted_by = c->signals.number;
	c->repeat = 0; /* a repeat that did not end is not kept, and nor would its remarks be */
	if (c->measured->cut_by && c->starts)
		parts_remark(c, arena_printf(c->arena,
					     "topdown got %s in run %zu of %zu, so that run may be incomplete; the "
					     "exit status is %d.",
					     signal_name(c->measured->cut_by), c->starts, runs,
					     128 + c->measured->cut_by));
	else if (is_left_out)
		parts_remark(c, arena_printf(c->arena,
					     "A signal ended the program in run %zu of %zu; its repeat is left out.",
					     c->starts, runs));
	remark_limit(c);
	leftovers_remark(c);
	if (is_error(&c->later))
		parts_remark(c, arena_printf(c->arena, "%s.", c->later.text));
}

static int runs_measure(struct measurement *measured, const struct count_request *request, struct arena *arena,
			struct error *err)
{
	struct collector c = {
		.request = request, .measured = measured, .arena = arena, .control = CONTROL_CLOSED, .sites.cgroup = -1
	};
	int status;

	for (size_t i = 0; i < request->ntypes; i++)
		if (request->types[i].plan->nruns && !request->types[i].model->events.pmu->is_real)
			return refusal(err, ENOENT, request->machine, NULL);
	status = runs_begin(&c, err);
	if (status == 0) {
		status = run_all(&c, err);
		if (status == 0) {
			run_repeats(&c);
			runs_finish(&c);
		} else if (c.signals.is_interrupted && !err->status) {
			err->interrupted_by = c.signals.number;
			err->status = STATUS_OF_SIGNAL + c.signals.number;
		}
		end(&c);
	}
	control_close(&c.control);
	sites_release(&c.sites);
	return status;
}

int count_measure(struct measurement *measured, const struct count_request *request, struct arena *arena,
		  struct error *err)
{
	int status = runs_measure(measured, request, arena, err);

	observers_finish(request->observers, status == 0 ? measured : NULL);
	return status;
}
