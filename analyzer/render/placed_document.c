/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placed_document.c - a program below the machine's ceilings: sentences and tables, for people and for machines. */
#include <math.h>

#include "render/human.h"
#include "render/placed_parts.h"

/* ---- points ---- */

enum {
	POINT_LETTER,
	POINT_NAME,
	POINT_MODULE,
	POINT_TIME,
	POINT_SAMPLES,
	POINT_SECONDS,
	POINT_FLOPS,
	POINT_SPEED,
	POINT_VECTORS,
	POINT_L1,
	POINT_L2,
	POINT_L3,
	POINT_DRAM,
	POINT_WITHIN,
	POINT_MOVES_L1,
	POINT_MOVES_L2,
	POINT_MOVES_L3,
	POINT_MOVES_DRAM,
	POINT_BOUND,
	POINT_LIMIT,
	POINT_CEILING,
	POINT_SHARE,
	POINT_PEAK,
	POINT_VERDICT,
	POINT_ADVICE,
	POINT_TIME_SAMPLES,
	POINT_TIME_LOW,
	POINT_TIME_HIGH,
	POINT_SPEED_LOW,
	POINT_SPEED_HIGH,
	POINT_VECTORS_LOW,
	POINT_VECTORS_HIGH,
	POINT_COLUMNS
};

static const struct column point_columns[POINT_COLUMNS] = {
	[POINT_LETTER] = { .heading = "" },
	[POINT_NAME] = { .key = "name", .heading = "Of", .flags = COLUMN_SHRINKS, .gap = 1 },
	[POINT_MODULE] = { .key = "object" },
	[POINT_TIME] = { .key = "time_percent", .heading = "% time", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_SECONDS] = { .key = "seconds" },
	[POINT_FLOPS] = { .key = "flops" },
	[POINT_SPEED] = { .key = "flops_per_s", .heading = "GFLOP/s", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_VECTORS] = { .key = "vector_percent", .heading = "% vect.", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_L1] = { .key = "intensity_l1", .heading = "FLOP/B L1", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_L2] = { .key = "intensity_l2", .heading = "L2", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_L3] = { .key = "intensity_l3", .heading = "L3", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_DRAM] = { .key = "intensity_dram", .heading = "DRAM", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_BOUND] = { .key = "bound", .heading = "Bound", .gap = 2 },
	[POINT_LIMIT] = { .key = "limit", .heading = "at", .gap = 1 },
	[POINT_CEILING] = { .key = "ceiling_flops_per_s" },
	[POINT_SHARE] = { .key = "ceiling_percent", .heading = "% of it", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_PEAK] = { .key = "peak_flops_per_s" },
	[POINT_VERDICT] = { .key = "verdict" },
	[POINT_ADVICE] = { .key = "advice" },
	[POINT_SAMPLES] = { .key = "samples" },
	[POINT_TIME_SAMPLES] = { .key = "time_samples" },
	[POINT_TIME_LOW] = { .key = "time_percent_low" },
	[POINT_TIME_HIGH] = { .key = "time_percent_high" },
	[POINT_SPEED_LOW] = { .key = "flops_per_s_low" },
	[POINT_SPEED_HIGH] = { .key = "flops_per_s_high" },
	[POINT_VECTORS_LOW] = { .key = "vector_percent_low" },
	[POINT_VECTORS_HIGH] = { .key = "vector_percent_high" },
};

/* Of functions that were sampled, for people. */
static const struct column sampled_columns[POINT_COLUMNS] = {
	[POINT_LETTER] = { .heading = "" },
	[POINT_NAME] = { .heading = "Of", .flags = COLUMN_SHRINKS, .gap = 1 },
	[POINT_TIME] = { .heading = "% time", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_SAMPLES] = { .heading = "Samples", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_SPEED] = { .heading = "GFLOP/s", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_VECTORS] = { .heading = "% vect.", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_L1] = { .heading = "FLOP/B L1", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_L2] = { .heading = "L2", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_L3] = { .heading = "L3", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_DRAM] = { .heading = "DRAM", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_WITHIN] = { .heading = "within %", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_BOUND] = { .heading = "Bound", .gap = 2 },
	[POINT_LIMIT] = { .heading = "at", .gap = 1 },
	[POINT_SHARE] = { .heading = "% of it", .flags = COLUMN_RIGHT, .gap = 2 },
};

/* Of functions that compute nothing: what they move instead, in GB/s. */
static const struct column moves_columns[POINT_COLUMNS] = {
	[POINT_LETTER] = { .heading = "" },
	[POINT_NAME] = { .heading = "Of", .flags = COLUMN_SHRINKS },
	[POINT_TIME] = { .heading = "% time", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_MOVES_L1] = { .heading = "GB/s L1", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_MOVES_L2] = { .heading = "L2", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_MOVES_L3] = { .heading = "L3", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_MOVES_DRAM] = { .heading = "DRAM", .flags = COLUMN_RIGHT, .gap = 2 },
	[POINT_LIMIT] = { .heading = "Nearest", .gap = 2 },
	[POINT_SHARE] = { .heading = "% of it", .flags = COLUMN_RIGHT, .gap = 2 },
};

static struct cell figure_cell(double value, double shown, int decimals, struct arena *arena)
{
	struct cell cell = number_cell(value);

	cell.shown = human_fixed(arena, shown, decimals);
	return cell;
}

/* Small ones with as many digits as they need. */
static struct cell intensity_cell(double intensity, struct arena *arena)
{
	double value = isfinite(intensity) ? intensity : NOT_COUNTED;

	return figure_cell(value, value, value < 0.1 ? 4 : value < 10 ? 2 : 0, arena);
}

static const char *limit_name(const struct placed_point *point)
{
	if (point->bound == ROOFLINE_UNKNOWN || isnan(point->share))
		return NULL;
	return point->limit == ROOFLINE_FLOPS ? "peak" : roofline_quantity_name(point->limit);
}

/* Half of the interval, in percent of the value; NAN: it has none. */
static double half_of(const struct placed_interval *within, double value)
{
	return value > 0 && isfinite(value) ? 100 * (within->high - within->low) / 2 / value : NOT_COUNTED;
}

/* The widest of the operations a second and of the intensities. */
static double widest_half(const struct placed_point *point)
{
	double widest = half_of(&point->performance_within, point->performance);

	for (enum roofline_quantity i = ROOFLINE_L1; i < ROOFLINE_QUANTITIES; i++)
		widest = fmax(widest, half_of(&point->levels[i].intensity_within, point->levels[i].intensity));
	return widest;
}

static void interval_cells(struct cell cells[2], const struct placed_interval *within, double scale)
{
	cells[0] = number_cell(scale * within->low);
	cells[1] = number_cell(scale * within->high);
}

/* Of what is exact there is no such question. */
static void sampled_cells(struct cell *cells, const struct placed_point *point, struct arena *arena)
{
	double widest = widest_half(point);

	cells[POINT_SAMPLES] = cells[POINT_TIME_SAMPLES] = absent_cell();
	for (size_t i = POINT_TIME_LOW; i <= POINT_VECTORS_HIGH; i++)
		cells[i] = absent_cell();
	if (!point->is_sampled)
		return;
	cells[POINT_SAMPLES] = whole_cell(point->samples);
	cells[POINT_TIME_SAMPLES] = whole_cell(point->time_samples);
	cells[POINT_WITHIN] = figure_cell(widest, widest, widest < 1 ? 1 : 0, arena);
	interval_cells(&cells[POINT_TIME_LOW], &point->time_within, 100);
	interval_cells(&cells[POINT_SPEED_LOW], &point->performance_within, 1);
	interval_cells(&cells[POINT_VECTORS_LOW], &point->vectors_within, 100);
}

static void point_cells(struct cell *cells, const struct placed *roofline, size_t number, struct arena *arena)
{
	const struct placed_point *point = &roofline->points[number];
	double speed = point->performance / 1e9;

	cells[POINT_LETTER] = shown_cell(placed_letter(roofline, number, arena), INK_BOLD);
	cells[POINT_NAME] = text_cell(point->name ? point->name : "all");
	cells[POINT_MODULE] = text_cell(point->module);
	cells[POINT_TIME] = figure_cell(100 * point->time_share, 100 * point->time_share, 1, arena);
	cells[POINT_SECONDS] = number_cell(point->seconds);
	cells[POINT_FLOPS] = number_cell(point->flops);
	cells[POINT_SPEED] = figure_cell(point->performance, speed, speed < 1 ? 3 : 1, arena);
	cells[POINT_VECTORS] = figure_cell(100 * point->vector_share, 100 * point->vector_share, 0, arena);
	for (enum roofline_quantity i = ROOFLINE_L1; i < ROOFLINE_QUANTITIES; i++) {
		double moved = point->levels[i].rate;

		cells[POINT_L1 + i - ROOFLINE_L1] = intensity_cell(point->levels[i].intensity, arena);
		cells[POINT_MOVES_L1 + i - ROOFLINE_L1] = figure_cell(moved, moved / 1e9, 1, arena);
	}
	cells[POINT_BOUND] = text_cell(placed_bound_name(point->bound));
	cells[POINT_LIMIT] = text_cell(limit_name(point));
	cells[POINT_CEILING] = number_cell(isfinite(point->ceiling) ? point->ceiling : NOT_COUNTED);
	cells[POINT_SHARE] = figure_cell(100 * point->share, 100 * point->share, 0, arena);
	cells[POINT_PEAK] = number_cell(point->peak ? point->peak->value : NOT_COUNTED);
	cells[POINT_VERDICT] = text_cell(point->verdict);
	sampled_cells(cells, point, arena);
	cells[POINT_ADVICE] = text_cell(point->advice);
}

/* Whether there is none that computes anything. */
static bool has_bytes_only(const struct placed *roofline, size_t from, size_t to)
{
	while (from < to && roofline->points[from].bound == ROOFLINE_NO_FLOPS)
		from++;
	return from == to;
}

static struct grid *points_grid(const struct placed *roofline, size_t from, size_t to, struct arena *arena)
{
	struct grid *grid = arena_alloc(arena, sizeof(*grid));
	const bool is_sampled = from < to && roofline->points[from].is_sampled;
	const struct column *columns = has_bytes_only(roofline, from, to) ? moves_columns
				       : is_sampled			  ? sampled_columns
									  : point_columns;

	*grid = (struct grid){
		.columns = columns, .ncolumns = POINT_COLUMNS, .has_heads = true, .is_wide = is_sampled
	};
	for (size_t i = from; i < to; i++) {
		struct cell cells[POINT_COLUMNS] = { { .kind = CELL_NOTHING } };

		point_cells(cells, roofline, i, arena);
		grid_add(grid, cells, arena);
	}
	return grid;
}

/* ---- the levels of a point ---- */

enum {
	LEVEL_NAME,
	LEVEL_BYTES,
	LEVEL_RATE,
	LEVEL_INTENSITY,
	LEVEL_BANDWIDTH,
	LEVEL_ROOF,
	LEVEL_ATTAINABLE,
	LEVEL_SHARE,
	LEVEL_SOURCE,
	LEVEL_SAMPLES,
	LEVEL_INTENSITY_LOW,
	LEVEL_INTENSITY_HIGH,
	LEVEL_COLUMNS
};

static const struct column level_columns[LEVEL_COLUMNS] = {
	[LEVEL_NAME] = { .key = "level", .heading = "Level" },
	[LEVEL_BYTES] = { .key = "bytes", .heading = "Bytes", .flags = COLUMN_RIGHT, .gap = 2 },
	[LEVEL_RATE] = { .key = "bytes_per_s" },
	[LEVEL_INTENSITY] = { .key = "intensity", .heading = "FLOP/B", .flags = COLUMN_RIGHT, .gap = 2 },
	[LEVEL_BANDWIDTH] = { .key = "bandwidth", .heading = "GB/s", .flags = COLUMN_RIGHT, .gap = 2 },
	[LEVEL_ROOF] = { .key = "ceiling" },
	[LEVEL_ATTAINABLE] = { .key = "attainable", .heading = "allows GFLOP/s", .flags = COLUMN_RIGHT, .gap = 2 },
	[LEVEL_SHARE] = { .key = "percent", .heading = "% of it", .flags = COLUMN_RIGHT, .gap = 2 },
	[LEVEL_SOURCE] = { .key = "source", .heading = "Bytes are", .flags = COLUMN_WRAP, .gap = 2 },
	[LEVEL_SAMPLES] = { .key = "samples" },
	[LEVEL_INTENSITY_LOW] = { .key = "intensity_low" },
	[LEVEL_INTENSITY_HIGH] = { .key = "intensity_high" },
};

/* Of what computes nothing. */
static const struct column bytes_columns[LEVEL_COLUMNS] = {
	[LEVEL_NAME] = { .heading = "Level" },
	[LEVEL_BYTES] = { .heading = "Bytes", .flags = COLUMN_RIGHT, .gap = 2 },
	[LEVEL_RATE] = { .heading = "moves GB/s", .flags = COLUMN_RIGHT, .gap = 2 },
	[LEVEL_BANDWIDTH] = { .heading = "of GB/s", .flags = COLUMN_RIGHT, .gap = 2 },
	[LEVEL_SHARE] = { .heading = "% of it", .flags = COLUMN_RIGHT, .gap = 2 },
	[LEVEL_SOURCE] = { .heading = "Bytes are", .flags = COLUMN_WRAP, .gap = 2 },
};

#define MOST_NAMED 3 /* events of a set; those of operations are one for each type and width */

/* "lines of 64 bytes (L2_LINES_IN.ALL, L2_LINES_OUT.NON_SILENT)" */
static const char *source_of(const struct placed_sources *sources, enum roofline_quantity quantity, struct arena *arena)
{
	const struct roofline_set *set = sources->sets[quantity];
	struct string text = STRING_INIT(arena);

	if (!set)
		return sources->missing[quantity];
	string_printf(&text, "%s (", set->source);
	for (size_t i = 0; i < set->count && i < MOST_NAMED; i++)
		string_printf(&text, "%s%s", i ? ", " : "", set->events[i].name);
	if (set->count > MOST_NAMED)
		string_printf(&text, " and %zu more", set->count - MOST_NAMED);
	string_printf(&text, ")");
	return text.text;
}

static void level_cells(struct cell *cells, const struct placed_level *level, struct arena *arena)
{
	double attainable = isfinite(level->attainable) ? level->attainable : NOT_COUNTED;

	cells[LEVEL_BYTES] = number_cell(level->bytes);
	cells[LEVEL_BYTES].shown = human_count(arena, level->bytes);
	cells[LEVEL_RATE] = figure_cell(level->rate, level->rate / 1e9, 1, arena);
	cells[LEVEL_INTENSITY] = intensity_cell(level->intensity, arena);
	cells[LEVEL_BANDWIDTH] = figure_cell(level->roof ? level->roof->value : NOT_COUNTED,
					     level->roof ? level->roof->value / 1e9 : NOT_COUNTED, 1, arena);
	cells[LEVEL_ROOF] = text_cell(level->roof ? roof_name(level->roof, arena) : NULL);
	cells[LEVEL_ATTAINABLE] = figure_cell(attainable, attainable / 1e9, 2, arena);
	cells[LEVEL_SHARE] = figure_cell(100 * level->share, 100 * level->share, 0, arena);
}

static void sampled_level_cells(struct cell *cells, const struct placed_point *point, const struct placed_level *level)
{
	cells[LEVEL_SAMPLES] = cells[LEVEL_INTENSITY_LOW] = cells[LEVEL_INTENSITY_HIGH] = absent_cell();
	if (!point->is_sampled)
		return;
	cells[LEVEL_SAMPLES] = whole_cell(level->samples);
	interval_cells(&cells[LEVEL_INTENSITY_LOW], &level->intensity_within, 1);
}

static struct grid *levels_grid(const struct placed_point *point, struct arena *arena)
{
	struct grid *grid = arena_alloc(arena, sizeof(*grid));

	*grid = (struct grid){ .columns = level_columns, .ncolumns = LEVEL_COLUMNS, .has_heads = true };
	for (enum roofline_quantity i = ROOFLINE_L1; i < ROOFLINE_QUANTITIES; i++) {
		struct cell cells[LEVEL_COLUMNS] = { { .kind = CELL_NOTHING } };

		level_cells(cells, &point->levels[i], arena);
		sampled_level_cells(cells, point, &point->levels[i]);
		cells[LEVEL_NAME] = text_cell(roofline_quantity_name(i));
		cells[LEVEL_SOURCE] = text_cell(source_of(point->sources, i, arena));
		grid_add(grid, cells, arena);
	}
	return grid;
}

/* ---- for people ---- */

/* "f64 256 bits 91 %, f64 scalar 9 %": of what its operations consist. */
static const char *widths_text(const struct placed_point *point, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < point->nwidths && point->widths[i].flops > 0; i++) {
		const char *name = placed_width_name(&point->widths[i], arena);

		if (*name)
			string_printf(&text, "%s%s %s %%", text.length ? ", " : "", name,
				      human_fixed(arena, 100 * point->widths[i].flops / point->flops, 1));
	}
	return text.text;
}

static const char *time_text(const struct placed *roofline, const struct placed_point *point, struct arena *arena)
{
	const char *seconds = human_seconds(arena, point->seconds);

	switch (roofline->clock) {
	case ROOFLINE_WALL: return arena_printf(arena, "%s, of the run that was counted", seconds);
	case ROOFLINE_NATIVE:
		return arena_printf(arena, "%s of user time, of the native run beside the simulation", seconds);
	case ROOFLINE_MODEL:
		return arena_printf(arena, "%s, modelled: its cycles at %s GHz", seconds,
				    human_fixed(arena, roofline->hz / 1e9, 2));
	case ROOFLINE_NO_TIME: break;
	}
	return "unknown";
}

static const char *flops_text(const struct placed_point *point, struct arena *arena)
{
	const char *widths = widths_text(point, arena);

	if (isnan(point->flops))
		return point->sources->missing[ROOFLINE_FLOPS];
	return arena_printf(arena, "%s%s%s", human_count(arena, point->flops), *widths ? ": " : "", widths);
}

static const char *ceilings_text(const struct placed *roofline, struct arena *arena)
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

static void add_whole(struct document *doc, const struct placed *roofline, const struct placed_point *point)
{
	struct fact *facts = arena_array(doc->arena, 3, sizeof(*facts));
	struct grid *levels = levels_grid(point, doc->arena);

	if (point->bound == ROOFLINE_NO_FLOPS)
		levels->columns = bytes_columns;
	if (point->name)
		doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .text = point->name, .level = 3 });
	doc_add(doc, (struct block){ .kind = BLOCK_SENTENCE, .text = point->verdict, .look = "verdict" });
	if (point->advice)
		doc_sentence(doc, arena_printf(doc->arena, "Try: %s", point->advice));
	doc_gap(doc);
	facts[0] = (struct fact){ .label = "FLOPs", .text = flops_text(point, doc->arena) };
	facts[1] = (struct fact){ .label = "In", .text = time_text(roofline, point, doc->arena) };
	facts[2] = (struct fact){ .label = "Ceilings", .text = ceilings_text(roofline, doc->arena) };
	doc_add(doc, (struct block){ .kind = BLOCK_FACTS, .facts = facts, .nfacts = 3, .label = 10 });
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = levels });
}

static void add_functions(struct document *doc, const struct placed *roofline)
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
				     .grid = points_grid(roofline, roofline->nwhole, roofline->count, doc->arena) });
	if (is_sampled)
		doc_sentence(doc, "within %: half of the 95 % interval of GFLOP/s and FLOP/B, the widest of them.");
	for (size_t i = roofline->nwhole; i < roofline->count; i++) {
		const struct placed_point *point = &roofline->points[i];

		if (point->advice && point->time_share >= 0.1)
			doc_add(doc, (struct block){ .kind = BLOCK_NOTE,
						     .text = arena_printf(doc->arena, "%s: %s %s", point->name,
									  point->verdict, point->advice) });
	}
}

void placed_add(struct document *doc, const struct placed *roofline)
{
	if (!roofline)
		return;
	if (doc->is_page)
		doc_add(doc, (struct block){ .kind = BLOCK_SECTION, .text = "Roofline", .id = "roofline" });
	else
		doc_gap(doc);
	for (size_t i = 0; i < roofline->nwhole; i++)
		add_whole(doc, roofline, &roofline->points[i]);
	placed_plot(doc, roofline);
	add_functions(doc, roofline);
	doc_gap(doc);
	for (size_t i = 0; i < roofline->nnotes; i++)
		doc_add(doc, (struct block){ .kind = BLOCK_NOTE, .text = roofline->notes[i] });
}

/* ---- for machines ---- */

static void write_widths(struct json_writer *writer, const struct placed_point *point)
{
	static const struct column columns[] = { { .key = "type" }, { .key = "bits" }, { .key = "flops" } };

	json_write_array(writer, "widths");
	for (size_t i = 0; i < point->nwidths; i++) {
		const struct placed_width *width = &point->widths[i];
		const struct cell cells[] = { text_cell(roofline_type_name(width->type)),
					      cell_if(width->bits > 0, whole_cell((size_t)width->bits)),
					      number_cell(width->flops) };

		json_write_object(writer, NULL);
		json_cells(writer, columns, cells, COUNT_OF(columns));
		json_write_end(writer);
	}
	json_write_end(writer);
}

static void write_point(struct json_writer *writer, const struct placed *roofline, size_t number, struct arena *arena)
{
	struct cell cells[POINT_COLUMNS] = { { .kind = CELL_NOTHING } };

	point_cells(cells, roofline, number, arena);
	json_write_object(writer, NULL);
	json_cells(writer, point_columns, cells, POINT_COLUMNS);
	write_widths(writer, &roofline->points[number]);
	json_grid(writer, "levels", levels_grid(&roofline->points[number], arena));
	json_write_end(writer);
}

static void write_roofs(struct json_writer *writer, const struct placed *roofline, struct arena *arena)
{
	static const struct column columns[] = { { .key = "ceiling" }, { .key = "threads" }, { .key = "value" } };

	json_write_array(writer, "ceilings");
	for (size_t i = 0; roofline->roofs && i < roofline->roofs->count; i++) {
		const struct roof *roof = &roofline->roofs->items[i];
		const struct cell cells[] = { text_cell(roof_name(roof, arena)), whole_cell(roof->threads),
					      number_cell(roof->value) };

		json_write_object(writer, NULL);
		json_cells(writer, columns, cells, COUNT_OF(columns));
		json_write_end(writer);
	}
	json_write_end(writer);
}

static bool has_sampled(const struct placed *roofline)
{
	return roofline->count && roofline->points[roofline->count - 1].is_sampled;
}

void placed_json(struct json_writer *writer, const struct placed *roofline, struct arena *arena)
{
	static const struct column columns[] = { { .key = "clock" },
						 { .key = "clock_hz" },
						 { .key = "threads" },
						 { .key = "flops_source" },
						 { .key = "mixed_percent" } };

	if (!roofline)
		return;
	const struct cell cells[] = { text_cell(placed_clock_name(roofline->clock)), number_cell(roofline->hz),
				      whole_cell(roofline->threads),
				      text_cell(source_of(&roofline->whole, ROOFLINE_FLOPS, arena)),
				      has_sampled(roofline) ? number_cell(100 * roofline->mixed) : absent_cell() };

	json_write_object(writer, "roofline");
	json_cells(writer, columns, cells, COUNT_OF(columns));
	json_write_array(writer, "points");
	for (size_t i = 0; i < roofline->count; i++)
		write_point(writer, roofline, i, arena);
	json_write_end(writer);
	write_roofs(writer, roofline, arena);
	json_write_array(writer, "notes");
	for (size_t i = 0; i < roofline->nnotes; i++)
		json_write_string(writer, NULL, roofline->notes[i]);
	json_write_end(writer);
	json_write_end(writer);
}

#define FIGURES_OF_LEVEL 4

static struct placed_figure figure_of(const char *name, const char *unit, const char *text, double value)
{
	return (struct placed_figure){ name, unit, text, value, { NOT_COUNTED, NOT_COUNTED }, 0 };
}

static struct placed_figure sampled_figure(struct placed_figure figure, const struct placed_interval *within,
					   double scale, uint64_t samples)
{
	figure.within = (struct placed_interval){ scale * within->low, scale * within->high };
	figure.samples = samples;
	return figure;
}

static size_t level_figures(struct placed_figure *figures, const struct placed_point *point,
			    enum roofline_quantity number, struct arena *arena)
{
	const struct placed_level *level = &point->levels[number];
	const char *name = roofline_quantity_name(number);

	figures[0] = figure_of(arena_printf(arena, "%s_bytes", name), "B", source_of(point->sources, number, arena),
			       level->bytes);
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

const struct placed_figure *placed_figures(size_t *count, const struct placed *roofline,
					   const struct placed_point *point, struct arena *arena)
{
	struct placed_figure *figures =
		arena_array(arena, 8 + FIGURES_OF_LEVEL * ROOFLINE_QUANTITIES, sizeof(*figures));
	struct placed_figure *speed = &figures[2], *vectors = &figures[3], *time = &figures[4];
	size_t n = 0;

	figures[n++] = figure_of("flops", "", source_of(point->sources, ROOFLINE_FLOPS, arena), point->flops);
	figures[0].samples = point->samples;
	figures[n++] = figure_of("seconds", "s", placed_clock_name(roofline->clock), point->seconds);
	figures[n++] = figure_of("flops_per_s", "FLOP/s", NULL, point->performance);
	figures[n++] = figure_of("vectors", "%", NULL, 100 * point->vector_share);
	figures[n++] = figure_of("time", "%", NULL, 100 * point->time_share);
	if (point->is_sampled) {
		*speed = sampled_figure(*speed, &point->performance_within, 1, point->samples);
		*vectors = sampled_figure(*vectors, &point->vectors_within, 100, point->samples);
		*time = sampled_figure(*time, &point->time_within, 100, point->time_samples);
	}
	figures[n++] = figure_of("ceiling", "FLOP/s", limit_name(point), point->ceiling);
	figures[n++] = figure_of("of_ceiling", "%", point->verdict, 100 * point->share);
	for (enum roofline_quantity i = ROOFLINE_L1; i < ROOFLINE_QUANTITIES; i++)
		n += level_figures(&figures[n], point, i, arena);
	*count = n;
	return figures;
}
