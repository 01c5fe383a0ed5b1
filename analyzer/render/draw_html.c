/* SPDX-License-Identifier: GPL-2.0-or-later */
/* draw_html.c - a document as one page of HTML. */
#include <math.h>
#include <string.h>

#include "render/draw.h"
#include "render/html.h"
#include "render/strip.h"

/* The drawer while it goes through the blocks. */
struct drawing {
	const struct page *page;
	const struct document *doc;
	bool is_in_section;
};

static void put(const struct drawing *drawing, const char *text)
{
	html_text(drawing->page->out, text, drawing->page->arena);
}

static void raw(const struct drawing *drawing, const char *markup)
{
	fputs(markup, drawing->page->out);
}

static const char *sentence(const struct block *block)
{
	return block->worded ? block->worded : block->text;
}

/* An element with text in it. */
static void element(const struct drawing *drawing, const char *name, const char *text)
{
	fprintf(drawing->page->out, "<%s>", name);
	put(drawing, text);
	fprintf(drawing->page->out, "</%.*s>", (int)strcspn(name, " "), name);
}

static void draw_id(const struct drawing *drawing, const char *id)
{
	if (id)
		fprintf(drawing->page->out, " id=\"%s\"", id);
}

/* ---- tables ---- */

static bool is_bar(const struct column *column)
{
	return column->flags & COLUMN_BAR && column->heading;
}

static bool is_drawn(const struct grid *table, const struct column *column)
{
	if (is_bar(column))
		return true;
	return (table->is_catalog ? column->key : column->heading) &&
	       !(column->flags & (COLUMN_TEXT_ONLY | COLUMN_JOINED));
}

static const char *heading_of(const struct grid *table, const struct column *column)
{
	return table->is_catalog ? column->key : column->heading;
}

static void draw_heads(const struct drawing *drawing, const struct grid *table)
{
	raw(drawing, "<thead><tr>");
	for (size_t i = 0; i < table->ncolumns; i++)
		if (is_drawn(table, &table->columns[i]))
			element(drawing,
				table->columns[i].flags & COLUMN_RIGHT ? "th scope=\"col\" class=\"n\""
								       : "th scope=\"col\"",
				heading_of(table, &table->columns[i]));
	raw(drawing, "</tr></thead>\n");
}

static void draw_bar(const struct drawing *drawing, const struct cell *cell)
{
	double share = cell->kind == CELL_NUMBER && isfinite(cell->number) ? fmin(fmax(cell->number, 0), 100) : 0;

	if (share > 0)
		fprintf(drawing->page->out,
			"<svg class=\"bar\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
			"<rect width=\"%.2f\" height=\"8\"/></svg>",
			share);
}

static const char *class_of(enum ink ink)
{
	static const char *const classes[] = {
		[INK_PLAIN] = "",     [INK_DIM] = " dim",     [INK_BOLD] = " bold",
		[INK_PATH] = " path", [INK_WORST] = " worst",
	};

	return classes[ink];
}

/* The cell's text with those of the columns that are joined to it. */
static void draw_cell_text(const struct drawing *drawing, const struct grid *table, const struct grid_row *row,
			   size_t column)
{
	struct arena *arena = drawing->page->arena;

	put(drawing, cell_shown(arena, &row->cells[column]));
	for (size_t i = column + 1; i < table->ncolumns && !is_drawn(table, &table->columns[i]); i++) {
		const char *more = table->columns[i].flags & COLUMN_JOINED ? cell_shown(arena, &row->cells[i]) : "";

		if (*more)
			raw(drawing, " ");
		if (*more)
			put(drawing, more);
	}
}

static void draw_cell(const struct drawing *drawing, const struct grid *table, const struct grid_row *row, size_t i)
{
	const struct column *column = &table->columns[i];
	bool is_tree = column->flags & COLUMN_TREE;
	const char *name = is_tree ? "th" : "td", *right = column->flags & COLUMN_RIGHT ? "n" : "";

	fprintf(drawing->page->out, "<%s%s class=\"%s%s", name, is_tree ? " scope=\"row\"" : "", right,
		class_of(row->cells[i].ink));
	if (is_tree)
		fprintf(drawing->page->out, " d%u", row->depth < 9 ? row->depth : 9);
	raw(drawing, "\">");
	if (row->cells[i].strip)
		strip_draw(drawing->page->out, row->cells[i].strip);
	else if (is_bar(column))
		draw_bar(drawing, &row->cells[i]);
	else
		draw_cell_text(drawing, table, row, i);
	fprintf(drawing->page->out, "</%s>", name);
}

static void draw_table(const struct drawing *drawing, const struct grid *table)
{
	raw(drawing, "<div class=\"wide\" tabindex=\"0\" role=\"group\"><table>\n");
	draw_heads(drawing, table);
	raw(drawing, "<tbody>\n");
	for (size_t row = 0; row < table->count; row++) {
		raw(drawing, "<tr");
		draw_id(drawing, table->rows[row].id);
		raw(drawing, ">");
		for (size_t i = 0; i < table->ncolumns; i++)
			if (is_drawn(table, &table->columns[i]))
				draw_cell(drawing, table, &table->rows[row], i);
		raw(drawing, "</tr>\n");
	}
	raw(drawing, "</tbody></table></div>\n");
}

/* ---- other blocks ---- */

static void draw_facts(const struct drawing *drawing, const struct block *block)
{
	raw(drawing, "<dl>\n");
	for (size_t i = 0; i < block->nfacts; i++) {
		const struct fact *fact = &block->facts[i];

		if (fact->text && !*fact->text)
			continue;
		element(drawing, "dt", fact->label);
		raw(drawing, "<dd>");
		element(drawing, fact->is_code ? "code" : "span", fact->text);
		raw(drawing, "</dd>\n");
	}
	raw(drawing, "</dl>\n");
}

static void draw_heading(const struct drawing *drawing, const struct block *block)
{
	static const char *const names[] = { "p class=\"lead\"", "h1", "h2", "h3" };
	const char *rest = block->rest ? block->rest : "", *name = names[block->level];

	element(drawing, name, arena_printf(drawing->page->arena, "%s%s", sentence(block), rest));
	raw(drawing, "\n");
}

static void draw_section(struct drawing *drawing, const struct block *block)
{
	raw(drawing, drawing->is_in_section ? "</section>\n<section" : "<section");
	draw_id(drawing, block->id);
	raw(drawing, ">\n");
	if (block->text)
		element(drawing, "h2", block->text);
	drawing->is_in_section = true;
}

static void draw_fold(const struct drawing *drawing, const struct block *block)
{
	raw(drawing, "<details");
	draw_id(drawing, block->id);
	raw(drawing, block->is_open ? " open>" : ">");
	element(drawing, "summary", block->text);
	raw(drawing, "\n");
}

static void draw_picture(const struct drawing *drawing, const struct picture *picture)
{
	raw(drawing, "<figure role=\"group\" aria-label=\"");
	put(drawing, picture->spoken);
	raw(drawing, "\">");
	if (picture->title)
		element(drawing, "figcaption", picture->title);
	picture->draw(drawing->page->out, picture->what, drawing->page->arena);
	raw(drawing, "</figure>\n");
}

static void draw_block(struct drawing *drawing, const struct block *block)
{
	switch (block->kind) {
	case BLOCK_TITLE:
	case BLOCK_PART:
	case BLOCK_HEADING: draw_heading(drawing, block); break;
	case BLOCK_FACTS:
	case BLOCK_CARD: draw_facts(drawing, block); break;
	case BLOCK_TABLE: draw_table(drawing, block->grid); break;
	case BLOCK_SENTENCE: element(drawing, "p", sentence(block)); break;
	case BLOCK_NOTE: element(drawing, "li", block->text); break;
	case BLOCK_COMMAND: element(drawing, "pre class=\"command\" tabindex=\"0\"", block->text); break;
	case BLOCK_SECTION: draw_section(drawing, block); break;
	case BLOCK_FOLD: draw_fold(drawing, block); break;
	case BLOCK_UNFOLD: raw(drawing, "</details>\n"); break;
	case BLOCK_PICTURE: draw_picture(drawing, block->picture); break;
	}
}

static bool is_note(const struct document *doc, size_t i)
{
	return i < doc->count && doc->blocks[i].kind == BLOCK_NOTE;
}

/* Links to the sections. */
static void draw_contents(const struct drawing *drawing)
{
	const struct document *doc = drawing->doc;
	size_t count = 0;

	for (size_t i = 0; i < doc->count; i++) {
		const struct block *block = &doc->blocks[i];

		if (block->kind != BLOCK_SECTION || !block->id || !block->text)
			continue;
		fprintf(drawing->page->out, "%s<a href=\"#%s\">", count++ ? "\n" : "<nav aria-label=\"Contents\">",
			block->id);
		put(drawing, block->text);
		raw(drawing, "</a>");
	}
	if (count)
		raw(drawing, "</nav>\n");
}

static const char *title_of(const struct document *doc)
{
	for (size_t i = 0; i < doc->count; i++)
		if (doc->blocks[i].kind == BLOCK_TITLE)
			return sentence(&doc->blocks[i]);
	return "topdown";
}

void draw_html(const struct page *page, const struct document *doc)
{
	struct drawing drawing = { .page = page, .doc = doc };

	html_begin(page->out, title_of(doc), page->arena);
	draw_contents(&drawing);
	raw(&drawing, "<main>\n");
	for (size_t i = 0; i < doc->count; i++) {
		const struct block *block = &doc->blocks[i];

		if (block->kind == BLOCK_SENTENCE && !*sentence(block))
			continue;
		if (is_note(doc, i) && (!i || !is_note(doc, i - 1)))
			raw(&drawing, "<ul>\n");
		draw_block(&drawing, block);
		if (is_note(doc, i) && !is_note(doc, i + 1))
			raw(&drawing, "</ul>\n");
	}
	raw(&drawing, drawing.is_in_section ? "</section>\n</main>\n" : "</main>\n");
	html_end(page->out);
}
