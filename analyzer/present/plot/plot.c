/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/plot/plot.h"

#include <math.h>
#include <string.h>

#include "common/base/cells.h"
#include "present/document/html.h"
#include "present/plot/plot_parts.h"

#define NAME_CELLS   28 /* of a name at the y axis */
#define MARK_ROWS    3	/* of labels of upright marks, so that neighbours stay readable */
#define CELL_WIDTH   7.5
#define TICK_GAP     16.0
#define NARROW	     270.0 /* px: the area of a plot on a telephone */
#define ROW_HEIGHT   1.9   /* em, of a name and its bars */
#define NEARLY	     0.002 /* of an axis: what rounding leaves out */
#define GROUP_CELLS  6
#define LOW_ROW	     0.7 /* of more rows than have names */
#define Y_TICKS	     7
#define Y_TICKS_HALF 5
#define ALL_NAMES    PLOT_TICKS_MOST
#define AREA_SIZE    "viewBox=\"0 0 " AS_TEXT(PLOT_UNITS) " " AS_TEXT(PLOT_UNITS) "\" preserveAspectRatio=\"none\">\n"

static void plot_put(const struct plane *plane, const char *text)
{
	html_text(plane->out, text, plane->arena);
}

static void put_percent(const struct plane *plane, const char *name, double units)
{
	put_units(plane->out, name, units * 100 / PLOT_UNITS);
	fputs("%\"", plane->out);
}

/* ---- ticks ---- */

static const char *tick_text(const struct plane *plane, const struct plot_axis *axis, const struct plot_range *range,
			     const struct plot_ticks *ticks, size_t i)
{
	if (axis->scale == PLOT_NAMES)
		return cells_cut(plane->arena, cells_safe(plane->arena, axis->names[(size_t)ticks->at[i]], true),
				 NAME_CELLS, true);
	return plot_tick_text(ticks, range, ticks->at[i], plane->arena);
}

static size_t widest(const struct plane *plane, const struct plot_axis *axis, const struct plot_range *range,
		     const struct plot_ticks *ticks)
{
	size_t most = 0;

	for (size_t i = 0; i < ticks->count; i++) {
		size_t cells = cells_width(tick_text(plane, axis, range, ticks, i));

		most = cells > most ? cells : most;
	}
	return most;
}

/* A sparkline has its ends only, which say enough of its height. */
static void end_ticks(struct plot_ticks *ticks, const struct plot_range *range)
{
	*ticks = (struct plot_ticks){ .at = { range->low, range->high }, .count = 2 };
	ticks->step = range->high - range->low;
	if (range->scale == PLOT_LOG10 || range->scale == PLOT_LOG2)
		ticks->step = NOT_COUNTED;
}

static void y_ticks(struct plot_ticks *ticks, const struct plane *plane)
{
	bool is_names = plane->plot->y.scale == PLOT_NAMES;
	size_t most = plane->plot->size == PLOT_WHOLE ? Y_TICKS : Y_TICKS_HALF;

	if (plane->plot->size == PLOT_SMALL && !is_names)
		end_ticks(ticks, &plane->y);
	else
		plot_ticks_of(ticks, &plane->y, is_names ? ALL_NAMES : most);
}

/* As many as have room on a usual screen; of those *every one remains where it is narrow. */
static void x_ticks(struct plot_ticks *ticks, const struct plane *plane, size_t *every)
{
	static const double widths[] = { [PLOT_WHOLE] = 760, [PLOT_HALF] = 420, [PLOT_SMALL] = 180 };
	const struct plot *plot = plane->plot;
	double wide = widths[plot->size], width = 0;

	for (size_t most = 9; most >= 2; most--) {
		plot_ticks_of(ticks, &plane->x, most);
		width = CELL_WIDTH * (double)widest(plane, &plot->x, &plane->x, ticks) + TICK_GAP;
		if (width * (double)ticks->count <= wide)
			break;
	}
	*every = (size_t)ceil(width * (double)ticks->count / fmin(NARROW, wide));
	*every = *every ? *every : 1;
}

static void draw_grid(const struct plane *plane, const struct plot_ticks *x, const struct plot_ticks *y)
{
	fputs("<path class=\"grid gx\" d=\"", plane->out);
	for (size_t i = 0; i < x->count && plane->plot->x.scale != PLOT_NAMES; i++) {
		put_units(plane->out, "M", plane_x(plane, x->at[i]));
		fprintf(plane->out, " 0V%d", PLOT_UNITS);
	}
	fputs("\"/>\n<path class=\"grid\" d=\"", plane->out);
	for (size_t i = 0; i < y->count && plane->plot->y.scale != PLOT_NAMES; i++) {
		put_units(plane->out, "M0 ", plane_y(plane, y->at[i]));
		fprintf(plane->out, "H%d", PLOT_UNITS);
	}
	fprintf(plane->out, "\"/>\n<path class=\"axis\" d=\"M0 0V%dH%d\"/>\n", PLOT_UNITS, PLOT_UNITS);
}

static void draw_x_labels(const struct plane *plane, const struct plot_ticks *ticks, size_t every)
{
	const struct plot_axis *axis = &plane->plot->x;

	fputs("<g class=\"x\">", plane->out);
	for (size_t i = 0; i < ticks->count; i++) {
		double x = plane_x(plane, ticks->at[i]);
		bool is_small = plane->plot->size == PLOT_SMALL;
		const char *side = is_small && x < PLOT_UNITS / 10.0  ? "s"
				   : is_small && x > PLOT_UNITS * 0.9 ? "e"
								      : "";

		fprintf(plane->out, "<text class=\"%s%s\"", i % every ? "w " : "", side);
		put_percent(plane, " x=\"", x);
		fputs(" y=\"100%\" dy=\"1.3em\">", plane->out);
		plot_put(plane, tick_text(plane, axis, &plane->x, ticks, i));
		fputs("</text>", plane->out);
	}
	fputs("</g>\n", plane->out);
}

static void draw_y_labels(const struct plane *plane, const struct plot_ticks *ticks)
{
	const struct plot_axis *axis = &plane->plot->y;

	fputs("<g class=\"y\">", plane->out);
	for (size_t i = 0; i < ticks->count; i++) {
		put_percent(plane, "<text x=\"-7\" y=\"", plane_y(plane, ticks->at[i]));
		fputs(" dy=\".32em\">", plane->out);
		plot_put(plane, tick_text(plane, axis, &plane->y, ticks, i));
		if (axis->scale == PLOT_NAMES) {
			fputs("<title>", plane->out);
			plot_put(plane, axis->names[(size_t)ticks->at[i]]);
			fputs("</title>", plane->out);
		}
		fputs("</text>", plane->out);
	}
	fputs("</g>\n", plane->out);
}

static void draw_titles(const struct plane *plane)
{
	const struct plot *plot = plane->plot;

	if (plot->y.title) {
		fputs("<text class=\"t\" x=\"0\" y=\"0\" dy=\"-.7em\">", plane->out);
		plot_put(plane, plot->y.title);
		fputs("</text>\n", plane->out);
	}
	if (plot->x.title) {
		fputs("<text class=\"t e\" x=\"100%\" y=\"100%\" dy=\"2.6em\">", plane->out);
		plot_put(plane, plot->x.title);
		fputs("</text>\n", plane->out);
	}
}

/* ---- marks ---- */

/* Where a mark meets the frame, in units; false: nowhere. at: its label's place. */
static bool place_mark(const struct plane *plane, const struct plot_mark *mark, double ends[4])
{
	double x = plane_x(plane, mark->at), y = plane_y(plane, mark->at);

	if (mark->kind == PLOT_MARK_X) {
		memcpy(ends, (const double[]){ x, 0, x, PLOT_UNITS }, 4 * sizeof(*ends));
		return x >= 0 && x <= PLOT_UNITS;
	}
	if (mark->kind == PLOT_MARK_Y) {
		memcpy(ends, (const double[]){ 0, y, PLOT_UNITS, y }, 4 * sizeof(*ends));
		return y >= 0 && y <= PLOT_UNITS;
	}
	memcpy(ends,
	       (const double[]){ 0, plane_y(plane, mark->at * plane->x.low), PLOT_UNITS,
				 plane_y(plane, mark->at * plane->x.high) },
	       4 * sizeof(*ends));
	return fmin(ends[1], ends[3]) <= PLOT_UNITS && fmax(ends[1], ends[3]) >= 0;
}

static void draw_mark(const struct plane *plane, const struct plot_mark *mark)
{
	double ends[4];

	if (!place_mark(plane, mark, ends))
		return;
	put_units(plane->out, "<path class=\"mark\" d=\"M", ends[0]);
	put_units(plane->out, " ", ends[1]);
	put_units(plane->out, "L", ends[2]);
	put_units(plane->out, " ", ends[3]);
	fputs("\"><title>", plane->out);
	plot_put(plane, mark->said ? mark->said : mark->label ? mark->label : "");
	fputs("</title></path>\n", plane->out);
}

/* A ceiling's label stands where the line leaves the area, or at its left end. */
static void put_label_place(const struct plane *plane, const struct plot_mark *mark, const double ends[4], size_t row)
{
	double x = ends[0];
	bool is_late;

	if (mark->kind == PLOT_MARK_Y) {
		put_percent(plane, "<text class=\"m e\" x=\"100%\" dx=\"-4\" dy=\"-.3em\" y=\"", ends[1]);
		return;
	}
	if (mark->kind == PLOT_MARK_CEILING) {
		double height = ends[3] - ends[1];
		double y = fmin(fmax(ends[1], 0), PLOT_UNITS * 0.95);

		x = fabs(height) > 0 ? (y - ends[1]) / height * PLOT_UNITS : 0;
		put_percent(plane, "<text class=\"m\" dx=\"4\" dy=\"-.5em\" x=\"", fmin(fmax(x, 0), PLOT_UNITS));
		put_percent(plane, " y=\"", y);
		return;
	}
	is_late = x > PLOT_UNITS * 0.7;
	put_percent(plane, is_late ? "<text class=\"m e\" dx=\"-4\" x=\"" : "<text class=\"m\" dx=\"4\" x=\"", x);
	fprintf(plane->out, " y=\"0\" dy=\"%.1fem\"", 1 + 1.2 * (double)(row % MARK_ROWS));
}

static void draw_mark_labels(const struct plane *plane)
{
	const struct plot *plot = plane->plot;
	size_t rows = 0;
	double ends[4];

	for (size_t i = 0; i < plot->nmarks; i++) {
		const struct plot_mark *mark = &plot->marks[i];

		if (!mark->label || !place_mark(plane, mark, ends))
			continue;
		put_label_place(plane, mark, ends, rows);
		rows += mark->kind == PLOT_MARK_X;
		fputs(">", plane->out);
		plot_put(plane, mark->label);
		fputs("</text>\n", plane->out);
	}
}

/* ---- around the area ---- */

static const char *key_shape(const struct plot_series *series)
{
	if (series->kind == PLOT_POINTS)
		return plot_shape(series->color);
	return series->kind == PLOT_LINE || series->kind == PLOT_STEP ? "M-9 0H9" : "M-7-5H7V5H-7Z";
}

static const char *key_class(const struct plot_series *series)
{
	static const char *const classes[] = {
		[PLOT_LINE] = "line", [PLOT_STEP] = "line",  [PLOT_BAND] = "band",    [PLOT_AREA] = "fill",
		[PLOT_BARS] = "fill", [PLOT_STACK] = "fill", [PLOT_POINTS] = "point",
	};

	return classes[series->kind];
}

/* One name alone is the title's already. */
static void draw_legend(const struct plane *plane)
{
	const struct plot *plot = plane->plot;
	size_t names = 0;

	for (size_t i = 0; i < plot->nseries; i++)
		names += plot->series[i].name != NULL;
	if (names < 2)
		return;
	fputs("<ul class=\"legend\">", plane->out);
	for (size_t i = 0; i < plot->nseries; i++) {
		const struct plot_series *series = &plot->series[i];

		if (!series->name)
			continue;
		fprintf(plane->out,
			"<li><svg class=\"key\" viewBox=\"-10 -7 20 14\" aria-hidden=\"true\"><path class=\"%s "
			"c%u%s\" d=\"%s\"/></svg>",
			key_class(series), series->color, series->is_ghost ? " ghost" : "", key_shape(series));
		plot_put(plane, series->name);
		fputs("</li>", plane->out);
	}
	fputs("</ul>\n", plane->out);
}

static void draw_notes(const struct plane *plane)
{
	const struct plot *plot = plane->plot;
	bool has_log = plot->x.scale == PLOT_LOG10 || plot->x.scale == PLOT_LOG2 || plot->y.scale == PLOT_LOG10 ||
		       plot->y.scale == PLOT_LOG2;

	if (plane->left_out)
		fprintf(plane->out,
			"<p class=\"dim\">%zu value%s left out, because the axis has no place for %s: %s.</p>\n",
			plane->left_out, plane->left_out == 1 ? " is" : "s are", plane->left_out == 1 ? "it" : "them",
			has_log ? "a logarithmic one has no 0 and nothing below" : "infinite values have none");
	if (plot->note) {
		fputs("<p class=\"dim\">", plane->out);
		plot_put(plane, plot->note);
		fputs("</p>\n", plane->out);
	}
}

/* What an image has in it, no key reaches. */
static bool has_links(const struct plot *plot)
{
	for (size_t i = 0; i < plot->nseries; i++)
		if (plot->series[i].links)
			return true;
	return false;
}

/* The room for the labels of the y axis is a class of page.css: y2, y4 ... y30, in cells. */
static void begin_svg(const struct plane *plane, const struct plot_ticks *y)
{
	static const char *const sizes[] = { [PLOT_WHOLE] = "whole", [PLOT_HALF] = "half", [PLOT_SMALL] = "small" };
	const struct plot *plot = plane->plot;
	size_t cells = (widest(plane, &plot->y, &plane->y, y) + 1) / 2 * 2;

	if (plot->group && cells < GROUP_CELLS)
		cells = GROUP_CELLS; /* so that their areas lie below each other */

	fprintf(plane->out, "<svg class=\"axes %s y%zu%s%s\" role=\"%s\"",
		plot->y.scale == PLOT_NAMES ? "rows" : sizes[plot->size], cells, plot->x.title ? " bottom" : "",
		plot->y.title ? " top" : "", has_links(plot) ? "group" : "img");
	if (plot->y.scale == PLOT_NAMES)
		fprintf(plane->out, " height=\"%.1fem\"",
			(plot->y.nnames <= ALL_NAMES ? ROW_HEIGHT : LOW_ROW) * (double)plot->y.nnames + 3);
	if (plot->group) {
		fputs(" data-group=\"", plane->out);
		plot_put(plane, plot->group);
		fprintf(plane->out, "\" data-low=\"%.12g\" data-high=\"%.12g\"", plane->x.low, plane->x.high);
		fputs(plot->x.scale == PLOT_SECONDS ? " data-unit=\"s\"" : "", plane->out);
	}
	fputs(" aria-label=\"", plane->out);
	plot_put(plane, plot->name);
	fputs("\">\n", plane->out);
}

static bool has_values(const struct plane *plane)
{
	for (size_t i = 0; i < plane->plot->nseries; i++)
		for (size_t k = 0; k < plane->plot->series[i].count; k++)
			if (!isnan(plane->drawn[i].at[k]) && !isnan(plane->drawn[i].to[k]))
				return true;
	return false;
}

static bool is_outside(const struct plot_range *range, double value)
{
	double place = plot_place(range, value);

	return place < -NEARLY || place > 1 + NEARLY;
}

/* Does anything leave the area, and has to be cut at its edges? Else a line along an edge keeps its whole width. */
static bool plot_is_cut(const struct plane *plane)
{
	const struct plot *plot = plane->plot;
	const struct plot_range *places = plane->is_lying ? &plane->y : &plane->x;
	const struct plot_range *values = plane->is_lying ? &plane->x : &plane->y;

	for (size_t i = 0; i < plot->nmarks; i++)
		if (plot->marks[i].kind == PLOT_MARK_CEILING)
			return true;
	for (size_t i = 0; i < plot->nseries; i++)
		for (size_t k = 0; k < plot->series[i].count; k++)
			if (is_outside(places, plane->drawn[i].at[k]) || is_outside(values, plane->drawn[i].to[k]) ||
			    is_outside(values, plane->drawn[i].from[k]))
				return true;
	return false;
}

static void draw_area(const struct plane *plane, const struct plot_ticks *x, const struct plot_ticks *y)
{
	const struct plot *plot = plane->plot;

	fprintf(plane->out, "<svg class=\"area%s\" " AREA_SIZE, plot_is_cut(plane) ? " cut" : "");
	draw_grid(plane, x, y);
	for (size_t i = 0; i < plot->nseries; i++)
		plot_draw_shapes(plane, &plot->series[i], &plane->drawn[i]);
	for (size_t i = 0; i < plot->nmarks; i++)
		draw_mark(plane, &plot->marks[i]);
	if (plot->size != PLOT_SMALL)
		plot_draw_columns(plane);
	fputs("</svg>\n", plane->out);
	for (size_t i = 0; i < plot->nseries; i++)
		plot_draw_points(plane, &plot->series[i]);
}

static void draw_svg(struct plane *plane)
{
	struct plot_ticks x, y;
	size_t every;

	y_ticks(&y, plane);
	x_ticks(&x, plane, &every);
	begin_svg(plane, &y);
	draw_area(plane, &x, &y);
	draw_x_labels(plane, &x, every);
	draw_y_labels(plane, &y);
	draw_titles(plane);
	draw_mark_labels(plane);
	fputs("</svg>\n", plane->out);
}

void plot_draw(FILE *out, const struct plot *plot, struct arena *arena)
{
	struct plane plane = { .out = out, .plot = plot, .arena = arena };

	plane_prepare(&plane);
	fputs("<div class=\"plot\">\n", out);
	if (has_values(&plane)) {
		if (plot->size != PLOT_SMALL)
			draw_legend(&plane);
		draw_svg(&plane);
	} else {
		fputs("<p class=\"dim\">", out);
		plot_put(&plane, plot->name);
		fputs(": no value was measured.</p>\n", out);
	}
	draw_notes(&plane);
	fputs("</div>\n", out);
}

/* ---- blocks ---- */

static void draw_one(FILE *out, const void *what, struct arena *arena)
{
	plot_draw(out, what, arena);
}

static void draw_list(FILE *out, const void *what, struct arena *arena)
{
	const struct plot_list *list = what;

	if (list->count)
		draw_legend(&(struct plane){ .out = out, .plot = &list->items[0], .arena = arena });
	fputs("<div class=\"multiples\">\n", out);
	for (size_t i = 0; i < list->count; i++) {
		fputs("<div><p class=\"name\">", out);
		html_text(out, list->items[i].name, arena);
		fputs("</p>", out);
		plot_draw(out, &list->items[i], arena);
		fputs("</div>\n", out);
	}
	fputs("</div>\n", out);
}

static struct block picture_block(const struct document *doc, struct picture picture)
{
	struct picture *kept = arena_alloc(doc->arena, sizeof(*kept));

	*kept = picture;
	return (struct block){ .kind = BLOCK_PICTURE, .picture = kept };
}

struct block plot_block(const struct document *doc, const struct plot *plot, const char *title, const char *spoken)
{
	return picture_block(doc, (struct picture){ .title = title, .spoken = spoken, .draw = draw_one, .what = plot });
}

struct block plot_list_block(const struct document *doc, const struct plot_list *list, const char *title,
			     const char *spoken)
{
	return picture_block(doc,
			     (struct picture){ .title = title, .spoken = spoken, .draw = draw_list, .what = list });
}
