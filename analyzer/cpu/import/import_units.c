/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_units.c - events of the PMUs beside the cores: memory controllers, caches, links, power. A vendor's file has
 * thousands. Kept are those that a metric reads, and those that the vendor documents.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/system/file.h"
#include "cpu/event/unit_event.h"
#include "cpu/import/importer.h"

#define CLOCK "UNC_CLOCK.SOCKET" /* all units of a socket have the same one */

#define MOST_DOCUMENTED 500 /* a file with more is everything that the hardware has, and not what is documented */

static uint64_t import_units_number_of(const struct bulk_object *object, const char *key)
{
	const char *text = bulk_get(object, key);

	return text ? strtoull(text, NULL, 0) : 0;
}

static const char *hex(uint64_t number, struct arena *arena)
{
	return number ? arena_printf(arena, "0x%02llx", (unsigned long long)number) : NULL;
}

static void import_units_add(struct import *import, const struct import_unit_event *event)
{
	if (table_get(&import->unit_names, event->name) != TABLE_NONE)
		return;
	import->unit_events = arena_grow(import->arena, import->unit_events, import->nunit_events,
					 &import->unit_capacity, sizeof(*event));
	import->unit_events[import->nunit_events] = *event;
	table_set(&import->unit_names, event->name, import->nunit_events++);
}

static bool is_fixed(const struct bulk_object *object)
{
	const char *counter = bulk_get(object, "Counter");

	return counter && is_same_name(counter, "FIXED");
}

/* Its number is that of a counter that always runs, in its own register, for which no file has the kernel's code. */
static bool is_free_running(const struct bulk_object *object, const char *name)
{
	const char *type = bulk_get(object, "CounterType");
	size_t length = strlen(name), ending = strlen("_FREERUN");

	return (type && is_same_name(type, "FREERUN")) ||
	       (length > ending && is_same_name(name + length - ending, "_FREERUN"));
}

/*
 * What one unit has, where the vendor's file does not say: at least, of the data fabric (arch/x86/events/amd/uncore.c,
 * NUM_COUNTERS_NB and _L3, and what CPUID says on processors so far; drivers/perf/arm-cmn.c, CMN_DT_NUM_COUNTERS).
 */
static const char *counters_of(const char *pmu)
{
	static const struct {
		const char *pmu, *counters;
	} known[] = {
		{ "amd_df", "0,1,2,3" },
		{ "amd_l3", "0,1,2,3,4,5" },
		{ "amd_umc", "0,1,2,3" },
		{ "arm_cmn", "0,1,2,3,4,5,6,7" },
	};

	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (!strcmp(known[i].pmu, pmu))
			return known[i].counters;
	return NULL;
}

void unit_event_add(struct import *import, const struct bulk_object *object, const char *unit, bool is_documented)
{
	struct arena *arena = import->arena;
	const char *name = bulk_get(object, "EventName"), *counter = bulk_get(object, "Counter");
	const char *pmu = unit_pmu(unit, arena);
	struct import_unit_event event = { .name = arena_strdup(arena, name), .is_kept = is_documented };
	uint64_t code = import_units_number_of(object, "EventCode") | import_units_number_of(object, "ExtSel") << 8;
	uint64_t umask = import_units_number_of(object, "UMask") | import_units_number_of(object, "UMaskExt") << 8;

	if (is_free_running(object, name))
		return;
	row_add(&event.row, "EventName", event.name, arena);
	if (is_fixed(object))
		code = 0xff; /* UNCORE_FIXED_EVENT */
	if (!bulk_get(object, "EventidCode") && !bulk_get(object, "ConfigCode"))
		row_add(&event.row, "EventCode", arena_printf(arena, "0x%02llx", (unsigned long long)code), arena);
	row_add(&event.row, "UMask", is_fixed(object) ? NULL : hex(umask, arena), arena);
	if (import_units_number_of(object, "CounterMask"))
		row_add_number(&event.row, "CounterMask", (unsigned)import_units_number_of(object, "CounterMask"),
			       arena);
	row_add(&event.row, "Invert", import_units_number_of(object, "Invert") ? "1" : NULL, arena);
	row_add(&event.row, "EdgeDetect", import_units_number_of(object, "EdgeDetect") ? "1" : NULL, arena);
	if (!counter)
		counter = counters_of(pmu);
	row_add(&event.row, "Counter", counter && !is_fixed(object) ? arena_strdup(arena, counter) : NULL, arena);
	row_add(&event.row, "Unit", pmu, arena);
	row_add(&event.row, "OneUnit", is_same_name(name, CLOCK) ? "1" : NULL, arena);
	row_add(&event.row, "Terms", unit_terms(object, arena), arena);
	if (bulk_get(object, "Compat"))
		row_add(&event.row, "Compat", arena_strdup(arena, bulk_get(object, "Compat")), arena);
	if (import_units_number_of(object, "Deprecated"))
		row_add(&event.row, "Deprecated", "1", arena);
	import_units_add(import, &event);
}

bool unit_event_take(struct import *import, const char *name)
{
	size_t number = table_get(&import->unit_names, name);

	if (number != TABLE_NONE)
		import->unit_events[number].is_kept = true;
	return number != TABLE_NONE;
}

/* ---- energy ---- */

/* An event of the PMU "power", of which the vendor's formulas count so many joules at a time. */
static void add_energy(struct import *import, const char *name, const char *kernel_event, const char *joules)
{
	struct import_unit_event event = { .name = name, .is_kept = true };

	row_add(&event.row, "EventName", name, import->arena);
	row_add(&event.row, "EventCode", "0x00", import->arena);
	row_add(&event.row, "Unit", "power", import->arena);
	row_add(&event.row, "KernelEvent", kernel_event, import->arena);
	row_add(&event.row, "UnitScale", joules, import->arena);
	import_units_add(import, &event);
}

static const char *joules_of(const char *factor)
{
	return !strcmp(factor, "61") ? "6.1e-05" : "1.56e-05";
}

/*
 * Energy has no row in the vendors' files. Intel's formulas multiply the counts by 61 or 15.6 microjoules; the kernel's
 * counts are in another unit, and sysfs says in which.
 */
static void find_energy(struct import *import, const char *expr)
{
	static const struct {
		const char *name, *kernel_event, *factor;
	} named[] = {
		{ "FREERUN_PKG_ENERGY_STATUS", "energy-pkg", "61" },
		{ "FREERUN_DRAM_ENERGY_STATUS", "energy-ram", "15.6" },
		{ "UNC_PKG_ENERGY_STATUS", "energy-pkg", "61" },
	};
	static const char *const spelled[] = { "pkg", "ram" };

	for (size_t i = 0; i < COUNT_OF(named); i++)
		if (strstr(expr, named[i].name))
			add_energy(import, named[i].name, named[i].kernel_event, joules_of(named[i].factor));
	for (size_t i = 0; i < COUNT_OF(spelled); i++) {
		const char *text = arena_printf(import->arena, "power@energy\\-%s@", spelled[i]);
		const char *found = strstr(expr, text), *kernel_event;

		if (!found)
			continue;
		kernel_event = arena_printf(import->arena, "energy-%s", spelled[i]);
		add_energy(import, arena_printf(import->arena, "power/%s/", kernel_event), kernel_event,
			   joules_of(has_name_prefix(found + strlen(text), " * 61") ? "61" : "15.6"));
		for (size_t k = 0; k < COUNT_OF(named); k++) /* counts may have Intel's own name of it */
			if (!strcmp(named[k].kernel_event, kernel_event))
				add_energy(import, named[k].name, named[k].kernel_event, joules_of(named[k].factor));
	}
}

void unit_events_find_energy(struct import *import)
{
	for (size_t i = 0; i < import->nmetrics; i++)
		find_energy(import, import->metrics[i].expr);
}

/* ---- perfmon's files ---- */

struct reader {
	struct import *import;
	size_t count;
	bool is_documented;
};

static int count_event(void *context, const struct bulk_object *object UNUSED, struct error *err UNUSED)
{
	((struct reader *)context)->count++;
	return 0;
}

static int import_units_read_event(void *context, const struct bulk_object *object, struct error *err UNUSED)
{
	const struct reader *r = context;

	if (bulk_get(object, "EventName") && bulk_get(object, "Unit"))
		unit_event_add(r->import, object, bulk_get(object, "Unit"), r->is_documented);
	return 0;
}

static int visit(struct reader *r, const char *path,
		 int (*object)(void *context, const struct bulk_object *object, struct error *err), struct error *err)
{
	struct bulk_visitor visitor = { .context = r, .list = "Events", .object = object };
	struct arena text;
	int result;

	arena_init(&text); /* what is kept of it is copied */
	result = bulk_read(path, &visitor, &text, err);
	arena_release(&text);
	return result;
}

/* Of a hybrid CPU the events stand with its performance cores; those of other types have what their metrics read. */
static bool is_first_type(const struct import *import)
{
	const char *type = strchr(import->cpu->name, ':');

	return !type || !strcmp(type, ":core");
}

int perfmon_read_units(struct import *import, const char *folder, struct error *err)
{
	static const char *const endings[] = { "uncore", "uncore_experimental" };
	const char *stem = arena_strndup(import->arena, import->cpu->file, strcspn(import->cpu->file, "_"));

	for (size_t i = 0; i < COUNT_OF(endings); i++) {
		const char *path = arena_printf(import->arena, "%s/events/%s_%s.json", folder, stem, endings[i]);
		struct reader reader = { .import = import };

		if (!is_file(path))
			continue;
		if (visit(&reader, path, count_event, err) < 0)
			return -1;
		reader.is_documented = i == 0 && is_first_type(import) && reader.count <= MOST_DOCUMENTED;
		if (visit(&reader, path, import_units_read_event, err) < 0)
			return -1;
	}
	return 0;
}

static int import_units_by_name(const void *a, const void *b)
{
	return strcmp(((const struct import_unit_event *)a)->name, ((const struct import_unit_event *)b)->name);
}

static bool has_unit(const struct import *import, const char *unit)
{
	for (size_t i = 0; i < import->nunit_events; i++)
		if (!strcmp(row_get(&import->unit_events[i].row, "Unit"), unit))
			return true;
	return false;
}

/* Up to Skylake the clock is a fixed counter of the C-boxes (uncore_snb.c, snb_uncore_cbox). */
static void place_clock(struct import *import)
{
	size_t number = table_get(&import->unit_names, CLOCK);

	if (number == TABLE_NONE || !has_unit(import, "uncore_cbox"))
		return;
	for (size_t i = 0; i < import->unit_events[number].row.count; i++)
		if (!strcmp(import->unit_events[number].row.fields[i].key, "Unit"))
			import->unit_events[number].row.fields[i].text = "uncore_cbox";
}

void unit_events_finish(struct import *import)
{
	size_t kept = 0;

	place_clock(import);
	for (size_t i = 0; i < import->nunit_events; i++)
		if (import->unit_events[i].is_kept)
			import->unit_events[kept++] = import->unit_events[i];
	import->nunit_events = kept;
	if (kept)
		qsort(import->unit_events, kept, sizeof(*import->unit_events), import_units_by_name);
}
