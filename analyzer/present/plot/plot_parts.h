/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_parts.h - a plot while it is drawn: what its frame (plot.c), series and values that are pointed at share. */
#ifndef TOPDOWN_PRESENT_PLOT_PLOT_PARTS_H
#define TOPDOWN_PRESENT_PLOT_PLOT_PARTS_H

#include "present/plot/plot_axis.h"

/* Where a series stands. NAN: a gap. All have the series' count. */
struct drawn {
	double *at;	   /* its places: x, or y where bars lie */
	double *from, *to; /* its values: from one to the other; of lines and points both are y */
};

struct plane {
	FILE *out;
	const struct plot *plot;
	struct arena *arena;
	struct drawn *drawn; /* one for each series */
	struct plot_range x, y;
	size_t left_out; /* values that the axes can't show */
	bool is_lying;	 /* bars lie: places are on the y axis */
};

/* Places and values of all series, and the axes that hold them. */
void plane_prepare(struct plane *plane);

/* In PLOT_UNITS, from the left or the upper edge, cut where it is far outside; NAN: it can't be shown. */
double plane_x(const struct plane *plane, double value);
double plane_y(const struct plane *plane, double value);

/* A coordinate, with two decimals at most; before it a blank, or nothing. */
void put_units(FILE *out, const char *before, double units);

/* Inside the element that has PLOT_UNITS. */
void plot_draw_shapes(const struct plane *plane, const struct plot_series *series, const struct drawn *drawn);
/* Inside the one whose coordinates are percentages: points with their whiskers. */
void plot_draw_points(const struct plane *plane, const struct plot_series *series);
/* A colour's own shape, around 0 0, as a path. */
const char *plot_shape(unsigned color);
/* A value of an axis, or its name. */
const char *plot_place_text(const struct plane *plane, const struct plot_axis *axis, double at);
/* Columns over the whole area that say all values at their place. */
void plot_draw_columns(const struct plane *plane);

#endif
