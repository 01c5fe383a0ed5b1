/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/hotspots/hotspots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/hotspots/functions.h"
#include "common/base/text.h"

/* While the trees grow. */
struct grove {
	const struct exact_rows *rows;
	const struct functions *functions;
	const struct weighing *cycles;
	size_t *bound;	      /* event number of each item of the counts */
	bool *is_divided;     /* [events] some row has a part of it */
	double *all, *events; /* [events] of the whole, and of a function */
	struct arena *arena;
};

/* The function that a row's own counts belong to. */
static uint32_t function_of(const struct grove *g, uint32_t row)
{
	const struct profile *profile = g->rows->profile;

	return g->functions->of[g->functions->first[profile->stacks[profile->rows[row].stack].place]];
}

static void take_counts(struct grove *g)
{
	const struct model *model = g->rows->model;
	const struct repeat *repeat = &g->rows->counts->repeats[0];
	const struct profile *profile = g->rows->profile;

	g->bound = arena_array(g->arena, repeat->count + 1, sizeof(*g->bound));
	g->is_divided = arena_array(g->arena, model->events.count + 1, sizeof(*g->is_divided));
	g->all = arena_array(g->arena, model->events.count + 1, sizeof(*g->all));
	g->events = arena_array(g->arena, model->events.count + 1, sizeof(*g->events));
	for (size_t i = 0; i < model->events.count; i++)
		g->all[i] = NOT_COUNTED;
	for (size_t i = 0; i < repeat->count; i++) {
		g->bound[i] = event_set_find(&model->events, repeat->items[i].event);
		if (g->bound[i] != TABLE_NONE)
			g->all[g->bound[i]] = repeat->items[i].value;
	}
	for (uint32_t i = 0; i < profile->nrows; i++)
		for (size_t k = 0; k < profile->rows[i].ncounts; k++)
			if (g->bound[profile->rows[i].counts[k].item] != TABLE_NONE)
				g->is_divided[g->bound[profile->rows[i].counts[k].item]] = true;
}

/* The counts of one function; of what no row has a part, the function has its share of the cycles. */
static void sum_function(struct grove *g, uint32_t function, double share)
{
	const struct profile *profile = g->rows->profile;

	for (size_t i = 0; i < g->rows->model->events.count; i++)
		g->events[i] = g->is_divided[i] ? 0 : g->all[i] * share;
	for (uint32_t i = 0; i < profile->nrows; i++) {
		const struct profile_row *row = &profile->rows[i];

		if (!row->ncounts || function_of(g, i) != function)
			continue;
		for (size_t k = 0; k < row->ncounts; k++)
			if (g->bound[row->counts[k].item] != TABLE_NONE)
				g->events[g->bound[row->counts[k].item]] += row->counts[k].value;
	}
}

static bool is_retiring(const struct metric *metric)
{
	return metric->level == 1 && is_same_name(metric->title, "Retiring");
}

/* The largest child that is over its threshold; Retiring only where nothing is lost. */
static size_t largest_child(const struct model *model, const double *values, const bool *is_over, size_t parent)
{
	size_t largest = TABLE_NONE;

	for (size_t i = 0; i < model->nnodes; i++) {
		const struct metric *metric = &model->metrics[i];

		if (metric->parent != parent || !is_over[i])
			continue;
		if (largest == TABLE_NONE || is_retiring(&model->metrics[largest]) ||
		    (!is_retiring(metric) && values[i] > values[largest]))
			largest = i;
	}
	return largest;
}

/* As judge.c does it for the whole. */
static const struct metric *find_most(const struct model *model, const double *unscaled, const double *values,
				      struct arena *arena)
{
	double *verdicts = arena_array(arena, program_size(model->thresholds) + 1, sizeof(*verdicts));
	bool *is_over = arena_array(arena, model->nnodes + 1, sizeof(*is_over));
	size_t most = NO_PARENT, child;

	program_eval(model->thresholds, unscaled, verdicts);
	for (size_t i = 0; i < model->nnodes; i++) {
		double verdict = model->metrics[i].has_threshold ? program_value(model->thresholds, verdicts, i) : 0;

		is_over[i] = !isnan(values[i]) && !isnan(verdict) && verdict != 0;
	}
	while ((child = largest_child(model, values, is_over, most)) != TABLE_NONE)
		most = child;
	return most == NO_PARENT ? NULL : &model->metrics[most];
}

void function_tree_evaluate(struct function_tree *tree, const struct model *model, const double *events,
			    struct arena *arena)
{
	double *results = arena_array(arena, program_size(model->program) + 1, sizeof(*results));
	double *unscaled = arena_array(arena, model->count + 1, sizeof(*unscaled));

	*tree = (struct function_tree){ .values = arena_array(arena, model->nnodes + 1, sizeof(*tree->values)) };
	program_eval(model->program, events, results);
	for (size_t i = 0; i < model->count; i++) {
		unscaled[i] = model->metrics[i].failure ? NOT_COUNTED : program_value(model->program, results, i);
		if (i < model->nnodes)
			tree->values[i] = unscaled[i] * model->metrics[i].scale;
	}
	tree->most = find_most(model, unscaled, tree->values, arena);
}

struct hot_function {
	uint32_t function;
	double cycles;
};

/* The most cycles first; of equal ones by name. */
static int compare_hot(const void *first, const void *second)
{
	const struct hot_function *a = first, *b = second;
	int order = (a->cycles < b->cycles) - (a->cycles > b->cycles);

	return order ? order : (a->function > b->function) - (a->function < b->function);
}

static struct hot_function *find_hot(const struct grove *g)
{
	struct hot_function *hot = arena_array(g->arena, g->functions->count + 1, sizeof(*hot));

	for (size_t i = 0; i < g->functions->count; i++)
		hot[i].function = (uint32_t)i;
	for (uint32_t i = 0; i < g->rows->profile->nrows; i++)
		hot[function_of(g, i)].cycles += g->cycles->weights[i];
	if (g->functions->count)
		qsort(hot, g->functions->count, sizeof(*hot), compare_hot);
	return hot;
}

bool function_trees_fill(struct function_trees *trees, const struct exact_rows *rows, size_t most, struct arena *arena)
{
	struct functions functions = functions_of(rows->profile, arena);
	struct weighing cycles;
	struct grove g = { .rows = rows, .functions = &functions, .cycles = &cycles, .arena = arena };
	const struct hot_function *hot;

	*trees = (struct function_trees){ .model = rows->model, .rest = 100 };
	if (!weighing_of_cycles(&cycles, rows, arena))
		return false;
	take_counts(&g);
	hot = find_hot(&g);
	trees->items = arena_array(arena, most + 1, sizeof(*trees->items));
	for (size_t i = 0; i < functions.count && trees->count < most && hot[i].cycles > 0; i++) {
		const struct profile_function *function = &functions.items[hot[i].function];
		struct function_tree *tree = &trees->items[trees->count++];

		struct share share = share_exact(hot[i].cycles, cycles.whole);

		sum_function(&g, hot[i].function, share.percent / 100);
		function_tree_evaluate(tree, rows->model, g.events, arena);
		tree->function = function->name;
		tree->module = rows->profile->modules[function->module].path;
		tree->cycles = share;
		trees->rest -= share.percent;
	}
	return true;
}
