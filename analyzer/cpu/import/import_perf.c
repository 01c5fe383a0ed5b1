/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_perf.c - a CPU's folder of Linux' pmu-events: arrays of events and metrics, on arm64 with references to common
 * events.
 */
#include <string.h>

#include "common/base/text.h"
#include "common/system/file.h"
#include "cpu/import/convert.h"
#include "cpu/import/importer.h"

/* What an object of the architecture's folder says: an event, a metric, or both. */
struct standard {
	struct row event, metric;
};

struct perf_reader {
	struct import *import;
	const char *unit; /* of the core type that is wanted ("cpu_atom"), or NULL */
	bool wants_events;
	const struct table *present; /* metrics that are there already, "tma_...", and stay; or NULL */
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
	static const char *const keys[] = { "MetricName",	 "MetricExpr",	"MetricThreshold",
					    "MetricGroup",	 "ScaleUnit",	"BriefDescription",
					    "PublicDescription", "CountDomain", "Title" };
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

/* AMD and Arm publish no counters: six general ones, and Arm's counter of cycles. */
static void add_counters(const struct import *import, struct row *raw)
{
	const char *counters = NULL;

	if (is_arm(import->cpu) || !strcmp(import->cpu->vendor, "AMD"))
		counters = ARM_COUNTERS; /* AMD's cores have as many */
	if (is_arm(import->cpu) && !strcmp(row_get(raw, "EventName"), "CPU_CYCLES"))
		counters = "Fixed counter 0";
	if (!row_get(raw, "Counter"))
		row_add(raw, "Counter", counters, import->arena);
}

static void import_perf_read_event(struct perf_reader *r, const struct bulk_object *object)
{
	const char *unit = bulk_get(object, "Unit"), *name = bulk_get(object, "EventName");
	const struct standard *standard = standard_of(r, object);
	struct row raw = event_raw(r->import, object);

	if (is_other_core(r, unit))
		return;
	if (!is_core_unit(unit)) {
		if (name)
			unit_event_add(r->import, object, unit, true);
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
};

/* The kernel's names of the fields of PERF_METRICS, in a formula's spelling. */
static const struct field_row {
	const char *name, *event;
} field_rows[] = {
	/* clang-format off */
	{ "topdown\\-retiring",       "PERF_METRICS.RETIRING" },
	{ "topdown\\-bad\\-spec",     "PERF_METRICS.BAD_SPECULATION" },
	{ "topdown\\-fe\\-bound",     "PERF_METRICS.FRONTEND_BOUND" },
	{ "topdown\\-be\\-bound",     "PERF_METRICS.BACKEND_BOUND" },
	{ "topdown\\-heavy\\-ops",    "PERF_METRICS.HEAVY_OPERATIONS" },
	{ "topdown\\-br\\-mispredict", "PERF_METRICS.BRANCH_MISPREDICTS" },
	{ "topdown\\-fetch\\-lat",    "PERF_METRICS.FETCH_LATENCY" },
	{ "topdown\\-mem\\-bound",    "PERF_METRICS.MEMORY_BOUND" },
	/* clang-format on */
};

/* "topdown\-retiring" and "cpu_core@topdown\-retiring@", where the core has that field; else NULL. */
static const char *field_event(const struct import *import, const char *name)
{
	const char *at = strchr(name, '@'), *plain = at ? at + 1 : name;

	for (size_t i = 0; i < COUNT_OF(field_rows); i++) {
		size_t length = strlen(field_rows[i].name);

		if (!strncmp(plain, field_rows[i].name, length) && !strcmp(plain + length, at ? "@" : ""))
			return has_import_event(import, field_rows[i].event) ? field_rows[i].event : NULL;
	}
	return NULL;
}

/* "cpu_atom@X@" of a core that is another type here: its PMU instead. */
static const char *own_pmu(const struct import *import, const char *name)
{
	const char *unit = import->cpu->unit;

	if (!unit[0] || strncmp(name, unit, strlen(unit)) != 0 || name[strlen(unit)] != '@')
		return NULL;
	return arena_printf(import->arena, "%s%s", import->cpu->pmu, name + strlen(unit));
}

/* Generic names of the kernel's by those of the event files: AMD's formulas mean this event by "instructions". */
static const char *plain_name(void *context, const char *spelled)
{
	const struct names *names = context;
	const char *name;

	if (!strcmp(names->import->cpu->vendor, "AMD"))
		return !strcmp(spelled, "instructions") ? "ex_ret_instr" : NULL;
	name = field_event(names->import, spelled);
	return name ? name : own_pmu(names->import, spelled);
}

/* Linux' form of perfmon's TOPDOWN.SLOTS:percore halves the slots of both threads, but counts those of one. */
static const char *with_both_threads(struct import *import, const char *name, const char *expr)
{
	static const char *const lost[] = { "(TOPDOWN.SLOTS / 2) if #SMT_on",
					    "(cpu_core@TOPDOWN.SLOTS@ / 2) if #SMT_on" };

	for (size_t i = 0; i < COUNT_OF(lost); i++) {
		const char *found = strstr(expr, lost[i]);

		if (!found)
			continue;
		import_say(import, "%s: with the slots of both threads, which its formula halves", name);
		return arena_printf(import->arena, "%.*s(TOPDOWN.SLOTS:percore / 2) if #SMT_on%s", (int)(found - expr),
				    expr, found + strlen(lost[i]));
	}
	return expr;
}

/* Some of Linux' formulas multiply by 100 themselves and have a ScaleUnit that does it once more. */
static const char *unit_of(struct import *import, const char *name, const char *expr, const char *unit)
{
	if (!unit || !has_name_prefix(unit, "100%") || !has_name_prefix(expr, "100 *"))
		return arena_strdup(import->arena, unit ? unit : "");
	import_say(import, "%s: its formula is in percent already, so its unit is 1%%", name);
	return arena_printf(import->arena, "1%s", unit + 3);
}

/* "msr@tsc\,cpu=cpu_atom@": on the CPUs of that core type, which are those of this model anyway. */
static const char *without_cpu_term(const char *expr, struct arena *arena)
{
	static const char term[] = "\\,cpu=";
	struct string text = STRING_INIT(arena);
	const char *found;

	while ((found = strstr(expr, term)) != NULL) {
		string_addn(&text, expr, (size_t)(found - expr));
		expr = found + strcspn(found, "@");
	}
	string_add(&text, expr);
	return text.text;
}

/* perf adds up one unit of each socket, and this divides by their number; here such a count is one socket's. */
static const char *of_one_socket(struct import *import, const char *name, const char *expr)
{
	static const char dies[] = " / #num_dies";
	const char *found = strstr(expr, dies);

	if (!found)
		return expr;
	import_say(import, "%s: without '%s', because one unit's count is one socket's", name, dies + 1);
	return arena_printf(import->arena, "%.*s%s", (int)(found - expr), expr, found + strlen(dies));
}

/* "TopDownL1" of HiSilicon's files is what all others call "TopdownL1". */
static const char *usual_groups(const char *groups, struct arena *arena)
{
	static const char other[] = "TopDownL", usual[] = "TopdownL";
	char *text = arena_strdup(arena, groups);

	for (char *at = strstr(text, other); at; at = strstr(at, other))
		memcpy(at, usual, strlen(usual));
	return text;
}

static void import_perf_add_metric(struct import *import, const struct row *raw)
{
	const char *name = row_get(raw, "MetricName");
	const char *text = without_cpu_term(row_get(raw, "MetricExpr"), import->arena);
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
	text = of_one_socket(import, metric->name, text);
	metric->expr = with_both_threads(import, metric->name, metric_core_cycles(import, metric->name, text));
	metric->groups = groups ? usual_groups(groups, import->arena) : "";
	metric->unit = unit_of(import, metric->name, text, row_get(raw, "ScaleUnit"));
	metric->threshold = threshold ? convert_formula(threshold, &names, import->arena, &err) : NULL;
	metric->domain = row_get(raw, "CountDomain");
	metric->title = row_get(raw, "Title");
	metric->text = import->request->with_text ? row_get(raw, "BriefDescription") : NULL;
	read_samples(import, metric, row_get(raw, "PublicDescription"));
}

/* Beside a tree of another source: metrics that it lacks, and no nodes. */
static bool import_perf_is_wanted(const struct perf_reader *r, const struct row *raw)
{
	const char *name = metric_name(row_get(raw, "MetricName"), r->import->arena);
	const char *groups = row_get(raw, "MetricGroup");

	return !r->present || (table_get(r->present, name) == TABLE_NONE && !(groups && strstr(groups, "TopdownL")));
}

static void import_perf_read_metric(struct perf_reader *r, const struct bulk_object *object)
{
	const struct standard *standard = standard_of(r, object);
	struct row raw;

	if ((!standard && !bulk_get(object, "MetricName")) || is_other_core(r, bulk_get(object, "Unit")))
		return;
	raw = metric_raw(r->import, object);
	raw = merged(standard ? &standard->metric : NULL, &raw, r->import->arena);
	if (row_get(&raw, "MetricName") && row_get(&raw, "MetricExpr") && import_perf_is_wanted(r, &raw))
		import_perf_add_metric(r->import, &raw);
}

static int read_object(void *context, const struct bulk_object *object, struct error *err UNUSED)
{
	struct perf_reader *r = context;

	if (r->wants_events)
		import_perf_read_event(r, object);
	import_perf_read_metric(r, object);
	return 0;
}

/* Events and metrics of all files, or the metrics alone, which some files of events have too. */
static int read_folder(struct perf_reader *r, const char *folder, struct error *err)
{
	struct bulk_visitor visitor = { .context = r, .list = "Events", .object = read_object };

	return perf_visit(folder, ".json", &visitor, r->import->arena, err);
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
	return perf_visit(folder, ".json", &visitor, arena, err);
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
			return perf_visit(place, ".json", &visitor, arena, err);
	}
	return 0;
}

/* An event of the architecture that the folder leaves out. */
static void add_standard(struct perf_reader *r, const char *name, const char *why)
{
	size_t number = table_get(&r->standard_names, name);
	struct row raw;

	if (has_import_event(r->import, name) || number == TABLE_NONE ||
	    !row_get(&r->standards[number].event, "EventName"))
		return;
	raw = merged(NULL, &r->standards[number].event, r->import->arena);
	add_counters(r->import, &raw);
	event_add(r->import, &raw);
	import_say(r->import, "%s: taken from the architecture, %s", name, why);
}

/*
 * What every PMUv3 counts: required events, "Common event numbers", Arm Architecture Reference Manual. Folders of cores
 * that Linux knew early leave it out. And what formulas name, where the vendor lists its own events only.
 */
static void add_standards(struct perf_reader *r)
{
	static const char *const names[] = { "CPU_CYCLES",  "INST_RETIRED", "BR_PRED",
					     "BR_MIS_PRED", "L1D_CACHE",    "L1D_CACHE_REFILL" };
	struct arena *arena = r->import->arena;

	for (size_t i = 0; i < COUNT_OF(names) && r->import->nevents; i++)
		add_standard(r, names[i], "which requires it");
	perf_name_raw(r->import);
	for (size_t i = 0; i < r->import->nmetrics && r->import->nevents; i++) {
		const char *text = r->import->metrics[i].expr, *name;
		size_t length;

		while ((length = formula_next_name(&text, &name)) > 0)
			add_standard(r, arena_strndup(arena, name, length), "because a formula names it");
	}
}

const char *core_unit(const struct import *import)
{
	if (import->cpu->unit[0])
		return import->cpu->unit;
	return has_name_prefix(import->cpu->pmu, CORE_TYPE_PREFIX) ? import->cpu->pmu : NULL;
}

static void finish_model(struct import *import, const char *folder)
{
	import->model_source = perf_source(import, folder);
	import->model_version = perf_mapfile_version(import, folder);
	if (!strcmp(import->cpu->vendor, "AMD"))
		perf_nodes_amd(import);
	else if (is_arm(import->cpu))
		perf_nodes_arm(import);
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

/* Of events that a formula names and the CPU lacks, the first; NULL: it has all. */
static const char *lacking_event(const struct import *import, const char *expr)
{
	static const char marks[] = " ()+-*/,<>|&";

	for (expr += strspn(expr, marks); *expr; expr += strspn(expr, marks)) {
		const char *name = arena_strndup(import->arena, expr, strcspn(expr, marks));

		expr += strlen(name);
		if (*name >= 'A' && *name <= 'Z' && !has_import_event(import, name))
			return name;
	}
	return NULL;
}

int perf_read_generic(struct import *import, const char *folder, struct error *err)
{
	struct perf_reader reader = { .import = import, .unit = core_unit(import) };
	size_t before = import->nmetrics, kept = before;

	if (read_folder(&reader, folder, err) < 0)
		return -1;
	for (size_t i = before; i < import->nmetrics; i++) {
		const struct import_metric *metric = &import->metrics[i];
		const char *lacking = lacking_event(import, metric->expr);

		if (lacking)
			import_say(import, "%s: left out, because this core has no event %s", metric->name, lacking);
		else if (!before || strstr(metric->groups, "TopdownL")) /* beside the vendor's metrics only nodes */
			import->metrics[kept++] = *metric;
	}
	import->nmetrics = kept;
	if (!before) {
		import->model_source = perf_source(import, folder);
		import->model_version = "v1";
	}
	if (is_arm(import->cpu))
		perf_nodes_arm(import);
	else
		perf_nodes_sort(import);
	return 0;
}

int perf_add_metrics(struct import *import, const char *folder, struct error *err)
{
	struct table present = TABLE_INIT(import->arena);
	struct perf_reader reader = { .import = import, .unit = core_unit(import), .present = &present };
	size_t before = import->nmetrics;

	for (size_t i = 0; i < before; i++)
		table_set(&present, metric_name(import->metrics[i].name, import->arena), i);
	if (read_folder(&reader, folder, err) < 0)
		return -1;
	if (import->nmetrics > before)
		import_say(import, "%zu metrics that are not nodes from %s", import->nmetrics - before,
			   perf_source(import, folder));
	return 0;
}

int perf_read_system(struct import *import, const char *folder, struct error *err)
{
	struct perf_reader reader = { .import = import, .wants_events = true };

	return read_folder(&reader, folder, err);
}

int perf_read(struct import *import, const char *folder, struct error *err)
{
	struct perf_reader reader = { .import = import, .unit = core_unit(import), .wants_events = true };

	if (read_standard(&reader, folder, err) < 0 || read_folder(&reader, folder, err) < 0)
		return -1;
	if (is_arm(import->cpu))
		add_standards(&reader);
	import->source = perf_source(import, folder);
	import->version = import->map_version = perf_mapfile_version(import, folder);
	events_finish(import);
	finish_model(import, folder);
	return 0;
}
