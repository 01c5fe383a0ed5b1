/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.c - a CPU's folder of Linux' pmu-events: arrays of events and metrics, on arm64 with references to common
 * events.
 */
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "import/convert.h"
#include "import/internal.h"
#include "import/perf_nodes.h"

/* What an object of the architecture's folder says: an event, a metric, or both. */
struct standard {
	struct row event, metric;
};

struct perf_reader {
	struct import *import;
	const char *unit; /* of the core type that is wanted ("cpu_atom"), or NULL */
	bool wants_events;
	struct standard *standards;
	size_t nstandards, standards_capacity;
	struct table standard_names; /* of events and of metrics, to their number */
};

/*
 * Ours: NULL, "core" and the core type that is wanted. Another core type is neither ours nor another PMU of this CPU.
 */
static bool is_core_unit(const char *unit)
{
	return !unit || !strcmp(unit, "core") || has_name_prefix(unit, CORE_TYPE_PREFIX);
}

static bool is_other_core(const struct perf_reader *r, const char *unit)
{
	return unit && r->unit && is_core_unit(unit) && strcmp(unit, "core") != 0 && strcmp(unit, r->unit) != 0;
}

/* The members of a flat object that metrics are made of. */
static struct row metric_raw(const struct import *import, const struct bulk_object *object)
{
	static const char *const keys[] = { "MetricName", "MetricExpr",	      "MetricThreshold",  "MetricGroup",
					    "ScaleUnit",  "BriefDescription", "PublicDescription" };
	struct row raw = { .count = 0 };

	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		const char *text = bulk_get(object, keys[i]);

		row_add(&raw, keys[i], text ? arena_strdup(import->arena, text) : NULL, import->arena);
	}
	return raw;
}

/* What {"ArchStdEvent": "X"} refers to, or NULL. */
static const struct standard *standard_of(const struct perf_reader *r, const struct bulk_object *object)
{
	const char *name = bulk_get(object, "ArchStdEvent");
	size_t number = name ? table_get(&r->standard_names, name) : TABLE_NONE;

	return number == TABLE_NONE ? NULL : &r->standards[number];
}

/* The architecture's members with an object's own over them. */
static struct row merged(const struct row *standard, const struct row *own, struct arena *arena)
{
	struct row result = { .count = 0 };

	for (size_t i = 0; standard && i < standard->count; i++)
		if (!row_get(own, standard->fields[i].key))
			row_add(&result, standard->fields[i].key, standard->fields[i].text, arena);
	for (size_t i = 0; i < own->count; i++)
		row_add(&result, own->fields[i].key, own->fields[i].text, arena);
	return result;
}

static const char *const vendor_counters[][2] = { { "AMD", "0,1,2,3,4,5" }, { "Arm", "0,1,2,3,4,5" } };

/* AMD and Arm publish no counters: six general ones, and Arm's counter of cycles. */
static void add_counters(const struct import *import, struct row *raw)
{
	const char *name = row_get(raw, "EventName"), *counters = NULL;

	for (size_t i = 0; i < COUNT_OF(vendor_counters); i++)
		if (!strcmp(import->cpu->vendor, vendor_counters[i][0]))
			counters = vendor_counters[i][1];
	if (!strcmp(import->cpu->vendor, "Arm") && !strcmp(name, "CPU_CYCLES"))
		counters = "Fixed counter 0";
	if (!row_get(raw, "Counter"))
		row_add(raw, "Counter", counters, import->arena);
}

static void read_event(struct perf_reader *r, const struct bulk_object *object)
{
	const char *unit = bulk_get(object, "Unit"), *name = bulk_get(object, "EventName");
	const struct standard *standard = standard_of(r, object);
	struct row raw = event_raw(r->import, object);

	if (is_other_core(r, unit))
		return;
	if (!is_core_unit(unit)) {
		if (name)
			event_add_foreign(r->import, name, unit);
		return;
	}
	raw = merged(standard ? &standard->event : NULL, &raw, r->import->arena);
	if (!row_get(&raw, "EventName") || strchr(row_get(&raw, "EventName"), ':'))
		return;
	add_counters(r->import, &raw);
	event_add(r->import, &raw);
}

/* Upstream files name the sampling events only in prose: "... Sample with: A;B. Related metrics: ...". */
static void read_samples(struct import *import, struct import_metric *metric, const char *prose)
{
	static const char marker[] = "Sample with: ";
	const char *list = prose ? strstr(prose, marker) : NULL, *part;
	size_t length = 0;

	if (!list)
		return;
	list += strlen(marker);
	while (list[length] && !(list[length] == '.' && (list[length + 1] == ' ' || !list[length + 1])))
		length++;
	list = arena_strndup(import->arena, list, length);
	while ((length = text_next(&list, ";,", &part)) > 0)
		metric_add_sample(import, metric, part, length);
}

/* "tma_info_x_%_y" can't be named by a formula; perfmon calls the same "tma_info_x_y". Blanks go too. */
static const char *metric_name(const char *name, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (; *name; name++) {
		if (*name == '%' && name[1] == '_')
			name++;
		else if (*name != ' ' && *name != '%')
			string_addn(&text, name, 1);
	}
	return text.text;
}

struct names {
	struct import *import;
	const char *needs;
};

/* Generic names that AMD's formulas use; the kernel means this event by it. */
static const char *plain_name(void *context, const char *name)
{
	const struct names *names = context;

	return !strcmp(name, "instructions") && !strcmp(names->import->cpu->vendor, "AMD") ? "ex_ret_instr" : NULL;
}

/* Events of other PMUs that stand in no file here: "UNC_...", "cha@...@". */
static const char *needs_of(const char *expr, struct arena *arena)
{
	const char *found = strstr(expr, "UNC_");

	return found ? arena_printf(arena, "uncore event %.*s", (int)strcspn(found, " @()*/+,\\"), found) : NULL;
}

/* Some of Linux' formulas multiply by 100 themselves and have a ScaleUnit that does it once more. */
static const char *unit_of(struct import *import, const char *name, const char *expr, const char *unit)
{
	if (!unit || !has_name_prefix(unit, "100%") || !has_name_prefix(expr, "100 *"))
		return arena_strdup(import->arena, unit ? unit : "");
	import_say(import, "%s: its formula is in percent already, so its unit is 1%%", name);
	return arena_printf(import->arena, "1%s", unit + 3);
}

static void add_metric(struct import *import, const struct row *raw)
{
	const char *name = row_get(raw, "MetricName"), *text = row_get(raw, "MetricExpr");
	const char *threshold = row_get(raw, "MetricThreshold"), *groups = row_get(raw, "MetricGroup");
	struct names context = { .import = import };
	struct convert_names names = { .context = &context, .name = plain_name };
	struct import_metric *metric;
	struct error err = { 0 };

	text = convert_formula(text, &names, import->arena, &err);
	if (!text) {
		import_say(import, "%s: left out: %s", name, err.text);
		return;
	}
	metric = metric_add(import, metric_name(name, import->arena));
	metric->expr = text;
	metric->needs = needs_of(text, import->arena);
	metric->groups = groups ? groups : "";
	metric->unit = unit_of(import, metric->name, text, row_get(raw, "ScaleUnit"));
	metric->threshold = threshold ? convert_formula(threshold, &names, import->arena, &err) : NULL;
	metric->text = import->request->with_text ? row_get(raw, "BriefDescription") : NULL;
	read_samples(import, metric, row_get(raw, "PublicDescription"));
}

static void read_metric(struct perf_reader *r, const struct bulk_object *object)
{
	const struct standard *standard = standard_of(r, object);
	struct row raw;

	if ((!standard && !bulk_get(object, "MetricName")) || is_other_core(r, bulk_get(object, "Unit")))
		return;
	raw = metric_raw(r->import, object);
	raw = merged(standard ? &standard->metric : NULL, &raw, r->import->arena);
	if (row_get(&raw, "MetricName") && row_get(&raw, "MetricExpr"))
		add_metric(r->import, &raw);
}

static int read_object(void *context, const struct bulk_object *object, struct error *err UNUSED)
{
	struct perf_reader *r = context;

	if (r->wants_events)
		read_event(r, object);
	read_metric(r, object);
	return 0;
}

/* Every file of the folder that has events or metrics. */
static int visit_folder(const char *folder, const struct bulk_visitor *visitor, struct arena *arena, struct error *err)
{
	size_t count;
	const char **names = directory_list(folder, ".json", &count, arena, err);
	struct arena text;
	int result;

	for (size_t i = 0; names && i < count; i++) {
		if (!strcmp(names[i], "metricgroups.json") || !strcmp(names[i], "counter.json"))
			continue;
		arena_init(&text); /* what is kept of it is copied */
		result = bulk_read(arena_printf(arena, "%s/%s", folder, names[i]), visitor, &text, err);
		arena_release(&text);
		if (result < 0)
			return -1;
	}
	return names ? 0 : -1;
}

static int read_folder(struct perf_reader *r, const char *folder, struct error *err)
{
	struct bulk_visitor visitor = { .context = r, .list = "Events", .object = read_object };

	return visit_folder(folder, &visitor, r->import->arena, err);
}

struct type_reader {
	struct core_types *types;
	struct arena *arena;
};

static int read_type(void *context, const struct bulk_object *object, struct error *err UNUSED)
{
	const struct type_reader *r = context;
	const char *unit = bulk_get(object, "Unit");

	if (!unit || !has_name_prefix(unit, CORE_TYPE_PREFIX) || !unit[strlen(CORE_TYPE_PREFIX)] ||
	    !bulk_get(object, "EventName"))
		return 0;
	for (size_t i = 0; i < r->types->count; i++)
		if (!strcmp(r->types->pmus[i], unit))
			return 0;
	if (r->types->count < MOST_CORE_TYPES)
		r->types->pmus[r->types->count++] = arena_strdup(r->arena, unit);
	return 0;
}

int perf_core_types(struct core_types *types, const char *folder, struct arena *arena, struct error *err)
{
	struct type_reader reader = { .types = types, .arena = arena };
	struct bulk_visitor visitor = { .context = &reader, .list = "Events", .object = read_type };

	*types = (struct core_types){ .count = 0 };
	return visit_folder(folder, &visitor, arena, err);
}

static int read_standard_object(void *context, const struct bulk_object *object, struct error *err UNUSED)
{
	struct perf_reader *r = context;
	struct standard standard = { .event = event_raw(r->import, object), .metric = metric_raw(r->import, object) };
	const char *event = row_get(&standard.event, "EventName"), *metric = row_get(&standard.metric, "MetricName");

	if (!event && !metric)
		return 0;
	r->standards = arena_grow(r->import->arena, r->standards, r->nstandards, &r->standards_capacity,
				  sizeof(*r->standards));
	r->standards[r->nstandards] = standard;
	if (event)
		table_set(&r->standard_names, event, r->nstandards);
	if (metric)
		table_set(&r->standard_names, metric, r->nstandards);
	r->nstandards++;
	return 0;
}

/*
 * What all CPUs of an architecture have stands in its folder, beside the map, one or two above the CPU's, as Linux'
 * jevents.py looks for it.
 */
static int read_standard(struct perf_reader *r, const char *folder, struct error *err)
{
	static const char *const places[] = { "..", "../.." };
	struct bulk_visitor visitor = { .context = r, .list = "Events", .object = read_standard_object };
	struct arena *arena = r->import->arena;

	r->standard_names = TABLE_INIT(arena);
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		const char *place = arena_printf(arena, "%s/%s", folder, places[i]);

		if (is_file(arena_printf(arena, "%s/mapfile.csv", place)))
			return visit_folder(place, &visitor, arena, err);
	}
	return 0;
}

/* Version of the CPU's row in the mapfile beside its folder. */
static const char *mapfile_version(const struct import *import, const char *folder)
{
	const char *path = arena_printf(import->arena, "%s/../mapfile.csv", folder), *found;
	const char *wanted = arena_printf(import->arena, ",%s,", path_name(folder, import->arena));
	struct error err = { 0 };
	size_t length;
	const char *text = is_file(path) ? file_read(path, &length, import->arena, &err) : NULL, *from;

	found = text ? strstr(text, wanted) : NULL;
	if (!found)
		return "v1";
	for (from = found; from > text && from[-1] != ',' && from[-1] != '\n'; from--)
		;
	return arena_strndup(import->arena, from, (size_t)(found - from));
}

static const char *source_of(const struct import *import, const char *folder)
{
	struct arena *arena = import->arena;
	const char *above = path_name(
		arena_printf(arena, "%.*s", (int)(strlen(folder) - strlen(path_name(folder, arena))), folder), arena);

	return arena_printf(arena, "Linux pmu-events arch/%s/%s", above, path_name(folder, arena));
}

static const char *core_unit(const struct import *import)
{
	return has_name_prefix(import->cpu->pmu, "cpu_") ? import->cpu->pmu : NULL;
}

static void finish_model(struct import *import, const char *folder)
{
	import->model_source = source_of(import, folder);
	import->model_version = mapfile_version(import, folder);
	if (!strcmp(import->cpu->vendor, "AMD"))
		perf_nodes_amd(import);
	else
		perf_nodes_sort(import);
}

int perf_read_metrics(struct import *import, const char *folder, struct error *err)
{
	struct perf_reader reader = { .import = import, .unit = core_unit(import) };

	if (read_folder(&reader, folder, err) < 0)
		return -1;
	finish_model(import, folder);
	return 0;
}

int perf_read(struct import *import, const char *folder, struct error *err)
{
	struct perf_reader reader = { .import = import, .unit = core_unit(import), .wants_events = true };

	if (read_standard(&reader, folder, err) < 0 || read_folder(&reader, folder, err) < 0)
		return -1;
	import->source = source_of(import, folder);
	import->version = import->map_version = mapfile_version(import, folder);
	events_finish(import);
	finish_model(import, folder);
	return 0;
}
