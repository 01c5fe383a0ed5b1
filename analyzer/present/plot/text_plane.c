/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/plot/text_plane.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "common/base/cells.h"
#include "present/plot/plot_axis.h"

#define ROWS	     16
#define LABELS	     9	 /* columns of the y axis' numbers, with the axis */
#define MOST_COLUMNS 100 /* of the whole */
#define LEAST_AREA   30
#define TICKS	     7

struct canvas {
	const struct document *doc;
	const struct plot *plot;
	struct plot_range x, y;
	size_t columns;	    /* of the area */
	const char **cells; /* [ROWS * columns], what stands there; NULL: nothing */
	bool has_label[ROWS];
	double steepest, roof; /* the highest slanting and level ceilings; NAN: none */
};

/* ---- places ---- */

static long text_plane_row_of(const struct canvas *canvas, double value)
{
	return ROWS - 1 - lround(plot_place(&canvas->y, value) * (ROWS - 1));
}

static long column_of(const struct canvas *canvas, double value)
{
	return lround(plot_place(&canvas->x, value) * (double)(canvas->columns - 1));
}

/* What is outside of the area is not drawn. */
static void text_plane_put(struct canvas *canvas, long row, long column, const char *what)
{
	if (row >= 0 && row < ROWS && column >= 0 && column < (long)canvas->columns)
		canvas->cells[(size_t)row * canvas->columns + (size_t)column] = what;
}

/* The value in the middle of a row. */
static double text_plane_value_of(const struct canvas *canvas, long row)
{
	double place = (double)(ROWS - 1 - row) / (ROWS - 1);

	return exp(log(canvas->y.low) + place * (log(canvas->y.high) - log(canvas->y.low)));
}

/* ---- ceilings ---- */

/* "L1 ..." is 1, "DRAM ..." D. */
static const char *sign_of(const struct canvas *canvas, const char *label)
{
	size_t at = label[0] == 'L' && isdigit((unsigned char)label[1]) ? 1 : 0;

	return arena_strndup(canvas->doc->arena, label + at, 1);
}

static void draw_slanting(struct canvas *canvas, const struct plot_mark *mark)
{
	const char *sign = sign_of(canvas, mark->label);

	for (long row = 0; row < ROWS; row++) {
		double value = text_plane_value_of(canvas, row);

		if (!(value > canvas->roof))
			text_plane_put(canvas, row, column_of(canvas, value / mark->at), sign);
	}
}

/* At the end of its line, with a blank on both sides. */
static void put_label(struct canvas *canvas, long row, const char *label)
{
	long column = (long)canvas->columns - (long)strlen(label) - 3;

	if (row < 0 || row >= ROWS || column < 0 || canvas->has_label[row])
		return;
	canvas->has_label[row] = true;
	text_plane_put(canvas, row, column++, " ");
	for (; *label; label++)
		text_plane_put(canvas, row, column++, arena_strndup(canvas->doc->arena, label, 1));
	text_plane_put(canvas, row, column, " ");
}

static void draw_level(struct canvas *canvas, const struct plot_mark *mark)
{
	const char *line = canvas->doc->style->has_utf8 ? "─" : "-";
	long row = text_plane_row_of(canvas, mark->at);
	long from = isnan(canvas->steepest) ? 0 : column_of(canvas, mark->at / canvas->steepest);

	for (long column = from < 0 ? 0 : from; column < (long)canvas->columns; column++)
		text_plane_put(canvas, row, column, line);
}

static bool can_draw(const struct plot_mark *mark, enum plot_mark_kind kind)
{
	return mark->kind == kind && mark->label && mark->at > 0 && isfinite(mark->at);
}

static double highest(const struct plot *plot, enum plot_mark_kind kind)
{
	double most = NOT_COUNTED;

	for (size_t i = 0; i < plot->nmarks; i++)
		if (can_draw(&plot->marks[i], kind))
			most = fmax(plot->marks[i].at, most);
	return most;
}

static void draw_marks(struct canvas *canvas)
{
	const struct plot *plot = canvas->plot;

	canvas->steepest = highest(plot, PLOT_MARK_CEILING);
	canvas->roof = highest(plot, PLOT_MARK_Y);
	for (size_t i = 0; i < plot->nmarks; i++)
		if (can_draw(&plot->marks[i], PLOT_MARK_Y))
			draw_level(canvas, &plot->marks[i]);
	for (size_t i = 0; i < plot->nmarks; i++)
		if (can_draw(&plot->marks[i], PLOT_MARK_CEILING))
			draw_slanting(canvas, &plot->marks[i]);
	for (size_t i = 0; i < plot->nmarks; i++)
		if (can_draw(&plot->marks[i], PLOT_MARK_Y))
			put_label(canvas, text_plane_row_of(canvas, plot->marks[i].at), plot->marks[i].label);
}

/* ---- points ---- */

#define LETTERS 26

const char *text_plane_letter(size_t n, struct arena *arena)
{
	return n < LETTERS ? arena_printf(arena, "%c", (int)('A' + n)) : "*";
}

static size_t draw_points(struct canvas *canvas)
{
	size_t n = 0;

	for (size_t s = 0; s < canvas->plot->nseries; s++) {
		const struct plot_series *series = &canvas->plot->series[s];

		for (size_t i = 0; series->kind == PLOT_POINTS && i < series->count; i++, n++)
			if (series->x[i] > 0 && series->y[i] > 0)
				text_plane_put(canvas, text_plane_row_of(canvas, series->y[i]),
					       column_of(canvas, series->x[i]),
					       text_plane_letter(n, canvas->doc->arena));
	}
	return n;
}

/* ---- axes ---- */

/* What stands before each row: the number of a tick that falls into it. */
static void number_rows(const struct canvas *canvas, const char *numbers[ROWS])
{
	struct plot_ticks ticks;

	plot_ticks_of(&ticks, &canvas->y, TICKS);
	for (size_t i = 0; i < ticks.count; i++) {
		long row = text_plane_row_of(canvas, ticks.at[i]);

		if (row >= 0 && row < ROWS)
			numbers[row] = plot_tick_text(&ticks, &canvas->y, ticks.at[i], canvas->doc->arena);
	}
}

static void text_plane_add_rows(struct string *text, const struct canvas *canvas)
{
	const char *numbers[ROWS] = { NULL }, *axis = canvas->doc->style->has_utf8 ? "│" : "|";

	number_rows(canvas, numbers);
	for (size_t row = 0; row < ROWS; row++) {
		size_t last = canvas->columns;

		string_printf(text, "%*s %s", LABELS - 2, numbers[row] ? numbers[row] : "", axis);
		while (last && !canvas->cells[row * canvas->columns + last - 1])
			last--;
		for (size_t column = 0; column < last; column++) {
			const char *cell = canvas->cells[row * canvas->columns + column];

			string_add(text, cell ? cell : " ");
		}
		string_add(text, "\n");
	}
}

/* The axis below, and its numbers, each around its place. */
static void add_x_axis(struct string *text, const struct canvas *canvas)
{
	bool has_utf8 = canvas->doc->style->has_utf8;
	struct plot_ticks ticks;
	size_t at = 0;

	plot_ticks_of(&ticks, &canvas->x, TICKS);
	string_printf(text, "%*s", LABELS - 1, "");
	string_add(text, has_utf8 ? "└" : "+");
	for (size_t i = 0; i < canvas->columns; i++)
		string_add(text, has_utf8 ? "─" : "-");
	string_add(text, "\n");
	for (size_t i = 0; i < ticks.count; i++) {
		const char *number = plot_tick_text(&ticks, &canvas->x, ticks.at[i], canvas->doc->arena);
		size_t begin = LABELS + (size_t)fmax((double)column_of(canvas, ticks.at[i]), 0);

		begin -= cells_width(number) / 2;
		if (begin + cells_width(number) > LABELS + canvas->columns)
			begin = LABELS + canvas->columns - cells_width(number);
		if (begin < at + (at > 0))
			continue;
		string_printf(text, "%*s%s", (int)(begin - at), "", number);
		at = begin + cells_width(number);
	}
	string_add(text, "\n");
}

/* ---- the legend ---- */

struct legend {
	struct string *text;
	size_t at, width;
};

static void add_entry(struct legend *legend, const char *sign, const char *what)
{
	size_t length = strlen(sign) + 1 + cells_width(what);
	bool is_first = legend->at == 0;

	if (!is_first && legend->at + 3 + length > legend->width) {
		string_add(legend->text, "\n");
		legend->at = 0;
		is_first = true;
	}
	string_printf(legend->text, "%s%s %s", is_first ? "  " : "   ", sign, what);
	legend->at += length + (is_first ? 2 : 3);
}

static void add_legend(struct string *text, const struct canvas *canvas)
{
	const struct plot *plot = canvas->plot;
	struct legend legend = { text, 0, canvas->columns + LABELS };
	size_t n = 0;

	for (size_t i = 0; i < plot->nmarks; i++)
		if (can_draw(&plot->marks[i], PLOT_MARK_CEILING))
			add_entry(&legend, sign_of(canvas, plot->marks[i].label), plot->marks[i].label);
	for (size_t s = 0; s < plot->nseries; s++) {
		const struct plot_series *series = &plot->series[s];

		for (size_t i = 0; series->kind == PLOT_POINTS && i < series->count; i++, n++)
			add_entry(&legend, text_plane_letter(n, canvas->doc->arena),
				  series->said && series->said[i] ? series->said[i]
				  : series->name		  ? series->name
								  : "");
	}
}

/* ---- the whole ---- */

static bool has_range(const struct plot_axis *axis)
{
	return axis->low > 0 && axis->high > axis->low && isfinite(axis->high);
}

const struct block *text_plane_block(const struct document *doc, const struct plot *plot)
{
	size_t width = doc->width < MOST_COLUMNS ? doc->width : MOST_COLUMNS;
	struct canvas canvas = { .doc = doc, .plot = plot };
	struct string text = STRING_INIT(doc->arena);
	struct block *block = arena_alloc(doc->arena, sizeof(*block));

	if (width < LABELS + LEAST_AREA || !has_range(&plot->x) || !has_range(&plot->y))
		return NULL;
	canvas.columns = width - LABELS;
	canvas.x = plot_range_of(&plot->x, plot->x.low, plot->x.high, false);
	canvas.y = plot_range_of(&plot->y, plot->y.low, plot->y.high, false);
	canvas.cells = arena_array(doc->arena, ROWS * canvas.columns, sizeof(*canvas.cells));
	draw_marks(&canvas);
	draw_points(&canvas);
	string_printf(&text, "  %s\n", plot->y.title ? plot->y.title : "");
	text_plane_add_rows(&text, &canvas);
	add_x_axis(&text, &canvas);
	if (plot->x.title)
		string_printf(&text, "%*s%s\n", (int)(LABELS + canvas.columns - cells_width(plot->x.title)), "",
			      plot->x.title);
	add_legend(&text, &canvas);
	*block = (struct block){ .kind = BLOCK_DRAWING, .text = text.text };
	return block;
}
