/* SPDX-License-Identifier: GPL-2.0-or-later */
/* where_trees.c - a tree for each of the hottest functions: level 1 as columns, and where each is worst. */
#include <math.h>

#include "present/document/human.h"
#include "present/where/where_parts.h"

#define MOST_NODES 8 /* of level 1 */

/* The columns: share of the cycles, samples, the nodes of level 1, the worst, object, function. */
enum {
	TREE_CYCLES,
	TREE_SAMPLES,
	TREE_NODES,
	TREE_MOST = TREE_NODES + MOST_NODES,
	TREE_PLACE,
	TREE_FUNCTION,
	TREE_COLUMNS
};

static const struct column columns[TREE_COLUMNS] = {
	[TREE_CYCLES] = { .key = "cycles_percent", .heading = "Cycles %", .flags = COLUMN_RIGHT, .least = 8 },
	[TREE_SAMPLES] = { .heading = "Samples", .flags = COLUMN_RIGHT, .gap = 2 },
	[TREE_MOST] = { .heading = "Worst", .gap = 2 },
	[TREE_PLACE] = { .heading = "Object", .flags = COLUMN_FRONT_CUT, .gap = 2, .most = 20 },
	[TREE_FUNCTION] = { .heading = "Function", .flags = COLUMN_TO_END, .gap = 2, .least = 8 },
};

/* "Frontend" of "Frontend_Bound": columns are narrow. */
static const char *short_title(const struct document *doc, const char *title)
{
	size_t length = 0;

	while (title[length] && title[length] != '_' && title[length] != ' ')
		length++;
	return arena_strndup(doc->arena, title, length);
}

/* Of a page: each node's value, and its interval where it has one. */
static size_t count_values(const struct document *doc, const struct function_trees *trees)
{
	return doc->is_page ? trees->model->nnodes * (trees->is_sampled ? 3 : 1) : 0;
}

static const char *value_key(const struct document *doc, const struct function_trees *trees, size_t value)
{
	static const char *const ends[] = { "", "_low", "_high" };
	size_t nnodes = trees->model->nnodes;

	return arena_printf(doc->arena, "%s%s", trees->model->metrics[value % nnodes].name, ends[value / nnodes]);
}

static struct cell value_cell(const struct function_trees *trees, const struct function_tree *tree, size_t value)
{
	const double *const values[] = { tree->values, tree->low, tree->high };
	size_t nnodes = trees->model->nnodes;

	return number_cell(values[value / nnodes][value % nnodes]);
}

static const struct column *tree_columns(const struct document *doc, const struct function_trees *trees)
{
	const struct model *model = trees->model;
	size_t count = 0, values = count_values(doc, trees);
	struct column *own = arena_array(doc->arena, TREE_COLUMNS + values, sizeof(*own));

	for (size_t i = 0; i < TREE_COLUMNS; i++)
		own[i] = columns[i];
	if (!trees->is_sampled)
		own[TREE_SAMPLES].heading = NULL;
	for (size_t i = 0; i < model->nnodes && count < MOST_NODES; i++)
		if (model->metrics[i].level == 1)
			own[TREE_NODES + count++] = (struct column){
				.heading = short_title(doc, model->metrics[i].title), .flags = COLUMN_RIGHT, .gap = 2
			};
	for (size_t i = 0; i < values; i++)
		own[TREE_COLUMNS + i] = (struct column){ .key = value_key(doc, trees, i) };
	return own;
}

static const char *worst_text(const struct document *doc, const struct function_trees *trees,
			      const struct function_tree *tree)
{
	if (!tree->most)
		return "-";
	if (trees->is_sampled)
		return tree->most->title;
	return arena_printf(doc->arena, "%s %s", tree->most->title,
			    human_fixed(doc->arena, tree->values[tree->most - trees->model->metrics], 1));
}

/* "34.1±0.6": half of the interval, "~ 34.1±8.2" of a few samples. */
static const char *node_text(const struct document *doc, const struct function_tree *tree, size_t node)
{
	const char *value = human_fixed(doc->arena, tree->values[node], 1);

	if (!tree->low || isnan(tree->values[node]))
		return value;
	if (isnan(tree->low[node]))
		return arena_printf(doc->arena, "~ %s", value);
	return arena_printf(doc->arena, "%s%s%s%s", tree->cycles.is_rough ? "~ " : "", value, plus_minus(doc),
			    human_fixed(doc->arena, (tree->high[node] - tree->low[node]) / 2, 1));
}

static struct cell place_cell(const struct document *doc, const struct function_tree *tree)
{
	const char *module = tree->module ? module_base_name(tree->module) : "no file";

	if (tree->is_mixed)
		return shown_cell("-", INK_PLAIN);
	return shown_cell(*module == '[' ? module : arena_printf(doc->arena, "[%s]", module), INK_BOLD);
}

static const char *function_text(const struct function_tree *tree)
{
	if (tree->is_mixed)
		return "(mixed)";
	return tree->function ? tree->function : "(no name)";
}

static void add_tree(struct document *doc, struct grid *grid, const struct function_trees *trees,
		     const struct function_tree *tree)
{
	struct cell *cells = arena_array(doc->arena, grid->ncolumns, sizeof(*cells));
	size_t count = 0;

	cells[TREE_CYCLES] = number_cell(tree->cycles.percent);
	cells[TREE_CYCLES].shown = human_fixed(doc->arena, tree->cycles.percent, 1);
	cells[TREE_CYCLES].ink = INK_BOLD;
	for (size_t i = 0; i < trees->model->nnodes && count < MOST_NODES; i++)
		if (trees->model->metrics[i].level == 1)
			cells[TREE_NODES + count++] = shown_cell(node_text(doc, tree, i), INK_PLAIN);
	cells[TREE_MOST] = shown_cell(worst_text(doc, trees, tree), INK_PLAIN);
	if (tree->cycles.samples)
		cells[TREE_SAMPLES] = shown_cell(human_fixed(doc->arena, (double)tree->cycles.samples, 0), INK_PLAIN);
	cells[TREE_PLACE] = place_cell(doc, tree);
	cells[TREE_FUNCTION] = shown_cell(function_text(tree), INK_PLAIN);
	for (size_t i = TREE_COLUMNS; i < grid->ncolumns; i++)
		cells[i] = value_cell(trees, tree, i - TREE_COLUMNS);
	grid_add(grid, cells, doc->arena);
}

static void explain_samples(struct document *doc, const struct function_trees *trees)
{
	bool is_rough = false, is_mixed = false;

	for (size_t i = 0; i < trees->count; i++) {
		is_rough = is_rough || trees->items[i].cycles.is_rough;
		is_mixed = is_mixed || trees->items[i].is_mixed;
	}
	if (is_mixed)
		doc_sentence(doc, "(mixed): counted between samples of different functions, so it belongs to none.");
	if (is_rough)
		doc_sentence(doc, "~ fewer than 30 samples: a rough tree");
}

void where_trees(struct document *doc, const struct function_trees *trees)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));

	if (!trees->count)
		return;
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING,
				     .text = "Tree per function, in percent of its own slots:",
				     .worded = "Tree per function",
				     .level = 3 });
	*grid = (struct grid){ .columns = tree_columns(doc, trees),
			       .ncolumns = TREE_COLUMNS + count_values(doc, trees),
			       .has_heads = true,
			       .is_wide = true };
	for (size_t i = 0; i < trees->count; i++)
		add_tree(doc, grid, trees, &trees->items[i]);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	if (trees->is_sampled)
		explain_samples(doc, trees);
	if (trees->rest >= 0.05)
		doc_sentence(doc, arena_printf(doc->arena, "%s %% of the cycles are in other functions, or in none.",
					       human_fixed(doc->arena, trees->rest, 1)));
}
