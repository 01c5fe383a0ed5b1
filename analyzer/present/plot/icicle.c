/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/plot/icicle.h"

#include <math.h>
#include <string.h>

#include "common/base/cells.h"
#include "common/base/text.h"
#include "present/document/html.h"
#include "present/document/human.h"

#define ROW	      34.0
#define LEAST	      0.6 /* of a node's width; a thinner one cannot be seen */
#define LETTER	      6.4 /* what one takes of the width, about */
#define LEAST_LETTERS 4
#define COLOURS	      6 /* page.css has so many: k0 ... k5 */

struct box {
	double x, width;
	unsigned depth, colour;
};

/* An icicle while it is drawn. */
struct drawing {
	FILE *out;
	const struct icicle *icicle;
	struct arena *arena;
};

static bool is_shown(const struct icicle_node *node)
{
	return node->share > 0 && !strcmp(node->metric->unit, "%");
}

static double sum_below(const struct icicle *icicle, size_t parent)
{
	double sum = 0;

	for (size_t i = 0; i < icicle->count; i++)
		if (icicle->nodes[i].parent == parent && is_shown(&icicle->nodes[i]))
			sum += icicle->nodes[i].share;
	return sum;
}

bool icicle_has_any(const struct icicle *icicle)
{
	return sum_below(icicle, NO_PARENT) > 0;
}

/* ---- the scale ---- */

static double width_of(const struct icicle *icicle, size_t node)
{
	size_t parent = icicle->nodes[node].parent;

	return is_shown(&icicle->nodes[node])
		       ? icicle->units[parent == NO_PARENT ? icicle->count : parent] * icicle->nodes[node].share
		       : 0;
}

/* Those below one node share its width. Where they come to more, as shares of other things can, all shrink. */
static void fit(struct icicle *icicles, size_t count, size_t parent)
{
	size_t at = parent == NO_PARENT ? icicles->count : parent;
	double unit = icicles->width / 100;

	for (size_t i = 0; i < count; i++) {
		double sum = sum_below(&icicles[i], parent);
		double room = parent == NO_PARENT ? icicles[i].width : width_of(&icicles[i], parent);

		/* what has no box of its own gives those below none either, and says nothing about the others */
		if (sum > 0 && room > 0)
			unit = fmin(unit, room / sum);
	}
	for (size_t i = 0; i < count; i++)
		icicles[i].units[at] = unit;
}

void icicles_fit(struct icicle *icicles, size_t count, struct arena *arena)
{
	for (size_t i = 0; i < count; i++)
		icicles[i].units = arena_array(arena, icicles[i].count + 1, sizeof(double));
	fit(icicles, count, NO_PARENT);
	for (size_t i = 0; i < icicles->count; i++)
		fit(icicles, count, i);
}

/* ---- the drawing ---- */

static size_t letters(double width)
{
	return width > 2 * LETTER ? (size_t)((width - LETTER) / LETTER) : 0;
}

static const char *label_of(const struct icicle_node *node, double width, struct arena *arena)
{
	const char *whole = arena_printf(arena, "%s%s %s %%", node->mark, node->metric->title,
					 human_value(arena, node->metric, node->share));
	size_t room = letters(width);

	if (cells_width(whole) <= room)
		return whole;
	return room < LEAST_LETTERS
		       ? ""
		       : cells_cut(arena, arena_printf(arena, "%s%s", node->mark, node->metric->title), room, true);
}

static void put_line(const struct drawing *drawing, const struct box *box, double part, const char *text)
{
	fprintf(drawing->out, "<text x=\"%.2f\" y=\"%.1f\">", box->x + 5, ROW * (box->depth + part));
	html_text(drawing->out, text, drawing->arena);
	fputs("</text>", drawing->out);
}

static void draw_node(const struct drawing *drawing, const struct icicle_node *node, const struct box *box)
{
	const char *label = label_of(node, box->width, drawing->arena);
	bool has_second = *label && node->below && cells_width(node->below) <= letters(box->width);

	fprintf(drawing->out, "<a href=\"#%s\" tabindex=\"-1\" class=\"k%u %s\"><title>", node->row_id, box->colour,
		node->look);
	html_text(drawing->out, node->said, drawing->arena);
	fprintf(drawing->out, "</title><rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"/>", box->x + 0.5,
		ROW * box->depth + 1, fmax(box->width - 1, 0.3), ROW - 2);
	if (*label)
		put_line(drawing, box, has_second ? 0.42 : 0.62, label);
	if (has_second)
		put_line(drawing, box, 0.82, node->below);
	fputs("</a>\n", drawing->out);
}

/* Work that retires has a colour of its own. */
static unsigned colour_of(const struct icicle_node *node, unsigned next)
{
	return strstr(node->metric->name, "retiring") || strstr(node->metric->name, "Retiring") ? 0 : next;
}

static void draw_children(const struct drawing *drawing, size_t parent, const struct box *above)
{
	const struct icicle *icicle = drawing->icicle;
	struct box box = *above;
	unsigned colour = 0;

	for (size_t i = parent == NO_PARENT ? 0 : parent + 1; i < icicle->count; i++) {
		if (icicle->nodes[i].parent != parent)
			continue;
		if (!box.depth)
			box.colour = colour_of(&icicle->nodes[i], colour + 1);
		colour = (colour + (box.colour != 0)) % (COLOURS - 1);
		box.width = width_of(icicle, i);
		if (box.width >= LEAST) {
			draw_node(drawing, &icicle->nodes[i], &box);
			draw_children(drawing, i, &(struct box){ box.x, box.width, box.depth + 1, box.colour });
		}
		box.x += box.width;
	}
}

static unsigned depth_of(const struct icicle *icicle)
{
	unsigned deepest = 0;

	for (size_t i = 0; i < icicle->count; i++) {
		unsigned depth = 1;

		for (size_t up = icicle->nodes[i].parent; up != NO_PARENT; up = icicle->nodes[up].parent)
			depth++;
		if (width_of(icicle, i) >= LEAST && depth > deepest)
			deepest = depth;
	}
	return deepest;
}

void icicle_draw(FILE *out, const struct icicle *icicle, struct arena *arena)
{
	const struct drawing drawing = { out, icicle, arena };

	fprintf(out, "<div class=\"wide\"><svg class=\"icicle\" viewBox=\"0 0 %.0f %.0f\" role=\"group\" aria-label=\"",
		icicle->width, ROW * depth_of(icicle));
	html_text(out, icicle->spoken, arena);
	fputs("\">\n", out);
	draw_children(&drawing, NO_PARENT, &(struct box){ .width = icicle->width });
	fputs("</svg></div>\n", out);
}
