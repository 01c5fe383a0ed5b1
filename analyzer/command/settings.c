/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/settings.h"

#include "count/rotation.h"
#include "count/watchdog.h"

void settings_restore(struct settings *settings)
{
	while (settings->count > 0)
		setting_restore(&settings->items[--settings->count]);
}

static int change_all(struct settings *settings, const struct target_types *types, const struct options *options,
		      struct error *err)
{
	if (options->watchdog == WATCHDOG_OFF &&
	    watchdog_switch_off(&settings->items[settings->count++], options->sysroot, err) < 0)
		return -1;
	for (size_t i = 0; options->mux_interval_ms && i < types->count; i++) {
		const struct rotation_wish wish = { .sysroot = options->sysroot,
						    .pmu = types->items[i].pmu->name,
						    .ms = options->mux_interval_ms };

		if (rotation_set(&settings->items[settings->count++], &wish, err) < 0)
			return -1;
	}
	return 0;
}

int settings_change(struct settings *settings, const struct target_types *types, const struct options *options,
		    struct arena *arena, struct error *err)
{
	settings->count = 0;
	settings->items = arena_array(arena, 1 + types->count, sizeof(*settings->items));
	if (change_all(settings, types, options, err) == 0)
		return 0;
	settings_restore(settings);
	return -1;
}
