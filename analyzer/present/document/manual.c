/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/document/render.h"

#include <ctype.h>
#include <string.h>

#include "common/base/cells.h"
#include "common/base/text.h"

#define WIDTH	    80
#define STEP	    4  /* columns from a heading to its text, and from a line to what explains it */
#define LEAST_WIDTH 20 /* of text, however narrow the terminal is */
#define CODE	    "    "

enum look { LOOK_PLAIN, LOOK_BOLD, LOOK_UNDERLINED };

/* Words without marks: look[i] is that of text[i]. */
struct styled {
	char *text;
	unsigned char *look;
	size_t length;
};

enum kind { KIND_HEADING, KIND_TEXT, KIND_ITEM, KIND_CODE, KIND_ROW };

struct page {
	FILE *file;
	struct arena *arena;
	size_t width;
	bool has_looks, has_utf8;
	enum kind kind;	     /* of the last block, and its indent */
	size_t indent;	     /* of a quote it is larger */
	struct string words; /* of a paragraph or an item that is not yet printed, and what stands before them */
	const char *label;
	bool was_blank, is_fenced;
};

/* ---- words ---- */

static void manual_add(struct styled *styled, char letter, enum look look)
{
	styled->text[styled->length] = letter;
	styled->look[styled->length++] = (unsigned char)look;
}

static bool is_mark(const char *at, const char *mark, enum look now, enum look wanted)
{
	size_t length = strlen(mark);

	return !strncmp(at, mark, length) && (now == wanted || (now == LOOK_PLAIN && at[length] && at[length] != ' '));
}

/* "](address)" behind the text of a link. */
static size_t link_end(const char *at)
{
	const char *end = !strncmp(at, "](", 2) ? strchr(at, ')') : NULL;

	return end ? (size_t)(end - at) + 1 : 0;
}

static bool begins_link(const char *at)
{
	const char *end = *at == '[' ? strchr(at, ']') : NULL;

	return end && link_end(end);
}

/* Bytes of the mark at text, which changes *look; 0: it is no mark. */
static size_t take_mark(const char *text, enum look *look)
{
	if (is_mark(text, "**", *look, LOOK_BOLD)) {
		*look = *look == LOOK_BOLD ? LOOK_PLAIN : LOOK_BOLD;
		return 2;
	}
	if (*look != LOOK_BOLD && is_mark(text, "*", *look, LOOK_UNDERLINED)) {
		*look = *look == LOOK_UNDERLINED ? LOOK_PLAIN : LOOK_UNDERLINED;
		return 1;
	}
	return begins_link(text) ? 1 : link_end(text);
}

static struct styled read_words(const char *text, struct arena *arena)
{
	size_t room = strlen(text) + 1;
	struct styled styled = { .text = arena_alloc(arena, room), .look = arena_alloc(arena, room) };
	enum look look = LOOK_PLAIN;
	bool is_code = false;

	while (*text) {
		size_t mark = is_code ? 0 : take_mark(text, &look);

		if (mark) {
			text += mark;
			continue;
		}
		if (*text == '`') {
			is_code = !is_code;
			text++;
			continue;
		}
		if (!is_code && *text == '\\' && ispunct((unsigned char)text[1]))
			text++;
		manual_add(&styled, *text == '\n' ? ' ' : *text, is_code ? LOOK_BOLD : look);
		text++;
	}
	return styled;
}

/* What a terminal without UTF-8 shows instead of the few signs that pages have. */
static const char *safe(const struct page *page, const char *text)
{
	static const struct {
		const char *sign, *ascii;
	} rows[] = { { "├─", "|-" }, { "└─", "`-" }, { "│", "|" }, { "±", "+-" }, { "…", "..." }, { "×", "x" } };
	struct string ascii = STRING_INIT(page->arena);

	if (page->has_utf8)
		return text;
	while (*text) {
		size_t i = 0;

		while (i < COUNT_OF(rows) && !has_name_prefix(text, rows[i].sign))
			i++;
		string_addn(&ascii, i < COUNT_OF(rows) ? rows[i].ascii : text,
			    i < COUNT_OF(rows) ? strlen(rows[i].ascii) : 1);
		text += i < COUNT_OF(rows) ? strlen(rows[i].sign) : 1;
	}
	return cells_safe(page->arena, ascii.text, false);
}

/* ---- lines ---- */

static size_t room_at(const struct page *page, size_t indent)
{
	return indent + LEAST_WIDTH > page->width ? LEAST_WIDTH : page->width - indent;
}

static void print_look(const struct page *page, enum look look)
{
	static const char *const sequences[] = { [LOOK_PLAIN] = "0", [LOOK_BOLD] = "1", [LOOK_UNDERLINED] = "4" };

	if (page->has_looks)
		fprintf(page->file, "\x1b[%sm", sequences[look]);
}

static void print_part(const struct page *page, const struct styled *styled, size_t from, size_t bytes)
{
	enum look look = LOOK_PLAIN;

	for (size_t i = from; i < from + bytes; i++) {
		if (styled->look[i] != look) {
			if (look != LOOK_PLAIN)
				print_look(page, LOOK_PLAIN);
			look = styled->look[i];
			if (look != LOOK_PLAIN)
				print_look(page, look);
		}
		fputc(styled->text[i], page->file);
	}
	if (look != LOOK_PLAIN)
		print_look(page, LOOK_PLAIN);
	fputc('\n', page->file);
}

/* The words from column indent on; label stands left of them in the first line. */
static void print_words(struct page *page, const char *label, size_t indent, const char *text)
{
	struct styled styled = read_words(safe(page, text), page->arena);
	size_t at = 0, columns = room_at(page, indent);

	fprintf(page->file, "%*s", (int)indent, label);
	while (at < styled.length) {
		size_t bytes = cells_break(styled.text + at, columns);

		print_part(page, &styled, at, bytes);
		at += bytes + strspn(styled.text + at + bytes, " ");
		if (at < styled.length)
			fprintf(page->file, "%*s", (int)indent, "");
	}
	if (!styled.length)
		fputc('\n', page->file);
}

/* An example as it is. Where the terminal is too narrow it goes on below, but for a command, which is to be pasted. */
static void print_example(struct page *page, const char *line, size_t indent)
{
	size_t columns = room_at(page, indent), further = 0;
	bool is_command = has_name_prefix(line, "topdown ");

	for (line = safe(page, line); *line; further = 2) {
		size_t bytes = cells_break(line, columns - further);

		if (is_command || cells_width(line) <= columns - further)
			bytes = strlen(line);
		fprintf(page->file, "%*s%.*s\n", (int)(indent + further), "", (int)bytes, line);
		line += bytes + strspn(line + bytes, " ");
	}
}

/* ---- blocks ---- */

static void print_pending(struct page *page)
{
	if (page->words.length)
		print_words(page, page->label, page->indent + strlen(page->label), page->words.text);
	page->words = STRING_INIT(page->arena);
}

/* A blank line stands between blocks, but not below a heading, or above a quote, which explains what it follows. */
static void begin_block(struct page *page, enum kind kind, size_t indent)
{
	bool is_same = kind == page->kind && indent == page->indent && !page->was_blank;
	bool is_explaining = page->kind == KIND_TEXT && indent > page->indent;

	print_pending(page);
	if (page->kind != KIND_HEADING && !is_same && !is_explaining)
		fputc('\n', page->file);
	page->kind = kind;
	page->indent = indent;
	page->label = "";
	page->was_blank = false;
}

/* NAME in bold at the margin, and smaller headings half a step to the right. */
static void take_heading(struct page *page, const char *line)
{
	size_t depth = strspn(line, "#");

	begin_block(page, depth < 2 ? KIND_TEXT : KIND_HEADING, STEP);
	print_words(page, "", depth > 2 ? STEP / 2 : 0, arena_printf(page->arena, "**%s**", line + depth + 1));
}

/* "| a | b |": the cells without the blanks around them. */
static size_t split_row(const char *line, const char **cells, size_t most, struct arena *arena)
{
	struct string cell = STRING_INIT(arena);
	size_t count = 0;

	for (line++; *line && count < most; line++) {
		if (*line == '\\' && line[1] == '|') {
			string_add(&cell, "|");
			line++;
		} else if (*line != '|') {
			string_addn(&cell, line, 1);
		} else {
			size_t length = cell.length;

			while (length && cell.text[length - 1] == ' ')
				length--;
			cell.text[length] = '\0';
			cells[count++] = cell.text + strspn(cell.text, " ");
			cell = STRING_INIT(arena);
		}
	}
	return count;
}

#define MOST_CELLS 3

/* Below the headings each row is a line with what it means below: "key (type)", and what it is. */
static void take_row(struct page *page, const char *line, size_t indent)
{
	bool is_heading = page->kind != KIND_ROW || page->was_blank;
	const char *cells[MOST_CELLS];
	size_t count = split_row(line, cells, MOST_CELLS, page->arena);

	begin_block(page, KIND_ROW, indent);
	if (is_heading || line[1] == '-' || !count)
		return;
	if (count > 2)
		cells[0] = arena_printf(page->arena, "%s (%s)", cells[0], cells[1]);
	print_words(page, "", indent, cells[0]);
	if (count > 1 && *cells[count - 1])
		print_words(page, "", indent + STEP, cells[count - 1]);
}

/* Columns of "- " or "12. "; 0: the line is no item of a list. */
static size_t item_mark(const char *line)
{
	size_t digits = strspn(line, "0123456789");

	if (!strncmp(line, "- ", 2))
		return 2;
	return digits && !strncmp(line + digits, ". ", 2) ? digits + 2 : 0;
}

/* Of a paragraph or an item, which goes on in lines that are nothing else. */
static void take_words(struct page *page, const char *line, size_t indent)
{
	size_t mark = item_mark(line);

	if (mark || !page->words.length || indent != page->indent) {
		begin_block(page, mark ? KIND_ITEM : KIND_TEXT, indent);
		page->label = arena_strndup(page->arena, line, mark);
	}
	line += mark;
	string_printf(&page->words, "%s%s", page->words.length ? " " : "", line + strspn(line, " "));
}

static void take_line(struct page *page, const char *line)
{
	size_t indent = STEP;

	if (*line == '>') {
		indent += STEP;
		line += line[1] == ' ' ? 2 : 1;
	}
	if (!strncmp(line, "```", 3)) {
		print_pending(page);
		page->is_fenced = !page->is_fenced;
	} else if (!line[strspn(line, " \r")] || !strncmp(line, "<!--", 4)) {
		print_pending(page);
		page->was_blank = true;
	} else if (page->is_fenced || (!page->words.length && !strncmp(line, CODE, strlen(CODE)))) {
		begin_block(page, KIND_CODE, indent);
		print_example(page, line + (page->is_fenced ? 0 : strlen(CODE)), indent + STEP);
	} else if (*line == '#') {
		take_heading(page, line);
	} else if (*line == '|') {
		take_row(page, line, indent);
	} else {
		take_words(page, line, indent);
	}
}

void render_manual(FILE *file, const char *markdown, const struct style *style, struct arena *arena)
{
	struct page page = { .file = file,
			     .arena = arena,
			     .width = !style->width || style->width > WIDTH ? WIDTH : style->width,
			     .has_looks = style->has_color,
			     .has_utf8 = style->has_utf8,
			     .words = STRING_INIT(arena) };

	while (*markdown) {
		size_t length = strcspn(markdown, "\n");

		take_line(&page, arena_strndup(arena, markdown, length));
		markdown += length + (markdown[length] == '\n');
	}
	print_pending(&page);
}
