/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "common/base/text.h"
#include "common/json/json_bulk.h"
#include "common/system/embedded.h"
#include "common/system/file.h"
#include "cpu/event/unit_event.h"
#include "cpu/load/tables.h"

/* One file being read into the database. */
struct reader {
	struct event_database *database;
	struct arena *arena;
	const char *path;
	size_t capacity, warnings_capacity;
	bool is_system; /* rows that are there stay, and the header is another's */
};

static void warn(struct reader *r, const char *text)
{
	struct event_database *database = r->database;

	database->warnings = arena_grow(r->arena, database->warnings, database->nwarnings, &r->warnings_capacity,
					sizeof(*database->warnings));
	database->warnings[database->nwarnings++] = text;
}

/* The first number of "0xB7,0xBB"; 0 when there is none. */
static uint64_t first_number(const char *list)
{
	const char *end;
	uint64_t value;

	if (!list)
		return 0;
	list += strspn(list, ", \t\r\n");
	if (!text_u64_prefix(list, &end, &value))
		return 0;
	end += strspn(end, " \t\r\n");
	return !*end || *end == ',' ? value : 0;
}

static size_t list_length(const char *list)
{
	const char *part;
	size_t count = 0;

	while (list && text_next(&list, ",", &part))
		count++;
	return count;
}

static bool is_set(const struct bulk_object *object, const char *key)
{
	return first_number(bulk_get(object, key)) != 0;
}

/* One of "3", "Fixed counter 1", "Metric 2"; other words (of uncore units) are passed over. */
static void parse_counter(const char *word, uint64_t *counters, bool *is_metric)
{
	static const char fixed[] = "Fixed counter ";
	bool is_fixed = has_name_prefix(word, fixed);
	uint64_t number = first_number(is_fixed ? word + strlen(fixed) : word);

	if (has_name_prefix(word, "Metric "))
		*is_metric = true;
	else if (is_fixed && number < 32)
		*counters |= 1ull << (FIXED_COUNTER + number);
	else if (*word >= '0' && *word <= '9' && number < FIXED_COUNTER)
		*counters |= 1ull << number;
}

/* "0,1,2,3", "Fixed counter 1", "Metric 2" */
static void parse_counters(const char *list, uint64_t *counters, bool *is_metric)
{
	const char *part;

	if (!list)
		return;
	/* nearly all are plain lists of digits */
	for (; list[0] >= '0' && list[0] <= '9' && list[1] == ','; list += 2)
		*counters |= 1ull << (list[0] - '0');
	while (text_next(&list, ",", &part) > 0)
		parse_counter(part, counters, is_metric);
}

/* Core PMUs have no Unit, or a core type as Unit. */
static const char *uncore_unit(const char *unit)
{
	static const char *const cores[] = { "cpu_core", "cpu_atom", "core" };

	for (size_t i = 0; i < COUNT_OF(cores) && unit; i++)
		if (!strcmp(unit, cores[i]))
			return NULL;
	return unit;
}

static double event_database_read_number(const struct bulk_object *object, const char *key)
{
	const char *text = bulk_get(object, key);
	double number;

	return text && text_double(text, &number) ? number : NOT_COUNTED;
}

/* In the kernel's words, where the file has the vendor's. */
static void event_database_read_unit(struct event_row *row, const struct bulk_object *object, struct arena *arena)
{
	if (!row->unit)
		return;
	row->unit = unit_pmu(row->unit, arena);
	row->terms = bulk_get(object, "Terms");
	if (!row->terms)
		row->terms = unit_terms(object, arena);
}

static struct event_row read_row(const struct bulk_object *object, struct arena *arena)
{
	const char *msrs = bulk_get(object, "MSRIndex"), *precise = bulk_get(object, "PEBS");
	struct event_row row = {
		.name = bulk_get(object, "EventName"),
		.code = first_number(bulk_get(object, "EventCode")),
		.umask = first_number(bulk_get(object, "UMask")) | first_number(bulk_get(object, "UMaskExt")) << 8,
		.counter_mask = first_number(bulk_get(object, "CounterMask")),
		.invert = is_set(object, "Invert"),
		.edge = is_set(object, "EdgeDetect"),
		.any = is_set(object, "AnyThread"),
		.equal = is_set(object, "Equal"),
		.msr = (unsigned)first_number(msrs),
		.nmsr = (unsigned)list_length(msrs),
		.msr_value = first_number(bulk_get(object, "MSRValue")),
		.taken_alone = is_set(object, "TakenAlone"),
		.precise = (unsigned)first_number(precise ? precise : bulk_get(object, "Precise")),
		.has_address = is_set(object, "Data_LA"),
		.period = first_number(bulk_get(object, "SampleAfterValue")),
		.is_deprecated = is_set(object, "Deprecated"),
		.retire_latency = event_database_read_number(object, "RetireLatency"),
		.unit = uncore_unit(bulk_get(object, "Unit")),
		.is_one_unit = is_set(object, "OneUnit"),
		.unit_scale = event_database_read_number(object, "UnitScale"),
		.kernel_event = bulk_get(object, "KernelEvent"),
		.compat = bulk_get(object, "Compat"),
	};

	event_database_read_unit(&row, object, arena);
	parse_counters(bulk_get(object, "Counter"), &row.counters, &row.is_metric);
	parse_counters(bulk_get(object, "CounterHTOff"), &row.counters_smt_off, &row.is_metric);
	return row;
}

static int read_object(void *context, const struct bulk_object *object, struct error *err UNUSED)
{
	struct reader *r = context;
	struct event_database *database = r->database;
	struct event_row row;
	size_t before;

	if (!bulk_get(object, "EventName"))
		return 0; /* a metric, or a copy of an architectural event without a code of its own */
	row = read_row(object, r->arena);
	before = table_get(&database->by_name, row.name);
	if (before != TABLE_NONE && r->is_system)
		return 0;
	if (before != TABLE_NONE) {
		warn(r,
		     arena_printf(r->arena, "%s: event '%s' appears twice; the last one is used", r->path, row.name));
		database->rows[before] = row;
		return 0;
	}
	database->rows = arena_grow(r->arena, database->rows, database->count, &r->capacity, sizeof(row));
	database->rows[database->count] = row;
	table_set(&database->by_name, row.name, database->count++);
	return 0;
}

static unsigned header_number(const struct bulk_object *header, const char *key)
{
	uint64_t number = first_number(bulk_get(header, key));

	return number <= 64 ? (unsigned)number : 0;
}

static void event_database_read_header(void *context, const struct bulk_object *header)
{
	struct reader *r = context;
	struct event_database *database = r->database;
	const struct {
		const char *key, **field;
	} texts[] = {
		/* clang-format off */
		{ "Cpu",          &database->cpu },
		{ "ShortName",    &database->short_name },
		{ "Title",        &database->title },
		{ "Vendor",       &database->vendor },
		{ "Source",       &database->source },
		{ "Version",      &database->version },
		{ "Pmu",          &database->pmu },
		{ "Cycles",       &database->cycles },
		{ "Instructions", &database->instructions },
		{ "Reference",    &database->reference },
		{ "SlotsEvent",   &database->slots_event },
		{ "SlotsGeneral", &database->slots_general },
		{ "Pfm",          &database->pfm },
		{ "Exclusive",    &database->exclusive },
		{ "Paired",       &database->paired },
		{ "System",       &database->system },
		/* clang-format on */
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		if (bulk_get(header, texts[i].key))
			*texts[i].field = bulk_get(header, texts[i].key);
	database->general = header_number(header, "GeneralCounters");
	database->general_smt_off = header_number(header, "GeneralCountersSMTOff");
	database->fixed = header_number(header, "FixedCounters");
	database->slots = header_number(header, "Slots");
	database->max_precise = header_number(header, "MaxPrecise");
}

static int read_file(struct reader *r, const char *path, struct error *err)
{
	struct bulk_visitor visitor = { .context = r,
					.list = "Events",
					.header = r->is_system ? NULL : event_database_read_header,
					.object = read_object };

	r->path = path;
	return bulk_read(path, &visitor, r->arena, err);
}

/* An upstream directory holds arrays of events and metrics, and a few files that are neither. */
static int read_directory(struct reader *r, const char *path, struct error *err)
{
	size_t count;
	const char **names = directory_list(path, ".json", &count, r->arena, err);

	if (!names)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(names[i], "metricgroups.json"))
			continue;
		if (read_file(r, arena_printf(r->arena, "%s/%s", path, names[i]), err) < 0)
			return -1;
	}
	return 0;
}

static struct event_database without_events(struct arena *arena)
{
	return (struct event_database){
		.by_name = TABLE_INIT(arena), .pmu = "cpu", .vendor = "", .cpu = "", .title = ""
	};
}

int event_database_load(struct event_database *database, const char *path, struct arena *arena, struct error *err)
{
	struct reader r = { .database = database, .arena = arena };

	*database = without_events(arena);
	if (is_embedded(path))
		return tables_load_events(database, path, arena, err);
	if ((is_directory(path) ? read_directory(&r, path, err) : read_file(&r, path, err)) < 0)
		return -1;
	if (!database->count)
		return error_set(err, "%s: no events in it", path);
	return 0;
}

int event_database_add(struct event_database *database, const char *path, struct arena *arena, struct error *err)
{
	struct reader r = { .database = database, .arena = arena, .capacity = database->count, .is_system = true };

	return read_file(&r, arena_strdup(arena, path), err);
}

int event_database_load_header(struct event_database *database, const char *path, struct arena *arena,
			       struct error *err)
{
	struct reader r = { .database = database, .arena = arena };

	*database = without_events(arena);
	if (is_embedded(path))
		return tables_load_header(database, &event_header_columns, path, err);
	return is_directory(path) ? 0 : bulk_read_header(path, event_database_read_header, &r, arena, err);
}

const struct event_row *event_database_find(const struct event_database *database, const char *name)
{
	size_t number = table_get(&database->by_name, name);

	return number == TABLE_NONE ? NULL : &database->rows[number];
}

const char *event_database_roles(const struct event_database *database, uint64_t counters, struct arena *arena)
{
	const struct {
		const char *event, *words;
	} roles[] = {
		{ database->instructions, "instructions" },
		{ database->cycles, "cycles" },
		{ database->reference, "reference cycles" },
		{ database->slots_event, "slots" },
	};
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < COUNT_OF(roles); i++) {
		const struct event_row *row = roles[i].event ? event_database_find(database, roles[i].event) : NULL;

		if (row && row->counters & counters & ~GENERAL_COUNTERS)
			string_printf(&text, "%s%s", text.length ? ", " : "", roles[i].words);
	}
	return text.length ? text.text : NULL;
}
