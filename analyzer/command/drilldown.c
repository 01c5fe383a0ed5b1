/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/drilldown.h"

#include <stdio.h>

#include "base/text.h"
#include "evaluate/drill.h"
#include "evaluate/evaluate.h"

void drilldown_init(struct drilldown *drilldown, struct plan **plans, const struct target_types *types,
		    struct arena *arena)
{
	drilldown->types = types;
	drilldown->plans = plans;
	drilldown->arena = arena;
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

/* The bottlenecks below which the items are; metrics that explain a node have no parent, so there the worst is named. */
static const char *parents(const struct report *report, const size_t *items, size_t count, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < report->nnodes; i++)
		if (report->nodes[i].is_bottleneck && has_child(report, &report->nodes[i], items, count))
			string_printf(&text, "%s%s", text.length ? ", " : "", report->nodes[i].metric->title);
	return text.length || !report->worst ? text.text : report->worst->metric->title;
}

/* What is left of a type when there is nothing below its bottlenecks. */
static void tell_end(const struct report *report, const struct drilldown *drilldown)
{
	const struct result *worst = report->worst;

	if (!worst)
		fputs("topdown: drill-down ends: no node is over its threshold\n", stderr);
	else if (worst->metric->level >= drilldown->deepest)
		fprintf(stderr, "topdown: drill-down ends at %s, on level %u, as deep as -l allows\n",
			worst->metric->title, worst->metric->level);
	else
		fprintf(stderr,
			"topdown: drill-down ends at %s: nothing that can be measured below it is over its threshold\n",
			worst->metric->title);
}

static size_t find_next(size_t *items, struct report *report, const struct drilldown *drilldown,
			const struct counts *counts, size_t type)
{
	const struct model *model = &drilldown->types->items[type].model;
	struct counts deep = *counts;
	struct error err = { 0 };

	deep.level = drilldown->deepest;
	if (evaluate(report, model, &deep, drilldown->arena, &err) < 0)
		return 0;
	return drill_next(items, drilldown->taken[type], report, drilldown->deepest);
}

/* True when the type has a next step. */
static bool step_type(struct drilldown *drilldown, const struct counts *counts, size_t type, size_t runs)
{
	const struct model *model = &drilldown->types->items[type].model;
	struct plan *plan = drilldown->plans[type], next;
	struct plan_request request = { .limits = plan->limits, .max_runs = drilldown->max_runs };
	size_t *items = arena_array(drilldown->arena, model->count + 1, sizeof(*items));
	struct error err = { 0 };
	struct report report = { .worst = NULL };

	request.wanted = items;
	request.nwanted = find_next(items, &report, drilldown, counts, type);
	request.level = drilldown->deepest;
	if (!request.nwanted || plan_build(&next, model, &request, drilldown->arena, &err) < 0) {
		tell_end(&report, drilldown);
		return false;
	}
	plan_append(plan, &next, runs, drilldown->arena);
	fprintf(stderr, "topdown: step %zu%s%s: below %s: %s (%zu run%s)\n", drilldown->step + 1,
		counts->part ? ", " : "", counts->part ? counts->part : "",
		parents(&report, items, request.nwanted, drilldown->arena),
		titles(model, items, request.nwanted, drilldown->arena), next.nruns, next.nruns == 1 ? "" : "s");
	return true;
}

bool drilldown_further(struct drilldown *drilldown, const struct measurement *so_far, size_t runs)
{
	bool has_next = false;

	for (size_t i = 0; i < so_far->count && i < drilldown->types->count; i++)
		has_next = step_type(drilldown, &so_far->parts[i], i, runs) || has_next;
	drilldown->step++;
	return has_next;
}
