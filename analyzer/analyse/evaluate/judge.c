/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge.c - thresholds, bottlenecks and the worst path, and what is measured next below the bottlenecks. */
#include <math.h>
#include <string.h>

#include "analyse/evaluate/evaluation.h"
#include "analyse/verdict/headline.h"
#include "common/base/text.h"
#include "cpu/load/own_limit.h"

static void apply_thresholds(struct evaluation *e)
{
	const struct model *model = e->model;
	double *values = arena_array(e->arena, program_size(model->thresholds) + 1, sizeof(*values));

	program_eval(model->thresholds, e->unscaled, values);
	for (size_t i = 0; i < model->count; i++) {
		struct result *result = &e->results[i];
		double verdict = result->has_threshold ? program_value(model->thresholds, values, i) : NOT_COUNTED;

		result->over_threshold =
			!isnan(result->value) && !isnan(verdict) && verdict != 0 && !is_duration(result->metric);
	}
}

static bool has_missing_ancestor(const struct evaluation *e, size_t node)
{
	for (size_t up = e->model->metrics[node].parent; up != NO_PARENT; up = e->model->metrics[up].parent)
		if (!is_answered(e, up))
			return true;
	return false;
}

/*
 * Thresholds ask for the ancestors' values too, and a comparison with one that was not measured counts as false. Would
 * the threshold hold if that one were as large, or as small, as can be? (Other metrics that were not measured, such as
 * a child on a level that nobody asked for, decide nothing, and one whose formula divides by zero was measured.)
 */
static void find_open(struct evaluation *e, double stand_in)
{
	const struct model *model = e->model;
	double *inputs = arena_array(e->arena, model->count + 1, sizeof(*inputs));
	double *values = arena_array(e->arena, program_size(model->thresholds) + 1, sizeof(*values));

	for (size_t i = 0; i < model->count; i++)
		inputs[i] = is_answered(e, i) ? e->unscaled[i] : stand_in;
	program_eval(model->thresholds, inputs, values);
	for (size_t i = 0; i < model->nnodes; i++) {
		struct result *result = &e->results[i];
		double verdict = result->has_threshold ? program_value(model->thresholds, values, i) : NOT_COUNTED;

		if (!isnan(result->value) && !result->over_threshold && !isnan(verdict) && verdict != 0 &&
		    has_missing_ancestor(e, i))
			result->is_open = true;
	}
}

/*
 * Parents stand before their children, so their verdict is known, or known to be open: a node that was not
 * measured may be over its threshold.
 */
static void find_bottlenecks(struct evaluation *e)
{
	bool *may_be = arena_array(e->arena, e->model->nnodes + 1, sizeof(*may_be));

	for (size_t i = 0; i < e->model->nnodes; i++) {
		size_t parent = e->model->metrics[i].parent;
		struct result *result = &e->results[i];
		bool is_missing = !is_answered(e, i);
		bool may_be_over = result->over_threshold || result->is_open || (is_missing && result->has_threshold);

		result->is_bottleneck =
			result->over_threshold && (parent == NO_PARENT || e->results[parent].is_bottleneck);
		may_be[i] = may_be_over && (parent == NO_PARENT || may_be[parent]);
		result->is_unjudged = !is_missing && may_be[i] && !result->is_bottleneck;
	}
}

/* Retired slots are useful work: they are the worst only where nothing is lost. */
static bool is_useful(const struct metric *metric)
{
	return metric->level == 1 && is_same_name(metric->title, "Retiring");
}

static bool is_worse(const struct result *a, const struct result *b)
{
	if (!b)
		return true;
	if (is_useful(a->metric) != is_useful(b->metric))
		return is_useful(b->metric);
	return a->value > b->value;
}

#define IMPOSSIBLE_POINTS                                                                                              \
	5.0 /* beyond 0 ... 100 %: counts that do not belong together; toplev drops values from here on */

bool result_is_impossible(const struct result *result)
{
	return (result->quality == QUALITY_CLAMPED || result->quality == QUALITY_PRINTED) &&
	       fabs(result->raw - result->value) > IMPOSSIBLE_POINTS;
}

/* Bottlenecks that the report shows, and those above them: the worst path leads to what is shown. */
static bool *find_candidates(const struct evaluation *e)
{
	bool *is_candidate = arena_array(e->arena, e->model->nnodes + 1, sizeof(*is_candidate));

	for (size_t i = e->model->nnodes; i-- > 0;) {
		size_t parent = e->model->metrics[i].parent;

		is_candidate[i] |= e->shown[i] && e->results[i].is_bottleneck;
		is_candidate[i] &= !result_is_impossible(&e->results[i]);
		if (is_candidate[i] && parent != NO_PARENT)
			is_candidate[parent] = true;
	}
	return is_candidate;
}

static struct result *worst_child(struct evaluation *e, const bool *is_candidate, size_t parent)
{
	struct result *worst = NULL;

	for (size_t i = 0; i < e->model->nnodes; i++) {
		struct result *result = &e->results[i];

		if (is_candidate[i] && result->metric->parent == parent && is_worse(result, worst))
			worst = result;
	}
	return worst;
}

static void mark_worst_path(struct evaluation *e)
{
	const bool *is_candidate = find_candidates(e);
	struct result *worst = worst_child(e, is_candidate, NO_PARENT);

	while (worst) {
		worst->is_on_worst_path = true;
		e->report->worst = worst;
		worst = worst_child(e, is_candidate, (size_t)(worst - e->results));
	}
}

void lead_to(struct evaluation *e, struct result *worst)
{
	for (size_t i = 0; i < e->model->nnodes; i++)
		e->results[i].is_on_worst_path = false;
	e->report->worst = worst;
	for (size_t up = (size_t)(worst - e->results); up != NO_PARENT; up = e->model->metrics[up].parent)
		e->results[up].is_on_worst_path = true;
}

/* The other node of a cause that two of them count, where both are shown in one unit; NULL: there is none. */
static const struct result *partner_of(const struct evaluation *e, const struct result *node)
{
	const char *name = cause_partner(node->metric->name);

	for (size_t i = 0; name && i < e->model->nnodes; i++) {
		const struct result *other = &e->results[i];

		if (e->shown[i] && isfinite(other->value) && !strcmp(other->metric->name, name) &&
		    !strcmp(other->metric->unit, node->metric->unit) &&
		    compare_texts(other->metric->domain, node->metric->domain) == 0)
			return other;
	}
	return NULL;
}

double cause_value(const struct evaluation *e, const struct result *node)
{
	const struct result *partner = partner_of(e, node);

	return partner ? node->value + partner->value : node->value;
}

/* One cause in two branches may be larger than the worst node, though neither of its halves is. */
static void join_causes(struct evaluation *e)
{
	const bool *is_candidate = find_candidates(e);
	const struct result *worst = e->report->worst;
	struct result *largest = NULL;
	double most = worst ? cause_value(e, worst) : 0;

	for (size_t i = 0; worst && !is_useful(worst->metric) && i < e->model->nnodes; i++) {
		struct result *node = &e->results[i];
		const struct result *partner = is_candidate[i] ? partner_of(e, node) : NULL;

		if (!partner || node->value < partner->value || !(cause_value(e, node) > most) ||
		    compare_texts(node->metric->domain, worst->metric->domain) != 0)
			continue;
		most = cause_value(e, node);
		largest = node;
	}
	if (largest)
		lead_to(e, largest);
}

void results_judge(struct evaluation *e)
{
	apply_thresholds(e);
	find_open(e, INFINITY);
	find_open(e, -INFINITY);
	find_bottlenecks(e);
	mark_worst_path(e);
	join_causes(e);
}

/* ---- drill-down: measuring a tree step by step ---- */

/* Is the metric in one of these groups? Both are lists with ';'. */
static bool is_in_groups(const struct metric *metric, const char *groups)
{
	const char *wanted, *own;
	size_t length, own_length;

	while ((length = text_next(&groups, ";", &wanted)) > 0)
		for (const char *list = metric->groups; (own_length = text_next(&list, ";", &own)) > 0;)
			if (own_length == length && !memcmp(own, wanted, length))
				return true;
	return false;
}

/* Is the metric what is looked at next, below this node? */
static bool is_below(const struct metric *metric, const struct metric *node, const struct report *report)
{
	if (metric->level)
		return metric->parent != NO_PARENT && &report->model->metrics[metric->parent] == node;
	return is_in_groups(metric, node->next_groups);
}

static bool is_below_bottleneck(const struct metric *metric, const struct report *report)
{
	for (size_t i = 0; i < report->nnodes; i++)
		if (report->nodes[i].is_bottleneck && is_below(metric, report->nodes[i].metric, report))
			return true;
	return false;
}

size_t drill_next(size_t *items, bool *taken, const struct report *report, unsigned deepest)
{
	const struct model *model = report->model;
	size_t count = 0;

	for (size_t i = 0; i < model->count; i++) {
		const struct metric *metric = &model->metrics[i];

		if (taken[i] || metric->failure || metric->level > deepest || deepest < 2 ||
		    !is_below_bottleneck(metric, report))
			continue;
		taken[i] = true;
		items[count++] = i;
	}
	return count;
}

bool has_bottleneck_below(const struct report *report, const struct result *node)
{
	size_t number = (size_t)(node->metric - report->model->metrics);

	for (size_t i = 0; i < report->nnodes; i++)
		if (report->nodes[i].is_bottleneck && report->nodes[i].metric->parent == number)
			return true;
	return false;
}
