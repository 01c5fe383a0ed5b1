/* SPDX-License-Identifier: GPL-2.0-or-later */
/* draw_html.c - a document as one page of HTML. */
#include <math.h>
#include <string.h>

#include "common/base/cells.h"
#include "present/document/draw.h"
#include "present/document/html.h"
#include "present/document/hue.h"
#include "present/document/human.h"
#include "present/plot/strip.h"

/* The drawer while it goes through the blocks. */
struct drawing {
	const struct page *page;
	const struct document *doc;
	const char *heading;  /* the last one, which says what a table behind it is about */
	size_t named;	      /* column of the table that has its rows' names */
	const bool *is_empty; /* the table's columns in which nothing stands */
	bool is_in_section;
};

static void draw_html_put(const struct drawing *drawing, const char *text)
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
	draw_html_put(drawing, text);
	fprintf(drawing->page->out, "</%.*s>", (int)strcspn(name, " "), name);
}

/* An element with a sentence in it: what stands between backquotes is code. */
static void element_with_code(const struct drawing *drawing, const char *name, const char *text)
{
	const char *begin, *end;

	if (!text)
		return;
	fprintf(drawing->page->out, "<%s>", name);
	while ((begin = strchr(text, '`')) && (end = strchr(begin + 1, '`'))) {
		draw_html_put(drawing, arena_strndup(drawing->page->arena, text, (size_t)(begin - text)));
		element(drawing, "code", arena_strndup(drawing->page->arena, begin + 1, (size_t)(end - begin - 1)));
		text = end + 1;
	}
	draw_html_put(drawing, text);
	fprintf(drawing->page->out, "</%.*s>", (int)strcspn(name, " "), name);
}

static const char *with_class(const struct drawing *drawing, const char *name, const char *look)
{
	return look ? arena_printf(drawing->page->arena, "%s class=\"%s\"", name, look) : name;
}

static void draw_id(const struct drawing *drawing, const char *id)
{
	if (id)
		fprintf(drawing->page->out, " id=\"%s\"", id);
}

/* ---- names ---- */

#define MOST_BYTES 200 /* of a text in a table */
#define CUT_BYTES  160

/* Whole characters of no more than so many bytes. */
static size_t whole_characters(const char *text, size_t most)
{
	while (most && ((unsigned char)text[most] & 0xc0) == 0x80)
		most--;
	return most;
}

/* A long name is cut where it stands, and whole in what a pointer on it shows. */
static void put_cut(const struct drawing *drawing, const char *text)
{
	size_t length = text ? strlen(text) : 0;
	struct arena *arena = drawing->page->arena;

	if (length <= MOST_BYTES) {
		draw_html_put(drawing, text);
		return;
	}
	raw(drawing, "<span title=\"");
	draw_html_put(drawing, text);
	raw(drawing, "\">");
	draw_html_put(drawing, arena_strndup(arena, text, whole_characters(text, CUT_BYTES)));
	raw(drawing, "…</span>");
}

/* ---- tables ---- */

static bool is_bar(const struct column *column)
{
	return column->flags & COLUMN_BAR && column->heading;
}

/* Without what no row has anything in. */
static bool draw_html_is_drawn(const struct drawing *drawing, const struct grid *table, size_t i)
{
	const struct column *column = &table->columns[i];

	if (is_bar(column))
		return true;
	if (drawing->is_empty[i])
		return false;
	return (table->is_catalog ? column->key : column->heading) &&
	       !(column->flags & (COLUMN_TEXT_ONLY | COLUMN_JOINED | COLUMN_NO_PAGE));
}

static const char *heading_of(const struct grid *table, const struct column *column)
{
	return table->is_catalog ? column->key : column->heading;
}

static void draw_heads(const struct drawing *drawing, const struct grid *table)
{
	raw(drawing, "<thead><tr>");
	for (size_t i = 0; i < table->ncolumns; i++)
		if (draw_html_is_drawn(drawing, table, i))
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
			"<svg class=\"bar %s\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
			"<rect width=\"%.2f\" height=\"8\"/></svg>",
			cell->ink >= INK_HUES ? hue_class((enum hue)(cell->ink - INK_HUES)) : "", share);
}

static const char *class_of(enum ink ink)
{
	static const char *const classes[] = {
		[INK_PLAIN] = "", [INK_DIM] = "dim", [INK_BOLD] = "bold", [INK_PATH] = "path", [INK_WORST] = "worst",
	};

	return ink < INK_HUES ? classes[ink] : "";
}

static bool is_number(const struct cell *cell)
{
	return (cell->kind == CELL_NUMBER && isfinite(cell->number)) || cell->kind == CELL_WHOLE;
}

/* Fields that the row does not show as JSON has them. */
static void draw_fields(const struct drawing *drawing, const struct grid *table, const struct grid_row *row)
{
	for (size_t i = 0; i < table->ncolumns; i++) {
		const struct column *column = &table->columns[i];
		const struct cell *cell = &row->cells[i];
		bool is_seen =
			draw_html_is_drawn(drawing, table, i) && !is_bar(column) && (!cell->shown || is_number(cell));
		const char *exact = column->key && !is_seen ? cell_exact(drawing->page->arena, cell) : NULL;

		if (!exact || !*exact)
			continue;
		fprintf(drawing->page->out, " data-%s=\"", column->key);
		draw_html_put(drawing, exact);
		raw(drawing, "\"");
	}
}

/* The cell's text with those of the columns that are joined to it. */
static void draw_cell_text(const struct drawing *drawing, const struct grid *table, const struct grid_row *row,
			   size_t column)
{
	struct arena *arena = drawing->page->arena;
	const struct cell *cell = &row->cells[column];

	if (is_number(cell) && table->columns[column].key)
		fprintf(drawing->page->out, "<data value=\"%s\">", cell_exact(arena, cell));
	if (table->is_catalog && cell->kind == CELL_TEXT && strchr(cell_shown(arena, cell), '`'))
		element_with_code(drawing, "span", cell_shown(arena, cell));
	else
		put_cut(drawing, cell_shown(arena, cell));
	if (is_number(cell) && table->columns[column].key)
		raw(drawing, "</data>");
	for (size_t i = column + 1; i < table->ncolumns && !draw_html_is_drawn(drawing, table, i); i++) {
		const char *more = table->columns[i].flags & COLUMN_JOINED ? cell_shown(arena, &row->cells[i]) : "";

		if (*more)
			raw(drawing, " ");
		if (*more)
			draw_html_put(drawing, more);
	}
}

/* class="n path d2"; nothing where there is none. */
static void draw_class(const struct drawing *drawing, const char *const *classes, size_t count)
{
	const char *before = " class=\"";
	bool has_any = false;

	for (size_t i = 0; i < count; i++)
		if (*classes[i]) {
			fprintf(drawing->page->out, "%s%s", before, classes[i]);
			before = " ";
			has_any = true;
		}
	raw(drawing, has_any ? "\"" : "");
}

#define LEAST_PROSE 60 /* bytes of a catalog's text that needs room beside the other columns */

static bool is_prose(const struct grid *table, const struct cell *cell)
{
	return table->is_catalog && cell->kind == CELL_TEXT && strlen(cell->text) >= LEAST_PROSE;
}

static void draw_cell(const struct drawing *drawing, const struct grid *table, const struct grid_row *row, size_t i)
{
	static const char *const depths[] = { "", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9" };
	const struct column *column = &table->columns[i];
	bool is_tree = column->flags & COLUMN_TREE, opens = row->opens && i == drawing->named;
	const char *link = i == drawing->named ? row->link : NULL;
	const char *name = is_tree ? "th" : "td";
	const char *classes[] = { column->flags & COLUMN_RIGHT ? "n" : "", column->flags & COLUMN_CODE ? "code" : "",
				  class_of(row->cells[i].ink), is_tree ? depths[row->depth < 9 ? row->depth : 9] : "",
				  is_prose(table, &row->cells[i]) ? "prose" : "" };

	fprintf(drawing->page->out, "<%s%s", name, is_tree ? " scope=\"row\"" : "");
	draw_class(drawing, classes, COUNT_OF(classes));
	raw(drawing, ">");
	if (opens)
		fprintf(drawing->page->out, "<button type=\"button\" class=\"name\" popovertarget=\"%s\">", row->opens);
	if (link) {
		raw(drawing, "<a href=\"");
		html_text(drawing->page->out, link, drawing->page->arena);
		raw(drawing, "\">");
	}
	if (row->cells[i].strip)
		strip_draw(drawing->page->out, row->cells[i].strip);
	else if (is_bar(column))
		draw_bar(drawing, &row->cells[i]);
	else
		draw_cell_text(drawing, table, row, i);
	fprintf(drawing->page->out, "%s%s</%s>", link ? "</a>" : "", opens ? "</button>" : "", name);
}

static void draw_row(const struct drawing *drawing, const struct grid *table, const struct grid_row *row)
{
	raw(drawing, "<tr");
	draw_id(drawing, row->id);
	raw(drawing, row->is_minor ? " class=\"minor\"" : "");
	draw_fields(drawing, table, row);
	raw(drawing, ">");
	for (size_t i = 0; i < table->ncolumns; i++)
		if (draw_html_is_drawn(drawing, table, i))
			draw_cell(drawing, table, row, i);
	raw(drawing, "</tr>\n");
}

/* Rows that are not shown at first can be: by a box in front of the table, which needs no script. */
static void draw_filter(const struct drawing *drawing, const struct grid *table)
{
	size_t minor = 0;

	for (size_t i = 0; i < table->count; i++)
		minor += table->rows[i].is_minor;
	if (minor)
		fprintf(drawing->page->out,
			"<label class=\"filter\"><input type=\"checkbox\" class=\"all\"> All %zu rows, not only %zu"
			"</label>\n",
			table->count, table->count - minor);
}

/* The first column that is drawn and has a heading, unless another is a tree's. */
static size_t named_column(const struct drawing *drawing, const struct grid *table)
{
	size_t first = table->ncolumns;

	for (size_t i = table->ncolumns; i-- > 0;) {
		const char *heading = table->columns[i].heading;

		if (table->columns[i].flags & COLUMN_TREE)
			return i;
		if (draw_html_is_drawn(drawing, table, i) && (first == table->ncolumns || (heading && *heading)))
			first = i;
	}
	return first;
}

static bool is_blank(const struct drawing *drawing, const struct cell *cell)
{
	const char *shown = cell->strip ? "drawn" : cell_shown(drawing->page->arena, cell);

	return !*shown;
}

static const bool *empty_columns(const struct drawing *drawing, const struct grid *table)
{
	bool *is_empty = arena_array(drawing->page->arena, table->ncolumns + 1, sizeof(*is_empty));

	for (size_t i = 0; i < table->ncolumns; i++) {
		is_empty[i] = table->count > 1 && !is_bar(&table->columns[i]);
		for (size_t row = 0; row < table->count && is_empty[i]; row++)
			is_empty[i] = is_blank(drawing, &table->rows[row].cells[i]);
	}
	return is_empty;
}

static void draw_table(struct drawing *drawing, const struct grid *table)
{
	const char *caption = table->caption ? table->caption : drawing->heading;

	drawing->is_empty = empty_columns(drawing, table);
	drawing->named = named_column(drawing, table);
	raw(drawing, "<div class=\"table\">");
	draw_filter(drawing, table);
	raw(drawing, "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"");
	draw_html_put(drawing, caption ? caption : "Table");
	raw(drawing, "\"><table>\n");
	if (caption)
		element(drawing, "caption", caption);
	draw_heads(drawing, table);
	raw(drawing, "<tbody>\n");
	for (size_t i = 0; i < table->count; i++)
		draw_row(drawing, table, &table->rows[i]);
	raw(drawing, "</tbody></table></div></div>\n");
}

/* ---- other blocks ---- */

static void draw_fact(const struct drawing *drawing, const struct fact *fact, const char *exact)
{
	element(drawing, "dt", fact->label);
	raw(drawing, "<dd>");
	if (exact) {
		fprintf(drawing->page->out, "<data value=\"%s\">", exact);
		draw_html_put(drawing, fact->text);
		raw(drawing, "</data>");
	} else {
		fact->is_code ? element(drawing, "code", fact->text) : element_with_code(drawing, "span", fact->text);
	}
	raw(drawing, "</dd>");
}

static void draw_facts(const struct drawing *drawing, const struct block *block)
{
	bool has_groups = block->look; /* each label with its text is a tile */

	fprintf(drawing->page->out, "<%s>\n", with_class(drawing, "dl", block->look));
	for (size_t i = 0; i < block->nfacts; i++) {
		if (block->facts[i].text && !*block->facts[i].text)
			continue;
		raw(drawing, has_groups ? "<div>" : "");
		draw_fact(drawing, &block->facts[i], block->exact ? block->exact[i] : NULL);
		raw(drawing, has_groups ? "</div>\n" : "\n");
	}
	raw(drawing, "</dl>\n");
}

static void draw_card(const struct drawing *drawing, const struct block *block)
{
	struct block facts = *block;

	facts.look = NULL;
	if (!block->id) {
		draw_facts(drawing, &facts);
		return;
	}
	fprintf(drawing->page->out, "<aside popover class=\"card\" id=\"%s\" aria-label=\"", block->id);
	draw_html_put(drawing, block->text);
	raw(drawing, "\">\n");
	fprintf(drawing->page->out,
		"<button type=\"button\" class=\"close\" popovertarget=\"%s\" popovertargetaction=\"hide\">Close"
		"</button>\n",
		block->id);
	element(drawing, "p class=\"name\"", block->text);
	draw_facts(drawing, &facts);
	raw(drawing, "</aside>\n");
}

static void draw_sentence(const struct drawing *drawing, const struct block *block)
{
	element_with_code(drawing, with_class(drawing, "p", block->look), sentence(block));
}

static void draw_heading(struct drawing *drawing, const struct block *block)
{
	static const char *const names[] = { "p class=\"lead\"", "h1", "h2", "h3" };
	const char *rest = block->rest ? block->rest : "", *name = names[block->level];

	drawing->heading = arena_printf(drawing->page->arena, "%s%s", sentence(block), rest);
	element(drawing, name, drawing->heading);
	raw(drawing, "\n");
}

static void draw_section(struct drawing *drawing, const struct block *block)
{
	raw(drawing, drawing->is_in_section ? "</section>\n<" : "<");
	raw(drawing, with_class(drawing, "section", block->look));
	draw_id(drawing, block->id);
	raw(drawing, ">\n");
	if (block->text)
		element(drawing, "h2", block->text);
	drawing->heading = block->text;
	drawing->is_in_section = true;
}

static void draw_fold(struct drawing *drawing, const struct block *block)
{
	raw(drawing, "<details");
	draw_id(drawing, block->id);
	raw(drawing, block->is_open ? " open>" : ">");
	element(drawing, "summary", block->text);
	raw(drawing, "\n");
	drawing->heading = block->text;
}

static void draw_picture(const struct drawing *drawing, const struct picture *picture)
{
	raw(drawing, "<figure aria-label=\"");
	draw_html_put(drawing, picture->spoken);
	raw(drawing, "\">");
	if (picture->title)
		element(drawing, "figcaption", picture->title);
	picture->draw(drawing->page->out, picture->what, drawing->page->arena);
	raw(drawing, "</figure>\n");
}

static void draw_command(const struct drawing *drawing, const struct block *block)
{
	raw(drawing, "<div class=\"command\">");
	element(drawing, "pre tabindex=\"0\"", block->text);
	raw(drawing, "</div>\n");
}

/* Its maker has seen to it that the text ends no script. */
static void draw_data(const struct drawing *drawing, const struct block *block)
{
	fprintf(drawing->page->out, "<script type=\"%s\" id=\"%s\">", block->worded, block->id);
	raw(drawing, block->text);
	raw(drawing, "</script>\n");
}

static void draw_block(struct drawing *drawing, const struct block *block)
{
	switch (block->kind) {
	case BLOCK_TITLE:
	case BLOCK_PART:
	case BLOCK_HEADING: draw_heading(drawing, block); break;
	case BLOCK_FACTS: draw_facts(drawing, block); break;
	case BLOCK_CARD: draw_card(drawing, block); break;
	case BLOCK_TABLE: draw_table(drawing, block->grid); break;
	case BLOCK_SENTENCE: draw_sentence(drawing, block); break;
	case BLOCK_NOTE: element_with_code(drawing, "li", sentence(block)); break;
	case BLOCK_COMMAND: draw_command(drawing, block); break;
	case BLOCK_DRAWING: break;
	case BLOCK_SECTION: draw_section(drawing, block); break;
	case BLOCK_FOLD: draw_fold(drawing, block); break;
	case BLOCK_UNFOLD: raw(drawing, "</details>\n"); break;
	case BLOCK_PICTURE: draw_picture(drawing, block->picture); break;
	case BLOCK_DATA: draw_data(drawing, block); break;
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
		draw_html_put(drawing, block->text);
		raw(drawing, "</a>");
	}
	if (count)
		raw(drawing, "</nav>\n");
}

static const char *draw_html_title_of(const struct document *doc)
{
	for (size_t i = 0; i < doc->count; i++)
		if (doc->blocks[i].kind == BLOCK_TITLE)
			return sentence(&doc->blocks[i]);
	return "topdown";
}

static bool is_explored(const struct document *doc)
{
	for (size_t i = 0; i < doc->count; i++)
		if (doc->blocks[i].kind == BLOCK_DATA && doc->blocks[i].is_explored)
			return true;
	return false;
}

void draw_html(const struct page *page, const struct document *doc)
{
	struct drawing drawing = { .page = page, .doc = doc, .heading = draw_html_title_of(doc) };
	bool explores = is_explored(doc);

	html_begin(page->out, draw_html_title_of(doc), explores, page->arena);
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
	html_end(page->out, explores);
}
