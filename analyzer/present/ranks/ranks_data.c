/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ranks_data.c - the ranks of a job for machines. */
#include "present/ranks/ranks_view.h"

static struct cell values_cell(const struct rank_table *table, size_t rank, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < table->nfigures; i++)
		grid_members(grid, arena,
			     MEMBERS({ "name", text_cell(table->figures[i].name) },
				     { "value", exact_cell(table->figures[i].values[rank]) }));
	return rows_cell(grid);
}

static struct cell ranks_cell(const struct rank_table *table, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < table->count; i++) {
		const struct rank *rank = &table->ranks[i];

		grid_members(grid, arena,
			     MEMBERS({ "rank", whole_cell(rank->number) }, { "host", text_cell(rank->host) },
				     { "file", text_cell(rank->file) }, { "values", values_cell(table, i, arena) }));
	}
	return rows_cell(grid);
}

static struct cell figures_cell(const struct rank_table *table, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < table->nfigures; i++) {
		const struct rank_figure *figure = &table->figures[i];
		const struct rank_spread *spread = &figure->spread;
		const struct rank *least = &table->ranks[spread->least_at],
				  *largest = &table->ranks[spread->largest_at];

		grid_members(grid, arena,
			     MEMBERS({ "name", text_cell(figure->name) }, { "unit", text_cell(figure->unit) },
				     { "node", truth_cell(figure->node != NULL) }, { "known", whole_cell(spread->n) },
				     { "least", exact_cell(spread->least) },
				     { "least_rank", spread->n ? whole_cell(least->number) : text_cell(NULL) },
				     { "median", exact_cell(spread->median) },
				     { "largest", exact_cell(spread->largest) },
				     { "largest_rank", spread->n ? whole_cell(largest->number) : text_cell(NULL) },
				     { "mean", exact_cell(spread->mean) }, { "mad", exact_cell(spread->deviation) },
				     { "imbalance", exact_cell(spread->imbalance) }));
	}
	return rows_cell(grid);
}

static struct cell apart_cell(const struct rank_table *table, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < table->noutliers; i++) {
		const struct rank_outlier *outlier = &table->outliers[i];
		const struct rank_figure *figure = &table->figures[outlier->figure];

		grid_members(grid, arena,
			     MEMBERS({ "rank", whole_cell(table->ranks[outlier->rank].number) },
				     { "host", text_cell(table->ranks[outlier->rank].host) },
				     { "figure", text_cell(figure->name) },
				     { "value", exact_cell(figure->values[outlier->rank]) },
				     { "median", exact_cell(figure->spread.median) }));
	}
	return rows_cell(grid);
}

void ranks_json(struct json_writer *writer, const struct rank_report *report, struct arena *arena)
{
	struct grid *tables = grid_new(arena, NULL, 0);

	if (!report)
		return;
	for (size_t i = 0; i < report->count; i++)
		grid_members(tables, arena,
			     MEMBERS({ "part", text_cell(report->tables[i].part) },
				     { "ranks", ranks_cell(&report->tables[i], arena) },
				     { "figures", figures_cell(&report->tables[i], arena) },
				     { "apart", apart_cell(&report->tables[i], arena) }));
	json_write_object(writer, "job");
	json_members(writer,
		     MEMBERS({ "launcher", text_cell(report->set->launcher) }, { "id", text_cell(report->set->id) },
			     { "size", known_cell(report->set->size) }, { "ranks", whole_cell(report->set->nranks) },
			     { "hosts", known_cell(report->set->nhosts) }, { "tables", rows_cell(tables) },
			     { "remarks", texts_cell(arena, report->set->remarks, report->set->nremarks) }));
	json_write_end(writer);
}
