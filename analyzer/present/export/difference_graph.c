/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * difference_graph.c - the flame graph of two profiles: a box is as wide as the mean of both sides, so that what only
 * one of them has is there too, and boxes still add up. Red is more after, blue less; the name says by how much.
 */
#include <math.h>

#include "common/base/cells.h"
#include "common/base/text.h"
#include "present/document/document.h"
#include "present/export/svg_page.h"

enum tone { GREW_MUCH, GREW, GREW_LITTLE, EQUAL, SHRANK_LITTLE, SHRANK, SHRANK_MUCH, NEW, GONE, CHANCE };

/* After ColorBrewer's RdBu (Brewer, Harrower, Pennsylvania State University), which the colour-blind distinguish. */
static const char *const fills[BOX_COLORS] = {
	[GREW_MUCH] = "#ee7755",     [GREW] = "#f4a582",   [GREW_LITTLE] = "#fbdccb", [EQUAL] = "#eeeeee",
	[SHRANK_LITTLE] = "#d8e9f3", [SHRANK] = "#9acce5", [SHRANK_MUCH] = "#66aadd", [NEW] = "#ff8899",
	[GONE] = "#99aaff",	     [CHANCE] = "#d4d4d4",
};

static const char *const meanings[BOX_COLORS] = {
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
	const struct boxes *boxes;
	struct arena *arena;
};

/* Narrow calls beside each other are one box. */
static struct compared compared_of(const struct graph *graph, const struct box *box)
{
	const struct call_tree *tree = &graph->difference->tree;
	struct compared sum = { .total = { 0 } };
	uint32_t parent;

	if (box->call != PROFILE_NONE)
		return graph->difference->calls[box->call];
	parent = graph->boxes->items[box->parent].call;
	for (uint32_t i = tree->first[parent]; i < tree->first[parent + 1]; i++) {
		const struct compared *child = &graph->difference->calls[tree->order[i]];

		if (!boxes_is_narrow(graph->boxes, tree->calls[tree->order[i]].total))
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

static const char *box_name(const struct graph *graph, const struct box *box, const struct compared *compared)
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
		      svg_amount(weighing, compared->total[side] / scale, graph->arena),
		      100 * compared->total[side] / difference->wholes[side]);
	if (!weighing->is_exact)
		string_printf(text, ", %s samples", svg_grouped(compared->samples[side], graph->arena));
}

static const char *signed_amount(const struct graph *graph, double change)
{
	return arena_printf(graph->arena, "%s%s", change < 0 ? "-" : "+",
			    svg_amount(&graph->difference->mean, fabs(change), graph->arena));
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

static const char *box_details(const struct graph *graph, const struct box *box, const struct compared *compared)
{
	const struct call *call = box->call == PROFILE_NONE ? NULL : &graph->difference->tree.calls[box->call];
	struct string text = STRING_INIT(graph->arena);

	string_add(&text, call && box->call
				  ? svg_home(&graph->difference->functions.items[call->function], graph->arena)
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

	string_printf(&facts, "before %s", svg_amount(&difference->mean, difference->wholes[BEFORE], graph->arena));
	string_printf(&facts, ", after %s (%+.1f %%)", svg_amount(&difference->mean, after, graph->arena),
		      100 * (after - difference->wholes[BEFORE]) / difference->wholes[BEFORE]);
	string_printf(&facts, "; width: the mean of both%s", graph->pair->is_normalized ? ", as shares" : "");
	if (graph->boxes->hidden)
		string_printf(&facts, "; %s calls narrower than %g %% are merged",
			      svg_grouped(graph->boxes->hidden, graph->arena), 100 * LEAST_SHARE_OF_WIDTH);
	return facts.text;
}

/* The page's stream and kind are there already. */
static void difference_graph_draw(struct svg_page *page, const struct export_pair *pair)
{
	struct arena *arena = page->arena;
	struct difference *difference = arena_alloc(arena, sizeof(*difference));
	struct boxes boxes;
	const struct graph graph = { .pair = pair, .difference = difference, .boxes = &boxes, .arena = arena };

	difference_init(difference, pair, arena);
	boxes_place(&boxes, &difference->tree, difference->mean.whole, arena);
	for (uint32_t i = 0; i < boxes.count; i++) {
		const struct compared compared = compared_of(&graph, &boxes.items[i]);

		boxes.items[i].color = tone_of(difference, &compared);
	}
	for (size_t i = 0; i < COUNT_OF(legend_order); i++)
		boxes_legend(&boxes, meanings[legend_order[i]], legend_order[i]);
	page->boxes = &boxes;
	page->fills = fills;
	page->title = difference_graph_title_of(pair, &difference->mean, arena);
	page->facts = facts_of(&graph);
	svg_begin(page);
	for (uint32_t i = 0; i < boxes.count; i++) {
		const struct box *box = &boxes.items[i];
		const struct compared compared = compared_of(&graph, box);

		svg_box(page, box,
			&(struct svg_box){ box_name(&graph, box, &compared), box_details(&graph, box, &compared) });
	}
	svg_end(page);
}

void difference_write(FILE *out, const struct export_pair *pair, struct arena *arena)
{
	struct svg_page page = { .out = out, .arena = arena };

	difference_graph_draw(&page, pair);
}

static void draw_part(FILE *out, const void *what, struct arena *arena)
{
	struct svg_page page = { .out = out, .is_part = true, .arena = arena };

	difference_graph_draw(&page, what);
}

void flame_difference(struct document *doc, const struct export_pair *pair)
{
	struct picture *picture = arena_alloc(doc->arena, sizeof(*picture));

	if (!pair)
		return;
	*picture = (struct picture){
		.title = arena_printf(doc->arena, "What differs, by %s",
				      pair->before->weighings->items[pair->before->chosen].title),
		.spoken = "Flame graph of the difference: each box is a function, as wide as the mean of both sides. "
			  "Its name shows how much more or less it takes. The table of functions has the same numbers.",
		.draw = draw_part,
		.what = pair,
	};
	doc_add(doc, (struct block){ .kind = BLOCK_SECTION, .text = "Flame graph", .id = "flame-graph" });
	doc_add(doc, (struct block){ .kind = BLOCK_PICTURE, .picture = picture });
}
