/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/document/document.h"

#include <string.h>

#include "present/document/human.h"

struct cell text_cell(const char *text)
{
	return (struct cell){ .kind = text ? CELL_TEXT : CELL_NOTHING, .text = text };
}

struct cell word_cell(const char *text)
{
	return text_cell(text && *text ? text : NULL);
}

struct cell number_cell(double number)
{
	return (struct cell){ .kind = CELL_NUMBER, .number = number };
}

struct cell whole_cell(size_t whole)
{
	return (struct cell){ .kind = CELL_WHOLE, .whole = (int64_t)whole };
}

struct cell known_cell(size_t whole)
{
	return cell_if(whole != 0, whole_cell(whole));
}

struct cell truth_cell(bool truth)
{
	return (struct cell){ .kind = CELL_TRUTH, .whole = truth };
}

struct cell parts_cell(const char *parts)
{
	return (struct cell){ .kind = CELL_PARTS, .text = parts ? parts : "" };
}

struct cell names_cell(struct arena *arena, const char *const *names, size_t count)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < count; i++)
		string_printf(&text, "%s%s", i ? ";" : "", names[i]);
	return parts_cell(text.text);
}

struct cell shown_cell(const char *shown, enum ink ink)
{
	return (struct cell){ .kind = CELL_TEXT, .text = shown, .shown = shown, .ink = ink };
}

struct cell cell_if(bool holds, struct cell cell)
{
	return holds ? cell : (struct cell){ .kind = CELL_NOTHING };
}

/* "a;b" as "a, b" */
static const char *parts_shown(struct arena *arena, const char *parts)
{
	struct string text = STRING_INIT(arena);
	const char *part;
	size_t length;

	while ((length = text_next(&parts, ";", &part)) > 0) {
		string_add(&text, text.length ? ", " : "");
		string_addn(&text, part, length);
	}
	return text.text;
}

const char *cell_exact(struct arena *arena, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_TEXT:
	case CELL_PARTS: return cell->text;
	case CELL_NUMBER: return isfinite(cell->number) ? plain_number(arena, cell->number) : NULL;
	case CELL_WHOLE: return arena_printf(arena, "%lld", (long long)cell->whole);
	case CELL_TRUTH: return cell->whole ? "true" : "false";
	default: return NULL;
	}
}

const char *cell_shown(struct arena *arena, const struct cell *cell)
{
	const char *exact = cell->shown ? cell->shown : cell_exact(arena, cell);

	if (!cell->shown && cell->kind == CELL_TRUTH)
		return cell->whole ? "yes" : "no";
	if (!cell->shown && cell->kind == CELL_PARTS)
		return parts_shown(arena, cell->text);
	return exact ? exact : "";
}

struct grid *grid_new(struct arena *arena, const struct column *columns, size_t count)
{
	struct grid *grid = arena_alloc(arena, sizeof(*grid));

	*grid = (struct grid){ .columns = columns, .ncolumns = count };
	return grid;
}

struct grid_row *grid_add(struct grid *table, const struct cell *cells, struct arena *arena)
{
	struct grid_row row = { .cells = arena_array(arena, table->ncolumns, sizeof(*cells)) };

	memcpy(row.cells, cells, table->ncolumns * sizeof(*cells));
	table->rows = arena_grow(arena, table->rows, table->count, &table->capacity, sizeof(row));
	table->rows[table->count] = row;
	return &table->rows[table->count++];
}

void doc_gap(struct document *doc)
{
	doc->is_apart = true;
}

void doc_add(struct document *doc, struct block block)
{
	block.is_apart = doc->is_apart;
	doc->is_apart = false;
	doc->blocks = arena_grow(doc->arena, doc->blocks, doc->count, &doc->capacity, sizeof(block));
	doc->blocks[doc->count++] = block;
}

void doc_sentence(struct document *doc, const char *text)
{
	doc_add(doc, (struct block){ .kind = BLOCK_SENTENCE, .text = text });
}

void doc_commands(struct document *doc, const char *heading, const char *const *commands, size_t count)
{
	if (!count)
		return;
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .text = heading });
	for (size_t i = 0; i < count; i++)
		doc_add(doc, (struct block){ .kind = BLOCK_COMMAND, .text = commands[i] });
}

const char *plus_minus(const struct document *doc)
{
	return doc->style->has_utf8 ? "±" : "+-";
}
