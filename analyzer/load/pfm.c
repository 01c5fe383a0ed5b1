/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/pfm.h"

#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool pfm_encode(const char *pmu, const char *spelling, uint64_t config[2])
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	char name[256];

	/* libpfm4 answers only for the PMUs it detects, unless it is told which one to take; it reads this from the environment. */
	if (setenv("LIBPFM_ENCODE_INACTIVE", "1", 0) < 0 || pfm_initialize() != PFM_SUCCESS)
		return false;
	if (snprintf(name, sizeof(name), "%s::%s", pmu, spelling) >= (int)sizeof(name))
		return false;
	if (pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg) != PFM_SUCCESS)
		return false;
	config[0] = attr.config;
	config[1] = attr.config1;
	return true;
}

bool pfm_event(struct event *event, const struct event_set *set, const char *spelling)
{
	uint64_t config[2];

	if (!set->database->pfm || strpbrk(spelling, "@/") || !pfm_encode(set->database->pfm, spelling, config))
		return false;
	*event = (struct event){ .kind = EVENT_CORE, .counters = GENERAL_COUNTERS, .nterms = 1 };
	event->name = arena_strdup(set->arena, spelling);
	event->terms[0] = (struct pmu_term){ .name = "config", .value = config[0] };
	if (config[1])
		event->terms[event->nterms++] = (struct pmu_term){ .name = "config1", .value = config[1] };
	return true;
}
