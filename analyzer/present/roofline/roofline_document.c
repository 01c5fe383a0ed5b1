/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roofline_document.c - a program below the machine's ceilings: sentences and tables, for people and for machines. */
#include <math.h>

#include "analyse/hotspots/functions.h"
#include "present/document/human.h"
#include "present/roofline/roofline_parts.h"

/* ---- for people ---- */

/* "f64 256 bits 91 %, f64 scalar 9 %": of what its operations consist. */
static const char *widths_text(const struct roofline_point *point, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < point->nwidths && point->widths[i].flops > 0; i++) {
		const char *name = roofline_width_name(&point->widths[i], arena);

		if (*name)
			string_printf(&text, "%s%s %s %%", text.length ? ", " : "", name,
				      human_fixed(arena, 100 * point->widths[i].flops / point->flops, 1));
	}
	return text.text;
}

static const char *roofline_document_time_text(const struct roofline *roofline, const struct roofline_point *point,
					       struct arena *arena)
{
	const char *seconds = human_seconds(arena, point->seconds);

	switch (roofline->clock) {
	case ROOFLINE_WALL: return arena_printf(arena, "%s, of the run that was counted", seconds);
	case ROOFLINE_NATIVE: return arena_printf(arena, "%s of user time, of the additional native run", seconds);
	case ROOFLINE_MODEL:
		return arena_printf(arena, "%s, modelled: its cycles at %s GHz", seconds,
				    human_fixed(arena, roofline->hz / 1e9, 2));
	case ROOFLINE_NO_TIME: break;
	}
	return "unknown";
}

static const char *flops_text(const struct roofline_point *point, struct arena *arena)
{
	const char *widths = widths_text(point, arena);

	if (isnan(point->flops))
		return point->sources->missing[ROOFLINE_FLOPS];
	return arena_printf(arena, "%s%s%s", human_count(arena, point->flops), *widths ? ": " : "", widths);
}

static const char *ceilings_text(const struct roofline *roofline, struct arena *arena)
{
	const struct roofs *roofs = roofline->roofs;

	if (!roofs)
		return "none";
	return arena_printf(arena, "of %s, measured%s%s%s%s",
			    roofline->threads > 1 ? arena_printf(arena, "%zu threads", roofline->threads)
						  : "one thread",
			    roofs->measured ? " " : "", roofs->measured ? roofs->measured : " before",
			    roofs->cpu ? " on " : "", roofs->cpu ? roofs->cpu : "");
}

static void roofline_document_add_whole(struct document *doc, const struct roofline *roofline,
					const struct roofline_point *point)
{
	struct fact *facts = arena_array(doc->arena, 3, sizeof(*facts));
	struct grid *levels = roofline_levels_grid(point, true, doc->arena);

	if (point->name)
		doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .text = point->name, .level = 3 });
	if (!doc->is_page || point != roofline->points) /* where it is the headline */
		doc_add(doc, (struct block){ .kind = BLOCK_SENTENCE, .text = point->verdict });
	if (point->advice)
		doc_sentence(doc, arena_printf(doc->arena, "Try: %s", point->advice));
	doc_gap(doc);
	facts[0] = (struct fact){ .label = "FLOPs", .text = flops_text(point, doc->arena) };
	facts[1] = (struct fact){ .label = "In", .text = roofline_document_time_text(roofline, point, doc->arena) };
	facts[2] = (struct fact){ .label = "Ceilings", .text = ceilings_text(roofline, doc->arena) };
	doc_add(doc, (struct block){ .kind = BLOCK_FACTS, .facts = facts, .nfacts = 3, .label = 10 });
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = levels });
}

/* A function whose hottest loop has most of its time: the loop's advice is its own. */
static bool is_its_loop(const struct roofline *roofline, size_t point)
{
	const struct roofline_point *function = &roofline->points[point];

	return !function->loop && point + 1 < roofline->count && function[1].loop &&
	       function[1].time_share >= 0.9 * function->time_share;
}

static void explain_loops(struct document *doc, const struct roofline *roofline)
{
	struct string inlined = STRING_INIT(doc->arena);

	doc_sentence(
		doc,
		"loop 12-14: of the function above, at these lines of its file; loop +0x40: that far after its start.");
	for (size_t i = roofline->nwhole; i < roofline->count; i++) {
		const struct profile_loop *loop = roofline->points[i].loop;

		if (loop && loop->inlined)
			string_printf(&inlined, "%s%s (%s)", inlined.length ? ", " : "",
				      roofline_short_name(loop, doc->arena),
				      function_plain_name(loop->inlined, doc->arena));
	}
	if (inlined.length)
		doc_sentence(doc, arena_printf(doc->arena, "Of functions inlined there: %s.", inlined.text));
}

static void roofline_document_add_functions(struct document *doc, const struct roofline *roofline)
{
	bool is_sampled;

	if (roofline->count == roofline->nwhole)
		return;
	doc_gap(doc);
	is_sampled = roofline->points[roofline->nwhole].is_sampled;
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING,
				     .text = is_sampled ? "Functions below the ceilings, by samples"
							: "Functions below the ceilings",
				     .level = 3 });
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE,
				     .grid = roofline_functions_grid(roofline, doc->is_page, doc->arena) });
	if (roofline_has_loops(roofline) && !doc->is_page)
		explain_loops(doc, roofline);
	if (is_sampled)
		doc_sentence(doc, "within %: half of the 95 % interval of GFLOP/s and FLOP/B, the widest of them.");
	for (size_t i = roofline->nwhole; i < roofline->count; i++) {
		const struct roofline_point *point = &roofline->points[i];

		if (point->advice && point->time_share >= 0.1 && !is_its_loop(roofline, i))
			doc_add(doc, (struct block){ .kind = BLOCK_NOTE,
						     .text = arena_printf(doc->arena, "%s: %s %s",
									  roofline_said(point, doc->arena),
									  point->verdict, point->advice) });
	}
}

void roofline_add(struct document *doc, const struct roofline *roofline)
{
	if (!roofline)
		return;
	if (doc->is_page)
		doc_add(doc, (struct block){ .kind = BLOCK_SECTION, .text = "Roofline", .id = "roofline" });
	else
		doc_gap(doc);
	for (size_t i = 0; i < roofline->nwhole; i++)
		roofline_document_add_whole(doc, roofline, &roofline->points[i]);
	roofline_plot(doc, roofline);
	roofline_document_add_functions(doc, roofline);
	doc_gap(doc);
	for (size_t i = 0; i < roofline->nnotes; i++)
		doc_add(doc, (struct block){ .kind = BLOCK_NOTE, .text = roofline->notes[i] });
}

/* ---- for machines ---- */

static struct cell widths_cell(const struct roofline_point *point, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < point->nwidths; i++) {
		const struct roofline_width *width = &point->widths[i];

		grid_members(grid, arena,
			     MEMBERS({ "type", text_cell(roofline_type_name(width->type)) },
				     { "bits", cell_if(width->bits > 0, whole_cell((size_t)width->bits)) },
				     { "flops", number_cell(width->flops) }));
	}
	return rows_cell(grid);
}

static struct cell points_cell(const struct roofline *roofline, struct arena *arena)
{
	struct grid *grid = grid_new(arena, roofline_point_columns, POINT_COLUMNS);

	for (size_t i = 0; i < roofline->count; i++) {
		const struct roofline_point *point = &roofline->points[i];
		struct cell cells[POINT_COLUMNS] = { { .kind = CELL_NOTHING } };

		roofline_point_cells(cells, roofline, i, arena);
		cells[POINT_WIDTHS] = widths_cell(point, arena);
		cells[POINT_LEVELS] = rows_cell(roofline_levels_grid(point, false, arena));
		grid_add(grid, cells, arena);
	}
	return rows_cell(grid);
}

static struct cell ceilings_cell(const struct roofs *roofs, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; roofs && i < roofs->count; i++)
		grid_members(grid, arena,
			     MEMBERS({ "ceiling", text_cell(roof_name(&roofs->items[i], arena)) },
				     { "threads", whole_cell(roofs->items[i].threads) },
				     { "value", number_cell(roofs->items[i].value) }));
	return rows_cell(grid);
}

void roofline_json(struct json_writer *writer, const struct roofline *roofline, struct arena *arena)
{
	if (!roofline)
		return;
	const bool is_sampled = roofline->count && roofline->points[roofline->count - 1].is_sampled;

	json_write_object(writer, "roofline");
	json_members(writer,
		     MEMBERS({ "clock", text_cell(roofline_clock_name(roofline->clock)) },
			     { "clock_hz", number_cell(roofline->hz) }, { "threads", whole_cell(roofline->threads) },
			     { "flops_source", text_cell(roofline_source(&roofline->whole, ROOFLINE_FLOPS, arena)) },
			     { "mixed_percent", is_sampled ? number_cell(100 * roofline->mixed) : absent_cell() },
			     { "points", points_cell(roofline, arena) },
			     { "ceilings", ceilings_cell(roofline->roofs, arena) },
			     { "notes", texts_cell(arena, roofline->notes, roofline->nnotes) }));
	json_write_end(writer);
}

#define FIGURES_OF_LEVEL 4

static struct roofline_figure figure_of(const char *name, const char *unit, const char *text, double value)
{
	return (struct roofline_figure){ name, unit, text, value, { NOT_COUNTED, NOT_COUNTED }, 0 };
}

static struct roofline_figure sampled_figure(struct roofline_figure figure, const struct roofline_interval *within,
					     double scale, uint64_t samples)
{
	figure.within = (struct roofline_interval){ scale * within->low, scale * within->high };
	figure.samples = samples;
	return figure;
}

static size_t level_figures(struct roofline_figure *figures, const struct roofline_point *point,
			    enum roofline_quantity number, struct arena *arena)
{
	const struct roofline_level *level = &point->levels[number];
	const char *name = roofline_quantity_name(number);

	figures[0] = figure_of(arena_printf(arena, "%s_bytes", name), "B",
			       roofline_source(point->sources, number, arena), level->bytes);
	figures[0].samples = level->samples;
	figures[1] = figure_of(arena_printf(arena, "%s_bytes_per_s", name), "B/s", NULL, level->rate);
	figures[2] = figure_of(arena_printf(arena, "%s_intensity", name), "FLOP/B", NULL,
			       isfinite(level->intensity) ? level->intensity : NOT_COUNTED);
	if (point->is_sampled)
		figures[2] = sampled_figure(figures[2], &level->intensity_within, 1, level->samples);
	figures[3] = figure_of(arena_printf(arena, "%s_bandwidth", name), "B/s",
			       level->roof ? roof_name(level->roof, arena) : NULL,
			       level->roof ? level->roof->value : NOT_COUNTED);
	return FIGURES_OF_LEVEL;
}

const struct roofline_figure *roofline_figures(size_t *count, const struct roofline *roofline,
					       const struct roofline_point *point, struct arena *arena)
{
	struct roofline_figure *figures =
		arena_array(arena, 8 + FIGURES_OF_LEVEL * ROOFLINE_QUANTITIES, sizeof(*figures));
	struct roofline_figure *speed = &figures[2], *vectors = &figures[3], *time = &figures[4];
	size_t n = 0;

	figures[n++] = figure_of("flops", "", roofline_source(point->sources, ROOFLINE_FLOPS, arena), point->flops);
	figures[0].samples = point->samples;
	figures[n++] = figure_of("seconds", "s", roofline_clock_name(roofline->clock), point->seconds);
	figures[n++] = figure_of("flops_per_s", "FLOP/s", NULL, point->performance);
	figures[n++] = figure_of("vectors", "%", NULL, 100 * point->vector_share);
	figures[n++] = figure_of("time", "%", NULL, 100 * point->time_share);
	if (point->is_sampled) {
		*speed = sampled_figure(*speed, &point->performance_within, 1, point->samples);
		*vectors = sampled_figure(*vectors, &point->vectors_within, 100, point->samples);
		*time = sampled_figure(*time, &point->time_within, 100, point->time_samples);
	}
	figures[n++] = figure_of("ceiling", "FLOP/s", roofline_limit_name(point), point->ceiling);
	figures[n++] = figure_of("of_ceiling", "%", point->verdict, 100 * point->share);
	for (enum roofline_quantity i = ROOFLINE_L1; i < ROOFLINE_QUANTITIES; i++)
		n += level_figures(&figures[n], point, i, arena);
	*count = n;
	return figures;
}
