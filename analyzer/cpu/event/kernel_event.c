/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/event/event_internal.h"

#include <string.h>

#include "common/base/text.h"

/*
 * arch/x86/events/intel/core.c, event attributes: td_*. A core with PERF_METRICS has these as its fields; the efficient
 * cores have events, which those from Skymont on call ALL_P where a fixed counter has the other name.
 */
static const struct row_name {
	const char *name, *row;
} topdown_names[] = {
	/* clang-format off */
	{ "topdown-retiring",      "PERF_METRICS.RETIRING" },
	{ "topdown-bad-spec",      "PERF_METRICS.BAD_SPECULATION" },
	{ "topdown-fe-bound",      "PERF_METRICS.FRONTEND_BOUND" },
	{ "topdown-be-bound",      "PERF_METRICS.BACKEND_BOUND" },
	{ "topdown-heavy-ops",     "PERF_METRICS.HEAVY_OPERATIONS" },
	{ "topdown-br-mispredict", "PERF_METRICS.BRANCH_MISPREDICTS" },
	{ "topdown-fetch-lat",     "PERF_METRICS.FETCH_LATENCY" },
	{ "topdown-mem-bound",     "PERF_METRICS.MEMORY_BOUND" },
	{ "topdown-retiring",      "TOPDOWN_RETIRING.ALL_P" },
	{ "topdown-retiring",      "TOPDOWN_RETIRING.ALL" },
	{ "topdown-bad-spec",      "TOPDOWN_BAD_SPECULATION.ALL_P" },
	{ "topdown-bad-spec",      "TOPDOWN_BAD_SPECULATION.ALL" },
	{ "topdown-fe-bound",      "TOPDOWN_FE_BOUND.ALL_P" },
	{ "topdown-fe-bound",      "TOPDOWN_FE_BOUND.ALL" },
	{ "topdown-be-bound",      "TOPDOWN_BE_BOUND.ALL_P" },
	{ "topdown-be-bound",      "TOPDOWN_BE_BOUND.ALL" },
	{ "topdown-slots-issued",  "UOPS_ISSUED.ANY" }, /* these three before Ice Lake */
	{ "topdown-slots-retired", "UOPS_RETIRED.RETIRE_SLOTS" },
	{ "topdown-fetch-bubbles", "IDQ_UOPS_NOT_DELIVERED.CORE" },
	/* clang-format on */
};

/* likwid writes UOPS_ISSUED_ANY for UOPS_ISSUED.ANY. The row's name; the name itself where there is no such row. */
static const char *underscored_row(const struct event_database *database, const char *name)
{
	bool is_wanted = strchr(name, '_') && !strchr(name, '.') && !event_database_find(database, name);

	for (size_t i = 0; is_wanted && i < database->count; i++) {
		const char *row = database->rows[i].name;
		size_t at = 0;

		while (name[at] && (row[at] == name[at] || (row[at] == '.' && name[at] == '_')))
			at++;
		if (!row[at] && !name[at] && strchr(row, '.'))
			return row;
	}
	return name;
}

const char *kernel_event_row(const struct event_database *database, const char *name)
{
	const struct row_name roles[] = {
		{ "slots", database->slots_event },    { "cycles", database->cycles },
		{ "cpu-cycles", database->cycles },    { "instructions", database->instructions },
		{ "ref-cycles", database->reference },
	};

	for (size_t i = 0; i < COUNT_OF(roles); i++)
		if (roles[i].row && is_same_name(roles[i].name, name))
			return roles[i].row;
	for (size_t i = 0; i < COUNT_OF(topdown_names); i++)
		if (is_same_name(topdown_names[i].name, name) && event_database_find(database, topdown_names[i].row))
			return topdown_names[i].row;
	if (event_database_find(database, name))
		return name;
	for (size_t i = 0; i < database->count; i++)
		if (database->rows[i].kernel_event && is_same_name(database->rows[i].kernel_event, name))
			return database->rows[i].name;
	return underscored_row(database, name);
}

/*
 * intel_perfmon_event_map (arch/x86/events/intel/core.c), amd_zen*_perfmon_event_map (amd/core.c),
 * armv8_pmuv3_perf_map and __armv8_pmuv3_map_event_id (drivers/perf/arm_pmuv3.c). Left out is what differs between the
 * cores of one vendor.
 */
static const struct vendor_event {
	const char *vendor, *name, *terms;
} vendor_events[] = {
	/* clang-format off */
	{ "Intel", "branches",                "event=0xc4" },
	{ "Intel", "branch-instructions",     "event=0xc4" },
	{ "Intel", "branch-misses",           "event=0xc5" },
	{ "Intel", "cache-references",        "event=0x2e,umask=0x4f" },
	{ "Intel", "cache-misses",            "event=0x2e,umask=0x41" },
	{ "AMD",   "branches",                "event=0xc2" },
	{ "AMD",   "branch-instructions",     "event=0xc2" },
	{ "AMD",   "branch-misses",           "event=0xc3" },
	{ "AMD",   "cache-references",        "event=0x60,umask=0xff" },
	{ "AMD",   "cache-misses",            "event=0x64,umask=0x9" },
	{ "Arm",   "branches",                "event=0x21" },
	{ "Arm",   "branch-instructions",     "event=0x21" },
	{ "Arm",   "branch-misses",           "event=0x10" },
	{ "Arm",   "cache-references",        "event=0x4" },
	{ "Arm",   "cache-misses",            "event=0x3" },
	{ "Arm",   "bus-cycles",              "event=0x1d" },
	{ "Arm",   "stalled-cycles-frontend", "event=0x23" },
	{ "Arm",   "idle-cycles-frontend",    "event=0x23" },
	{ "Arm",   "stalled-cycles-backend",  "event=0x24" },
	{ "Arm",   "idle-cycles-backend",     "event=0x24" },
	/* clang-format on */
};

const char *kernel_event_terms(const struct event_database *database, const char *name)
{
	/* whoever made an arm64 core, its PMU is Arm's */
	const char *vendor = has_name_prefix(database->pmu, "armv8_") ? "Arm" : database->vendor;

	for (size_t i = 0; vendor && i < COUNT_OF(vendor_events); i++)
		if (is_same_name(vendor_events[i].vendor, vendor) && is_same_name(vendor_events[i].name, name))
			return vendor_events[i].terms;
	return NULL;
}
