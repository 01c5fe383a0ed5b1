/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_icicle.c - a report's tree as a picture. */
#include <string.h>

#include "present/document/human.h"
#include "present/plot/icicle.h"
#include "present/report/report_page.h"
#include "present/report/report_sections.h"

#define WIDTH 1000.0

static const char *look_of(const struct report *report, const struct result *node)
{
	if (node == report->worst)
		return "worst";
	if (node->is_on_worst_path)
		return "path";
	return node->is_bottleneck || node->over_threshold || !node->has_threshold ? "" : "low";
}

static const char *said_of(const struct report *report, const struct result *node, struct arena *arena)
{
	return arena_printf(arena, "%s: %s %s%s", node->metric->path, human_value(arena, node->metric, node->value),
			    human_unit(arena, node->metric),
			    node == report->worst    ? ", the worst bottleneck"
			    : node->is_on_worst_path ? ", a bottleneck on the worst path"
			    : node->is_bottleneck    ? ", a bottleneck"
						     : "");
}

static size_t page_icicle_number_of(const struct report *report, size_t metric)
{
	for (size_t i = 0; i < report->nnodes; i++)
		if (report->nodes[i].metric == &report->model->metrics[metric])
			return i;
	return NO_PARENT;
}

/* In the order of the model. Of a part of the tree, what is above was not asked for: then level 1 is drawn alone. */
static struct icicle icicle_of(const struct report_set *set, const struct report *report, struct arena *arena)
{
	struct icicle_node *nodes = arena_array(arena, report->nnodes + 1, sizeof(*nodes));

	for (size_t i = 0; i < report->nnodes; i++) {
		const struct result *node = &report->nodes[i];
		size_t parent = node->metric->parent < report->model->count
					? page_icicle_number_of(report, node->metric->parent)
					: NO_PARENT;
		bool is_drawn = is_measured(node) && (parent < i || node->metric->level == 1);

		nodes[i] = (struct icicle_node){
			.metric = node->metric,
			.parent = parent < i ? parent : NO_PARENT,
			.share = is_drawn ? node->value : 0,
			.mark = node == report->worst ? "▶ "
				: node->is_bottleneck ? "! "
						      : "",
			.look = look_of(report, node),
			.said = said_of(report, node, arena),
			.row_id = page_row_id(set, report, node->metric, arena),
		};
	}
	return (struct icicle){
		.nodes = nodes, .count = report->nnodes, .width = WIDTH, .spoken = "Boxes of the nodes"
	};
}

static bool has_other_domains(const struct report *report)
{
	for (size_t i = 0; i < report->nnodes; i++) {
		const struct result *node = &report->nodes[i];

		if (is_measured(node) && node->value > 0 && !strcmp(node->metric->unit, "%") &&
		    strcmp(node->metric->domain, "Slots") != 0)
			return true;
	}
	return false;
}

static void page_icicle_draw(FILE *out, const void *what, struct arena *arena)
{
	icicle_draw(out, what, arena);
}

void page_icicle(struct document *doc, const struct report_set *set, const struct report *report)
{
	struct icicle *icicle = arena_alloc(doc->arena, sizeof(*icicle));
	struct picture *picture = arena_alloc(doc->arena, sizeof(*picture));

	*icicle = icicle_of(set, report, doc->arena);
	if (!icicle_has_any(icicle))
		return;
	icicles_fit(icicle, 1, doc->arena);
	*picture = (struct picture){
		.title = has_other_domains(report)
				 ? "Each row is a level; a node is as wide as its share. Shares of other things than "
				   "slots are shrunk into their parent. ▶ is the worst, ! a bottleneck."
				 : "Each row is a level; a node is as wide as its share of the slots. ▶ is the worst, "
				   "! a "
				   "bottleneck.",
		.spoken = arena_printf(doc->arena, "The tree as a picture. %s The table has all of it.",
				       report_verdict(set, report, doc->arena)),
		.draw = page_icicle_draw,
		.what = icicle,
	};
	doc_add(doc, (struct block){ .kind = BLOCK_PICTURE, .picture = picture });
}
