/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/watchdog.h"

#include <stdio.h>
#include <unistd.h>

#define SETTING "proc/sys/kernel/nmi_watchdog"
#define REMEDY	"run topdown as root, or `sudo sysctl kernel.nmi_watchdog=0` before it"

int watchdog_switch_off(struct setting *watchdog, const char *sysroot, struct error *err)
{
	char path[4096];
	struct error refused = { .text = "" };

	*watchdog = (struct setting){ .guard = 0 };
	snprintf(path, sizeof(path), "%s/" SETTING, sysroot);
	if (access(path, F_OK) < 0 || setting_change(watchdog, path, "0", &refused) == 0)
		return 0;
	return error_set(err, "--nmi-watchdog off: %s; " REMEDY, refused.text);
}
