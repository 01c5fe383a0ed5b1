/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_hotspots.c - a section of functions, by rank. */
#include <math.h>
#include <string.h>

#include "present/document/human.h"
#include "present/report/report_sections.h"
#include "present/where/where_parts.h"

#define MOST	      10
#define LEAST_PERCENT 0.5

enum { HOT_RANK, HOT_SYMBOL, HOT_SELF, HOT_INTERVAL, HOT_MODULE, HOT_CAUSE, HOT_COLUMNS };

static const struct column columns[HOT_COLUMNS] = {
	[HOT_RANK] = { .heading = "Rank", .flags = COLUMN_RIGHT },
	[HOT_SYMBOL] = { .heading = "Symbol", .flags = COLUMN_CODE | COLUMN_SHRINKS, .gap = 2, .least = 12 },
	[HOT_SELF] = { .heading = "Self %", .flags = COLUMN_RIGHT, .gap = 2 },
	[HOT_INTERVAL] = { .heading = "95 %", .flags = COLUMN_RIGHT, .gap = 2 },
	[HOT_MODULE] = { .heading = "Module", .flags = COLUMN_CODE, .gap = 2 },
	[HOT_CAUSE] = { .heading = "Likely cause", .gap = 2 },
};

/* A function with its share, whichever table it comes from. */
struct hot {
	const char *symbol, *module, *cause;
	const struct share *share;
};

static void report_hotspots_add_row(struct document *doc, struct grid *grid, const struct hot *hot)
{
	bool is_sampled = hot->share->samples > 0;

	grid_add(grid,
		 (const struct cell[HOT_COLUMNS]){
			 whole_cell(grid->count + 1), shown_cell(hot->symbol ? hot->symbol : "(no name)", INK_PLAIN),
			 shown_cell(where_percent_text(doc->arena, hot->share->percent), INK_PLAIN),
			 shown_cell(is_sampled ? where_interval_text(doc->arena, hot->share) : "exact", INK_DIM),
			 shown_cell(hot->module ? module_base_name(hot->module) : "-", INK_PLAIN),
			 shown_cell(hot->cause, INK_PLAIN) },
		 doc->arena);
}

/* "L3_Miss_Bound 41.2 %": the end of the function's own worst path. */
static const char *cause_of(const struct document *doc, const struct function_trees *trees,
			    const struct function_tree *tree)
{
	size_t number = tree->most ? (size_t)(tree->most - trees->model->metrics) : 0;

	if (!tree->most)
		return "nothing over its threshold";
	return arena_printf(doc->arena, "%s %s %s", tree->most->title,
			    human_value(doc->arena, tree->most, tree->values[number]),
			    human_unit(doc->arena, tree->most));
}

static void add_trees(struct document *doc, struct grid *grid, const struct function_trees *trees)
{
	for (size_t i = 0; i < trees->count && grid->count < MOST; i++) {
		const struct function_tree *tree = &trees->items[i];
		const struct hot hot = { tree->function, tree->module, cause_of(doc, trees, tree), &tree->cycles };

		if (!tree->is_mixed && tree->cycles.percent >= LEAST_PERCENT)
			report_hotspots_add_row(doc, grid, &hot);
	}
}

const struct where *report_where(const struct report_set *set)
{
	return set->where && set->where->count ? &set->where->items[0] : NULL;
}

/* Of samples of a node's event, the node is the cause; of time nobody knows one. */
static void report_hotspots_add_functions(struct document *doc, struct grid *grid, const struct where *where)
{
	const char *cause = where->weighing->node ? where->weighing->title : "-";

	for (size_t i = 0; i < where->functions.count && grid->count < MOST; i++) {
		const struct where_row *row = &where->functions.items[i];

		if (row->self.percent >= LEAST_PERCENT)
			report_hotspots_add_row(doc, grid,
						&(struct hot){ row->function, row->module, cause, &row->self });
	}
}

static void add_absence(struct document *doc, const struct report_part *part)
{
	const struct report *report = part->report;
	bool is_simulated = report && report->model->is_simulated;
	const char *command = !report	     ? NULL
			      : is_simulated ? report->actions.look_closer.command
					     : report->actions.sample.command;

	doc_sentence(doc, command	 ? "No place was recorded. This shows where:"
			  : is_simulated ? arena_worded(doc->arena,
							"No place was recorded: {lines} makes a session that has them.")
					 : "No place was recorded: topdown sample shows where.");
	if (command)
		doc_add(doc, (struct block){ .kind = BLOCK_COMMAND, .text = command });
}

void report_hotspots(struct document *doc, const struct report_part *part)
{
	const struct function_trees *trees = part->set->where ? &part->set->where->trees : NULL;
	const struct where *where = report_where(part->set);
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));
	const char *of = "the cycles";

	report_heading(doc, part, "Hotspots");
	*grid = (struct grid){ .columns = columns, .ncolumns = HOT_COLUMNS, .has_heads = true };
	if (trees && trees->count)
		add_trees(doc, grid, trees);
	if (!grid->count && where) {
		of = where->weighing->title;
		report_hotspots_add_functions(doc, grid, where);
	}
	if (!grid->count && where)
		doc_sentence(doc, "No function has as much as 0.5 % of it.");
	else if (!grid->count)
		add_absence(doc, part);
	if (!grid->count)
		return;
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	doc_sentence(doc, arena_printf(doc->arena, "Self %% is each function's share of %s.", of));
}
