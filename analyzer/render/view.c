/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/view.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "render/human.h"

bool is_measured(const struct result *result)
{
	return result->quality != QUALITY_NONE && isfinite(result->value);
}

bool is_faint(const struct result *result)
{
	return !is_measured(result) || (result->has_threshold && !result->over_threshold && !result->is_unjudged);
}

const char *view_mark(const struct page *page, const struct result *result)
{
	if (!is_measured(result) || result->quality == QUALITY_EXACT)
		return "";
	if (result->quality != QUALITY_SCALED || !isfinite(result->running))
		return quality_name(result->quality);
	return arena_printf(page->arena, "%s %.0f%%", quality_name(result->quality), result->running * 100);
}

const char *view_asked(const struct page *page, const struct select_request *asked)
{
	const struct {
		const char *option, *list;
	} lists[] = { { "--nodes", asked->nodes }, { "--groups", asked->groups }, { "--metrics", asked->metrics } };
	struct string text = STRING_INIT(page->arena);

	for (size_t i = 0; i < COUNT_OF(lists); i++)
		if (lists[i].list)
			string_printf(&text, "%s%s '%s'", text.length ? " " : "", lists[i].option, lists[i].list);
	if (text.length && asked->level)
		string_printf(&text, " -l%u", asked->level);
	return text.text;
}

const char *view_failed(const struct page *page, const struct report *report, size_t first, bool *told)
{
	const char *reason = report->metrics[first].metric->failure;
	struct string text = STRING_INIT(page->arena);

	for (size_t i = first; i < report->nmetrics; i++) {
		const struct metric *metric = report->metrics[i].metric;

		if (told[i] || !metric->failure || strcmp(metric->failure, reason) != 0)
			continue;
		string_printf(&text, "%s%s", text.length ? ", " : "", metric->title);
		told[i] = true;
	}
	return arena_printf(page->arena, "Not here, %s: %s", reason, text.text);
}

const char *view_sampling(const struct page *page, const struct report *report)
{
	const struct summary *summary = &report->summary;

	return arena_printf(page->arena, "%s %% of the instructions modelled in detail, in %zu window%s",
			    human_fixed(page->arena, 100 * summary->modelled, 1), summary->windows,
			    summary->windows == 1 ? "" : "s");
}

const char *view_spread(const struct page *page, const struct result *result)
{
	if (!is_measured(result) || result->spread.n < 2)
		return "";
	return arena_printf(page->arena, "%s%s", plus_minus(page),
			    human_value(page->arena, result->metric, result->spread.ci95));
}

const char *view_figure_spread(const struct page *page, const struct summary *summary, enum figure figure)
{
	const struct statistics *spread = &summary->spread[figure];

	if (spread->n < 2 || !isfinite(spread->ci95 / spread->mean))
		return "";
	return arena_printf(page->arena, " %s%s %%", plus_minus(page),
			    human_fixed(page->arena, 100 * spread->ci95 / spread->mean, 1));
}

const char *view_anchor(const struct page *page, const struct report *report)
{
	const struct anchoring *anchor = report->anchor;
	struct arena *arena = page->arena;

	if (!anchor)
		return "";
	if (anchor->reason)
		return arena_printf(arena, "not compared with a native run: %s", anchor->reason);
	return arena_printf(arena, "%s cycles modelled%s, %s measured natively (%s of user time at %s GHz): ratio %s",
			    human_count(arena, anchor->modelled), anchor->is_of_more ? " in all threads" : "",
			    human_count(arena, anchor->measured), human_seconds(arena, anchor->user_s),
			    human_fixed(arena, anchor->hz / 1e9, 2), human_fixed(arena, anchor->ratio, 2));
}

const char *view_anchor_warning(const struct page *page, const struct report *report)
{
	const struct anchoring *anchor = report->anchor;

	if (!anchor || !anchor->is_far)
		return "";
	return arena_printf(
		page->arena,
		"The model is off: it gives %s the cycles that a native run took. What the tree says holds "
		"for the model, and less for this machine; docs/SIMULATED.md has what is not modelled.",
		anchor->ratio > 1
			? arena_printf(page->arena, "%s times", human_fixed(page->arena, anchor->ratio, 2))
			: arena_printf(page->arena, "%s %% of", human_fixed(page->arena, anchor->ratio * 100, 0)));
}

bool is_in_group(const struct metric *metric, const char *group)
{
	return has_word(metric->groups, ";", group);
}

struct tree_lines {
	const char *fork, *corner, *bar, *blank;
};

struct builder {
	struct view *view;
	const struct report *report;
	const struct page *page;
	const struct tree_lines *lines;
	size_t *parents; /* number of the parent among report->nodes, or NO_PARENT */
	bool *shown;
};

/* Numbers of the model become numbers of the report; a parent that is not before its child counts as missing. */
static void find_parents(struct builder *builder)
{
	const struct report *report = builder->report;
	const struct model *model = report->model;
	size_t *number = arena_array(builder->page->arena, model->count, sizeof(*number));

	for (size_t i = 0; i < report->nnodes; i++) {
		size_t own = (size_t)(report->nodes[i].metric - model->metrics), parent = model->metrics[own].parent;
		bool is_known = parent < own && number[parent];

		builder->parents[i] = is_known ? number[parent] - 1 : NO_PARENT;
		number[own] = i + 1;
	}
}

/* Ancestors of what is shown are shown; parents come before their children, so one pass from the end finds them all. */
static void choose(struct builder *builder)
{
	const struct report *report = builder->report;

	for (size_t i = report->nnodes; i-- > 0;) {
		const struct result *node = &report->nodes[i];

		builder->shown[i] |= builder->page->style->is_verbose || node->metric->level <= 1 ||
				     node->over_threshold || node->is_unjudged || node->is_named ||
				     builder->parents[i] == NO_PARENT;
		if (builder->shown[i] && builder->parents[i] != NO_PARENT)
			builder->shown[builder->parents[i]] = true;
		builder->view->has_unjudged |= builder->shown[i] && node->is_unjudged;
		if (!builder->shown[i] && is_measured(node))
			builder->view->hidden_below++;
		else if (!builder->shown[i])
			builder->view->hidden_unmeasured++;
	}
}

/* The next shown child of parent from number i on, or nnodes. */
static size_t next_child(const struct builder *builder, size_t parent, size_t i)
{
	while (i < builder->report->nnodes && !(builder->shown[i] && builder->parents[i] == parent))
		i++;
	return i;
}

static void add_children(struct builder *builder, size_t parent, const char *before, size_t depth)
{
	const struct tree_lines *lines = builder->lines;
	struct arena *arena = builder->page->arena;
	size_t end = builder->report->nnodes, next;

	for (size_t i = next_child(builder, parent, 0); i < end; i = next) {
		bool has_children = next_child(builder, i, i + 1) < end;
		struct view_row *row = &builder->view->rows[builder->view->count++];
		const char *stem = "", *below = "";

		next = next_child(builder, parent, i + 1);
		if (depth) {
			stem = next < end ? lines->fork : lines->corner;
			below = next < end ? lines->bar : lines->blank;
		}
		below = arena_printf(arena, "%s%s", before, below);
		*row = (struct view_row){
			.node = &builder->report->nodes[i],
			.depth = depth,
			.stem = arena_printf(arena, "%s%s", before, stem),
			.trail = arena_printf(arena, "%s%s", below, has_children ? lines->bar : lines->blank),
		};
		add_children(builder, i, below, depth + 1);
	}
}

void view_build(struct view *view, const struct report *report, const struct page *page)
{
	static const struct tree_lines ascii = { "+- ", "`- ", "|  ", "   " }, utf8 = { "├─ ", "└─ ", "│  ", "   " };
	struct builder builder = {
		.view = view,
		.report = report,
		.page = page,
		.lines = page->style->has_utf8 ? &utf8 : &ascii,
		.parents = arena_array(page->arena, report->nnodes, sizeof(size_t)),
		.shown = arena_array(page->arena, report->nnodes, sizeof(bool)),
	};

	*view = (struct view){ .rows = arena_array(page->arena, report->nnodes, sizeof(*view->rows)) };
	find_parents(&builder);
	choose(&builder);
	add_children(&builder, NO_PARENT, "", 0);
}
