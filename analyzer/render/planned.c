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
	bool is_shortest = plan->ngroups <= plan->lower_bound;

	return arena_printf(page->arena, "lower bound %zu group%s, %s", plan->lower_bound, plural(plan->lower_bound),
			    is_shortest ? "so no plan is shorter" : "which no plan is known to reach");
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

static const char *titles(const struct page *page, const struct planned *planned, const size_t *metrics, size_t count)
{
	struct string names = STRING_INIT(page->arena);

	for (size_t i = 0; i < count; i++)
		string_printf(&names, "%s%s", i ? ", " : "", planned->model->metrics[metrics[i]].title);
	return names.text;
}

const char *planned_metrics(const struct page *page, const struct planned *planned, const struct plan_group *group)
{
	return titles(page, planned, group->metrics, group->nmetrics);
}

const char *planned_missing(const struct page *page, const struct planned *planned)
{
	return titles(page, planned, planned->plan->missing, planned->plan->nmissing);
}

size_t planned_place(const struct plan_group *group, size_t event)
{
	size_t i = 0;

	while (i < group->count && group->events[i] != event)
		i++;
	return i;
}

static void add_number(struct planned_numbers *numbers, const struct plan *plan, size_t event)
{
	bool is_planned = false;

	for (size_t i = 0; i < plan->ngroups && event != TABLE_NONE; i++)
		is_planned = is_planned || planned_place(&plan->groups[i], event) < plan->groups[i].count;
	if (!is_planned || numbers->of[event])
		return;
	numbers->events[numbers->count++] = event;
	numbers->of[event] = numbers->count;
}

struct planned_numbers planned_number(const struct page *page, const struct planned *planned)
{
	const struct plan *plan = planned->plan;
	const struct event_set *set = &planned->model->events;
	struct planned_numbers numbers = { .events = arena_array(page->arena, set->count + 1, sizeof(size_t)),
					   .of = arena_array(page->arena, set->count + 1, sizeof(size_t)) };

	for (size_t i = 0; i < ROLE_COUNT; i++)
		add_number(&numbers, plan, plan->roles[i]);
	for (size_t i = 0; i < set->count; i++)
		if (set->events[i].kind == EVENT_METRIC)
			add_number(&numbers, plan, i);
	for (size_t i = 0; i < plan->ngroups; i++)
		for (size_t k = 0; k < plan->groups[i].count; k++)
			add_number(&numbers, plan, plan->groups[i].events[k]);
	return numbers;
}

/* The first group that has the event; ngroups when all of them have it, or none. */
static size_t find_part(const struct plan *plan, size_t event)
{
	size_t first = plan->ngroups, groups = 0;

	for (size_t i = plan->ngroups; i > 0; i--)
		if (planned_place(&plan->groups[i - 1], event) < plan->groups[i - 1].count) {
			first = i - 1;
			groups++;
		}
	return groups == plan->ngroups ? plan->ngroups : first;
}

size_t planned_parts(const struct planned *planned, size_t metric, size_t *parts)
{
	const struct plan *plan = planned->plan;
	const struct metric *what = &planned->model->metrics[metric];
	size_t count = 0;

	for (size_t group = 0; group < plan->ngroups; group++)
		for (size_t i = 0; i < what->nevents; i++)
			if (find_part(plan, what->events[i]) == group) {
				parts[count++] = group;
				break;
			}
	return count;
}

const char *planned_combined(const struct page *page, const struct planned *planned)
{
	const struct plan *plan = planned->plan;
	size_t *parts = arena_array(page->arena, plan->ngroups, sizeof(*parts));
	struct string text = STRING_INIT(page->arena);

	for (size_t i = 0; i < plan->nsplit; i++) {
		size_t count = planned_parts(planned, plan->split[i], parts);

		string_printf(&text, "%s%s (", i ? ", " : "", planned->model->metrics[plan->split[i]].title);
		for (size_t k = 0; k < count; k++)
			string_printf(&text, "%s%zu", k ? "+" : "", parts[k] + 1);
		string_add(&text, ")");
	}
	return text.text;
}

/* Does the metric's value come from a group that shares its run? */
static bool is_scaled(const struct page *page, const struct planned *planned, size_t metric, size_t first)
{
	const struct plan *plan = planned->plan;
	size_t *parts = arena_array(page->arena, plan->ngroups, sizeof(*parts)), count = 0;

	for (size_t i = 0; i < plan->ngroups; i++)
		for (size_t k = 0; k < plan->groups[i].nmetrics; k++)
			if (plan->groups[i].metrics[k] == metric)
				return i >= first;
	for (size_t i = 0; i < plan->nsplit && !count; i++)
		if (plan->split[i] == metric)
			count = planned_parts(planned, metric, parts);
	return count && parts[count - 1] >= first;
}

/* The first group that shares its run, because runs with few groups come first. */
static size_t first_sharing(const struct plan_run *runs, size_t nruns)
{
	for (size_t i = 0; i < nruns; i++)
		if (runs[i].count > 1)
			return runs[i].first;
	return SIZE_MAX;
}

struct planned_fewer planned_fewer(const struct page *page, const struct planned *planned)
{
	const struct plan *plan = planned->plan;
	struct plan_run *runs = arena_array(page->arena, plan->ngroups + 1, sizeof(*runs));
	struct planned_fewer fewer = { .scaled = arena_array(page->arena, plan->nwanted + 1, sizeof(size_t)) };
	size_t now = first_sharing(plan->runs, plan->nruns);

	if (plan->nruns < 2)
		return fewer;
	fewer.max_runs = plan_divide(runs, plan->ngroups, plan->nruns - 1);
	fewer.first = first_sharing(runs, fewer.max_runs);
	fewer.most = runs[fewer.max_runs - 1].count;
	for (size_t i = 0; i < plan->nwanted; i++) {
		if (is_scaled(page, planned, plan->wanted[i], fewer.first))
			fewer.scaled[fewer.nscaled++] = plan->wanted[i];
		fewer.nscaled_now += is_scaled(page, planned, plan->wanted[i], now);
	}
	return fewer;
}

const char *planned_fewer_text(const struct page *page, const struct planned *planned)
{
	const struct plan *plan = planned->plan;
	struct planned_fewer fewer = planned_fewer(page, planned);
	struct string text = STRING_INIT(page->arena);

	if (!fewer.max_runs)
		return "";
	string_printf(&text,
		      "One run fewer (--max-runs %zu): groups %zu %s %zu share %s, and %zu of %zu metrics are scaled",
		      fewer.max_runs, fewer.first + 1, plan->ngroups - fewer.first > 2 ? "to" : "and", plan->ngroups,
		      plan->ngroups - fewer.first > fewer.most ? "runs" : "a run", fewer.nscaled,
		      plan->nwanted - plan->nmissing);
	if (fewer.nscaled_now)
		string_printf(&text, " (now %zu)", fewer.nscaled_now);
	string_printf(&text, ", counted for 1/%zu of the time%s.", fewer.most,
		      plan->ngroups - fewer.first > fewer.most ? " or more" : "");
	return text.text;
}
