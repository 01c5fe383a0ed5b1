/* SPDX-License-Identifier: GPL-2.0-or-later */
/* remedies.h - what lifts a limit, in the words that both a refused measurement and topdown doctor use. */
#ifndef TOPDOWN_REMEDIES_H
#define TOPDOWN_REMEDIES_H

#define REMEDY_SETCAP	"`sudo setcap cap_perfmon+ep \"$(command -v topdown)\"` allows it to topdown alone"
#define REMEDY_PARANOID "`sudo sysctl kernel.perf_event_paranoid=1` allows it until the next boot, " REMEDY_SETCAP
#define REMEDY_CONTAINER                                                                                               \
	"start the container with `--cap-add PERFMON` (before Linux 5.8 `--cap-add SYS_ADMIN`), with "                 \
	"`--security-opt seccomp=unconfined` if that is not enough, or measure on the host"
#define REMEDY_GUEST_PMU                                                                                               \
	"turn that on at the host (QEMU/KVM `-cpu host,pmu=on`, libvirt `<pmu state='on'/>`, VMware `vpmc.enable = "   \
	"\"TRUE\"`), or use a bare-metal (\"metal\") instance"
#define REMEDY_WATCHDOG "`--nmi-watchdog off` as root for one measurement, or `sudo sysctl kernel.nmi_watchdog=0`"

#endif
