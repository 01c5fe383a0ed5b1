/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comparison_page.c - what changed, as a page: the verdict, the reasons as a waterfall whose bars add up, both trees
 * side by side, ratios with their intervals, functions, and the flame graph of the difference.
 */
#include <math.h>
#include <string.h>

#include "present/compare/comparison_fields.h"
#include "present/document/human.h"
#include "present/explorer/explored.h"
#include "present/plot/strip.h"
#include "store/history/trend.h"

#define MOST_REASONS   12 /* bars of the waterfall; the others are one, and stand below it */
#define MOST_FUNCTIONS 20
#define LEAST_LEFT     1   /* cycle or nanosecond: less is rounding */
#define WIDEST_RATIO   4.0 /* of the ratios' scale, in both directions */

/* ---- blocks ---- */

static void add_section(struct document *doc, const char *title, const char *id)
{
	doc_add(doc, (struct block){ .kind = BLOCK_SECTION, .text = title, .id = id });
}

static void add_grid(struct document *doc, const struct grid *table)
{
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = table });
}

/* The rows from one number up to another. */
static const struct grid *rows_of(const struct grid *table, size_t from, size_t to, struct arena *arena)
{
	struct grid *part = arena_alloc(arena, sizeof(*part));

	*part = *table;
	part->rows = table->rows ? table->rows + from : NULL;
	part->count = to - from;
	return part;
}

/* A table whose first rows are seen, and the others when they are asked for. */
static void add_long_grid(struct document *doc, const struct grid *table, size_t most, const char *what)
{
	if (table->count <= most + most / 2) {
		add_grid(doc, table);
		return;
	}
	add_grid(doc, rows_of(table, 0, most, doc->arena));
	doc_add(doc, (struct block){ .kind = BLOCK_FOLD,
				     .text = arena_printf(doc->arena, "%zu more %s", table->count - most, what) });
	add_grid(doc, rows_of(table, most, table->count, doc->arena));
	doc_add(doc, (struct block){ .kind = BLOCK_UNFOLD });
}

/* ---- the verdict ---- */

static const char *main_reason(const struct comparison *comparison, struct arena *arena)
{
	const struct compared_term *term = comparison->terms;
	double difference = comparison->cycles_after - comparison->cycles_before;
	const char *place;

	if (!comparison->nterms || comparison->verdict == VERDICT_SAME || comparison->has_other_model)
		return "";
	place = comparison_place(&term->place, arena);
	return arena_printf(arena, "The largest reason is %s: %s of %s cycles%s%s.", term->title,
			    human_difference(arena, term->cycles.value), human_difference(arena, difference),
			    *place ? ", mostly in " : "", place);
}

static void comparison_page_add_verdict(struct document *doc, const struct comparison *comparison)
{
	const char *about = comparison->headline ? comparison->headline->title : NULL;
	const char *differs = comparison_differs(comparison, true, doc->arena);

	doc_add(doc,
		(struct block){ .kind = BLOCK_SENTENCE,
				.text = arena_printf(doc->arena, "%s%s%s. %s", about ? about : "", about ? ": " : "",
						     comparison->sentence, main_reason(comparison, doc->arena)),
				.look = comparison->verdict == VERDICT_SLOWER ? "verdict" : "verdict good" });
	if (*differs)
		doc_sentence(doc, arena_printf(doc->arena, "Not only the program differs: %s.", differs));
}

static void comparison_page_add_head(struct document *doc, const struct comparison *comparison)
{
	const struct compare_request *request = comparison->request;
	const struct fact facts[] = {
		{ .label = "Before", .text = request->before.label, .is_code = true },
		{ .label = "After", .text = request->after.label, .is_code = true },
		{ .label = "Measured", .text = comparison_repeats(comparison, doc->arena) },
	};
	struct fact *kept = arena_array(doc->arena, COUNT_OF(facts), sizeof(*kept));

	memcpy(kept, facts, sizeof(facts));
	doc_add(doc, (struct block){ .kind = BLOCK_FACTS, .facts = kept, .nfacts = COUNT_OF(facts) });
}

/* ---- the waterfall ---- */

static enum strip_look look_of(const struct estimate *difference)
{
	if (difference->low <= 0 && difference->high >= 0 && difference->low < difference->high)
		return STRIP_DOUBT;
	return difference->value > 0 ? STRIP_MORE : STRIP_LESS;
}

struct waterfall {
	struct strip *strips;
	double at; /* cycles up to here */
};

static void fall(struct waterfall *fall, size_t row, const struct estimate *cycles)
{
	struct strip *strip = &fall->strips[row];

	strip_add(strip, STRIP_BAR, look_of(cycles), fall->at, fall->at + cycles->value);
	if (cycles->low < cycles->high)
		strip_add(strip, STRIP_RANGE, STRIP_PLAIN, fall->at + cycles->low, fall->at + cycles->high);
	fall->at += cycles->value;
}

/* Where it begins: at 0, unless the differences would be too small to be seen then. */
static struct strip_scale waterfall_scale(const struct waterfall *waterfall, size_t first, size_t count)
{
	struct strip_scale scale = strip_scale_of(&waterfall->strips[first], count);
	double room = (scale.high - scale.low) / 5;

	if (scale.low - room > scale.high / 2)
		scale.low -= room;
	else
		scale.low = 0;
	return scale;
}

static void add_end(struct grid *grid, const char *title, double cycles, struct arena *arena)
{
	struct cell cells[TERM_COLUMNS] = { { .kind = CELL_NOTHING } };

	cells[TERM_TITLE] = shown_cell(title, INK_BOLD);
	cells[TERM_CYCLES] = number_cell(cycles);
	cells[TERM_CYCLES].shown = human_count(arena, cycles);
	cells[TERM_CYCLES].ink = INK_BOLD;
	grid_add(grid, cells, arena);
}

/* Those that have no bar of their own. */
static struct estimate rest_of(const struct comparison *comparison, size_t from)
{
	struct estimate rest = estimate_alone(0);

	for (size_t i = from; i < comparison->nterms; i++)
		rest.value += comparison->terms[i].cycles.value;
	return rest;
}

static void add_rest(struct grid *grid, const struct estimate *rest, const struct comparison *comparison,
		     struct arena *arena)
{
	struct cell cells[TERM_COLUMNS] = { { .kind = CELL_NOTHING } };

	cells[TERM_TITLE] = shown_cell(arena_printf(arena, "%zu others", comparison->nterms - MOST_REASONS), INK_PLAIN);
	cells[TERM_CYCLES] = number_cell(rest->value);
	cells[TERM_CYCLES].shown = human_difference(arena, rest->value);
	cells[TERM_PERCENT] = number_cell(100 * rest->value / comparison->cycles_before);
	cells[TERM_PERCENT].shown = comparison_percent(cells[TERM_PERCENT].number, arena);
	grid_add(grid, cells, arena);
}

static const char *scale_text(const struct strip_scale *scale, struct arena *arena)
{
	return arena_printf(arena, "%s to %s cycles%s", human_count(arena, scale->low), human_count(arena, scale->high),
			    scale->low > 0 ? ", not from 0" : "");
}

/* Before, each reason, after: bars whose ends meet. */
static void add_waterfall(struct document *doc, const struct comparison *comparison, const struct grid *terms)
{
	const size_t shown = terms->count > MOST_REASONS ? MOST_REASONS : terms->count;
	struct grid grid = { .columns = compared_term_columns, .ncolumns = TERM_COLUMNS, .has_heads = true };
	struct waterfall waterfall = { .strips = arena_array(doc->arena, terms->count + 3, sizeof(struct strip)) };
	struct estimate rest = rest_of(comparison, shown);
	struct strip_column column = { .at = TERM_CYCLES, .strips = waterfall.strips };
	struct arena *arena = doc->arena;

	add_end(&grid, "Before", comparison->cycles_before, arena);
	waterfall.at = comparison->cycles_before;
	for (size_t i = 0; i < shown; i++) {
		grid_add(&grid, terms->rows[i].cells, arena);
		fall(&waterfall, grid.count - 1, &comparison->terms[i].cycles);
	}
	if (terms->count > shown) {
		add_rest(&grid, &rest, comparison, arena);
		fall(&waterfall, grid.count - 1, &rest);
	}
	add_end(&grid, "After", comparison->cycles_after, arena);
	column.scale = waterfall_scale(&waterfall, 1, grid.count - 2);
	strip_add(&waterfall.strips[0], STRIP_BAR, STRIP_BEFORE, 0, comparison->cycles_before);
	strip_add(&waterfall.strips[grid.count - 1], STRIP_BAR, STRIP_AFTER, 0, comparison->cycles_after);
	column.heading = scale_text(&column.scale, arena);
	add_grid(doc, grid_with_strips(&grid, &column, arena));
}

static bool has_doubt(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->nterms; i++)
		if (look_of(&comparison->terms[i].cycles) == STRIP_DOUBT)
			return true;
	return false;
}

static void add_reasons(struct document *doc, const struct comparison *comparison)
{
	struct grid *terms = arena_alloc(doc->arena, sizeof(*terms)), *rest;
	double difference = comparison->cycles_after - comparison->cycles_before;

	if (!comparison->nterms)
		return;
	*terms = comparison_terms(comparison, doc->arena);
	add_section(doc, "Reasons", "reasons");
	doc_sentence(doc, arena_printf(doc->arena, "%s cycles consist of these parts, which add up.%s",
				       human_difference(doc->arena, difference),
				       has_doubt(comparison) ? " The interval of a hollow bar holds 0: chance may have "
							       "made it."
							     : ""));
	add_waterfall(doc, comparison, terms);
	if (terms->count <= MOST_REASONS)
		return;
	rest = arena_alloc(doc->arena, sizeof(*rest));
	*rest = *terms;
	rest->rows += MOST_REASONS;
	rest->count -= MOST_REASONS;
	doc_add(doc, (struct block){
			     .kind = BLOCK_FOLD,
			     .text = arena_printf(doc->arena, "The other %zu reasons", terms->count - MOST_REASONS) });
	add_grid(doc, rest);
	doc_add(doc, (struct block){ .kind = BLOCK_UNFOLD });
}

/* ---- both trees ---- */

static void add_tree(struct document *doc, const struct comparison *comparison)
{
	struct strip *strips = arena_array(doc->arena, comparison->nnodes + 1, sizeof(*strips));
	struct strip_column column = { .at = NODE_BEFORE, .strips = strips };
	struct grid nodes;

	if (!comparison->nnodes)
		return;
	nodes = comparison_nodes(comparison, doc->arena);
	for (size_t i = 0; i < nodes.count; i++) {
		nodes.rows[i].id = comparison_row_id(comparison, &comparison->nodes[i], doc->arena);
		strip_add(&strips[i], STRIP_UPPER, STRIP_BEFORE, 0, comparison->nodes[i].before);
		strip_add(&strips[i], STRIP_LOWER, STRIP_AFTER, 0, comparison->nodes[i].after);
	}
	column.scale = (struct strip_scale){ 0, fmax(strip_scale_of(strips, nodes.count).high, 1) };
	column.heading = arena_printf(doc->arena, "0 to %.0f %%: before above, after below", column.scale.high);
	add_section(doc, "Tree", "tree");
	comparison_trees(doc, comparison);
	add_grid(doc, grid_with_strips(&nodes, &column, doc->arena));
}

/* ---- metrics ---- */

#define NO_DIFFERENCE 0.0005 /* of a ratio: it is shown as 1.000 */

/* The colours are those of worse and better. What may be chance, or is neither, has none of them. */
static enum strip_look look_of_ratio(const char *name, const struct estimate *ratio)
{
	const enum worse worse = worse_of(name);

	if (fabs(ratio->value - 1) < NO_DIFFERENCE || (ratio->low < 1 && ratio->high > 1))
		return STRIP_PLAIN;
	if (worse == WORSE_UNSAID)
		return STRIP_PLAIN;
	return (ratio->value > 1) == (worse == WORSE_MORE) ? STRIP_MORE : STRIP_LESS;
}

/* What has no logarithm, as it is not positive, lies beyond the scale. */
static double log_of(double ratio)
{
	return log(ratio > 0 ? ratio : 1 / WIDEST_RATIO);
}

/* On a logarithmic scale, so that a half and the double are equally far from 1. */
static void add_ratio(struct strip *strip, const struct compared_metric *metric)
{
	const struct estimate *ratio = &metric->ratio;

	strip_add(strip, STRIP_LINE, STRIP_LIMIT, 0, 0);
	if (ratio->low < ratio->high)
		strip_add(strip, STRIP_RANGE, STRIP_PLAIN, log_of(ratio->low), log_of(ratio->high));
	strip_add(strip, STRIP_POINT, look_of_ratio(metric->name, ratio), log(ratio->value), log(ratio->value));
}

static struct strip_scale ratio_scale(const struct strip *strips, size_t count)
{
	const double widest = log(WIDEST_RATIO), narrowest = log(1.02);
	double reach = narrowest;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < strips[i].count; k++)
			reach = fmax(reach, fmax(-strips[i].marks[k].from, strips[i].marks[k].to));
	reach = fmin(reach, widest);
	return (struct strip_scale){ -reach, reach };
}

static void add_metrics(struct document *doc, const struct comparison *comparison)
{
	struct grid metrics = comparison_metrics(comparison, doc->arena);
	struct strip *strips = arena_array(doc->arena, metrics.count + 1, sizeof(*strips));
	struct strip_column column = { .at = METRIC_P, .strips = strips };
	const char *wall = comparison_wall(comparison, doc->arena);
	size_t row = 0;

	for (size_t i = 0; i < comparison->nmetrics; i++)
		if (!comparison->metrics[i].metric || !comparison->metrics[i].metric->level)
			add_ratio(&strips[row++], &comparison->metrics[i]);
	column.scale = ratio_scale(strips, row);
	column.heading = arena_printf(doc->arena, "Ratio, %.2f to %.2f, logarithmic", exp(column.scale.low),
				      exp(column.scale.high));
	add_section(doc, "Metrics", "metrics");
	doc_sentence(doc, "The line is a ratio of 1: as before. Orange is worse, blue is better; what lies beyond the "
			  "scale is drawn at its end.");
	if (wall)
		doc_sentence(doc, arena_printf(doc->arena, "%s.", wall));
	add_long_grid(doc, grid_with_strips(&metrics, &column, doc->arena), MOST_FUNCTIONS, "metrics");
}

/* ---- functions ---- */

static void comparison_page_add_functions(struct document *doc, const struct comparison *comparison)
{
	struct strip *strips = arena_array(doc->arena, comparison->nfunctions + 1, sizeof(*strips));
	struct strip_column column = { .at = FUNCTION_BEFORE, .strips = strips };
	struct grid functions;

	if (!comparison->nfunctions)
		return;
	functions = comparison_functions(comparison, doc->arena);
	for (size_t i = 0; i < functions.count; i++) {
		const struct estimate *difference = &comparison->functions[i].difference;

		strip_add(&strips[i], STRIP_LINE, STRIP_LIMIT, 0, 0);
		strip_add(&strips[i], STRIP_BAR, look_of(difference), 0, difference->value);
		if (difference->low < difference->high)
			strip_add(&strips[i], STRIP_RANGE, STRIP_PLAIN, difference->low, difference->high);
	}
	column.scale = strip_scale_of(strips, functions.count);
	column.heading = arena_printf(doc->arena, "Difference, %s to %s",
				      comparison_change(comparison, column.scale.low, doc->arena),
				      comparison_change(comparison, column.scale.high, doc->arena));
	add_section(doc, !strcmp(comparison->unit, "ns") ? "Functions, by time" : "Functions, by cycles", "functions");
	add_long_grid(doc, grid_with_strips(&functions, &column, doc->arena), MOST_FUNCTIONS, "functions");
	if (fabs(comparison->functions_left) >= LEAST_LEFT)
		doc_sentence(doc, arena_printf(doc->arena, "%s of the difference belong to no function.",
					       comparison_change(comparison, comparison->functions_left, doc->arena)));
}

/* ---- the rest ---- */

static void add_environment(struct document *doc, const struct comparison *comparison)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));

	if (!comparison->nsurroundings && !comparison->nnotes)
		return;
	add_section(doc, "Environment and remarks", "environment");
	*grid = comparison_surroundings(comparison, doc->arena);
	if (grid->count)
		add_grid(doc, grid);
	for (size_t i = 0; i < comparison->nnotes; i++)
		doc_add(doc, (struct block){ .kind = BLOCK_NOTE, .text = comparison->notes[i] });
}

static void add_next(struct document *doc, const struct comparison *comparison)
{
	if (!comparison->next.command && !comparison->change_layouts.command)
		return;
	add_section(doc, "Next", "next");
	if (comparison->next.command)
		doc_commands(doc, "More of it:", &comparison->next.command, 1);
	if (comparison->change_layouts.command)
		doc_commands(doc, "Is it only the layout?", &comparison->change_layouts.command, 1);
}

void comparison_page(struct document *doc, const void *what, const struct page_content *content)
{
	const struct comparison *comparison = what;

	doc_add(doc, (struct block){ .kind = BLOCK_TITLE,
				     .text = arena_printf(doc->arena, "%s compared with %s",
							  comparison->request->after.label,
							  comparison->request->before.label),
				     .level = 1 });
	comparison_page_add_verdict(doc, comparison);
	comparison_page_add_head(doc, comparison);
	add_reasons(doc, comparison);
	if (content->explored)
		explored_section(doc, content->explored);
	add_tree(doc, comparison);
	add_metrics(doc, comparison);
	comparison_page_add_functions(doc, comparison);
	add_environment(doc, comparison);
	add_next(doc, comparison);
}
