/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results.c - the value of each metric, from the best context that has all of its events, and how good it is. */
#include <math.h>
#include <string.h>

#include "evaluate/internal.h"

#define NAMED_MISSING 4 /* events named in a reason; the rest is counted */

static bool has_all(const struct context *context, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (isnan(context->events[metric->events[i]]))
			return false;
	return true;
}

/* A group that has everything, the least multiplexed first; else all groups together; TABLE_NONE: something was not counted. */
static size_t choose_context(const struct evaluation *e, const struct metric *metric)
{
	size_t best = TABLE_NONE, combined = e->counts->ngroups;

	for (size_t g = 0; g < combined; g++)
		if ((best == TABLE_NONE || e->contexts[g].running > e->contexts[best].running) &&
		    has_all(&e->contexts[g], metric))
			best = g;
	if (best == TABLE_NONE && has_all(&e->contexts[combined], metric))
		best = combined;
	return best;
}

/* Why a count is missing, in the order of what a reader can do about it. */
static const char *missing_cause(const struct evaluation *e, size_t event)
{
	for (size_t i = 0; i < e->counts->count; i++) {
		const struct count *count = &e->counts->items[i];

		if (e->bound[i] != event)
			continue;
		if (count->state == COUNT_NEVER_RAN)
			return count->enabled_ns ? " (the kernel never put it on a counter)"
						 : " (nothing ran while it was to be counted)";
		if (count->state == COUNT_REFUSED)
			return " (refused by the kernel)";
		if (count->state == COUNT_WITHHELD)
			return " (withheld)";
	}
	return "";
}

static bool is_counted(const struct evaluation *e, size_t event)
{
	for (size_t g = 0; g < e->counts->ngroups; g++)
		if (!isnan(e->contexts[g].events[event]))
			return true;
	return false;
}

const char *event_missing_text(const struct evaluation *e, size_t event)
{
	return arena_printf(e->arena, "not counted%s", missing_cause(e, event));
}

/* What the formula needs and the counts lack; or they have it, but nothing ties its group to the others. */
void result_explain(const struct evaluation *e, struct result *result)
{
	const struct context *combined = &e->contexts[e->counts->ngroups];
	struct string text = STRING_INIT(e->arena);
	size_t capacity = 0;

	result->reason = result->metric->failure;
	if (result->reason)
		return;
	for (size_t i = 0; i < result->metric->nevents; i++) {
		size_t event = result->metric->events[i];
		const char *name = e->model->events.events[event].name;

		if (!isnan(combined->events[event]))
			continue;
		if (!result->nmissing)
			string_add(&text, is_counted(e, event) ? "not counted together: " : "not counted: ");
		if (result->nmissing < NAMED_MISSING)
			string_printf(&text, "%s%s%s", result->nmissing ? ", " : "", name, missing_cause(e, event));
		result->missing =
			arena_grow(e->arena, result->missing, result->nmissing, &capacity, sizeof(*result->missing));
		result->missing[result->nmissing++] = name;
	}
	if (result->nmissing > NAMED_MISSING)
		string_printf(&text, " and %zu more", result->nmissing - NAMED_MISSING);
	result->reason = text.length ? text.text : "its formula divides by zero with these counts";
}

static bool is_bound(const struct evaluation *e, size_t event)
{
	for (size_t i = 0; i < e->counts->count; i++)
		if (e->bound[i] == event)
			return true;
	return false;
}

/* By its definition, or because a published mean stands in for a latency that nobody measured. */
static bool is_estimate(const struct evaluation *e, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (e->model->events.events[metric->events[i]].is_retire_latency && !is_bound(e, metric->events[i]))
			return true;
	return strstr(metric->domain, "Estimated") != NULL;
}

/* The smallest share of the time for which one of the metric's events was on a counter. */
static double metric_running(const struct context *context, const struct metric *metric)
{
	double running = 1;

	for (size_t i = 0; i < metric->nevents; i++)
		running = fmin(running, context->shares[metric->events[i]]);
	return running;
}

static enum quality context_quality(const struct evaluation *e, const struct context *context, double running)
{
	if (context->is_combined && e->counts->nruns > 1)
		return QUALITY_RUNS;
	if (e->model->is_simulated)
		return QUALITY_SIMULATED;
	return running < 1 || context->is_combined ? QUALITY_SCALED : QUALITY_EXACT;
}

#define ROUNDING 1e-9 /* points by which arithmetic alone may leave the range */

/* A share of slots or cycles can't leave 0 ... 100 %; what does is shown at the border, and raw keeps the number. */
static void clamp(struct result *result)
{
	double shown = fmin(fmax(result->value, 0), 100);

	if (!result->metric->level || strcmp(result->metric->unit, "%") != 0)
		return;
	if (fabs(shown - result->value) > ROUNDING)
		result->quality = QUALITY_CLAMPED;
	result->value = shown;
}

static void set_value(struct evaluation *e, struct result *result, const struct context *context, double value)
{
	result->running = metric_running(context, result->metric);
	if (isnan(value))
		return;
	result->value = result->raw = value * result->metric->scale;
	result->quality = context_quality(e, context, result->running);
	if (result->quality == QUALITY_EXACT && is_estimate(e, result->metric))
		result->quality = QUALITY_ESTIMATED;
	clamp(result);
}

/* All metrics that chose this context get their value in one pass of the program. */
static void evaluate_context(struct evaluation *e, size_t number, double *values)
{
	const struct context *context = &e->contexts[number];
	const struct model *model = e->model;
	bool is_evaluated = false;

	for (size_t i = 0; i < model->count; i++) {
		if (e->chosen[i] != number)
			continue;
		if (!is_evaluated)
			program_eval(model->program, context->events, values);
		is_evaluated = true;
		e->unscaled[i] = program_value(model->program, values, i);
		set_value(e, &e->results[i], context, e->unscaled[i]);
	}
}

void results_fill(struct evaluation *e)
{
	const struct model *model = e->model;
	double *values = arena_array(e->arena, program_size(model->program) + 1, sizeof(*values));

	e->results = arena_array(e->arena, model->count, sizeof(*e->results));
	e->chosen = arena_array(e->arena, model->count, sizeof(*e->chosen));
	e->unscaled = arena_array(e->arena, model->count, sizeof(*e->unscaled));
	for (size_t i = 0; i < model->count; i++) {
		const struct metric *metric = &model->metrics[i];

		e->unscaled[i] = NAN;
		e->results[i] = (struct result){ .metric = metric,
						 .value = NAN,
						 .raw = NAN,
						 .running = NAN,
						 .quality = QUALITY_NONE,
						 .has_threshold = metric->has_threshold };
		e->chosen[i] = metric->failure ? TABLE_NONE : choose_context(e, metric);
	}
	for (size_t g = 0; g <= e->counts->ngroups; g++)
		evaluate_context(e, g, values);
}
