/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_metrics.c - metrics on their way in: every formula is compiled once. A metric that names something unknown is
 * left out, with a line in the log.
 */
#include <string.h>

#include "common/base/text.h"
#include "common/formula/formula.h"
#include "cpu/event/spelling.h"
#include "cpu/import/importer.h"

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

/*
 * Up to Skylake a core's two threads share its slots, and perfmon's core cycles are half of those that the counters of
 * both threads add up to. Where a program is counted, and not whole cores, there is one thread's counter only, of which
 * the half would always be given to the sibling. Linux' pmu-events have the formula for that case: it asks for how much
 * of the time the sibling was idle. It asks without SMT too, where the thread's own cycles are the same.
 */
const char *metric_core_cycles(struct import *import, const char *name, const char *expr)
{
	static const char *const published[] = {
		"(CPU_CLK_UNHALTED.THREAD_ANY / 2) if #SMT_on else tma_info_thread_clks",
		"(CPU_CLK_UNHALTED.THREAD / 2 * (1 + CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE / CPU_CLK_UNHALTED.REF_XCLK) "
		"if #core_wide < 1 else (CPU_CLK_UNHALTED.THREAD_ANY / 2 if #SMT_on else tma_info_thread_clks))",
	};

	if ((strcmp(expr, published[0]) != 0 && strcmp(expr, published[1]) != 0) ||
	    !has_import_event(import, "CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE") ||
	    !has_import_event(import, "CPU_CLK_UNHALTED.REF_XCLK"))
		return expr;
	import_say(import, "%s: with Linux' formula for a program that shares its core, only with SMT", name);
	return "(CPU_CLK_UNHALTED.THREAD_ANY / 2 if #core_wide else CPU_CLK_UNHALTED.THREAD / 2 * (1 + "
	       "CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE / CPU_CLK_UNHALTED.REF_XCLK)) if #SMT_on else tma_info_thread_clks";
}

struct check {
	struct import *import;
	struct table metrics;
	bool is_threshold;
	bool reads_units; /* does the formula? */
};

/*
 * What the program knows besides the files: tools, and the kernel's general names. Others of the kernel's have a '-'
 * ("cycles-t"), and only a machine knows whether it has them.
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

/* One that is read stays. */
static bool is_event(struct check *c, const char *name)
{
	bool is_of_unit = !has_import_event(c->import, name) && unit_event_take(c->import, name);

	c->reads_units = c->reads_units || is_of_unit;
	return is_of_unit || has_import_event(c->import, name);
}

static struct name import_metrics_resolve(void *context, const char *id, struct error *err)
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
	if (spelling.pmu && !spelling.name && is_event(c, spelling.pmu))
		return name; /* EVENT@filter_opc=0x182@ */
	if (!is_core_pmu(spelling.pmu)) {
		c->reads_units = true;
		(void)(spelling.name && unit_event_take(c->import, spelling.name));
		return name;
	}
	if (spelling.name && is_event(c, spelling.name))
		return name;
	if (spelling.name && !is_general(spelling.name) && !strchr(spelling.name, '-'))
		name.kind = NAME_UNKNOWN;
	return name;
}

static bool import_metrics_has_event(void *context UNUSED, const char *id UNUSED)
{
	return true;
}

static double source_count(void *context UNUSED, const char *id UNUSED)
{
	return 1;
}

static const char *import_metrics_slot_name(void *context, size_t slot)
{
	const struct check *c = context;

	return c->import->metrics[slot].name;
}

/* SMT differs in the branches that are taken, not in what parses; has_event keeps both sides. */
static int import_metrics_compile(struct check *c, const char *text, struct error *err)
{
	struct facts facts = facts_assumed();
	struct formula_names names = { .context = c,
				       .resolve = import_metrics_resolve,
				       .has_event = import_metrics_has_event,
				       .source_count = source_count,
				       .slot_name = import_metrics_slot_name,
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

	c->is_threshold = c->reads_units = false;
	if (import_metrics_compile(c, metric->expr, &err) < 0)
		return drop(c->import, metric, err.text);
	metric->reads_units = c->reads_units;
	error_clear(&err);
	if (metric->general && import_metrics_compile(c, metric->general, &err) < 0) {
		import_say(c->import, "%s: second form left out: %s", metric->name, err.text);
		metric->general = NULL;
	}
	error_clear(&err);
	c->is_threshold = true;
	if (metric->threshold && *metric->threshold && import_metrics_compile(c, metric->threshold, &err) < 0) {
		import_say(c->import, "%s: threshold left out: %s", metric->name, err.text);
		metric->threshold = NULL;
	}
	return false;
}

static bool is_sample(const struct import *import, const char *spelled)
{
	return has_import_event(import, arena_strndup(import->arena, spelled, strcspn(spelled, ":")));
}

bool metric_has_sample(const struct import *import, const struct import_metric *metric)
{
	for (size_t i = 0; i < metric->nsamples; i++)
		if (is_sample(import, metric->samples[i]))
			return true;
	return false;
}

/* Intel's text samples Port_6 with the uops of PORT_1: a port's own event instead, where there is one. */
static void repair_port(struct import *import, struct import_metric *metric, const char **sample)
{
	static const char node[] = "tma_port_", event[] = ".PORT_";
	const char *port = has_name_prefix(metric->name, node) ? metric->name + strlen(node) : NULL;
	const char *found = strstr(*sample, event), *own;

	if (!port || !found || !strcmp(found + strlen(event), port) || strlen(found) != strlen(event) + 1)
		return;
	own = arena_printf(import->arena, "%.*s%s%s", (int)(found - *sample), *sample, event, port);
	if (!has_import_event(import, own))
		return;
	import_say(import, "%s: sampled with %s, its own event, instead of %s", metric->name, own, *sample);
	*sample = own;
}

static void check_samples(struct import *import, struct import_metric *metric)
{
	size_t kept = 0;

	for (size_t i = 0; i < metric->nsamples; i++)
		repair_port(import, metric, &metric->samples[i]);
	for (size_t i = 0; i < metric->nsamples; i++) {
		if (is_sample(import, metric->samples[i]))
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
			drop(import, &import->metrics[before], "appears twice; the last one is used");
	}
}

void metrics_check(struct import *import)
{
	struct check check = { .import = import };
	bool is_changed = true;

	drop_doubles(import);
	unit_events_find_energy(import);
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
	unit_events_finish(import);
}
