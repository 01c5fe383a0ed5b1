/* SPDX-License-Identifier: GPL-2.0-or-later */
/* draw_markdown.c - a document as Markdown. */
#include <ctype.h>
#include <string.h>

#include "common/base/text.h"
#include "present/document/draw.h"

static bool draw_markdown_is_word(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* An underscore within a word is none of emphasis; "//" behind a colon, and "www.", would become links. */
static bool is_markup(const char *text, const char *c)
{
	if (*c == '_')
		return c == text || !draw_markdown_is_word(c[-1]) || !draw_markdown_is_word(c[1]);
	if (*c == ':')
		return c[1] == '/' && c[2] == '/';
	if (*c == '.')
		return c - text >= 3 && has_name_prefix(c - 3, "www");
	return strchr("\\`*<>[]|&~$", *c) != NULL;
}

/* What would be markup is escaped. */
static const char *plain(const struct page *page, const char *text)
{
	struct string out = STRING_INIT(page->arena);
	const char *safe = page_safe(page, text);

	for (const char *c = safe; *c; c++) {
		if (is_markup(safe, c))
			string_add(&out, "\\");
		string_addn(&out, c, 1);
	}
	return out.text;
}

/* Text as code, whatever backquotes it has. */
static const char *code(const struct page *page, const char *text)
{
	const char *safe = page_safe(page, text), *fence;
	size_t longest = 0, run = 0;

	for (const char *c = safe; *c; c++) {
		run = *c == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	if (!longest)
		return arena_printf(page->arena, "`%s`", safe);
	fence = memset(arena_alloc(page->arena, longest + 2), '`', longest + 1);
	return arena_printf(page->arena, "%s %s %s", fence, safe, fence);
}

/* The same in a table, where a pipe ends even code; with a backslash before it only plain text can hold it. */
static const char *code_in_cell(const struct page *page, const char *text)
{
	struct string out = STRING_INIT(page->arena);

	if (!*text || strchr(text, '\\'))
		return plain(page, text);
	for (const char *c = code(page, text); *c; c++)
		string_printf(&out, "%s%c", *c == '|' ? "\\" : "", *c);
	return out.text;
}

static bool draw_markdown_is_drawn(const struct grid *table, const struct column *column)
{
	return (table->is_catalog ? column->key : column->heading) &&
	       !(column->flags & (COLUMN_TEXT_ONLY | COLUMN_JOINED));
}

/* The cell's text, behind a mark for each level of the tree, with those of the columns that are joined to it. */
static const char *cell_text(const struct page *page, const struct grid *table, const struct grid_row *row,
			     size_t column)
{
	const struct column *columns = table->columns;
	struct string text = STRING_INIT(page->arena);

	for (unsigned i = 0; columns[column].flags & COLUMN_TREE && i < row->depth; i++)
		string_add(&text, "- ");
	string_add(&text, cell_shown(page->arena, &row->cells[column]));
	for (size_t i = column + 1; i < table->ncolumns && !draw_markdown_is_drawn(table, &columns[i]); i++) {
		const char *more = columns[i].flags & COLUMN_JOINED ? cell_shown(page->arena, &row->cells[i]) : "";

		string_printf(&text, "%s%s", *more ? " " : "", more);
	}
	return text.text;
}

static const char *draw_cell(const struct page *page, const struct grid *table, const struct grid_row *row,
			     size_t column)
{
	const char *text = cell_text(page, table, row, column);

	return table->columns[column].flags & COLUMN_CODE ? code_in_cell(page, text) : plain(page, text);
}

static void draw_sheet(const struct page *page, const struct grid *table)
{
	for (size_t i = 0; i < table->ncolumns; i++)
		if (draw_markdown_is_drawn(table, &table->columns[i]))
			fprintf(page->out, "| %s ",
				plain(page, table->is_catalog ? table->columns[i].key : table->columns[i].heading));
	fputs("|\n", page->out);
	for (size_t i = 0; i < table->ncolumns; i++)
		if (draw_markdown_is_drawn(table, &table->columns[i]))
			fputs(table->columns[i].flags & COLUMN_RIGHT ? "| ---: " : "| --- ", page->out);
	fputs("|\n", page->out);
	for (size_t row = 0; row < table->count; row++) {
		for (size_t i = 0; i < table->ncolumns; i++)
			if (draw_markdown_is_drawn(table, &table->columns[i]))
				fprintf(page->out, "| %s ", draw_cell(page, table, &table->rows[row], i));
		fputs("|\n", page->out);
	}
}

static void draw_facts(const struct page *page, const struct block *block)
{
	for (size_t i = 0; i < block->nfacts; i++) {
		const struct fact *fact = &block->facts[i];

		if (!fact->text || *fact->text)
			fprintf(page->out, "- %s: %s\n", fact->label,
				fact->is_code ? code(page, fact->text) : plain(page, fact->text));
	}
}

/* The first fact is the table's head. */
static void draw_card(const struct page *page, const struct block *block)
{
	for (size_t i = 0; i < block->nfacts; i++) {
		const struct fact *fact = &block->facts[i];

		if (!fact->text || *fact->text)
			fprintf(page->out, "| %s | %s |\n%s", fact->label, plain(page, fact->text),
				i ? "" : "| --- | --- |\n");
	}
}

static const char *sentence(const struct block *block)
{
	return block->worded ? block->worded : block->text;
}

static void draw_block(const struct page *page, const struct block *block)
{
	static const char *const marks[] = { "", "# ", "## ", "### " };

	switch (block->kind) {
	case BLOCK_TITLE:
	case BLOCK_PART:
	case BLOCK_HEADING:
		fprintf(page->out, "%s%s%s\n", marks[block->level], plain(page, sentence(block)),
			block->rest ? plain(page, block->rest) : "");
		break;
	case BLOCK_FACTS: draw_facts(page, block); break;
	case BLOCK_CARD: draw_card(page, block); break;
	case BLOCK_TABLE: draw_sheet(page, block->grid); break;
	case BLOCK_SENTENCE: fprintf(page->out, "%s\n", plain(page, sentence(block))); break;
	case BLOCK_NOTE: fprintf(page->out, "- %s\n", plain(page, block->text)); break;
	case BLOCK_COMMAND: fprintf(page->out, "- %s\n", code(page, block->text)); break;
	case BLOCK_DRAWING: fprintf(page->out, "```text\n%s\n```\n", block->text); break;
	case BLOCK_SECTION:
	case BLOCK_FOLD:
	case BLOCK_UNFOLD:
	case BLOCK_PICTURE:
	case BLOCK_DATA: break;
	}
}

void draw_markdown(const struct page *page, const struct document *doc)
{
	const struct block *before = NULL;

	for (size_t i = 0; i < doc->count; i++) {
		const struct block *block = &doc->blocks[i];
		bool is_list = block->kind == BLOCK_NOTE || block->kind == BLOCK_COMMAND || block->kind == BLOCK_FACTS;

		if (is_of_pages(block->kind) || (block->kind == BLOCK_SENTENCE && !*sentence(block)))
			continue;
		if (before ? !is_list || before->kind != block->kind : doc->is_continued)
			fputc('\n', page->out);
		draw_block(page, block);
		before = block;
	}
}
