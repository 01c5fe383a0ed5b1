/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unit_event.h - how the vendors' files spell events of PMUs beside the cores, in the kernel's words. */
#ifndef TOPDOWN_CPU_EVENT_UNIT_EVENT_H
#define TOPDOWN_CPU_EVENT_UNIT_EVENT_H

#include "common/json/json_bulk.h"

/*
 * The PMU's name in sysfs without the number of the unit: "uncore_cha" for the Unit "CHA", "amd_df" for "DFPMC". A name
 * of sysfs stays.
 */
const char *unit_pmu(const char *unit, struct arena *arena);

/* What the PMU has terms of its own for: "ch_mask=0xff,fc_mask=0x7". NULL: nothing. */
const char *unit_terms(const struct bulk_object *object, struct arena *arena);

#endif
