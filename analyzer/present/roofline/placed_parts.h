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

/* ---- placed_cells.c ---- */

/* Shared by placed_cells.c and placed_document.c: tables of points, and of the levels of one. */

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

extern const struct column placed_point_columns[POINT_COLUMNS];

/* [POINT_COLUMNS] */
void placed_point_cells(struct cell *cells, const struct placed *roofline, size_t number, struct arena *arena);

/* Functions, and their loops below them: by short names, but on a page. */
struct grid *placed_functions_grid(const struct placed *roofline, bool is_page, struct arena *arena);
bool placed_has_loops(const struct placed *roofline);

/* For lines of text, which have little room: "loop 12-14", "loop +0x40". */
const char *placed_short_name(const struct profile_loop *loop, struct arena *arena);

struct grid *placed_levels_grid(const struct placed_point *point, bool is_for_people, struct arena *arena);

/* "peak", "DRAM"; NULL: unknown */
const char *placed_limit_name(const struct placed_point *point);

/* "lines of 64 bytes (L2_LINES_IN.ALL, L2_LINES_OUT.NON_SILENT)", or why there is nothing. */
const char *placed_source(const struct placed_sources *sources, enum roofline_quantity quantity, struct arena *arena);

#endif
