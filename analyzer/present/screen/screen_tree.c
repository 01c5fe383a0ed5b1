/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen_tree.c - what all rows of a tree share, and what its marks mean: said once, in a line below it. */
#include <string.h>

#include "common/base/text.h"
#include "present/document/human.h"
#include "present/report/report_fields.h"
#include "present/screen/screen.h"

/* The unit of all nodes that are shown; NULL: they have several, or no value. */
const char *screen_common_unit(const struct screen_tree *tree, struct arena *arena)
{
	const char *unit = NULL;

	for (size_t i = 0; i < tree->report->nnodes; i++) {
		const struct result *node = &tree->report->nodes[i];
		const char *own = human_unit(arena, node->metric);

		if (!tree->shown[i] || !is_measured(node))
			continue;
		if (unit && strcmp(unit, own) != 0)
			return NULL;
		unit = own;
	}
	return unit;
}

/* How good all of them are: "exact", "runs", "scaled 94%"; NULL: some better than others. */
const char *screen_common_quality(const struct screen_tree *tree, struct arena *arena)
{
	const char *quality = NULL;

	for (size_t i = 0; i < tree->report->nnodes; i++) {
		const struct result *node = &tree->report->nodes[i];
		const char *own = result_quality(arena, node);

		if (!tree->shown[i] || !is_measured(node))
			continue;
		if (quality && strcmp(quality, own) != 0)
			return NULL;
		quality = own;
	}
	return quality;
}

static void add_key_part(struct string *text, const char *part)
{
	string_printf(text, "%s%s", text->length ? "; " : "", part);
}

/* "% of slots, exact" */
static void add_shared(struct string *text, const struct screen_tree *tree)
{
	const char *unit = screen_common_unit(tree, text->arena), *quality = screen_common_quality(tree, text->arena);

	if (unit && has_name_prefix(unit, "% ") && unit[2])
		unit = arena_printf(text->arena, "%% of %s", unit + 2);
	if (unit && quality)
		add_key_part(text, arena_printf(text->arena, "%s, %s", unit, quality));
	else if (unit || quality)
		add_key_part(text, unit ? unit : quality);
}

/* What the mark means, or that there is none. */
static void add_marks(struct string *text, const struct screen_tree *tree)
{
	const struct report *report = tree->report;
	const char *whose = report->model->own_thresholds ? "topdown's" : "the vendor's";
	bool is_any_judged = false, is_any_marked = false;

	for (size_t i = 0; i < report->nnodes; i++) {
		is_any_judged |= is_measured(&report->nodes[i]) && report->nodes[i].has_threshold;
		is_any_marked |= report->nodes[i].is_bottleneck;
	}
	if (is_any_marked)
		add_key_part(text, arena_printf(text->arena, "! over %s thresholds", whose));
	else if (is_any_judged && !tree->has_unjudged)
		add_key_part(text, arena_printf(text->arena, "none over %s thresholds", whose));
}

static void add_hidden_nodes(struct string *text, const struct screen_tree *tree)
{
	size_t all = tree->hidden_below + tree->hidden_unmeasured;

	if (!all)
		return;
	add_key_part(text, arena_printf(text->arena, "%zu more node%s", all, all == 1 ? "" : "s"));
	if (tree->hidden_unmeasured)
		string_printf(text, ", %zu not measured", tree->hidden_unmeasured);
	string_add(text, ": -v");
}

void screen_tree_key(struct document *doc, const struct screen_tree *tree)
{
	const struct summary *summary = &tree->report->summary;
	struct string text = STRING_INIT(doc->arena);

	add_shared(&text, tree);
	if (summary->is_sampled) /* how much was modelled in detail, -v says */
		add_key_part(&text, arena_printf(doc->arena, "%s 95 %%", plus_minus(doc)));
	add_marks(&text, tree);
	if (tree->has_unjudged)
		add_key_part(&text, "? perhaps: a node above was not measured");
	add_hidden_nodes(&text, tree);
	if (text.length)
		doc_sentence(doc, text.text);
	if (summary->repeats > 1)
		doc_sentence(doc, arena_printf(doc->arena, "%s 95 %% interval of the mean of %zu repeats",
					       plus_minus(doc), summary->repeats));
}
