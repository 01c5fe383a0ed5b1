/* SPDX-License-Identifier: GPL-2.0-or-later */
/* draw.h - a document on a page: the stream with its style, how lines are put on it, and the drawers. */
#ifndef TOPDOWN_PRESENT_DOCUMENT_DRAW_H
#define TOPDOWN_PRESENT_DOCUMENT_DRAW_H

#include <stdio.h>

#include "common/base/cells.h"
#include "common/base/text.h"
#include "present/document/document.h"

struct page {
	FILE *out;
	const struct style *style;
	struct arena *arena; /* until the page is done */
	size_t width;	     /* columns, at least 40 */
	bool has_bars;
};

struct page page_init(FILE *out, const struct style *style, struct arena *arena);

/* SGR sequences, "" without colour. */
const char *ink_on(const struct page *page, enum ink ink);
const char *ink_off(const struct page *page, enum ink ink);

/* Safe to show: see cells_safe. */
const char *page_safe(const struct page *page, const char *text);

/* What stands before the lines of a paragraph; width counts columns, of which bytes say nothing. */
struct indent {
	const char *first, *rest;
	size_t width;
};

/* Prints safe text, broken between words. */
void page_wrap(const struct page *page, const struct indent *indent, const char *text);

/* A line that is put together from cells; at counts its columns. */
struct line {
	const struct page *page;
	struct string text;
	size_t at;
};

struct line line_init(const struct page *page);
/* Blanks up to a column; none when the line is there already. */
void line_pad(struct line *line, size_t column);
void line_add(struct line *line, enum ink ink, const char *text);
/* So that text ends at the column. */
void line_add_right(struct line *line, enum ink ink, const char *text, size_t column);
/*
 * Adds text without its newline as far as it fits; SGR sequences take no column, and those behind the end still hold.
 * False: something is missing.
 */
bool page_cut(struct string *out, const char *text, size_t length, size_t columns);

/* Prints the line without blanks at its end and starts the next. */
void line_print(struct line *line);

void draw_text(const struct page *page, const struct document *doc);
/* A table as text. */
void draw_grid(const struct page *page, const struct grid *table);
void draw_markdown(const struct page *page, const struct document *doc);
/* One file of HTML that needs nothing from elsewhere, and no script to be read. */
void draw_html(const struct page *page, const struct document *doc);

#endif
