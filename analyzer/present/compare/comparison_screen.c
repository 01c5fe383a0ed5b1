/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comparison_screen.c - a comparison with reasons as short as a terminal likes it: from all cycles before to all cycles
 * after, a bar for each reason; then what is left, what stayed the same, and what to type next. -v has tables.
 */
#include <math.h>
#include <string.h>

#include "present/compare/comparison_fields.h"
#include "present/document/human.h"
#include "present/report/report_fields.h"

#define LABEL	   6   /* columns */
#define BAR	   24  /* of all cycles */
#define LEAST_MARK 0.3 /* of a column, that is shown */
#define MOST_STEPS 6
#define LEAST_STEP 0.5 /* percent of the cycles before, below which a reason is one of the others */

enum { STEP_CYCLES, STEP_INTERVAL, STEP_BAR, STEP_TITLE, STEP_WHERE, STEP_COLUMNS };

static const struct column step_columns[STEP_COLUMNS] = {
	[STEP_CYCLES] = { .heading = "Cycles", .flags = COLUMN_RIGHT, .gap = 2 },
	[STEP_INTERVAL] = { .heading = "95 %", .gap = 2 },
	[STEP_BAR] = { .heading = "", .gap = 2 },
	[STEP_TITLE] = { .heading = "Reason", .flags = COLUMN_SHRINKS, .gap = 2, .least = 12 },
	[STEP_WHERE] = { .heading = "Mostly in", .flags = COLUMN_TO_END, .gap = 2, .least = 12 },
};

/* The rows so far. */
struct steps {
	struct document *doc;
	struct grid *grid;
	double scale; /* columns of a cycle */
	double at;    /* cycles, when the steps so far are taken */
};

/* From one number of cycles to another, in the place where they are; full: all of one side. */
static const char *step_bar(const struct steps *steps, double from, double to, bool is_full)
{
	const bool has_utf8 = steps->doc->style->has_utf8;
	const char *mark = is_full     ? (has_utf8 ? "█" : "#")
			   : to < from ? (has_utf8 ? "─" : "-")
				       : (has_utf8 ? "━" : "+");
	size_t begin = (size_t)fmax(round(fmin(from, to) * steps->scale), 0);
	size_t end = (size_t)fmax(round(fmax(from, to) * steps->scale), 0);
	struct string text = STRING_INIT(steps->doc->arena);

	if (begin == end && fabs(to - from) * steps->scale >= LEAST_MARK)
		end++;
	string_printf(&text, "%*s", (int)begin, "");
	for (size_t i = begin; i < end; i++)
		string_add(&text, mark);
	return text.text;
}

static void add_side(struct steps *steps, double cycles, const char *label)
{
	struct arena *arena = steps->doc->arena;

	grid_add(steps->grid,
		 (const struct cell[]){ shown_cell(human_count(arena, cycles), INK_PLAIN), shown_cell("", INK_PLAIN),
					shown_cell(step_bar(steps, 0, cycles, true), INK_PLAIN),
					shown_cell(label, INK_PLAIN), shown_cell("", INK_PLAIN) },
		 arena);
	steps->at = cycles;
}

static void add_step(struct steps *steps, const struct compared_term *term)
{
	struct arena *arena = steps->doc->arena;
	double from = steps->at;
	bool is_first = steps->grid->count == 1;

	steps->at += term->cycles.value;
	grid_add(steps->grid,
		 (const struct cell[]){ shown_cell(human_difference(arena, term->cycles.value), INK_PLAIN),
					shown_cell(comparison_spread(&term->cycles, arena), INK_DIM),
					shown_cell(step_bar(steps, from, steps->at, false), INK_PLAIN),
					shown_cell(term->title, is_first ? INK_BOLD : INK_PLAIN),
					shown_cell(comparison_place(&term->place, arena), INK_PLAIN) },
		 arena);
}

/* The number of reasons with a row of their own: the largest stand first. */
static size_t steps_shown(const struct comparison *comparison)
{
	size_t count = 0;

	while (count < comparison->nterms && count < MOST_STEPS &&
	       (!count || fabs(comparison->terms[count].percent) >= LEAST_STEP))
		count++;
	return count;
}

/* The highest that the steps come to. */
static double steps_top(const struct comparison *comparison)
{
	double at = comparison->cycles_before, top = fmax(at, comparison->cycles_after);

	for (size_t i = 0; i < comparison->nterms; i++)
		top = fmax(top, at += comparison->terms[i].cycles.value);
	return top;
}

static void add_others(struct steps *steps, const struct comparison *comparison, size_t from)
{
	struct compared_term others = { .cycles = estimate_alone(0) };

	if (from == comparison->nterms)
		return;
	for (size_t i = from; i < comparison->nterms; i++)
		others.cycles.value += comparison->terms[i].cycles.value;
	others.title = arena_printf(steps->doc->arena, "%zu other%s (-v)", comparison->nterms - from,
				    comparison->nterms - from == 1 ? "" : "s");
	add_step(steps, &others);
}

static void add_steps(struct document *doc, const struct comparison *comparison)
{
	struct steps steps = { .doc = doc, .grid = arena_alloc(doc->arena, sizeof(*steps.grid)) };
	size_t count = steps_shown(comparison);

	steps.scale = BAR / steps_top(comparison);
	*steps.grid = (struct grid){ .columns = step_columns, .ncolumns = STEP_COLUMNS, .has_heads = false };
	add_side(&steps, comparison->cycles_before, comparison->request->before.label);
	for (size_t i = 0; i < count; i++)
		add_step(&steps, &comparison->terms[i]);
	add_others(&steps, comparison, count);
	add_side(&steps, comparison->cycles_after, comparison->request->after.label);
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = steps.grid });
}

static void add_line(struct document *doc, const char *label, const char *text, enum ink ink)
{
	struct fact *fact = arena_alloc(doc->arena, sizeof(*fact));

	*fact = (struct fact){ .label = label, .text = text };
	if (*text)
		doc_add(doc,
			(struct block){ .kind = BLOCK_FACTS, .facts = fact, .nfacts = 1, .label = LABEL, .ink = ink });
}

/* What is worst now. */
static const char *left_text(const struct comparison *comparison, struct arena *arena)
{
	const struct report *report = comparison->request->after.report;
	const struct result *worst = report ? report->worst : NULL;

	return worst ? arena_printf(arena, "%s %s %s", worst->metric->title,
				    human_value(arena, worst->metric, worst->value), human_unit(arena, worst->metric))
		     : "";
}

/* The totals beside the one that the answer is about. */
static const char *totals_text(const struct comparison *comparison, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < comparison->nmetrics; i++) {
		const struct compared_metric *metric = &comparison->metrics[i];
		bool is_total = !metric->metric || !strcmp(metric->metric->title, "IPC");

		if (metric != comparison->headline && is_total)
			string_printf(&text, "%s%s %s -> %s", text.length ? "; " : "", metric->title,
				      comparison_value(metric, metric->before, arena),
				      comparison_value(metric, metric->after, arena));
	}
	return text.text;
}

bool comparison_has_screen(const struct comparison *comparison)
{
	return comparison->nterms && comparison->cycles_before > 0 && comparison->cycles_after > 0;
}

void comparison_screen(struct document *doc, const struct comparison *comparison,
		       void (*add_notes)(struct document *doc, const struct comparison *comparison))
{
	const char *next = comparison->next.command ? comparison->next.command : comparison->change_layouts.command;

	const char *wall = comparison_wall(comparison, doc->arena);

	add_steps(doc, comparison);
	add_notes(doc, comparison);
	doc_gap(doc);
	add_line(doc, "Left", left_text(comparison, doc->arena), INK_PLAIN);
	add_line(doc, "Also", totals_text(comparison, doc->arena), INK_PLAIN);
	if (wall)
		add_line(doc, "Wall", wall, INK_PLAIN);
	if (next)
		doc_add(doc, (struct block){ .kind = BLOCK_COMMAND, .text = next, .first = "Next  " });
	add_line(doc, "Run", arena_printf(doc->arena, "%s; -v: more", comparison_repeats(comparison, doc->arena)),
		 INK_DIM);
}
