/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/plot/icicle.h"

#include <math.h>
#include <string.h>

#include "common/base/cells.h"
#include "common/base/text.h"
#include "present/document/html.h"
#include "present/document/hue.h"
#include "present/document/human.h"

#define LEAST 0.6 /* of a node's width; a thinner one cannot be seen */

static const struct boxes_look look = { .row = 34,
					.height = 32,
					.inset = 0.5,
					.letter = 6.4,
					.text = 5,
					.room = 6.4,
					.line = 21.08,
					.lift = 6.8,
					.least = 4 };

static bool is_shown(const struct icicle_node *node)
{
	return node->share > 0 && !strcmp(node->metric->unit, "%");
}

/* In percent of what is 100 % in the icicle, or in the icicles' common unit. */
static double amount_of(const struct icicle *icicle, size_t node)
{
	return icicle->nodes[node].share * (icicle->whole > 0 ? icicle->whole : 1);
}

static double sum_below(const struct icicle *icicle, size_t parent)
{
	double sum = 0;

	for (size_t i = 0; i < icicle->count; i++)
		if (icicle->nodes[i].parent == parent && is_shown(&icicle->nodes[i]))
			sum += amount_of(icicle, i);
	return sum;
}

bool icicle_has_any(const struct icicle *icicle)
{
	return sum_below(icicle, NO_PARENT) > 0;
}

/* ---- where they stand ---- */

/* The box of a node; of none that of the whole, which stands behind them. */
static struct box *box_of(const struct icicle *icicle, size_t node)
{
	return &icicle->boxes[node == NO_PARENT ? icicle->count : node];
}

/* Those below one node share its width. Where they come to more, as shares of other things can, all shrink. */
static void fit(struct icicle *icicles, size_t count, size_t parent)
{
	double unit = INFINITY;

	for (size_t i = 0; i < count; i++)
		unit = fmin(unit, icicles->width / 100 / (icicles[i].whole > 0 ? icicles[i].whole : 1));
	for (size_t i = 0; i < count; i++) {
		double sum = sum_below(&icicles[i], parent), room = box_of(&icicles[i], parent)->width;

		/* what has no box of its own gives those below none either, and says nothing about the others */
		if (sum > 0 && room > 0)
			unit = fmin(unit, room / sum);
	}
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < icicles[i].count; k++)
			if (icicles[i].nodes[k].parent == parent && is_shown(&icicles[i].nodes[k])) {
				icicles[i].boxes[k].width = unit * amount_of(&icicles[i], k);
				box_put(&icicles[i].boxes[k], box_of(&icicles[i], parent));
			}
}

void icicles_fit(struct icicle *icicles, size_t count, struct arena *arena)
{
	for (size_t i = 0; i < count; i++) {
		icicles[i].boxes = arena_array(arena, icicles[i].count + 1, sizeof(*icicles[i].boxes));
		box_of(&icicles[i], NO_PARENT)->width = icicles[i].width;
	}
	fit(icicles, count, NO_PARENT);
	for (size_t i = 0; i < icicles->count; i++)
		fit(icicles, count, i);
}

/* ---- the drawing ---- */

static bool is_drawn(const struct icicle *icicle, size_t node)
{
	return icicle->boxes[node].width >= LEAST;
}

static void draw_node(const struct boxes_page *page, const struct icicle_node *node, const struct box *box,
		      enum hue hue)
{
	struct arena *arena = page->arena;
	const char *title = arena_printf(arena, "%s%s", node->mark, node->metric->title);
	const char *value = human_value(arena, node->metric, node->share);

	box_draw(page, box,
		 &(struct box_words){ .name = cells_safe(arena, arena_printf(arena, "%s %% %s", value, title), true),
				      .brief = cells_safe(arena, value, true),
				      .below = node->below ? cells_safe(arena, node->below, true) : NULL,
				      .said = cells_safe(arena, node->said, true),
				      .class = arena_printf(arena, "k-%s %s", hue_class(hue), node->look),
				      .link = node->row_id });
}

/* Each has the colour of what it is in on level 1. */
static void draw_nodes(const struct boxes_page *page, const struct icicle *icicle)
{
	enum hue *hues = arena_array(page->arena, icicle->count + 1, sizeof(*hues));

	for (size_t i = 0; i < icicle->count; i++) {
		const struct icicle_node *node = &icicle->nodes[i];

		hues[i] = node->parent != NO_PARENT ? hues[node->parent] : hue_of(node->metric->name);
		if (is_drawn(icicle, i))
			draw_node(page, node, &icicle->boxes[i], hues[i]);
	}
}

void icicle_draw(FILE *out, const struct icicle *icicle, struct arena *arena)
{
	const struct boxes_page page = { out, &look, icicle->width, icicle->width, -look.row, arena };
	uint32_t deepest = 0;

	for (size_t i = 0; i < icicle->count; i++)
		if (is_drawn(icicle, i) && icicle->boxes[i].depth > deepest)
			deepest = icicle->boxes[i].depth;
	fprintf(out, "<div class=\"wide\"><svg class=\"icicle\" viewBox=\"0 0 %.0f %.0f\" role=\"group\" aria-label=\"",
		icicle->width, look.row * deepest);
	html_text(out, icicle->spoken, arena);
	fputs("\">\n", out);
	draw_nodes(&page, icicle);
	fputs("</svg></div>\n", out);
}
