/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ceilings_parts.h - the roofline as a plot, which text and pages draw, and where programs can be put. */
#ifndef TOPDOWN_PRESENT_ROOFLINE_CEILINGS_PARTS_H
#define TOPDOWN_PRESENT_ROOFLINE_CEILINGS_PARTS_H

#include "analyse/ceilings/ceilings.h"
#include "present/plot/plot.h"

/* Whose roofline is shown: of all cores, or where there is one only, of a thread. */
enum ceiling_scope ceilings_scope(const struct ceilings *ceilings);

/*
 * Bandwidths as slanting ceilings, computing in f64 as level ones; roofs of all levels as lines, for pages. It lives
 * in arena, to be added to. NULL: not all of it was measured.
 */
struct plot *ceilings_plot(const struct ceilings *ceilings, enum ceiling_scope scope, struct arena *arena);

/* A ceiling of the plot, up to the peak, as a line with a name and a colour. */
struct plot_series ceilings_roof(const struct plot_mark *mark, const struct plot *plot, double peak, unsigned color,
				 struct arena *arena);

/* One or two sentences that say what the plot shows. */
const char *ceilings_spoken(const struct ceilings *ceilings, enum ceiling_scope scope, struct arena *arena);

extern const struct view ceilings_view; /* of a struct ceilings_shown */

#endif
