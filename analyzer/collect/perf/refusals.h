/* SPDX-License-Identifier: GPL-2.0-or-later */
/* refusals.h - why the kernel refused an event, and what changes it. */
#ifndef TOPDOWN_COLLECT_PERF_REFUSALS_H
#define TOPDOWN_COLLECT_PERF_REFUSALS_H

#include "cpu/identify/machine.h"

/*
 * What lifts a limit, in the words that both a refused measurement and topdown doctor use.
 * <program>: remedy_text puts the program's path there.
 */
#define REMEDY_SETCAP	"`sudo setcap cap_perfmon+ep <program>` allows it to topdown alone"
#define REMEDY_PARANOID "`sudo sysctl kernel.perf_event_paranoid=1` allows it until the next boot, " REMEDY_SETCAP
#define REMEDY_CONTAINER                                                                                               \
	"start the container with `--cap-add PERFMON` (before Linux 5.8 `--cap-add SYS_ADMIN`), with "                 \
	"`--security-opt seccomp=unconfined` if that is not enough, or measure on the host"
#define REMEDY_GUEST_PMU                                                                                               \
	"turn that on at the host (QEMU/KVM `-cpu host,pmu=on`, libvirt `<pmu state='on'/>`, VMware `vpmc.enable = "   \
	"\"TRUE\"`), or use a bare-metal (\"metal\") instance"
#define REMEDY_SYSFS	"`sudo mount -t sysfs sysfs /sys` mounts it"
#define REMEDY_WATCHDOG "`{nmi-watchdog} off` as root for one measurement, or `sudo sysctl kernel.nmi_watchdog=0`"

struct refusal {
	int error_number;
	const struct machine *machine; /* PMUs, paranoid, watchdog, and the rights of this process */
	const char *event;	       /* canonical name, or NULL */
	bool is_root;		       /* effective user 0, in whatever user namespace */
	bool is_any_thread;	       /* the event counts both threads of a core (any=1) */
	bool counts_kernel;	       /* the kernel only */
	bool is_wide;		       /* whole CPUs, or a cgroup */
	bool is_cgroup;		       /* is_wide, and it is a cgroup */
	bool is_attached;	       /* a process that somebody else has started */
	bool is_member;		       /* other events of its group are open already */
	unsigned long long files;      /* the hard limit of open files; 0: not asked */
	bool is_all_refused;	       /* so is an event of the kernel's own that needs no counter */
};

/* Fills what is about this process: is_root, files and is_all_refused. */
void refusal_complete(struct refusal *refusal);

/* Sets err to the sentence; always returns -1. */
int refusal_explain(struct error *err, const struct refusal *refusal);

/* The remedy with this program's path in it. */
const char *remedy_text(const char *remedy, const struct machine *machine, struct arena *arena);

/*
 * One sentence for a refused perf_event_open: the cause and what changes it. machine gives paranoid, hypervisor, PMUs.
 */
int refusal(struct error *err, int error_number, const struct machine *machine, const char *event);

#endif
