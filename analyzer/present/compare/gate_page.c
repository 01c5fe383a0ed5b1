/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate_page.c - a gate as a page: the verdict, each limit with what was measured on one scale for all, what an excess
 * consists of, and what to type next.
 */
#include <math.h>

#include "present/compare/gate_parts.h"
#include "present/document/human.h"
#include "present/plot/strip.h"

/* ---- limits ---- */

enum {
	LIMIT_VERDICT,
	LIMIT_SUBJECT,
	LIMIT_METRIC,
	LIMIT_FUNCTION,
	LIMIT_BOUND,
	LIMIT_BEFORE,
	LIMIT_AFTER,
	LIMIT_AMOUNT,
	LIMIT_INTERVAL,
	LIMIT_LOW,
	LIMIT_HIGH,
	LIMIT_UNIT,
	LIMIT_ALLOWED,
	LIMIT_WRITTEN,
	LIMIT_COLUMNS
};

static const struct column limit_columns[LIMIT_COLUMNS] = {
	[LIMIT_VERDICT] = { .key = "verdict", .heading = "Verdict" },
	[LIMIT_SUBJECT] = { .heading = "Limit" },
	[LIMIT_METRIC] = { .key = "metric" },
	[LIMIT_FUNCTION] = { .key = "function" },
	[LIMIT_BOUND] = { .key = "bound" },
	[LIMIT_BEFORE] = { .key = "before", .heading = "Before", .flags = COLUMN_RIGHT },
	[LIMIT_AFTER] = { .key = "after", .heading = "After", .flags = COLUMN_RIGHT },
	[LIMIT_AMOUNT] = { .key = "amount", .heading = "Change", .flags = COLUMN_RIGHT },
	[LIMIT_INTERVAL] = { .heading = "Interval" },
	[LIMIT_LOW] = { .key = "amount_low" },
	[LIMIT_HIGH] = { .key = "amount_high" },
	[LIMIT_UNIT] = { .key = "unit" },
	[LIMIT_ALLOWED] = { .heading = "Allowed" },
	[LIMIT_WRITTEN] = { .key = "allowed" },
};

/* A sign that stands beside the word, because not everybody sees the colour. */
static const char *verdict_text(enum gate_verdict verdict, struct arena *arena)
{
	static const char *const signs[] = { [GATE_WITHIN] = "✓", [GATE_BEYOND] = "✗", [GATE_UNKNOWN] = "?" };

	return arena_printf(arena, "%s %s", signs[verdict], gate_verdict_word(verdict));
}

static struct cell number_as(double number, const char *shown)
{
	struct cell cell = number_cell(number);

	cell.shown = shown;
	return cell;
}

static void add_limit(struct grid *grid, const struct gate_row *row, struct arena *arena)
{
	const struct gate_limit *limit = row->limit;
	enum ink ink = row->verdict == GATE_BEYOND ? INK_WORST : INK_PLAIN;
	struct cell cells[LIMIT_COLUMNS] = {
		[LIMIT_VERDICT] = text_cell(gate_verdict_name(row->verdict)),
		[LIMIT_SUBJECT] = shown_cell(gate_subject(row, arena), ink),
		[LIMIT_METRIC] = text_cell(limit->metric),
		[LIMIT_FUNCTION] = text_cell(limit->function),
		[LIMIT_BOUND] = text_cell(gate_bound_name(limit->bound)),
		[LIMIT_BEFORE] = number_as(row->before, gate_value_text(row, row->before, arena)),
		[LIMIT_AFTER] = number_as(row->after, gate_value_text(row, row->after, arena)),
		[LIMIT_AMOUNT] = number_as(row->amount.value, gate_change_text(row, arena)),
		[LIMIT_INTERVAL] = shown_cell(gate_interval_text(row, arena), INK_DIM),
		[LIMIT_LOW] = number_cell(row->amount.low),
		[LIMIT_HIGH] = number_cell(row->amount.high),
		[LIMIT_UNIT] = word_cell(row->unit),
		[LIMIT_ALLOWED] = shown_cell(gate_allowed_text(limit, arena), INK_PLAIN),
		[LIMIT_WRITTEN] = text_cell(limit->written),
	};

	cells[LIMIT_VERDICT].shown = verdict_text(row->verdict, arena);
	cells[LIMIT_VERDICT].ink = ink;
	grid_add(grid, cells, arena);
}

#define LOWEST	(-1.0) /* of the scale, in limits */
#define HIGHEST 8.0    /* 128 times the limit */

/*
 * On a scale where each limit is 1. Up to it a change is as far as its part of the limit, and behind it each doubling
 * takes as much room as the limit does. A limit of 0 has nothing to divide: what is beyond it is a doubling away.
 */
static double gate_page_place_of(const struct gate_row *row, double amount)
{
	double limit = row->limit->value, share;

	if (isinf(amount))
		return amount > 0 ? HIGHEST : LOWEST;
	if (!(fabs(limit) > 0))
		return amount > 0 ? 2 : amount < 0 ? LOWEST : 0;
	share = row->limit->bound == BOUND_MIN ? 1 - (amount - limit) / fabs(limit)
					       : 1 + (amount - limit) / fabs(limit);
	return share > 1 ? 1 + log2(share) : share;
}

static void gate_page_fill(struct strip *strip, const struct gate_row *row)
{
	static const enum strip_look looks[] = {
		[GATE_WITHIN] = STRIP_LESS, [GATE_BEYOND] = STRIP_MORE, [GATE_UNKNOWN] = STRIP_DOUBT
	};
	const struct estimate *amount = &row->amount;
	double at = gate_page_place_of(row, amount->value);

	strip_add(strip, STRIP_BAR, looks[row->verdict], 0, at);
	if (amount->low < amount->high)
		strip_add(strip, STRIP_RANGE, STRIP_PLAIN, gate_page_place_of(row, amount->low),
			  gate_page_place_of(row, amount->high));
	strip_add(strip, STRIP_LINE, STRIP_LIMIT, 1, 1);
}

static void add_limits(struct document *doc, const struct gate_result *result)
{
	struct strip *strips = arena_array(doc->arena, result->count + 1, sizeof(*strips));
	struct strip_column column = { .at = LIMIT_AMOUNT,
				       .strips = strips,
				       .heading = "The line is the limit; behind it each doubling" };
	struct grid grid = { .columns = limit_columns, .ncolumns = LIMIT_COLUMNS, .has_heads = true };
	bool is_cut;

	for (size_t i = 0; i < result->count; i++) {
		add_limit(&grid, &result->rows[i], doc->arena);
		gate_page_fill(&strips[i], &result->rows[i]);
	}
	column.scale = strip_scale_of(strips, result->count);
	is_cut = column.scale.low < LOWEST || column.scale.high > HIGHEST;
	column.scale.low = fmin(fmax(column.scale.low, LOWEST), 0);
	column.scale.high = fmax(fmin(column.scale.high, HIGHEST), 1.25);
	doc_add(doc, (struct block){ .kind = BLOCK_SECTION, .text = "Limits", .id = "limits" });
	if (is_cut)
		doc_sentence(doc, "What lies beyond the scale is drawn at its end.");
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid_with_strips(&grid, &column, doc->arena) });
}

/* ---- what is beyond its limit, or cannot be judged ---- */

enum {
	CAUSE_TEXT,
	CAUSE_AMOUNT,
	CAUSE_UNIT,
	CAUSE_NODE,
	CAUSE_FUNCTION,
	CAUSE_MODULE,
	CAUSE_FILE,
	CAUSE_LINE,
	CAUSE_COLUMNS
};

static const struct column cause_columns[CAUSE_COLUMNS] = {
	[CAUSE_TEXT] = { .heading = "Cause" },	  [CAUSE_AMOUNT] = { .key = "amount" },
	[CAUSE_UNIT] = { .key = "unit" },	  [CAUSE_NODE] = { .key = "node" },
	[CAUSE_FUNCTION] = { .key = "function" }, [CAUSE_MODULE] = { .key = "module" },
	[CAUSE_FILE] = { .key = "file" },	  [CAUSE_LINE] = { .key = "line" },
};

static void add_causes(struct document *doc, const struct gate_row *row)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));

	*grid = (struct grid){ .columns = cause_columns, .ncolumns = CAUSE_COLUMNS, .has_heads = true };
	for (size_t i = 0; i < row->ncauses; i++) {
		const struct gate_cause *cause = &row->causes[i];
		const struct cell cells[CAUSE_COLUMNS] = {
			[CAUSE_TEXT] = shown_cell(gate_cause_text(cause, doc->arena), i ? INK_PLAIN : INK_BOLD),
			[CAUSE_AMOUNT] = number_cell(cause->amount),
			[CAUSE_UNIT] = word_cell(cause->unit),
			[CAUSE_NODE] = word_cell(cause->node),
			[CAUSE_FUNCTION] = word_cell(cause->function),
			[CAUSE_MODULE] = word_cell(cause->module),
			[CAUSE_FILE] = word_cell(cause->file),
			[CAUSE_LINE] = known_cell(cause->line),
		};

		grid_add(grid, cells, doc->arena);
	}
	if (grid->count)
		doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

static void gate_page_add_row(struct document *doc, const struct gate_result *result, const struct gate_row *row)
{
	doc_add(doc,
		(struct block){ .kind = BLOCK_HEADING, .level = 3, .text = gate_sentence(result, row, doc->arena) });
	add_causes(doc, row);
	if (row->limit->note && row->verdict == GATE_BEYOND)
		doc_sentence(doc, arena_printf(doc->arena, "The limit says: %s", row->limit->note));
}

static void add_details(struct document *doc, const struct gate_result *result)
{
	bool has_begun = false;

	for (size_t i = 0; i < result->count; i++) {
		const struct gate_row *row = &result->rows[i];

		if (row->verdict == GATE_WITHIN && !row->reason)
			continue;
		if (!has_begun)
			doc_add(doc, (struct block){ .kind = BLOCK_SECTION, .text = "Why", .id = "why" });
		has_begun = true;
		gate_page_add_row(doc, result, row);
	}
}

static void gate_page_add_notes(struct document *doc, const struct gate_result *result)
{
	const char *command = result->nbeyond ? result->request->look_closer : NULL;

	if (result->nnotes || command)
		doc_add(doc, (struct block){ .kind = BLOCK_SECTION, .text = "Remarks and next", .id = "next" });
	for (size_t i = 0; i < result->nnotes; i++)
		doc_add(doc, (struct block){ .kind = BLOCK_NOTE, .text = result->notes[i] });
	if (command)
		doc_commands(doc, "Look closer:", &command, 1);
}

static const char *gate_title(const struct gate_result *result, struct arena *arena)
{
	return arena_printf(arena, "Gate of %s", result->request->comparison->request->after.label);
}

void gate_page(struct document *doc, const void *what, const struct page_content *content UNUSED)
{
	const struct gate_result *result = what;

	doc_add(doc, (struct block){ .kind = BLOCK_TITLE, .text = gate_title(result, doc->arena), .level = 1 });
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING,
				     .text = gate_headline(result, doc->arena),
				     .level = 2,
				     .ink = result->nbeyond ? INK_WORST : INK_BOLD });
	doc_add(doc, (struct block){ .kind = BLOCK_FACTS,
				     .facts = gate_facts(result, doc->arena) + 1,
				     .nfacts = GATE_FACTS - 1 });
	doc_sentence(doc, arena_printf(doc->arena, "The exit status is %d.", gate_status(result)));
	add_limits(doc, result);
	add_details(doc, result);
	gate_page_add_notes(doc, result);
}
