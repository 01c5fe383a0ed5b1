/* SPDX-License-Identifier: GPL-2.0-or-later */
/* where_code.c - an annotated function: its source, and its instructions, each with its share. */
#include <inttypes.h>

#include "analyse/hotspots/annotation.h"
#include "present/document/human.h"
#include "present/where/where_parts.h"

static const char *where_code_share_text(const struct document *doc, const struct share *share, struct amount amount)
{
	return amount.weight > 0 ? arena_printf(doc->arena, "%s%s", share->is_rough ? "~ " : "",
						human_fixed(doc->arena, share->percent, 1))
				 : "";
}

static enum ink ink_of(const struct share *share)
{
	return share->percent >= HOT_PERCENT ? INK_WORST : INK_PLAIN;
}

static const char *mark_text(const struct share *share)
{
	return share->percent >= HOT_PERCENT ? ">" : "";
}

/* A share with what it is exactly. */
static struct cell share_cell(const struct document *doc, const struct share *share, struct amount amount)
{
	struct cell cell = number_cell(share->percent);

	cell.shown = where_code_share_text(doc, share, amount);
	cell.ink = ink_of(share);
	return cell;
}

enum { LINE_SHARE, LINE_MARK, LINE_NUMBER, LINE_TEXT, LINE_SAMPLES, LINE_COLUMNS };

static const struct column line_columns[LINE_COLUMNS] = {
	[LINE_SHARE] = { .key = "share", .heading = "%", .flags = COLUMN_RIGHT, .least = 8 },
	[LINE_MARK] = { .heading = "Hot", .flags = COLUMN_TEXT_ONLY, .gap = 1, .least = 1 },
	[LINE_NUMBER] = { .heading = "Line", .flags = COLUMN_RIGHT, .gap = 1 },
	[LINE_TEXT] = { .heading = "Source", .flags = COLUMN_TO_END | COLUMN_CODE, .gap = 2, .least = 8 },
	[LINE_SAMPLES] = { .key = "samples" },
};

/* A tab is 8 columns wide. */
static const char *without_tabs(const struct document *doc, const char *text)
{
	struct string out = STRING_INIT(doc->arena);

	for (const char *c = text; *c; c++)
		if (*c == '\t')
			string_addn(&out, "        ", 8 - out.length % 8);
		else
			string_addn(&out, c, 1);
	return out.text;
}

static void add_source(struct document *doc, const struct annotation *a)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));

	if (!a->nlines)
		return;
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .text = a->file, .indent = "  " });
	*grid = (struct grid){ .columns = line_columns, .ncolumns = LINE_COLUMNS, .is_wide = true };
	for (size_t i = 0; i < a->nlines; i++) {
		const struct annotated_line *line = &a->lines[i];

		if (line->is_behind_a_gap)
			grid_add(grid, (const struct cell[LINE_COLUMNS]){ [LINE_TEXT] = shown_cell("...", INK_DIM) },
				 doc->arena);
		grid_add(grid,
			 (const struct cell[LINE_COLUMNS]){
				 share_cell(doc, &line->share, line->amount),
				 shown_cell(mark_text(&line->share), ink_of(&line->share)),
				 shown_cell(arena_printf(doc->arena, "%" PRIu32, line->line), INK_DIM),
				 shown_cell(line->text ? without_tabs(doc, line->text) : "", ink_of(&line->share)),
				 whole_cell(line->amount.samples) },
			 doc->arena);
	}
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

enum { CODE_SHARE, CODE_MARK, CODE_ADDRESS, CODE_JUMP, CODE_TEXT, CODE_LINE, CODE_SAMPLES, CODE_COLUMNS };

static const struct column code_columns[CODE_COLUMNS] = {
	[CODE_SHARE] = { .key = "share", .heading = "%", .flags = COLUMN_RIGHT, .least = 8 },
	[CODE_MARK] = { .heading = "Hot", .flags = COLUMN_TEXT_ONLY, .gap = 1, .least = 1 },
	[CODE_ADDRESS] = { .heading = "Address", .flags = COLUMN_RIGHT, .gap = 1 },
	[CODE_JUMP] = { .heading = "Jump", .gap = 1, .least = 1 },
	[CODE_TEXT] = { .heading = "Instruction", .flags = COLUMN_CODE, .gap = 2, .most = 52 },
	[CODE_LINE] = { .heading = "Line", .flags = COLUMN_TO_END, .gap = 2, .least = 8 },
	[CODE_SAMPLES] = { .key = "samples" },
};

/* Up or down, of a jump within the function; and where one leads to. */
static const char *jump_text(const struct document *doc, const struct annotated_instruction *own)
{
	bool has_utf8 = doc->style->has_utf8;
	const char *way = "";

	if (own->jump_target)
		way = own->jump_target > own->address ? (has_utf8 ? "↓" : "v") : (has_utf8 ? "↑" : "^");
	return arena_printf(doc->arena, "%s%s", own->is_target ? (has_utf8 ? "→" : ">") : " ", way);
}

static const char *line_text(const struct document *doc, const struct annotated_instruction *own)
{
	return own->line ? arena_printf(doc->arena, "%s:%" PRIu32, module_base_name(own->file), own->line) : "";
}

static void add_code(struct document *doc, const struct annotation *a)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));

	if (!a->ninstructions)
		return;
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .text = "Instructions:", .indent = "  " });
	*grid = (struct grid){ .columns = code_columns, .ncolumns = CODE_COLUMNS, .is_wide = true };
	for (size_t i = 0; i < a->ninstructions; i++) {
		const struct annotated_instruction *own = &a->instructions[i];

		if (own->is_behind_a_gap)
			grid_add(grid, (const struct cell[CODE_COLUMNS]){ [CODE_TEXT] = shown_cell("...", INK_DIM) },
				 doc->arena);
		grid_add(grid,
			 (const struct cell[CODE_COLUMNS]){
				 share_cell(doc, &own->share, own->amount),
				 shown_cell(mark_text(&own->share), ink_of(&own->share)),
				 shown_cell(arena_printf(doc->arena, "%" PRIx64, own->address), INK_DIM),
				 shown_cell(jump_text(doc, own), INK_PATH), shown_cell(own->text, ink_of(&own->share)),
				 shown_cell(line_text(doc, own), INK_DIM), whole_cell(own->amount.samples) },
			 doc->arena);
	}
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

void where_code(struct document *doc, const struct annotation *a)
{
	const char *module = a->module ? module_base_name(a->module) : "no file";
	const char *little = where_little_text(doc->arena, a->weighing, &a->self);

	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING,
				     .text = arena_printf(
					     doc->arena,
					     "%s [%s] has %s %% of %s%s; lines and instructions in percent of that:",
					     a->function ? a->function : "code without names", module,
					     human_fixed(doc->arena, a->self.percent, 1), a->weighing->title,
					     where_size_text(doc->arena, a->weighing, &a->self)),
				     .level = 3 });
	if (little)
		doc_sentence(doc, little);
	add_source(doc, a);
	add_code(doc, a);
	for (size_t i = 0; i < a->nremarks; i++)
		doc_sentence(doc, a->remarks[i]);
}

void where_code_json(struct json_writer *writer, const struct annotation *a, struct arena *arena)
{
	struct grid *lines = grid_new(arena, NULL, 0), *code = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < a->nlines; i++)
		grid_members(lines, arena,
			     MEMBERS({ "line", whole_cell(a->lines[i].line) },
				     { "share", number_cell(a->lines[i].share.percent) },
				     { "samples", whole_cell(a->lines[i].amount.samples) },
				     { "text", text_cell(a->lines[i].text) }));
	for (size_t i = 0; i < a->ninstructions; i++) {
		const struct annotated_instruction *own = &a->instructions[i];
		const char *jump = arena_printf(arena, "0x%" PRIx64, own->jump_target);

		grid_members(code, arena,
			     MEMBERS({ "address", text_cell(arena_printf(arena, "0x%" PRIx64, own->address)) },
				     { "share", number_cell(own->share.percent) },
				     { "samples", whole_cell(own->amount.samples) },
				     { "jump", own->jump_target ? text_cell(jump) : absent_cell() },
				     { "line", known_cell(own->line) }, { "text", text_cell(own->text) }));
	}
	json_members(
		writer,
		MEMBERS({ "annotation",
			  object_cell(arena, MEMBERS({ "function", text_cell(a->function) },
						     { "module", text_cell(a->module) }, { "file", text_cell(a->file) },
						     { "self", number_cell(a->self.percent) },
						     { "lines", rows_cell(lines) }, { "instructions", rows_cell(code) },
						     { "remarks", texts_cell(arena, a->remarks, a->nremarks) })) }));
}
