/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interval_tables.c - the hottest functions of each interval, for people. */
#include <string.h>

#include "analyse/hotspots/hotspots.h"
#include "common/base/cells.h"
#include "present/document/human.h"
#include "present/where/where_parts.h"

#define MOST	      3 /* functions of an interval */
#define MOST_VERBOSE  10
#define LEAST_PERCENT 1.0 /* of a function behind the first */

const char *where_time_text(struct arena *arena, const struct where_row *interval)
{
	if (!(interval->to_s > 0))
		return interval->function;
	return arena_printf(arena, "%.3f to %.3f s", interval->from_s, interval->to_s);
}

enum { OF_TIME, OF_SELF, OF_RANGE, OF_SAMPLES, OF_PLACE, OF_FUNCTION, OF_LOW, OF_HIGH, OF_TOTAL, OF_COLUMNS };

static const struct column columns[OF_COLUMNS] = {
	[OF_TIME] = { .heading = "Interval", .flags = COLUMN_RIGHT, .least = 8 },
	[OF_SELF] = { .key = "self", .heading = "Self %", .flags = COLUMN_RIGHT, .gap = 2 },
	[OF_RANGE] = { .heading = "95 %", .flags = COLUMN_RIGHT | COLUMN_SPARE, .gap = 2 },
	[OF_SAMPLES] = { .key = "samples", .heading = "Samples", .flags = COLUMN_RIGHT | COLUMN_SPARE, .gap = 2 },
	[OF_PLACE] = { .heading = "Object", .flags = COLUMN_FRONT_CUT, .gap = 2, .most = 24 },
	[OF_FUNCTION] = { .heading = "Function", .flags = COLUMN_TO_END | COLUMN_MIDDLE_CUT, .gap = 2, .least = 8 },
	[OF_LOW] = { .key = "self_low" },
	[OF_HIGH] = { .key = "self_high" },
	[OF_TOTAL] = { .key = "total" },
};

static struct grid_row *interval_tables_add_function(struct document *doc, struct grid *grid,
						     const struct where_row *row, const char *time)
{
	struct arena *arena = doc->arena;
	const char *module = row->module ? module_base_name(row->module) : "no file";
	struct cell cells[OF_COLUMNS] = {
		[OF_TIME] = shown_cell(time, INK_BOLD),
		[OF_SELF] = number_cell(row->self.percent),
		[OF_RANGE] = shown_cell(where_interval_text(arena, &row->self), INK_DIM),
		[OF_SAMPLES] = whole_cell(row->self.samples),
		[OF_PLACE] = shown_cell(*module == '[' ? module : arena_printf(arena, "[%s]", module), INK_BOLD),
		[OF_FUNCTION] = shown_cell(row->function ? row->function : "(no name)", INK_PLAIN),
		[OF_LOW] = number_cell(row->self.low),
		[OF_HIGH] = number_cell(row->self.high),
		[OF_TOTAL] = number_cell(row->total.percent),
	};

	cells[OF_SELF].shown = where_percent_text(arena, row->self.percent);
	cells[OF_SAMPLES].shown = human_fixed(arena, (double)row->self.samples, 0);

	return grid_add(grid, cells, arena);
}

/* The time stands with the first function of each. */
bool where_intervals(struct document *doc, const struct where *where)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));
	size_t most = doc->is_page ? SIZE_MAX : doc->style->is_verbose ? MOST_VERBOSE : MOST;
	bool is_rough = false;

	if (where->by != BY_INTERVAL || where->parts.count < 2)
		return false;
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING,
				     .text = "The hottest functions of each interval, in percent of the interval:",
				     .worded = "The hottest functions of each interval",
				     .level = 3 });
	*grid = (struct grid){ .columns = columns, .ncolumns = OF_COLUMNS, .has_heads = true };
	for (size_t i = 0; i < where->parts.count; i++) {
		const struct where_rows *functions = &where->interval_functions[i];
		const char *time = where_time_text(doc->arena, &where->parts.items[i]);

		for (size_t k = 0; k < functions->count && k < most; k++)
			if (!k || doc->is_page || functions->items[k].self.percent >= LEAST_PERCENT) {
				interval_tables_add_function(doc, grid, &functions->items[k],
							     k && !doc->is_page ? "" : time)
					->is_minor =
					k >= MOST || (k && functions->items[k].self.percent < LEAST_PERCENT);
				is_rough |= functions->items[k].self.is_rough;
			}
	}
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	return is_rough;
}

void where_of_interval(struct document *doc, const struct hotspots *all)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));
	struct column *own = arena_alloc(doc->arena, sizeof(columns));
	size_t most = doc->style->is_verbose ? MOST_VERBOSE : MOST;
	const struct where *where = all->items;

	if (!all->count || !where->functions.count)
		return;
	memcpy(own, columns, sizeof(columns));
	own[OF_TIME].heading = NULL;
	own[OF_SELF].gap = 0;
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING,
				     .text = arena_printf(doc->arena, "Functions of %s, in percent of the interval:",
							  where->weighing->title) });
	*grid = (struct grid){ .columns = own, .ncolumns = OF_COLUMNS, .has_heads = true };
	for (size_t i = 0; i < where->functions.count && i < most; i++)
		if (!i || where->functions.items[i].self.percent >= LEAST_PERCENT)
			interval_tables_add_function(doc, grid, &where->functions.items[i], "");
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}
