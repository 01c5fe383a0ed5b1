/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drilldown.h - --drilldown: level 1 first, then only what is below the bottlenecks, one level at a time. A leaf at the end of
 * a deep tree costs a few runs instead of all the plan's.
 */
#ifndef TOPDOWN_DRILLDOWN_H
#define TOPDOWN_DRILLDOWN_H

#include "command/target.h"
#include "evaluate/counts.h"
#include "plan/plan.h"

struct drilldown {
	const struct target_types *types;
	struct plan **plans; /* of each type: they grow */
	bool **taken;	     /* of each type, [model->count]: planned already */
	unsigned deepest;    /* level */
	size_t max_runs;     /* of each step, 0: no limit */
	size_t step;
	struct arena *arena;
};

/* plans are those of the first step. */
void drilldown_init(struct drilldown *drilldown, struct plan **plans, const struct target_types *types,
		    struct arena *arena);

/* Appends the next step to the plans, and tells it on stderr. False at the end, which is told too. */
bool drilldown_further(struct drilldown *drilldown, const struct measurement *so_far, size_t runs);

#endif
