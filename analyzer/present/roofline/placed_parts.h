/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placed_parts.h - a program below the machine's ceilings (placed.h): parts of a report in every form. */
#ifndef TOPDOWN_PRESENT_ROOFLINE_PLACED_PARTS_H
#define TOPDOWN_PRESENT_ROOFLINE_PLACED_PARTS_H

#include "analyse/roofline/placed.h"
#include "present/document/data.h"
#include "present/document/document.h"

/* The verdict, the plot, the tables and the notes. Nothing where roofline is NULL. */
void placed_add(struct document *doc, const struct placed *roofline);

/* "roofline" into the object that is open. Nothing where it is NULL. */
void placed_json(struct json_writer *writer, const struct placed *roofline, struct arena *arena);

/* A figure of a point, for a line of CSV. */
struct placed_figure {
	const char *name, *unit, *text; /* text: what says more; NULL: nothing */
	double value;
	struct placed_interval within; /* NAN: it has none */
	uint64_t samples;	       /* that it stands on; 0: none, or it is exact */
};

/* All figures of a point; count is set. */
const struct placed_figure *placed_figures(size_t *count, const struct placed *roofline,
					   const struct placed_point *point, struct arena *arena);

/* placed_plot.c: the ceilings and the points, as lines of text or as a picture of a page. */
void placed_plot(struct document *doc, const struct placed *roofline);

/* "f, loop at file.c:12-14": the name of a point that stands by itself; NULL: all of the program. */
const char *placed_said(const struct placed_point *point, struct arena *arena);

/* The letter that stands for a point in the plot; " ": it has no place there. */
const char *placed_letter(const struct placed *roofline, size_t point, struct arena *arena);

#endif
