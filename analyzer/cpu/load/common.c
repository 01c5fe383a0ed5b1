/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * common.c - the metrics that every CPU has under one set of names (models/common.json): the vendor's own where it
 * publishes one, else the first of our formulas whose events this CPU has.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "common/base/text.h"
#include "common/json/json_bulk.h"
#include "cpu/load/model_internal.h"
#include "cpu/load/topic.h"

/* One of the metrics while its rows are read. */
struct common {
	struct model_sources *sources;
	const struct event_database *database;
	const struct pmu *pmu;
	const char *path;
	struct metric_source own; /* as it is added where the vendor has none */
	size_t vendors;		  /* place of the vendor's among the sources; TABLE_NONE */
	bool is_open;		  /* a row has named it, and it is not added yet */
	bool is_settled;	  /* a form was taken, or a row says why there is none */
	bool is_model_empty;	  /* but for the one metric that the importer writes, as no model is empty */
};

static size_t find_metric(const struct model_sources *sources, const char *name)
{
	return table_get(&sources->by_name, name);
}

static size_t find_vendors(const struct common *c, const char *same_as)
{
	size_t number = find_metric(c->sources, c->own.metric.name), length;
	const char *part;

	while (number == TABLE_NONE && (length = text_next(&same_as, ";", &part)) > 0)
		number = find_metric(c->sources, arena_strndup(c->sources->arena, part, length));
	return number;
}

/* ---- can this CPU compute a form? ---- */

static bool is_role(const struct common *c, const char *name)
{
	const char *row = is_same_name(name, "cycles")	       ? c->database->cycles
			  : is_same_name(name, "instructions") ? c->database->instructions
							       : NULL;

	return row || (strchr("ci", *name) && pmu_event(c->pmu, name));
}

/* What the forms may name: events, roles, metrics, clocks. */
static bool common_is_known(const struct common *c, const char *name)
{
	static const char *const clocks[] = { "duration_time", "cpu_time", "TSC" };
	const struct event_row *row = event_database_find(c->database, name);

	for (size_t i = 0; i < COUNT_OF(clocks); i++)
		if (is_same_name(clocks[i], name))
			return true;
	if (row)
		return !row->unit;
	return is_role(c, name) || find_metric(c->sources, name) != TABLE_NONE;
}

static bool can_compute(const struct common *c, const char *form)
{
	static const char in_names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";

	while (*form) {
		size_t length = strspn(form, in_names);

		if (length && !isdigit((unsigned char)*form) &&
		    !common_is_known(c, arena_strndup(c->sources->arena, form, length)))
			return false;
		form += length ? length : 1;
	}
	return true;
}

static bool is_for(const struct common *c, const struct bulk_object *row)
{
	const char *vendor = bulk_get(row, "Vendor"), *cpu = bulk_get(row, "Cpu");

	return (!vendor || is_same_name(vendor, c->database->vendor)) &&
	       (!cpu || fnmatch(cpu, c->database->cpu, 0) == 0);
}

/* ---- rows ---- */

/* The vendor's is found under our name too. */
static void name_vendors(struct common *c)
{
	struct metric *metric = &c->sources->items[c->vendors].metric;

	metric->is_common = true;
	metric->is_ours = c->is_model_empty;
	if (!is_same_name(metric->name, c->own.metric.name))
		metric->also_called = c->own.metric.name;
}

static void add_own(struct common *c)
{
	struct model_sources *sources = c->sources;

	c->own.metric.is_ours = true;
	c->own.metric.topic = topic_of(c->own.metric.name, c->own.metric.groups);
	sources->items =
		arena_grow(sources->arena, sources->items, sources->count, &sources->capacity, sizeof(*sources->items));
	sources->items[sources->count] = c->own;
	table_set(&sources->by_name, c->own.metric.name, sources->count++);
}

static void close_metric(struct common *c)
{
	if (c->is_open && c->vendors != TABLE_NONE)
		name_vendors(c);
	else if (c->is_open)
		add_own(c);
	c->is_open = false;
}

static void open_metric(struct common *c, const struct bulk_object *row, const char *name)
{
	const char *same_as = bulk_get(row, "SameAs");

	c->own = (struct metric_source){ .path = c->path, .without = bulk_get(row, "Without") };
	c->own.metric = (struct metric){ .name = name,
					 .title = bulk_get(row, "Title"),
					 .groups = "",
					 .is_common = true,
					 .domain = "",
					 .next_groups = "" };
	metric_read_unit(&c->own.metric, bulk_get(row, "ScaleUnit"));
	c->vendors = find_vendors(c, same_as ? same_as : "");
	c->is_open = true;
	c->is_settled = false;
}

static void take_form(struct common *c, const struct bulk_object *row)
{
	const char *form = bulk_get(row, "MetricExpr"), *without = bulk_get(row, "Without");

	if (c->is_settled || !is_for(c, row) || (form && !can_compute(c, form)))
		return;
	c->own.expression = form;
	c->own.without = form ? NULL : without;
	c->is_settled = true;
}

static int common_take_row(void *context, const struct bulk_object *row, struct error *err)
{
	struct common *c = context;
	const char *name = bulk_get(row, "MetricName");

	if (!name)
		return error_set(err, "%s: a row without MetricName", c->path);
	if (bulk_get(row, "Title")) {
		close_metric(c);
		open_metric(c, row, name);
	} else if (c->is_open) {
		take_form(c, row);
	}
	return 0;
}

int common_add(struct model_sources *sources, const struct model_target *target, struct error *err)
{
	struct common c = { .sources = sources,
			    .database = target->database,
			    .pmu = target->pmu,
			    .is_model_empty = sources->count == 1 };
	struct bulk_visitor visitor = { .context = &c, .list = "Metrics", .object = common_take_row };

	c.path = arena_strdup(sources->arena, target->common);
	if (bulk_read(target->common, &visitor, sources->arena, err) < 0)
		return -1;
	close_metric(&c);
	return 0;
}
