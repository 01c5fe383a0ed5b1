/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts.h - the parts that machine_identify() is made of; nobody else includes it. */
#ifndef TOPDOWN_CPU_IDENTIFY_PARTS_H
#define TOPDOWN_CPU_IDENTIFY_PARTS_H

#include "cpu/identify/machine.h"
#include "cpu/identify/sysfile.h"

#define HYPERVISOR_TCG "QEMU TCG"

/* x86: fills cpuid, hypervisor and tsc_hz. -1 when neither the CPU nor its cpuinfo (NULL: unreadable) names the CPU. */
int cpuid_identify(struct machine *machine, const struct sysfiles *files, const char *cpuinfo,
		   struct error *err) MUST_CHECK;

/* This CPU has cores of several types, each with a PMU of its own. */
bool is_cpu_hybrid(void);

/* arm64: fills cpuid. -1 when neither sysfs nor cpuinfo has MIDR_EL1. */
int midr_identify(struct machine *machine, const struct sysfiles *files, const char *cpuinfo,
		  struct error *err) MUST_CHECK;
/* Fills pmus[].cpuid where there are several: their cores are of different kinds. */
void midr_identify_pmus(struct machine *machine, const struct sysfiles *files);
bool has_midr(const struct sysfiles *files, const char *cpuinfo);

/* The hypervisor that the firmware's tables or the kernel's own interface name; NULL when they name none. */
const char *hypervisor_identify(const struct sysfiles *files);

/*
 * Fills online_cpus, cores, dies, packages, cpus and smt_on, from sysfs, else from cpuinfo (NULL: unreadable); what
 * neither has is 1.
 */
void topology_identify(struct machine *machine, const struct sysfiles *files, const char *cpuinfo);

/* Of this process; below a sysroot nothing is known. */
void rights_identify(struct process_rights *rights, const struct sysfiles *files);

/* Fills pmus and npmus: "cpu_core" first, then by the first CPU they count for. */
void pmus_identify(struct machine *machine, const struct sysfiles *files);

/* Fills formats, events and files of a PMU that has a name. */
void pmu_read_terms(struct pmu *pmu, const struct sysfiles *files);

/* Content of events/NAME of a PMU that has files; "" where it can't be read. */
const char *pmu_event_read(const struct pmu *pmu, const char *name);

/* format/NAME with its content, "config:0-7,32-35". False when it is malformed; *format is then unchanged. */
bool pmu_format_parse(struct pmu_format *format, const char *name, const char *text) MUST_CHECK;

#endif
