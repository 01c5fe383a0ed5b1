/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roofline_parts.h - a program below the machine's ceilings (evaluate/roofline.h): parts of a report in every form. */
#ifndef TOPDOWN_RENDER_ROOFLINE_PARTS_H
#define TOPDOWN_RENDER_ROOFLINE_PARTS_H

#include "evaluate/roofline.h"
#include "render/data.h"
#include "render/document.h"

/* The verdict, the plot, the tables and the notes. Nothing where roofline is NULL. */
void roofline_add(struct document *doc, const struct roofline *roofline);

/* "roofline" into the object that is open. Nothing where it is NULL. */
void roofline_json(struct json_writer *writer, const struct roofline *roofline, struct arena *arena);

/* A figure of a point, for a line of CSV. */
struct roofline_figure {
	const char *name, *unit, *text; /* text: what says more; NULL: nothing */
	double value;
};

/* All figures of a point; count is set. */
const struct roofline_figure *roofline_figures(size_t *count, const struct roofline *roofline,
					       const struct roofline_point *point, struct arena *arena);

/* roofline_plot.c: the ceilings and the points, as lines of text or as a picture of a page. */
void roofline_plot(struct document *doc, const struct roofline *roofline);

/* The letter that stands for a point in the plot; of a level of the program its digit. */
char roofline_letter(const struct roofline *roofline, size_t point);

#endif
