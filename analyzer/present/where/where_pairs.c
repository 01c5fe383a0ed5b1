/* SPDX-License-Identifier: GPL-2.0-or-later */
/* where_pairs.c - a simulation beside a native run, function by function. */
#include <math.h>

#include "present/document/human.h"
#include "present/where/where_parts.h"

static const char *base_name(const char *path)
{
	const char *name = path ? module_base_name(path) : NULL;

	return name ? name : "no file";
}

enum {
	PAIR_MODELLED,
	PAIR_MEASURED,
	PAIR_INTERVAL,
	PAIR_PLACE,
	PAIR_FUNCTION,
	PAIR_LOW,
	PAIR_HIGH,
	PAIR_SAMPLES,
	PAIR_COLUMNS
};

static struct cell number_shown(double number, const char *shown)
{
	struct cell cell = number_cell(number);

	cell.shown = shown;
	return cell;
}

static const char *few_text(const struct document *doc, const struct hotspots *where)
{
	return arena_printf(doc->arena,
			    "The native run was so short that it has %llu sample%s: too few to compare its functions "
			    "with the simulated ones.",
			    (unsigned long long)where->paired_samples, where->paired_samples == 1 ? "" : "s");
}

void where_pairs(struct document *doc, const struct hotspots *where)
{
	static const struct column columns[PAIR_COLUMNS] = {
		[PAIR_MODELLED] = { .key = "modelled", .heading = "Modelled %", .flags = COLUMN_RIGHT, .least = 10 },
		[PAIR_MEASURED] = { .key = "measured", .heading = "Measured %", .flags = COLUMN_RIGHT, .gap = 2 },
		[PAIR_INTERVAL] = { .heading = "95 %", .flags = COLUMN_RIGHT, .gap = 2 },
		[PAIR_PLACE] = { .heading = "Object", .flags = COLUMN_FRONT_CUT, .gap = 2 },
		[PAIR_FUNCTION] = { .heading = "Function", .flags = COLUMN_TO_END, .gap = 2, .least = 8 },
		[PAIR_LOW] = { .key = "measured_low" },
		[PAIR_HIGH] = { .key = "measured_high" },
		[PAIR_SAMPLES] = { .key = "samples" },
	};
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));
	const struct paired_function *far = NULL;

	if (!where->npairs)
		return;
	doc_gap(doc);
	if (where->paired_samples < ROUGH_SAMPLES) {
		doc_sentence(doc, few_text(doc, where));
		return;
	}
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING,
				     .text = "Cycles modelled, and time measured natively, by function:",
				     .worded = "Modelled and measured time by function",
				     .level = 3 });
	*grid = (struct grid){ .columns = columns, .ncolumns = PAIR_COLUMNS, .has_heads = true };
	for (size_t i = 0; i < where->npairs; i++) {
		const struct paired_function *pair = &where->pairs[i];

		grid_add(grid,
			 (const struct cell[PAIR_COLUMNS]){
				 number_shown(pair->modelled, where_percent_text(doc->arena, pair->modelled)),
				 number_shown(pair->measured.percent,
					      where_percent_text(doc->arena, pair->measured.percent)),
				 shown_cell(where_interval_text(doc->arena, &pair->measured), INK_DIM),
				 shown_cell(arena_printf(doc->arena, "[%s]", base_name(pair->module)), INK_BOLD),
				 shown_cell(pair->function ? pair->function : "(no name)", INK_PLAIN),
				 number_cell(pair->measured.low), number_cell(pair->measured.high),
				 whole_cell(pair->measured.samples) },
			 doc->arena);
		if (pair->is_far && (!far || fabs(pair->modelled - pair->measured.percent) >
						     fabs(far->modelled - far->measured.percent)))
			far = pair;
	}
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	if (far)
		doc_sentence(doc, arena_printf(doc->arena,
					       "The model is farthest from the measured time in %s, beyond what chance "
					       "explains: take its tree with care.",
					       far->function ? far->function : "code without names"));
}
