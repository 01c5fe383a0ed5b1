/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interval.c SESSION - what evaluating costs when each of 8 CPUs has delivered a session's counts: one interval's work. */
#include "bench.h"

#include "analyse/evaluate/evaluate.h"
#include "cpu/identify/machine.h"
#include "cpu/load/database.h"
#include "store/session/session.h"

#define CPUS 8

struct interval {
	struct arena kept, arena; /* what lasts, and what one interval takes */
	struct database database;
	struct event_database events;
	struct model model;
	struct counts counts;
	double *event_values, *values;
	struct error err;
};

static int load(struct interval *interval, const char *session)
{
	struct arena *arena = &interval->kept;
	struct error *err = &interval->err;
	struct model_target target = { .database = &interval->events, .facts = &interval->counts.origin.facts };
	const char *events, *models;
	struct measurement measured;

	if (session_read(&measured, session, arena, err) < 0 ||
	    database_open(&interval->database, NULL, arena, err) < 0)
		return -1;
	interval->counts = measured.parts[0];
	events = database_file(&interval->database, "events", interval->counts.origin.cpu, arena, err);
	models = events ? database_file(&interval->database, "models", interval->counts.origin.cpu, arena, err) : NULL;
	if (!models || event_database_load(&interval->events, events, arena, err) < 0)
		return -1;
	target.pmu = pmu_assumed(interval->events.pmu, interval->events.vendor, arena);
	return model_load(&interval->model, models, &target, arena, err);
}

/* Quality, thresholds, notes and hints too: all that a report is made of. */
static void evaluate_all(void *context)
{
	struct interval *interval = context;
	struct report report;

	for (int cpu = 0; cpu < CPUS; cpu++)
		if (evaluate(&report, &interval->model, &interval->counts, &interval->arena, &interval->err) < 0)
			exit(1);
	arena_reset(&interval->arena);
}

/* The formulas alone. */
static void evaluate_program(void *context)
{
	struct interval *interval = context;

	for (int cpu = 0; cpu < CPUS; cpu++)
		program_eval(interval->model.program, interval->event_values, interval->values);
}

int main(int argc, char **argv)
{
	struct interval interval = { .err = { .text = "" } };
	const struct model *model = &interval.model;

	if (argc != 2)
		return 2;
	arena_init(&interval.kept);
	arena_init(&interval.arena);
	if (load(&interval, argv[1]) < 0) {
		fprintf(stderr, "interval: %s\n", interval.err.text);
		return 1;
	}
	interval.event_values = arena_array(&interval.kept, model->events.count, sizeof(double));
	interval.values = arena_array(&interval.kept, program_size(model->program), sizeof(double));
	for (size_t i = 0; i < model->events.count; i++)
		interval.event_values[i] = (double)(1000 + i * 7919);
	printf("%g %g %zu %zu\n", bench_median(evaluate_all, &interval), bench_median(evaluate_program, &interval),
	       model->count, program_size(model->program));
	arena_release(&interval.arena);
	arena_release(&interval.kept);
	return 0;
}
