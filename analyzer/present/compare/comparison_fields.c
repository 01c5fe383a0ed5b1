/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/compare/comparison_fields.h"

#include <math.h>
#include <string.h>

#include "present/document/human.h"

#define LEAST_COUNT 0.005 /* two decimals show it */

const char *human_difference(struct arena *arena, double value)
{
	if (isnan(value))
		return "-";
	if (fabs(value) < LEAST_COUNT)
		return "0";
	return arena_printf(arena, "%s%s", value > 0 ? "+" : value < 0 ? "-" : "", human_count(arena, fabs(value)));
}

const char *comparison_percent(double percent, struct arena *arena)
{
	return isnan(percent) ? "-" : arena_printf(arena, "%s %%", human_signed(arena, percent));
}

/* ---- words ---- */

const char *comparison_differs(const struct comparison *comparison, bool are_important, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < comparison->nsurroundings; i++) {
		const struct compared_surrounding *s = &comparison->surroundings[i];

		if (s->is_important == are_important)
			string_printf(&text, "%s%s: %s, now %s", text.length ? "; " : "", s->what,
				      s->before ? s->before : "unknown", s->after ? s->after : "unknown");
	}
	return text.text;
}

const char *comparison_repeats(const struct comparison *comparison, struct arena *arena)
{
	const struct compare_request *request = comparison->request;

	if (comparison->is_exact)
		return "one simulation each";
	if (comparison->is_sampled)
		return "one simulation each, in part";
	if (comparison->is_layouts)
		return arena_printf(arena, "%zu layouts each, simulated", comparison->pairs);
	return arena_printf(arena, "%zu %s", comparison->pairs,
			    request->is_paired	     ? comparison->pairs == 1 ? "pair" : "pairs, interleaved"
			    : comparison->pairs == 1 ? "measurement each"
						     : "measurements each");
}

const char *comparison_line(const char *file, uint32_t line, struct arena *arena)
{
	const char *base = file ? strrchr(file, '/') : NULL;

	if (!file)
		return "";
	return line ? arena_printf(arena, "%s:%u", base ? base + 1 : file, line) : base ? base + 1 : file;
}

const char *comparison_place(const struct compared_place *place, struct arena *arena)
{
	const char *line = comparison_line(place->file, place->line, arena);

	if (!place->function)
		return "";
	return *line ? arena_printf(arena, "%s, %s", place->function, line) : place->function;
}

const char *comparison_spread(const struct estimate *cycles, struct arena *arena)
{
	if (isnan(cycles->low) || !(cycles->low < cycles->high))
		return "";
	return arena_printf(arena, "%s to %s", human_difference(arena, cycles->low),
			    human_difference(arena, cycles->high));
}

const char *comparison_amount(const struct comparison *comparison, double value, struct arena *arena)
{
	return !strcmp(comparison->unit, "ns") ? human_seconds(arena, value * 1e-9) : human_count(arena, value);
}

const char *comparison_change(const struct comparison *comparison, double value, struct arena *arena)
{
	return arena_printf(arena, "%s%s",
			    value > 0	? "+"
			    : value < 0 ? "-"
					: "",
			    comparison_amount(comparison, fabs(value), arena));
}

const char *comparison_remark(const struct compared_function *function, struct arena *arena)
{
	if (function->change == FUNCTION_NEW)
		return "new";
	if (function->change == FUNCTION_REMOVED)
		return "removed";
	if (function->change == FUNCTION_RENAMED)
		return arena_printf(arena, "was %s", function->name_before);
	if (function->was_inlined && !function->is_inlined)
		return "no longer inlined";
	if (!function->was_inlined && function->is_inlined)
		return "inlined now";
	return function->node ? function->node : "";
}

const char *comparison_range(const struct comparison *comparison, const struct estimate *difference,
			     struct arena *arena)
{
	if (isnan(difference->low) || !(difference->low < difference->high))
		return "";
	return arena_printf(arena, "%s to %s", comparison_change(comparison, difference->low, arena),
			    comparison_change(comparison, difference->high, arena));
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

const char *comparison_value(const struct compared_metric *metric, double value, struct arena *arena)
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
	cells[METRIC_BEFORE] = number_shown(metric->before, comparison_value(metric, metric->before, arena));
	cells[METRIC_AFTER] = number_shown(metric->after, comparison_value(metric, metric->after, arena));
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

/* ---- nodes ---- */

const struct column compared_node_columns[NODE_COLUMNS] = {
	[NODE_NAME] = { .key = "name" },
	[NODE_TITLE] = { .key = "title", .heading = "Node", .flags = COLUMN_TREE },
	[NODE_PATH] = { .key = "path" },
	[NODE_LEVEL] = { .key = "level" },
	[NODE_BEFORE] = { .key = "before", .heading = "Before", .flags = COLUMN_RIGHT },
	[NODE_AFTER] = { .key = "after", .heading = "After", .flags = COLUMN_RIGHT },
	[NODE_POINTS] = { .heading = "Points", .flags = COLUMN_RIGHT },
	[NODE_CYCLES] = { .key = "cycles", .heading = "Cycles", .flags = COLUMN_RIGHT },
	[NODE_INTERVAL] = { .heading = "95 %" },
	[NODE_LOW] = { .key = "cycles_low" },
	[NODE_HIGH] = { .key = "cycles_high" },
	[NODE_P] = { .key = "p", .heading = "p", .flags = COLUMN_RIGHT },
	[NODE_LEAF] = { .key = "leaf" },
};

static const char *comparison_fields_share_text(double percent, struct arena *arena)
{
	return isnan(percent) ? "-" : arena_printf(arena, "%.1f %%", percent);
}

struct grid comparison_nodes(const struct comparison *comparison, struct arena *arena)
{
	struct grid grid = { .columns = compared_node_columns, .ncolumns = NODE_COLUMNS };

	for (size_t i = 0; i < comparison->nnodes; i++) {
		const struct compared_node *node = &comparison->nodes[i];
		double points = node->after - node->before;
		const struct cell cells[NODE_COLUMNS] = {
			[NODE_NAME] = text_cell(node->metric->name),
			[NODE_TITLE] = text_cell(node->metric->title),
			[NODE_PATH] = text_cell(node->metric->path),
			[NODE_LEVEL] = whole_cell(node->metric->level),
			[NODE_BEFORE] = number_shown(node->before, comparison_fields_share_text(node->before, arena)),
			[NODE_AFTER] = number_shown(node->after, comparison_fields_share_text(node->after, arena)),
			[NODE_POINTS] = shown_cell(human_signed(arena, points), INK_PLAIN),
			[NODE_CYCLES] = number_shown(node->cycles.value, human_difference(arena, node->cycles.value)),
			[NODE_INTERVAL] = shown_cell(comparison_spread(&node->cycles, arena), INK_DIM),
			[NODE_LOW] = number_cell(node->cycles.low),
			[NODE_HIGH] = number_cell(node->cycles.high),
			[NODE_P] = number_shown(node->p, p_text(node->p, arena)),
			[NODE_LEAF] = truth_cell(node->is_leaf),
		};

		grid_add(&grid, cells, arena)->depth = node->metric->level ? node->metric->level - 1 : 0;
	}
	return grid;
}

/* ---- terms ---- */

const struct column compared_term_columns[TERM_COLUMNS] = {
	[TERM_KIND] = { .key = "kind" },
	[TERM_TITLE] = { .key = "title", .heading = "Reason" },
	[TERM_NODE_NAME] = { .key = "node" },
	[TERM_CYCLES] = { .key = "cycles", .heading = "Cycles", .flags = COLUMN_RIGHT },
	[TERM_INTERVAL] = { .heading = "95 %" },
	[TERM_LOW] = { .key = "cycles_low" },
	[TERM_HIGH] = { .key = "cycles_high" },
	[TERM_PERCENT] = { .key = "percent", .heading = "of before", .flags = COLUMN_RIGHT },
	[TERM_WHERE] = { .heading = "Mostly in" },
	[TERM_FUNCTION] = { .key = "function" },
	[TERM_MODULE] = { .key = "module" },
	[TERM_FILE] = { .key = "file" },
	[TERM_LINE] = { .key = "line" },
	[TERM_THERE] = { .key = "cycles_there" },
};

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
	struct grid grid = { .columns = compared_term_columns, .ncolumns = TERM_COLUMNS };

	for (size_t i = 0; i < comparison->nterms; i++) {
		const struct compared_term *term = &comparison->terms[i];
		const struct compared_place *place = &term->place;
		const struct cell cells[TERM_COLUMNS] = {
			[TERM_KIND] = text_cell(term_name(term->kind)),
			[TERM_TITLE] = text_cell(term->title),
			[TERM_NODE_NAME] = text_cell(term->node),
			[TERM_CYCLES] = number_shown(term->cycles.value, human_difference(arena, term->cycles.value)),
			[TERM_INTERVAL] = shown_cell(comparison_spread(&term->cycles, arena), INK_DIM),
			[TERM_LOW] = number_cell(term->cycles.low),
			[TERM_HIGH] = number_cell(term->cycles.high),
			[TERM_PERCENT] = number_shown(term->percent, comparison_percent(term->percent, arena)),
			[TERM_WHERE] = shown_cell(comparison_place(place, arena), INK_PLAIN),
			[TERM_FUNCTION] = text_cell(place->function),
			[TERM_MODULE] = text_cell(place->module),
			[TERM_FILE] = text_cell(place->file),
			[TERM_LINE] = known_cell(place->line),
			[TERM_THERE] = cell_if(place->function, number_cell(place->cycles)),
		};

		grid_add(&grid, cells, arena);
	}
	return grid;
}

/* ---- functions ---- */

const struct column compared_function_columns[FUNCTION_COLUMNS] = {
	[FUNCTION_NAME] = { .key = "name", .heading = "Function" },
	[FUNCTION_NAME_BEFORE] = { .key = "name_before" },
	[FUNCTION_MODULE] = { .key = "module" },
	[FUNCTION_CHANGE] = { .key = "change" },
	[FUNCTION_BEFORE] = { .key = "before", .heading = "Before", .flags = COLUMN_RIGHT },
	[FUNCTION_AFTER] = { .key = "after", .heading = "After", .flags = COLUMN_RIGHT },
	[FUNCTION_DIFFERENCE] = { .key = "difference", .heading = "Difference", .flags = COLUMN_RIGHT },
	[FUNCTION_INTERVAL] = { .heading = "95 %" },
	[FUNCTION_LOW] = { .key = "difference_low" },
	[FUNCTION_HIGH] = { .key = "difference_high" },
	[FUNCTION_WAS_INSTRUCTIONS] = { .key = "instructions_before" },
	[FUNCTION_INSTRUCTIONS] = { .key = "instructions_after" },
	[FUNCTION_NODE] = { .key = "node" },
	[FUNCTION_REMARK] = { .heading = "Remark" },
	[FUNCTION_PLACE] = { .heading = "Line" },
	[FUNCTION_FILE] = { .key = "file" },
	[FUNCTION_LINE] = { .key = "line" },
	[FUNCTION_WAS_INLINED] = { .key = "inlined_before" },
	[FUNCTION_INLINED] = { .key = "inlined_after" },
};

static const char *function_change_name(enum function_change change)
{
	static const char *const names[] = { [FUNCTION_KEPT] = "kept",
					     [FUNCTION_NEW] = "new",
					     [FUNCTION_REMOVED] = "removed",
					     [FUNCTION_RENAMED] = "renamed" };

	return names[change];
}

static struct cell amount_cell(const struct comparison *comparison, double value, struct arena *arena)
{
	return number_shown(value, isnan(value) ? "-" : comparison_amount(comparison, value, arena));
}

struct grid comparison_functions(const struct comparison *comparison, struct arena *arena)
{
	struct grid grid = { .columns = compared_function_columns, .ncolumns = FUNCTION_COLUMNS };

	for (size_t i = 0; i < comparison->nfunctions; i++) {
		const struct compared_function *f = &comparison->functions[i];
		const struct cell cells[FUNCTION_COLUMNS] = {
			[FUNCTION_NAME] = text_cell(f->name),
			[FUNCTION_NAME_BEFORE] = text_cell(f->name_before),
			[FUNCTION_MODULE] = text_cell(f->module),
			[FUNCTION_CHANGE] = text_cell(function_change_name(f->change)),
			[FUNCTION_BEFORE] = amount_cell(comparison, f->before, arena),
			[FUNCTION_AFTER] = amount_cell(comparison, f->after, arena),
			[FUNCTION_DIFFERENCE] = number_shown(f->difference.value,
							     comparison_change(comparison, f->difference.value, arena)),
			[FUNCTION_INTERVAL] = shown_cell(comparison_range(comparison, &f->difference, arena), INK_DIM),
			[FUNCTION_LOW] = number_cell(f->difference.low),
			[FUNCTION_HIGH] = number_cell(f->difference.high),
			[FUNCTION_WAS_INSTRUCTIONS] = number_cell(f->instructions_before),
			[FUNCTION_INSTRUCTIONS] = number_cell(f->instructions_after),
			[FUNCTION_NODE] = text_cell(f->node),
			[FUNCTION_REMARK] = shown_cell(comparison_remark(f, arena), INK_PLAIN),
			[FUNCTION_PLACE] = shown_cell(comparison_line(f->line.file, f->line.line, arena), INK_PLAIN),
			[FUNCTION_FILE] = text_cell(f->line.file),
			[FUNCTION_LINE] = known_cell(f->line.line),
			[FUNCTION_WAS_INLINED] = truth_cell(f->was_inlined),
			[FUNCTION_INLINED] = truth_cell(f->is_inlined),
		};

		grid_add(&grid, cells, arena)->cells[FUNCTION_NAME].shown = f->name ? f->name : "(no name)";
	}
	return grid;
}

/* ---- what differs besides the program ---- */

struct grid comparison_surroundings(const struct comparison *comparison, struct arena *arena)
{
	static const struct column columns[] = {
		{ .key = "what", .heading = "What" },
		{ .key = "before", .heading = "Before" },
		{ .key = "after", .heading = "After" },
		{ .key = "important", .heading = "Matters" },
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
