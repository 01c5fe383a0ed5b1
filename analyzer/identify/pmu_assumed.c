/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pmu_assumed.c - PMUs of CPUs that are not at hand: what the kernel shows for the vendor's usual one. */
#include <linux/perf_event.h>

#include "base/text.h"
#include "identify/parts.h"

struct assumed_format {
	const char *name, *bits;
};

/* arch/x86/events/intel/core.c, arch/x86/events/amd/core.c, drivers/perf/arm_pmuv3.c */
static const struct assumed_format intel_formats[] = {
	/* clang-format off */
	{ "any",         "config:21" },
	{ "cmask",       "config:24-31" },
	{ "edge",        "config:18" },
	{ "eq",          "config:36" },
	{ "event",       "config:0-7" },
	{ "frontend",    "config1:0-23" },
	{ "in_tx",       "config:32" },
	{ "in_tx_cp",    "config:33" },
	{ "inv",         "config:23" },
	{ "ldlat",       "config1:0-15" },
	{ "offcore_rsp", "config1:0-63" },
	{ "pc",          "config:19" },
	{ "umask",       "config:8-15,40-47" }, /* the upper part from Lunar Lake on */
	/* clang-format on */
};

static const struct assumed_format amd_formats[] = {
	/* clang-format off */
	{ "cmask", "config:24-31" },
	{ "edge",  "config:18" },
	{ "event", "config:0-7,32-35" },
	{ "inv",   "config:23" },
	{ "umask", "config:8-15" },
	/* clang-format on */
};

static const struct assumed_format arm_formats[] = {
	/* clang-format off */
	{ "event", "config:0-15" },
	{ "long",  "config1:0" },
	/* clang-format on */
};

/* Transactions: those names that formulas use and no database has (EVENT_ATTR_STR in arch/x86/events/intel/core.c). */
static const struct pmu_entry intel_events[] = {
	/* clang-format off */
	{ "cycles-ct", "event=0x3c,in_tx=1,in_tx_cp=1" },
	{ "cycles-t",  "event=0x3c,in_tx=1" },
	{ "el-start",  "event=0xc8,umask=0x1" },
	{ "tx-start",  "event=0xc9,umask=0x1" },
	/* clang-format on */
};

static const struct assumed_vendor {
	const char *name;
	const struct assumed_format *formats;
	size_t count;
	const struct pmu_entry *events;
	size_t nevents;
} assumed_vendors[] = {
	/* clang-format off */
	{ "Intel", intel_formats, COUNT_OF(intel_formats), intel_events, COUNT_OF(intel_events) },
	{ "AMD",   amd_formats,   COUNT_OF(amd_formats),   NULL,         0 },
	{ "Arm",   arm_formats,   COUNT_OF(arm_formats),   NULL,         0 },
	/* clang-format on */
};

static const struct assumed_vendor *find_vendor(const char *pmu_name, const char *vendor)
{
	for (size_t i = 0; vendor && i < COUNT_OF(assumed_vendors); i++)
		if (is_same_name(assumed_vendors[i].name, vendor))
			return &assumed_vendors[i];
	return has_name_prefix(pmu_name, "arm") ? &assumed_vendors[2] : &assumed_vendors[0];
}

const struct pmu *pmu_assumed(const char *name, const char *vendor, struct arena *arena)
{
	const struct assumed_vendor *row = find_vendor(name, vendor);
	struct pmu *pmu = arena_alloc(arena, sizeof(*pmu));

	*pmu = (struct pmu){ .name = arena_strdup(arena, name), .type = PERF_TYPE_RAW };
	pmu->formats = arena_array(arena, row->count, sizeof(*pmu->formats));
	for (size_t i = 0; i < row->count; i++)
		if (pmu_format_parse(&pmu->formats[pmu->nformats], row->formats[i].name, row->formats[i].bits))
			pmu->nformats++;
	pmu->events = arena_array(arena, row->nevents + 1, sizeof(*pmu->events));
	for (size_t i = 0; i < row->nevents; i++)
		pmu->events[pmu->nevents++] = row->events[i];
	return pmu;
}
