/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.c - metrics on their way in: every formula is compiled once; what names something unknown is left out and
 * told.
 */
#include <string.h>

#include "base/text.h"
#include "formula/formula.h"
#include "import/internal.h"
#include "load/spelling.h"

struct import_metric *metric_add(struct import *import, const char *name)
{
	import->metrics = arena_grow(import->arena, import->metrics, import->nmetrics, &import->metrics_capacity,
				     sizeof(*import->metrics));
	import->metrics[import->nmetrics] = (struct import_metric){ .name = name };
	return &import->metrics[import->nmetrics++];
}

/* "_PS" (precise) is no part of a name. */
void metric_add_sample(struct import *import, struct import_metric *metric, const char *name, size_t length)
{
	size_t capacity = metric->nsamples;

	if (length > 3 && !memcmp(name + length - 3, "_PS", 3))
		length -= 3;
	if (!length || (length == 3 && !memcmp(name, "#NA", 3)))
		return;
	metric->samples =
		arena_grow(import->arena, metric->samples, metric->nsamples, &capacity, sizeof(*metric->samples));
	metric->samples[metric->nsamples++] = arena_strndup(import->arena, name, length);
}

struct check {
	struct import *import;
	struct table metrics;
	const char *needs; /* of the formula being compiled: what another PMU would have to give */
	bool is_threshold;
};

/*
 * What the program knows besides the files: tools, and the kernel's general names. Others of the kernel's have a '-' ("cycles-t"), and
 * only a machine tells whether it has them.
 */
static bool is_general(const char *name)
{
	static const char *const names[] = { "TSC",	   "duration_time", "cycles", "instructions",
					     "ref-cycles", "cpu-cycles",    "slots" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (is_same_name(names[i], name))
			return true;
	return has_name_prefix(name, "topdown-");
}

static bool is_core_pmu(const char *pmu)
{
	return !pmu || !strcmp(pmu, "cpu") || has_name_prefix(pmu, CORE_TYPE_PREFIX) || has_name_prefix(pmu, "armv8_");
}

static struct name resolve(void *context, const char *id, struct error *err)
{
	struct check *c = context;
	struct name name = { .kind = NAME_EVENT };
	size_t metric = table_get(&c->metrics, id);
	struct spelling spelling;

	if (metric != TABLE_NONE)
		return (struct name){ .kind = NAME_METRIC, .index = metric };
	if (c->is_threshold || spelling_parse(&spelling, id, c->import->arena, err) < 0)
		return (struct name){ .kind = NAME_UNKNOWN };
	if (!spelling.name && !spelling.nterms)
		spelling.name = spelling.pmu, spelling.pmu = NULL;
	if (spelling.pmu && !strcmp(spelling.pmu, "msr") && is_same_name(spelling.name ? spelling.name : "", "tsc"))
		return name;
	if (!is_core_pmu(spelling.pmu))
		c->needs = spelling.pmu;
	else if (spelling.name && has_import_event(c->import, spelling.name))
		return name;
	else if (spelling.name && table_get(&c->import->foreign, spelling.name) != TABLE_NONE)
		c->needs = c->import->units[table_get(&c->import->foreign, spelling.name)];
	else if (spelling.name && !is_general(spelling.name) && !strchr(spelling.name, '-'))
		name.kind = NAME_UNKNOWN;
	return name;
}

static bool has_event(void *context UNUSED, const char *id UNUSED)
{
	return true;
}

static double source_count(void *context UNUSED, const char *id UNUSED)
{
	return 1;
}

static const char *slot_name(void *context, size_t slot)
{
	const struct check *c = context;

	return c->import->metrics[slot].name;
}

/* SMT differs in the branches that are taken, not in what parses; has_event keeps both sides. */
static int compile(struct check *c, const char *text, struct error *err)
{
	struct facts facts = facts_assumed();
	struct formula_names names = { .context = c,
				       .resolve = resolve,
				       .has_event = has_event,
				       .source_count = source_count,
				       .slot_name = slot_name,
				       .facts = &facts };
	struct program *program = program_new(c->import->arena, 0);

	return program_add(program, 0, text, &names, err);
}

static bool drop(struct import *import, struct import_metric *metric, const char *why)
{
	import_say(import, "%s: left out: %s", metric->name, why);
	metric->is_dropped = true;
	return true;
}

/* True when the metric has gone, which may take others along. */
static bool check_metric(struct check *c, struct import_metric *metric)
{
	struct error err = { 0 };

	c->needs = NULL;
	c->is_threshold = false;
	if (compile(c, metric->expr, &err) < 0) {
		if (!metric->needs)
			return drop(c->import, metric, err.text);
	} else if (c->needs && !metric->needs) {
		metric->needs = c->needs;
	}
	error_clear(&err);
	c->is_threshold = true;
	if (metric->threshold && *metric->threshold && compile(c, metric->threshold, &err) < 0) {
		import_say(c->import, "%s: threshold left out: %s", metric->name, err.text);
		metric->threshold = NULL;
	}
	return false;
}

static void check_samples(struct import *import, struct import_metric *metric)
{
	size_t kept = 0;

	for (size_t i = 0; i < metric->nsamples; i++) {
		size_t length = strcspn(metric->samples[i], ":");

		if (has_import_event(import, arena_strndup(import->arena, metric->samples[i], length)))
			metric->samples[kept++] = metric->samples[i];
		else
			import_say(import, "%s: sampling event %s does not exist, left out", metric->name,
				   metric->samples[i]);
	}
	metric->nsamples = kept;
}

static void name_metrics(struct check *c)
{
	struct import *import = c->import;

	c->metrics = TABLE_INIT(import->arena);
	for (size_t i = 0; i < import->nmetrics; i++)
		if (!import->metrics[i].is_dropped)
			table_set(&c->metrics, import->metrics[i].name, i);
}

/* The last of several with one name stays. */
static void drop_doubles(struct import *import)
{
	struct table names = TABLE_INIT(import->arena);

	for (size_t i = 0; i < import->nmetrics; i++) {
		size_t before = table_set(&names, import->metrics[i].name, i);

		if (!import->metrics[i].name[0])
			drop(import, &import->metrics[i], "has no name");
		else if (before != TABLE_NONE)
			drop(import, &import->metrics[before], "stands twice; the last one is used");
	}
}

void metrics_check(struct import *import)
{
	struct check check = { .import = import };
	bool is_changed = true;

	drop_doubles(import);
	while (is_changed) {
		is_changed = false;
		name_metrics(&check);
		for (size_t i = 0; i < import->nmetrics; i++)
			if (!import->metrics[i].is_dropped && check_metric(&check, &import->metrics[i]))
				is_changed = true;
	}
	for (size_t i = 0; i < import->nmetrics; i++)
		if (!import->metrics[i].is_dropped)
			check_samples(import, &import->metrics[i]);
}
