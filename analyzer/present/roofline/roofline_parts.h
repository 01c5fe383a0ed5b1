/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roofline_parts.h - a program below the machine's ceilings (roofline.h): parts of a report in every form. */
#ifndef TOPDOWN_PRESENT_ROOFLINE_ROOFLINE_PARTS_H
#define TOPDOWN_PRESENT_ROOFLINE_ROOFLINE_PARTS_H

#include "analyse/roofline/roofline.h"
#include "present/document/data.h"
#include "present/document/document.h"

/* The verdict, the plot, the tables and the notes. Nothing where roofline is NULL. */
void roofline_add(struct document *doc, const struct roofline *roofline);

/* "roofline" into the object that is open. Nothing where it is NULL. */
void roofline_json(struct json_writer *writer, const struct roofline *roofline, struct arena *arena);

/* A figure of a point, for a line of CSV. */
struct roofline_figure {
	const char *name, *unit, *text; /* text: what says more; NULL: nothing */
	double value;
	struct roofline_interval within; /* NAN: it has none */
	uint64_t samples;		 /* that it stands on; 0: none, or it is exact */
};

/* All figures of a point; count is set. */
const struct roofline_figure *roofline_figures(size_t *count, const struct roofline *roofline,
					       const struct roofline_point *point, struct arena *arena);

/* roofline_plot.c: the ceilings and the points, as lines of text or as a picture of a page. */
void roofline_plot(struct document *doc, const struct roofline *roofline);

/* Where it is in a page's explorer: "#fn=f&lines=6-7". NULL: the whole program is nowhere. */
const char *roofline_link(const struct roofline_point *point, struct arena *arena);
/* "f, loop at file.c:12-14": the name of a point that stands by itself; NULL: all of the program. */
const char *roofline_said(const struct roofline_point *point, struct arena *arena);

/* The letter that stands for a point in the plot; " ": it has no place there. */
const char *roofline_letter(const struct roofline *roofline, size_t point, struct arena *arena);

/* ---- roofline_cells.c ---- */

/* Shared by roofline_cells.c and roofline_document.c: tables of points, and of the levels of one. */

enum {
	POINT_LETTER,
	POINT_NAME,
	POINT_LOOP_OF,
	POINT_INLINED,
	POINT_FILE,
	POINT_LINE,
	POINT_LAST_LINE,
	POINT_MODULE,
	POINT_TIME,
	POINT_SAMPLES,
	POINT_SECONDS,
	POINT_FLOPS,
	POINT_SPEED,
	POINT_VECTORS,
	POINT_L1,
	POINT_L2,
	POINT_L3,
	POINT_DRAM,
	POINT_WITHIN,
	POINT_MOVES_L1,
	POINT_MOVES_L2,
	POINT_MOVES_L3,
	POINT_MOVES_DRAM,
	POINT_BOUND,
	POINT_LIMIT,
	POINT_CEILING,
	POINT_SHARE,
	POINT_PEAK,
	POINT_VERDICT,
	POINT_ADVICE,
	POINT_TIME_SAMPLES,
	POINT_TIME_LOW,
	POINT_TIME_HIGH,
	POINT_SPEED_LOW,
	POINT_SPEED_HIGH,
	POINT_VECTORS_LOW,
	POINT_VECTORS_HIGH,
	POINT_WIDTHS, /* of JSON alone, as the next one */
	POINT_LEVELS,
	POINT_COLUMNS
};

extern const struct column roofline_point_columns[POINT_COLUMNS];

/* [POINT_COLUMNS] */
void roofline_point_cells(struct cell *cells, const struct roofline *roofline, size_t number, struct arena *arena);

/* Functions, and their loops below them: by short names, but on a page. */
struct grid *roofline_functions_grid(const struct roofline *roofline, bool is_page, struct arena *arena);
bool roofline_has_loops(const struct roofline *roofline);

/* For lines of text, which have little room: "loop 12-14", "loop +0x40". */
const char *roofline_short_name(const struct profile_loop *loop, struct arena *arena);

struct grid *roofline_levels_grid(const struct roofline_point *point, bool is_for_people, struct arena *arena);

/* "peak", "DRAM"; NULL: unknown */
const char *roofline_limit_name(const struct roofline_point *point);

/* "lines of 64 bytes (L2_LINES_IN.ALL, L2_LINES_OUT.NON_SILENT)", or why there is nothing. */
const char *roofline_source(const struct roofline_sources *sources, enum roofline_quantity quantity,
			    struct arena *arena);

#endif
