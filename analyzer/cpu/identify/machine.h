/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h - which CPU this is and what its kernel offers. The only module that reads /proc and /sys, all below
 * sysroot, so that a snapshot of another machine's files can stand in for this one.
 */
#ifndef TOPDOWN_CPU_IDENTIFY_MACHINE_H
#define TOPDOWN_CPU_IDENTIFY_MACHINE_H

#include "cpu/identify/pmu.h"

enum arch { ARCH_X86, ARCH_ARM64, ARCH_OTHER };

#define PARANOID_UNKNOWN 100 /* /proc/sys/kernel/perf_event_paranoid can't be read */

enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

/* /proc/self/status, "Seccomp": include/uapi/linux/seccomp.h */
enum seccomp { SECCOMP_UNKNOWN, SECCOMP_NONE, SECCOMP_STRICT, SECCOMP_FILTER };

/* What topdown's own process may do; all unknown below a sysroot, where there is none. */
struct process_rights {
	enum answer perfmon, sys_admin, sys_ptrace; /* effective capabilities, those of a user namespace not counted */
	enum answer user_namespace;		    /* root in it is no root to the kernel's counters */
	enum seccomp seccomp;
	enum answer selinux; /* enforcing: it may forbid what the others allow; known of a snapshot too */
};

/* An online CPU. */
struct machine_cpu {
	unsigned number;
	unsigned core;	  /* the same for all threads of a core; from 0, in the order of their first CPUs */
	unsigned package; /* physical_package_id, 0 where the kernel has none */
};

struct machine {
	enum arch arch;
	/*
	 * The CPU string of perf's mapfile.csv: x86 "GenuineIntel-6-8F-8" (family decimal, model and
	 * stepping upper-case hex: arch/x86/util/header.c), arm64 "0x00000000410fd401" (MIDR_EL1 of CPU
	 * 0, with variant and revision).
	 */
	const char *cpuid;
	const char *model_name; /* "Intel(R) Xeon(R) ..." as /proc/cpuinfo says, or NULL */
	const char *microcode;	/* "0xa101148", as /proc/cpuinfo says, or NULL */
	const char *flags;	/* "fpu vme ... sha_ni", as /proc/cpuinfo says (arm64: Features), or NULL */
	const char *hypervisor; /* "KVM", "VMware", "Xen", "hypervisor" (kind unknown) ...; NULL: none seen */
	const char *kernel;	/* release, /proc/sys/kernel/osrelease, or NULL */
	unsigned online_cpus, cores, dies, packages; /* at least 1 each */
	unsigned *present;			     /* CPUs that are there, online or not; */
	size_t npresent;			     /* 0: unknown */
	struct machine_cpu *cpus;		     /* [online_cpus], by number; NULL: the kernel lists none */
	bool smt_on;				     /* any core has more than one thread online */
	bool nmi_watchdog; /* /proc/sys/kernel/nmi_watchdog is 1: the kernel holds a cycle counter */
	int paranoid;	   /* /proc/sys/kernel/perf_event_paranoid or PARANOID_UNKNOWN */
	double tsc_hz;	   /* NAN: unknown */
	double tick_hz;	   /* the same; where the machine does not say it, measured, unless it is a snapshot */
	/*
	 * General counters that the CPU admits to: 4 of an AMD one without perfctr_core, which hypervisors hide
	 * (arch/x86/events/amd/core.c, amd_core_pmu_init). 0: unknown
	 */
	unsigned general_counters;
	/* Counters of AMD's data fabric by CPUID; 0: unknown (then 4; arch/x86/events/amd/uncore.c) */
	unsigned df_counters;
	struct process_rights rights;
	const char *program; /* the path of this program, quoted for a shell; NULL: unknown, or below a sysroot */
	bool lacks_sysfs;    /* /sys is not mounted: what is in pmus is assumed */
	struct pmu
		*pmus; /* core PMUs only ("cpu", or those with a cpus file of a core type); none on a VM without vPMU */
	size_t npmus;
	const char **devices; /* names of all PMUs that the kernel shows; units.h reads those beside the cores */
	size_t ndevices;
	const struct sysfiles *files; /* where they are */
};

/*
 * Reads everything; machine borrows from arena. sysroot "" or "/" is this machine (x86 then asks CPUID itself; below
 * another sysroot the same facts come from its proc/cpuinfo). A missing file is no error where the fact may be unknown;
 * -1 only when no CPU can be recognized at all.
 */
int machine_identify(struct machine *machine, const char *sysroot, struct arena *arena, struct error *err) MUST_CHECK;

/* CPUs that are online now and that machine does not list, in arena. Of this machine: none is known below a sysroot. */
size_t machine_new_cpus(const struct machine *machine, unsigned **cpus, struct arena *arena) MUST_CHECK;

/* The core PMU that counts for the CPU (the first; "cpu_core" on a hybrid), or NULL when the kernel has none. */
const struct pmu *machine_core_pmu(const struct machine *machine);

/* For each of machine->cpus: does the PMU count for it? */
bool *machine_cpus_of(const struct machine *machine, const struct pmu *pmu, struct arena *arena) MUST_CHECK;

/* Does any core of the PMU's CPUs run more than one thread? The machine's answer where the CPUs are not listed. */
bool machine_smt_on(const struct machine *machine, const struct pmu *pmu, struct arena *arena);

/*
 * AMD's kernel makes one counter of two for an event that counts more than 15 in a cycle (arch/x86/events/amd/core.c).
 * False in a virtual machine: its host takes them for two. There such events open, may count right or 0, and leave
 * numbers such as 2^47 in the counters beside them and of later groups, so that they are not even tried. True of QEMU's
 * TCG, behind which is no host's PMU.
 */
bool can_pair_counters(const struct machine *machine);

/* perf_event_attr.type of a PMU of this machine's that is no core PMU, as "ibs_op"; 0: it has none of that name. */
uint32_t machine_pmu_type(const char *name, struct arena *arena) MUST_CHECK;

/*
 * A PMU for a CPU that this machine is not: the vendor's usual formats (x86 Intel, x86 AMD, arm64 by the name's form),
 * and of the sysfs events Intel's of transactions, which no database has. name is the Header.Pmu of the event database,
 * vendor its Header.Vendor ("Intel", "AMD", "Arm").
 */
const struct pmu *pmu_assumed(const char *name, const char *vendor, struct arena *arena) MUST_CHECK;

/* A cache of the first CPU, as sysfs has it (Documentation/ABI/testing/sysfs-devices-system-cpu). */
struct cpu_cache {
	unsigned level;
	bool holds_code, holds_data;
	uint64_t kib, ways; /* 0: unknown */
};

/* The number of caches below sysroot; 0 where the kernel shows none. */
size_t caches_identify(struct cpu_cache **caches, const char *sysroot, struct arena *arena);

#define CPULIST_LIMIT 8192 /* CPUs; the largest CONFIG_NR_CPUS of any architecture */

/*
 * The CPUs of a list as the kernel and taskset write it ("0-3,8,10-11"), in its order, as an array in arena; returns
 * their number. Parts that are no number or range, or that name a CPU of CPULIST_LIMIT or more, are left out, and a
 * list that would be longer than CPULIST_LIMIT is cut.
 */
size_t cpulist_parse(const char *text, unsigned **cpus, struct arena *arena) MUST_CHECK;

#endif
