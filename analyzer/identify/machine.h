/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h - which CPU this is and what its kernel offers. The only module that reads /proc and /sys, all below sysroot,
 * so that a snapshot of another machine's files can stand in for this one.
 */
#ifndef TOPDOWN_MACHINE_H
#define TOPDOWN_MACHINE_H

#include "identify/pmu.h"

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
	unsigned package; /* physical_package_id, 0 where the kernel tells none */
};

struct machine {
	enum arch arch;
	/*
	 * The CPU string of perf's mapfile.csv: x86 "GenuineIntel-6-8F-8" (family decimal, model and stepping upper-case hex:
	 * arch/x86/util/header.c), arm64 "0x00000000410fd401" (MIDR_EL1 of CPU 0, with variant and revision).
	 */
	const char *cpuid;
	const char *model_name; /* "Intel(R) Xeon(R) ..." as /proc/cpuinfo says, or NULL */
	const char *hypervisor; /* "KVM", "VMware", "Xen", "hypervisor" (kind unknown) ...; NULL: none seen */
	const char *kernel;	/* release, /proc/sys/kernel/osrelease, or NULL */
	unsigned online_cpus, cores, dies, packages; /* at least 1 each */
	struct machine_cpu *cpus;		     /* [online_cpus], by number; NULL: the kernel lists none */
	bool smt_on;				     /* any core has more than one thread online */
	bool nmi_watchdog; /* /proc/sys/kernel/nmi_watchdog is 1: the kernel holds a cycle counter */
	int paranoid;	   /* /proc/sys/kernel/perf_event_paranoid or PARANOID_UNKNOWN */
	double tsc_hz;	   /* NAN: unknown */
	struct process_rights rights;
	struct pmu
		*pmus; /* core PMUs only ("cpu", or those with a cpus file of a core type); none on a VM without vPMU */
	size_t npmus;
};

/*
 * Reads everything; machine borrows from arena. sysroot "" or "/" is this machine (x86 then asks CPUID itself; below
 * another sysroot the same facts come from its proc/cpuinfo). A missing file is no error where the fact may be unknown;
 * -1 only when no CPU can be told at all.
 */
int machine_identify(struct machine *machine, const char *sysroot, struct arena *arena, struct error *err) MUST_CHECK;

/* The core PMU that counts for the CPU (the first; "cpu_core" on a hybrid), or NULL when the kernel has none. */
const struct pmu *machine_core_pmu(const struct machine *machine);

/* For each of machine->cpus: does the PMU count for it? */
bool *machine_cpus_of(const struct machine *machine, const struct pmu *pmu, struct arena *arena) MUST_CHECK;

/* Does any core of the PMU's CPUs run more than one thread? The machine's answer where the CPUs are not listed. */
bool machine_smt_on(const struct machine *machine, const struct pmu *pmu, struct arena *arena);

/*
 * A PMU for a CPU that this machine is not: the vendor's usual formats (x86 Intel, x86 AMD, arm64 by the name's form), and
 * of the sysfs events Intel's of transactions, which no database has. name is the Header.Pmu of the event database, vendor its Header.Vendor ("Intel", "AMD", "Arm").
 */
const struct pmu *pmu_assumed(const char *name, const char *vendor, struct arena *arena) MUST_CHECK;

#endif
