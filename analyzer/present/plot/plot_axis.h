/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_axis.h - where a value stands on an axis, and its ticks at round numbers. Numbers only, nothing is drawn. */
#ifndef TOPDOWN_PRESENT_PLOT_PLOT_AXIS_H
#define TOPDOWN_PRESENT_PLOT_PLOT_AXIS_H

#include "present/plot/plot.h"

#define PLOT_TICKS_MOST 32

/* An axis whose ends are known: low < high, both finite, and above 0 on a logarithmic one. */
struct plot_range {
	enum plot_scale scale;
	double low, high;
};

struct plot_ticks {
	double at[PLOT_TICKS_MOST]; /* within the range, ascending */
	size_t count;
	/* Between two of them; of PLOT_DATE in seconds. NAN: they are powers, of a logarithmic scale, or multiples. */
	double step;
};

/* Has the scale a place for it? Not for what is infinite or no number, and a logarithm has none for 0 and less. */
bool plot_can_show(enum plot_scale scale, double value);

/*
 * The axis, of values from least to greatest (NAN: there is none), all of which can be shown. Ends that the axis does
 * not name lie at the values', or, if is_rounded, at the next tick. One value only: some room around it.
 */
struct plot_range plot_range_of(const struct plot_axis *axis, double least, double greatest, bool is_rounded);

/* 0 at low ... 1 at high, beyond these outside of it; NAN for what can't be shown. */
double plot_place(const struct plot_range *range, double value);

/*
 * At most `most` ticks (2 ... PLOT_TICKS_MOST) at round numbers: 1, 2 and 5 times a power of ten; powers of ten or two;
 * whole minutes, hours, days, months and years. As many as that allows.
 */
void plot_ticks_of(struct plot_ticks *ticks, const struct plot_range *range, size_t most);

/* As it stands at the axis: "0.5", "20 k", "1e-300", "1:30 min", "2026-03-01". */
const char *plot_tick_text(const struct plot_ticks *ticks, const struct plot_range *range, double at,
			   struct arena *arena);

/* A value that is pointed at, with four digits: "12.35", "1.235 M"; a date with its time of day; "-" of NAN. */
const char *plot_value_text(enum plot_scale scale, double value, const char *unit, struct arena *arena);

#endif
