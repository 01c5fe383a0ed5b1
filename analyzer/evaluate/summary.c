/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary.c - the head of the report: what was run, how long, how fast. */
#include <math.h>
#include <string.h>

#include "evaluate/internal.h"

/* The first group that counted all of the roles; ngroups if there is none. */
static size_t find_group(const struct evaluation *e, const enum role *roles, size_t count)
{
	for (size_t g = 0; g < e->counts->ngroups; g++) {
		size_t have = 0;

		for (size_t i = 0; i < count; i++) {
			size_t event = e->model->roles[roles[i]];

			have += event != TABLE_NONE && !isnan(e->contexts[g].events[event]);
		}
		if (have == count)
			return g;
	}
	return e->counts->ngroups;
}

static double role_value(const struct evaluation *e, size_t group, enum role role)
{
	size_t event = e->model->roles[role];

	return group == e->counts->ngroups || event == TABLE_NONE ? NAN : e->contexts[group].events[event];
}

static void fill_speed(const struct evaluation *e, struct summary *s)
{
	static const enum role both[] = { ROLE_CYCLES, ROLE_INSTRUCTIONS };
	size_t together = find_group(e, both, COUNT_OF(both)), cycles = together, instructions = together;

	if (together == e->counts->ngroups) {
		cycles = find_group(e, &both[0], 1);
		instructions = find_group(e, &both[1], 1);
	}
	s->cycles = role_value(e, cycles, ROLE_CYCLES);
	s->instructions = role_value(e, instructions, ROLE_INSTRUCTIONS);
	s->ipc = together != e->counts->ngroups && s->cycles > 0 ? s->instructions / s->cycles : NAN;
	if (cycles != e->counts->ngroups && context_run(e, cycles) < e->counts->nruns)
		s->ghz = s->cycles / e->counts->runs[context_run(e, cycles)].cpu_s / 1e9;
}

/* Of one repeat. */
static struct summary summary_of(const struct evaluation *e)
{
	const struct counts *counts = e->counts;
	struct summary s = {
		.command = counts->command,
		.scope = counts->scope,
		.target = counts->target,
		.part = counts->part,
		.machine = counts->machine,
		.cpu = e->model->cpu,
		.title = e->model->database->title,
		.wall_s = NAN,
		.cpus_used = NAN,
		.ghz = NAN,
		.groups = counts->is_flat ? 0 : counts->ngroups,
		.runs = counts->nruns,
	};

	if (counts->nruns) {
		s.wall_s = counts->runs[0].wall_s;
		s.cpus_used = counts->runs[0].wall_s > 0 ? counts->runs[0].cpu_s / counts->runs[0].wall_s : NAN;
		s.status = counts->runs[0].status;
		s.has_status = !counts->is_flat;
	}
	fill_speed(e, &s);
	/* Cycles of a part of the time, divided by all of it, would be no clock rate. */
	if (!isfinite(s.ghz) || (counts->scope && strcmp(counts->scope, "user+kernel") != 0))
		s.ghz = NAN;
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
	for (size_t i = 0; i < FIGURES; i++) {
		s->spread[i] = repeats_statistics(e, figure_value, i);
		*figure_of(s, (enum figure)i) = s->spread[i].mean;
	}
}
