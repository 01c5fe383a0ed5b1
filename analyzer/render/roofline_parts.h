/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roofline_parts.h - the roofline as a plot, which text and pages draw, and where programs can be put. */
#ifndef TOPDOWN_RENDER_ROOFLINE_PARTS_H
#define TOPDOWN_RENDER_ROOFLINE_PARTS_H

#include "ceilings/ceilings.h"
#include "render/plot.h"

/* Whose roofline is shown: of all cores, or where there is one only, of a thread. */
enum ceiling_scope roofline_scope(const struct ceilings *ceilings);

/*
 * Bandwidths as slanting ceilings, computing in f64 as level ones; the roofs of all levels as lines, for pages. It lives
 * in arena, to be added to. NULL: not all of it was measured.
 */
struct plot *roofline_plot(const struct ceilings *ceilings, enum ceiling_scope scope, struct arena *arena);

/* One or two sentences that say what the plot shows. */
const char *roofline_spoken(const struct ceilings *ceilings, enum ceiling_scope scope, struct arena *arena);

extern const struct view roofline_view; /* of a struct roofline */

#endif
