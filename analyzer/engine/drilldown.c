/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/steps.h"

#include "analyse/evaluate/evaluate.h"
#include "common/base/text.h"

void drilldown_init(struct drilldown *drilldown, struct plan **plans, const struct target_types *types,
		    const struct request *request)
{
	struct arena *arena = request->arena;

	drilldown->types = types;
	drilldown->plans = plans;
	drilldown->request = request;
	drilldown->step = 1;
	drilldown->taken = arena_array(arena, types->count, sizeof(*drilldown->taken));
	for (size_t i = 0; i < types->count; i++) {
		drilldown->taken[i] = arena_array(arena, types->items[i].model.count, sizeof(bool));
		for (size_t k = 0; k < plans[i]->nwanted; k++)
			drilldown->taken[i][plans[i]->wanted[k]] = true;
	}
}

/* "Memory_Bound, Core_Bound" */
static const char *titles(const struct model *model, const size_t *items, size_t count, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < count; i++)
		string_printf(&text, "%s%s", i ? ", " : "", model->metrics[items[i]].title);
	return text.text;
}

static bool has_child(const struct report *report, const struct result *node, const size_t *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t parent = report->model->metrics[items[i]].parent;

		if (parent != NO_PARENT && &report->model->metrics[parent] == node->metric)
			return true;
	}
	return false;
}

/*
 * The bottlenecks below which the items are; metrics that explain a node have no parent, so there the worst is named.
 */
static const char *parents(const struct report *report, const size_t *items, size_t count, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < report->nnodes; i++)
		if (report->nodes[i].is_bottleneck && has_child(report, &report->nodes[i], items, count))
			string_printf(&text, "%s%s", text.length ? ", " : "", report->nodes[i].metric->title);
	return text.length || !report->worst ? text.text : report->worst->metric->title;
}

/* Why a type has no next step. */
static void report_end(const struct report *report, const struct drilldown *drilldown, const struct error *err)
{
	const struct result *worst = report->worst;

	if (is_error(err))
		request_notice(drilldown->request, NOTICE_WARNING, "drill-down ends: %s", err->text);
	else if (!worst)
		request_notice(drilldown->request, NOTICE_PLAIN, "drill-down ends: no node is over its threshold");
	else if (worst->metric->level >= drilldown->deepest)
		request_notice(drilldown->request, NOTICE_PLAIN,
			       "drill-down ends at %s, on level %u, as deep as {l} allows", worst->metric->title,
			       worst->metric->level);
	else
		request_notice(drilldown->request, NOTICE_PLAIN,
			       "drill-down ends at %s: nothing that can be measured below it is over its threshold",
			       worst->metric->title);
}

/* Evaluates what was counted so far, with all nodes that may come next. */
static int evaluate_deep(struct report *report, const struct drilldown *drilldown, const struct counts *counts,
			 size_t type, struct error *err)
{
	struct counts deep = *counts;

	deep.question.level = drilldown->deepest;
	return evaluate(report, &drilldown->types->items[type].model, &deep, drilldown->request->arena, err);
}

/* True when the type has a next step. */
static bool step_type(struct drilldown *drilldown, const struct counts *counts, size_t type, size_t runs)
{
	const struct model *model = &drilldown->types->items[type].model;
	struct arena *arena = drilldown->request->arena;
	struct plan *plan = drilldown->plans[type], next;
	struct plan_request request = { .limits = plan->limits,
					.max_runs = drilldown->max_runs,
					.level = drilldown->deepest };
	size_t *items = arena_array(arena, model->count + 1, sizeof(*items));
	struct error err = { .text = "" };
	struct report report = { .worst = NULL };

	request.wanted = items;
	if (evaluate_deep(&report, drilldown, counts, type, &err) == 0)
		request.nwanted = drill_next(items, drilldown->taken[type], &report, drilldown->deepest);
	if (!request.nwanted || plan_build(&next, model, &request, arena, &err) < 0) {
		report_end(&report, drilldown, &err);
		return false;
	}
	plan_append(plan, &next, runs, arena);
	request_notice(drilldown->request, NOTICE_PLAIN, "step %zu%s%s: below %s: %s (%zu run%s)", drilldown->step + 1,
		       counts->origin.part ? ", " : "", counts->origin.part ? counts->origin.part : "",
		       parents(&report, items, request.nwanted, arena), titles(model, items, request.nwanted, arena),
		       next.nruns, next.nruns == 1 ? "" : "s");
	return true;
}

bool drilldown_extend(struct drilldown *drilldown, const struct measurement *so_far, size_t runs)
{
	bool has_next = false;

	if (!drilldown->request)
		return false;
	for (size_t i = 0; i < so_far->count && i < drilldown->types->count; i++)
		has_next = step_type(drilldown, &so_far->parts[i], i, runs) || has_next;
	drilldown->step++;
	return has_next;
}
