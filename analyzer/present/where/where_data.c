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
static void write_partners(struct json_writer *writer, const struct where_row *row)
{
	static const struct column columns[] = { { .key = "kind" }, { .key = "function" }, { .key = "file" },
						 { .key = "line" }, { .key = "module" },   { .key = "transfers" } };

	if (!row->npartners)
		return;
	json_write_array(writer, "shares_lines_with");
	for (size_t i = 0; i < row->npartners; i++) {
		const struct where_partner *partner = &row->partners[i];

		json_write_object(writer, NULL);
		json_cells(writer, columns,
			   (const struct cell[]){ text_cell(where_sharing_name(partner->kind)),
						  text_cell(partner->function), text_cell(partner->file),
						  known_cell(partner->line), text_cell(partner->module),
						  number_cell(partner->transfers) },
			   COUNT_OF(columns));
		json_write_end(writer);
	}
	json_write_end(writer);
}

/* Members of one row; a line calls its function so, and its part a share. */
static void write_row(struct json_writer *writer, const struct where *where, const struct where_row *row, bool is_line)
{
	struct cell cells[WHERE_COLUMNS];
	struct column columns[WHERE_COLUMNS];

	memcpy(columns, where_columns, sizeof(columns));
	if (is_line) {
		columns[WHERE_SELF].key = "share";
		columns[WHERE_LOW].key = "share_low";
		columns[WHERE_HIGH].key = "share_high";
		columns[WHERE_FUNCTION].key = "function";
	}
	where_cells(cells, where, row);
	if (!is_line)
		cells[WHERE_FILE] = cells[WHERE_LINE] = absent_cell();
	json_write_object(writer, NULL);
	json_cells(writer, columns, cells, WHERE_COLUMNS);
	write_partners(writer, row);
	json_write_end(writer);
}

static void write_rows(struct json_writer *writer, const char *key, const struct where *where,
		       const struct where_rows *rows)
{
	json_write_array(writer, key);
	for (size_t i = 0; i < rows->count; i++)
		write_row(writer, where, &rows->items[i], rows == &where->lines);
	json_write_end(writer);
}

/* Each with its functions, whose times are its own. */
static void write_intervals(struct json_writer *writer, const struct where *where)
{
	json_write_array(writer, "intervals");
	for (size_t i = 0; i < where->parts.count; i++) {
		struct cell cells[WHERE_COLUMNS];

		where_cells(cells, where, &where->parts.items[i]);
		cells[WHERE_FILE] = cells[WHERE_LINE] = absent_cell();
		json_write_object(writer, NULL);
		json_cells(writer, where_columns, cells, WHERE_COLUMNS);
		json_write_array(writer, "functions");
		for (size_t k = 0; k < where->interval_functions[i].count; k++) {
			struct where_row row = where->interval_functions[i].items[k];

			row.from_s = row.to_s = 0;
			write_row(writer, where, &row, false);
		}
		json_write_end(writer);
		json_write_end(writer);
	}
	json_write_end(writer);
}

struct grid where_head(const struct where *where, struct arena *arena)
{
	static const struct column columns[] = {
		{ .key = "event" },
		{ .key = "node" },
		{ .key = "title" },
		{ .key = "unit" },
		{ .key = "exact" },
		{ .key = "samples" },
		{ .key = "lost" },
		{ .key = "throttled" },
		{ .key = "period" },
		{ .key = "frequency" },
		{ .key = "precise" },
		{ .key = "base" },
		{ .key = "kept_percent" },
		{ .key = "unknown_percent" },
		{ .key = "truncated_percent" },
		{ .key = "nowhere_percent" },
		{ .key = "attributed_percent", .flags = COLUMN_PAGE_ONLY },
		{ .key = "without_line_percent", .flags = COLUMN_PAGE_ONLY },
		{ .key = "calls_self", .flags = COLUMN_PAGE_ONLY },
		{ .key = "calls_total", .flags = COLUMN_PAGE_ONLY },
	};
	struct grid grid = { .columns = columns, .ncolumns = COUNT_OF(columns), .is_catalog = true };
	const struct weighing *w = where->weighing;
	const struct profile_event none = { .event = NULL }, *event = where->event ? where->event : &none;

	grid_add(&grid,
		 (const struct cell[]){ text_cell(event->event),
					text_cell(w->node),
					text_cell(w->title),
					text_cell(w->unit),
					truth_cell(w->is_exact),
					whole_cell(w->samples),
					whole_cell(event->lost),
					whole_cell(event->throttled),
					known_cell(event->period),
					known_cell(event->frequency),
					cell_if(where->event, whole_cell(event->precise)),
					text_cell(where->base ? where->base->name : NULL),
					number_cell(where->kept.percent),
					number_cell(where->unknown.percent),
					number_cell(where->truncated.percent),
					number_cell(where->nowhere.percent),
					number_cell(w->whole > 0 ? 100 * w->total / w->whole : 0),
					number_cell(where->lineless.percent),
					where->calls.function ? number_cell(where->calls.self.percent) : absent_cell(),
					where->calls.function ? number_cell(where->calls.total.percent)
							      : absent_cell() },
		 arena);
	return grid;
}

static void write_calls(struct json_writer *writer, const struct where *where)
{
	static const struct column columns[] = {
		{ .key = "name" }, { .key = "module" }, { .key = "self" }, { .key = "total" }
	};
	const struct where_calls *calls = &where->calls;

	if (!calls->function)
		return;
	json_write_object(writer, "calls");
	json_cells(writer, columns,
		   (const struct cell[]){ text_cell(calls->function), text_cell(calls->module),
					  number_cell(calls->self.percent), number_cell(calls->total.percent) },
		   COUNT_OF(columns));
	write_rows(writer, "callers", where, &calls->callers);
	write_rows(writer, "callees", where, &calls->callees);
	json_write_end(writer);
}

static void write_names(struct json_writer *writer, const char *key, const char *const *names, size_t count)
{
	json_write_array(writer, key);
	for (size_t i = 0; i < count; i++)
		json_write_string(writer, NULL, names[i]);
	json_write_end(writer);
}

/* Into the object that is open. */
static void write_profile(struct json_writer *writer, const struct where *where, struct arena *arena)
{
	struct grid head = where_head(where, arena);
	static const char *const parts[] = {
		[BY_NOTHING] = "parts",	 [BY_THREAD] = "threads", [BY_PROCESS] = "processes",
		[BY_MODULE] = "modules", [BY_INTERVAL] = NULL,
	};

	json_cells(writer, head.columns, head.rows[0].cells, head.ncolumns);
	write_rows(writer, "functions", where, &where->functions);
	write_rows(writer, "lines", where, &where->lines);
	if (where->by == BY_INTERVAL)
		write_intervals(writer, where);
	else if (where->by != BY_NOTHING)
		write_rows(writer, parts[where->by], where, &where->parts);
	write_calls(writer, where);
	write_names(writer, "remarks", where->remarks, where->nremarks);
}

/* As reports had it before there were profiles. */
static void write_lines(struct json_writer *writer, const struct where *where, bool is_functions)
{
	static const struct column columns[] = {
		{ .key = "percent" }, { .key = "function" }, { .key = "file" }, { .key = "line" }, { .key = "object" }
	};
	const struct where_rows *rows = is_functions ? &where->functions : &where->lines;

	json_write_array(writer, is_functions ? "functions" : "lines");
	for (size_t i = 0; i < rows->count; i++) {
		const struct where_row *row = &rows->items[i];

		if (!(row->self.percent > 0))
			continue; /* it only calls what loses slots: "profile" has it */
		json_write_object(writer, NULL);
		json_cells(writer, columns,
			   (const struct cell[]){ number_cell(row->self.percent), text_cell(row->function),
						  is_functions ? absent_cell() : text_cell(row->file),
						  is_functions ? absent_cell() : known_cell(row->line),
						  text_cell(row->module) },
			   COUNT_OF(columns));
		json_write_end(writer);
	}
	json_write_end(writer);
}

static void write_node_lines(struct json_writer *writer, const struct whereabouts *all)
{
	static const struct column columns[] = { { .key = "node" },
						 { .key = "title" },
						 { .key = "attributed_percent" },
						 { .key = "without_line_percent" },
						 { .key = "note" } };

	json_write_array(writer, "lines");
	for (size_t i = 0; i < all->count; i++) {
		const struct where *where = &all->items[i];
		const struct weighing *w = where->weighing;

		if (!w->is_exact || !w->node)
			continue;
		json_write_object(writer, NULL);
		json_cells(writer, columns,
			   (const struct cell[]){ text_cell(w->node), text_cell(w->title),
						  number_cell(w->whole > 0 ? 100 * w->total / w->whole : 0),
						  number_cell(where->lineless.percent),
						  text_cell(where->nremarks ? where->remarks[0] : NULL) },
			   COUNT_OF(columns));
		write_lines(writer, where, false);
		write_lines(writer, where, true);
		json_write_end(writer);
	}
	json_write_end(writer);
}

static void write_nodes(struct json_writer *writer, const char *key, const struct model *model, const double *values)
{
	json_write_object(writer, key);
	for (size_t i = 0; i < model->nnodes; i++)
		json_write_number(writer, model->metrics[i].name, values[i]);
	json_write_end(writer);
}

static void write_tree(struct json_writer *writer, const struct function_trees *trees, const struct function_tree *tree)
{
	static const struct column columns[] = { { .key = "name" },  { .key = "module" }, { .key = "cycles_percent" },
						 { .key = "worst" }, { .key = "mixed" },  { .key = "samples" },
						 { .key = "rough" } };
	const struct cell absent = absent_cell();

	json_write_object(writer, NULL);
	json_cells(writer, columns,
		   (const struct cell[]){ text_cell(tree->function), text_cell(tree->module),
					  number_cell(tree->cycles.percent),
					  text_cell(tree->most ? tree->most->name : NULL),
					  trees->is_sampled ? truth_cell(tree->is_mixed) : absent,
					  trees->is_sampled ? whole_cell(tree->cycles.samples) : absent,
					  trees->is_sampled ? truth_cell(tree->cycles.is_rough) : absent },
		   COUNT_OF(columns));
	write_nodes(writer, "nodes", trees->model, tree->values);
	if (trees->is_sampled) {
		write_nodes(writer, "nodes_low", trees->model, tree->low);
		write_nodes(writer, "nodes_high", trees->model, tree->high);
	}
	json_write_end(writer);
}

static void write_trees(struct json_writer *writer, const struct function_trees *trees)
{
	json_write_array(writer, "function_trees");
	for (size_t i = 0; i < trees->count; i++)
		write_tree(writer, trees, &trees->items[i]);
	json_write_end(writer);
}

static void write_pairs(struct json_writer *writer, const struct whereabouts *where, struct arena *arena)
{
	static const struct column columns[] = {
		{ .key = "name" },	   { .key = "module" },	       { .key = "modelled" }, { .key = "measured" },
		{ .key = "measured_low" }, { .key = "measured_high" }, { .key = "samples" },  { .key = "far" },
	};
	struct grid grid = { .columns = columns, .ncolumns = COUNT_OF(columns) };

	for (size_t i = 0; i < where->npairs; i++) {
		const struct paired_function *pair = &where->pairs[i];

		grid_add(&grid,
			 (const struct cell[]){ text_cell(pair->function), text_cell(pair->module),
						number_cell(pair->modelled), number_cell(pair->measured.percent),
						number_cell(pair->measured.low), number_cell(pair->measured.high),
						whole_cell(pair->measured.samples), truth_cell(pair->is_far) },
			 arena);
	}
	json_grid(writer, "anchored_functions", &grid);
}

void where_json(struct json_writer *writer, const struct whereabouts *where, struct arena *arena)
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
		write_node_lines(writer, where);
	if (where->annotation)
		where_code_json(writer, where->annotation, arena);
	if (where->trees.count)
		write_trees(writer, &where->trees);
	if (where->npairs)
		write_pairs(writer, where, arena);
	if (where->nremarks)
		write_names(writer, "profile_remarks", where->remarks, where->nremarks);
}
