/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/renderers.h"

#include <math.h>
#include <string.h>

#include "render/human.h"
#include "render/view.h"

#define GAP	    2
#define LEAST_TITLE 12
#define LEAST_BAR   8
#define MOST_BAR    25
#define FLAG	    " !"
#define FLAG_OPEN   " ?"
#define WORST_MARK  " <=="

/* Columns of the tree, by the widest text in each. */
struct columns {
	size_t title, value, spread, unit, mark, bar; /* spread: with the blank before it */
};

/* One line of the tree as text. */
struct cells {
	const char *title, *value, *spread, *unit, *mark;
};

static struct cells row_cells(const struct page *page, const struct result *node)
{
	return (struct cells){
		.title = page_safe(page, node->metric->title),
		.value = human_value(page->arena, node->metric, is_measured(node) ? node->value : (double)NAN),
		.spread = view_spread(page, node),
		.unit = page_safe(page, is_measured(node) ? human_unit(page->arena, node->metric) : ""),
		.mark = view_mark(page, node),
	};
}

static void widen(size_t *width, size_t need)
{
	if (*width < need)
		*width = need;
}

/* Titles are cut where the line is full; a bar takes what room is left. */
static struct columns measure(const struct page *page, const struct view *view)
{
	struct columns columns = { .title = LEAST_TITLE, .value = 5 };
	size_t used, room;

	for (size_t i = 0; i < view->count; i++) {
		struct cells cells = row_cells(page, view->rows[i].node);

		widen(&columns.title, cells_width(view->rows[i].stem) + cells_width(cells.title));
		widen(&columns.value, cells_width(cells.value));
		widen(&columns.spread, *cells.spread ? 1 + cells_width(cells.spread) : 0);
		widen(&columns.unit, cells_width(cells.unit));
		widen(&columns.mark, cells_width(cells.mark));
	}
	used = GAP + columns.value + columns.spread + 1 + columns.unit + strlen(FLAG WORST_MARK) +
	       (columns.mark ? GAP + columns.mark : 0);
	room = page->width > used + LEAST_TITLE ? page->width - used : LEAST_TITLE;
	if (columns.title > room)
		columns.title = room;
	room -= columns.title;
	if (page->has_bars && room >= GAP + LEAST_BAR)
		columns.bar = room - GAP > MOST_BAR ? MOST_BAR : room - GAP;
	return columns;
}

static const char *bar_text(const struct page *page, const struct result *node, size_t width)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	struct string bar = STRING_INIT(page->arena);
	double share = fmin(fmax(node->value / 100, 0), 1) * (double)width;
	size_t parts;

	if (strcmp(node->metric->unit, "%") != 0)
		return "";
	parts = (size_t)(page->style->has_utf8 ? share * 8 + 0.5 : floor(share + 0.5) * 8);
	for (size_t i = 0; i < parts / 8; i++)
		string_add(&bar, page->style->has_utf8 ? "█" : "#");
	string_add(&bar, eighths[parts % 8]);
	return bar.text;
}

static size_t title_room(const struct columns *columns, const struct view_row *row)
{
	size_t stem = cells_width(row->stem);

	return columns->title > stem ? columns->title - stem : 1;
}

static enum ink row_ink(const struct report *report, const struct result *node)
{
	if (node == report->worst)
		return INK_WORST;
	if (node->is_on_worst_path)
		return INK_PATH;
	if (is_faint(node))
		return INK_DIM;
	return node->is_bottleneck ? INK_BOLD : INK_PLAIN;
}

static void print_measured(const struct page *page, const struct columns *columns, const struct view_row *row,
			   const struct report *report)
{
	struct cells cells = row_cells(page, row->node);
	enum ink ink = row_ink(report, row->node);
	struct line line = line_init(page);
	size_t room = title_room(columns, row), column = columns->title + GAP + columns->value;

	line_add(&line, INK_PLAIN, row->stem);
	line_add(&line, ink, cells_cut(page->arena, cells.title, room, page->style->has_utf8));
	line_add_right(&line, ink, cells.value, column);
	if (columns->spread) {
		line_add_right(&line, INK_DIM, cells.spread, column + columns->spread);
		line_pad(&line, column += columns->spread);
	}
	line_pad(&line, column + 1);
	line_add(&line, is_faint(row->node) ? INK_DIM : INK_PLAIN, cells.unit);
	line_pad(&line, column += 1 + columns->unit);
	line_add(&line, ink, row->node->is_bottleneck ? FLAG : row->node->is_unjudged ? FLAG_OPEN : "");
	line_pad(&line, column += strlen(FLAG));
	if (columns->mark) {
		line_pad(&line, column + GAP);
		line_add(&line, INK_PLAIN, cells.mark);
		line_pad(&line, column += GAP + columns->mark);
	}
	if (columns->bar) {
		line_pad(&line, column + GAP);
		line_add(&line, ink, bar_text(page, row->node, columns->bar));
		line_pad(&line, column + GAP + columns->bar);
	}
	line_add(&line, ink, row->node == report->worst ? WORST_MARK : "");
	line_print(&line);
}

/* The reason takes the place of all that would follow the value, on as many lines as it needs. */
static void print_unmeasured(const struct page *page, const struct columns *columns, const struct view_row *row)
{
	struct cells cells = row_cells(page, row->node);
	struct line first = line_init(page), rest = line_init(page);
	size_t room = title_room(columns, row), column = columns->title + GAP + columns->value;

	line_add(&first, INK_PLAIN, row->stem);
	line_add(&first, INK_DIM, cells_cut(page->arena, cells.title, room, page->style->has_utf8));
	line_add_right(&first, INK_DIM, cells.value, column);
	line_pad(&first, column + GAP);
	line_add(&rest, INK_PLAIN, row->trail);
	line_pad(&rest, column + GAP);
	page_wrap(page, &(struct indent){ first.text.text, rest.text.text, column + GAP },
		  page_safe(page, row->node->reason ? row->node->reason : "not measured"));
}

static void print_hidden(const struct page *page, const struct view *view)
{
	struct string text = STRING_INIT(page->arena);

	if (view->hidden_below)
		string_printf(&text, "%zu node%s below %s threshold", view->hidden_below,
			      view->hidden_below == 1 ? "" : "s", view->hidden_below == 1 ? "its" : "their");
	if (view->hidden_unmeasured)
		string_printf(&text, "%s%zu not measured", text.length ? ", " : "", view->hidden_unmeasured);
	if (text.length)
		page_sentence(page, arena_printf(page->arena, "%s: -v shows %s", text.text,
						 view->hidden_below + view->hidden_unmeasured == 1 ? "it" : "them"));
}

/* One line that says what the tree comes to, where the marks in it do not. */
static void print_verdict(const struct page *page, const struct report *report, const struct view *view)
{
	bool is_any_measured = false, is_any_judged = false, is_all_measured = true, is_any_over = view->has_unjudged;

	for (size_t i = 0; i < report->nnodes; i++) {
		is_any_measured |= is_measured(&report->nodes[i]);
		is_all_measured &= is_measured(&report->nodes[i]);
		is_any_judged |= is_measured(&report->nodes[i]) && report->nodes[i].has_threshold;
		is_any_over |= report->nodes[i].over_threshold;
	}
	if (!is_any_measured)
		page_sentence(page, "No node was measured.");
	else if (is_any_judged && !is_any_over)
		page_sentence(page, !is_all_measured		   ? "No node that was measured is over its threshold."
				    : is_selecting(&report->asked) ? "None of these nodes is over its threshold."
								   : "No node is over its threshold.");
	else if (report->worst)
		page_sentence(page, "! over its threshold, as are its parents   <== the worst of them");
	if (report->summary.repeats > 1)
		page_sentence(page, arena_printf(page->arena, "%s the 95 %% interval of the mean of %zu repeats",
						 plus_minus(page), report->summary.repeats));
	if (report->summary.is_sampled)
		page_sentence(page, arena_printf(page->arena, "%s the 95 %% interval of sampling: %s", plus_minus(page),
						 view_sampling(page, report)));
	if (view->has_unjudged)
		page_sentence(page, "? may be a bottleneck: a node above it was not measured");
}

void text_tree(const struct page *page, const struct report *report)
{
	struct columns columns;
	struct view view;

	if (!report->nnodes)
		return;
	view_build(&view, report, page);
	columns = measure(page, &view);
	fputc('\n', page->out);
	for (size_t i = 0; i < view.count; i++) {
		if (is_measured(view.rows[i].node))
			print_measured(page, &columns, &view.rows[i], report);
		else
			print_unmeasured(page, &columns, &view.rows[i]);
	}
	fputc('\n', page->out);
	print_verdict(page, report, &view);
	print_hidden(page, &view);
}
