/* SPDX-License-Identifier: GPL-2.0-or-later */
/* draw_text.c - a document as text for a terminal or a file; its tables are draw_grid.c's. */
#include "present/document/draw.h"
#include "present/document/hue.h"

#include <string.h>

#define DEFAULT_WIDTH 80
#define LEAST_WIDTH   40
#define MOST_READABLE 100 /* columns of a sentence, however wide the terminal is */

struct page page_init(FILE *out, const struct style *style, struct arena *arena)
{
	size_t width = style->width ? style->width : DEFAULT_WIDTH;

	return (struct page){
		.out = out,
		.style = style,
		.arena = arena,
		.width = width < LEAST_WIDTH ? LEAST_WIDTH : width,
		.has_bars = (style->width && !style->is_piped) || style->has_color,
	};
}

const char *ink_on(const struct page *page, enum ink ink)
{
	static const char *const sequences[] = {
		[INK_PLAIN] = "",
		[INK_DIM] = "\033[2m",
		[INK_BOLD] = "\033[1m",
		[INK_PATH] = "\033[1;33m",
		[INK_WORST] = "\033[1;31m",
		[INK_HUES + HUE_OTHER] = "",
		[INK_HUES + HUE_FRONTEND] = "\033[33m",
		[INK_HUES + HUE_BAD_SPECULATION] = "\033[35m",
		[INK_HUES + HUE_BACKEND] = "\033[34m",
		[INK_HUES + HUE_RETIRING] = "\033[36m",
	};

	return page->style->has_color ? sequences[ink] : "";
}

const char *ink_off(const struct page *page, enum ink ink)
{
	return page->style->has_color && ink != INK_PLAIN && ink != INK_HUES + HUE_OTHER ? "\033[0m" : "";
}

const char *page_safe(const struct page *page, const char *text)
{
	return cells_safe(page->arena, text, page->style->has_utf8);
}

void page_wrap(const struct page *page, const struct indent *indent, const char *text)
{
	size_t width = page->width < MOST_READABLE ? page->width : MOST_READABLE;
	size_t room = width > indent->width + 10 ? width - indent->width : 10;
	const char *before = indent->first;

	while (*text) {
		size_t bytes = cells_break(text, room);

		fprintf(page->out, "%s%.*s\n", before, (int)bytes, text);
		text += bytes;
		while (*text == ' ')
			text++;
		before = indent->rest;
	}
}

struct line line_init(const struct page *page)
{
	return (struct line){ .page = page, .text = STRING_INIT(page->arena) };
}

void line_pad(struct line *line, size_t column)
{
	for (; line->at < column; line->at++)
		string_add(&line->text, " ");
}

void line_add(struct line *line, enum ink ink, const char *text)
{
	if (!*text)
		return;
	string_printf(&line->text, "%s%s%s", ink_on(line->page, ink), text, ink_off(line->page, ink));
	line->at += cells_width(text);
}

void line_add_right(struct line *line, enum ink ink, const char *text, size_t column)
{
	size_t width = cells_width(text);

	line_pad(line, column > width ? column - width : 0);
	line_add(line, ink, text);
}

/* Bytes of an SGR sequence; 0: there is none. */
static size_t sequence_length(const char *text)
{
	size_t length = strncmp(text, "\033[", 2) == 0 ? 2 + strspn(text + 2, "0123456789;") : 0;

	return length && text[length] ? length + 1 : 0;
}

bool page_cut(struct string *out, const char *text, size_t length, size_t columns)
{
	size_t used = 0;

	for (const char *end = text + length; text < end;) {
		uint32_t code;
		size_t sequence = sequence_length(text), bytes = sequence ? sequence : utf8_next(text, &code);
		char character[8] = "";

		if (!sequence) {
			memcpy(character, text, bytes);
			used += cells_width(character);
		}
		if (sequence || used <= columns)
			string_addn(out, text, bytes);
		text += bytes;
	}
	return used <= columns;
}

/* Is it one word, which might be pasted? Then it is left to the terminal. */
static bool draw_text_is_word(const char *text)
{
	text += strspn(text, " ");
	return !strchr(text, ' ');
}

void line_print(struct line *line)
{
	const struct page *page = line->page;
	struct string text = STRING_INIT(page->arena);
	size_t length = line->text.length;

	while (length && line->text.text[length - 1] == ' ')
		length--;
	string_addn(&text, line->text.text, length);
	if (page->style->width && line->at > page->width && !draw_text_is_word(text.text)) {
		const char *ellipsis = page->style->has_utf8 ? "…" : "..";

		text = STRING_INIT(page->arena);
		if (!page_cut(&text, line->text.text, length, page->width - cells_width(ellipsis)))
			string_add(&text, ellipsis);
	}
	fprintf(page->out, "%s\n", text.text);
	*line = line_init(page);
}

static void draw_facts(const struct page *page, const struct block *block)
{
	for (size_t i = 0; i < block->nfacts; i++) {
		const struct fact *fact = &block->facts[i];
		struct indent indent = {
			.first = arena_printf(page->arena, "%-*s", (int)block->label, fact->label),
			.rest = arena_printf(page->arena, "%*s", (int)block->label, ""),
			.width = block->label,
		};

		fputs(ink_on(page, block->ink), page->out);
		page_wrap(page, &indent, page_safe(page, fact->text));
		fputs(ink_off(page, block->ink), page->out);
	}
}

static void draw_heading(const struct page *page, const struct block *block)
{
	const char *indent = block->indent ? block->indent : "", *rest = block->rest ? block->rest : "";
	const char *text = page_safe(page, arena_printf(page->arena, "%s%s", block->text, rest));

	if (cells_width(indent) + cells_width(text) > page->width) {
		fputs(ink_on(page, block->ink), page->out);
		page_wrap(page, &(struct indent){ indent, indent, cells_width(indent) }, text);
		fputs(ink_off(page, block->ink), page->out);
		return;
	}
	fprintf(page->out, "%s%s%s%s%s\n", indent, ink_on(page, block->ink), page_safe(page, block->text),
		ink_off(page, block->ink), page_safe(page, rest));
}

static void draw_sentence(const struct page *page, const struct block *block)
{
	const char *first = block->first ? block->first : "", *rest = block->indent ? block->indent : "";

	page_wrap(page, &(struct indent){ first, rest, cells_width(rest) }, page_safe(page, block->text));
}

static void draw_lines(const struct page *page, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		fprintf(page->out, "%s\n", page_safe(page, arena_strndup(page->arena, text, length)));
		text += length + (text[length] == '\n');
	}
}

static void draw_block(const struct page *page, const struct block *block)
{
	if (block->is_apart && !is_of_pages(block->kind))
		fputc('\n', page->out);
	switch (block->kind) {
	case BLOCK_TITLE: break;
	case BLOCK_PART:
		fprintf(page->out, "%s[%s]%s\n", ink_on(page, INK_BOLD), page_safe(page, block->text),
			ink_off(page, INK_BOLD));
		break;
	case BLOCK_HEADING: draw_heading(page, block); break;
	case BLOCK_FACTS:
	case BLOCK_CARD: draw_facts(page, block); break;
	case BLOCK_TABLE: draw_grid(page, block->grid); break;
	case BLOCK_SENTENCE: draw_sentence(page, block); break;
	case BLOCK_NOTE: page_wrap(page, &(struct indent){ "* ", "  ", 2 }, page_safe(page, block->text)); break;
	case BLOCK_COMMAND:
		fprintf(page->out, "%s%s\n", block->first ? block->first : "  ", page_safe(page, block->text));
		break;
	case BLOCK_DRAWING: draw_lines(page, block->text); break;
	case BLOCK_SECTION:
	case BLOCK_FOLD:
	case BLOCK_UNFOLD:
	case BLOCK_PICTURE:
	case BLOCK_DATA: break;
	}
}

void draw_text(const struct page *page, const struct document *doc)
{
	for (size_t i = 0; i < doc->count; i++)
		draw_block(page, &doc->blocks[i]);
	if (doc->is_apart)
		fputc('\n', page->out);
}
