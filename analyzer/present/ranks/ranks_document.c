/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/ranks/ranks_view.h"

#include <math.h>
#include <string.h>

#include "common/base/cells.h"
#include "present/document/human.h"

#define MOST_APART 5 /* ranks that are named */

static bool is_all_shown(const struct document *doc)
{
	return doc->style->is_verbose || doc->is_page;
}

static const char *figure_text(const struct rank_figure *figure, double value, struct arena *arena)
{
	if (isnan(value))
		return "-";
	if (figure->unit && !strcmp(figure->unit, "%"))
		return human_fixed(arena, value, 1);
	if (figure->unit)
		return human_fixed(arena, value, 3);
	return !strcmp(figure->name, "IPC") ? human_fixed(arena, value, 2) : human_count(arena, value);
}

/* "3", "3 on node7" where there are several hosts. */
static const char *rank_text(const struct rank_report *report, const struct rank *rank, struct arena *arena)
{
	const char *host = report->set->nhosts > 1 && rank->host
				   ? arena_printf(arena, " on %s", cells_safe(arena, rank->host, true))
				   : "";

	return arena_printf(arena, "%llu%s", (unsigned long long)rank->number, host);
}

/* ---- what differs ---- */

enum {
	SPREAD_FIGURE,
	SPREAD_LEAST,
	SPREAD_LEAST_AT,
	SPREAD_MEDIAN,
	SPREAD_LARGEST,
	SPREAD_LARGEST_AT,
	SPREAD_IMBALANCE,
	SPREAD_COLUMNS
};

static const struct column spread_columns[SPREAD_COLUMNS] = {
	[SPREAD_FIGURE] = { .heading = "Of ranks" },
	[SPREAD_LEAST] = { .heading = "Least", .flags = COLUMN_RIGHT, .gap = 2 },
	[SPREAD_LEAST_AT] = { .heading = "Rank", .gap = 2 },
	[SPREAD_MEDIAN] = { .heading = "Median", .flags = COLUMN_RIGHT, .gap = 2 },
	[SPREAD_LARGEST] = { .heading = "Largest", .flags = COLUMN_RIGHT, .gap = 2 },
	[SPREAD_LARGEST_AT] = { .heading = "Rank", .gap = 2 },
	[SPREAD_IMBALANCE] = { .heading = "Imbalance %", .flags = COLUMN_RIGHT, .gap = 2 },
};

static void add_spreads(struct document *doc, const struct rank_report *report, const struct rank_table *table)
{
	struct grid *grid = grid_new(doc->arena, spread_columns, SPREAD_COLUMNS);
	struct arena *arena = doc->arena;

	grid->has_heads = true;
	for (size_t i = 0; i < table->nfigures; i++) {
		const struct rank_figure *figure = &table->figures[i];
		const struct rank_spread *spread = &figure->spread;

		if (!spread->n || (figure->node && !figure->is_on_path && !doc->style->is_verbose))
			continue;
		grid_add(grid,
			 (const struct cell[SPREAD_COLUMNS]){
				 [SPREAD_FIGURE] = shown_cell(figure->name, INK_PLAIN),
				 [SPREAD_LEAST] = shown_cell(figure_text(figure, spread->least, arena), INK_PLAIN),
				 [SPREAD_LEAST_AT] =
					 shown_cell(rank_text(report, &table->ranks[spread->least_at], arena), INK_DIM),
				 [SPREAD_MEDIAN] = shown_cell(figure_text(figure, spread->median, arena), INK_PLAIN),
				 [SPREAD_LARGEST] = shown_cell(figure_text(figure, spread->largest, arena), INK_PLAIN),
				 [SPREAD_LARGEST_AT] = shown_cell(
					 rank_text(report, &table->ranks[spread->largest_at], arena), INK_DIM),
				 [SPREAD_IMBALANCE] = shown_cell(
					 isnan(spread->imbalance) ? "" : human_fixed(arena, 100 * spread->imbalance, 1),
					 INK_PLAIN),
			 },
			 arena);
	}
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

/* ---- each of them ---- */

static void add_each(struct document *doc, const struct rank_report *report, const struct rank_table *table)
{
	struct column *columns = arena_array(doc->arena, table->nfigures + 2, sizeof(*columns));
	struct cell *cells = arena_array(doc->arena, table->nfigures + 2, sizeof(*cells));
	struct grid *grid;
	size_t count = 1;

	columns[0] = (struct column){ .heading = "Rank" };
	for (size_t i = 0; i < table->nfigures; i++)
		if (table->figures[i].spread.n && (!table->figures[i].node || table->figures[i].is_on_path))
			columns[count++] =
				(struct column){ .heading = table->figures[i].name, .flags = COLUMN_RIGHT, .gap = 2 };
	grid = grid_new(doc->arena, columns, count);
	grid->has_heads = true;
	for (size_t rank = 0; rank < table->count; rank++) {
		size_t at = 1;

		cells[0] = shown_cell(rank_text(report, &table->ranks[rank], doc->arena), INK_PLAIN);
		for (size_t i = 0; i < table->nfigures; i++)
			if (table->figures[i].spread.n && (!table->figures[i].node || table->figures[i].is_on_path))
				cells[at++] = shown_cell(
					figure_text(&table->figures[i], table->figures[i].values[rank], doc->arena),
					INK_PLAIN);
		grid_add(grid, cells, doc->arena);
	}
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

/* ---- who stands apart ---- */

static void add_apart(struct document *doc, const struct rank_report *report, const struct rank_table *table)
{
	const size_t most = is_all_shown(doc) ? SIZE_MAX : MOST_APART;
	struct arena *arena = doc->arena;

	for (size_t i = 0; i < table->noutliers && i < most; i++) {
		const struct rank_outlier *outlier = &table->outliers[i];
		const struct rank_figure *figure = &table->figures[outlier->figure];
		const struct rank *rank = &table->ranks[outlier->rank];

		doc_sentence(doc, arena_printf(arena, "Rank %s stands apart: %s %s, where the median is %s.",
					       rank_text(report, rank, arena), figure->name,
					       figure_text(figure, figure->values[outlier->rank], arena),
					       figure_text(figure, figure->spread.median, arena)));
	}
	if (table->noutliers > most)
		doc_sentence(doc, arena_printf(arena, "And so do %zu more.", table->noutliers - most));
}

/* "4 ranks of a job (Slurm 123), on 2 hosts: counts are their sum." */
static const char *sum_text(const struct rank_set *set, struct arena *arena)
{
	const char *id = set->id ? arena_printf(arena, " %s", cells_safe(arena, set->id, true)) : "";
	const char *launcher =
		set->launcher ? arena_printf(arena, " of a job (%s%s)", cells_safe(arena, set->launcher, true), id)
			      : "";
	const char *hosts =
		set->nhosts ? arena_printf(arena, ", on %zu host%s", set->nhosts, set->nhosts == 1 ? "" : "s") : "";

	return arena_printf(arena, "%zu %s%s%s%s: counts are their sum, the time is that of the slowest.", set->nranks,
			    set->launcher ? "rank" : "session", set->nranks == 1 ? "" : "s", launcher, hosts);
}

void ranks_add_answer(struct document *doc, const struct rank_report *report)
{
	if (!report)
		return;
	doc_gap(doc);
	doc_sentence(doc, sum_text(report->set, doc->arena));
	for (size_t i = 0; i < report->count; i++)
		add_apart(doc, report, &report->tables[i]);
	for (size_t i = 0; i < report->set->nremarks; i++)
		doc_add(doc, (struct block){ .kind = BLOCK_NOTE, .text = report->set->remarks[i] });
	doc_gap(doc);
}

void ranks_add_tables(struct document *doc, const struct rank_report *report)
{
	if (!report)
		return;
	doc_gap(doc);
	if (doc->is_page || doc->style->format == FORMAT_MARKDOWN)
		doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .text = "Ranks", .level = 2 });
	for (size_t i = 0; i < report->count; i++) {
		doc_gap(doc);
		if (report->tables[i].part)
			doc_sentence(doc, arena_printf(doc->arena,
						       "On %s:", cells_safe(doc->arena, report->tables[i].part, true)));
		add_spreads(doc, report, &report->tables[i]);
		if (is_all_shown(doc) && report->tables[i].count > 1)
			add_each(doc, report, &report->tables[i]);
	}
	doc_gap(doc);
}
