/* SPDX-License-Identifier: GPL-2.0-or-later */
/* settings.h - what the user asked to be changed on the machine while it is measured: nothing else ever is. */
#ifndef TOPDOWN_SETTINGS_H
#define TOPDOWN_SETTINGS_H

#include "command/target.h"
#include "count/setting.h"

struct settings {
	struct setting *items;
	size_t count;
};

/* Of --nmi-watchdog and --mux-interval, the latter for each core type's PMU. -1: nothing is changed. Undo in the end. */
int settings_change(struct settings *settings, const struct target_types *types, const struct options *options,
		    struct arena *arena, struct error *err) MUST_CHECK;

/* All of it as it was before. */
void settings_restore(struct settings *settings);

#endif
