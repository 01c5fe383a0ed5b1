/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units.h - the PMUs beside the cores: memory controllers, last-level caches, links, power, C-states. A kind of them
 * has a PMU for each unit ("uncore_imc_0", "uncore_imc_1" ...), and each counts on the CPUs of its cpumask: one for a
 * socket, or for a core (Documentation/ABI/testing/sysfs-bus-event_source-devices-uncore).
 */
#ifndef TOPDOWN_CPU_IDENTIFY_UNITS_H
#define TOPDOWN_CPU_IDENTIFY_UNITS_H

#include "cpu/identify/machine.h"

struct unit {
	struct pmu pmu;	 /* its events and formats; real */
	unsigned *cpus;	 /* where it is to be opened: its cpumask, one of its associated_cpus, or all that are online */
	size_t ncpus;	 /* 0: its CPUs are offline */
	size_t noffline; /* CPUs of the mask that are not online */
	unsigned offline;	/* the first of them */
	bool is_every_cpu;	/* it has no mask: each CPU counts for itself */
	const char *identifier; /* model and revision as the driver prints them ("43c01" of a CMN-700); "": none */
};

/*
 * The units that a name means: by itself, with "uncore_" before it, or with "_N" behind it, a number or an address
 * ("smmuv3_pmcg_2b420"); in the order of their numbers. Returns their number. In arena.
 */
size_t machine_units(struct unit **units, const struct machine *machine, const char *name,
		     struct arena *arena) MUST_CHECK;

/* Only their number, which reads no file. */
size_t machine_count_units(const struct machine *machine, const char *name);

/*
 * Is an event with that Compat one of this unit's? Compat is an extended regular expression for the whole identifier
 * (linux tools/perf/util/pmu.c, pmu_uncore_identifier_match); NULL: of every unit.
 */
bool unit_is_compatible(const struct unit *unit, const char *compat);

/* A kind of units, under the name that means all of them. */
struct unit_kind {
	const char *name; /* "uncore_imc" */
	size_t count;
};

/* All kinds that the kernel shows and that are beside the cores, by name. Returns their number. */
size_t machine_unit_kinds(struct unit_kind **kinds, const struct machine *machine, struct arena *arena) MUST_CHECK;

/* What one count of an event of sysfs is: events/NAME.scale (1: it says nothing), and events/NAME.unit or "". */
double unit_event_scale(const struct unit *unit, const char *event);
const char *unit_event_unit(const struct unit *unit, const char *event);

#endif
