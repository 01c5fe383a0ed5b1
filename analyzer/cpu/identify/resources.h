/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resources.h - what of the machine topdown may use: CPUs with their caches and memory, quotas, clocks. Asked only by
 * who runs kernels of its own on it.
 */
#ifndef TOPDOWN_CPU_IDENTIFY_RESOURCES_H
#define TOPDOWN_CPU_IDENTIFY_RESOURCES_H

#include "cpu/identify/machine.h"

#define CACHE_LEVELS 3

/* A data or unified cache, of one CPU. */
struct resource_cache {
	uint64_t bytes;	 /* 0: the kernel shows none */
	unsigned first;	 /* the lowest number of the CPUs that share it: the same for all of them */
	unsigned shared; /* number of these CPUs */
};

struct resource_cpu {
	unsigned number, core, package;		    /* as struct machine_cpu has them */
	unsigned node;				    /* NUMA node, 0 where the kernel has none */
	struct resource_cache caches[CACHE_LEVELS]; /* of level i + 1 */
};

struct resources {
	struct resource_cpu *cpus; /* online, and in the affinity mask; all that are online below a sysroot */
	size_t count;		   /* at least 1 */
	const char *list;	   /* their numbers, "0-3,8" */
	bool has_caches;	   /* sysfs shows their sizes; if not, they are what the C library knows, or 0 */
	double quota_cpus;	   /* CPUs' worth of time that cgroups allow, the least of all levels; NAN: any */
	uint64_t memory;	   /* bytes that can still be used: MemAvailable, or less in a cgroup; 0: unknown */
	double nominal_hz;	   /* of the first CPU's clock, without turbo; NAN: unknown */
	const char *nominal_of;	   /* where that is from: "cpufreq"; NULL: unknown */
};

/* What can't be read is unknown. The result borrows from arena. */
void resources_identify(struct resources *resources, const struct machine *machine, const char *sysroot,
			struct arena *arena);

/* What CPUs have done since the machine began, in ticks of /proc/stat. */
struct cpu_ticks {
	unsigned number;
	uint64_t busy, steal, all; /* busy: all but idle, waiting for I/O and stolen */
};

/* Of the online CPUs; returns their number, 0 where the kernel does not say. */
size_t cpu_ticks_read(struct cpu_ticks **ticks, const char *sysroot, struct arena *arena);

/* The first number of /proc/loadavg; NAN: unknown. */
double load_average(const char *sysroot, struct arena *arena);

#endif
