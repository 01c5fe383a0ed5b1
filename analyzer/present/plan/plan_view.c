/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/plan/plan_view.h"

#include <string.h>

#include "common/base/cover.h"

struct plan_view plan_view_init(const struct plan_part *part, struct arena *arena)
{
	struct plan_view planned = { .plan = part->plan, .model = part->model, .part = part->part };
	const struct model *model = part->model;
	const struct plan *plan = part->plan;

	planned.holders = arena_array(arena, model->events.count + 1, sizeof(size_t));
	planned.homes = arena_array(arena, model->count + 1, sizeof(size_t));
	for (size_t i = 0; i < model->count; i++)
		planned.homes[i] = NO_PLAN_GROUP;
	for (size_t i = plan->ngroups; i > 0; i--) {
		const struct plan_group *group = &plan->groups[i - 1];

		for (size_t k = 0; k < group->count; k++)
			planned.holders[group->events[k]]++;
		for (size_t k = 0; k < group->nmetrics; k++)
			planned.homes[group->metrics[k]] = i - 1;
	}
	return planned;
}

const struct event *planned_event(const struct plan_view *planned, const struct plan_group *group, size_t i)
{
	return &planned->model->events.events[group->events[i]];
}

const char *planned_perf(struct arena *arena, const struct plan_view *planned, const struct plan_group *group, size_t i)
{
	return event_perf_string(planned_event(planned, group, i), planned->model->events.pmu, "", arena);
}

const char *counter_kind(struct arena *arena, const struct plan_view *planned, const struct plan_group *group, size_t i)
{
	int counter = group->counters[i];

	if (counter >= FIXED_COUNTER)
		return arena_printf(arena, "fixed%d", counter - FIXED_COUNTER);
	if (counter >= 0)
		return "gp";
	switch (planned_event(planned, group, i)->kind) {
	case EVENT_METRIC: return "metric";
	case EVENT_DURATION:
	case EVENT_TSC:
	case EVENT_CPU_TIME:
	case EVENT_SOFTWARE: return "tool";
	case EVENT_UNIT: return "unit";
	default: return "gp";
	}
}

int counter_index(const struct plan_group *group, size_t i)
{
	int counter = group->counters[i];

	return counter >= 0 && counter < FIXED_COUNTER ? counter : -1;
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* What is known about shorter plans. */
static const char *planned_proof(struct arena *arena, const struct plan *plan)
{
	return arena_printf(arena, "lower bound %zu: %sproven minimal", plan->lower_bound,
			    plan->ngroups <= plan->lower_bound ? "" : "not ");
}

/* Nodes that a plan of this level would have. */
static size_t count_level(const struct plan_view *planned)
{
	size_t count = 0;

	for (size_t i = 0; i < planned->model->nnodes; i++)
		count +=
			planned->model->metrics[i].level <= planned->plan->level && !planned->model->metrics[i].failure;
	return count;
}

const char *planned_subject(struct arena *arena, const struct plan_view *planned)
{
	const struct plan *plan = planned->plan;
	size_t nodes = 0, others;
	const char *text;

	for (size_t i = 0; i < plan->nwanted; i++)
		nodes += plan->wanted[i] < planned->model->nnodes;
	others = plan->nwanted - nodes;
	if (nodes == count_level(planned) && plan->level)
		return arena_printf(arena, "level %u", plan->level);
	if (!nodes)
		return arena_printf(arena, "%zu metric%s", others, plural(others));
	text = arena_printf(arena, "%zu node%s", nodes, plural(nodes));
	return others ? arena_printf(arena, "%s and %zu metric%s", text, others, plural(others)) : text;
}

const char *planned_size(struct arena *arena, const struct plan *plan)
{
	return arena_printf(arena, "%zu group%s in %zu run%s (%s)", plan->ngroups, plural(plan->ngroups), plan->nruns,
			    plural(plan->nruns), planned_proof(arena, plan));
}

const char *planned_runs(struct arena *arena, const struct plan_set *set)
{
	size_t most = 0;

	for (size_t i = 0; i < set->count; i++)
		most = set->parts[i].plan->nruns > most ? set->parts[i].plan->nruns : most;
	return arena_printf(arena, "The types of cores are counted at the same time: %zu run%s for all of it.", most,
			    plural(most));
}

static const char *titles(struct arena *arena, const struct plan_view *planned, const size_t *metrics, size_t count)
{
	struct string names = STRING_INIT(arena);

	for (size_t i = 0; i < count; i++)
		string_printf(&names, "%s%s", i ? ", " : "", planned->model->metrics[metrics[i]].title);
	return names.text;
}

const char *planned_metrics(struct arena *arena, const struct plan_view *planned, const struct plan_group *group)
{
	return titles(arena, planned, group->metrics, group->nmetrics);
}

const char *planned_missing(struct arena *arena, const struct plan_view *planned)
{
	return titles(arena, planned, planned->plan->missing, planned->plan->nmissing);
}

size_t planned_place(const struct plan_group *group, size_t event)
{
	size_t i = 0;

	while (i < group->count && group->events[i] != event)
		i++;
	return i;
}

static void add_number(struct planned_numbers *numbers, const struct plan_view *planned, size_t event)
{
	if (event == TABLE_NONE || !planned->holders[event] || numbers->of[event])
		return;
	numbers->events[numbers->count++] = event;
	numbers->of[event] = numbers->count;
}

struct planned_numbers planned_number(struct arena *arena, const struct plan_view *planned)
{
	const struct plan *plan = planned->plan;
	const struct event_set *set = &planned->model->events;
	struct planned_numbers numbers = { .events = arena_array(arena, set->count + 1, sizeof(size_t)),
					   .of = arena_array(arena, set->count + 1, sizeof(size_t)) };

	for (size_t i = 0; i < ROLE_COUNT; i++)
		add_number(&numbers, planned, plan->roles[i]);
	for (size_t i = 0; i < set->count; i++)
		if (set->events[i].kind == EVENT_METRIC)
			add_number(&numbers, planned, i);
	for (size_t i = 0; i < plan->ngroups; i++)
		for (size_t k = 0; k < plan->groups[i].count; k++)
			add_number(&numbers, planned, plan->groups[i].events[k]);
	return numbers;
}

/* Which group counts which of the metric's events. */
static struct cover cover_of(struct arena *arena, const struct plan_view *planned, const struct metric *metric)
{
	const struct plan *plan = planned->plan;
	bool *has = arena_array(arena, plan->ngroups * metric->nevents + 1, sizeof(*has));

	for (size_t g = 0; g < plan->ngroups; g++)
		for (size_t i = 0; i < metric->nevents; i++)
			has[g * metric->nevents + i] =
				planned_place(&plan->groups[g], metric->events[i]) < plan->groups[g].count;
	return (struct cover){ .nsets = plan->ngroups, .nitems = metric->nevents, .has = has };
}

size_t planned_parts(struct arena *arena, const struct plan_view *planned, size_t metric, size_t *parts)
{
	const struct metric *what = &planned->model->metrics[metric];
	const struct cover cover = cover_of(arena, planned, what);
	bool *is_left = arena_array(arena, what->nevents + 1, sizeof(*is_left));
	size_t count = 0, group;

	for (size_t i = 0; i < what->nevents; i++)
		is_left[i] = true;
	while ((group = cover_next(&cover, is_left, NULL)) != TABLE_NONE) {
		size_t place = count++;

		(void)cover_take(&cover, group, is_left);
		for (; place > 0 && parts[place - 1] > group; place--)
			parts[place] = parts[place - 1];
		parts[place] = group;
	}
	return count;
}

bool planned_is_large(struct arena *arena, const struct plan_view *planned, size_t metric)
{
	const struct plan *plan = planned->plan;
	const struct metric *what = &planned->model->metrics[metric];
	const struct event_set *set = &planned->model->events;
	size_t *events = arena_array(arena, what->nevents + 1, sizeof(*events)), count = 0;
	bool has_field = false, has_slots = plan->roles[ROLE_SLOTS] == TABLE_NONE;

	for (size_t i = 0; i < what->nevents; i++) {
		if (!planned->holders[what->events[i]]) /* times, which take no counter */
			continue;
		events[count++] = what->events[i];
		has_field = has_field || set->events[what->events[i]].kind == EVENT_METRIC;
		has_slots = has_slots || what->events[i] == plan->roles[ROLE_SLOTS];
	}
	if (has_field && !has_slots)
		events[count++] = plan->roles[ROLE_SLOTS];
	return !plan_fits(&plan->limits, set, events, count, NULL);
}

const char *planned_combined(struct arena *arena, const struct plan_view *planned)
{
	const struct plan *plan = planned->plan;
	size_t *parts = arena_array(arena, plan->ngroups + 1, sizeof(*parts));
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < plan->nsplit; i++) {
		size_t count = planned_parts(arena, planned, plan->split[i], parts);

		string_printf(&text, "%s%s%s (", i ? ", " : "", planned->model->metrics[plan->split[i]].title,
			      planned_is_large(arena, planned, plan->split[i]) ? "*" : "");
		for (size_t k = 0; k < count; k++)
			string_printf(&text, "%s%zu", k ? "+" : "", parts[k] + 1);
		string_add(&text, ")");
	}
	return text.text;
}

/* Does the metric's value come from a group that shares its run? */
static bool is_scaled(struct arena *arena, const struct plan_view *planned, size_t metric, size_t first)
{
	const struct plan *plan = planned->plan;
	size_t *parts, count = 0;

	if (planned->homes[metric] != NO_PLAN_GROUP)
		return planned->homes[metric] >= first;
	parts = arena_array(arena, plan->ngroups + 1, sizeof(*parts));
	for (size_t i = 0; i < plan->nsplit && !count; i++)
		if (plan->split[i] == metric)
			count = planned_parts(arena, planned, metric, parts);
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

/* Of a PMU as many groups as there are runs: with one run fewer two of them share its counters. */
static bool is_fullest(const struct plan *plan, const struct plan_unit *unit)
{
	for (size_t i = 0; i < plan->nunits; i++)
		if (plan->units[i].run + 1 == plan->nruns && !strcmp(plan->units[i].unit, unit->unit))
			return true;
	return false;
}

/* Does the metric read what the first or the last run counts of such a PMU? */
static bool is_unit_scaled(const struct plan_view *planned, const struct metric *metric)
{
	const struct plan *plan = planned->plan;
	const struct event *events = planned->model->events.events;

	for (size_t i = 0; i < plan->nunits; i++) {
		const struct plan_unit *unit = &plan->units[i];
		bool is_sharing = (unit->run == 0 || unit->run + 1 == plan->nruns) && is_fullest(plan, unit);

		for (size_t k = 0; is_sharing && k < unit->count; k++)
			for (size_t n = 0; n < metric->nevents; n++)
				if (events[metric->events[n]].same_as == events[unit->events[k]].same_as)
					return true;
	}
	return false;
}

/* The last run is for units alone. */
static struct planned_fewer fewer_units(struct arena *arena, const struct plan_view *planned)
{
	const struct plan *plan = planned->plan;
	struct planned_fewer fewer = { .max_runs = plan->nruns - 1, .first = SIZE_MAX, .most = 2 };

	fewer.scaled = arena_array(arena, plan->nwanted + 1, sizeof(size_t));
	for (size_t i = 0; i < plan->nwanted; i++)
		if (is_unit_scaled(planned, &planned->model->metrics[plan->wanted[i]]))
			fewer.scaled[fewer.nscaled++] = plan->wanted[i];
	return fewer;
}

struct planned_fewer planned_fewer(struct arena *arena, const struct plan_view *planned)
{
	const struct plan *plan = planned->plan;
	struct plan_run *runs = arena_array(arena, plan->ngroups + 1, sizeof(*runs));
	struct planned_fewer fewer = { .scaled = arena_array(arena, plan->nwanted + 1, sizeof(size_t)) };
	size_t now = first_sharing(plan->runs, plan->nruns);

	if (plan->nruns < 2)
		return fewer;
	if (plan->nfor_units)
		return fewer_units(arena, planned);
	fewer.max_runs = plan_divide(runs, plan->ngroups, plan->nruns - 1);
	fewer.first = first_sharing(runs, fewer.max_runs);
	fewer.most = runs[fewer.max_runs - 1].count;
	for (size_t i = 0; i < plan->nwanted; i++) {
		if (is_scaled(arena, planned, plan->wanted[i], fewer.first))
			fewer.scaled[fewer.nscaled++] = plan->wanted[i];
		fewer.nscaled_now += is_scaled(arena, planned, plan->wanted[i], now);
	}
	return fewer;
}

const char *planned_fewer_text(struct arena *arena, const struct plan_view *planned)
{
	const struct plan *plan = planned->plan;
	struct planned_fewer fewer = planned_fewer(arena, planned);
	struct string text = STRING_INIT(arena);

	if (!fewer.max_runs)
		return "";
	if (plan->nfor_units)
		return arena_worded(arena,
				    "One run fewer ({max-runs} %zu): groups of uncore PMUs share a run, and %zu of %zu "
				    "metrics are scaled.",
				    fewer.max_runs, fewer.nscaled, plan->nwanted - plan->nmissing);
	string_add(
		&text,
		arena_worded(
			arena,
			"One run fewer ({max-runs} %zu): groups %zu %s %zu share %s, and %zu of %zu metrics are scaled",
			fewer.max_runs, fewer.first + 1, plan->ngroups - fewer.first > 2 ? "to" : "and", plan->ngroups,
			plan->ngroups - fewer.first > fewer.most ? "runs" : "a run", fewer.nscaled,
			plan->nwanted - plan->nmissing));
	if (fewer.nscaled_now)
		string_printf(&text, " (now %zu)", fewer.nscaled_now);
	string_printf(&text, ", counted for 1/%zu of the time%s.", fewer.most,
		      plan->ngroups - fewer.first > fewer.most ? " or more" : "");
	return text.text;
}
