/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roofline_cells.c - a program below the machine's ceilings: the cells of its points, and of the levels of each. */
#include "present/roofline/roofline_parts.h"

#include <inttypes.h>
#include <math.h>

#include "present/document/human.h"

/* ---- points ---- */

const struct column roofline_point_columns[POINT_COLUMNS] = {
	[POINT_LETTER] = { .heading = "" },
	[POINT_NAME] = { .key = "name", .heading = "Of", .flags = COLUMN_SHRINKS, .gap = 1 },
	[POINT_LOOP_OF] = { .key = "loop_of" },
	[POINT_INLINED] = { .key = "inlined" },
	[POINT_FILE] = { .key = "file" },
	[POINT_LINE] = { .key = "line" },
	[POINT_LAST_LINE] = { .key = "last_line" },
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
	[POINT_WIDTHS] = { .key = "widths" },
	[POINT_LEVELS] = { .key = "levels" },
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

const char *roofline_limit_name(const struct roofline_point *point)
{
	if (point->bound == ROOFLINE_UNKNOWN || isnan(point->share))
		return NULL;
	return point->limit == ROOFLINE_FLOPS ? "peak" : roofline_quantity_name(point->limit);
}

/* Half of the interval, in percent of the value; NAN: it has none. */
static double half_of(const struct roofline_interval *within, double value)
{
	return value > 0 && isfinite(value) ? 100 * (within->high - within->low) / 2 / value : NOT_COUNTED;
}

/* The widest of the operations a second and of the intensities. */
static double widest_half(const struct roofline_point *point)
{
	double widest = half_of(&point->performance_within, point->performance);

	for (enum roofline_quantity i = ROOFLINE_L1; i < ROOFLINE_QUANTITIES; i++)
		widest = fmax(widest, half_of(&point->levels[i].intensity_within, point->levels[i].intensity));
	return widest;
}

static void interval_cells(struct cell cells[2], const struct roofline_interval *within, double scale)
{
	cells[0] = number_cell(scale * within->low);
	cells[1] = number_cell(scale * within->high);
}

/* Of what is exact there is no such question. */
static void sampled_cells(struct cell *cells, const struct roofline_point *point, struct arena *arena)
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

const char *roofline_short_name(const struct profile_loop *loop, struct arena *arena)
{
	if (!loop->line)
		return arena_printf(arena, "loop +0x%" PRIx64, loop->offset);
	if (loop->last_line == loop->line)
		return arena_printf(arena, "loop %" PRIu32, loop->line);
	return arena_printf(arena, "loop %" PRIu32 "-%" PRIu32, loop->line, loop->last_line);
}

/* Below its function, and a bit to the right. */
static void loop_cells(struct cell *cells, const struct roofline_point *point, struct arena *arena)
{
	const struct profile_loop *loop = point->loop;

	cells[POINT_LOOP_OF] = text_cell(point->function);
	cells[POINT_INLINED] = text_cell(loop ? loop->inlined : NULL);
	cells[POINT_FILE] = text_cell(loop ? loop->file : NULL);
	cells[POINT_LINE] = known_cell(loop ? loop->line : 0);
	cells[POINT_LAST_LINE] = known_cell(loop ? loop->last_line : 0);
	if (loop)
		cells[POINT_NAME].shown = arena_printf(arena, "  %s", roofline_short_name(loop, arena));
}

void roofline_point_cells(struct cell *cells, const struct roofline *roofline, size_t number, struct arena *arena)
{
	const struct roofline_point *point = &roofline->points[number];
	double speed = point->performance / 1e9;

	cells[POINT_LETTER] = shown_cell(roofline_letter(roofline, number, arena), INK_BOLD);
	cells[POINT_NAME] = text_cell(point->name ? point->name : "all");
	loop_cells(cells, point, arena);
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
	cells[POINT_BOUND] = text_cell(roofline_bound_name(point->bound));
	cells[POINT_LIMIT] = text_cell(roofline_limit_name(point));
	cells[POINT_CEILING] = number_cell(isfinite(point->ceiling) ? point->ceiling : NOT_COUNTED);
	cells[POINT_SHARE] = figure_cell(100 * point->share, 100 * point->share, 0, arena);
	cells[POINT_PEAK] = number_cell(point->peak ? point->peak->value : NOT_COUNTED);
	cells[POINT_VERDICT] = text_cell(point->verdict);
	sampled_cells(cells, point, arena);
	cells[POINT_ADVICE] = text_cell(point->advice);
}

/* Whether there is none that computes anything. */
static bool has_bytes_only(const struct roofline *roofline, size_t from, size_t to)
{
	while (from < to && roofline->points[from].bound == ROOFLINE_NO_FLOPS)
		from++;
	return from == to;
}

bool roofline_has_loops(const struct roofline *roofline)
{
	for (size_t i = roofline->nwhole; i < roofline->count; i++)
		if (roofline->points[i].loop)
			return true;
	return false;
}

struct grid *roofline_functions_grid(const struct roofline *roofline, bool is_page, struct arena *arena)
{
	const size_t from = roofline->nwhole, to = roofline->count;
	struct grid *grid = arena_alloc(arena, sizeof(*grid));
	const bool is_sampled = from < to && roofline->points[from].is_sampled;
	const struct column *columns = has_bytes_only(roofline, from, to) ? moves_columns
				       : is_sampled			  ? sampled_columns
									  : roofline_point_columns;

	*grid = (struct grid){ .columns = columns,
			       .ncolumns = POINT_COLUMNS,
			       .has_heads = true,
			       .is_wide = is_sampled || roofline_has_loops(roofline) };
	for (size_t i = from; i < to; i++) {
		struct cell cells[POINT_COLUMNS] = { { .kind = CELL_NOTHING } };

		roofline_point_cells(cells, roofline, i, arena);
		if (is_page && roofline->points[i].loop)
			cells[POINT_NAME].shown = NULL;
		grid_add(grid, cells, arena)->link = is_page ? roofline_link(&roofline->points[i], arena) : NULL;
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
const char *roofline_source(const struct roofline_sources *sources, enum roofline_quantity quantity,
			    struct arena *arena)
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

static void level_cells(struct cell *cells, const struct roofline_level *level, struct arena *arena)
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

static void sampled_level_cells(struct cell *cells, const struct roofline_point *point,
				const struct roofline_level *level)
{
	cells[LEVEL_SAMPLES] = cells[LEVEL_INTENSITY_LOW] = cells[LEVEL_INTENSITY_HIGH] = absent_cell();
	if (!point->is_sampled)
		return;
	cells[LEVEL_SAMPLES] = whole_cell(level->samples);
	interval_cells(&cells[LEVEL_INTENSITY_LOW], &level->intensity_within, 1);
}

struct grid *roofline_levels_grid(const struct roofline_point *point, bool is_for_people, struct arena *arena)
{
	struct grid *grid = arena_alloc(arena, sizeof(*grid));

	*grid = (struct grid){ .columns = is_for_people && point->bound == ROOFLINE_NO_FLOPS ? bytes_columns
											     : level_columns,
			       .ncolumns = LEVEL_COLUMNS,
			       .has_heads = true };
	for (enum roofline_quantity i = ROOFLINE_L1; i < ROOFLINE_QUANTITIES; i++) {
		struct cell cells[LEVEL_COLUMNS] = { { .kind = CELL_NOTHING } };

		level_cells(cells, &point->levels[i], arena);
		sampled_level_cells(cells, point, &point->levels[i]);
		cells[LEVEL_NAME] = text_cell(roofline_quantity_name(i));
		cells[LEVEL_SOURCE] = text_cell(roofline_source(point->sources, i, arena));
		grid_add(grid, cells, arena);
	}
	return grid;
}
