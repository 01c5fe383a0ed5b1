/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * surroundings.h - what is around the CPU and changes what can be measured, or how steady it is: rights, containers,
 * clock, SMT, address layout. Asked only by who explains (refusals, topdown doctor), for a
 * measurement needs none of it.
 */
#ifndef TOPDOWN_CPU_IDENTIFY_SURROUNDINGS_H
#define TOPDOWN_CPU_IDENTIFY_SURROUNDINGS_H

#include "cpu/identify/machine.h"

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

#endif
