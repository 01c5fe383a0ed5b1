/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_trees.c - both trees of a comparison side by side, as pictures on one scale; what changed is marked. */
#include <math.h>

#include "present/compare/comparison_fields.h"
#include "present/document/html.h"
#include "present/document/human.h"
#include "present/plot/icicle.h"

#define WIDTH 600.0 /* of each */

enum { BEFORE, AFTER, SIDES };

struct both {
	struct icicle sides[SIDES];
	const char *labels[SIDES];
};

const char *comparison_row_id(const struct comparison *comparison, const struct compared_node *node,
			      struct arena *arena)
{
	return arena_printf(arena, "node-%zu", (size_t)(node - comparison->nodes));
}

/* ---- what changed ---- */

/* Smaller ones are not marked, so that those are seen which matter. */
#define LEAST_MARKED 0.005 /* of the cycles before */

enum changed { CHANGED_UNKNOWN, CHANGED_NOT, CHANGED_LITTLE, CHANGED_MORE, CHANGED_LESS };

static enum changed changed_of(const struct comparison *comparison, const struct compared_node *node)
{
	const struct estimate *cycles = &node->cycles;

	if (!isfinite(cycles->low) || !isfinite(cycles->high))
		return CHANGED_UNKNOWN;
	if (cycles->low <= 0 && cycles->high >= 0)
		return CHANGED_NOT;
	if (fabs(cycles->value) < LEAST_MARKED * comparison->cycles_before)
		return CHANGED_LITTLE;
	return cycles->low > 0 ? CHANGED_MORE : CHANGED_LESS;
}

static bool comparison_trees_has_any(const struct comparison *comparison, enum changed changed)
{
	for (size_t i = 0; i < comparison->nnodes; i++)
		if (changed_of(comparison, &comparison->nodes[i]) == changed)
			return true;
	return false;
}

/* "+1.2 M to +1.4 M cycles", "+1.3 M cycles" where there is no chance in it. */
static const char *cycles_text(const struct compared_node *node, struct arena *arena)
{
	const char *spread = comparison_spread(&node->cycles, arena);

	return arena_printf(arena, "%s cycles", *spread ? spread : human_difference(arena, node->cycles.value));
}

/* ---- the nodes ---- */

/* The nearest one above it that both sides have. */
static size_t comparison_trees_parent_of(const struct comparison *comparison, size_t node)
{
	const struct model *model = comparison->request->after.report->model;

	for (size_t up = comparison->nodes[node].metric->parent; up < model->count; up = model->metrics[up].parent)
		for (size_t i = 0; i < node; i++)
			if (comparison->nodes[i].metric == &model->metrics[up])
				return i;
	return NO_PARENT;
}

static const char *said_of(const struct comparison *comparison, const struct compared_node *node, struct arena *arena)
{
	static const char *const words[] = { [CHANGED_UNKNOWN] = "",
					     [CHANGED_NOT] = ", may be chance",
					     [CHANGED_LITTLE] = "",
					     [CHANGED_MORE] = ", more than before",
					     [CHANGED_LESS] = ", less than before" };
	const char *shares = arena_printf(arena, "%s: before %s %%, after %s %%", node->metric->path,
					  human_value(arena, node->metric, node->before),
					  human_value(arena, node->metric, node->after));

	if (isnan(node->cycles.value))
		return shares;
	return arena_printf(arena, "%s: %s%s", shares, cycles_text(node, arena), words[changed_of(comparison, node)]);
}

static struct icicle_node *nodes_of(const struct comparison *comparison, unsigned side, struct arena *arena)
{
	static const char *const marks[] = { [CHANGED_MORE] = "▲ ", [CHANGED_LESS] = "▼ " };
	static const char *const looks[] = { [CHANGED_UNKNOWN] = "",
					     [CHANGED_NOT] = "low",
					     [CHANGED_LITTLE] = "low",
					     [CHANGED_MORE] = "more",
					     [CHANGED_LESS] = "less" };
	struct icicle_node *nodes = arena_array(arena, comparison->nnodes + 1, sizeof(*nodes));

	for (size_t i = 0; i < comparison->nnodes; i++) {
		const struct compared_node *node = &comparison->nodes[i];
		enum changed changed = changed_of(comparison, node);
		bool has_changed = changed == CHANGED_MORE || changed == CHANGED_LESS;
		size_t parent = comparison_trees_parent_of(comparison, i);
		bool is_placed = parent != NO_PARENT || node->metric->level == 1;

		nodes[i] = (struct icicle_node){
			.metric = node->metric,
			.parent = parent,
			.share = !is_placed	  ? 0
				 : side == BEFORE ? node->before
						  : node->after,
			.mark = has_changed ? marks[changed] : "",
			.look = looks[changed],
			.said = said_of(comparison, node, arena),
			.below = has_changed && side == AFTER ? cycles_text(node, arena) : NULL,
			.row_id = comparison_row_id(comparison, node, arena),
		};
	}
	return nodes;
}

/* ---- the picture ---- */

static void comparison_trees_draw(FILE *out, const void *what, struct arena *arena)
{
	static const char *const words[SIDES] = { "Before", "After" };
	const struct both *both = what;

	fputs("<div class=\"pair\">\n", out);
	for (unsigned i = 0; i < SIDES; i++) {
		fprintf(out, "<div><p class=\"name\">%s: <code>", words[i]);
		html_text(out, both->labels[i], arena);
		fputs("</code></p>\n", out);
		icicle_draw(out, &both->sides[i], arena);
		fputs("</div>\n", out);
	}
	fputs("</div>\n", out);
}

static const char *marks_text(const struct comparison *comparison)
{
	if (comparison->is_exact)
		return "▲ marks what takes more cycles after the change and ▼ what takes fewer, by 0.5 % of all or "
		       "more.";
	if (comparison_trees_has_any(comparison, CHANGED_MORE) || comparison_trees_has_any(comparison, CHANGED_LESS))
		return "▲ marks what surely takes more cycles after the change and ▼ what takes fewer, by 0.5 % of "
		       "all or more, with the interval of the difference.";
	if (comparison_trees_has_any(comparison, CHANGED_NOT) || comparison_trees_has_any(comparison, CHANGED_LITTLE))
		return "Nothing is marked: no difference is surely 0.5 % of all cycles or more.";
	return comparison->pairs > 1 ? "Nothing is marked: no interval is known."
				     : "Nothing is marked: one measurement of each side has no interval.";
}

void comparison_trees(struct document *doc, const struct comparison *comparison)
{
	struct both *both = arena_alloc(doc->arena, sizeof(*both));
	struct picture *picture = arena_alloc(doc->arena, sizeof(*picture));
	bool is_scaled = comparison->cycles_before > 0 && comparison->cycles_after > 0;

	*both = (struct both){ .labels = { comparison->request->before.label, comparison->request->after.label } };
	for (unsigned i = 0; i < SIDES; i++)
		both->sides[i] = (struct icicle){
			.nodes = nodes_of(comparison, i, doc->arena),
			.count = comparison->nnodes,
			.width = WIDTH,
			.whole = is_scaled ? i == BEFORE ? comparison->cycles_before : comparison->cycles_after : 0,
			.spoken = i == BEFORE ? "Boxes of the nodes before" : "Boxes of the nodes after",
		};
	if (!icicle_has_any(&both->sides[BEFORE]) && !icicle_has_any(&both->sides[AFTER]))
		return;
	icicles_fit(both->sides, SIDES, doc->arena);
	*picture = (struct picture){
		.title = arena_printf(doc->arena,
				      "Each row is a level; a node is as wide as its %s, in both on the same scale. %s",
				      is_scaled ? "cycles" : "share", marks_text(comparison)),
		.spoken = "Both trees as pictures, before and after. The table has all of it.",
		.draw = comparison_trees_draw,
		.what = both,
	};
	doc_add(doc, (struct block){ .kind = BLOCK_PICTURE, .picture = picture });
}
