/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assess.c - figures for who does not know the field: each by the bounds that somebody publishes, or that are ours. */
#include <math.h>
#include <string.h>

#include "analyse/evaluate/evaluation.h"

/* By more than arithmetic alone explains. */
static bool is_beyond(const struct assessment_rule *rule, double value, double bound)
{
	double sign = rule->is_low_worse ? -1 : 1;

	return sign * (value - bound) > 1e-9 * fabs(bound);
}

/* Are the misses few that its value is a share of? */
static bool is_of_few(const struct report *report, const struct assessment_rule *rule)
{
	return rule->with != NO_RULE && report->assessed[rule->with].health == HEALTH_OK;
}

static enum health health_of(const struct report *report, const struct assessment_rule *rule, double value)
{

	if (isnan(value))
		return HEALTH_UNKNOWN;
	if (isnan(rule->good))
		return HEALTH_PLAIN;
	if (!is_beyond(rule, value, rule->good) || is_of_few(report, rule))
		return HEALTH_OK;
	return !isnan(rule->bad) && is_beyond(rule, value, rule->bad) ? HEALTH_BAD : HEALTH_LOOK;
}

static bool assess_is_counted(const struct evaluation *e, size_t metric)
{
	return e->results[metric].quality != QUALITY_NONE && isfinite(e->results[metric].value);
}

/* "not counted: L1D_MPKI, L2_MPKI" */
static const char *reason_of(const struct evaluation *e, const struct assessment_rule *rule)
{
	struct string text = STRING_INIT(e->arena);

	if (!rule->expression)
		return rule->without;
	for (size_t i = 0; i < rule->nmetrics; i++)
		if (!assess_is_counted(e, rule->metrics[i]))
			string_printf(&text, "%s%s",
				      text.length ? ", " : "not counted: ", e->model->metrics[rule->metrics[i]].title);
	return text.length ? text.text : "its formula divides by zero with these counts";
}

static enum quality quality_of(const struct evaluation *e, const struct assessed *assessed)
{
	enum quality worst = QUALITY_EXACT;

	if (assessed->health == HEALTH_UNKNOWN)
		return QUALITY_NONE;
	for (size_t i = 0; i < assessed->rule->nmetrics; i++) {
		enum quality quality = e->results[assessed->rule->metrics[i]].quality;

		worst = quality > worst ? quality : worst;
	}
	return worst;
}

/* The number of them; NAN where it is no number of events. */
static double assess_count_of(const struct report *report, const struct assessment_rule *rule, double value)
{
	return rule->role == ASSESS_ACCESSES || rule->role == ASSESS_MISSES
		       ? value * report->summary.instructions / 1000
		       : NOT_COUNTED;
}

/* Counts what the topic's figures lack, ASSESS_TOPICS: all of them. */
static struct action count_lacking(const struct evaluation *e, enum assessment_topic topic)
{
	const struct assessment_rules *rules = e->model->assessment;
	bool *is_named = arena_array(e->arena, e->model->count + 1, sizeof(*is_named));
	struct string text = STRING_INIT(e->arena);

	for (size_t i = 0; i < rules->count; i++)
		for (size_t k = 0; k < rules->items[i].nmetrics; k++) {
			size_t metric = rules->items[i].metrics[k];

			if (assess_is_counted(e, metric) || is_named[metric] ||
			    (topic != ASSESS_TOPICS && topic != rules->items[i].topic))
				continue;
			is_named[metric] = true;
			string_printf(&text, "%s%s", text.length ? "," : "", e->model->metrics[metric].title);
		}
	return hints_count_metrics(e, text.length ? text.text : NULL);
}

void assess_fill(struct evaluation *e)
{
	const struct assessment_rules *rules = e->model->assessment;
	struct report *report = e->report;
	double *inputs, *values;

	if (!rules || !rules->count)
		return;
	inputs = arena_array(e->arena, e->model->count + 1, sizeof(*inputs));
	values = arena_array(e->arena, program_size(rules->program) + 1, sizeof(*values));
	for (size_t i = 0; i < e->model->count; i++)
		inputs[i] = assess_is_counted(e, i) ? e->results[i].value : NOT_COUNTED;
	program_eval(rules->program, inputs, values);
	report->assessed = arena_array(e->arena, rules->count, sizeof(*report->assessed));
	for (size_t i = 0; i < rules->count; i++) {
		const struct assessment_rule *rule = &rules->items[i];
		struct assessed *row = &report->assessed[report->nassessed++];
		double value = rule->expression ? program_value(rules->program, values, i) : NOT_COUNTED;

		*row = (struct assessed){ .rule = rule, .value = value, .health = health_of(report, rule, value) };
		row->is_of_few = row->health == HEALTH_OK && is_beyond(rule, value, rule->good);
		row->count = assess_count_of(report, rule, value);
		row->quality = quality_of(e, row);
		row->reason = row->health == HEALTH_UNKNOWN ? reason_of(e, rule) : NULL;
	}
	report->actions.assess = count_lacking(e, ASSESS_TOPICS);
	for (enum assessment_topic topic = 0; topic < ASSESS_TOPICS; topic++)
		report->actions.assess_topics[topic] = count_lacking(e, topic);
}
