/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary.c - the head of the report: what was run, how long, how fast, and whether all runs did the same. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"

#include "analyse/evaluate/evaluation.h"

#define SIGNAL_STATUS 128 /* and a signal's number, as a shell has it */

/* The first group that counted all of the roles; ngroups if there is none. */
static size_t find_group(const struct evaluation *e, const enum role *roles, size_t count)
{
	for (size_t g = 0; g < e->repeat->ngroups; g++) {
		size_t have = 0;

		for (size_t i = 0; i < count; i++) {
			size_t event = e->model->roles[roles[i]];

			have += event != TABLE_NONE && !isnan(e->contexts[g].events[event]);
		}
		if (have == count)
			return g;
	}
	return e->repeat->ngroups;
}

static double role_value(const struct evaluation *e, size_t group, enum role role)
{
	size_t event = e->model->roles[role];

	return group == e->repeat->ngroups || event == TABLE_NONE ? NOT_COUNTED : e->contexts[group].events[event];
}

static void fill_speed(const struct evaluation *e, struct summary *s)
{
	static const enum role both[] = { ROLE_CYCLES, ROLE_INSTRUCTIONS };
	size_t together = find_group(e, both, COUNT_OF(both)), cycles = together, instructions = together;

	if (together == e->repeat->ngroups) {
		cycles = find_group(e, &both[0], 1);
		instructions = find_group(e, &both[1], 1);
	}
	s->cycles = role_value(e, cycles, ROLE_CYCLES);
	s->instructions = role_value(e, instructions, ROLE_INSTRUCTIONS);
	s->ipc = together != e->repeat->ngroups && s->cycles > 0 &&
				 context_stuck(e, &e->contexts[together]) == TABLE_NONE
			 ? s->instructions / s->cycles
			 : NOT_COUNTED;
	if (cycles != e->repeat->ngroups && context_run(e, cycles) < e->repeat->nruns)
		s->ghz = s->cycles / e->repeat->runs[context_run(e, cycles)].cpu_s / 1e9;
}

/* Of one repeat. */
/* A CPU without fixed counters counts it where a general one is free in some group. */
static bool is_without_counter(const struct evaluation *e, enum role role)
{
	size_t event = e->model->roles[role];

	if (event == TABLE_NONE || e->counts->origin.is_flat || !e->repeat->nruns)
		return false;
	for (size_t i = 0; i < e->repeat->count; i++)
		if (e->bound[i] == event)
			return false;
	return true;
}

static bool has_standard_input(const struct origin *origin)
{
	for (size_t i = 0; i < origin->ninputs; i++)
		if (!strcmp(origin->inputs[i].name, STANDARD_INPUT))
			return true;
	return false;
}

static struct summary summary_of(const struct evaluation *e)
{
	const struct origin *origin = &e->counts->origin;
	const struct repeat *repeat = e->repeat;
	struct summary s = {
		.command = origin->command,
		.scope = origin->scope,
		.target = origin->target,
		.part = origin->part,
		.part_kind = origin->part_kind,
		.machine = origin->machine,
		.started = origin->started,
		.host = origin->host,
		.kernel = origin->kernel,
		.tool_version = origin->tool_version,
		.cpu = e->model->cpu,
		.title = e->model->database->title,
		.wall_s = NOT_COUNTED,
		.cpus_used = NOT_COUNTED,
		.ghz = NOT_COUNTED,
		.no_instructions = is_without_counter(e, ROLE_INSTRUCTIONS)
					   ? arena_worded(e->arena, "no counter left: {metrics} IPC")
					   : NULL,
		.has_input = has_standard_input(origin),
		/* a rank that counts one group of several has one, whatever its number */
		.groups = origin->is_flat	  ? 0
			  : origin->job.is_spread ? repeat->nruns
						  : repeat->ngroups,
		.runs = repeat->nruns,
	};

	if (repeat->nruns) {
		/* How long a region ran is not known: the time is that of the whole run. */
		if (!origin->part_kind || strcmp(origin->part_kind, "region") != 0)
			s.wall_s = repeat->runs[0].wall_s;
		s.cpus_used = repeat->runs[0].wall_s > 0 ? repeat->runs[0].cpu_s / repeat->runs[0].wall_s : NOT_COUNTED;
		s.status = repeat->runs[0].status;
		s.has_status = !origin->is_flat;
	}
	fill_speed(e, &s);
	/* Cycles of a part of the time, divided by all of it, would be no clock rate. */
	if (!isfinite(s.ghz) || (origin->scope && strcmp(origin->scope, "user+kernel") != 0))
		s.ghz = NOT_COUNTED;
	return s;
}

static double *figure_of(struct summary *s, enum figure figure)
{
	double *const figures[FIGURES] = {
		[FIGURE_WALL] = &s->wall_s,   [FIGURE_CPUS] = &s->cpus_used, [FIGURE_INSTRUCTIONS] = &s->instructions,
		[FIGURE_CYCLES] = &s->cycles, [FIGURE_IPC] = &s->ipc,	     [FIGURE_GHZ] = &s->ghz,
	};

	return figures[figure];
}

static double figure_value(const struct evaluation *e, size_t figure)
{
	struct summary s = summary_of(e);

	return *figure_of(&s, (enum figure)figure);
}

void summary_fill(struct evaluation *e)
{
	struct summary *s = &e->report->summary;

	*s = summary_of(&e->repeats[0]);
	s->repeats = e->nrepeats;
	s->has_intervals = e->has_intervals;
	for (size_t i = 0; i < FIGURES; i++) {
		s->spread[i] = repeats_statistics(e, figure_value, i);
		*figure_of(s, (enum figure)i) = s->spread[i].mean;
	}
}

/*
 * ---- did all runs of the program do the same? ----
 *
 * Values of several runs are combined as if they had, so a reader must know which run did
 * not, and what was counted in it.
 */

/* Instructions of the run; NAN: they were not counted in it. */
static double run_instructions(const struct evaluation *e, size_t run)
{
	size_t event = e->model->roles[ROLE_INSTRUCTIONS];

	for (size_t g = 0; event != TABLE_NONE && g < e->repeat->ngroups; g++)
		if (context_run(e, g) == run && !isnan(e->contexts[g].events[event]))
			return e->contexts[g].events[event];
	return NOT_COUNTED;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* A program that catches the signal can end as it likes. */
static bool has_been_cut(const struct execution *run)
{
	return run->is_cut || run->status > SIGNAL_STATUS;
}

/*
 * A run that a signal cut did less, for a reason that is known: what is typical is asked of those that ended by
 * themselves, and as the first of them did, unless there is none.
 */
static void find_whole(struct report *report)
{
	const struct execution *first = report->runs, *end = report->runs + report->nruns;

	while (first < end && has_been_cut(first))
		first++;
	for (size_t i = 0; i < report->nruns; i++)
		report->runs[i].is_whole =
			first == end || (!has_been_cut(&report->runs[i]) && report->runs[i].status == first->status);
}

const struct execution *execution_whole(const struct report *report)
{
	const struct execution *run = report->runs;

	while (!run->is_whole)
		run++;
	return run;
}

/* The median, of two the lower one: so that one run out of many, the first one too, stands out from the others. */
static double typical_instructions(const struct evaluation *e)
{
	double *known = arena_array(e->arena, e->report->nruns + 1, sizeof(*known));
	size_t count = 0;

	for (size_t i = 0; i < e->report->nruns; i++)
		if (e->report->runs[i].is_whole && e->report->runs[i].instructions > 0)
			known[count++] = e->report->runs[i].instructions;
	if (!count)
		return NOT_COUNTED;
	qsort(known, count, sizeof(*known), by_size);
	return known[(count - 1) / 2];
}

static bool uses_run(const struct evaluation *e, size_t result, size_t run)
{
	const struct metric *metric = e->results[result].metric;
	const struct context *context;

	if (e->context_of[result] == TABLE_NONE)
		return false;
	context = &e->contexts[e->context_of[result]];
	for (size_t i = 0; i < metric->nevents; i++) {
		size_t group = context->groups[metric->events[i]];

		if (group != TABLE_NONE && context_run(e, group) == run)
			return true;
	}
	return false;
}

/* e has the results and is not one of its repeats: the report's nodes are those of e. */
static void find_affected(const struct evaluation *e, struct execution *execution)
{
	const struct evaluation *repeat = &e->repeats[execution->repeat];

	execution->affected = arena_array(e->arena, e->model->count, sizeof(*execution->affected));
	for (size_t i = 0; i < e->model->count; i++)
		if (e->shown[i] && !isnan(e->results[i].value) && uses_run(repeat, i, execution->run))
			execution->affected[execution->naffected++] = i;
}

static void add_runs(struct report *report, const struct evaluation *repeat, size_t number)
{
	for (size_t i = 0; i < repeat->repeat->nruns; i++) {
		const struct count_run *run = &repeat->repeat->runs[i];

		report->runs[report->nruns++] = (struct execution){ .repeat = number,
								    .run = i,
								    .wall_s = run->wall_s,
								    .cpu_s = run->cpu_s,
								    .status = run->status,
								    .is_cut = run->is_cut,
								    .instructions = run_instructions(repeat, i) };
	}
}

void executions_fill(struct evaluation *e)
{
	struct report *report = e->report;
	size_t runs = 0;
	double typical;

	if (e->counts->origin.is_flat && e->repeat->nruns < 2)
		return;
	for (size_t i = 0; i < e->nrepeats; i++)
		runs += e->repeats[i].repeat->nruns;
	report->runs = arena_array(e->arena, runs + 1, sizeof(*report->runs));
	for (size_t i = 0; i < e->nrepeats; i++)
		add_runs(report, &e->repeats[i], i);
	find_whole(report);
	typical = typical_instructions(e);
	mixes_fill(e);
	for (size_t i = 0; i < report->nruns; i++) {
		struct execution *run = &report->runs[i];

		run->more = run->instructions / typical - 1;
		run->is_unlike = fabs(run->more) > SPREAD_LIMIT || is_other_mix(run) ||
				 run->is_cut != execution_whole(report)->is_cut ||
				 run->status != execution_whole(report)->status;
		if (run->is_unlike)
			find_affected(e, run);
	}
}
