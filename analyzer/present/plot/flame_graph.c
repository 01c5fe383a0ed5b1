/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame_graph.c - the call tree as one SVG file, the outermost functions on top, and a script that zooms and searches
 * (flame_graph.js). Nothing is loaded from elsewhere.
 */
#include "present/export/forms.h"

#include <stdlib.h>

#include "common/base/cells.h"
#include "common/base/text.h"
#include "present/plot/flame.h"

/* Paul Tol, Colour Schemes (SRON/EPS/TN/09-002), "light": for black labels; the colour-blind distinguish them too. */
static const char *const fills[FLAME_COLORS] = { "#77aadd",
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
	struct export_frames frames;
	struct call_tree tree;
	struct flame flame;
	struct arena *arena;
};

/* "12.3 %", of samples with their interval: "12.3 % (95 %: 11.1 to 13.6), 412 samples, rough" */
static const char *flame_graph_share_text(const struct graph *graph, double weight, uint64_t samples)
{
	struct share share = share_of_weight(graph->weighing, weight, samples);

	if (graph->weighing->is_exact || is_wall(graph->weighing))
		return arena_printf(graph->arena, "%.2f %%", share.percent);
	if (graph->weighing->is_waiting)
		return arena_printf(graph->arena, "%.2f %%, %s waits", share.percent,
				    flame_grouped(samples, graph->arena));
	return arena_printf(graph->arena, "%.2f %% (95 %%: %.2f to %.2f), %s samples%s", share.percent, share.low,
			    share.high, flame_grouped(samples, graph->arena), samples < ROUGH_SAMPLES ? ", rough" : "");
}

static const char *box_name(const struct graph *graph, const struct flame_box *box)
{
	if (box->call == PROFILE_NONE)
		return arena_printf(graph->arena, "%u more", box->merged);
	return call_name(&graph->tree, box->call, graph->subject->roots, graph->arena);
}

static const char *box_details(const struct graph *graph, const struct flame_box *box)
{
	const struct call *call = box->call == PROFILE_NONE ? NULL : &graph->tree.calls[box->call];
	struct string text = STRING_INIT(graph->arena);

	if (call && box->call && !call->is_task)
		string_printf(&text, "%s\n", flame_home(&graph->tree.functions->items[call->function], graph->arena));
	string_printf(&text, "%s\n%s", flame_amount(graph->weighing, box->box.width, graph->arena),
		      flame_graph_share_text(graph, box->box.width, box->samples));
	if (call && call->self > 0)
		string_printf(&text, "\nitself %s", flame_amount(graph->weighing, call->self, graph->arena));
	if (graph->subject->colors == COLORS_NODE && box->kind != PROFILE_NONE)
		string_printf(&text, "\nmostly %s", graph->subject->nodes[box->kind].title);
	return text.text;
}

/* "1,000 samples; 12 calls narrower than ..." */
static const char *facts_of(const struct graph *graph)
{
	const struct flame *flame = &graph->flame;
	struct string facts = STRING_INIT(graph->arena);

	string_add(&facts, flame_amount(graph->weighing, flame->whole, graph->arena));
	if (!graph->weighing->is_exact && !is_wall(graph->weighing))
		string_printf(&facts, ", %s %s", flame_grouped(graph->weighing->samples, graph->arena),
			      graph->weighing->is_waiting ? "waits" : "samples");
	if (flame->hidden)
		string_printf(&facts, "; %s calls narrower than %g %% are merged, or left out where they stay so",
			      flame_grouped(flame->hidden, graph->arena), 100 * LEAST_SHARE_OF_WIDTH);
	return facts.text;
}

static struct graph *graph_new(const struct export_subject *subject, struct arena *arena)
{
	const struct weighing *weighing = &subject->weighings->items[subject->chosen];
	const char *command = subject->command ? subject->command : "a program";
	struct graph *graph = arena_alloc(arena, sizeof(*graph));
	struct flame *flame = &graph->flame;

	*graph = (struct graph){ .subject = subject, .weighing = weighing, .arena = arena };
	frames_init(&graph->frames, subject->profile, arena);
	call_tree_init(&graph->tree, subject, weighing, &graph->frames, arena);
	flame_init(flame, subject, &graph->tree, arena);
	flame->fills = fills;
	flame->title = arena_printf(arena, "%s of %s", weighing->title, cells_safe(arena, command, true));
	flame->facts = facts_of(graph);
	for (uint32_t i = 0; i < flame->count; i++) {
		flame->items[i].name = box_name(graph, &flame->items[i]);
		flame->items[i].details = box_details(graph, &flame->items[i]);
	}
	return graph;
}

int flame_graph_write(FILE *out, const struct export_subject *subject, struct arena *arena, struct error *err UNUSED)
{
	flame_write(out, &graph_new(subject, arena)->flame, arena);
	return 0;
}
