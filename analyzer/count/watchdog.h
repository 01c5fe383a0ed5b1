/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watchdog.h - the kernel's NMI watchdog, switched off because the user asked for it. */
#ifndef TOPDOWN_WATCHDOG_H
#define TOPDOWN_WATCHDOG_H

#include "count/setting.h"

/*
 * Writes 0 to proc/sys/kernel/nmi_watchdog below sysroot ("": this machine). A watchdog that is off already, or that this
 * kernel does not have, is left alone. -1 and err without the right to change it, or when the kernel does not do it. setting_restore
 * switches it on again.
 */
int watchdog_switch_off(struct setting *watchdog, const char *sysroot, struct error *err) MUST_CHECK;

#endif
