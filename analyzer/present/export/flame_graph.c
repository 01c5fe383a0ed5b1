/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame_graph.c - the call tree as one SVG file, the outermost functions on top, and a script that zooms and searches
 * (flame_graph.js). Nothing is loaded from elsewhere.
 */
#include "present/export/forms.h"

#include <stdlib.h>

#include "common/base/cells.h"
#include "common/base/text.h"
#include "common/base/xml.h"
#include "present/document/document.h"
#include "present/export/svg_page.h"

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
static const char *flame_graph_share_text(const struct graph *graph, double weight, uint64_t samples)
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
		      flame_graph_share_text(graph, box->width, box->samples));
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

/* ---- the same as a table: of a part of a page, for those who can't see the boxes ---- */

#define MOST_FUNCTIONS 100 /* the heaviest */

struct function_row {
	uint32_t function;
	double self, total;
	uint64_t samples; /* in total */
};

static bool is_below_itself(const struct call_tree *tree, uint32_t call)
{
	for (uint32_t i = tree->calls[call].parent; i != PROFILE_NONE && i; i = tree->calls[i].parent)
		if (!tree->calls[i].is_task && tree->calls[i].function == tree->calls[call].function)
			return true;
	return false;
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

	for (uint32_t i = 0; i < tree->functions->count; i++)
		rows[i].function = i;
	for (uint32_t i = 1; i < tree->count; i++) {
		const struct call *call = &tree->calls[i];

		if (call->is_task)
			continue;
		rows[call->function].self += call->self;
		if (is_below_itself(tree, i))
			continue;
		rows[call->function].total += call->total;
		rows[call->function].samples += call->samples;
	}
	qsort(rows, tree->functions->count, sizeof(*rows), by_self);
	return rows;
}

static void write_cell(FILE *out, double percent)
{
	fprintf(out, "<td class=\"n\"><data value=\"%.17g\">%.2f</data></td>", percent, percent);
}

static void write_function(FILE *out, const struct graph *graph, const struct function_row *row)
{
	const struct export_function *function = &graph->tree->functions->items[row->function];
	const double all = 100, whole = graph->weighing->whole;

	fputs("<tr><th scope=\"row\">", out);
	xml_write(out, function->name);
	fputs("</th><td>", out);
	xml_write(out, svg_home(function, graph->arena));
	fputs("</td>", out);
	write_cell(out, all * row->self / whole);
	write_cell(out, all * row->total / whole);
	if (!graph->weighing->is_exact)
		fprintf(out, "<td class=\"n\">%s</td>", svg_grouped(row->samples, graph->arena));
	fputs("</tr>\n", out);
}

static void write_table(FILE *out, const struct graph *graph)
{
	const uint32_t all = graph->tree->functions->count, most = all < MOST_FUNCTIONS ? all : MOST_FUNCTIONS;
	const struct function_row *rows = function_rows(graph->tree, graph->arena);

	if (!(graph->weighing->whole > 0))
		return;
	fputs("<details><summary>", out);
	if (most < all)
		fprintf(out, "As a table: the heaviest %u of %u functions", most, all);
	else
		fputs("As a table", out);
	fprintf(out,
		"</summary>\n<div class=\"wide\" tabindex=\"0\" role=\"group\" "
		"aria-label=\"Functions\"><table><caption>Functions by %s</caption>\n"
		"<thead><tr><th scope=\"col\">Function</th><th scope=\"col\">Where</th>"
		"<th scope=\"col\" class=\"n\">Self %%</th><th scope=\"col\" class=\"n\">With what it calls %%</th>%s"
		"</tr></thead>\n<tbody>\n",
		graph->weighing->title, graph->weighing->is_exact ? "" : "<th scope=\"col\" class=\"n\">Samples</th>");
	for (uint32_t i = 0; i < most && rows[i].total > 0; i++)
		write_function(out, graph, &rows[i]);
	fputs("</tbody></table></div></details>\n", out);
}

/* ---- all of it ---- */

/* The page's stream and kind are there already. */
static void flame_graph_draw_one(struct svg_page *page, const struct export_subject *subject)
{
	const struct weighing *weighing = &subject->weighings->items[subject->chosen];
	const char *command = subject->command ? subject->command : "a program";
	struct arena *arena = page->arena;
	struct call_tree tree;
	struct boxes boxes;
	struct export_frames frames;
	const struct graph graph = { .subject = subject, .weighing = weighing, .tree = &tree, .arena = arena };

	frames_init(&frames, subject->profile, arena);
	call_tree_init(&tree, subject, weighing, &frames, arena);
	boxes_init(&boxes, subject, &tree, arena);
	page->boxes = &boxes;
	page->fills = fills;
	page->title = arena_printf(arena, "%s of %s", weighing->title, cells_safe(arena, command, true));
	page->facts = facts_of(&graph, &boxes);
	svg_begin(page);
	for (uint32_t i = 0; i < boxes.count; i++)
		svg_box(page, &boxes.items[i],
			&(struct svg_box){ box_name(&graph, &boxes.items[i]), box_details(&graph, &boxes.items[i]) });
	svg_end(page);
	if (page->is_part)
		write_table(page->out, &graph);
}

int flame_graph_write(FILE *out, const struct export_subject *subject, struct arena *arena, struct error *err UNUSED)
{
	struct svg_page page = { .out = out, .arena = arena };

	flame_graph_draw_one(&page, subject);
	return 0;
}

void flame_graph_draw(FILE *out, const void *what, struct arena *arena)
{
	struct svg_page page = { .out = out, .is_part = true, .arena = arena };

	flame_graph_draw_one(&page, what);
}

void flame_graphs(struct document *doc, const struct export_subject *subjects, size_t count)
{
	struct picture *pictures = arena_array(doc->arena, count + 1, sizeof(*pictures));

	if (count)
		doc_add(doc, (struct block){ .kind = BLOCK_SECTION, .text = "Flame graph", .id = "flame-graph" });
	for (size_t i = 0; i < count; i++) {
		const char *by = subjects[i].weighings->items[subjects[i].chosen].title;

		pictures[i] = (struct picture){
			.title = arena_printf(doc->arena, "Flame graph by %s", by),
			.spoken = arena_printf(doc->arena,
					       "Flame graph: each box is a function, as wide as its part of %s with "
					       "all that it calls. The table below has the same numbers.",
					       by),
			.draw = flame_graph_draw,
			.what = &subjects[i],
		};
		doc_add(doc, (struct block){ .kind = BLOCK_PICTURE, .picture = &pictures[i] });
	}
}
