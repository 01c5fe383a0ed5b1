/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strip.h - a drawing inside a table of a page, as high as a line: bars, intervals and limits, on one scale for all
 * rows. The row's other cells have its numbers, so nobody has to see it.
 */
#ifndef TOPDOWN_PRESENT_PLOT_STRIP_H
#define TOPDOWN_PRESENT_PLOT_STRIP_H

#include <stdio.h>

#include "present/document/document.h"

enum strip_kind {
	STRIP_BAR,   /* of the whole height */
	STRIP_UPPER, /* of the upper half: before */
	STRIP_LOWER, /* of the lower half: after */
	STRIP_RANGE, /* an interval: a thin bar with ends */
	STRIP_POINT, /* at from: a value within its interval */
	STRIP_LINE,  /* at from: nothing, a limit */
};

/* What a mark means, as a class of page.css, which gives it a colour and, where two could be confused, a pattern. */
enum strip_look { STRIP_PLAIN, STRIP_MORE, STRIP_LESS, STRIP_BEFORE, STRIP_AFTER, STRIP_LIMIT, STRIP_DOUBT };

struct strip_mark {
	enum strip_kind kind;
	enum strip_look look;
	double from, to; /* on the scale; NAN: not drawn */
};

#define MOST_STRIP_MARKS 6
struct strip {
	struct strip_mark marks[MOST_STRIP_MARKS];
	size_t count;
};

/* Where the table's strips begin and end. */
struct strip_scale {
	double low, high;
};

/* One mark more; those beyond MOST_STRIP_MARKS are dropped, and so are those whose places are NAN. */
void strip_add(struct strip *strip, enum strip_kind kind, enum strip_look look, double from, double to);

/* What holds all marks of the strips. */
struct strip_scale strip_scale_of(const struct strip *strips, size_t count);

/*
 * The table with one column more, before the one of that number: a strip for each row. The strips must last as long as
 * the table. Columns in which nothing stands are not shown.
 */
struct strip_column {
	size_t at;
	const char *heading;
	const struct strip *strips; /* [table->count] */
	struct strip_scale scale;
};
struct grid *grid_with_strips(const struct grid *table, const struct strip_column *column, struct arena *arena);

/* What a cell refers to: strip, and its scale. */
struct drawn_strip {
	const struct strip *strip;
	struct strip_scale scale;
};

/* Writes one <svg>. */
void strip_draw(FILE *out, const struct drawn_strip *drawn);

#endif
