/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_data.c - a plan for machines: its events in runs and groups as JSON, and a line for each of them as CSV. */
#include "present/plan/planned.h"

/* Of an event in its group. */
static const struct column event_columns[] = {
	{ .key = "name", .csv = "event" },
	{ .key = "perf" },
	{ .key = "counter" },
	{ .key = "counter_index" },
};

#define EVENT COUNT_OF(event_columns)

/* Number i of the group's events. */
static void event_cells(struct cell cells[EVENT], const struct planned *planned, const struct plan_group *group,
			size_t i, struct arena *arena)
{
	int index = counter_index(group, i);

	cells[0] = text_cell(planned_event(planned, group, i)->name);
	cells[1] = text_cell(planned_perf(arena, planned, group, i));
	cells[2] = text_cell(counter_kind(arena, planned, group, i));
	cells[3] = index < 0 ? absent_cell() : whole_cell((size_t)index);
}

static struct cell metrics_cell(const struct planned *planned, const size_t *metrics, size_t count, struct arena *arena)
{
	const char **names = arena_array(arena, count, sizeof(*names));

	for (size_t i = 0; i < count; i++)
		names[i] = planned->model->metrics[metrics[i]].name;
	return names_cell(arena, names, count);
}

static void write_metrics(struct json_writer *writer, const char *key, const struct planned *planned,
			  const size_t *metrics, size_t count)
{
	json_write_array(writer, key);
	for (size_t i = 0; i < count; i++)
		json_write_string(writer, NULL, planned->model->metrics[metrics[i]].name);
	json_write_end(writer);
}

static void write_counters(struct json_writer *writer, const struct plan_limits *limits)
{
	json_write_object(writer, "counters");
	json_write_integer(writer, "general", limits->general);
	json_write_array(writer, "fixed");
	for (int i = 0; i < 64 - FIXED_COUNTER; i++)
		if (limits->fixed >> (FIXED_COUNTER + i) & 1)
			json_write_integer(writer, NULL, i);
	json_write_end(writer);
	json_write_bool(writer, "perf_metrics", limits->has_metrics);
	json_write_bool(writer, "nmi_watchdog", limits->has_watchdog);
	json_write_end(writer);
}

static void write_group(struct json_writer *writer, const struct planned *planned, size_t number, struct arena *arena)
{
	const struct plan_group *group = &planned->plan->groups[number];
	struct grid events = { .columns = event_columns, .ncolumns = EVENT };

	for (size_t i = 0; i < group->count; i++) {
		struct cell cells[EVENT];

		event_cells(cells, planned, group, i, arena);
		grid_add(&events, cells, arena);
	}
	json_write_object(writer, NULL);
	json_write_integer(writer, "group", (int64_t)number + 1);
	json_grid(writer, "events", &events);
	write_metrics(writer, "metrics", planned, group->metrics, group->nmetrics);
	json_write_end(writer);
}

static void write_runs(struct json_writer *writer, const struct planned *planned, struct arena *arena)
{
	json_write_array(writer, "runs");
	for (size_t i = 0; i < planned->plan->nruns; i++) {
		const struct plan_run *run = &planned->plan->runs[i];

		json_write_object(writer, NULL);
		json_write_integer(writer, "run", (int64_t)i + 1);
		json_write_array(writer, "groups");
		for (size_t k = 0; k < run->count; k++)
			write_group(writer, planned, run->first + k, arena);
		json_write_end(writer);
		json_write_end(writer);
	}
	json_write_end(writer);
}

/* Groups of PMUs beside the cores. */
static void write_units(struct json_writer *writer, const struct planned *planned, struct arena *arena)
{
	const struct event_set *set = &planned->model->events;

	json_write_array(writer, "units");
	for (size_t i = 0; i < planned->plan->nunits; i++) {
		const struct plan_unit *unit = &planned->plan->units[i];

		json_write_object(writer, NULL);
		json_write_integer(writer, "run", (int64_t)unit->run + 1);
		json_write_string(writer, "pmu", unit->unit);
		json_write_array(writer, "events");
		for (size_t k = 0; k < unit->count; k++) {
			const struct event *event = &set->events[unit->events[k]];

			json_write_object(writer, NULL);
			json_write_string(writer, "name", event->name);
			json_write_string(writer, "perf", event_perf_string(event, set->pmu, "", arena));
			json_write_end(writer);
		}
		json_write_end(writer);
		json_write_end(writer);
	}
	json_write_end(writer);
}

/*
 * Metrics that no group has whole, the groups that they are brought together from, and which of
 * them no group can have whole.
 */
static void write_combined(struct json_writer *writer, const struct planned *planned, struct arena *arena)
{
	const struct plan *plan = planned->plan;
	size_t *parts = arena_array(arena, plan->ngroups + 1, sizeof(*parts));

	write_metrics(writer, "split", planned, plan->split, plan->nsplit);
	json_write_object(writer, "split_over");
	for (size_t i = 0; i < plan->nsplit; i++) {
		size_t count = planned_parts(arena, planned, plan->split[i], parts);

		json_write_array(writer, planned->model->metrics[plan->split[i]].name);
		for (size_t k = 0; k < count; k++)
			json_write_integer(writer, NULL, (int64_t)parts[k] + 1);
		json_write_end(writer);
	}
	json_write_end(writer);
	json_write_array(writer, "too_large");
	for (size_t i = 0; i < plan->nsplit; i++)
		if (planned_is_large(arena, planned, plan->split[i]))
			json_write_string(writer, NULL, planned->model->metrics[plan->split[i]].name);
	json_write_end(writer);
}

/* null where there is only one run */
static void write_fewer(struct json_writer *writer, const struct planned *planned, struct arena *arena)
{
	struct planned_fewer fewer = planned_fewer(arena, planned);

	if (!fewer.max_runs) {
		json_write_string(writer, "one_run_fewer", NULL);
		return;
	}
	json_write_object(writer, "one_run_fewer");
	json_write_integer(writer, "max_runs", (int64_t)fewer.max_runs);
	if (fewer.first == SIZE_MAX)
		json_write_string(writer, "first_shared_group", NULL);
	else
		json_write_integer(writer, "first_shared_group", (int64_t)fewer.first + 1);
	json_write_number(writer, "share", 1 / (double)fewer.most);
	write_metrics(writer, "scaled", planned, fewer.scaled, fewer.nscaled);
	json_write_end(writer);
}

/* Into the object that is open. */
static void write_plan(struct json_writer *writer, const struct planned *planned, struct arena *arena)
{
	static const struct column columns[] = {
		{ .key = "format" }, { .key = "version" }, { .key = "part" },
		{ .key = "cpu" },    { .key = "level" },   { .key = "smt" },
	};
	const struct plan *plan = planned->plan;

	json_cells(writer, columns,
		   (const struct cell[]){ text_cell("topdown-plan"), whole_cell(1),
					  planned->part ? text_cell(planned->part) : absent_cell(),
					  text_cell(planned->model->cpu), known_cell(plan->level),
					  truth_cell(planned->model->events.smt_on) },
		   COUNT_OF(columns));
	json_write_string(writer, "form", model_form_word(planned->model));
	json_write_string(writer, "generic", planned->model->generic);
	write_counters(writer, &plan->limits);
	write_runs(writer, planned, arena);
	write_units(writer, planned, arena);
	write_combined(writer, planned, arena);
	write_metrics(writer, "not_countable", planned, plan->missing, plan->nmissing);
	json_write_integer(writer, "lower_bound", (int64_t)plan->lower_bound);
	json_write_bool(writer, "optimal", plan->ngroups <= plan->lower_bound);
	write_fewer(writer, planned, arena);
}

void plan_json(struct json_writer *writer, const void *what, struct arena *arena)
{
	const struct plan_set *set = what;
	struct planned planned;

	if (set->count == 1) {
		planned = planned_init(&set->parts[0], arena);
		write_plan(writer, &planned, arena);
		return;
	}
	json_write_string(writer, "format", "topdown-plans");
	json_write_integer(writer, "version", 1);
	json_write_array(writer, "parts");
	for (size_t i = 0; i < set->count; i++) {
		planned = planned_init(&set->parts[i], arena);
		json_write_object(writer, NULL);
		write_plan(writer, &planned, arena);
		json_write_end(writer);
	}
	json_write_end(writer);
}

/* Where an event stands, before and behind its own fields. */
static const struct column place_columns[] = { { .key = "run" }, { .key = "group" } },
			   end_columns[] = { { .key = "metrics" }, { .key = "part" }, { .key = "cpu" } };

static void put_group(struct sheet *sheet, const struct planned *planned, size_t run, size_t number)
{
	const struct plan_group *group = &planned->plan->groups[number];
	const struct cell place[] = { whole_cell(run + 1), whole_cell(number + 1) };
	const struct cell end[] = { metrics_cell(planned, group->metrics, group->nmetrics, sheet->arena),
				    text_cell(planned->part), text_cell(planned->model->cpu) };

	for (size_t i = 0; i < group->count; i++) {
		struct cell event[EVENT];

		event_cells(event, planned, group, i, sheet->arena);
		csv_cells(sheet, place_columns, place, COUNT_OF(place_columns));
		csv_cells(sheet, event_columns, event, EVENT);
		csv_cells(sheet, end_columns, end, COUNT_OF(end_columns));
		csv_end(sheet);
	}
}

/* Of PMUs beside the cores, which are in no group of the cores' counters. */
static void put_units(struct sheet *sheet, const struct planned *planned)
{
	const struct event_set *set = &planned->model->events;

	for (size_t i = 0; i < planned->plan->nunits; i++) {
		const struct plan_unit *unit = &planned->plan->units[i];
		const struct cell place[] = { whole_cell(unit->run + 1), absent_cell() };
		const struct cell end[] = { absent_cell(), text_cell(planned->part), text_cell(planned->model->cpu) };

		for (size_t k = 0; k < unit->count; k++) {
			const struct event *event = &set->events[unit->events[k]];
			const struct cell cells[EVENT] = {
				text_cell(event->name), text_cell(event_perf_string(event, set->pmu, "", sheet->arena)),
				text_cell("unit"), absent_cell()
			};

			csv_cells(sheet, place_columns, place, COUNT_OF(place_columns));
			csv_cells(sheet, event_columns, cells, EVENT);
			csv_cells(sheet, end_columns, end, COUNT_OF(end_columns));
			csv_end(sheet);
		}
	}
}

void plan_csv(struct sheet *sheet, const void *what)
{
	const struct plan_set *set = what;

	csv_cells(sheet, place_columns, NULL, COUNT_OF(place_columns));
	csv_cells(sheet, event_columns, NULL, EVENT);
	csv_cells(sheet, end_columns, NULL, COUNT_OF(end_columns));
	csv_end(sheet);
	for (size_t i = 0; i < set->count; i++) {
		const struct planned planned = planned_init(&set->parts[i], sheet->arena);

		for (size_t j = 0; j < planned.plan->nruns; j++)
			for (size_t k = 0; k < planned.plan->runs[j].count; k++)
				put_group(sheet, &planned, j, planned.plan->runs[j].first + k);
		put_units(sheet, &planned);
	}
}
