/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * causes.h - the bottleneck view: what takes the issue slots, each slot under one cause. Where the vendor publishes
 * such a division (tma_bottleneck_*) it is that, else the deepest nodes that divide all slots among them.
 */
#ifndef TOPDOWN_CPU_LOAD_CAUSES_H
#define TOPDOWN_CPU_LOAD_CAUSES_H

#include "cpu/load/model.h"

/* Sets is_cause, [model->count] and false, for the rows of the view. False: the CPU has no tree of slots. */
bool causes_find(bool *is_cause, const struct model *model) MUST_CHECK;

#endif
