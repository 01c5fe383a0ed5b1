/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_data.c - a plan for machines: its events in runs and groups as JSON, and a line for each of them as CSV. */
#include "present/plan/plan_view.h"

/* Of an event in its group. */
static const struct column event_columns[] = {
	{ .key = "name", .csv = "event" },
	{ .key = "perf" },
	{ .key = "counter" },
	{ .key = "counter_index" },
};

#define EVENT COUNT_OF(event_columns)

/* Number i of the group's events. */
static void event_cells(struct cell cells[EVENT], const struct plan_view *planned, const struct plan_group *group,
			size_t i, struct arena *arena)
{
	int index = counter_index(group, i);

	cells[0] = text_cell(planned_event(planned, group, i)->name);
	cells[1] = text_cell(planned_perf(arena, planned, group, i));
	cells[2] = text_cell(counter_kind(arena, planned, group, i));
	cells[3] = index < 0 ? absent_cell() : whole_cell((size_t)index);
}

/* The names of metrics, as a list of which CSV has ';' between them. */
static struct cell metrics_cell(const struct plan_view *planned, const size_t *metrics, size_t count,
				struct arena *arena)
{
	const char **names = arena_array(arena, count, sizeof(*names));

	for (size_t i = 0; i < count; i++)
		names[i] = planned->model->metrics[metrics[i]].name;
	return names_cell(arena, names, count);
}

static struct cell counters_cell(const struct plan_limits *limits, struct arena *arena)
{
	struct cell *fixed = arena_array(arena, 64 - FIXED_COUNTER, sizeof(*fixed));
	size_t count = 0;

	for (size_t i = 0; i < 64 - FIXED_COUNTER; i++)
		if (limits->fixed >> (FIXED_COUNTER + i) & 1)
			fixed[count++] = whole_cell(i);
	return object_cell(arena,
			   MEMBERS({ "general", whole_cell(limits->general) }, { "fixed", list_cell(fixed, count) },
				   { "perf_metrics", truth_cell(limits->has_metrics) },
				   { "nmi_watchdog", truth_cell(limits->has_watchdog) }));
}

static struct cell groups_cell(const struct plan_view *planned, const struct plan_run *run, struct arena *arena)
{
	struct grid *groups = grid_new(arena, NULL, 0);

	for (size_t number = run->first; number < run->first + run->count; number++) {
		const struct plan_group *group = &planned->plan->groups[number];
		struct grid *events = grid_new(arena, event_columns, EVENT);

		for (size_t i = 0; i < group->count; i++) {
			struct cell cells[EVENT];

			event_cells(cells, planned, group, i, arena);
			grid_add(events, cells, arena);
		}
		grid_members(groups, arena,
			     MEMBERS({ "group", whole_cell(number + 1) }, { "events", rows_cell(events) },
				     { "metrics", metrics_cell(planned, group->metrics, group->nmetrics, arena) }));
	}
	return rows_cell(groups);
}

static struct cell runs_cell(const struct plan_view *planned, struct arena *arena)
{
	struct grid *runs = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < planned->plan->nruns; i++)
		grid_members(runs, arena,
			     MEMBERS({ "run", whole_cell(i + 1) },
				     { "groups", groups_cell(planned, &planned->plan->runs[i], arena) }));
	return rows_cell(runs);
}

static const char *unit_event_perf(const struct plan_view *planned, const struct event *event, struct arena *arena)
{
	return event_perf_string(event, planned->model->events.pmu, "", arena);
}

/* Groups of PMUs beside the cores. */
static struct cell units_cell(const struct plan_view *planned, struct arena *arena)
{
	struct grid *units = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < planned->plan->nunits; i++) {
		const struct plan_unit *unit = &planned->plan->units[i];
		struct grid *events = grid_new(arena, NULL, 0);

		for (size_t k = 0; k < unit->count; k++) {
			const struct event *event = &planned->model->events.events[unit->events[k]];

			grid_members(events, arena,
				     MEMBERS({ "name", text_cell(event->name) },
					     { "perf", text_cell(unit_event_perf(planned, event, arena)) }));
		}
		grid_members(units, arena,
			     MEMBERS({ "run", whole_cell(unit->run + 1) }, { "pmu", text_cell(unit->unit) },
				     { "events", rows_cell(events) }));
	}
	return rows_cell(units);
}

/* The groups that metrics are brought together from which no group has whole. */
static struct cell split_over_cell(const struct plan_view *planned, struct arena *arena)
{
	const struct plan *plan = planned->plan;
	struct member *metrics = arena_array(arena, plan->nsplit, sizeof(*metrics));
	size_t *parts = arena_array(arena, plan->ngroups + 1, sizeof(*parts));

	for (size_t i = 0; i < plan->nsplit; i++) {
		size_t count = planned_parts(arena, planned, plan->split[i], parts);
		struct cell *numbers = arena_array(arena, count, sizeof(*numbers));

		for (size_t k = 0; k < count; k++)
			numbers[k] = whole_cell(parts[k] + 1);
		metrics[i] = (struct member){ planned->model->metrics[plan->split[i]].name, list_cell(numbers, count) };
	}
	return object_cell(arena, metrics, plan->nsplit);
}

/* Those that no group can have whole. */
static struct cell too_large_cell(const struct plan_view *planned, struct arena *arena)
{
	const struct plan *plan = planned->plan;
	size_t *large = arena_array(arena, plan->nsplit, sizeof(*large)), count = 0;

	for (size_t i = 0; i < plan->nsplit; i++)
		if (planned_is_large(arena, planned, plan->split[i]))
			large[count++] = plan->split[i];
	return metrics_cell(planned, large, count, arena);
}

/* Nothing where there is only one run. Without a first group, which is SIZE_MAX, only units' groups share counters. */
static struct cell fewer_cell(const struct plan_view *planned, struct arena *arena)
{
	struct planned_fewer fewer = planned_fewer(arena, planned);

	if (!fewer.max_runs)
		return text_cell(NULL);
	return object_cell(arena, MEMBERS({ "max_runs", whole_cell(fewer.max_runs) },
					  { "first_shared_group", known_cell(fewer.first + 1) },
					  { "share", exact_cell(1 / (double)fewer.most) },
					  { "scaled", metrics_cell(planned, fewer.scaled, fewer.nscaled, arena) }));
}

static struct cell plan_cell(const struct plan_view *planned, struct arena *arena)
{
	const struct plan *plan = planned->plan;
	const struct model *model = planned->model;

	return object_cell(
		arena,
		MEMBERS({ "format", text_cell("topdown-plan") }, { "version", whole_cell(1) },
			{ "part", planned->part ? text_cell(planned->part) : absent_cell() },
			{ "cpu", text_cell(model->cpu) }, { "level", known_cell(plan->level) },
			{ "smt", truth_cell(model->events.smt_on) }, { "form", text_cell(model_form_word(model)) },
			{ "generic", text_cell(model->generic) }, { "counters", counters_cell(&plan->limits, arena) },
			{ "runs", runs_cell(planned, arena) }, { "units", units_cell(planned, arena) },
			{ "split", metrics_cell(planned, plan->split, plan->nsplit, arena) },
			{ "split_over", split_over_cell(planned, arena) },
			{ "too_large", too_large_cell(planned, arena) },
			{ "not_countable", metrics_cell(planned, plan->missing, plan->nmissing, arena) },
			{ "lower_bound", whole_cell(plan->lower_bound) },
			{ "optimal", truth_cell(plan->ngroups <= plan->lower_bound) },
			{ "one_run_fewer", fewer_cell(planned, arena) }));
}

void plan_json(struct json_writer *writer, const void *what, struct arena *arena)
{
	const struct plan_set *set = what;
	struct cell *parts = arena_array(arena, set->count, sizeof(*parts));

	for (size_t i = 0; i < set->count; i++) {
		const struct plan_view planned = plan_view_init(&set->parts[i], arena);

		parts[i] = plan_cell(&planned, arena);
	}
	if (set->count == 1)
		json_inside(writer, parts);
	else
		json_members(writer, MEMBERS({ "format", text_cell("topdown-plans") }, { "version", whole_cell(1) },
					     { "parts", list_cell(parts, set->count) }));
}

/* Where an event stands, before and behind its own fields. */
static const struct column place_columns[] = { { .key = "run" }, { .key = "group" } },
			   end_columns[] = { { .key = "metrics" }, { .key = "part" }, { .key = "cpu" } };

/* NULL: the names of the columns. */
static void put_event(struct sheet *sheet, const struct cell *place, const struct cell *event, const struct cell *end)
{
	csv_cells(sheet, place_columns, place, COUNT_OF(place_columns));
	csv_cells(sheet, event_columns, event, EVENT);
	csv_cells(sheet, end_columns, end, COUNT_OF(end_columns));
	csv_end(sheet);
}

static void put_group(struct sheet *sheet, const struct plan_view *planned, size_t run, size_t number)
{
	const struct plan_group *group = &planned->plan->groups[number];
	const struct cell place[] = { whole_cell(run + 1), whole_cell(number + 1) };
	const struct cell end[] = { metrics_cell(planned, group->metrics, group->nmetrics, sheet->arena),
				    text_cell(planned->part), text_cell(planned->model->cpu) };

	for (size_t i = 0; i < group->count; i++) {
		struct cell event[EVENT];

		event_cells(event, planned, group, i, sheet->arena);
		put_event(sheet, place, event, end);
	}
}

/* Of PMUs beside the cores, which are in no group of the cores' counters. */
static void put_units(struct sheet *sheet, const struct plan_view *planned)
{
	for (size_t i = 0; i < planned->plan->nunits; i++) {
		const struct plan_unit *unit = &planned->plan->units[i];
		const struct cell place[] = { whole_cell(unit->run + 1), absent_cell() };
		const struct cell end[] = { absent_cell(), text_cell(planned->part), text_cell(planned->model->cpu) };

		for (size_t k = 0; k < unit->count; k++) {
			const struct event *event = &planned->model->events.events[unit->events[k]];

			put_event(sheet, place,
				  (const struct cell[EVENT]){ text_cell(event->name),
							      text_cell(unit_event_perf(planned, event, sheet->arena)),
							      text_cell("unit") },
				  end);
		}
	}
}

void plan_csv(struct sheet *sheet, const void *what)
{
	const struct plan_set *set = what;

	put_event(sheet, NULL, NULL, NULL);
	for (size_t i = 0; i < set->count; i++) {
		const struct plan_view planned = plan_view_init(&set->parts[i], sheet->arena);

		for (size_t j = 0; j < planned.plan->nruns; j++)
			for (size_t k = 0; k < planned.plan->runs[j].count; k++)
				put_group(sheet, &planned, j, planned.plan->runs[j].first + k);
		put_units(sheet, &planned);
	}
}
