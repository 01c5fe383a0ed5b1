/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/event/event_internal.h"

#include <dlfcn.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pfm_library {
	pfm_err_t (*initialize)(void);
	pfm_err_t (*encode)(const char *spelling, int privileges, pfm_os_t os, void *arg);
};

#ifdef TOPDOWN_LINK_PFM
static const struct pfm_library *library(void)
{
	static const struct pfm_library linked = { pfm_initialize, pfm_get_os_event_encoding };

	return &linked;
}
#else
/*
 * Its tables are relocated when it is loaded, which takes as long as all other libraries together and the program's
 * start, and few measurements ask it anything. It stays loaded. NULL: it is not here.
 */
static const struct pfm_library *library(void)
{
	static struct pfm_library loaded;
	void *handle = loaded.encode ? NULL : dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);

	if (handle) {
		/* POSIX' way to turn dlsym's result into a function */
		*(void **)&loaded.initialize = dlsym(handle, "pfm_initialize");
		*(void **)&loaded.encode = dlsym(handle, "pfm_get_os_event_encoding");
	}
	return loaded.initialize && loaded.encode ? &loaded : NULL;
}
#endif

bool pfm_encode(const char *pmu, const char *spelling, uint64_t config[2])
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	const struct pfm_library *pfm = library();
	char name[256];

	/* libpfm4 answers only for the PMUs it detects, unless one is forced; it reads this from the environment. */
	if (!pfm || setenv("LIBPFM_ENCODE_INACTIVE", "1", 0) < 0 || pfm->initialize() != PFM_SUCCESS)
		return false;
	if (snprintf(name, sizeof(name), "%s::%s", pmu, spelling) >= (int)sizeof(name))
		return false;
	if (pfm->encode(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg) != PFM_SUCCESS)
		return false;
	config[0] = attr.config;
	config[1] = attr.config1;
	return true;
}

bool pfm_event(struct event *event, const struct event_set *set, const char *spelling)
{
	struct pmu_term *terms;
	uint64_t config[2];

	if (!set->database->pfm || strpbrk(spelling, "@/") || !pfm_encode(set->database->pfm, spelling, config))
		return false;
	terms = arena_array(set->arena, COUNT_OF(config), sizeof(*terms));
	terms[0] = (struct pmu_term){ .name = "config", .value = config[0] };
	terms[1] = (struct pmu_term){ .name = "config1", .value = config[1] };
	*event = (struct event){ .kind = EVENT_CORE, .counters = GENERAL_COUNTERS, .nterms = config[1] ? 2 : 1 };
	event->name = arena_strdup(set->arena, spelling);
	event->terms = terms;
	return true;
}
