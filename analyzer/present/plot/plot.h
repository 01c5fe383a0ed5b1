/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plot.h - plots of pages: axes, series and marks in, HTML with SVG out. Nothing is computed from the values but where
 * they stand.
 *
 * A plot borrows all that it points to, and changes none of it. NAN is a gap: a line ends before it and begins again
 * behind it, a bar or a point is missing. What the axis cannot show (an infinite value; 0 and less on a logarithmic
 * axis) is a gap too, and a sentence below the plot gives the number of these values. All text is foreign: it is
 * escaped here.
 *
 *	const double x[] = { 0, 1, 2 }, ipc[] = { 1.1, NAN, 1.3 };
 *	const struct plot_series series[] = { { .kind = PLOT_LINE, .name = "IPC", .x = x, .y = ipc, .count = 3 } };
 *	const struct plot plot = { .name = "IPC over time", .series = series, .nseries = 1,
 *				   .x = { .scale = PLOT_SECONDS, .low = NAN, .high = NAN },
 *				   .y = { .title = "IPC", .low = 0, .high = NAN } };
 *
 *	doc_add(doc, plot_block(doc, &plot, "IPC", "IPC falls from 1.3 to 0.4 after 12 s"));
 *
 * Layout: the SVG's viewport is the area between the axes, and what is drawn in it scales with the page, from 0 to
 * PLOT_UNITS in both directions, y downwards. Text keeps its size at every width: it is placed by percentages, that of
 * the axes in the padding around the area. Colours and dashes are classes of page.css: of series `c0` ... `c7`, in Paul
 * Tol's "bright" scheme; each has a dash or a shape of its own too.
 */
#ifndef TOPDOWN_PRESENT_PLOT_PLOT_H
#define TOPDOWN_PRESENT_PLOT_PLOT_H

#include "present/document/document.h"

#define PLOT_UNITS  1000 /* width and height of the area, in its own coordinates */
#define PLOT_COLORS 8
#define PLOT_HUES   8 /* and one of enum hue (hue.h): `c9` ... */

enum plot_scale {
	PLOT_LINEAR,
	PLOT_LOG10,
	PLOT_LOG2,
	PLOT_SECONDS, /* since a beginning: "0.5 s", "2 min"; linear */
	PLOT_DATE,    /* seconds since 1970, UTC: "2026-03-01", "14:30"; linear */
	PLOT_NAMES,   /* names[i] stands at i; on the y axis from the top down, and the first 32 are enough */
};

struct plot_axis {
	enum plot_scale scale;
	const char *title; /* at its end: "GHz", "% of slots"; NULL: none */
	const char *unit;  /* behind values that are pointed at: "GHz"; NULL: none */
	/* Its ends. NAN: where the values have theirs; of y and log axes a round number, of bars and areas 0. */
	double low, high;
	const char *const *names; /* PLOT_NAMES: one for each i < nnames */
	size_t nnames;
};

enum plot_kind {
	PLOT_LINE,
	PLOT_STEP,   /* y[i] holds from x[i] to x[i + 1], and the last one to the axis' end */
	PLOT_BAND,   /* between low and high: an interval, or least and greatest */
	PLOT_AREA,   /* filled, and stacked on the areas before it, which have the same x; a gap adds nothing */
	PLOT_BARS,   /* from low, or 0, to y; where the y axis has names: lying, at y = i, from low, or 0, to x */
	PLOT_STACK,  /* the same, stacked on those of this kind before it, which have the same places */
	PLOT_POINTS, /* each with a shape; with low and high whiskers */
};

struct plot_series {
	enum plot_kind kind;
	const char *name;    /* in the legend, and before values; NULL: it is in no legend */
	const double *x, *y; /* x of lines, steps, bands and areas never falls */
	/* PLOT_BAND, and see above; NULL: none. A band without a name is the interval of the series before it. */
	const double *low, *high;
	const char *const *said;  /* what the value at i says when it is pointed at, instead of x and y; NULL: those */
	const char *const *links; /* PLOT_POINTS: where the point at i leads, "#run-12"; NULL, and of i: nowhere */
	size_t count;
	unsigned color;	 /* 0 ... PLOT_COLORS - 1, from `c0` on, or PLOT_HUES and a hue */
	bool is_ghost;	 /* pale: what is behind the others */
	bool is_stepped; /* PLOT_AREA, PLOT_BAND: drawn as PLOT_STEP is */
};

/* A line across the area, with its label: a change point, a commit, a limit, a ceiling. */
enum plot_mark_kind {
	PLOT_MARK_X,	   /* upright, at x = at */
	PLOT_MARK_Y,	   /* level, at y = at: a limit, a peak of computing */
	PLOT_MARK_CEILING, /* y = at * x, as a bandwidth is in a roofline; both axes logarithmic, or both linear */
};

struct plot_mark {
	enum plot_mark_kind kind;
	double at;	   /* NAN, or outside of the axis: not drawn */
	const char *label; /* NULL: none */
	const char *said;  /* when it is pointed at; NULL: the label */
};

enum plot_size { PLOT_WHOLE, PLOT_HALF, PLOT_SMALL /* a sparkline, or one of many: ticks at the ends only */ };

struct plot {
	const char *name; /* what it shows: "IPC over time"; never NULL */
	enum plot_size size;
	struct plot_axis x, y;
	const struct plot_series *series; /* in the order in which they are drawn */
	size_t nseries;
	const struct plot_mark *marks;
	size_t nmarks;
	/*
	 * Plots with the same group have the same x axis: what is pointed at in one is pointed at in all, and they zoom
	 * together. Letters, digits, '-'; NULL: it stands alone.
	 */
	const char *group;
	const char *note; /* a sentence below it; NULL: none */
};

/* Writes the plot with its legend. It never fails: without a value it says so. */
void plot_draw(FILE *out, const struct plot *plot, struct arena *arena);

/*
 * The plot as a block with a caption (NULL: none) and the sentences that say what is to be seen in it. The plot, and
 * all that it points to, must last as long as the document.
 */
struct block plot_block(const struct document *doc, const struct plot *plot, const char *title, const char *spoken);

/* Many small plots beside each other, each with its name above it; one block. The same lifetime. */
struct plot_list {
	const struct plot *items;
	size_t count;
};
struct block plot_list_block(const struct document *doc, const struct plot_list *list, const char *title,
			     const char *spoken);

#endif
