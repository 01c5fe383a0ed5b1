/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampled_trees.h - a tree for each of the hottest functions of a profile whose groups were read with samples: the
 * model evaluated on what the groups have counted between two samples that both lie in the function. What they have
 * counted between samples of different functions is a tree of its own, called mixed.
 */
#ifndef TOPDOWN_ANALYSE_HOTSPOTS_SAMPLED_TREES_H
#define TOPDOWN_ANALYSE_HOTSPOTS_SAMPLED_TREES_H

#include "analyse/hotspots/function_trees.h"

struct sampled_model {
	const struct model *model;
	const char *pmu; /* the core type whose events it has; NULL: there is one type only */
};

/*
 * Of the most functions with the most cycles, and then the mixed rest. Groups of one function are
 * brought together by its cycles in each. False: no group was read.
 */
bool sampled_trees_fill(struct function_trees *trees, const struct profile *profile, const struct sampled_model *of,
			size_t most, struct arena *arena);

#endif
