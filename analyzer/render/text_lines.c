/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/lines.h"
#include "render/renderers.h"

#include "render/human.h"

#define VALUE_END   8 /* column where the percentages end */
#define LEAST_WHERE 12

static void widen(size_t *width, const struct page *page, const struct lines_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		size_t need = cells_width(page_safe(page, lines_where(page, list, &list->shares[i])));

		*width = need > *width ? need : *width;
	}
}

/* Without what is too much at its beginning: the end has the line's number. */
static const char *cut_front(const struct page *page, const char *text, size_t width)
{
	const char *ellipsis = page->style->has_utf8 ? "…" : "..";
	uint32_t code;

	if (cells_width(text) <= width)
		return text;
	while (cells_width(text) + cells_width(ellipsis) > width)
		text += utf8_next(text, &code);
	return arena_printf(page->arena, "%s%s", ellipsis, text);
}

/* The place is cut where it takes more than half of the line, and the function where the line ends. */
static void print_row(const struct page *page, const struct lines_list *list, const struct line_share *share,
		      size_t width)
{
	struct line line = line_init(page);
	bool has_utf8 = page->style->has_utf8;
	size_t behind = VALUE_END + 4 + width + 2, room = page->width > behind + 8 ? page->width - behind : 8;
	const char *where = page_safe(page, lines_where(page, list, share));

	line_add_right(&line, INK_PLAIN, human_fixed(page->arena, share->percent, 1), VALUE_END);
	line_add(&line, INK_PLAIN, " %");
	line_pad(&line, VALUE_END + 4);
	line_add(&line, INK_BOLD, cut_front(page, where, width));
	line_pad(&line, behind);
	line_add(&line, INK_PLAIN, cells_cut(page->arena, page_safe(page, lines_function(share)), room, has_utf8));
	line_print(&line);
}

static void print_list(const struct page *page, const struct lines_list *list, size_t width)
{
	for (size_t i = 0; i < list->count; i++)
		print_row(page, list, &list->shares[i], width);
	if (list->rest)
		fprintf(page->out, "    %s\n", lines_rest(page, list));
}

static void print_node(const struct page *page, const struct node_lines *lines)
{
	struct lines_list rows = lines_list(page, lines, false), functions = lines_list(page, lines, true);
	size_t width = LEAST_WHERE;

	widen(&width, page, &rows);
	widen(&width, page, &functions);
	if (width > page->width / 2)
		width = page->width / 2;
	fprintf(page->out, "\nLines of %s, in percent of it:\n", page_safe(page, lines->node->metric->title));
	print_list(page, &rows, width);
	fputs("  Functions:\n", page->out);
	print_list(page, &functions, width);
	if (lines->note)
		page_sentence(page, page_safe(page, lines->note));
}

void text_lines(const struct page *page, const struct report *report)
{
	if (!report->has_lines)
		return;
	for (size_t i = 0; i < report->nlines; i++)
		print_node(page, &report->lines[i]);
	if (report->nlines)
		return;
	fputc('\n', page->out);
	page_sentence(page, LINES_OF_NONE);
}
