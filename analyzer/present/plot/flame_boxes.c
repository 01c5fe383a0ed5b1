/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flame_boxes.c - the calls of a flame graph as boxes: which there are, where, and in what colour. */
#include "present/plot/flame.h"

#include <math.h>

struct layout {
	struct flame *flame;
	const struct call_tree *tree;
	struct arena *arena;
	size_t room;
};

/* ---- where they stand ---- */

static void add_box(struct layout *layout, struct flame_box *box)
{
	struct flame *flame = layout->flame;

	box->kind = PROFILE_NONE;
	if (box->parent == PROFILE_NONE)
		box->box.depth = 0;
	else
		box_put(&box->box, &flame->items[box->parent].box);
	flame->items = arena_grow(layout->arena, flame->items, flame->count, &layout->room, sizeof(*flame->items));
	flame->items[flame->count++] = *box;
	if (box->box.depth > flame->depth)
		flame->depth = box->box.depth;
}

/* Where a call stands is known when its caller has been placed. */
struct waiting {
	uint32_t call, parent;
	bool is_merged; /* not the call, but the narrow ones that it makes */
};

bool flame_is_narrow(const struct flame *flame, double weight)
{
	return weight < LEAST_SHARE_OF_WIDTH * flame->whole;
}

/* The narrow calls that a call makes, as one, where together they are wide enough. */
static void add_merged(struct layout *layout, const struct waiting *from)
{
	const struct call_tree *tree = layout->tree;
	struct flame_box box = { .call = PROFILE_NONE, .parent = from->parent };

	for (uint32_t i = tree->first[from->call]; i < tree->first[from->call + 1]; i++) {
		const struct call *child = &tree->calls[tree->order[i]];

		if (!flame_is_narrow(layout->flame, child->total))
			continue;
		box.box.width += child->total;
		box.samples += child->samples;
		box.merged++;
	}
	if (box.merged && !flame_is_narrow(layout->flame, box.box.width))
		add_box(layout, &box);
}

static void add_call(struct layout *layout, const struct waiting *from)
{
	const struct call *call = &layout->tree->calls[from->call];
	struct flame_box box = { .box.width = from->call ? call->total : layout->flame->whole,
				 .call = from->call,
				 .parent = from->parent,
				 .samples = call->samples };

	add_box(layout, &box);
	layout->flame->of[from->call] = layout->flame->count;
}

/* The last one is placed first: so the narrow ones stand behind the others. */
static uint32_t push_calls(struct waiting *waiting, uint32_t count, const struct layout *layout, uint32_t call)
{
	const struct call_tree *tree = layout->tree;
	const uint32_t parent = layout->flame->count - 1;

	waiting[count++] = (struct waiting){ call, parent, true };
	for (uint32_t i = tree->first[call + 1]; i-- > tree->first[call];)
		if (!flame_is_narrow(layout->flame, tree->calls[tree->order[i]].total))
			waiting[count++] = (struct waiting){ tree->order[i], parent, false };
	return count;
}

static void place_all(struct layout *layout)
{
	/* Each call waits once, and once for those that it makes. */
	struct waiting *waiting = arena_array(layout->arena, 2 * ((size_t)layout->tree->count + 1), sizeof(*waiting));
	uint32_t count = 0;

	waiting[count++] = (struct waiting){ 0, PROFILE_NONE, false };
	while (count) {
		struct waiting next = waiting[--count];

		if (next.is_merged) {
			add_merged(layout, &next);
			continue;
		}
		add_call(layout, &next);
		count = push_calls(waiting, count, layout, next.call);
	}
}

/* ---- colours ---- */

struct kinds {
	const char **titles;
	double *widths; /* of the boxes that have the kind */
	uint32_t count;
};

static struct kinds kinds_new(uint32_t count, struct arena *arena)
{
	return (struct kinds){ .titles = arena_array(arena, (size_t)count + 1, sizeof(const char *)),
			       .widths = arena_array(arena, (size_t)count + 1, sizeof(double)),
			       .count = count };
}

static uint32_t widest(const struct kinds *kinds)
{
	uint32_t best = PROFILE_NONE;

	for (uint32_t i = 0; i < kinds->count; i++)
		if (kinds->widths[i] > 0 && (best == PROFILE_NONE || kinds->widths[i] > kinds->widths[best]))
			best = i;
	return best;
}

void flame_explain(struct flame *flame, const char *title, unsigned color)
{
	for (uint32_t i = 0; i < flame->count; i++)
		if (flame->items[i].color == color && flame->items[i].box.depth) {
			flame->legend[flame->nlegend++] = (struct flame_legend){ title, color };
			return;
		}
}

/* The kinds with the widest boxes get the colours, in that order; the others share a grey. */
static void give_colors(struct flame *flame, struct kinds *kinds, struct arena *arena)
{
	unsigned *colors = arena_array(arena, (size_t)kinds->count + 1, sizeof(*colors));
	const char *titles[PALETTE] = { NULL };
	uint32_t next;

	for (uint32_t i = 0; i < kinds->count; i++)
		colors[i] = GREY_OTHER;
	for (unsigned i = 0; i < PALETTE && (next = widest(kinds)) != PROFILE_NONE; i++) {
		colors[next] = i;
		titles[i] = kinds->titles[next];
		kinds->widths[next] = 0;
	}
	for (uint32_t i = 0; i < flame->count; i++) {
		struct flame_box *box = &flame->items[i];

		box->color = box->kind != PROFILE_NONE ? colors[box->kind] : box->has_few ? GREY_FEW : GREY_NONE;
	}
	for (unsigned i = 0; i < PALETTE && titles[i]; i++)
		flame_explain(flame, titles[i], i);
}

static void color_by_module(struct layout *layout)
{
	const struct call_tree *tree = layout->tree;
	struct kinds kinds = kinds_new(tree->profile->nmodules, layout->arena);
	struct flame *flame = layout->flame;

	for (uint32_t i = 0; i < tree->functions->count; i++)
		kinds.titles[tree->functions->items[i].number] = tree->functions->items[i].module;
	for (uint32_t i = 0; i < kinds.count; i++)
		if (!kinds.titles[i] || !*kinds.titles[i])
			kinds.titles[i] = "[unknown]";
	for (uint32_t i = 0; i < flame->count; i++) {
		struct flame_box *box = &flame->items[i];

		if (box->call == PROFILE_NONE || !box->call || tree->calls[box->call].is_task)
			continue;
		box->kind = tree->functions->items[tree->calls[box->call].function].number;
		kinds.widths[box->kind] += box->box.width;
	}
	give_colors(flame, &kinds, layout->arena);
	flame_explain(flame, "other modules", GREY_OTHER);
}

/* ---- colours by node ---- */

struct slots {
	double *values; /* [boxes * nodes] */
	uint64_t *samples;
};

/* The box that a call is in: its own, or that of its nearest caller that has one. */
static uint32_t box_of(const struct layout *layout, uint32_t call)
{
	while (!layout->flame->of[call])
		call = layout->tree->calls[call].parent;
	return layout->flame->of[call] - 1;
}

static void add_slots(const struct layout *layout, struct slots *slots, const struct export_subject *subject)
{
	const struct profile *profile = subject->profile;

	for (uint32_t row = 0; row < profile->nrows; row++) {
		uint32_t leaf = layout->tree->leaf[row];
		uint32_t box = box_of(layout, leaf != PROFILE_NONE ? leaf : call_tree_find(layout->tree, row));

		for (size_t i = 0; i < subject->nnodes; i++) {
			const struct weighing *weighing = &subject->weighings->items[subject->nodes[i].weighing];
			double whole = fmax(weighing->whole, weighing->total);

			if (!(weighing->weights[row] > 0) || !(whole > 0))
				continue;
			slots->values[box * subject->nnodes + i] +=
				weighing->weights[row] / whole * subject->nodes[i].slots;
			slots->samples[box] +=
				weighing->is_exact || weighing->is_waiting ? ROUGH_SAMPLES : profile->rows[row].samples;
		}
	}
	for (uint32_t box = layout->flame->count; box-- > 1;) {
		uint32_t parent = layout->flame->items[box].parent;

		for (size_t i = 0; i < subject->nnodes; i++)
			slots->values[parent * subject->nnodes + i] += slots->values[box * subject->nnodes + i];
		slots->samples[parent] += slots->samples[box];
	}
}

/* The largest node below parent, and on from there while one is at least half of what it is in; else parent. */
static uint32_t bottleneck(const struct export_subject *subject, const double *values, uint32_t parent)
{
	uint32_t best = PROFILE_NONE;

	for (uint32_t i = parent == PROFILE_NONE ? 0 : parent + 1; i < subject->nnodes; i++)
		if (subject->nodes[i].parent == parent && values[i] > 0 &&
		    (best == PROFILE_NONE || values[i] > values[best]))
			best = i;
	if (best == PROFILE_NONE || (parent != PROFILE_NONE && values[best] < values[parent] / 2))
		return parent;
	return bottleneck(subject, values, best);
}

static void color_by_node(struct layout *layout, const struct export_subject *subject)
{
	struct kinds kinds = kinds_new((uint32_t)subject->nnodes, layout->arena);
	struct flame *flame = layout->flame;
	struct slots slots = { .values = arena_array(layout->arena, flame->count * subject->nnodes + 1, sizeof(double)),
			       .samples = arena_array(layout->arena, (size_t)flame->count + 1, sizeof(uint64_t)) };

	for (uint32_t i = 0; i < kinds.count; i++)
		kinds.titles[i] = subject->nodes[i].title;
	add_slots(layout, &slots, subject);
	for (uint32_t i = 0; i < flame->count; i++) {
		struct flame_box *box = &flame->items[i];

		if (box->call == PROFILE_NONE)
			continue;
		box->has_few = slots.samples[i] < ROUGH_SAMPLES;
		if (!box->has_few)
			box->kind = bottleneck(subject, &slots.values[i * subject->nnodes], PROFILE_NONE);
		if (box->kind != PROFILE_NONE && i)
			kinds.widths[box->kind] += box->box.width;
	}
	give_colors(flame, &kinds, layout->arena);
	flame_explain(flame, "other nodes", GREY_OTHER);
	flame_explain(flame, "too few samples", GREY_FEW);
}

void flame_place(struct flame *flame, const struct call_tree *tree, double whole, struct arena *arena)
{
	struct layout layout = { .flame = flame, .tree = tree, .arena = arena };
	uint32_t shown = 0;

	*flame = (struct flame){ .whole = fmax(whole, tree->calls[0].total),
				 .of = arena_array(arena, (size_t)tree->count + 1, sizeof(uint32_t)) };
	place_all(&layout);
	for (uint32_t i = 0; i < flame->count; i++)
		shown += flame->items[i].call != PROFILE_NONE;
	flame->hidden = tree->count - shown;
}

void flame_init(struct flame *flame, const struct export_subject *subject, const struct call_tree *tree,
		struct arena *arena)
{
	struct layout layout = { .flame = flame, .tree = tree, .arena = arena };

	flame_place(flame, tree, subject->weighings->items[subject->chosen].whole, arena);
	if (subject->colors == COLORS_NODE)
		color_by_node(&layout, subject);
	else
		color_by_module(&layout);
	flame_explain(flame, "no colour of its own", GREY_NONE);
}
