/* SPDX-License-Identifier: GPL-2.0-or-later */
/* icicle.c - the tree as a picture: a row for each level from the top, each node as wide as its share. */
#include <math.h>
#include <string.h>

#include "base/cells.h"
#include "render/html.h"
#include "render/human.h"
#include "render/report_page.h"

#define WIDTH	      1000.0
#define ROW	      34.0
#define LEAST	      0.6 /* of a node's width; a thinner one cannot be seen */
#define LETTER	      6.4 /* what one takes of the width, about */
#define LEAST_LETTERS 4
#define COLOURS	      6 /* page.css has so many: k0 ... k5 */

struct icicle {
	const struct report_set *set;
	const struct report *report;
	size_t *first, *next; /* [nnodes] each node's first child and next sibling, NO_PARENT: none */
	size_t root;	      /* the first of level 1 */
	unsigned levels;      /* that have a node with a share */
};

struct box {
	double x, width;
	unsigned depth, colour;
};

static bool is_share(const struct result *node)
{
	return is_measured(node) && !strcmp(node->metric->unit, "%") && node->value > 0;
}

/* Siblings in the order of the model. */
static void link_nodes(struct icicle *icicle, struct arena *arena)
{
	const struct report *report = icicle->report;
	const struct model *model = report->model;
	size_t *number = arena_array(arena, model->count + 1, sizeof(*number));

	icicle->first = arena_array(arena, report->nnodes + 1, sizeof(size_t));
	icicle->next = arena_array(arena, report->nnodes + 1, sizeof(size_t));
	icicle->root = NO_PARENT;
	for (size_t i = 0; i < report->nnodes; i++) {
		icicle->first[i] = NO_PARENT;
		number[report->nodes[i].metric - model->metrics] = i + 1;
	}
	for (size_t i = report->nnodes; i-- > 0;) {
		const struct metric *metric = report->nodes[i].metric;
		size_t parent = metric->parent < model->count && number[metric->parent] ? number[metric->parent] - 1
											: NO_PARENT;
		size_t *list = parent < i ? &icicle->first[parent] : &icicle->root;

		if (parent >= i && metric->level != 1)
			continue; /* of a part of the tree: what is above was not asked for */
		icicle->next[i] = *list;
		*list = i;
		if (is_share(&report->nodes[i]) && metric->level > icicle->levels)
			icicle->levels = metric->level;
	}
}

static double sum_of(const struct icicle *icicle, size_t first)
{
	double sum = 0;

	for (size_t i = first; i != NO_PARENT; i = icicle->next[i])
		sum += is_share(&icicle->report->nodes[i]) ? icicle->report->nodes[i].value : 0;
	return sum;
}

/* Work that retires has a colour of its own. */
static unsigned colour_of(const struct result *node, unsigned next)
{
	return strstr(node->metric->name, "retiring") || strstr(node->metric->name, "Retiring") ? 0 : next;
}

static const char *state_of(const struct icicle *icicle, const struct result *node)
{
	if (node == icicle->report->worst)
		return "worst";
	if (node->is_on_worst_path)
		return "path";
	return node->is_bottleneck || node->over_threshold || !node->has_threshold ? "" : "low";
}

static const char *label_of(const struct icicle *icicle, const struct result *node, double width, struct arena *arena)
{
	const char *mark = node == icicle->report->worst ? "▶ " : node->is_bottleneck ? "! " : "";
	const char *whole = arena_printf(arena, "%s%s %s %%", mark, node->metric->title,
					 human_value(arena, node->metric, node->value));
	size_t room = width > 2 * LETTER ? (size_t)((width - LETTER) / LETTER) : 0, cells = cells_width(whole);

	if (cells <= room)
		return whole;
	return room < LEAST_LETTERS
		       ? ""
		       : cells_cut(arena, arena_printf(arena, "%s%s", mark, node->metric->title), room, true);
}

static void draw_node(FILE *out, const struct icicle *icicle, const struct result *node, const struct box *box,
		      struct arena *arena)
{
	const char *label = label_of(icicle, node, box->width, arena);
	double y = ROW * box->depth;

	fprintf(out, "<a href=\"#%s\" tabindex=\"-1\" class=\"k%u %s\"><title>",
		page_row_id(icicle->set, icicle->report, node->metric, arena), box->colour, state_of(icicle, node));
	html_text(out,
		  arena_printf(arena, "%s: %s %s%s", node->metric->path, human_value(arena, node->metric, node->value),
			       human_unit(arena, node->metric),
			       node == icicle->report->worst ? ", the worst bottleneck"
			       : node->is_on_worst_path	     ? ", a bottleneck on the worst path"
			       : node->is_bottleneck	     ? ", a bottleneck"
							     : ""),
		  arena);
	fprintf(out, "</title><rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"/>", box->x + 0.5, y + 1,
		fmax(box->width - 1, 0.3), ROW - 2);
	if (*label) {
		fprintf(out, "<text x=\"%.2f\" y=\"%.1f\">", box->x + 5, y + ROW * 0.62);
		html_text(out, label, arena);
		fputs("</text>", out);
	}
	fputs("</a>\n", out);
}

/* Those below one node share its width. Where they come to more, as shares of other things can, all shrink. */
static void draw_children(FILE *out, const struct icicle *icicle, size_t first, const struct box *above,
			  struct arena *arena)
{
	double sum = sum_of(icicle, first), unit = fmin(WIDTH / 100, sum > 0 ? above->width / sum : 0);
	struct box box = *above;
	unsigned colour = 0;

	for (size_t i = first; i != NO_PARENT; i = icicle->next[i]) {
		const struct result *node = &icicle->report->nodes[i];

		if (!is_share(node))
			continue;
		box.width = unit * node->value;
		if (!box.depth)
			box.colour = colour_of(node, colour + 1);
		colour = (colour + (box.colour != 0)) % (COLOURS - 1);
		if (box.width >= LEAST) {
			draw_node(out, icicle, node, &box, arena);
			draw_children(out, icicle, icicle->first[i],
				      &(struct box){ box.x, box.width, box.depth + 1, box.colour }, arena);
		}
		box.x += box.width;
	}
}

static void draw(FILE *out, const void *what, struct arena *arena)
{
	const struct icicle *icicle = what;
	const struct box all = { .width = WIDTH };

	fprintf(out,
		"<div class=\"wide\"><svg class=\"icicle\" viewBox=\"0 0 %.0f %.0f\" role=\"group\" aria-label=\"Boxes "
		"of the nodes\">\n",
		WIDTH, ROW * icicle->levels);
	draw_children(out, icicle, icicle->root, &all, arena);
	fputs("</svg></div>\n", out);
}

static bool has_other_domains(const struct report *report)
{
	for (size_t i = 0; i < report->nnodes; i++)
		if (is_share(&report->nodes[i]) && strcmp(report->nodes[i].metric->domain, "Slots") != 0)
			return true;
	return false;
}

void page_icicle(struct document *doc, const struct report_set *set, const struct report *report)
{
	struct icicle *icicle = arena_alloc(doc->arena, sizeof(*icicle));
	struct picture *picture = arena_alloc(doc->arena, sizeof(*picture));

	*icicle = (struct icicle){ .set = set, .report = report };
	link_nodes(icicle, doc->arena);
	if (icicle->root == NO_PARENT || !(sum_of(icicle, icicle->root) > 0))
		return;
	*picture = (struct picture){
		.title = has_other_domains(report)
				 ? "Each row is a level; a node is as wide as its share. Shares of other things than "
				   "slots are shrunk into their parent. ▶ is the worst, ! a bottleneck."
				 : "Each row is a level; a node is as wide as its share of the slots. ▶ is the worst, "
				   "! a "
				   "bottleneck.",
		.spoken = arena_printf(doc->arena, "The tree as a picture. %s The table has all of it.",
				       page_verdict(report, doc->arena)),
		.draw = draw,
		.what = icicle,
	};
	doc_add(doc, (struct block){ .kind = BLOCK_PICTURE, .picture = picture });
}
