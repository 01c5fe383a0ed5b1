/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchdog.h - the kernel's NMI watchdog, switched off because the user asked for it, and switched on again however
 * topdown ends: a process of its own keeps watch, and sees when topdown is gone.
 */
#ifndef TOPDOWN_WATCHDOG_H
#define TOPDOWN_WATCHDOG_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct watchdog {
	pid_t guard; /* the process that restores it; 0: nothing was changed */
	int alarm;   /* pipe: its end tells the guard that topdown is gone */
};

/*
 * Writes 0 to proc/sys/kernel/nmi_watchdog below sysroot ("": this machine). A watchdog that is off already, or that this
 * kernel does not have, is left alone. -1 and err without the right to change it, or when the kernel does not do it.
 */
int watchdog_switch_off(struct watchdog *watchdog, const char *sysroot, struct error *err) MUST_CHECK;

/* As it was before; returns when that is done. */
void watchdog_restore(struct watchdog *watchdog);

#endif
