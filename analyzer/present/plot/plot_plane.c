/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_plane.c - where the series of a plot stand: stacked ones on each other, and the axes that hold them all. */
#include <math.h>

#include "present/plot/plot_parts.h"

#define FAR (100.0 * PLOT_UNITS) /* so that a line's direction is kept where it leaves the area */

double plane_x(const struct plane *plane, double value)
{
	double place = plot_place(&plane->x, value) * PLOT_UNITS;

	return isnan(place) ? place : fmin(fmax(place, -FAR), FAR);
}

double plane_y(const struct plane *plane, double value)
{
	double place = plot_place(&plane->y, value) * PLOT_UNITS;

	if (plane->y.scale != PLOT_NAMES)
		place = PLOT_UNITS - place;
	return isnan(place) ? place : fmin(fmax(place, -FAR), FAR);
}

void put_units(FILE *out, const char *before, double units)
{
	char text[24], *digit = text + sizeof(text) - 1;
	long hundredths = lround(fabs(units) * 100), whole = hundredths / 100;

	*digit = '\0';
	if (hundredths % 10)
		*--digit = (char)('0' + hundredths % 10);
	if (hundredths % 100) {
		*--digit = (char)('0' + hundredths / 10 % 10);
		*--digit = '.';
	}
	do
		*--digit = (char)('0' + whole % 10);
	while (whole /= 10);
	if (units < 0 && hundredths)
		*--digit = '-';
	fputs(before, out);
	fputs(digit, out);
}

/* ---- what is left out ---- */

static bool is_bar(const struct plot_series *series)
{
	return series->kind == PLOT_BARS || series->kind == PLOT_STACK;
}

/* The number, or NAN where the axis has no place for it. */
static double shown(const struct plot_axis *axis, const double *values, size_t i, bool *is_left_out)
{
	double value = values ? values[i] : NOT_COUNTED;

	if (isnan(value) || plot_can_show(axis->scale, value))
		return value;
	*is_left_out = true;
	return NOT_COUNTED;
}

/* The series' own places and values, those that can be shown. */
static struct drawn plot_plane_take(struct plane *plane, const struct plot_series *series)
{
	const struct plot_axis *x = &plane->plot->x, *y = &plane->plot->y;
	bool is_lying = plane->is_lying && is_bar(series), is_band = series->kind == PLOT_BAND;
	double *at = arena_array(plane->arena, series->count + 1, sizeof(double));
	double *from = arena_array(plane->arena, series->count + 1, sizeof(double));
	double *to = arena_array(plane->arena, series->count + 1, sizeof(double));

	for (size_t i = 0; i < series->count; i++) {
		const double *top = is_band ? series->high : is_lying ? series->x : series->y;
		bool is_left_out = false;

		at[i] = shown(is_lying ? y : x, is_lying ? series->y : series->x, i, &is_left_out);
		to[i] = shown(is_lying ? x : y, top, i, &is_left_out);
		from[i] = to[i];
		if (is_band || is_bar(series))
			from[i] = shown(is_lying ? x : y, series->low, i, &is_left_out);
		if (is_band && isnan(from[i]))
			to[i] = NOT_COUNTED;
		if (series->kind == PLOT_BARS && isnan(from[i]))
			from[i] = 0;
		plane->left_out += is_left_out;
	}
	return (struct drawn){ at, from, to };
}

/* ---- stacks ---- */

/* What the stacks have come to at each place, and whether they have anything there. */
struct sums {
	double *above, *below;
	bool *is_known;
};

static struct sums sums_new(const struct plot *plot, struct arena *arena)
{
	size_t most = 1;

	for (size_t i = 0; i < plot->nseries; i++)
		most = plot->series[i].count > most ? plot->series[i].count : most;
	return (struct sums){ arena_array(arena, most, sizeof(double)), arena_array(arena, most, sizeof(double)),
			      arena_array(arena, most, sizeof(bool)) };
}

/* On those of the same kind before it; bars below 0 are a stack of their own. */
static void stack(struct drawn *drawn, const struct plot_series *series, struct sums *sums)
{
	for (size_t i = 0; i < series->count; i++) {
		double value = drawn->to[i];
		double *sum = series->kind == PLOT_STACK && value < 0 ? &sums->below[i] : &sums->above[i];

		drawn->from[i] = *sum;
		sums->is_known[i] |= !isnan(value);
		if (isnan(value) && series->kind == PLOT_STACK)
			continue;
		*sum += isnan(value) ? 0 : value;
		drawn->to[i] = *sum;
	}
}

/* Where no area has a value, there is a gap; where one lacks it, those above it go on. */
static void cut_gaps(struct drawn *drawn, const struct plot_series *series, const struct sums *sums)
{
	for (size_t i = 0; i < series->count; i++)
		if (!sums->is_known[i])
			drawn->to[i] = NOT_COUNTED;
}

static void stack_all(struct plane *plane, enum plot_kind kind)
{
	const struct plot *plot = plane->plot;
	struct sums sums = sums_new(plot, plane->arena);

	for (size_t i = 0; i < plot->nseries; i++)
		if (plot->series[i].kind == kind)
			stack(&plane->drawn[i], &plot->series[i], &sums);
	for (size_t i = 0; i < plot->nseries && kind == PLOT_AREA; i++)
		if (plot->series[i].kind == kind)
			cut_gaps(&plane->drawn[i], &plot->series[i], &sums);
}

/* ---- the axes ---- */

/* NAN at first. */
struct extent {
	double least, greatest;
};

static void include(struct extent *extent, const struct plot_axis *axis, double value)
{
	if (!plot_can_show(axis->scale, value))
		return;
	extent->least = fmin(extent->least, value); /* fmin and fmax leave NAN out */
	extent->greatest = fmax(extent->greatest, value);
}

/* The distance of neighbouring bars, 1 of a single one. */
static double spacing(const struct drawn *drawn, size_t count)
{
	double least = INFINITY;

	for (size_t i = 1; i < count; i++)
		if (drawn->at[i] > drawn->at[i - 1])
			least = fmin(least, drawn->at[i] - drawn->at[i - 1]);
	return isfinite(least) ? least : 1;
}

/* What is filled begins at 0. */
static bool has_filled(const struct plot *plot)
{
	for (size_t i = 0; i < plot->nseries; i++)
		if (plot->series[i].kind == PLOT_AREA || is_bar(&plot->series[i]))
			return true;
	return false;
}

static void include_series(struct plane *plane, size_t i, struct extent *places, struct extent *values)
{
	const struct plot *plot = plane->plot;
	const struct plot_series *series = &plot->series[i];
	const struct drawn *drawn = &plane->drawn[i];
	const struct plot_axis *along = plane->is_lying ? &plot->y : &plot->x;
	const struct plot_axis *across = plane->is_lying ? &plot->x : &plot->y;
	double room = is_bar(series) ? spacing(drawn, series->count) / 2 : 0;

	for (size_t k = 0; k < series->count; k++) {
		if (isnan(drawn->at[k]) || isnan(drawn->to[k]))
			continue;
		include(places, along, drawn->at[k] - room);
		include(places, along, drawn->at[k] + room);
		include(values, across, drawn->to[k]);
		include(values, across, drawn->from[k]);
		if (series->kind == PLOT_POINTS && series->low)
			include(values, across, series->low[k]);
		if (series->kind == PLOT_POINTS && series->high)
			include(values, across, series->high[k]);
	}
}

static void find_ranges(struct plane *plane)
{
	const struct plot *plot = plane->plot;
	struct extent places = { NOT_COUNTED, NOT_COUNTED }, values = places, *x = &places, *y = &values;
	const struct plot_axis *across = plane->is_lying ? &plot->x : &plot->y;

	if (plane->is_lying)
		x = &values, y = &places;
	for (size_t i = 0; i < plot->nseries; i++)
		include_series(plane, i, &places, &values);
	for (size_t i = 0; i < plot->nmarks; i++)
		if (plot->marks[i].kind == PLOT_MARK_Y && !isnan(values.least))
			include(y, &plot->y, plot->marks[i].at);
	if (has_filled(plot) && !isnan(values.least)) {
		include(&values, across, 0);
		include(&values, across, values.least / 2); /* of a logarithmic axis, which has no 0 */
	}
	plane->x = plot_range_of(&plot->x, x->least, x->greatest,
				 plane->is_lying || plot->x.scale == PLOT_LOG10 || plot->x.scale == PLOT_LOG2);
	plane->y = plot_range_of(&plot->y, y->least, y->greatest, !plane->is_lying);
}

void plane_prepare(struct plane *plane)
{
	const struct plot *plot = plane->plot;

	plane->is_lying = plot->y.scale == PLOT_NAMES;
	plane->drawn = arena_array(plane->arena, plot->nseries + 1, sizeof(*plane->drawn));
	for (size_t i = 0; i < plot->nseries; i++)
		plane->drawn[i] = plot_plane_take(plane, &plot->series[i]);
	stack_all(plane, PLOT_AREA);
	stack_all(plane, PLOT_STACK);
	find_ranges(plane);
}
