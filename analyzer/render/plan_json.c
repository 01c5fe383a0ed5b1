/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/renderers.h"

#include "render/json_write.h"
#include "render/planned.h"

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

static void write_group(struct json_writer *writer, const struct page *page, const struct planned *planned,
			size_t number)
{
	const struct plan_group *group = &planned->plan->groups[number];

	json_write_object(writer, NULL);
	json_write_integer(writer, "group", (int64_t)number + 1);
	json_write_array(writer, "events");
	for (size_t i = 0; i < group->count; i++) {
		json_write_object(writer, NULL);
		json_write_string(writer, "name", planned_event(planned, group, i)->name);
		json_write_string(writer, "perf", planned_perf(page, planned, group, i));
		json_write_string(writer, "counter", counter_kind(page, planned, group, i));
		if (counter_index(group, i) >= 0)
			json_write_integer(writer, "counter_index", counter_index(group, i));
		json_write_end(writer);
	}
	json_write_end(writer);
	json_write_array(writer, "metrics");
	for (size_t i = 0; i < group->nmetrics; i++)
		json_write_string(writer, NULL, planned->model->metrics[group->metrics[i]].name);
	json_write_end(writer);
	json_write_end(writer);
}

static void write_run(struct json_writer *writer, const struct page *page, const struct planned *planned, size_t number)
{
	const struct plan_run *run = &planned->plan->runs[number];

	json_write_object(writer, NULL);
	json_write_integer(writer, "run", (int64_t)number + 1);
	json_write_array(writer, "groups");
	for (size_t i = 0; i < run->count; i++)
		write_group(writer, page, planned, run->first + i);
	json_write_end(writer);
	json_write_end(writer);
}

static void write_names(struct json_writer *writer, const struct planned *planned, const size_t *metrics, size_t count)
{
	for (size_t i = 0; i < count; i++)
		json_write_string(writer, NULL, planned->model->metrics[metrics[i]].name);
	json_write_end(writer);
}

/* Metrics that no group has whole, the groups that they are brought together from, and which of them no group can have whole. */
static void write_combined(struct json_writer *writer, const struct page *page, const struct planned *planned)
{
	const struct plan *plan = planned->plan;
	size_t *parts = arena_array(page->arena, plan->ngroups + 1, sizeof(*parts));

	json_write_array(writer, "split");
	write_names(writer, planned, plan->split, plan->nsplit);
	json_write_object(writer, "split_over");
	for (size_t i = 0; i < plan->nsplit; i++) {
		size_t count = planned_parts(planned, plan->split[i], parts);

		json_write_array(writer, planned->model->metrics[plan->split[i]].name);
		for (size_t k = 0; k < count; k++)
			json_write_integer(writer, NULL, (int64_t)parts[k] + 1);
		json_write_end(writer);
	}
	json_write_end(writer);
	json_write_array(writer, "too_large");
	for (size_t i = 0; i < plan->nsplit; i++)
		if (planned_is_large(page, planned, plan->split[i]))
			json_write_string(writer, NULL, planned->model->metrics[plan->split[i]].name);
	json_write_end(writer);
}

/* null where there is only one run */
static void write_fewer(struct json_writer *writer, const struct page *page, const struct planned *planned)
{
	struct planned_fewer fewer = planned_fewer(page, planned);

	if (!fewer.max_runs) {
		json_write_string(writer, "one_run_fewer", NULL);
		return;
	}
	json_write_object(writer, "one_run_fewer");
	json_write_integer(writer, "max_runs", (int64_t)fewer.max_runs);
	json_write_integer(writer, "first_shared_group", (int64_t)fewer.first + 1);
	json_write_number(writer, "share", 1 / (double)fewer.most);
	json_write_array(writer, "scaled");
	write_names(writer, planned, fewer.scaled, fewer.nscaled);
	json_write_end(writer);
}

static void write_plan(struct json_writer *writer, const struct page *page, const struct planned *planned)
{
	json_write_string(writer, "format", "topdown-plan");
	json_write_integer(writer, "version", 1);
	if (planned->part)
		json_write_string(writer, "part", planned->part);
	json_write_string(writer, "cpu", planned->model->cpu);
	if (planned->plan->level)
		json_write_integer(writer, "level", planned->plan->level);
	else
		json_write_string(writer, "level", NULL); /* metrics without the tree */
	json_write_bool(writer, "smt", planned->model->events.smt_on);
	write_counters(writer, &planned->plan->limits);
	json_write_array(writer, "runs");
	for (size_t i = 0; i < planned->plan->nruns; i++)
		write_run(writer, page, planned, i);
	json_write_end(writer);
	write_combined(writer, page, planned);
	json_write_array(writer, "not_countable");
	write_names(writer, planned, planned->plan->missing, planned->plan->nmissing);
	json_write_integer(writer, "lower_bound", (int64_t)planned->plan->lower_bound);
	json_write_bool(writer, "optimal", planned->plan->ngroups <= planned->plan->lower_bound);
	write_fewer(writer, page, planned);
}

static void write_parts(struct json_writer *writer, const struct page *page, const struct planned_set *set)
{
	json_write_string(writer, "format", "topdown-plans");
	json_write_integer(writer, "version", 1);
	json_write_array(writer, "parts");
	for (size_t i = 0; i < set->count; i++) {
		json_write_object(writer, NULL);
		write_plan(writer, page, &set->parts[i]);
		json_write_end(writer);
	}
	json_write_end(writer);
}

int plans_json(const struct page *page, const struct planned_set *set, struct error *err)
{
	struct json_writer *writer = json_writer_new();

	if (set->count == 1)
		write_plan(writer, page, &set->parts[0]);
	else
		write_parts(writer, page, set);
	return json_writer_finish(writer, page->out, err);
}
