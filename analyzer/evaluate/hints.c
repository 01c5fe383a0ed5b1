/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hints.c - what to sample next: the worst node's own locating events as a perf record command that can be pasted. */
#include <string.h>

#include "evaluate/internal.h"

#define MAX_HINTS      3
#define DEFAULT_PERIOD 1000003 /* a prime, where the vendor publishes no SampleAfterValue */

static const struct metric *parent_of(const struct evaluation *e, const struct metric *metric)
{
	return metric->parent == NO_PARENT ? NULL : &e->model->metrics[metric->parent];
}

/* "ppp" where only precise samples are right, "pp" where they can be had, with "u" when the kernel was out of scope. */
static const char *modifier(const struct evaluation *e, unsigned precise)
{
	bool is_user = e->counts->scope && !strcmp(e->counts->scope, "user");

	if (precise > 1)
		return is_user ? "uppp" : "ppp";
	if (precise == 1)
		return is_user ? "upp" : "pp";
	return is_user ? "u" : "";
}

static const char *perf_event(const struct evaluation *e, const struct event_row *row, uint64_t period)
{
	struct event_set set;
	struct error err = { 0 };
	const char *text, *slash;
	size_t number;

	event_set_init(&set, e->model->database, e->model->events.pmu, e->model->events.smt_on, e->arena);
	number = event_set_add(&set, row->name, &err);
	if (number == TABLE_NONE)
		return NULL;
	text = event_perf_string(&set.events[number], set.pmu, "", e->arena);
	slash = strrchr(text, '/');
	return arena_printf(e->arena, "%.*s,name=%s,period=%llu/%s", (int)(slash - text), text, row->name,
			    (unsigned long long)period, modifier(e, row->precise));
}

static const char *program_command(const struct evaluation *e)
{
	return e->counts->command ? e->counts->command : "./prog";
}

static bool make_hint(const struct evaluation *e, struct hint *hint, const struct metric *node, const char *event)
{
	const struct event_row *row = event_database_find(e->model->database, event);
	if (!row || row->unit || row->is_metric)
		return false;
	*hint = (struct hint){ .node = node, .event = row->name, .precise = row->precise ? row->precise + 1 : 0 };
	hint->period = row->period ? row->period : DEFAULT_PERIOD;
	hint->perf = perf_event(e, row, hint->period);
	if (!hint->perf)
		return false;
	hint->command = arena_printf(e->arena, "perf record %s-e %s -- %s", row->has_address ? "-d " : "", hint->perf,
				     program_command(e));
	return true;
}

/* One level more, where the model can still divide the worst node: of it alone, where only a part of the tree was asked for. */
static const char *closer_command(const struct evaluation *e)
{
	const struct result *worst = e->report->worst;
	const char *command = program_command(e), *pmu = e->model->is_simulated ? "--pmu sim " : "";

	if (!worst)
		return NULL;
	for (size_t i = 0; i < e->model->nnodes; i++) {
		const struct metric *metric = &e->model->metrics[i];

		if (e->shown[i] || metric->parent != (size_t)(worst->metric - e->model->metrics))
			continue;
		if (e->is_selected)
			return arena_printf(e->arena, "topdown %s--nodes '%s^/%u' %s", pmu, worst->metric->title,
					    metric->level, command);
		return arena_printf(e->arena, "topdown %s-l%u %s", pmu, metric->level, command);
	}
	return NULL;
}

/*
 * The events of the worst node, or of its nearest ancestor that has some that this CPU can sample. Where the vendor names none
 * on the whole path, cycles tell at least where the time goes.
 */
void hints_fill(struct evaluation *e)
{
	struct report *report = e->report;
	const struct metric *node = report->worst ? report->worst->metric : NULL;

	report->closer = closer_command(e);
	report->next = arena_array(e->arena, MAX_HINTS, sizeof(*report->next));
	if (e->model->is_simulated)
		return; /* perf knows nothing of these events */
	for (; node && !report->nnext; node = parent_of(e, node))
		for (size_t i = 0; i < node->nsamples && report->nnext < MAX_HINTS; i++)
			if (make_hint(e, &report->next[report->nnext], node, node->samples[i]))
				report->nnext++;
	if (report->worst && !report->nnext && e->model->database->cycles &&
	    make_hint(e, &report->next[0], report->worst->metric, e->model->database->cycles))
		report->nnext++;
}
