/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/planned.h"

const struct event *planned_event(const struct planned *planned, const struct plan_group *group, size_t i)
{
	return &planned->model->events.events[group->events[i]];
}

const char *planned_perf(const struct page *page, const struct planned *planned, const struct plan_group *group,
			 size_t i)
{
	return event_perf_string(planned_event(planned, group, i), planned->model->events.pmu, "", page->arena);
}

const char *counter_kind(const struct page *page, const struct planned *planned, const struct plan_group *group,
			 size_t i)
{
	int counter = group->counters[i];

	if (counter >= FIXED_COUNTER)
		return arena_printf(page->arena, "fixed%d", counter - FIXED_COUNTER);
	if (counter >= 0)
		return "gp";
	switch (planned_event(planned, group, i)->kind) {
	case EVENT_METRIC: return "metric";
	case EVENT_DURATION:
	case EVENT_TSC: return "tool";
	default: return "gp";
	}
}

int counter_index(const struct plan_group *group, size_t i)
{
	int counter = group->counters[i];

	return counter >= 0 && counter < FIXED_COUNTER ? counter : -1;
}

const char *counter_name(const struct page *page, const struct planned *planned, const struct plan_group *group,
			 size_t i)
{
	const char *kind = counter_kind(page, planned, group, i);
	int index = counter_index(group, i);

	return index < 0 ? kind : arena_printf(page->arena, "%s%d", kind, index);
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* What is known about shorter plans. */
static const char *planned_proof(const struct page *page, const struct plan *plan)
{
	if (plan->ngroups <= plan->lower_bound)
		return "no plan needs fewer groups";
	return arena_printf(page->arena, "any plan needs %zu group%s or more", plan->lower_bound,
			    plural(plan->lower_bound));
}

/* Nodes that a plan of this level would have. */
static size_t count_level(const struct planned *planned)
{
	size_t count = 0;

	for (size_t i = 0; i < planned->model->nnodes; i++)
		count +=
			planned->model->metrics[i].level <= planned->plan->level && !planned->model->metrics[i].failure;
	return count;
}

const char *planned_subject(const struct page *page, const struct planned *planned)
{
	const struct plan *plan = planned->plan;
	size_t nodes = 0, others;
	const char *text;

	for (size_t i = 0; i < plan->nwanted; i++)
		nodes += plan->wanted[i] < planned->model->nnodes;
	others = plan->nwanted - nodes;
	if (nodes == count_level(planned) && plan->level)
		return arena_printf(page->arena, "level %u", plan->level);
	if (!nodes)
		return arena_printf(page->arena, "%zu metric%s", others, plural(others));
	text = arena_printf(page->arena, "%zu node%s", nodes, plural(nodes));
	return others ? arena_printf(page->arena, "%s and %zu metric%s", text, others, plural(others)) : text;
}

const char *planned_size(const struct page *page, const struct plan *plan)
{
	size_t least = plan->nruns ? plan->runs[0].count : 0, most = least;
	const char *range;

	for (size_t i = 1; i < plan->nruns; i++) {
		least = plan->runs[i].count < least ? plan->runs[i].count : least;
		most = plan->runs[i].count > most ? plan->runs[i].count : most;
	}
	range = least == most ? arena_printf(page->arena, "%zu", most)
			      : arena_printf(page->arena, "%zu to %zu", least, most);
	return arena_printf(page->arena, "%zu run%s of %s group%s; %s", plan->nruns, plural(plan->nruns), range,
			    plural(most), planned_proof(page, plan));
}

const char *planned_metrics(const struct page *page, const struct planned *planned, const struct plan_group *group)
{
	struct string names = STRING_INIT(page->arena);

	for (size_t i = 0; i < group->nmetrics; i++)
		string_printf(&names, "%s%s", i ? ", " : "", planned->model->metrics[group->metrics[i]].title);
	return names.text;
}
