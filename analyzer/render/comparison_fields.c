/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/comparison_fields.h"

#include <math.h>
#include <string.h>

#include "render/human.h"

const char *human_difference(struct arena *arena, double value)
{
	if (isnan(value))
		return "-";
	return arena_printf(arena, "%s%s", value > 0 ? "+" : value < 0 ? "-" : "", human_count(arena, fabs(value)));
}

/* ---- metrics ---- */

const struct column compared_metric_columns[METRIC_COLUMNS] = {
	[METRIC_NAME] = { .key = "name" },
	[METRIC_TITLE] = { .key = "title", .heading = "Metric", .flags = COLUMN_SHRINKS, .least = 12 },
	[METRIC_BEFORE] = { .key = "before", .heading = "Before", .flags = COLUMN_RIGHT, .gap = 2 },
	[METRIC_AFTER] = { .key = "after", .heading = "After", .flags = COLUMN_RIGHT, .gap = 2 },
	[METRIC_RATIO] = { .key = "ratio", .heading = "Ratio", .flags = COLUMN_RIGHT, .gap = 2 },
	[METRIC_INTERVAL] = { .heading = "95 %", .gap = 2 },
	[METRIC_LOW] = { .key = "ratio_low" },
	[METRIC_HIGH] = { .key = "ratio_high" },
	[METRIC_P] = { .key = "p", .heading = "p", .flags = COLUMN_RIGHT, .gap = 2 },
	[METRIC_PAIRED] = { .key = "p_paired" },
	[METRIC_ADJUSTED] = { .key = "p_adjusted" },
	[METRIC_CHANGE] = { .key = "change" },
};

static const char *change_name(enum change change)
{
	static const char *const names[] = {
		[CHANGE_MORE] = "more", [CHANGE_LESS] = "less", [CHANGE_NONE] = "same", [CHANGE_UNKNOWN] = "unknown"
	};

	return names[change];
}

static struct cell number_shown(double number, const char *shown)
{
	struct cell cell = number_cell(number);

	cell.shown = shown;
	return cell;
}

static const char *value_text(const struct compared_metric *metric, double value, struct arena *arena)
{
	if (metric->metric)
		return arena_printf(arena, "%s%s%s", human_value(arena, metric->metric, value),
				    *metric->metric->unit ? " " : "", metric->metric->unit);
	return !strcmp(metric->unit, "s") ? human_seconds(arena, value) : human_count(arena, value);
}

static const char *interval_text(const struct estimate *ratio, struct arena *arena)
{
	if (isnan(ratio->low) || !(ratio->low < ratio->high))
		return "";
	return arena_printf(arena, "%.3f to %.3f", ratio->low, ratio->high);
}

static const char *p_text(double p, struct arena *arena)
{
	return isnan(p) ? "" : p < 0.0001 ? "< 0.0001" : arena_printf(arena, "%.4f", p);
}

void compared_metric_cells(struct cell *cells, const struct compared_metric *metric, struct arena *arena)
{
	cells[METRIC_NAME] = text_cell(metric->name);
	cells[METRIC_TITLE] = text_cell(metric->title);
	cells[METRIC_BEFORE] = number_shown(metric->before, value_text(metric, metric->before, arena));
	cells[METRIC_AFTER] = number_shown(metric->after, value_text(metric, metric->after, arena));
	cells[METRIC_RATIO] = number_shown(metric->ratio.value, human_fixed(arena, metric->ratio.value, 3));
	cells[METRIC_INTERVAL] = shown_cell(interval_text(&metric->ratio, arena), INK_DIM);
	cells[METRIC_LOW] = number_cell(metric->ratio.low);
	cells[METRIC_HIGH] = number_cell(metric->ratio.high);
	cells[METRIC_P] = number_shown(metric->p, p_text(metric->p, arena));
	cells[METRIC_PAIRED] = number_cell(metric->p_paired);
	cells[METRIC_ADJUSTED] = number_cell(metric->p_adjusted);
	cells[METRIC_CHANGE] = text_cell(change_name(metric->change));
}

struct grid comparison_metrics(const struct comparison *comparison, struct arena *arena)
{
	struct grid grid = { .columns = compared_metric_columns, .ncolumns = METRIC_COLUMNS };
	struct cell cells[METRIC_COLUMNS];

	for (size_t i = 0; i < comparison->nmetrics; i++) {
		if (comparison->metrics[i].metric && comparison->metrics[i].metric->level)
			continue;
		compared_metric_cells(cells, &comparison->metrics[i], arena);
		grid_add(&grid, cells, arena);
	}
	return grid;
}

/* ---- nodes and terms ---- */

struct grid comparison_nodes(const struct comparison *comparison, struct arena *arena)
{
	static const struct column columns[] = {
		{ .key = "name" },	  { .key = "title" }, { .key = "path" },   { .key = "level" },
		{ .key = "before" },	  { .key = "after" }, { .key = "cycles" }, { .key = "cycles_low" },
		{ .key = "cycles_high" }, { .key = "p" },     { .key = "leaf" },
	};
	struct grid grid = { .columns = columns, .ncolumns = COUNT_OF(columns) };

	for (size_t i = 0; i < comparison->nnodes; i++) {
		const struct compared_node *node = &comparison->nodes[i];

		grid_add(&grid,
			 (const struct cell[]){ text_cell(node->metric->name), text_cell(node->metric->title),
						text_cell(node->metric->path), whole_cell(node->metric->level),
						number_cell(node->before), number_cell(node->after),
						number_cell(node->cycles.value), number_cell(node->cycles.low),
						number_cell(node->cycles.high), number_cell(node->p),
						truth_cell(node->is_leaf) },
			 arena);
	}
	return grid;
}

static const char *term_name(enum term_kind kind)
{
	static const char *const names[] = { [TERM_INSTRUCTIONS] = "instructions",
					     [TERM_NODE] = "node",
					     [TERM_CPI] = "cycles per instruction",
					     [TERM_ALL] = "cycles" };

	return names[kind];
}

struct grid comparison_terms(const struct comparison *comparison, struct arena *arena)
{
	static const struct column columns[] = {
		{ .key = "kind" },	 { .key = "title" },	   { .key = "node" },	 { .key = "cycles" },
		{ .key = "cycles_low" }, { .key = "cycles_high" }, { .key = "percent" }, { .key = "function" },
		{ .key = "module" },	 { .key = "file" },	   { .key = "line" },	 { .key = "cycles_there" },
	};
	struct grid grid = { .columns = columns, .ncolumns = COUNT_OF(columns) };

	for (size_t i = 0; i < comparison->nterms; i++) {
		const struct compared_term *term = &comparison->terms[i];
		const struct compared_place *place = &term->place;

		grid_add(&grid,
			 (const struct cell[]){
				 text_cell(term_name(term->kind)), text_cell(term->title), text_cell(term->node),
				 number_cell(term->cycles.value), number_cell(term->cycles.low),
				 number_cell(term->cycles.high), number_cell(term->percent), text_cell(place->function),
				 text_cell(place->module), text_cell(place->file), known_cell(place->line),
				 cell_if(place->function, number_cell(place->cycles)) },
			 arena);
	}
	return grid;
}

/* ---- functions ---- */

static const char *function_change_name(enum function_change change)
{
	static const char *const names[] = { [FUNCTION_KEPT] = "kept",
					     [FUNCTION_NEW] = "new",
					     [FUNCTION_REMOVED] = "removed",
					     [FUNCTION_RENAMED] = "renamed" };

	return names[change];
}

struct grid comparison_functions(const struct comparison *comparison, struct arena *arena)
{
	static const struct column columns[] = {
		{ .key = "name" },
		{ .key = "name_before" },
		{ .key = "module" },
		{ .key = "change" },
		{ .key = "before" },
		{ .key = "after" },
		{ .key = "difference" },
		{ .key = "difference_low" },
		{ .key = "difference_high" },
		{ .key = "instructions_before" },
		{ .key = "instructions_after" },
		{ .key = "node" },
		{ .key = "file" },
		{ .key = "line" },
		{ .key = "inlined_before" },
		{ .key = "inlined_after" },
	};
	struct grid grid = { .columns = columns, .ncolumns = COUNT_OF(columns) };

	for (size_t i = 0; i < comparison->nfunctions; i++) {
		const struct compared_function *function = &comparison->functions[i];

		grid_add(&grid,
			 (const struct cell[]){
				 text_cell(function->name), text_cell(function->name_before),
				 text_cell(function->module), text_cell(function_change_name(function->change)),
				 number_cell(function->before), number_cell(function->after),
				 number_cell(function->difference.value), number_cell(function->difference.low),
				 number_cell(function->difference.high), number_cell(function->instructions_before),
				 number_cell(function->instructions_after), text_cell(function->node),
				 text_cell(function->line.file), known_cell(function->line.line),
				 truth_cell(function->was_inlined), truth_cell(function->is_inlined) },
			 arena);
	}
	return grid;
}

/* ---- what differs besides the program ---- */

struct grid comparison_surroundings(const struct comparison *comparison, struct arena *arena)
{
	static const struct column columns[] = {
		{ .key = "what" }, { .key = "before" }, { .key = "after" }, { .key = "important" }
	};
	struct grid grid = { .columns = columns, .ncolumns = COUNT_OF(columns) };

	for (size_t i = 0; i < comparison->nsurroundings; i++) {
		const struct compared_surrounding *surrounding = &comparison->surroundings[i];

		grid_add(&grid,
			 (const struct cell[]){ text_cell(surrounding->what), text_cell(surrounding->before),
						text_cell(surrounding->after), truth_cell(surrounding->is_important) },
			 arena);
	}
	return grid;
}
