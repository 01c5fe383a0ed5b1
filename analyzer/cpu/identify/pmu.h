/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pmu.h - a core PMU as the kernel shows it in /sys/bus/event_source/devices/NAME
 * (Documentation/ABI/testing/sysfs-bus-event_source-devices-{events,format,caps}).
 */
#ifndef TOPDOWN_CPU_IDENTIFY_PMU_H
#define TOPDOWN_CPU_IDENTIFY_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/error.h"

/* One term of an event, as in cpu/event=0xc2,umask=0x2/. */
struct pmu_term {
	const char *name;
	uint64_t value;
};

/*
 * format/NAME: the bits of config (word 0), config1 (1), config2 (2) or config3 (3) that a term fills, low bits first.
 */
struct pmu_format {
	const char *name;
	unsigned word;
	struct pmu_bits {
		unsigned char low, high; /* inclusive */
	} bits[8];
	size_t nbits;
};

/* A file of events/ or caps/: its name and its trimmed content ("event=0x00,umask=0x4"; NULL: nobody has asked yet). */
struct pmu_entry {
	const char *name;
	const char *value;
};

struct sysfiles;

struct pmu {
	const char *name;  /* "cpu", "cpu_core", "armv8_pmuv3_0" */
	uint32_t type;	   /* perf_event_attr.type */
	const char *cpus;  /* CPU list as the kernel prints it, or NULL: all */
	const char *cpuid; /* of these CPUs, where they are not the machine's first kind (arm64); NULL: machine.cpuid */
	bool is_real;	   /* false: assumed for a CPU that this machine does not have (--cpu, saved counts) */
	bool has_dead_metrics; /* slots and topdown-* were listed, but count nothing: they are left out of events */
	struct pmu_format *formats;
	size_t nformats;
	struct pmu_entry *events; /* sorted by name; read when they are asked for, since few of them are */
	size_t nevents;
	const struct sysfiles *files; /* where they are; NULL: nothing is left to be read */
	struct pmu_entry *caps;
	size_t ncaps;
};

/* Content of events/NAME or caps/NAME; NULL when it is not there, or is empty. */
const char *pmu_event(const struct pmu *pmu, const char *name);
const char *pmu_cap(const struct pmu *pmu, const char *name);

/*
 * Parses "event=0xc0,umask=0x1,edge" (a lone name means 1) into at most max terms; returns their number, or -1.
 * "config=", "config1=", "config2=" are always known.
 */
int pmu_parse_terms(const char *text, struct pmu_term *terms, size_t max, struct arena *arena,
		    struct error *err) MUST_CHECK;

/*
 * Packs terms into config[0..3] by the PMU's formats. -1 when a term is unknown to this PMU, its value does not fit, or
 * config= and the like have bits where another term has its own; err says which and lists the formats that there are.
 */
int pmu_pack(uint64_t config[4], const struct pmu *pmu, const struct pmu_term *terms, size_t count,
	     struct error *err) MUST_CHECK;

#endif
