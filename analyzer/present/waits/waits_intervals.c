/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waits_intervals.c - the first thread's clock over time: a row for each interval. */
#include "present/waits/waits_parts.h"

#include "present/document/human.h"

#define MOST_ROWS 60 /* that a screen shows */

enum { OVER_TIME, OVER_RUNNING, OVER_READY, OVER_WAITING, OVER_MOSTLY, OVER_COLUMNS };

static const struct column over_columns[OVER_COLUMNS] = {
	[OVER_TIME] = { .heading = "Interval" },
	[OVER_RUNNING] = { .heading = "Running", .flags = COLUMN_RIGHT, .gap = 2 },
	[OVER_READY] = { .heading = "Ready", .flags = COLUMN_RIGHT, .gap = 2 },
	[OVER_WAITING] = { .heading = "Waiting", .flags = COLUMN_RIGHT, .gap = 2 },
	[OVER_MOSTLY] = { .heading = "Waiting for, in percent", .flags = COLUMN_TO_END, .gap = 2, .least = 20 },
};

static double interval_waited(const struct wall_interval *interval)
{
	double waited_s = 0;

	for (size_t i = WALL_WAITS; i < WALL_PARTS; i++)
		waited_s += interval->parts[i];
	return waited_s;
}

static const char *part_text(double part_s, const struct wall_interval *interval, struct arena *arena)
{
	double life_s = interval->to_s - interval->from_s;

	return human_fixed(arena, life_s > 0 ? 100 * part_s / life_s : 0, 1);
}

/* "lock 43.6, timer 6.0": the longest first. */
static const char *kinds_text(const struct wall_interval *interval, struct arena *arena)
{
	const double life_s = interval->to_s - interval->from_s;
	struct string text = STRING_INIT(arena);
	double below_s = 2 * life_s;

	for (size_t shown = 0; shown < WAIT_KINDS; shown++) {
		size_t most = WALL_PARTS;

		for (size_t i = WALL_WAITS; i < WALL_PARTS; i++)
			if (interval->parts[i] < below_s &&
			    (most == WALL_PARTS || interval->parts[i] > interval->parts[most]))
				most = i;
		if (most == WALL_PARTS || !(interval->parts[most] > 0.0005 * life_s))
			break;
		below_s = interval->parts[most];
		string_printf(&text, "%s%s %s", text.length ? ", " : "",
			      wait_kind_name((enum wait_kind)(most - WALL_WAITS)), part_text(below_s, interval, arena));
	}
	return text.length ? text.text : "";
}

void waits_add_intervals(struct document *doc, const struct waits *waits)
{
	const size_t most = doc->style->is_verbose || doc->is_page ? SIZE_MAX : MOST_ROWS;
	struct grid *grid = grid_new(doc->arena, over_columns, OVER_COLUMNS);
	struct arena *arena = doc->arena;

	grid->has_heads = true;
	for (size_t i = 0; i < waits->nintervals && i < most; i++) {
		const struct wall_interval *interval = &waits->intervals[i];
		const struct cell cells[OVER_COLUMNS] = {
			[OVER_TIME] =
				shown_cell(arena_printf(arena, "%s to %s s", human_fixed(arena, interval->from_s, 3),
							human_fixed(arena, interval->to_s, 3)),
					   INK_PLAIN),
			[OVER_RUNNING] =
				shown_cell(part_text(interval->parts[WALL_RUNNING], interval, arena), INK_PLAIN),
			[OVER_READY] = shown_cell(part_text(interval->parts[WALL_READY], interval, arena), INK_PLAIN),
			[OVER_WAITING] = shown_cell(part_text(interval_waited(interval), interval, arena), INK_PLAIN),
			[OVER_MOSTLY] = shown_cell(kinds_text(interval, arena), INK_PLAIN),
		};

		grid_add(grid, cells, arena);
	}
	if (!grid->count)
		return;
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	if (waits->nintervals > most)
		doc_sentence(doc, arena_printf(arena, "and %zu more intervals", waits->nintervals - most));
}
