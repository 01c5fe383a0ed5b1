/* SPDX-License-Identifier: GPL-2.0-or-later */
/* selection.h - what a request, or saved counts, select, as the planner takes it, and from which core types. */
#ifndef TOPDOWN_ENGINE_SELECTION_H
#define TOPDOWN_ENGINE_SELECTION_H

#include "cpu/plan/plan.h"
#include "engine/target.h"

/*
 * Fills level, wanted and nwanted. -1 when -l, --nodes, --groups and --metrics name what the model has not, or nothing
 * that could be computed from this CPU's counters.
 */
int selection_fill(struct plan_request *planned, const struct model *model, const struct request *request,
		   struct error *err) MUST_CHECK;

/*
 * Leaves out the core types of a hybrid CPU for which selection_fill fails, with a warning. -1 when it does so for all:
 * err is about the first.
 */
int selection_types(struct target_types *types, const struct request *request, struct error *err) MUST_CHECK;

/* The same for the parts of a measurement, by what each was, or now is, asked for. */
int selection_parts(struct measurement *measured, const struct target_types *types, const struct request *request,
		    struct error *err) MUST_CHECK;

/* The level to save with the counts: 0 where something else was asked for. */
unsigned wanted_level(const struct request *request);

#endif
