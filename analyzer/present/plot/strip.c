/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/plot/strip.h"

#include <math.h>
#include <string.h>

#define WIDTH  1000.0 /* of the drawing, in its own units; it is stretched to the cell */
#define HEIGHT 20.0

void strip_add(struct strip *strip, enum strip_kind kind, enum strip_look look, double from, double to)
{
	if (strip->count < MOST_STRIP_MARKS && isfinite(from) && isfinite(to))
		strip->marks[strip->count++] = (struct strip_mark){ kind, look, fmin(from, to), fmax(from, to) };
}

struct strip_scale strip_scale_of(const struct strip *strips, size_t count)
{
	struct strip_scale scale = { INFINITY, -INFINITY };

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < strips[i].count; k++) {
			scale.low = fmin(scale.low, strips[i].marks[k].from);
			scale.high = fmax(scale.high, strips[i].marks[k].to);
		}
	if (!(scale.low < scale.high)) {
		double at = isfinite(scale.low) ? scale.low : 0;

		scale = (struct strip_scale){ at - 1, at + 1 };
	}
	return scale;
}

/* A column for people in which nothing stands is left to machines. */
static void drop_empty(struct column *columns, const struct grid *table, struct arena *arena)
{
	for (size_t i = 0; i < table->ncolumns; i++) {
		bool has_any = false;

		for (size_t row = 0; row < table->count && !has_any; row++)
			has_any = *cell_shown(arena, &table->rows[row].cells[i]);
		if (!has_any)
			columns[i].heading = NULL;
	}
}

struct grid *grid_with_strips(const struct grid *table, const struct strip_column *column, struct arena *arena)
{
	struct grid *wider = arena_alloc(arena, sizeof(*wider));
	struct column *columns = arena_array(arena, table->ncolumns + 1, sizeof(*columns));
	const size_t at = column->at, behind = table->ncolumns - at;

	*wider = *table;
	memcpy(columns, table->columns, table->ncolumns * sizeof(*columns));
	drop_empty(columns, table, arena);
	memmove(&columns[at + 1], &columns[at], behind * sizeof(*columns));
	columns[at] = (struct column){ .heading = column->heading };
	wider->columns = columns;
	wider->ncolumns++;
	wider->rows = arena_array(arena, table->count + 1, sizeof(*wider->rows));
	for (size_t i = 0; i < table->count; i++) {
		struct cell *cells = arena_array(arena, wider->ncolumns, sizeof(*cells));
		struct drawn_strip *drawn = arena_alloc(arena, sizeof(*drawn));

		*drawn = (struct drawn_strip){ &column->strips[i], column->scale };
		memcpy(cells, table->rows[i].cells, at * sizeof(*cells));
		cells[at] = (struct cell){ .kind = CELL_ABSENT, .strip = drawn };
		memcpy(&cells[at + 1], &table->rows[i].cells[at], behind * sizeof(*cells));
		wider->rows[i] = table->rows[i];
		wider->rows[i].cells = cells;
	}
	return wider;
}

static double strip_place(const struct strip_scale *scale, double value)
{
	return fmin(fmax((value - scale->low) / (scale->high - scale->low), 0), 1) * WIDTH;
}

static void draw_mark(FILE *out, const struct strip_mark *mark, const struct strip_scale *scale)
{
	static const char *const looks[] = {
		[STRIP_PLAIN] = "plain", [STRIP_MORE] = "more",	  [STRIP_LESS] = "less",   [STRIP_BEFORE] = "before",
		[STRIP_AFTER] = "after", [STRIP_LIMIT] = "limit", [STRIP_DOUBT] = "doubt",
	};
	static const struct {
		double top, height;
	} boxes[] = {
		[STRIP_BAR] = { 3, 14 }, [STRIP_UPPER] = { 2, 8 }, [STRIP_LOWER] = { 10, 8 }, [STRIP_RANGE] = { 10, 0 }
	};
	double from = strip_place(scale, mark->from), to = strip_place(scale, mark->to);
	const char *look = looks[mark->look];

	switch (mark->kind) {
	case STRIP_BAR:
	case STRIP_UPPER:
	case STRIP_LOWER:
		fprintf(out, "<rect class=\"%s\" x=\"%.2f\" y=\"%g\" width=\"%.2f\" height=\"%g\"/>", look, from,
			boxes[mark->kind].top, fmax(to - from, 1), boxes[mark->kind].height);
		break;
	case STRIP_RANGE:
		fprintf(out, "<path class=\"%s\" d=\"M%.2f 10H%.2fM%.2f 6V14M%.2f 6V14\"/>", look, from, to, from, to);
		break;
	case STRIP_POINT: fprintf(out, "<path class=\"%s point\" d=\"M%.2f 5V15\"/>", look, from); break;
	case STRIP_LINE: fprintf(out, "<path class=\"%s line\" d=\"M%.2f 0V%g\"/>", look, from, HEIGHT); break;
	}
}

void strip_draw(FILE *out, const struct drawn_strip *drawn)
{
	fprintf(out, "<svg class=\"strip\" viewBox=\"0 0 %g %g\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
		WIDTH, HEIGHT);
	for (size_t i = 0; i < drawn->strip->count; i++)
		draw_mark(out, &drawn->strip->marks[i], &drawn->scale);
	fputs("</svg>", out);
}
