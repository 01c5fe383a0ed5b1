/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * draw_grid.c - a table as text: columns as wide as their cells, trees behind their lines, what
 * does not fit cut or wrapped.
 */
#include "present/document/draw.h"

#include <string.h>

#define LEAST_CUT    4 /* columns that a cut text needs to say something */
#define LEAST_TITLE  12
#define LEAST_BESIDE 12 /* columns that a wrapped text needs beside the others */
#define LEAST_BAR    8
#define MOST_BAR     25

struct layout {
	const struct page *page;
	const struct grid *table;
	size_t *widths; /* of the columns; 0: nothing is in it */
	bool *is_cut;	/* the column is narrower than its cells */
	size_t *cells;	/* [rows][columns]: what each cell would take */
	size_t end;	/* of the lines */
};

static bool draw_grid_is_drawn(const struct column *column)
{
	return column->heading && !(column->flags & (COLUMN_BELOW | COLUMN_SHEET_ONLY));
}

/* The cell's place in the line depends on it alone, or on what is left. */
static bool has_no_width(const struct column *column)
{
	return column->flags & (COLUMN_BAR | COLUMN_WRAP | COLUMN_LOOSE | COLUMN_LAST);
}

static const char *shown(const struct page *page, const struct cell *cell)
{
	const char *text = cell_shown(page->arena, cell);

	return *text ? page_safe(page, text) : "";
}

/* Is there another child of the same parent, at this depth, below the row? */
static bool has_sibling(const struct grid *table, size_t row, unsigned depth)
{
	for (size_t i = row + 1; i < table->count && table->rows[i].depth >= depth; i++)
		if (table->rows[i].depth == depth)
			return true;
	return false;
}

static const struct stems {
	const char *fork, *corner, *bar;
} ascii_stems = { "+- ", "`- ", "|  " }, utf8_stems = { "├─ ", "└─ ", "│  " };

/* The tree's lines before a title; with is_below those on further lines of the row. */
static const char *stem(const struct layout *layout, size_t row, bool is_below)
{
	const struct stems *stems = layout->page->style->has_utf8 ? &utf8_stems : &ascii_stems;
	const struct grid_row *rows = layout->table->rows;
	unsigned depth = rows[row].depth;
	struct string text = STRING_INIT(layout->page->arena);

	for (unsigned i = 1; i < depth; i++)
		string_add(&text, has_sibling(layout->table, row, i) ? stems->bar : "   ");
	if (depth && is_below)
		string_add(&text, has_sibling(layout->table, row, depth) ? stems->bar : "   ");
	else if (depth)
		string_add(&text, has_sibling(layout->table, row, depth) ? stems->fork : stems->corner);
	if (is_below)
		string_add(&text, row + 1 < layout->table->count && rows[row + 1].depth > depth ? stems->bar : "   ");
	return text.text;
}

static size_t cell_width(const struct layout *layout, size_t row, size_t column)
{
	size_t width = cells_width(shown(layout->page, &layout->table->rows[row].cells[column]));

	if (layout->table->columns[column].flags & COLUMN_TREE)
		width += cells_width(stem(layout, row, false));
	return width;
}

static size_t column_width(const struct layout *layout, size_t number)
{
	const struct column *column = &layout->table->columns[number];
	size_t width = column->least;

	if (!draw_grid_is_drawn(column) || has_no_width(column))
		return 0;
	for (size_t i = 0; i < layout->table->count; i++) {
		size_t need = cell_width(layout, i, number);

		width = need > width ? need : width;
	}
	if (width && layout->table->has_heads && !(column->flags & COLUMN_NO_HEAD) &&
	    width < cells_width(column->heading))
		width = cells_width(column->heading);
	return column->most && width > column->most ? column->most : width;
}

/* Where the title does not leave room for the others it is cut; a bar takes what they leave. */
static void fit(struct layout *layout)
{
	const struct grid *table = layout->table;
	size_t used = 0, room = layout->page->width, *title = NULL, *bar = NULL, bar_gap = 0;

	for (size_t i = 0; i < table->ncolumns; i++) {
		const struct column *column = &table->columns[i];

		if (column->flags & COLUMN_SHRINKS) {
			title = &layout->widths[i];
		} else if (column->flags & COLUMN_BAR) {
			bar = &layout->widths[i];
			bar_gap = column->gap;
		} else if (layout->widths[i] || column->flags & COLUMN_KEPT) {
			used += column->gap + layout->widths[i];
		}
	}
	if (!title)
		return;
	room = room > used + LEAST_TITLE ? room - used : LEAST_TITLE;
	*title = *title > room ? room : *title;
	room -= *title;
	if (bar && layout->page->has_bars && room >= bar_gap + LEAST_BAR)
		*bar = room - bar_gap > MOST_BAR ? MOST_BAR : room - bar_gap;
}

/* Once: safe texts of foreign names take their time. */
static void measure_cells(struct layout *layout)
{
	const struct grid *table = layout->table;

	layout->cells = arena_array(layout->page->arena, table->count * table->ncolumns + 1, sizeof(*layout->cells));
	for (size_t i = 0; i < table->count; i++)
		for (size_t k = 0; k < table->ncolumns; k++)
			if (draw_grid_is_drawn(&table->columns[k]))
				layout->cells[i * table->ncolumns + k] = cell_width(layout, i, k);
}

/* Where the cell ends that begins there; 0: nothing is in it, or what is takes the room that there is. */
static size_t end_of_cell(const struct layout *layout, size_t row, size_t number, size_t start)
{
	const struct column *column = &layout->table->columns[number];
	size_t width = layout->cells[row * layout->table->ncolumns + number];

	if (!width || column->flags & (COLUMN_BAR | COLUMN_WRAP | COLUMN_LAST))
		return 0;
	if (column->flags & COLUMN_TO_END)
		return start + (width < column->least ? width : column->least);
	if (column->flags & COLUMN_RIGHT || width > layout->widths[number])
		return start + layout->widths[number];
	return start + width;
}

/* A loose cell follows what is before it; one that wraps takes the place of all behind it. */
static size_t end_of_row(const struct layout *layout, size_t row)
{
	const struct grid *table = layout->table;
	const size_t *cells = &layout->cells[row * table->ncolumns];
	size_t at = 0, end = 0;

	for (size_t i = 0; i < table->ncolumns; i++) {
		const struct column *column = &table->columns[i];
		size_t own;

		if (!draw_grid_is_drawn(column))
			continue;
		if (column->flags & COLUMN_WRAP && cells[i])
			break;
		if (column->flags & COLUMN_LOOSE) {
			end += cells[i] ? column->gap + cells[i] : 0;
			continue;
		}
		own = layout->widths[i] ? end_of_cell(layout, row, i, at + column->gap) : 0;
		end = own > end ? own : end;
		at += layout->widths[i] || column->flags & COLUMN_KEPT ? column->gap + layout->widths[i] : 0;
	}
	return end;
}

/* Heads are as wide as their columns at most. */
static size_t widest_row(const struct layout *layout)
{
	size_t widest = 0;

	for (size_t i = 0; i < layout->table->count; i++) {
		size_t end = end_of_row(layout, i);

		widest = end > widest ? end : widest;
	}
	return widest;
}

/* The least of a column that may be narrower; 0: it is one of numbers, or takes what is left. */
static size_t least_width(const struct column *column)
{
	if (!draw_grid_is_drawn(column) || has_no_width(column) || column->flags & (COLUMN_RIGHT | COLUMN_TO_END))
		return 0;
	return column->flags & (COLUMN_TREE | COLUMN_SHRINKS) ? LEAST_TITLE : LEAST_CUT;
}

/* No text is wider than the limit, unless that is below the column's least; whole: the widths before. */
static bool fits_within(const struct layout *layout, const size_t *whole, size_t limit)
{
	for (size_t i = 0; i < layout->table->ncolumns; i++) {
		size_t least = least_width(&layout->table->columns[i]), most = limit > least ? limit : least;

		layout->widths[i] = least && whole[i] > most ? most : whole[i];
		layout->is_cut[i] = layout->widths[i] < whole[i];
	}
	return widest_row(layout) <= layout->page->width;
}

/* In a window that is too narrow for all: spare columns go, the last one first; then the widest texts are cut. */
static void squeeze(struct layout *layout)
{
	const struct grid *table = layout->table;
	size_t *whole = arena_array(layout->page->arena, table->ncolumns, sizeof(*whole));
	size_t low = 0, high = layout->page->width;

	measure_cells(layout);
	for (size_t i = table->ncolumns; i-- > 0;)
		if (table->columns[i].flags & COLUMN_SPARE && widest_row(layout) > layout->page->width)
			layout->widths[i] = 0;
	if (widest_row(layout) <= layout->page->width)
		return;
	memcpy(whole, layout->widths, table->ncolumns * sizeof(*whole));
	while (low < high) {
		size_t middle = low + (high - low + 1) / 2;

		if (fits_within(layout, whole, middle))
			low = middle;
		else
			high = middle - 1;
	}
	(void)fits_within(layout, whole, low);
}

static const char *bar_text(const struct page *page, double percent, size_t width)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	struct string bar = STRING_INIT(page->arena);
	double share = fmin(fmax(percent / 100, 0), 1) * (double)width;
	size_t parts = (size_t)(page->style->has_utf8 ? share * 8 + 0.5 : floor(share + 0.5) * 8);

	for (size_t i = 0; i < parts / 8; i++)
		string_add(&bar, page->style->has_utf8 ? "█" : "#");
	string_add(&bar, eighths[parts % 8]);
	return bar.text;
}

/* Without what is too much at its beginning. */
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

/* A row while its line grows. */
struct drawing {
	const struct layout *layout;
	size_t row, column; /* SIZE_MAX: the heads */
	struct line line;
	size_t at; /* where the column before ends */
};

static void add_last(struct drawing *d, const struct cell *cell, size_t start)
{
	const struct page *page = d->layout->page;
	const char *text = shown(page, cell);
	size_t width = cells_width(text), before = d->layout->table->columns[d->column].gap;

	if (d->line.at + before + width > page->width) {
		size_t name = d->layout->table->columns[0].least + before;

		line_print(&d->line);
		start = name + before;
	} else if (start < d->line.at + before) {
		start = d->line.at + before;
	}
	if (start + width > page->width && width < page->width)
		start = page->width - width;
	line_pad(&d->line, start);
	line_add(&d->line, cell->ink, text);
}

/* The cell where it has room; what has none is left out: other forms have it. */
static void add_in_width(struct drawing *d, const struct cell *cell, size_t start)
{
	const struct layout *layout = d->layout;
	const struct column *column = &layout->table->columns[d->column];
	size_t width = layout->widths[d->column], room = width, before;
	const struct page *page = layout->page;
	const char *text = shown(page, cell), *lines = "";
	bool is_head = d->row == SIZE_MAX;

	if (column->flags & COLUMN_TREE && !is_head)
		lines = stem(layout, d->row, false);
	if (*text && !(column->flags & COLUMN_RIGHT) && start < d->line.at + column->gap && d->at)
		start = d->line.at + column->gap; /* a text before it was longer than its column */
	if (column->flags & COLUMN_TO_END) {
		room = start < layout->end ? layout->end - start : 0;
		if (room < LEAST_CUT && column->least < LEAST_CUT)
			return;
		room = room < column->least ? column->least : room;
	}
	line_pad(&d->line, *text ? start : 0);
	if (column->flags & COLUMN_RIGHT && !(is_head && column->flags & COLUMN_TO_END)) {
		line_add_right(&d->line, cell->ink, text, start + width);
		return;
	}
	line_add(&d->line, INK_PLAIN, lines);
	before = cells_width(lines);
	room = room > before ? room - before : 1;
	if (column->flags & COLUMN_FRONT_CUT)
		text = cut_front(page, text, room);
	else if (column->flags & COLUMN_MIDDLE_CUT)
		text = cells_cut_middle(page->arena, text, room, page->style->has_utf8);
	else if (column->flags & (COLUMN_TO_END | COLUMN_SHRINKS) || column->most || layout->is_cut[d->column])
		text = cells_cut(page->arena, text, room, page->style->has_utf8);
	line_add(&d->line, cell->ink, text);
}

static void add_cell(struct drawing *d, const struct cell *cell)
{
	const struct column *column = &d->layout->table->columns[d->column];
	bool is_first = d->layout->table->is_catalog && !d->at;
	size_t start = d->at + (is_first ? 0 : column->gap), width = d->layout->widths[d->column];

	if (column->flags & COLUMN_LOOSE) {
		const char *text = shown(d->layout->page, cell);

		if (*text || column->flags & COLUMN_KEPT)
			line_pad(&d->line, d->line.at + column->gap);
		line_add(&d->line, cell->ink, text);
	} else if (column->flags & COLUMN_LAST) {
		add_last(d, cell, start);
	} else if (width && column->flags & COLUMN_BAR) {
		line_pad(&d->line, start);
		if (cell->kind == CELL_NUMBER)
			line_add(&d->line, cell->ink, bar_text(d->layout->page, cell->number, width));
	} else if (width) {
		add_in_width(d, cell, start);
	}
	if (width || column->flags & COLUMN_KEPT)
		d->at = start + width;
}

static bool is_tree(const struct grid *table)
{
	unsigned flags = 0;

	for (size_t i = 0; i < table->ncolumns; i++)
		flags |= table->columns[i].flags;
	return flags & COLUMN_TREE;
}

static size_t longest_word(const char *text)
{
	size_t longest = 0;

	while (*text) {
		size_t length = strcspn(text, " "), width = 0;
		uint32_t code;

		for (const char *end = text + length; text < end; width++)
			text += utf8_next(text, &code);
		longest = width > longest ? width : longest;
		text += strspn(text, " ");
	}
	return longest;
}

/* Prints what the line has, with the text beside it, or below where a word of it, such as an event, needs more room. */
static void wrap_beside(struct drawing *d, const char *text)
{
	const struct layout *layout = d->layout;
	struct line rest = line_init(layout->page);
	size_t start = d->at + layout->table->columns[d->column].gap, longest = longest_word(text);
	bool has_room = start + LEAST_BESIDE <= layout->page->width;

	if (is_tree(layout->table))
		line_add(&rest, INK_PLAIN, stem(layout, d->row, true));
	if (!has_room || (start + longest > layout->page->width && longest < layout->page->width)) {
		line_print(&d->line);
		start = has_room ? layout->page->width - longest : 0;
		start = start < rest.at + 2 ? rest.at + 2 : start;
		line_pad(&rest, start);
		page_wrap(layout->page, &(struct indent){ rest.text.text, rest.text.text, start }, text);
		return;
	}
	line_pad(&rest, start);
	line_pad(&d->line, start);
	page_wrap(layout->page, &(struct indent){ d->line.text.text, rest.text.text, start }, text);
}

static void draw_row(const struct layout *layout, size_t row)
{
	const struct grid *table = layout->table;
	struct drawing d = { .layout = layout, .row = row, .line = line_init(layout->page) };

	for (; d.column < table->ncolumns; d.column++) {
		const struct column *column = &table->columns[d.column];
		const struct cell *cell = &table->rows[row].cells[d.column];

		if (!draw_grid_is_drawn(column))
			continue;
		if (column->flags & COLUMN_WRAP && *shown(layout->page, cell)) {
			wrap_beside(&d, shown(layout->page, cell));
			return;
		}
		add_cell(&d, cell);
	}
	line_print(&d.line);
}

static void draw_heads(const struct layout *layout)
{
	const struct grid *table = layout->table;
	struct drawing d = { .layout = layout, .row = SIZE_MAX, .line = line_init(layout->page) };

	for (; d.column < table->ncolumns; d.column++) {
		const struct column *column = &table->columns[d.column];
		const struct cell head = shown_cell(column->flags & COLUMN_NO_HEAD ? "" : column->heading, INK_BOLD);

		if (!draw_grid_is_drawn(column))
			continue;
		if (column->flags & COLUMN_WRAP && *head.shown) {
			line_pad(&d.line, d.at + column->gap);
			line_add(&d.line, head.ink, head.shown);
		} else if (!(column->flags & COLUMN_WRAP)) {
			add_cell(&d, &head);
		}
	}
	line_print(&d.line);
}

static void draw_section(const struct layout *layout, size_t row)
{
	const struct page *page = layout->page;
	const char *section = layout->table->rows[row].section,
		   *before = row ? layout->table->rows[row - 1].section : NULL;

	if (!section || (before && !strcmp(section, before)))
		return;
	fprintf(page->out, "\n%s", ink_on(page, INK_BOLD));
	page_wrap(page, &(struct indent){ "", "", 0 }, page_safe(page, section));
	fputs(ink_off(page, INK_BOLD), page->out);
}

static void draw_below(const struct layout *layout, size_t row)
{
	const struct page *page = layout->page;

	for (size_t i = 0; i < layout->table->ncolumns && layout->table->rows[row].has_more; i++) {
		const struct column *column = &layout->table->columns[i];
		const char *text = shown(page, &layout->table->rows[row].cells[i]);
		size_t width = column->gap + column->least;
		struct indent indent = { .rest = arena_printf(page->arena, "%*s", (int)width, ""), .width = width };

		if (!(column->flags & COLUMN_BELOW) || !*text)
			continue;
		indent.first = arena_printf(page->arena, "%*s%-*s", (int)column->gap, "", (int)column->least,
					    column->least ? column->heading : "");
		if (column->flags & COLUMN_LABEL)
			text = arena_printf(page->arena, "%s: %s", column->heading, text);
		page_wrap(page, &indent, text);
	}
}

#define LIST_WIDTH 100 /* of a list, where no terminal's width is known */

void draw_grid(const struct page *page, const struct grid *table)
{
	struct page wide = *page;
	struct layout layout = {
		.page = &wide,
		.table = table,
		.widths = arena_array(page->arena, table->ncolumns, sizeof(size_t)),
		.is_cut = arena_array(page->arena, table->ncolumns, sizeof(bool)),
	};

	if (table->is_wide && !page->style->width)
		wide.width = LIST_WIDTH;
	layout.end = wide.width;

	for (size_t i = 0; i < table->ncolumns; i++)
		layout.widths[i] = column_width(&layout, i);
	if (page->style->width)
		squeeze(&layout);
	fit(&layout);
	if (table->has_heads)
		draw_heads(&layout);
	for (size_t i = 0; i < table->count; i++) {
		draw_section(&layout, i);
		draw_row(&layout, i);
		draw_below(&layout, i);
	}
}
