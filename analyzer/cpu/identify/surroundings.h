/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * surroundings.h - what is around the CPU and changes what can be measured, or how steady it is: rights, containers,
 * clock, SMT, address layout. Asked only by who explains (refusals, topdown doctor), for a
 * measurement needs none of it.
 */
#ifndef TOPDOWN_CPU_IDENTIFY_SURROUNDINGS_H
#define TOPDOWN_CPU_IDENTIFY_SURROUNDINGS_H

#include <sys/types.h>

#include "cpu/identify/machine.h"
#include "cpu/identify/sysfile.h"

struct surroundings {
	bool is_live; /* of the machine that runs topdown */
	struct process_rights rights;
	enum answer knows_perfmon; /* the kernel has CAP_PERFMON: proc/sys/kernel/cap_last_cap */
	const char *vendor,
		*product;      /* sys/class/dmi/id/sys_vendor and product_name: "Amazon EC2", "m7i.xlarge"; or NULL */
	const char *container; /* "docker", "podman", "lxc", "systemd-nspawn" ...; NULL: none seen */
	const char *governors; /* cpufreq's, each once: "performance, powersave"; NULL: no cpufreq */
	const char
		*smt_control;	/* sys/devices/system/cpu/smt/control: "on", "off", "notsupported" ...; NULL: unknown */
	enum answer turbo;	/* the clock may leave its nominal frequency */
	const char *turbo_file; /* that switches it, "/sys/..."; NULL: unknown */
	enum answer aslr;	/* proc/sys/kernel/randomize_va_space is not 0 */
	const char *samplers;	/* PMUs that sample precisely without the core PMU: "ibs_op, arm_spe_0"; NULL: none */
};

/* Reads everything below sysroot; the result borrows from arena. What can't be read is unknown. */
void surroundings_identify(struct surroundings *around, const char *sysroot, struct arena *arena);

/* ---- user_processes.c ---- */

/* Which processes are there, to be named on a command line. */

struct process_name {
	const char *number; /* of the process, as /proc has it */
	const char *name;   /* of its program, 15 bytes at most */
};

/* Those of a user (0: of all users), without the kernel's own, in the arena of files. Returns their number. */
size_t processes_list(const struct sysfiles *files, uid_t user, struct process_name **processes) MUST_CHECK;

/* ---- resources.c ---- */

/*
 * What of the machine topdown may use: CPUs with their caches and memory, quotas, clocks. Asked only by who runs
 * kernels of its own on it.
 */

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
