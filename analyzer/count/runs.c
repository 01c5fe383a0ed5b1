/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "count/count.h"
#include "count/input.h"
#include "count/launch.h"
#include "count/perf.h"
#include "count/scope.h"

/* What lasts through all runs of a program. */
struct series {
	struct counts *counts;
	const struct plan *plan;
	const struct launch *launch;
	struct perf_target target;
	struct perf_group *groups; /* of the current run */
	struct signals signals;
	struct input input;
	bool is_killed;		   /* the last program, by a signal */
	struct rlimit descriptors; /* as they were before perf_open raised them */
};

static const struct event *event_of(const struct series *series, const struct plan_group *group, size_t i)
{
	return &series->target.events[group->events[i]];
}

/* The items of a group, numbered, before anything is known of them. */
static struct count *add_items(struct series *series, size_t run, size_t group)
{
	const struct plan_group *plan = &series->plan->groups[group];
	struct count *items = &series->counts->items[series->counts->count];

	for (size_t i = 0; i < plan->count; i++)
		items[i] = (struct count){
			.event = event_of(series, plan, i)->name,
			.group = group,
			.run = run,
			.value = (double)NAN,
			.state = COUNT_NEVER_RAN,
		};
	series->counts->count += plan->count;
	return items;
}

static void open_groups(struct series *series, size_t run)
{
	const struct plan_run *planned = &series->plan->runs[run];

	for (size_t i = 0; i < planned->count; i++) {
		size_t group = planned->first + i;

		perf_group_open(&series->groups[i], &series->target, &series->plan->groups[group],
				add_items(series, run, group));
	}
}

static void close_groups(struct series *series, size_t run)
{
	for (size_t i = 0; i < series->plan->runs[run].count; i++)
		perf_group_close(&series->groups[i]);
}

/* What comes from a clock instead of the kernel's counters. */
static void fill_tool_item(struct count *item, const struct event *event, const struct count_run *run, double tsc_hz)
{
	double value = event->kind == EVENT_TSC ? run->wall_s * tsc_hz : run->wall_s;

	item->enabled_ns = item->running_ns = (uint64_t)(run->wall_s * 1e9);
	if (isnan(value)) {
		item->state = COUNT_REFUSED;
		item->reason = "the frequency of the time stamp counter is unknown";
		return;
	}
	item->state = COUNT_OK;
	item->value = value;
	item->raw = event->kind == EVENT_TSC ? (uint64_t)value : item->enabled_ns;
}

static void read_groups(struct series *series, size_t run)
{
	for (size_t i = 0; i < series->plan->runs[run].count; i++) {
		const struct perf_group *group = &series->groups[i];

		perf_group_read(group, series->target.arena);
		for (size_t k = 0; k < group->plan->count; k++) {
			const struct event *event = event_of(series, group->plan, k);

			if (!is_kernel_event(event))
				fill_tool_item(&group->items[k], event, &series->counts->runs[run],
					       series->target.machine->tsc_hz);
		}
	}
}

/* -1 with the first refusal when the kernel shall count something in this run and opened nothing. */
static int check_groups(const struct series *series, size_t run, struct error *err)
{
	const char *reason = NULL;

	for (size_t i = 0; i < series->plan->runs[run].count; i++) {
		const struct perf_group *group = &series->groups[i];

		if (group->leader >= 0)
			return 0;
		for (size_t k = 0; k < group->plan->count && !reason; k++)
			reason = group->items[k].reason;
	}
	return reason ? error_set(err, "%s", reason) : 0;
}

/* The program is corked: count it from its exec to its end. */
static int count_child(struct series *series, struct child *child, size_t run, struct error *err)
{
	int status;

	series->target.pid = child->pid;
	open_groups(series, run);
	status = run == 0 ? check_groups(series, run, err) : 0;
	if (status < 0)
		child_abandon(child);
	else
		status = child_release(child, series->launch, err);
	if (status == 0) {
		child_wait(child, &series->signals, &series->counts->runs[run]);
		series->is_killed = child->is_killed;
		read_groups(series, run);
	}
	close_groups(series, run);
	return status;
}

static int start_child(struct series *series, struct child *child, size_t run, struct error *err)
{
	struct child_setup setup = {
		.launch = series->launch,
		.signals = &series->signals,
		.descriptors = series->descriptors,
		.is_quiet = run > 0,
	};
	int status;

	setup.input = input_open(&series->input, run, err);
	if (setup.input == -1)
		return -1;
	status = child_start(child, &setup, err);
	if (setup.input != INPUT_INHERITED)
		close(setup.input);
	return status;
}

/* One run; -1 leaves no trace of it in counts. */
static int series_run(struct series *series, size_t run, struct error *err)
{
	const struct launch *launch = series->launch;
	size_t before = series->counts->count;
	struct child child;
	int status;

	if (launch->progress)
		launch->progress(launch->context, run + 1, series->plan->nruns);
	status = start_child(series, &child, run, err);
	if (status == 0)
		status = count_child(series, &child, run, err);
	input_end_run(&series->input);
	if (status < 0) {
		series->counts->count = before;
		return -1;
	}
	series->counts->nruns = run + 1;
	series->counts->ngroups = series->plan->runs[run].first + series->plan->runs[run].count;
	return 0;
}

static bool is_ended(struct series *series)
{
	signals_poll(&series->signals);
	return series->signals.is_interrupted || series->is_killed;
}

static int series_runs(struct series *series, struct error *err)
{
	struct error later = { 0 };

	if (series_run(series, 0, err) < 0)
		return -1;
	/* What fails after the first run costs the rest of the plan, not what was counted. */
	for (size_t run = 1; run < series->plan->nruns && !is_ended(series); run++)
		if (series_run(series, run, &later) < 0)
			break;
	return 0;
}

static void counts_allocate(struct counts *counts, const struct plan *plan, struct arena *arena)
{
	size_t items = 0;

	for (size_t i = 0; i < plan->ngroups; i++)
		items += plan->groups[i].count;
	counts->items = arena_array(arena, items, sizeof(*counts->items));
	counts->runs = arena_array(arena, plan->nruns, sizeof(*counts->runs));
	counts->count = counts->nruns = counts->ngroups = 0;
}

static void series_begin(struct series *series)
{
	const struct plan *plan = series->plan;

	counts_allocate(series->counts, plan, series->target.arena);
	series->target.is_user_only = is_scope_user_only();
	series->counts->scope = scope_name(series->target.is_user_only);
	series->groups = arena_array(series->target.arena, plan->ngroups, sizeof(*series->groups));
	input_init(&series->input, plan->nruns);
	getrlimit(RLIMIT_NOFILE, &series->descriptors);
	signals_hold(&series->signals);
}

static void series_end(struct series *series)
{
	input_release(&series->input);
	setrlimit(RLIMIT_NOFILE, &series->descriptors);
	signals_release(&series->signals);
}

int count_program(struct counts *counts, const struct launch *launch, struct arena *arena, struct error *err)
{
	struct series series = {
		.counts = counts,
		.plan = launch->plan,
		.launch = launch,
		.target = { .pmu = launch->model->events.pmu,
			    .machine = launch->machine,
			    .events = launch->model->events.events,
			    .arena = arena },
	};
	int status;

	if (!series.target.pmu->is_real)
		return refusal(err, ENOENT, launch->machine, NULL);
	if (launch->plan->nruns == 0)
		return error_set(err, "the plan has no event to count");
	series_begin(&series);
	status = series_runs(&series, err);
	series_end(&series);
	return status;
}
