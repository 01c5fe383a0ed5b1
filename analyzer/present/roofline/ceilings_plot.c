/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ceilings_plot.c - a machine's ceilings as the marks of a plot. */
#include <math.h>

#include "common/base/text.h"
#include "present/document/human.h"
#include "present/roofline/ceilings_parts.h"

#define MOST_MARKS  16
#define ROOF_POINTS 3
#define LOW_X	    0.01 /* operations a byte: what only moves data has fewer */
#define HIGH_X	    100.0
#define ROOM	    2.0 /* above the roof, and right of its ridge: 4 times as much */

enum ceiling_scope ceilings_scope(const struct ceilings *ceilings)
{
	for (size_t i = 0; i < ceilings->count; i++)
		if (ceilings->rows[i].scope == CEILING_ALL && ceilings->rows[i].threads > 1)
			return CEILING_ALL;
	return CEILING_THREAD;
}

static const struct ceiling *bandwidth(const struct ceilings *ceilings, enum ceiling_scope scope,
				       enum ceiling_level level)
{
	return ceilings_find(ceilings,
			     &(struct ceiling_wanted){ .kind = CEILING_BANDWIDTH, .level = level, .scope = scope });
}

static const struct ceiling *computing(const struct ceilings *ceilings, enum ceiling_scope scope,
				       enum ceiling_operation operation, unsigned bits)
{
	return ceilings_find(ceilings, &(struct ceiling_wanted){ .kind = CEILING_COMPUTE,
								 .type = CEILING_F64,
								 .operation = operation,
								 .scope = scope,
								 .bits = bits });
}

static const char *ceilings_plot_value_text(const struct ceiling *row, const char *unit, struct arena *arena)
{
	return arena_printf(arena, "%s%s", human_count(arena, row->value), unit);
}

static void add_mark(struct plot *plot, struct plot_mark *marks, enum plot_mark_kind kind, double at, const char *label)
{
	marks[plot->nmarks++] = (struct plot_mark){ .kind = kind, .at = at, .label = label };
}

/* The peak; that without fusing, which other programs don't reach; and that of scalar code. */
static void add_levels(struct plot *plot, struct plot_mark *marks, const struct ceilings *ceilings,
		       enum ceiling_scope scope, struct arena *arena)
{
	const struct ceiling *peak = computing(ceilings, scope, CEILING_NO_OPERATION, 0);
	const struct ceiling *apart = computing(ceilings, scope, CEILING_MUL_ADD, 0);
	const struct ceiling *scalar = computing(ceilings, scope, CEILING_NO_OPERATION, 64);
	const struct ceiling *rows[] = { peak, apart, scalar };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		bool is_new = rows[i] != NULL;

		for (size_t k = 0; k < i; k++)
			is_new &= rows[i] != rows[k];
		if (!is_new)
			continue;
		add_mark(plot, marks, PLOT_MARK_Y, rows[i]->value,
			 arena_printf(arena, "%s%s %s",
				      rows[i]->bits > 64 ? arena_printf(arena, "%u-bit ", rows[i]->bits) : "scalar ",
				      rows[i]->operation == CEILING_FMA ? "FMA" : "mul+add",
				      ceilings_plot_value_text(rows[i], "FLOP/s", arena)));
	}
}

/* Up to the peak the level's bandwidth is the limit, then the peak. Pages draw it as a line, with its own colour. */
struct plot_series ceilings_roof(const struct plot_mark *mark, const struct plot *plot, double peak, unsigned color,
				 struct arena *arena)
{
	double *x = arena_array(arena, ROOF_POINTS, sizeof(*x)), *y = arena_array(arena, ROOF_POINTS, sizeof(*y));
	const double places[ROOF_POINTS] = { plot->x.low, peak / mark->at, plot->x.high };

	for (size_t i = 0; i < ROOF_POINTS; i++) {
		x[i] = places[i];
		y[i] = fmin(places[i] * mark->at, peak);
	}
	return (struct plot_series){
		.kind = PLOT_LINE, .name = mark->label, .x = x, .y = y, .count = ROOF_POINTS, .color = color
	};
}

static void add_roofs(struct plot *plot, double peak, struct arena *arena)
{
	struct plot_series *series = arena_array(arena, plot->nmarks + 1, sizeof(*series));

	for (size_t i = 0; i < plot->nmarks; i++)
		if (plot->marks[i].kind == PLOT_MARK_CEILING) {
			series[plot->nseries] = ceilings_roof(&plot->marks[i], plot, peak,
							      (unsigned)(plot->nseries % PLOT_COLORS), arena);
			plot->nseries++;
		}
	plot->series = series;
}

struct plot *ceilings_plot(const struct ceilings *ceilings, enum ceiling_scope scope, struct arena *arena)
{
	const struct ceiling *peak = computing(ceilings, scope, CEILING_NO_OPERATION, 0);
	struct plot_mark *marks = arena_array(arena, MOST_MARKS, sizeof(*marks));
	struct plot *plot = arena_alloc(arena, sizeof(*plot));
	double slowest = NOT_COUNTED;

	*plot = (struct plot){ .name = scope == CEILING_THREAD ? "Roofline of one thread" : "Roofline of all cores",
			       .marks = marks,
			       .x = { .scale = PLOT_LOG10, .title = "FLOP/byte", .low = LOW_X, .high = HIGH_X },
			       .y = { .scale = PLOT_LOG10, .title = "FLOP/s", .unit = "FLOP/s" } };
	for (enum ceiling_level level = CEILING_L1; level < CEILING_LEVELS; level++) {
		const struct ceiling *row = bandwidth(ceilings, scope, level);

		if (!row)
			continue;
		add_mark(plot, marks, PLOT_MARK_CEILING, row->value,
			 arena_printf(arena, "%s %s", ceiling_level_names[level],
				      ceilings_plot_value_text(row, "B/s", arena)));
		slowest = fmin(row->value, slowest);
	}
	if (!peak || isnan(slowest))
		return NULL;
	add_levels(plot, marks, ceilings, scope, arena);
	plot->x.high = fmax(HIGH_X, 4 * peak->value / slowest);
	plot->y.low = slowest * LOW_X;
	plot->y.high = peak->value * ROOM;
	add_roofs(plot, peak->value, arena);
	return plot;
}

const char *ceilings_spoken(const struct ceilings *ceilings, enum ceiling_scope scope, struct arena *arena)
{
	const struct ceiling *peak = computing(ceilings, scope, CEILING_NO_OPERATION, 0);
	const struct ceiling *memory = bandwidth(ceilings, scope, CEILING_DRAM);

	if (!peak || !memory)
		return "Not all ceilings of a roofline were measured.";
	return arena_printf(arena,
			    "The peak of computing in double precision is %s, and memory gives %s. "
			    "They meet at %.1f operations per byte.",
			    ceilings_plot_value_text(peak, "FLOP/s", arena),
			    ceilings_plot_value_text(memory, "B/s", arena), peak->value / memory->value);
}
