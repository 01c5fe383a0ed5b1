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

	if (graph->weighing->is_exact)
		return arena_printf(graph->arena, "%.2f %%", share.percent);
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
	if (!graph->weighing->is_exact)
		string_printf(&facts, ", %s samples", flame_grouped(graph->weighing->samples, graph->arena));
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

/* ---- the same as a table: of a page, for those who can't see the boxes ---- */

#define MOST_FUNCTIONS 100 /* the heaviest */

struct function_row {
	uint32_t function;
	double self, total;
	uint64_t samples; /* in total */
};

/* Which calls have a caller of the same function: each knows, walking down, how often a function is on the way. */
static bool *find_recursion(const struct call_tree *tree, struct arena *arena)
{
	uint32_t *on_way = arena_array(arena, (size_t)tree->functions->count + 1, sizeof(*on_way));
	uint32_t *next = arena_array(arena, (size_t)tree->count + 1, sizeof(*next));
	bool *are_below = arena_array(arena, (size_t)tree->count + 1, sizeof(*are_below));

	for (uint32_t i = 0; i < tree->count; i++)
		next[i] = tree->first[i];
	for (uint32_t call = 0; call != PROFILE_NONE;) {
		const struct call *here = &tree->calls[call];

		if (next[call] == tree->first[call] && call && !here->is_task)
			are_below[call] = on_way[here->function]++ > 0;
		if (next[call] < tree->first[call + 1]) {
			call = tree->order[next[call]++];
			continue;
		}
		if (call && !here->is_task)
			on_way[here->function]--;
		call = here->parent;
	}
	return are_below;
}

static int by_self(const void *a, const void *b)
{
	const struct function_row *one = a, *other = b;

	if (one->self != other->self)
		return one->self < other->self ? 1 : -1;
	if (one->total != other->total)
		return one->total < other->total ? 1 : -1;
	return one->function < other->function ? -1 : 1;
}

static struct function_row *function_rows(const struct call_tree *tree, struct arena *arena)
{
	struct function_row *rows = arena_array(arena, (size_t)tree->functions->count + 1, sizeof(*rows));
	const bool *are_below = find_recursion(tree, arena);

	for (uint32_t i = 0; i < tree->functions->count; i++)
		rows[i].function = i;
	for (uint32_t i = 1; i < tree->count; i++) {
		const struct call *call = &tree->calls[i];

		if (call->is_task)
			continue;
		rows[call->function].self += call->self;
		if (are_below[i])
			continue;
		rows[call->function].total += call->total;
		rows[call->function].samples += call->samples;
	}
	qsort(rows, tree->functions->count, sizeof(*rows), by_self);
	return rows;
}

enum { FUNCTION_NAME, FUNCTION_HOME, FUNCTION_SELF, FUNCTION_TOTAL, FUNCTION_SAMPLES, FUNCTION_COLUMNS };

static const struct column columns[FUNCTION_COLUMNS] = {
	[FUNCTION_NAME] = { .heading = "Function" },
	[FUNCTION_HOME] = { .heading = "Where" },
	[FUNCTION_SELF] = { .key = "self", .heading = "Self %", .flags = COLUMN_RIGHT },
	[FUNCTION_TOTAL] = { .key = "total", .heading = "With what it calls %", .flags = COLUMN_RIGHT },
	[FUNCTION_SAMPLES] = { .key = "samples", .heading = "Samples", .flags = COLUMN_RIGHT },
};

static struct cell share_cell(const struct graph *graph, double weight)
{
	struct cell cell = number_cell(100 * weight / graph->weighing->whole);

	cell.shown = arena_printf(graph->arena, "%.2f", cell.number);
	return cell;
}

static void flame_graph_add_table(struct document *doc, const struct graph *graph)
{
	const struct export_function *functions = graph->tree.functions->items;
	const uint32_t all = graph->tree.functions->count, most = all < MOST_FUNCTIONS ? all : MOST_FUNCTIONS;
	const struct function_row *rows = function_rows(&graph->tree, graph->arena);
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));

	*grid = (struct grid){ .columns = columns,
			       .ncolumns = FUNCTION_COLUMNS - graph->weighing->is_exact,
			       .caption = arena_printf(doc->arena, "Functions by %s", graph->weighing->title) };
	for (uint32_t i = 0; i < most && rows[i].total > 0; i++)
		grid_add(grid,
			 (const struct cell[FUNCTION_COLUMNS]){
				 [FUNCTION_NAME] = text_cell(functions[rows[i].function].name),
				 [FUNCTION_HOME] = text_cell(flame_home(&functions[rows[i].function], doc->arena)),
				 [FUNCTION_SELF] = share_cell(graph, rows[i].self),
				 [FUNCTION_TOTAL] = share_cell(graph, rows[i].total),
				 [FUNCTION_SAMPLES] = whole_cell(rows[i].samples) },
			 doc->arena);
	doc_add(doc, (struct block){ .kind = BLOCK_FOLD,
				     .text = most < all ? arena_printf(doc->arena,
								       "As a table: the heaviest %u of %u functions",
								       most, all)
							: "As a table" });
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	doc_add(doc, (struct block){ .kind = BLOCK_UNFOLD });
}

void flame_graphs(struct document *doc, const struct export_subject *subjects, size_t count)
{
	struct picture *pictures = arena_array(doc->arena, count + 1, sizeof(*pictures));

	if (count)
		doc_add(doc, (struct block){ .kind = BLOCK_SECTION, .text = "Flame graph", .id = "flame-graph" });
	for (size_t i = 0; i < count; i++) {
		const struct graph *graph = graph_new(&subjects[i], doc->arena);
		const char *by = graph->weighing->title;

		pictures[i] = (struct picture){
			.title = arena_printf(doc->arena, "Flame graph by %s", by),
			.spoken = arena_printf(doc->arena,
					       "Flame graph: each box is a function, as wide as its part of %s with "
					       "all that it calls. The table below has the same numbers.",
					       by),
			.draw = flame_draw,
			.what = &graph->flame,
		};
		doc_add(doc, (struct block){ .kind = BLOCK_PICTURE, .picture = &pictures[i] });
		if (graph->weighing->whole > 0)
			flame_graph_add_table(doc, graph);
	}
}
