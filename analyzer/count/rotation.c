/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/rotation.h"

#include <stdio.h>
#include <unistd.h>

#define DEVICES "sys/bus/event_source/devices"

int rotation_set(struct setting *rotation, const struct rotation_wish *wish, struct error *err)
{
	char path[4096], text[16];
	struct error refused = { .text = "" };

	*rotation = (struct setting){ .guard = 0 };
	snprintf(path, sizeof(path), "%s/" DEVICES "/%s/perf_event_mux_interval_ms", wish->sysroot, wish->pmu);
	snprintf(text, sizeof(text), "%u", wish->ms);
	if (access(path, F_OK) < 0)
		return error_set(err, "--mux-interval %u: the kernel lets nobody change it here: there is no %s",
				 wish->ms, path);
	if (setting_change(rotation, path, text, &refused) == 0)
		return 0;
	return error_set(err, "--mux-interval %u: %s; run topdown as root", wish->ms, refused.text);
}
