/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame_graph.c - the call tree as one SVG file, the outermost functions on top, and a script that zooms and searches
 * (flame_graph.js). Nothing is loaded from elsewhere.
 */
#include "export/forms.h"

#include "base/cells.h"
#include "base/text.h"
#include "export/svg_page.h"

/* Paul Tol, Colour Schemes (SRON/EPS/TN/09-002), "light": for black labels; the colour-blind distinguish them too. */
static const char *const fills[BOX_COLORS] = { "#77aadd",
					       "#ee8866",
					       "#eedd88",
					       "#ffaabb",
					       "#99ddff",
					       "#44bb99",
					       "#bbcc33",
					       "#aaaa00",
					       [GREY_OTHER] = "#bbbbbb",
					       [GREY_FEW] = "#dddddd",
					       [GREY_NONE] = "#eeeeee" };

struct graph {
	const struct export_subject *subject;
	const struct weighing *weighing;
	const struct call_tree *tree;
	struct arena *arena;
};

/* "12.3 %", of samples with their interval: "12.3 % (95 %: 11.1 to 13.6), 412 samples, rough" */
static const char *share_text(const struct graph *graph, double weight, uint64_t samples)
{
	struct share share = share_of_weight(graph->weighing, weight, samples);

	if (graph->weighing->is_exact)
		return arena_printf(graph->arena, "%.2f %%", share.percent);
	return arena_printf(graph->arena, "%.2f %% (95 %%: %.2f to %.2f), %s samples%s", share.percent, share.low,
			    share.high, svg_grouped(samples, graph->arena), samples < ROUGH_SAMPLES ? ", rough" : "");
}

static const char *box_name(const struct graph *graph, const struct box *box)
{
	if (box->call == PROFILE_NONE)
		return arena_printf(graph->arena, "%u more", box->merged);
	return call_name(graph->tree, box->call, graph->subject->roots, graph->arena);
}

static const char *box_details(const struct graph *graph, const struct box *box)
{
	const struct call *call = box->call == PROFILE_NONE ? NULL : &graph->tree->calls[box->call];
	struct string text = STRING_INIT(graph->arena);

	if (call && box->call && !call->is_task)
		string_printf(&text, "%s\n", svg_home(&graph->tree->functions->items[call->function], graph->arena));
	string_printf(&text, "%s\n%s", svg_amount(graph->weighing, box->width, graph->arena),
		      share_text(graph, box->width, box->samples));
	if (call && call->self > 0)
		string_printf(&text, "\nitself %s", svg_amount(graph->weighing, call->self, graph->arena));
	if (graph->subject->colors == COLORS_NODE && box->kind != PROFILE_NONE)
		string_printf(&text, "\nmostly %s", graph->subject->nodes[box->kind].title);
	return text.text;
}

/* "1,000 samples; 12 calls narrower than ..." */
static const char *facts_of(const struct graph *graph, const struct boxes *boxes)
{
	struct string facts = STRING_INIT(graph->arena);

	string_add(&facts, svg_amount(graph->weighing, boxes->whole, graph->arena));
	if (!graph->weighing->is_exact)
		string_printf(&facts, ", %s samples", svg_grouped(graph->weighing->samples, graph->arena));
	if (boxes->hidden)
		string_printf(&facts, "; %s calls narrower than %g %% are merged, or left out where they stay so",
			      svg_grouped(boxes->hidden, graph->arena), 100 * LEAST_SHARE_OF_WIDTH);
	return facts.text;
}

int flame_graph_write(FILE *out, const struct export_subject *subject, struct arena *arena, struct error *err UNUSED)
{
	const struct weighing *weighing = &subject->weighings->items[subject->chosen];
	const char *command = subject->command ? subject->command : "a program";
	struct call_tree tree;
	struct boxes boxes;
	struct export_frames frames;
	const struct graph graph = { .subject = subject, .weighing = weighing, .tree = &tree, .arena = arena };
	struct svg_page page = { .out = out, .boxes = &boxes, .fills = fills, .arena = arena };

	frames_init(&frames, subject->profile, arena);
	call_tree_init(&tree, subject, weighing, &frames, arena);
	boxes_init(&boxes, subject, &tree, arena);
	page.title = arena_printf(arena, "%s of %s", weighing->title, cells_safe(arena, command, true));
	page.facts = facts_of(&graph, &boxes);
	svg_begin(&page);
	for (uint32_t i = 0; i < boxes.count; i++)
		svg_box(&page, &boxes.items[i],
			&(struct svg_box){ box_name(&graph, &boxes.items[i]), box_details(&graph, &boxes.items[i]) });
	svg_end(&page);
	return 0;
}
