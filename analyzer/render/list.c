/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/json_write.h"
#include "render/sheet.h"

#define GAP	  2
#define LEAST_CUT 4 /* columns that a cut text needs to tell something */

static const char *text_of(const struct listing *listing, size_t row, size_t column)
{
	const char *text = listing->rows[row].cells[column];

	return text ? text : "";
}

/* "a;b" as "a, b": for people. */
static const char *parts_text(const struct page *page, const char *parts)
{
	struct string text = STRING_INIT(page->arena);
	const char *part;
	size_t length;

	while ((length = text_next(&parts, ";", &part)) > 0) {
		string_add(&text, text.length ? ", " : "");
		string_addn(&text, part, length);
	}
	return text.text;
}

/* Is there another child of the same parent, at this depth, below the row? */
static bool has_sibling(const struct listing *listing, size_t row, unsigned depth)
{
	for (size_t i = row + 1; i < listing->count && listing->rows[i].depth >= depth; i++)
		if (listing->rows[i].depth == depth)
			return true;
	return false;
}

static const char *stem(const struct page *page, const struct listing *listing, size_t row)
{
	static const struct stems {
		const char *fork, *corner, *bar;
	} ascii = { "+- ", "`- ", "|  " }, utf8 = { "├─ ", "└─ ", "│  " };
	const struct stems *stems = page->style->has_utf8 ? &utf8 : &ascii;
	unsigned depth = listing->rows[row].depth;
	struct string text = STRING_INIT(page->arena);

	for (unsigned i = 1; i < depth; i++)
		string_add(&text, has_sibling(listing, row, i) ? stems->bar : "   ");
	if (depth)
		string_add(&text, has_sibling(listing, row, depth) ? stems->fork : stems->corner);
	return text.text;
}

static const char *cell_text(const struct page *page, const struct listing *listing, size_t row, size_t column)
{
	const char *text = text_of(listing, row, column), *safe;
	enum list_kind kind = listing->columns[column].kind;

	if (kind == LIST_PARTS)
		text = parts_text(page, text);
	safe = page_safe(page, text);
	return kind == LIST_TREE ? arena_printf(page->arena, "%s%s", stem(page, listing, row), safe) : safe;
}

/* Columns of text: the widest cell of each; 0 for one that is not shown or has nothing in it. */
static size_t *measure(const struct page *page, const struct listing *listing)
{
	size_t *widths = arena_array(page->arena, listing->ncolumns, sizeof(*widths));

	for (size_t j = 0; j < listing->ncolumns; j++) {
		bool is_detail = listing->columns[j].kind == LIST_DETAIL;
		const char *heading = is_detail ? NULL : listing->columns[j].heading;

		for (size_t i = 0; heading && i < listing->count; i++) {
			size_t width = cells_width(cell_text(page, listing, i, j));

			widths[j] = width > widths[j] ? width : widths[j];
		}
		if (widths[j] && widths[j] < cells_width(heading))
			widths[j] = cells_width(heading);
	}
	return widths;
}

struct text_row {
	const struct page *page;
	struct line line;
	size_t column; /* where the next cell begins */
};

/* A cell that does not fit the terminal is cut, and those behind it are left out: other formats have them. */
static void add_cell(struct text_row *row, const struct list_column *column, const char *text, size_t width)
{
	const struct page *page = row->page;
	size_t end = page->style->width ? page->width : SIZE_MAX, room = row->column < end ? end - row->column : 0;
	enum ink ink = column ? INK_PLAIN : INK_BOLD;

	if (room >= LEAST_CUT && *text) {
		line_pad(&row->line, row->column);
		if (column && column->kind == LIST_NUMBER)
			line_add_right(&row->line, ink, text, row->column + width);
		else
			line_add(&row->line, ink, cells_cut(page->arena, text, room, page->style->has_utf8));
	}
	row->column += width + GAP;
}

static void print_heads(const struct page *page, const struct listing *listing, const size_t *widths)
{
	struct text_row row = { .page = page, .line = line_init(page) };

	for (size_t j = 0; j < listing->ncolumns; j++)
		if (widths[j])
			add_cell(&row, NULL, listing->columns[j].heading, widths[j]);
	line_print(&row.line);
}

static void print_section(const struct page *page, const struct listing *listing, size_t i)
{
	const char *section = listing->rows[i].section, *before = i ? listing->rows[i - 1].section : NULL;

	if (!section || (before && !strcmp(section, before)))
		return;
	fprintf(page->out, "\n%s", ink_on(page, INK_BOLD));
	page_sentence(page, page_safe(page, section));
	fputs(ink_off(page, INK_BOLD), page->out);
}

static void print_details(const struct page *page, const struct listing *listing, size_t i)
{
	for (size_t j = 0; j < listing->ncolumns && page->style->is_verbose; j++) {
		const struct list_column *column = &listing->columns[j];
		struct indent indent = { .rest = "              ", .width = 14 };

		if (column->kind != LIST_DETAIL || !*text_of(listing, i, j))
			continue;
		indent.first = arena_printf(page->arena, "    %-10s", column->heading);
		page_wrap(page, &indent, page_safe(page, text_of(listing, i, j)));
	}
}

static void print_row(const struct page *page, const struct listing *listing, const size_t *widths, size_t i)
{
	struct text_row row = { .page = page, .line = line_init(page) };

	for (size_t j = 0; j < listing->ncolumns; j++)
		if (widths[j])
			add_cell(&row, &listing->columns[j], cell_text(page, listing, i, j), widths[j]);
	line_print(&row.line);
}

static void print_note(const struct page *page, const struct listing *listing)
{
	if (!listing->note)
		return;
	fputc('\n', page->out);
	page_sentence(page, page_safe(page, listing->note));
	if (listing->next)
		fprintf(page->out, "  %s\n", page_safe(page, listing->next));
}

static int list_text(const struct page *page, const struct listing *listing, struct error *err UNUSED)
{
	const size_t *widths = measure(page, listing);

	print_heads(page, listing, widths);
	for (size_t i = 0; i < listing->count; i++) {
		print_section(page, listing, i);
		print_row(page, listing, widths, i);
		print_details(page, listing, i);
	}
	print_note(page, listing);
	return 0;
}

static int list_csv(const struct page *page, const struct listing *listing, struct error *err UNUSED)
{
	const char **heads = arena_array(page->arena, listing->ncolumns, sizeof(*heads));

	for (size_t j = 0; j < listing->ncolumns; j++)
		heads[j] = listing->columns[j].key;
	csv_row(page, heads, listing->ncolumns);
	for (size_t i = 0; i < listing->count; i++)
		csv_row(page, listing->rows[i].cells, listing->ncolumns);
	return 0;
}

static int list_markdown(const struct page *page, const struct listing *listing, struct error *err UNUSED)
{
	const char **cells = arena_array(page->arena, listing->ncolumns, sizeof(*cells));
	bool *right = arena_array(page->arena, listing->ncolumns, sizeof(*right));

	for (size_t j = 0; j < listing->ncolumns; j++) {
		cells[j] = listing->columns[j].key;
		right[j] = listing->columns[j].kind == LIST_NUMBER;
	}
	markdown_row(page, cells, listing->ncolumns);
	markdown_rule(page, right, listing->ncolumns);
	for (size_t i = 0; i < listing->count; i++) {
		for (size_t j = 0; j < listing->ncolumns; j++)
			cells[j] = listing->columns[j].kind == LIST_PARTS ? parts_text(page, text_of(listing, i, j))
									  : text_of(listing, i, j);
		markdown_row(page, cells, listing->ncolumns);
	}
	if (listing->note)
		fprintf(page->out, "\n%s\n", markdown_text(page, listing->note));
	if (listing->next)
		fprintf(page->out, "\n%s\n", markdown_code(page, listing->next));
	return 0;
}

static void write_parts(struct json_writer *writer, struct arena *arena, const char *key, const char *parts)
{
	const char *part;
	size_t length;

	json_write_array(writer, key);
	while ((length = text_next(&parts, ";", &part)) > 0)
		json_write_string(writer, NULL, arena_strndup(arena, part, length));
	json_write_end(writer);
}

static int list_json(const struct page *page, const struct listing *listing, struct error *err)
{
	struct json_writer *writer = json_writer_new();

	json_write_string(writer, "format", "topdown-list");
	json_write_integer(writer, "version", 1);
	json_write_string(writer, "list", listing->what);
	json_write_string(writer, "cpu", listing->cpu);
	json_write_array(writer, listing->what);
	for (size_t i = 0; i < listing->count; i++) {
		json_write_object(writer, NULL);
		for (size_t j = 0; j < listing->ncolumns; j++) {
			const struct list_column *column = &listing->columns[j];
			const char *text = text_of(listing, i, j);

			if (column->kind == LIST_PARTS)
				write_parts(writer, page->arena, column->key, text);
			else if (column->kind == LIST_NUMBER && *text)
				json_write_integer(writer, column->key, atoll(text));
			else
				json_write_string(writer, column->key, *text ? text : NULL);
		}
		json_write_end(writer);
	}
	json_write_end(writer);
	if (listing->runs)
		json_write_integer(writer, "runs", (int64_t)listing->runs);
	if (listing->note)
		json_write_string(writer, "note", listing->note);
	if (listing->next)
		json_write_string(writer, "next", listing->next);
	return json_writer_finish(writer, page->out, err);
}

int render_listing(FILE *out, const struct listing *listing, const struct style *style, struct error *err)
{
	static int (*const forms[])(const struct page *page, const struct listing *listing, struct error *err) = {
		[FORMAT_TEXT] = list_text,
		[FORMAT_JSON] = list_json,
		[FORMAT_CSV] = list_csv,
		[FORMAT_MARKDOWN] = list_markdown,
	};
	struct arena arena;
	struct page page;
	int result;

	arena_init(&arena);
	page = page_init(out, style, &arena);
	result = forms[style->format](&page, listing, err);
	arena_release(&arena);
	errno = 0;
	if (fflush(out) == 0 && !ferror(out))
		return result;
	return error_set(err, "can't write the output: %s", errno ? strerror(errno) : "the stream has failed before");
}
