/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_series.c - lines, steps, areas, bars and points of a plot. */
#include <math.h>
#include <string.h>

#include "present/document/html.h"
#include "present/plot/plot_parts.h"

#define BAR_SHARE 0.8 /* of the room between neighbours */

static bool is_gap(const struct drawn *drawn, size_t i)
{
	return isnan(drawn->at[i]) || isnan(drawn->to[i]);
}

/* Where the value at i ends to hold: where the next one begins. */
static double end_of(const struct plane *plane, const struct plot_series *series, const struct drawn *drawn, size_t i)
{
	if (i + 1 < series->count && !isnan(drawn->at[i + 1]))
		return plane_x(plane, drawn->at[i + 1]);
	return fmax(PLOT_UNITS, plane_x(plane, drawn->at[i]));
}

/* What begins where the axis has no place, as 0 of a logarithmic one, begins at its lower end. */
static double foot(const struct plane *plane, double from)
{
	double y = plane_y(plane, from);

	return isnan(y) ? PLOT_UNITS : y;
}

static void begin_path(const struct plane *plane, const char *kind, const struct plot_series *series)
{
	fprintf(plane->out, "<path class=\"%s c%u%s\" d=\"", kind, series->color, series->is_ghost ? " ghost" : "");
}

static void end_path(const struct plane *plane)
{
	fputs("\"/>\n", plane->out);
}

/* ---- lines ---- */

static void draw_line(const struct plane *plane, const struct plot_series *series, const struct drawn *drawn)
{
	bool is_open = false, is_alone = false;

	begin_path(plane, "line", series);
	for (size_t i = 0; i < series->count; i++) {
		if (is_gap(drawn, i)) {
			fputs(is_alone ? "h0" : "", plane->out);
			is_open = is_alone = false;
			continue;
		}
		put_units(plane->out, is_open ? " " : "M", plane_x(plane, drawn->at[i]));
		put_units(plane->out, " ", plane_y(plane, drawn->to[i]));
		is_alone = !is_open;
		is_open = true;
	}
	fputs(is_alone ? "h0" : "", plane->out);
	end_path(plane);
}

static void draw_step(const struct plane *plane, const struct plot_series *series, const struct drawn *drawn)
{
	bool is_open = false;
	double last = NOT_COUNTED;

	begin_path(plane, "line", series);
	for (size_t i = 0; i < series->count; i++) {
		double y = is_gap(drawn, i) ? last : plane_y(plane, drawn->to[i]);

		if (is_gap(drawn, i)) {
			is_open = false;
			continue;
		}
		if (!is_open) {
			put_units(plane->out, "M", plane_x(plane, drawn->at[i]));
			put_units(plane->out, " ", y);
		} else if (y < last || y > last) {
			put_units(plane->out, "V", y);
		}
		put_units(plane->out, "H", end_of(plane, series, drawn, i));
		is_open = true;
		last = y;
	}
	end_path(plane);
}

/* ---- areas: along their upper edge, and back along the lower one ---- */

static size_t run_end(const struct plot_series *series, const struct drawn *drawn, size_t begin)
{
	while (begin < series->count && !is_gap(drawn, begin))
		begin++;
	return begin;
}

static void area_lines(const struct plane *plane, const struct drawn *drawn, size_t begin, size_t end)
{
	for (size_t i = begin; i < end; i++) {
		put_units(plane->out, i == begin ? "M" : " ", plane_x(plane, drawn->at[i]));
		put_units(plane->out, " ", plane_y(plane, drawn->to[i]));
	}
	for (size_t i = end; i-- > begin;) {
		put_units(plane->out, i + 1 == end ? "L" : " ", plane_x(plane, drawn->at[i]));
		put_units(plane->out, " ", foot(plane, drawn->from[i]));
	}
}

static void area_steps(const struct plane *plane, const struct plot_series *series, const struct drawn *drawn,
		       const size_t ends[2])
{
	double last = NOT_COUNTED, y;

	for (size_t i = ends[0]; i < ends[1]; i++) {
		y = plane_y(plane, drawn->to[i]);
		if (i == ends[0]) {
			put_units(plane->out, "M", plane_x(plane, drawn->at[i]));
			put_units(plane->out, " ", y);
		} else if (y < last || y > last) {
			put_units(plane->out, "H", plane_x(plane, drawn->at[i]));
			put_units(plane->out, "V", y);
		}
		last = y;
	}
	put_units(plane->out, "H", end_of(plane, series, drawn, ends[1] - 1));
	last = NOT_COUNTED;
	for (size_t i = ends[1]; i-- > ends[0];) {
		y = foot(plane, drawn->from[i]);
		if (i + 1 < ends[1] && (y < last || y > last))
			put_units(plane->out, "H", plane_x(plane, drawn->at[i + 1]));
		if (!(y >= last && y <= last))
			put_units(plane->out, "V", y);
		last = y;
	}
	put_units(plane->out, "H", plane_x(plane, drawn->at[ends[0]]));
}

static void draw_area(const struct plane *plane, const struct plot_series *series, const struct drawn *drawn)
{
	begin_path(plane, series->kind == PLOT_BAND ? "band" : "fill", series);
	for (size_t i = 0; i < series->count; i++) {
		size_t end = run_end(series, drawn, i);

		if (end == i)
			continue;
		if (series->is_stepped)
			area_steps(plane, series, drawn, (const size_t[]){ i, end });
		else
			area_lines(plane, drawn, i, end);
		fputs("Z", plane->out);
		i = end;
	}
	end_path(plane);
}

/* ---- bars ---- */

static double least_gap(const struct plane *plane, const struct plot_series *series, const struct drawn *drawn)
{
	double least = PLOT_UNITS;

	for (size_t i = 1; i < series->count; i++) {
		double gap = plane->is_lying ? plane_y(plane, drawn->at[i]) - plane_y(plane, drawn->at[i - 1])
					     : plane_x(plane, drawn->at[i]) - plane_x(plane, drawn->at[i - 1]);

		if (fabs(gap) > 0)
			least = fmin(least, fabs(gap));
	}
	return least;
}

const char *plot_place_text(const struct plane *plane, const struct plot_axis *axis, double at)
{
	if (axis->scale == PLOT_NAMES)
		return at >= 0 && at < (double)axis->nnames ? axis->names[(size_t)at] : "";
	return plot_value_text(axis->scale, at, axis->unit, plane->arena);
}

/* What a bar or a point says: "Name, place: value". */
static void put_title(const struct plane *plane, const struct plot_series *series, size_t i)
{
	const struct plot *plot = plane->plot;
	bool is_lying = plane->is_lying && series->kind != PLOT_POINTS;
	const struct plot_axis *along = is_lying ? &plot->y : &plot->x, *across = is_lying ? &plot->x : &plot->y;
	double at = is_lying ? series->y[i] : series->x[i], value = is_lying ? series->x[i] : series->y[i];

	fputs("<title>", plane->out);
	if (series->said && series->said[i]) {
		html_text(plane->out, series->said[i], plane->arena);
	} else {
		html_text(plane->out, series->name, plane->arena);
		fputs(", ", plane->out);
		html_text(plane->out, plot_place_text(plane, along, at), plane->arena);
		fputs(": ", plane->out);
		html_text(plane->out, plot_place_text(plane, across, value), plane->arena);
	}
	fputs("</title>", plane->out);
}

static void put_attribute(const struct plane *plane, const char *name, double units)
{
	put_units(plane->out, name, units);
	fputs("\"", plane->out);
}

static void draw_bar(const struct plane *plane, const struct drawn *drawn, size_t i, double width)
{
	bool is_lying = plane->is_lying;
	double at = is_lying ? plane_y(plane, drawn->at[i]) : plane_x(plane, drawn->at[i]);
	double from = is_lying ? plane_x(plane, drawn->from[i]) : plane_y(plane, drawn->from[i]);
	double to = is_lying ? plane_x(plane, drawn->to[i]) : plane_y(plane, drawn->to[i]);

	if (isnan(from))
		from = is_lying ? 0 : PLOT_UNITS;
	put_attribute(plane, " x=\"", is_lying ? fmin(from, to) : at - width / 2);
	put_attribute(plane, " y=\"", is_lying ? at - width / 2 : fmin(from, to));
	put_attribute(plane, " width=\"", is_lying ? fabs(to - from) : width);
	put_attribute(plane, " height=\"", is_lying ? width : fabs(to - from));
}

static void draw_bars(const struct plane *plane, const struct plot_series *series, const struct drawn *drawn)
{
	double width = BAR_SHARE * least_gap(plane, series, drawn);

	for (size_t i = 0; i < series->count; i++) {
		if (is_gap(drawn, i))
			continue;
		fprintf(plane->out, "<rect class=\"fill c%u%s\"", series->color, series->is_ghost ? " ghost" : "");
		draw_bar(plane, drawn, i, width);
		fputs(">", plane->out);
		put_title(plane, series, i);
		fputs("</rect>\n", plane->out);
	}
}

void plot_draw_shapes(const struct plane *plane, const struct plot_series *series, const struct drawn *drawn)
{
	switch (series->kind) {
	case PLOT_LINE: draw_line(plane, series, drawn); break;
	case PLOT_STEP: draw_step(plane, series, drawn); break;
	case PLOT_BAND:
	case PLOT_AREA: draw_area(plane, series, drawn); break;
	case PLOT_BARS:
	case PLOT_STACK: draw_bars(plane, series, drawn); break;
	case PLOT_POINTS: break; /* in the other coordinates, so that they stay round */
	}
}

/* ---- points ---- */

/* Each colour has a shape of its own. */
const char *plot_shape(unsigned color)
{
	static const char *const shapes[PLOT_COLORS] = {
		"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z",
		"M-3.5-3.5h7v7h-7Z",
		"M0-5L5 0L0 5L-5 0Z",
		"M0-5L4.5 3.5h-9Z",
		"M0 5L4.5-3.5h-9Z",
		"M-1.5-5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5Z",
		"M-4.5-2.5L-2.5-4.5L0-2L2.5-4.5L4.5-2.5L2 0L4.5 2.5L2.5 4.5L0 2L-2.5 4.5L-4.5 2.5L-2 0Z",
		"M-1.5-5h3v10h-3Z",
	};

	return shapes[color % PLOT_COLORS];
}

static void put_percent(const struct plane *plane, const char *name, double units)
{
	put_units(plane->out, name, units * 100 / PLOT_UNITS);
	fputs("%\"", plane->out);
}

static void draw_whisker(const struct plane *plane, const struct plot_series *series, size_t i)
{
	double x = plane_x(plane, series->x[i]);
	double low = series->low ? plane_y(plane, series->low[i]) : NOT_COUNTED;
	double high = series->high ? plane_y(plane, series->high[i]) : NOT_COUNTED;

	if (isnan(low) || isnan(high))
		return;
	fprintf(plane->out, "<line class=\"line c%u\"", series->color);
	put_percent(plane, " x1=\"", x);
	put_percent(plane, " x2=\"", x);
	put_percent(plane, " y1=\"", low);
	put_percent(plane, " y2=\"", high);
	fputs("/>", plane->out);
}

static void draw_point(const struct plane *plane, const struct plot_series *series, size_t i)
{
	const char *link = series->links ? series->links[i] : NULL;
	bool is_link = link && *link == '#';

	if (is_link) {
		fputs("<a href=\"", plane->out);
		html_text(plane->out, link, plane->arena);
		fputs("\">", plane->out);
		put_title(plane, series, i);
	}
	fprintf(plane->out, "<svg class=\"point c%u%s\"", series->color, series->is_ghost ? " ghost" : "");
	put_percent(plane, " x=\"", plane_x(plane, series->x[i]));
	put_percent(plane, " y=\"", plane_y(plane, series->y[i]));
	fputs(">", plane->out);
	if (!is_link)
		put_title(plane, series, i);
	fprintf(plane->out, "<path d=\"%s\"/></svg>%s\n", plot_shape(series->color), is_link ? "</a>" : "");
}

void plot_draw_points(const struct plane *plane, const struct plot_series *series)
{
	for (size_t i = 0; i < series->count && series->kind == PLOT_POINTS; i++) {
		double x = plane_x(plane, series->x[i]), y = plane_y(plane, series->y[i]);

		if (isnan(x) || isnan(y) || x < 0 || x > PLOT_UNITS || y < 0 || y > PLOT_UNITS)
			continue;
		draw_whisker(plane, series, i);
		draw_point(plane, series, i);
	}
}
