/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_fixes.c - what --what-if tried, for people and as JSON; the tree has the speed-up of each node beside it. */
#include <math.h>

#include "present/document/human.h"
#include "present/report/report_fields.h"

enum { FIX_NAME, FIX_SPEEDUP, FIX_CI95, FIX_CYCLES, FIX_NODES, FIX_WHAT, FIX_COLUMNS };

static const struct column columns[FIX_COLUMNS] = {
	[FIX_NAME] = { .key = "name", .heading = "What if", .gap = 2 },
	[FIX_SPEEDUP] = { .key = "speedup", .heading = "Speed-up", .flags = COLUMN_RIGHT, .gap = 2 },
	[FIX_CI95] = { .key = "ci95", .heading = "", .flags = COLUMN_RIGHT | COLUMN_JOINED, .gap = 1 },
	[FIX_CYCLES] = { .key = "cycles", .heading = "Cycles", .flags = COLUMN_RIGHT, .gap = 2 },
	[FIX_NODES] = { .key = "nodes" },
	[FIX_WHAT] = { .key = "what", .heading = "On such a core", .flags = COLUMN_WRAP, .gap = 2 },
};

/* plus: "±". */
static void report_fixes_fill(struct grid *grid, const struct report *report, const char *plus, struct arena *arena)
{
	for (size_t i = 0; i < report->nfixes; i++) {
		const struct fix *fix = &report->fixes[i];
		const char **names = arena_array(arena, fix->nnodes + 1, sizeof(*names));
		struct cell cells[FIX_COLUMNS] = { [FIX_NAME] = text_cell(fix->name),
						   [FIX_SPEEDUP] = number_cell(fix->speedup),
						   [FIX_CI95] = number_cell(fix->ci95),
						   [FIX_CYCLES] = number_cell(fix->cycles),
						   [FIX_WHAT] = text_cell(fix->what) };

		for (size_t k = 0; k < fix->nnodes; k++)
			names[k] = fix->nodes[k]->name;
		cells[FIX_NODES] = names_cell(arena, names, fix->nnodes);
		cells[FIX_SPEEDUP].shown = speedup_text(arena, fix->speedup);
		cells[FIX_CI95].ink = INK_DIM;
		cells[FIX_CI95].shown =
			isfinite(fix->ci95) ? arena_printf(arena, "%s%s", plus, human_fixed(arena, fix->ci95, 2)) : "";
		cells[FIX_CYCLES].shown = human_count(arena, fix->cycles);
		grid_add(grid, cells, arena);
	}
}

static bool is_any_sampled(const struct report *report)
{
	for (size_t i = 0; i < report->nfixes; i++)
		if (isfinite(report->fixes[i].ci95))
			return true;
	return false;
}

void report_fixes(struct document *doc, const struct report *report)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));

	if (!report->nfixes)
		return;
	*grid = (struct grid){ .columns = columns, .ncolumns = FIX_COLUMNS, .has_heads = true };
	report_fixes_fill(grid, report, plus_minus(doc), doc->arena);
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	doc_gap(doc);
	doc_sentence(doc,
		     "A speed-up is the most that removing this cause alone could bring. A node's share overstates "
		     "it where causes overlap: what waits for one thing often waits for another at the same time.");
	if (is_any_sampled(report))
		doc_sentence(
			doc,
			arena_printf(doc->arena,
				     "Behind %s is the 95 %% interval that sampling leaves, of both runs together.",
				     plus_minus(doc)));
}

void fixes_json(struct json_writer *writer, const struct report *report, struct arena *arena)
{
	struct grid grid = { .columns = columns, .ncolumns = FIX_COLUMNS };

	if (!report->nfixes)
		return;
	report_fixes_fill(&grid, report, "", arena);
	json_grid(writer, "what_if", &grid);
}
