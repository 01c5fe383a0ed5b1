/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * difference_graph.c - the flame graph of two profiles: a box is as wide as the mean of both sides, so that what only
 * one of them has is there too, and boxes still add up. Red is more after, blue less; the name says by how much.
 */
#include <math.h>

#include "common/base/cells.h"
#include "common/base/text.h"
#include "present/plot/flame.h"

enum tone { GREW_MUCH, GREW, GREW_LITTLE, EQUAL, SHRANK_LITTLE, SHRANK, SHRANK_MUCH, NEW, GONE, CHANCE };

/* After ColorBrewer's RdBu (Brewer, Harrower, Pennsylvania State University), which the colour-blind distinguish. */
static const char *const fills[FLAME_COLORS] = {
	[GREW_MUCH] = "#ee7755",     [GREW] = "#f4a582",   [GREW_LITTLE] = "#fbdccb", [EQUAL] = "#eeeeee",
	[SHRANK_LITTLE] = "#d8e9f3", [SHRANK] = "#9acce5", [SHRANK_MUCH] = "#66aadd", [NEW] = "#ff8899",
	[GONE] = "#99aaff",	     [CHANCE] = "#d4d4d4",
};

static const char *const meanings[FLAME_COLORS] = {
	[GREW_MUCH] = "twice or more",		[GREW] = "10 % more or beyond",
	[GREW_LITTLE] = "1 % more or beyond",	[NEW] = "new",
	[EQUAL] = "the same within 1 %",	[CHANCE] = "chance may do that",
	[SHRANK_LITTLE] = "1 % less or beyond", [SHRANK] = "10 % less or beyond",
	[SHRANK_MUCH] = "half or less",		[GONE] = "gone",
};

static const enum tone legend_order[] = { NEW,	  GREW_MUCH,	 GREW,	 GREW_LITTLE, EQUAL,
					  CHANCE, SHRANK_LITTLE, SHRANK, SHRANK_MUCH, GONE };

struct graph {
	const struct export_pair *pair;
	const struct difference *difference;
	const struct flame *flame;
	struct arena *arena;
};

/* Narrow calls beside each other are one box. */
static struct compared compared_of(const struct graph *graph, const struct flame_box *box)
{
	const struct call_tree *tree = &graph->difference->tree;
	struct compared sum = { .total = { 0 } };
	uint32_t parent;

	if (box->call != PROFILE_NONE)
		return graph->difference->calls[box->call];
	parent = graph->flame->items[box->parent].call;
	for (uint32_t i = tree->first[parent]; i < tree->first[parent + 1]; i++) {
		const struct compared *child = &graph->difference->calls[tree->order[i]];

		if (!flame_is_narrow(graph->flame, tree->calls[tree->order[i]].total))
			continue;
		for (enum side side = 0; side < SIDES; side++) {
			sum.total[side] += child->total[side];
			sum.samples[side] += child->samples[side];
		}
	}
	return sum;
}

/* By the ratio of both sides, whichever is larger. */
static enum tone tone_of(const struct difference *difference, const struct compared *compared)
{
	double before = compared->total[BEFORE], after = compared->total[AFTER];
	double times = fmax(before, after) / fmin(before, after);
	bool has_grown = after > before;

	if (times <= 1.01 || !(fmax(before, after) > 0))
		return EQUAL;
	if (is_by_chance(difference, compared))
		return CHANCE;
	if (!(before > 0) || !(after > 0))
		return has_grown ? NEW : GONE;
	if (times >= 2)
		return has_grown ? GREW_MUCH : SHRANK_MUCH;
	if (times >= 1.1)
		return has_grown ? GREW : SHRANK;
	return has_grown ? GREW_LITTLE : SHRANK_LITTLE;
}

/* "+12.3 %", "new", "gone" */
static const char *change_text(const struct compared *compared, struct arena *arena)
{
	double before = compared->total[BEFORE], after = compared->total[AFTER];

	if (!(before > 0))
		return after > 0 ? "new" : "0 %";
	return after > 0 ? arena_printf(arena, "%+.1f %%", 100 * (after - before) / before) : "gone";
}

static const char *box_name(const struct graph *graph, const struct flame_box *box, const struct compared *compared)
{
	const char *name = box->call == PROFILE_NONE
				   ? arena_printf(graph->arena, "%u more", box->merged)
				   : call_name(&graph->difference->tree, box->call, ROOTS_NONE, graph->arena);

	return arena_printf(graph->arena, "%s (%s)", name, change_text(compared, graph->arena));
}

/* "1,234 cycles, 12.34 %, 56 samples"; after as it was measured, not as it is drawn. */
static void add_side(struct string *text, const struct graph *graph, const struct compared *compared, enum side side)
{
	const struct difference *difference = graph->difference;
	const struct weighing *weighing = difference->weighings[side];
	double scale = side == AFTER ? difference->scale : 1;

	string_printf(text, "\n%s %s, %.2f %%", side == BEFORE ? "before" : "after",
		      flame_amount(weighing, compared->total[side] / scale, graph->arena),
		      100 * compared->total[side] / difference->wholes[side]);
	if (!weighing->is_exact)
		string_printf(text, ", %s samples", flame_grouped(compared->samples[side], graph->arena));
}

static const char *signed_amount(const struct graph *graph, double change)
{
	return arena_printf(graph->arena, "%s%s", change < 0 ? "-" : "+",
			    flame_amount(&graph->difference->mean, fabs(change), graph->arena));
}

/* Of shares in points, else in the unit. */
static const char *difference_text(const struct graph *graph, const double *values)
{
	const struct difference *difference = graph->difference;
	double change = values[AFTER] - values[BEFORE];

	if (graph->pair->is_normalized)
		return arena_printf(graph->arena, "%+.2f points", 100 * change / difference->wholes[BEFORE]);
	return arena_printf(graph->arena, "%s, %+.2f %% of all before", signed_amount(graph, change),
			    100 * change / difference->wholes[BEFORE]);
}

static const char *box_details(const struct graph *graph, const struct flame_box *box, const struct compared *compared)
{
	const struct call *call = box->call == PROFILE_NONE ? NULL : &graph->difference->tree.calls[box->call];
	struct string text = STRING_INIT(graph->arena);

	string_add(&text, call && box->call
				  ? flame_home(&graph->difference->functions.items[call->function], graph->arena)
				  : "both");
	for (enum side side = 0; side < SIDES; side++)
		add_side(&text, graph, compared, side);
	string_printf(&text, "\ndifference %s", difference_text(graph, compared->total));
	if (call && (compared->self[BEFORE] > 0 || compared->self[AFTER] > 0))
		string_printf(&text, "\nof that itself %s", difference_text(graph, compared->self));
	if (box->color == CHANCE)
		string_add(&text, "\nchance may do that: too few samples");
	return text.text;
}

/* ---- the page ---- */

static const char *difference_graph_title_of(const struct export_pair *pair, const struct weighing *weighing,
					     struct arena *arena)
{
	const char *commands[SIDES] = { pair->before->command, pair->after->command };

	for (enum side side = 0; side < SIDES; side++)
		commands[side] = cells_safe(arena, commands[side] ? commands[side] : "a program", true);
	return arena_printf(arena, "%s of %s, before and after%s%s", weighing->title, commands[BEFORE],
			    compare_texts(commands[BEFORE], commands[AFTER]) ? ": " : "",
			    compare_texts(commands[BEFORE], commands[AFTER]) ? commands[AFTER] : "");
}

static const char *facts_of(const struct graph *graph)
{
	const struct difference *difference = graph->difference;
	double after = difference->wholes[AFTER] / difference->scale;
	struct string facts = STRING_INIT(graph->arena);

	string_printf(&facts, "before %s", flame_amount(&difference->mean, difference->wholes[BEFORE], graph->arena));
	string_printf(&facts, ", after %s (%+.1f %%)", flame_amount(&difference->mean, after, graph->arena),
		      100 * (after - difference->wholes[BEFORE]) / difference->wholes[BEFORE]);
	string_printf(&facts, "; width: the mean of both%s", graph->pair->is_normalized ? ", as shares" : "");
	if (graph->flame->hidden)
		string_printf(&facts, "; %s calls narrower than %g %% are merged",
			      flame_grouped(graph->flame->hidden, graph->arena), 100 * LEAST_SHARE_OF_WIDTH);
	return facts.text;
}

static struct flame *difference_new(const struct export_pair *pair, struct arena *arena)
{
	struct difference *difference = arena_alloc(arena, sizeof(*difference));
	struct flame *flame = arena_alloc(arena, sizeof(*flame));
	const struct graph graph = { .pair = pair, .difference = difference, .flame = flame, .arena = arena };

	difference_init(difference, pair, arena);
	flame_place(flame, &difference->tree, difference->mean.whole, arena);
	flame->fills = fills;
	flame->title = difference_graph_title_of(pair, &difference->mean, arena);
	flame->facts = facts_of(&graph);
	for (uint32_t i = 0; i < flame->count; i++) {
		struct flame_box *box = &flame->items[i];
		const struct compared compared = compared_of(&graph, box);

		box->color = tone_of(difference, &compared);
		box->name = box_name(&graph, box, &compared);
		box->details = box_details(&graph, box, &compared);
	}
	for (size_t i = 0; i < COUNT_OF(legend_order); i++)
		flame_explain(flame, meanings[legend_order[i]], legend_order[i]);
	return flame;
}

void flame_difference_write(FILE *out, const struct export_pair *pair, struct arena *arena)
{
	flame_write(out, difference_new(pair, arena), arena);
}
