/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By the names that arch/x86/events/intel/uncore*.c and amd/uncore.c of Linux give to PMUs and their terms. */
#include "cpu/event/unit_event.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"

static bool is_of_sysfs(const char *unit)
{
	static const char *const prefixes[] = { "uncore_", "amd_", "arm_", "smmuv3_", "power", "msr", "cstate_" };

	for (size_t i = 0; i < COUNT_OF(prefixes); i++)
		if (has_name_prefix(unit, prefixes[i]))
			return true;
	return false;
}

const char *unit_pmu(const char *unit, struct arena *arena)
{
	static const struct {
		const char *unit, *pmu;
	} known[] = {
		/* clang-format off */
		{ "CBO",    "uncore_cbox" },
		{ "SBO",    "uncore_sbox" },
		{ "QPI LL", "uncore_qpi" },
		{ "UPI LL", "uncore_upi" },
		{ "iMPH-U", "uncore_arb" },
		{ "NCU",    "uncore_clock" },
		{ "L3PMC",  "amd_l3" },
		{ "DFPMC",  "amd_df" },
		{ "UMCPMC", "amd_umc" },
		/* clang-format on */
	};

	if (is_of_sysfs(unit))
		return arena_strdup(arena, unit);
	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (!strcmp(known[i].unit, unit))
			return known[i].pmu;
	return arena_printf(arena, "uncore_%s", text_lower(arena, unit));
}

static uint64_t unit_event_number_of(const struct bulk_object *object, const char *key)
{
	const char *text = bulk_get(object, key);

	return text ? strtoull(text, NULL, 0) : 0;
}

const char *unit_terms(const struct bulk_object *object, struct arena *arena)
{
	static const struct {
		const char *key, *term;
	} terms[] = {
		/* clang-format off */
		{ "NodeType",     "type" },
		{ "EventidCode",  "eventid" },
		{ "ConfigCode",   "config" },
		{ "PortMask",     "ch_mask" },
		{ "FCMask",       "fc_mask" },
		{ "RdWrMask",     "rdwrmask" },
		{ "EnAllCores",   "enallcores" },
		{ "EnAllSlices",  "enallslices" },
		{ "SliceId",      "sliceid" },
		{ "ThreadMask",   "threadmask" },
		{ "FILTER_VALUE", "config1" },
		/* clang-format on */
	};
	struct string text = STRING_INIT(arena);
	const char *filter = bulk_get(object, "Filter");

	for (size_t i = 0; i < COUNT_OF(terms); i++) {
		uint64_t value = unit_event_number_of(object, terms[i].key);
		bool is_code = !strcmp(terms[i].key, "EventidCode") || !strcmp(terms[i].key, "ConfigCode");

		if (value || (is_code && bulk_get(object, terms[i].key)))
			string_printf(&text, "%s%s=0x%llx", text.length ? "," : "", terms[i].term,
				      (unsigned long long)value);
	}
	if (filter && strchr(filter, '=')) /* Linux' files have the kernel's words there */
		string_printf(&text, "%s%s", text.length ? "," : "", filter);
	return text.length ? text.text : NULL;
}
