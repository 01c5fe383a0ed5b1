/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roofline_plot.c - ceilings and points on logarithmic axes: as lines of text, or as a picture of a page. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/base/cells.h"
#include "common/base/text.h"
#include "present/document/human.h"
#include "present/plot/plot.h"
#include "present/plot/text_plane.h"
#include "present/roofline/ceilings_parts.h"
#include "present/roofline/roofline_parts.h"

#define MOST_MARKS	   16
#define PARTS_OF_ADDRESSES "%&=#+\"<>` "

/* A point's place: the level that limits it, or else memory. NAN: nowhere. */
static double intensity_of(const struct roofline_point *point)
{
	enum roofline_quantity level = point->limit == ROOFLINE_FLOPS ? ROOFLINE_DRAM : point->limit;

	while (level > ROOFLINE_L1 && !isfinite(point->levels[level].intensity))
		level--;
	return point->levels[level].intensity > 0 && isfinite(point->levels[level].intensity)
		       ? point->levels[level].intensity
		       : NOT_COUNTED;
}

static bool roofline_plot_is_placed(const struct roofline_point *point)
{
	return point->bound != ROOFLINE_NO_FLOPS && point->performance > 0 && !isnan(intensity_of(point));
}

const char *roofline_said(const struct roofline_point *point, struct arena *arena)
{
	return point->loop ? arena_printf(arena, "%s, %s", point->function, point->name) : point->name;
}

const char *roofline_letter(const struct roofline *roofline, size_t point, struct arena *arena)
{
	size_t before = 0;

	if (!roofline_plot_is_placed(&roofline->points[point]))
		return " ";
	for (size_t i = 0; i < point; i++)
		before += roofline_plot_is_placed(&roofline->points[i]);
	return text_plane_letter(before, arena);
}

/* ---- which ceilings are drawn: of each level the highest; the peak, that of scalars, and the program's own ---- */

static bool is_scalar(const struct roof *roof)
{
	return roof->bits == (is_same_name(roof->type, "f32") ? 32 : 64);
}

static bool is_same_kind(const struct roof *roof, const struct roof *other)
{
	if (roof->threads != other->threads || !roof->level != !other->level)
		return false;
	return roof->level ? is_same_name(roof->level, other->level)
			   : is_same_name(roof->type, other->type) && roof->bits == other->bits;
}

static bool is_highest(const struct roofs *roofs, const struct roof *roof)
{
	for (const struct roof *other = roofs->items; other < roofs->items + roofs->count; other++)
		if (is_same_kind(roof, other) &&
		    (other->value > roof->value || (!(other->value < roof->value) && other < roof)))
			return false;
	return true;
}

static bool roofline_plot_is_drawn(const struct roofline *roofline, const struct roof *roof)
{
	const struct roofline_point *point = &roofline->points[0];

	if (roof->threads != roofline->threads || !(roof->value > 0) || (!roof->level && !roof->type))
		return false;
	if (roof == point->peak || roof == point->own)
		return true;
	if (!roof->level && (!point->peak || !is_scalar(roof) || !is_same_name(roof->type, point->peak->type)))
		return false;
	return is_highest(roofline->roofs, roof);
}

/* ---- the range ---- */

struct range {
	double x_low, x_high, y_low, y_high;
};

static void roofline_plot_widen(double *low, double *high, double value)
{
	if (!(value > 0) || !isfinite(value))
		return;
	*low = value < *low ? value : *low;
	*high = value > *high ? value : *high;
}

/* All points, and where each bandwidth meets the peak. */
static struct range roofline_plot_range_of(const struct roofline *roofline)
{
	struct range r = { (double)INFINITY, 0, (double)INFINITY, 0 };
	double peak = roofline->points[0].peak->value;

	roofline_plot_widen(&r.y_low, &r.y_high, peak);
	for (size_t i = 0; i < roofline->count; i++) {
		if (!roofline_plot_is_placed(&roofline->points[i]))
			continue;
		roofline_plot_widen(&r.x_low, &r.x_high, intensity_of(&roofline->points[i]));
		roofline_plot_widen(&r.y_low, &r.y_high, roofline->points[i].performance);
	}
	for (size_t i = 0; i < roofline->roofs->count; i++)
		if (roofline->roofs->items[i].level && roofline_plot_is_drawn(roofline, &roofline->roofs->items[i]))
			roofline_plot_widen(&r.x_low, &r.x_high, peak / roofline->roofs->items[i].value);
	return (struct range){ r.x_low / 2, r.x_high * 4, fmin(r.y_low / 2, r.y_high / 100), r.y_high * 2 };
}

/* ---- the plot ---- */

static const char *mark_label(const struct roof *roof, struct arena *arena)
{
	return roof->level
		       ? arena_printf(arena, "%s %sB/s", roof->level, human_count(arena, roof->value))
		       : arena_printf(arena, "%s %sFLOP/s", roof_name(roof, arena), human_count(arena, roof->value));
}

static size_t take_marks(struct plot_mark *marks, const struct roofline *roofline, struct arena *arena)
{
	size_t count = 0;

	for (size_t i = 0; i < roofline->roofs->count && count < MOST_MARKS; i++) {
		const struct roof *roof = &roofline->roofs->items[i];

		if (roofline_plot_is_drawn(roofline, roof))
			marks[count++] = (struct plot_mark){ .kind = roof->level ? PLOT_MARK_CEILING : PLOT_MARK_Y,
							     .at = roof->value,
							     .label = mark_label(roof, arena) };
	}
	return count;
}

const char *roofline_link(const struct roofline_point *point, struct arena *arena)
{
	const struct profile_loop *loop = point->loop;
	const char *function = loop && loop->inlined ? loop->inlined : point->function ? point->function : point->name;
	struct string link = STRING_INIT(arena);

	if (!function)
		return NULL;
	string_add(&link, "#fn=");
	string_add_percent(&link, cells_safe(arena, function, true), PARTS_OF_ADDRESSES);
	if (loop && loop->line)
		string_printf(&link, "&lines=%" PRIu32 "-%" PRIu32, loop->line, loop->last_line);
	return link.text;
}

/* The points from one number to another. Text has names only: their letters lead to the table. */
static struct plot_series series_of(const struct roofline *roofline, size_t from, size_t to, bool is_page,
				    struct arena *arena)
{
	double *x = arena_array(arena, to - from + 1, sizeof(*x)), *y = arena_array(arena, to - from + 1, sizeof(*y));
	const char **said = arena_array(arena, to - from + 1, sizeof(*said));
	const char **links = arena_array(arena, to - from + 1, sizeof(*links));
	size_t count = 0;

	for (size_t i = from; i < to; i++) {
		const struct roofline_point *point = &roofline->points[i];
		const char *name = point->name ? roofline_said(point, arena) : "the program";

		if (!roofline_plot_is_placed(point))
			continue;
		x[count] = intensity_of(point);
		y[count] = point->performance;
		links[count] = is_page ? roofline_link(point, arena) : NULL;
		said[count++] = is_page ? arena_printf(arena, "%s: %s", name, point->verdict) : name;
	}
	return (struct plot_series){
		.kind = PLOT_POINTS, .x = x, .y = y, .said = said, .links = links, .count = count
	};
}

static struct plot *plot_of(const struct roofline *roofline, bool is_page, struct arena *arena)
{
	struct plot *plot = arena_alloc(arena, sizeof(*plot));
	struct plot_series *series = arena_array(arena, 2, sizeof(*series));
	struct plot_mark *marks = arena_array(arena, MOST_MARKS, sizeof(*marks));
	struct range r = roofline_plot_range_of(roofline);

	series[0] = series_of(roofline, 0, roofline->nwhole, is_page, arena);
	series[0].name = is_page ? arena_printf(arena, "the program, %sFLOP/s",
						human_count(arena, roofline->points[0].performance))
				 : "program";
	series[1] = series_of(roofline, roofline->nwhole, roofline->count, is_page, arena);
	series[1].name = "functions";
	series[1].color = 1;
	*plot = (struct plot){
		.name = "Roofline",
		.x = { .scale = PLOT_LOG10, .title = "FLOP/byte", .low = r.x_low, .high = r.x_high },
		.y = { .scale = PLOT_LOG10, .title = "FLOP/s", .unit = "FLOP/s", .low = r.y_low, .high = r.y_high },
		.series = series,
		.nseries = roofline->count > roofline->nwhole ? 2 : 1,
		.marks = marks,
		.nmarks = take_marks(marks, roofline, arena),
	};
	return plot;
}

/* Ceilings above nothing say less than `topdown roofline` does. */
static bool has_placed(const struct roofline *roofline)
{
	for (size_t i = 0; i < roofline->count; i++)
		if (roofline_plot_is_placed(&roofline->points[i]))
			return true;
	return false;
}

#define FIRST_ROOF 2 /* its colour; those before it are the points' */

/* Of pages: each level is a line of its own colour, which the legend names, so that no label covers a point. */
static void draw_roofs(struct plot *plot, const struct roofline *roofline, struct arena *arena)
{
	struct plot_series *series = arena_array(arena, plot->nseries + plot->nmarks, sizeof(*series));
	struct plot_mark *marks = arena_array(arena, plot->nmarks + 1, sizeof(*marks));
	size_t count = 0, nmarks = 0;

	for (size_t i = 0; i < plot->nmarks; i++) {
		if (plot->marks[i].kind != PLOT_MARK_CEILING) {
			marks[nmarks++] = plot->marks[i];
			continue;
		}
		series[count] = ceilings_roof(&plot->marks[i], plot, roofline->points[0].peak->value,
					      (unsigned)(FIRST_ROOF + count) % PLOT_COLORS, arena);
		count++;
	}
	for (size_t i = 0; i < plot->nseries; i++)
		series[count++] = plot->series[i];
	plot->series = series;
	plot->nseries = count;
	plot->marks = marks;
	plot->nmarks = nmarks;
}

void roofline_plot(struct document *doc, const struct roofline *roofline)
{
	const struct block *block;
	struct plot *plot;

	if (!roofline->roofs || !roofline->points[0].peak || !has_placed(roofline))
		return;
	plot = plot_of(roofline, doc->is_page, doc->arena);
	if (doc->is_page) {
		draw_roofs(plot, roofline, doc->arena);
		doc_add(doc, plot_block(doc, plot, "Operations per second by operations per byte, below the ceilings",
					roofline->points[0].verdict));
		return;
	}
	block = text_plane_block(doc, plot);
	if (!block)
		return;
	doc_gap(doc);
	doc_add(doc, *block);
}
