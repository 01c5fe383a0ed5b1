/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_columns.c - what is said where a plot is pointed at: each place has a column over the whole height. */
#include <math.h>
#include <stdlib.h>

#include "present/document/html.h"
#include "present/plot/plot_parts.h"

static bool is_along(const struct plot_series *series)
{
	return series->kind == PLOT_LINE || series->kind == PLOT_STEP || series->kind == PLOT_AREA ||
	       series->kind == PLOT_BAND;
}

static bool is_stepped(const struct plot *plot)
{
	for (size_t i = 0; i < plot->nseries; i++)
		if (plot->series[i].kind == PLOT_STEP || plot->series[i].is_stepped)
			return true;
	return false;
}

static int compare_places(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The places of all series along x, each once, ascending. */
static size_t find_places(const struct plane *plane, double **places)
{
	const struct plot *plot = plane->plot;
	size_t count = 0, distinct = 0;

	for (size_t i = 0; i < plot->nseries; i++)
		count += is_along(&plot->series[i]) ? plot->series[i].count : 0;
	*places = arena_array(plane->arena, count + 1, sizeof(double));
	count = 0;
	for (size_t i = 0; i < plot->nseries; i++)
		for (size_t k = 0; is_along(&plot->series[i]) && k < plot->series[i].count; k++)
			if (!isnan(plane->drawn[i].at[k]))
				(*places)[count++] = plane->drawn[i].at[k];
	qsort(*places, count, sizeof(double), compare_places);
	for (size_t i = 0; i < count; i++)
		if (!distinct || (*places)[i] > (*places)[distinct - 1])
			(*places)[distinct++] = (*places)[i];
	return distinct;
}

/* The series' number i at the place, or its count; `from` is where the search begins, since places ascend. */
static size_t plot_columns_find(const struct drawn *drawn, const struct plot_series *series, double place, size_t from)
{
	while (from < series->count && !(drawn->at[from] >= place))
		from++;
	return from < series->count && drawn->at[from] <= place ? from : series->count;
}

static void plot_columns_put(const struct plane *plane, const char *text)
{
	html_text(plane->out, text, plane->arena);
}

static void put_value(const struct plane *plane, double value)
{
	const struct plot_axis *axis = &plane->plot->y;

	plot_columns_put(plane, plot_value_text(axis->scale, value, axis->unit, plane->arena));
}

static void put_line(const struct plane *plane, const struct plot_series *series, size_t i)
{
	bool is_band = series->kind == PLOT_BAND;

	if (is_band && isnan(series->low[i]))
		return;
	fputs(is_band && !series->name ? " (" : "\n", plane->out);
	if (series->name) {
		plot_columns_put(plane, series->name);
		fputs(": ", plane->out);
	}
	if (series->said && series->said[i]) {
		plot_columns_put(plane, series->said[i]);
	} else if (is_band) {
		put_value(plane, series->low[i]);
		fputs(" to ", plane->out);
		put_value(plane, series->high[i]);
	} else {
		put_value(plane, series->y[i]);
	}
	fputs(is_band && !series->name ? ")" : "", plane->out);
}

static void put_values(const struct plane *plane, double place, size_t *next)
{
	const struct plot *plot = plane->plot;

	for (size_t i = 0; i < plot->nseries; i++) {
		size_t at;

		if (!is_along(&plot->series[i]))
			continue;
		at = plot_columns_find(&plane->drawn[i], &plot->series[i], place, next[i]);
		if (at == plot->series[i].count)
			continue;
		next[i] = at;
		put_line(plane, &plot->series[i], at);
	}
}

/* Where the column begins that is before the place i: at the place, or in the middle between two. */
static double edge(const struct plane *plane, const double *places, size_t i, size_t count)
{
	if (is_stepped(plane->plot))
		return i < count ? plane_x(plane, places[i]) : PLOT_UNITS;
	if (!i || i == count)
		return i ? PLOT_UNITS : 0;
	return (plane_x(plane, places[i - 1]) + plane_x(plane, places[i])) / 2;
}

void plot_draw_columns(const struct plane *plane)
{
	double *places;
	size_t count = find_places(plane, &places), *next;

	next = arena_array(plane->arena, plane->plot->nseries + 1, sizeof(*next));
	for (size_t i = 0; i < count; i++) {
		double left = fmax(edge(plane, places, i, count), 0);
		double right = fmin(edge(plane, places, i + 1, count), PLOT_UNITS);

		if (!(right > left))
			continue;
		put_units(plane->out, "<rect class=\"column\" x=\"", left);
		put_units(plane->out, "\" width=\"", right - left);
		fprintf(plane->out, "\" height=\"%d\"><title>", PLOT_UNITS);
		plot_columns_put(plane, plot_place_text(plane, &plane->plot->x, places[i]));
		put_values(plane, places[i], next);
		fputs("</title></rect>\n", plane->out);
	}
}
