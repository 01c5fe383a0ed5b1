/* SPDX-License-Identifier: GPL-2.0-or-later */
/* where_data.c - where something happens, as JSON. */
#include <string.h>

#include "present/where/where_parts.h"

const char *where_sharing_name(enum sharing_kind kind)
{
	static const char *const names[SHARING_END] = { [SHARING_CONTESTED] = "Contested_Accesses",
							[SHARING_DATA] = "Data_Sharing",
							[SHARING_FALSE] = "False_Sharing" };

	return names[kind];
}

/* Lines whose data are in the same lines of the caches. */
static struct cell partners_cell(const struct where_row *row, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < row->npartners; i++) {
		const struct where_partner *partner = &row->partners[i];

		grid_members(grid, arena,
			     MEMBERS({ "kind", text_cell(where_sharing_name(partner->kind)) },
				     { "function", text_cell(partner->function) }, { "file", text_cell(partner->file) },
				     { "line", known_cell(partner->line) }, { "module", text_cell(partner->module) },
				     { "transfers", number_cell(partner->transfers) }));
	}
	return some_rows_cell(grid);
}

/* What a line calls as functions do not: its function, and its part a share. */
static const struct column *line_columns(struct arena *arena)
{
	struct column *columns = arena_alloc(arena, sizeof(where_columns));

	memcpy(columns, where_columns, sizeof(where_columns));
	columns[WHERE_SELF].key = "share";
	columns[WHERE_LOW].key = "share_low";
	columns[WHERE_HIGH].key = "share_high";
	columns[WHERE_FUNCTION].key = "function";
	return columns;
}

static struct cell share_rows_cell(const struct where *where, const struct where_rows *rows, struct arena *arena)
{
	const bool are_lines = rows == &where->lines;
	struct grid *grid = grid_new(arena, are_lines ? line_columns(arena) : where_columns, WHERE_COLUMNS);

	for (size_t i = 0; i < rows->count; i++) {
		struct cell cells[WHERE_COLUMNS];

		if (!where_has_row(where, &rows->items[i]))
			continue;
		where_cells(cells, where, &rows->items[i]);
		if (!are_lines)
			cells[WHERE_FILE] = cells[WHERE_LINE] = absent_cell();
		cells[WHERE_PARTNERS] = partners_cell(&rows->items[i], arena);
		grid_add(grid, cells, arena);
	}
	return rows_cell(grid);
}

/* Each with its functions, whose times are its own. */
static struct cell intervals_cell(const struct where *where, struct arena *arena)
{
	struct cell intervals = share_rows_cell(where, &where->parts, arena);
	const struct grid *grid = intervals.inside;

	for (size_t i = 0; i < grid->count; i++) {
		struct cell functions = share_rows_cell(where, &where->interval_functions[i], arena);
		const struct grid *rows = functions.inside;

		for (size_t k = 0; k < rows->count; k++)
			rows->rows[k].cells[WHERE_FROM] = rows->rows[k].cells[WHERE_TO] = absent_cell();
		grid->rows[i].cells[WHERE_FUNCTIONS] = functions;
	}
	return intervals;
}

struct grid where_head(const struct where *where, bool is_page, struct arena *arena)
{
	struct grid grid = { .is_catalog = true };
	const struct cell absent = absent_cell();
	const struct weighing *w = where->weighing;
	const struct profile_event none = { .event = NULL }, *event = where->event ? where->event : &none;
	const double attributed = w->whole > 0 ? 100 * w->total / w->whole : 0;
	const bool has_calls = is_page && where->calls.function;

	grid_members(&grid, arena,
		     MEMBERS({ "event", text_cell(event->event) }, { "node", text_cell(w->node) },
			     { "title", text_cell(w->title) }, { "unit", text_cell(w->unit) },
			     { "exact", truth_cell(w->is_exact) }, { "samples", whole_cell(w->samples) },
			     { "lost", whole_cell(event->lost) }, { "throttled", whole_cell(event->throttled) },
			     { "period", known_cell(event->period) }, { "frequency", known_cell(event->frequency) },
			     { "precise", cell_if(where->event, whole_cell(event->precise)) },
			     { "base", text_cell(where->base ? where->base->name : NULL) },
			     { "kept_percent", number_cell(where->kept.percent) },
			     { "unknown_percent", number_cell(where->unknown.percent) },
			     { "truncated_percent", number_cell(where->truncated.percent) },
			     { "nowhere_percent", number_cell(where->nowhere.percent) },
			     { "attributed_percent", is_page ? number_cell(attributed) : absent },
			     { "without_line_percent", is_page ? number_cell(where->lineless.percent) : absent },
			     { "calls_self", has_calls ? number_cell(where->calls.self.percent) : absent },
			     { "calls_total", has_calls ? number_cell(where->calls.total.percent) : absent }));
	return grid;
}

static struct cell calls_cell(const struct where *where, struct arena *arena)
{
	const struct where_calls *calls = &where->calls;

	if (!calls->function)
		return absent_cell();
	return object_cell(arena,
			   MEMBERS({ "name", text_cell(calls->function) }, { "module", text_cell(calls->module) },
				   { "self", number_cell(calls->self.percent) },
				   { "total", number_cell(calls->total.percent) },
				   { "callers", share_rows_cell(where, &calls->callers, arena) },
				   { "callees", share_rows_cell(where, &calls->callees, arena) }));
}

/* Into the object that is open. */
static void write_profile(struct json_writer *writer, const struct where *where, struct arena *arena)
{
	const struct grid head = where_head(where, false, arena);
	static const char *const parts[] = {
		[BY_NOTHING] = "parts",	 [BY_THREAD] = "threads",     [BY_PROCESS] = "processes",
		[BY_MODULE] = "modules", [BY_INTERVAL] = "intervals",
	};
	const struct cell rows = where->by == BY_NOTHING    ? absent_cell()
				 : where->by == BY_INTERVAL ? intervals_cell(where, arena)
							    : share_rows_cell(where, &where->parts, arena);

	json_cells(writer, head.columns, head.rows[0].cells, head.ncolumns);
	json_members(writer, MEMBERS({ "functions", share_rows_cell(where, &where->functions, arena) },
				     { "lines", share_rows_cell(where, &where->lines, arena) },
				     { parts[where->by], rows }, { "calls", calls_cell(where, arena) },
				     { "remarks", texts_cell(arena, where->remarks, where->nremarks) }));
}

/* As reports had it before there were profiles. */
static struct cell percents_cell(const struct where *where, const struct where_rows *rows, struct arena *arena)
{
	const bool are_lines = rows == &where->lines;
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < rows->count; i++) {
		const struct where_row *row = &rows->items[i];

		if (!(row->self.percent > 0) || !where_has_row(where, row))
			continue; /* it only calls what loses slots: "profile" has it */
		grid_members(grid, arena,
			     MEMBERS({ "percent", number_cell(row->self.percent) },
				     { "function", text_cell(row->function) },
				     { "file", are_lines ? text_cell(row->file) : absent_cell() },
				     { "line", are_lines ? known_cell(row->line) : absent_cell() },
				     { "object", text_cell(row->module) }));
	}
	return rows_cell(grid);
}

static struct cell node_lines_cell(const struct hotspots *all, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < all->count; i++) {
		const struct where *where = &all->items[i];
		const struct weighing *w = where->weighing;

		if (!w->is_exact || !w->node)
			continue;
		grid_members(
			grid, arena,
			MEMBERS({ "node", text_cell(w->node) }, { "title", text_cell(w->title) },
				{ "attributed_percent", number_cell(w->whole > 0 ? 100 * w->total / w->whole : 0) },
				{ "without_line_percent", number_cell(where->lineless.percent) },
				{ "note", text_cell(where->nremarks ? where->remarks[0] : NULL) },
				{ "lines", percents_cell(where, &where->lines, arena) },
				{ "functions", percents_cell(where, &where->functions, arena) }));
	}
	return rows_cell(grid);
}

/* The values of all nodes by their names; nothing where values is NULL. */
static struct cell nodes_cell(const struct model *model, const double *values, struct arena *arena)
{
	struct member *nodes = arena_array(arena, model->nnodes, sizeof(*nodes));

	for (size_t i = 0; i < model->nnodes && values; i++)
		nodes[i] = (struct member){ model->metrics[i].name, exact_cell(values[i]) };
	return values ? object_cell(arena, nodes, model->nnodes) : absent_cell();
}

static struct cell trees_cell(const struct function_trees *trees, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);
	const bool is_sampled = trees->is_sampled;

	for (size_t i = 0; i < trees->count; i++) {
		const struct function_tree *tree = &trees->items[i];

		grid_members(
			grid, arena,
			MEMBERS({ "name", text_cell(tree->function) }, { "module", text_cell(tree->module) },
				{ "cycles_percent", number_cell(tree->cycles.percent) },
				{ "worst", text_cell(tree->most ? tree->most->name : NULL) },
				{ "mixed", is_sampled ? truth_cell(tree->is_mixed) : absent_cell() },
				{ "samples", is_sampled ? whole_cell(tree->cycles.samples) : absent_cell() },
				{ "rough", is_sampled ? truth_cell(tree->cycles.is_rough) : absent_cell() },
				{ "nodes", nodes_cell(trees->model, tree->values, arena) },
				{ "nodes_low", nodes_cell(trees->model, is_sampled ? tree->low : NULL, arena) },
				{ "nodes_high", nodes_cell(trees->model, is_sampled ? tree->high : NULL, arena) }));
	}
	return some_rows_cell(grid);
}

static struct cell pairs_cell(const struct hotspots *where, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < where->npairs; i++) {
		const struct paired_function *pair = &where->pairs[i];

		grid_members(grid, arena,
			     MEMBERS({ "name", text_cell(pair->function) }, { "module", text_cell(pair->module) },
				     { "modelled", number_cell(pair->modelled) },
				     { "measured", number_cell(pair->measured.percent) },
				     { "measured_low", number_cell(pair->measured.low) },
				     { "measured_high", number_cell(pair->measured.high) },
				     { "samples", whole_cell(pair->measured.samples) },
				     { "far", truth_cell(pair->is_far) }));
	}
	return some_rows_cell(grid);
}

void where_json(struct json_writer *writer, const struct hotspots *where, struct arena *arena)
{
	if (where->count) {
		json_write_object(writer, "profile");
		write_profile(writer, &where->items[0], arena);
		json_write_end(writer);
	}
	if (where->count > 1) {
		json_write_array(writer, "more_profiles");
		for (size_t i = 1; i < where->count; i++) {
			json_write_object(writer, NULL);
			write_profile(writer, &where->items[i], arena);
			json_write_end(writer);
		}
		json_write_end(writer);
	}
	if (where->question->wants_lines && where->count && where->items[0].weighing->is_exact)
		json_members(writer, MEMBERS({ "lines", node_lines_cell(where, arena) }));
	if (where->annotation)
		where_code_json(writer, where->annotation, arena);
	json_members(writer,
		     MEMBERS({ "function_trees", trees_cell(&where->trees, arena) },
			     { "anchored_functions", pairs_cell(where, arena) },
			     { "profile_remarks",
			       where->nremarks ? texts_cell(arena, where->remarks, where->nremarks) : absent_cell() }));
}
