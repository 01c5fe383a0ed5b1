/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/text.h"
#include "load/model_internal.h"

struct compiler {
	struct model *model;
	const struct model_sources *sources;
	struct table numbers; /* from a name to its place in names */
	struct name *names;
	size_t nnames, capacity;
};

/*
 * Vendors' databases first, then other metrics, then what the kernel, the tools and libpfm4 know
 * (the order of linux tools/perf/util/metricgroup.c).
 */
static struct name look_up(struct compiler *c, const char *id, struct error *err)
{
	struct name name = { .kind = NAME_EVENT };
	const struct event_row *row = event_database_find(c->model->database, id);
	size_t metric = row ? TABLE_NONE : table_get(&c->model->by_name, id);

	if (metric != TABLE_NONE)
		return (struct name){ .kind = NAME_METRIC, .index = metric };
	name.index = event_set_add(&c->model->events, id, err);
	if (name.index == TABLE_NONE)
		name.kind = NAME_UNKNOWN;
	return name;
}

/* Formulas ask for the same names again and again. */
static struct name resolve(void *context, const char *id, struct error *err)
{
	struct compiler *c = context;
	size_t known = table_get(&c->numbers, id);
	struct name name;

	if (known != TABLE_NONE)
		return c->names[known];
	name = look_up(c, id, err);
	if (name.kind == NAME_UNKNOWN)
		return name;
	c->names = arena_grow(c->numbers.arena, c->names, c->nnames, &c->capacity, sizeof(name));
	c->names[c->nnames] = name;
	table_set(&c->numbers, arena_strdup(c->numbers.arena, id), c->nnames++);
	return name;
}

/* Thresholds judge the values that are shown, so they read metrics as they were computed, not the events behind them. */
static struct name resolve_metric(void *context, const char *id, struct error *err)
{
	const struct compiler *c = context;
	struct name name = { .kind = NAME_EVENT, .index = table_get(&c->model->by_name, id) };

	if (name.index == TABLE_NONE) {
		error_set(err, "unknown metric '%s'", id);
		name.kind = NAME_UNKNOWN;
	}
	return name;
}

static bool has_event(void *context, const char *id)
{
	const struct compiler *c = context;

	return event_set_has(&c->model->events, id);
}

/* Uncore PMUs are not counted here, so nothing is aggregated from more than one. */
static double source_count(void *context UNUSED, const char *id UNUSED)
{
	return 1;
}

static const char *slot_name(void *context, size_t slot)
{
	const struct compiler *c = context;

	return c->model->metrics[slot].name;
}

/* Of another PMU, or of a machine that the kernel shows more of. */
static bool is_elsewhere(const char *reason)
{
	return strstr(reason, "needs uncore PMU") || strstr(reason, "needs the kernel's event");
}

static void add_formula(struct compiler *c, size_t number, const struct formula_names *names, struct arena *arena)
{
	const struct metric_source *source = &c->sources->items[c->sources->order[number]];
	struct formula_names threshold_names = *names;
	struct model *model = c->model;
	struct error err = { 0 };

	if (source->needs) {
		program_fail(model->program, number, source->expression,
			     arena_printf(arena, "needs %s, which one core's counters do not give", source->needs));
		return;
	}
	threshold_names.resolve = resolve_metric;
	if (program_add(model->program, number, source->expression, names, &err) == 0 && source->threshold) {
		model->metrics[number].has_threshold = true;
		if (program_add(model->thresholds, number, source->threshold, &threshold_names, &err) < 0) {
			model->metrics[number].has_threshold = false;
			error_in(&err, "threshold");
		}
	}
	if (is_error(&err) && !is_elsewhere(err.text))
		model_warn(model, arena, "%s: metric '%s': %s", source->path, model->metrics[number].name, err.text);
}

static void finish_metric(struct model *model, size_t number, size_t *events, struct arena *arena)
{
	struct metric *metric = &model->metrics[number];

	metric->failure = program_failure(model->program, number);
	metric->nevents = program_events(model->program, number, events);
	if (!metric->nevents)
		return;
	metric->events = arena_array(arena, metric->nevents, sizeof(*events));
	memcpy(metric->events, events, metric->nevents * sizeof(*events));
}

void model_compile(struct model *model, const struct model_sources *sources, struct arena *arena)
{
	struct compiler compiler = { .model = model, .sources = sources, .numbers = TABLE_INIT(arena) };
	struct formula_names names = {
		.context = &compiler,
		.resolve = resolve,
		.has_event = has_event,
		.source_count = source_count,
		.slot_name = slot_name,
		.facts = &model->facts,
	};
	size_t *events;

	model->program = program_new(arena, model->count);
	model->thresholds = program_new(arena, model->count);
	for (size_t i = 0; i < model->count; i++)
		add_formula(&compiler, i, &names, arena);
	program_link(model->program, &names);
	program_link(model->thresholds, &names);
	events = arena_array(arena, model->events.count + 1, sizeof(*events));
	for (size_t i = 0; i < model->count; i++) {
		const struct metric *metric = &model->metrics[i];

		finish_metric(model, i, events, arena);
		if (metric->failure && has_name_prefix(metric->failure, "refers to itself"))
			model_warn(model, arena, "%s: metric '%s': %s", sources->items[sources->order[i]].path,
				   metric->name, metric->failure);
	}
}
