/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/hotspots/hotspots.h"

#include <string.h>

#include "analyse/hotspots/function_deltas.h"

/* For compute_nodes. */
struct growing {
	const struct model *model;
	struct arena *arena;
};

static void compute_nodes(const void *context, double *values, const struct delta_sums *sums)
{
	const struct growing *growing = context;
	struct function_tree tree;

	function_tree_evaluate(&tree, growing->model, sums->events, growing->arena);
	if (growing->model->nnodes)
		memcpy(values, tree.values, growing->model->nnodes * sizeof(*values));
}

static void sampled_trees_grow(struct function_tree *tree, const struct function_deltas *deltas,
			       const struct function_delta *function, const struct growing *growing)
{
	const struct weighing whole = { .whole = deltas->cycles, .samples = deltas->pairs };
	const struct delta_formula nodes = { growing->model->nnodes, compute_nodes, growing };
	const struct delta_estimates estimates = function_deltas_estimate(&nodes, deltas, function, growing->arena);
	struct delta_sums sums = { arena_array(growing->arena, deltas->events->count + 1, sizeof(double)), 0 };

	function_deltas_sum(&sums, deltas, function, ALL_BATCHES);
	function_tree_evaluate(tree, growing->model, sums.events, growing->arena);
	tree->cycles = share_of_weight(&whole, function->cycles, function->pairs);
	tree->low = estimates.low;
	tree->high = estimates.high;
	tree->is_mixed = function->is_mixed;
	tree->function = function->function;
	tree->module = function->module;
}

bool sampled_trees_fill(struct function_trees *trees, const struct profile *profile, const struct sampled_model *of,
			size_t most, struct arena *arena)
{
	const struct delta_request request = { profile, &of->model->events, of->pmu, most };
	const struct growing growing = { of->model, arena };
	struct function_deltas deltas;

	*trees = (struct function_trees){ .model = of->model, .rest = 100, .is_sampled = true };
	if (!function_deltas_fill(&deltas, &request, arena))
		return false;
	trees->items = arena_array(arena, deltas.count + 1, sizeof(*trees->items));
	for (size_t i = 0; i < deltas.count; i++) {
		sampled_trees_grow(&trees->items[trees->count++], &deltas, &deltas.items[i], &growing);
		trees->rest -= trees->items[i].cycles.percent;
	}
	return true;
}
