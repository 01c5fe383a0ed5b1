/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stalls.c - what stands in on an Arm core whose level 1 can't be computed, because the events of issue slots are
 * missing: the two ratios of stalled cycles, which are level 1 of the cores that have no such events (Neoverse N1).
 */
#include "common/base/text.h"
#include "cpu/load/model_internal.h"

/* Thresholds and names as in the models of those cores (models/README.md, "Arm"). */
static const struct stall {
	const char *name, *threshold;
	const char *like; /* the level-1 node whose next groups explain it too */
} stalls[] = {
	{ "frontend_stalled_cycles", "frontend_stalled_cycles > 15", "frontend_bound" },
	{ "backend_stalled_cycles", "backend_stalled_cycles > 20", "backend_bound" },
};

static const char no_slots[] = "The events that count issue slots are missing here, so the nodes that divide the slots "
			       "have no value. Stalled cycles are shown instead: the share of cycles in which the "
			       "frontend sent nothing, and in which the backend took "
			       "nothing. They do not add up to 100 %.";

static bool has_root(const struct model *model, const bool *is_countable)
{
	for (size_t i = 0; i < model->nnodes; i++)
		if (model->metrics[i].level == 1 && metric_is_computable(&model->metrics[i], is_countable))
			return true;
	return false;
}

bool model_needs_stalls(const struct model *model, const bool *is_countable)
{
	if (!model->nnodes || has_root(model, is_countable))
		return false;
	for (size_t i = 0; i < COUNT_OF(stalls); i++) {
		size_t metric = table_get(&model->by_name, stalls[i].name);

		if (metric != TABLE_NONE && !model->metrics[metric].level &&
		    metric_is_computable(&model->metrics[metric], is_countable))
			return true;
	}
	return false;
}

static const char *next_groups_of(const struct model_sources *sources, const char *name)
{
	size_t found = table_get(&sources->by_name, name);

	return found == TABLE_NONE ? "" : sources->items[found].metric.next_groups;
}

void stalls_become_nodes(struct model *model, struct model_sources *sources)
{
	for (size_t i = 0; i < COUNT_OF(stalls); i++) {
		size_t found = table_get(&sources->by_name, stalls[i].name);
		struct metric_source *source = found == TABLE_NONE ? NULL : &sources->items[found];

		if (!source || source->metric.level)
			continue;
		source->metric.level = 1;
		source->metric.groups = arena_printf(sources->arena, "TopdownL1;%s", source->metric.groups);
		source->metric.next_groups = next_groups_of(sources, stalls[i].like);
		source->threshold = stalls[i].threshold;
		model->has_stalls = true;
	}
	if (model->has_stalls)
		model->no_tree = no_slots;
}
