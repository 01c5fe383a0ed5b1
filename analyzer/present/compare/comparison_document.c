/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_document.c - what changed: the verdict first, what it consists of, where, and what to type next. */
#include <math.h>
#include <string.h>

#include "common/base/text.h"
#include "present/compare/comparison_fields.h"
#include "present/document/human.h"
#include "present/screen/screen.h"

#define MOST_ROWS  5 /* of reasons and functions, without -v */
#define MOST_FACTS 8
#define LABEL	   9 /* columns */

/* ---- head ---- */

static void comparison_document_add_head(struct document *doc, const struct comparison *comparison)
{
	struct fact *facts = arena_array(doc->arena, MOST_FACTS, sizeof(*facts));
	size_t count = 0;

	facts[count++] = (struct fact){ .label = "Before", .text = comparison->request->before.label, .is_code = true };
	facts[count++] = (struct fact){ .label = "After", .text = comparison->request->after.label, .is_code = true };
	facts[count++] = (struct fact){ .label = "Measured", .text = comparison_repeats(comparison, doc->arena) };
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_FACTS, .facts = facts, .nfacts = count, .label = LABEL });
}

static void comparison_document_add_verdict(struct document *doc, const struct comparison *comparison)
{
	const char *about = comparison->headline ? comparison->headline->title : NULL;
	const char *text =
		about ? arena_printf(doc->arena, "%s: %s", about, comparison->sentence) : comparison->sentence;
	struct fact *differs = arena_alloc(doc->arena, sizeof(*differs));

	doc_add(doc, (struct block){ .kind = BLOCK_TITLE, .text = "Comparison", .level = 1 });
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING,
				     .text = text,
				     .level = 2,
				     .ink = comparison->verdict == VERDICT_SLOWER ? INK_WORST : INK_BOLD });
	*differs = (struct fact){ .label = "Differs", .text = comparison_differs(comparison, true, doc->arena) };
	if (*differs->text)
		doc_add(doc, (struct block){ .kind = BLOCK_FACTS, .facts = differs, .nfacts = 1, .label = LABEL });
}

/* ---- metrics ---- */

static bool is_shown(const struct document *doc, const struct compared_metric *metric)
{
	if (metric->metric && metric->metric->level)
		return doc->style->is_verbose;
	if (has_name_prefix(metric->name, "wall.") && !(metric->before > 0) && !(metric->after > 0))
		return false; /* neither has waited for that */
	return !metric->metric || doc->style->is_verbose || !strcmp(metric->metric->title, "IPC");
}

static void add_metrics(struct document *doc, const struct comparison *comparison)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));
	struct cell cells[METRIC_COLUMNS];

	*grid = (struct grid){ .columns = compared_metric_columns, .ncolumns = METRIC_COLUMNS, .has_heads = true };
	for (size_t i = 0; i < comparison->nmetrics; i++) {
		if (!is_shown(doc, &comparison->metrics[i]))
			continue;
		compared_metric_cells(cells, &comparison->metrics[i], doc->arena);
		grid_add(grid, cells, doc->arena);
	}
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

/* ---- reasons ---- */

enum { REASON_CYCLES, REASON_INTERVAL, REASON_PERCENT, REASON_TITLE, REASON_WHERE, REASON_COLUMNS };

static const struct column reason_columns[REASON_COLUMNS] = {
	[REASON_CYCLES] = { .heading = "Cycles", .flags = COLUMN_RIGHT, .gap = 2 },
	[REASON_INTERVAL] = { .heading = "95 %", .gap = 2 },
	[REASON_PERCENT] = { .heading = "of before", .flags = COLUMN_RIGHT, .gap = 2 },
	[REASON_TITLE] = { .heading = "Reason", .gap = 2, .least = 12 },
	[REASON_WHERE] = { .heading = "Mostly in", .flags = COLUMN_TO_END, .gap = 2, .least = 12 },
};

static void add_reason(struct grid *grid, const struct compared_term *term, struct arena *arena)
{
	grid_add(grid,
		 (const struct cell[]){ shown_cell(human_difference(arena, term->cycles.value), INK_PLAIN),
					shown_cell(comparison_spread(&term->cycles, arena), INK_DIM),
					shown_cell(comparison_percent(term->percent, arena), INK_PLAIN),
					shown_cell(term->title, grid->count ? INK_PLAIN : INK_BOLD),
					shown_cell(comparison_place(&term->place, arena), INK_PLAIN) },
		 arena);
}

static void add_rest(struct grid *grid, const struct comparison *comparison, size_t from, struct arena *arena)
{
	struct compared_term rest = { .cycles = estimate_alone(0) };

	for (size_t i = from; i < comparison->nterms; i++) {
		rest.cycles.value += comparison->terms[i].cycles.value;
		rest.percent += comparison->terms[i].percent;
	}
	rest.title = arena_printf(arena, "%zu others (-v)", comparison->nterms - from);
	add_reason(grid, &rest, arena);
}

static void add_reasons(struct document *doc, const struct comparison *comparison)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));
	double difference = comparison->cycles_after - comparison->cycles_before;
	size_t most = doc->style->is_verbose ? comparison->nterms : MOST_ROWS;
	const char *heading =
		arena_printf(doc->arena, "%s cycles consist of", human_difference(doc->arena, difference));

	if (!comparison->nterms)
		return;
	*grid = (struct grid){ .columns = reason_columns, .ncolumns = REASON_COLUMNS, .has_heads = true };
	for (size_t i = 0; i < comparison->nterms && i < most; i++)
		add_reason(grid, &comparison->terms[i], doc->arena);
	if (comparison->nterms > most)
		add_rest(grid, comparison, most, doc->arena);
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .text = heading, .level = 2 });
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

/* ---- functions ---- */

enum { CODE_DIFFERENCE, CODE_INTERVAL, CODE_BEFORE, CODE_AFTER, CODE_NAME, CODE_REMARK, CODE_LINE, CODE_COLUMNS };

static const struct column code_columns[CODE_COLUMNS] = {
	[CODE_DIFFERENCE] = { .heading = "Difference", .flags = COLUMN_RIGHT, .gap = 2 },
	[CODE_INTERVAL] = { .heading = "95 %", .gap = 2 },
	[CODE_BEFORE] = { .heading = "Before", .flags = COLUMN_RIGHT, .gap = 2 },
	[CODE_AFTER] = { .heading = "After", .flags = COLUMN_RIGHT, .gap = 2 },
	[CODE_NAME] = { .heading = "Function", .flags = COLUMN_SHRINKS, .gap = 2, .least = 12 },
	[CODE_REMARK] = { .heading = "", .gap = 2 },
	[CODE_LINE] = { .heading = "Line", .flags = COLUMN_TO_END, .gap = 2, .least = 10 },
};

static void comparison_document_add_function(struct grid *grid, const struct comparison *comparison,
					     const struct compared_function *function, struct arena *arena)
{
	const struct estimate *difference = &function->difference;

	grid_add(grid,
		 (const struct cell[]){
			 shown_cell(comparison_change(comparison, difference->value, arena), INK_PLAIN),
			 shown_cell(comparison_range(comparison, difference, arena), INK_DIM),
			 shown_cell(comparison_amount(comparison, function->before, arena), INK_PLAIN),
			 shown_cell(comparison_amount(comparison, function->after, arena), INK_PLAIN),
			 shown_cell(function->name ? function->name : "(no name)", INK_PLAIN),
			 shown_cell(comparison_remark(function, arena), INK_PLAIN),
			 shown_cell(comparison_line(function->line.file, function->line.line, arena), INK_PLAIN) },
		 arena);
}

/* Unknown where it is of one layout alone. */
static bool is_sure(const struct estimate *difference)
{
	return isnan(difference->low) || difference->low > 0 || difference->high < 0;
}

static void comparison_document_add_functions(struct document *doc, const struct comparison *comparison)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));
	size_t most = doc->style->is_verbose ? comparison->nfunctions : MOST_ROWS;

	if (!comparison->nfunctions)
		return;
	*grid = (struct grid){ .columns = code_columns, .ncolumns = CODE_COLUMNS, .has_heads = true };
	for (size_t i = 0; i < comparison->nfunctions && grid->count < most; i++)
		if (doc->style->is_verbose || is_sure(&comparison->functions[i].difference))
			comparison_document_add_function(grid, comparison, &comparison->functions[i], doc->arena);
	doc_gap(doc);
	doc_add(doc,
		(struct block){ .kind = BLOCK_HEADING,
				.text = !strcmp(comparison->unit, "ns") ? "Functions, by time" : "Functions, by cycles",
				.level = 2 });
	if (grid->count)
		doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	if (comparison->nfunctions > grid->count)
		doc_sentence(doc, arena_printf(doc->arena, "%zu %sfunctions%s: -v shows them",
					       comparison->nfunctions - grid->count, grid->count ? "more " : "",
					       grid->count < most ? ", whose differences may be chance" : ""));
}

/* ---- the rest ---- */

static void comparison_document_add_notes(struct document *doc, const struct comparison *comparison)
{
	const char *others = comparison_differs(comparison, false, doc->arena);

	doc_gap(doc);
	for (size_t i = 0; i < comparison->nnotes; i++)
		doc_add(doc, (struct block){ .kind = BLOCK_NOTE, .text = comparison->notes[i] });
	if (*others)
		doc_add(doc, (struct block){ .kind = BLOCK_NOTE,
					     .text = arena_printf(doc->arena, "Also different: %s.", others) });
}

static void comparison_document_add_wall(struct document *doc, const struct comparison *comparison)
{
	const char *text = comparison_wall(comparison, doc->arena);

	if (!text)
		return;
	doc_gap(doc);
	doc_sentence(doc, arena_printf(doc->arena, "%s.", text));
}

static void comparison_document(struct document *doc, const void *what)
{
	const struct comparison *comparison = what;

	comparison_document_add_verdict(doc, comparison);
	if (is_screen(doc) && comparison_has_screen(comparison)) {
		comparison_screen(doc, comparison, comparison_document_add_notes);
		return;
	}
	add_metrics(doc, comparison);
	comparison_document_add_wall(doc, comparison);
	add_reasons(doc, comparison);
	comparison_document_add_functions(doc, comparison);
	comparison_document_add_notes(doc, comparison);
	if (comparison->next.command)
		doc_commands(doc, "Next:", &comparison->next.command, 1);
	if (comparison->change_layouts.command)
		doc_commands(doc, "Is it only the layout?", &comparison->change_layouts.command, 1);
	comparison_document_add_head(doc, comparison);
}

/* ---- for machines ---- */

static void comparison_json(struct json_writer *writer, const void *what, struct arena *arena)
{
	const struct comparison *c = what;
	const struct compared_metric *headline = c->headline;
	const bool is_open = headline && headline->change == CHANGE_UNKNOWN;
	const struct grid metrics = comparison_metrics(c, arena), nodes = comparison_nodes(c, arena),
			  terms = comparison_terms(c, arena), functions = comparison_functions(c, arena),
			  surroundings = comparison_surroundings(c, arena);

	json_members(writer,
		     MEMBERS({ "format", text_cell("topdown-comparison") }, { "version", whole_cell(1) },
			     { "verdict", text_cell(verdict_name(c->verdict)) }, { "sentence", text_cell(c->sentence) },
			     { "before", text_cell(c->request->before.label) },
			     { "after", text_cell(c->request->after.label) }, { "pairs", whole_cell(c->pairs) },
			     { "paired", truth_cell(c->request->is_paired) }, { "exact", truth_cell(c->is_exact) },
			     { "metric", text_cell(headline ? headline->name : NULL) },
			     { "more_pairs", is_open ? known_cell(headline->more) : absent_cell() },
			     { "cycles_before", number_cell(c->cycles_before) },
			     { "cycles_after", number_cell(c->cycles_after) }, { "functions_unit", text_cell(c->unit) },
			     { "functions_left", c->unit ? number_cell(c->functions_left) : absent_cell() },
			     { "layout_suspected", truth_cell(c->is_layout_suspected) },
			     { "metrics", rows_cell(&metrics) }, { "nodes", rows_cell(&nodes) },
			     { "terms", rows_cell(&terms) }, { "functions", rows_cell(&functions) },
			     { "environment", rows_cell(&surroundings) },
			     { "next", text_cell(c->next.command ? c->next.command : c->change_layouts.command) },
			     { "notes", texts_cell(arena, c->notes, c->nnotes) }));
}

/* Rows of all kinds; what is no question for one is empty. */
static void comparison_csv(struct sheet *sheet, const void *what)
{
	static const struct column columns[] = {
		{ .key = "kind" },	 { .key = "name" },	  { .key = "before" }, { .key = "after" },
		{ .key = "difference" }, { .key = "low" },	  { .key = "high" },   { .key = "ratio" },
		{ .key = "ratio_low" },	 { .key = "ratio_high" }, { .key = "p" },      { .key = "function" },
		{ .key = "file" },	 { .key = "line" },
	};
	const struct comparison *c = what;
	struct grid grid = { .columns = columns, .ncolumns = COUNT_OF(columns) };

	grid_add(&grid,
		 (const struct cell[COUNT_OF(columns)]){ text_cell("verdict"), text_cell(verdict_name(c->verdict)) },
		 sheet->arena);
	for (size_t i = 0; i < c->nmetrics; i++) {
		const struct compared_metric *m = &c->metrics[i];

		grid_add(&grid,
			 (const struct cell[COUNT_OF(columns)]){
				 text_cell("metric"), text_cell(m->name), number_cell(m->before), number_cell(m->after),
				 number_cell(m->after - m->before), absent_cell(), absent_cell(),
				 number_cell(m->ratio.value), number_cell(m->ratio.low), number_cell(m->ratio.high),
				 number_cell(m->p) },
			 sheet->arena);
	}
	for (size_t i = 0; i < c->nterms; i++) {
		const struct compared_term *t = &c->terms[i];

		grid_add(&grid,
			 (const struct cell[COUNT_OF(columns)]){
				 text_cell("reason"), text_cell(t->node ? t->node : t->title), absent_cell(),
				 absent_cell(), number_cell(t->cycles.value), number_cell(t->cycles.low),
				 number_cell(t->cycles.high), absent_cell(), absent_cell(), absent_cell(),
				 absent_cell(), text_cell(t->place.function), text_cell(t->place.file),
				 known_cell(t->place.line) },
			 sheet->arena);
	}
	for (size_t i = 0; i < c->nfunctions; i++) {
		const struct compared_function *f = &c->functions[i];

		grid_add(&grid,
			 (const struct cell[COUNT_OF(columns)]){
				 text_cell("function"), text_cell(f->name), number_cell(f->before),
				 number_cell(f->after), number_cell(f->difference.value),
				 number_cell(f->difference.low), number_cell(f->difference.high), absent_cell(),
				 absent_cell(), absent_cell(), absent_cell(), text_cell(f->name),
				 text_cell(f->line.file), known_cell(f->line.line) },
			 sheet->arena);
	}
	csv_grid(sheet, &grid);
}

const struct view comparison_view = {
	.document = comparison_document, .page = comparison_page, .json = comparison_json, .csv = comparison_csv
};
