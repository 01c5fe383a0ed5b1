/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/diagnose/judges.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"

/* ---- Amazon EC2: "m7i.xlarge" is a family (series, generation, attributes) and a size ---- */

/* aws-graviton-getting-started, perfrunbook/debug_hw_perf.md: the smallest size with all events, in xlarges. */
static const struct family {
	unsigned generation;
	char processor; /* the first attribute: g, a, i; 0: another */
	unsigned full;
	bool has_some; /* smaller sizes have a part of the events */
} families[] = {
	/* clang-format off */
	{ 9, 'g', 48, true },
	{ 8, 'a', 24, true },
	{ 8, 'i', 48, true },
	{ 8, 'g', 24, true },
	{ 7, 'a', 24, true },
	{ 7, 'g', 16, true },
	{ 7, 'i', 24, true },
	{ 6, 'a', 24, false },
	{ 6, 'g', 16, true },
	{ 6, 'i', 16, false },
	{ 5, 0,   12, false },
	/* clang-format on */
};

#define FULL_OF_C5 9 /* the exception of generation 5 */

static const struct family *find_family(const char *name)
{
	const char *digits = name + strcspn(name, "0123456789");
	char *rest, processor;
	unsigned long generation = strtoul(digits, &rest, 10);

	processor = (char)(*rest && strchr("gai", *rest) ? *rest : 0);
	for (size_t i = 0; i < COUNT_OF(families); i++)
		if (families[i].generation == generation && families[i].processor == processor)
			return &families[i];
	return NULL;
}

/* "24xlarge" is 24, "xlarge" 1, "large" and smaller 0. */
static unsigned xlarges(const char *size)
{
	char *rest;
	unsigned long number = strtoul(size, &rest, 10);

	if (strcmp(rest, "xlarge") != 0)
		return 0;
	return rest == size ? 1 : (unsigned)number;
}

static void describe_ec2(struct cloud_words *words, const char *product, struct arena *arena)
{
	const char *dot = strchr(product, '.');
	const char *name = dot ? arena_strndup(arena, product, (size_t)(dot - product)) : product;
	const struct family *family = dot ? find_family(name) : NULL;
	unsigned full;

	words->meaning =
		"Its host decides which counters there are. Sizes with a whole socket have all events, smaller "
		"ones a part of them or none.";
	words->remedy = "rent a metal size, or one with a whole socket";
	if (!family)
		return;
	full = has_name_prefix(name, "c5") ? FULL_OF_C5 : family->full;
	words->remedy = arena_printf(arena, "rent %s.%uxlarge or larger, or a metal size", name, full);
	if (xlarges(dot + 1) >= full) {
		words->meaning = "AWS documents all events for this size, although it is virtual.";
		words->remedy = "a metal size has precise sampling too";
	} else if (family->has_some) {
		words->meaning = arena_printf(arena, "AWS documents a part of the events for sizes below %s.%uxlarge.",
					      name, full);
	} else {
		words->meaning =
			arena_printf(arena, "AWS documents no events for sizes below %s.%uxlarge.", name, full);
	}
}

/* ---- the others ---- */

static const struct provider {
	const char *vendor;  /* start of sys_vendor */
	const char *product; /* in product_name; NULL: any */
	struct cloud_words words;
} providers[] = {
	{ "Google",
	  "Google Compute Engine",
	  { "Compute Engine documents counters for C4 and C4A machines only, and they are off unless they are asked "
	    "for.",
	    "create a C4 or C4A machine with `performanceMonitoringUnit` (in advancedMachineFeatures) STANDARD; "
	    "ENHANCED "
	    "has the most events, and takes 96 or 192 vCPUs" } },
	{ "Microsoft Corporation",
	  "Virtual Machine",
	  { "Hyper-V gives a guest counters only where its host is set up for that. Azure documents no size that has "
	    "them.",
	    "on a Hyper-V host of your own `Set-VMProcessor NAME -Perfmon pmu`; else rent a bare-metal machine" } },
	{ "QEMU",
	  NULL,
	  { "KVM shows a guest at most three fixed counters, and no PERF_METRICS.",
	    "with QEMU `-cpu host,pmu=on`, with libvirt `<pmu state='on'/>`; the host itself has all counters" } },
	{ "Red Hat",
	  "KVM",
	  { "KVM shows a guest at most three fixed counters, and no PERF_METRICS.",
	    "with libvirt `<cpu mode='host-passthrough'/>` and `<pmu state='on'/>`; the host itself has all "
	    "counters" } },
	{ "VMware",
	  NULL,
	  { "VMware gives counters to a guest only where that is turned on.",
	    "`vpmc.enable = \"TRUE\"` in the machine's settings, while it is off" } },
};

bool cloud_describe(struct cloud_words *words, const struct surroundings *around, struct arena *arena)
{
	const char *vendor = around->vendor ? around->vendor : "", *product = around->product ? around->product : "";

	if (has_name_prefix(vendor, "Amazon EC2")) {
		describe_ec2(words, product, arena);
		return true;
	}
	for (size_t i = 0; i < COUNT_OF(providers); i++) {
		const struct provider *row = &providers[i];

		if (!has_name_prefix(vendor, row->vendor) || (row->product && !strstr(product, row->product)))
			continue;
		*words = row->words;
		return true;
	}
	return false;
}
