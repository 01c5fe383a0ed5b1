/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_match.h - which nodes, groups and metrics a name or glob means, and what to say when it means none; for select.c. */
#ifndef TOPDOWN_SELECT_MATCH_H
#define TOPDOWN_SELECT_MATCH_H

#include "load/model.h"

bool is_glob(const char *pattern);

/* What one option of the command line selects from. */
struct selectable {
	/* Sets matched[i] for the metrics that pattern means. */
	void (*match)(bool *matched, const struct model *model, const char *pattern, struct arena *arena);
	/* Says that pattern means none, with the nearest names or the option that would take it. Always -1. */
	int (*nothing)(const struct model *model, const char *pattern, struct arena *arena, struct error *err);
};

extern const struct selectable selectable_nodes, selectable_groups, selectable_metrics;

#endif
